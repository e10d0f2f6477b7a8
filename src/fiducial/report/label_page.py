"""What a rater reads on a page: the document as blocks, the words that the claim quotes marked, the place to begin.

As in the terminal, the place comes from the claim alone (`passage`): never from a judge's evidence.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from fiducial.report.passage import passage
from fiducial.report.review_blocks import blocks
from fiducial.report.review_margin import Shown
from fiducial.report.review_marks import Mark, render_block
from fiducial.review.labelling import LabelCase

EXCERPT = 1_200  # characters of a passage that is shown without its document


class Reading(Struct, frozen=True, kw_only=True):
    """A case as a page shows it. Nothing in it says who made the claim, or what anybody made of it."""

    title: str
    rest: str
    blocks: Sequence[Shown]
    at: int  # the block to begin with
    why: str


def reading(case: LabelCase) -> Reading:
    """The claim, and the whole document with the place where to begin."""
    found = passage(case.document, case.claim, case.section)
    drawn = list(_drawn(case.document))
    marks = [Mark(span=span, number=0, look="quoted") for span in found.marks]
    for k, one in enumerate(drawn):
        if any(m.span[0] < one.block.span[1] and m.span[1] > one.block.span[0] for m in marks):
            drawn[k] = Shown(one.block, render_block(one.block, case.document, marks, ""))
    ends = [one.block.span[1] for one in drawn]
    title, _, rest = case.claim.partition("\n")
    at = min(bisect_right(ends, found.at), max(0, len(drawn) - 1))
    return Reading(title=title, rest=rest.strip(), blocks=drawn, at=at, why=found.why)


def excerpted(read: Reading) -> Reading:
    """The same with the passage alone: the heading above it, and what follows as far as there is room."""
    kinds = [one.block.kind for one in read.blocks]
    headings = [k for k, kind in enumerate(kinds[: read.at + 1]) if kind == "heading"]
    end, room = read.at, EXCERPT
    while end < len(kinds) and (room > 0 or end == read.at):
        if end > read.at and kinds[end] == "heading" != kinds[end - 1]:
            break  # another section
        start, stop = read.blocks[end].block.span
        room -= stop - start
        end += 1
    above = [read.blocks[headings[-1]]] if headings and headings[-1] < read.at else []
    return Reading(
        title=read.title, rest=read.rest, blocks=[*above, *read.blocks[read.at : end]], at=len(above), why=read.why
    )


@lru_cache(maxsize=8)
def _drawn(text: str) -> tuple[Shown, ...]:
    """The blocks of a document without marks: most cases of a run are about the same few documents."""
    return tuple(Shown(block, render_block(block, text, (), "")) for block in blocks(text))
