"""A document with the findings about it in the margin, each beside the passage it speaks of.

A finding stands beside the block that holds the evidence of its verdict. One without such a passage (a claim that
something is absent, a verdict that quotes nothing, no verdict at all) stands beside the heading of the section it
names; where that is not found either, in a list below the document.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from fiducial.report.review_blocks import Block, blocks
from fiducial.report.review_marks import Mark, render_block
from fiducial.report.review_notes import Note, note, room
from fiducial.report.review_panels import SEVERITIES
from fiducial.report.review_words import SIGNS
from fiducial.review.finding import fold
from fiducial.review.output import Output

NOTES = 6_000  # notes on a page
TEXT = 2_000_000  # characters of all documents together
AT_ONCE = 3  # notes that always stand open beside a passage,
FOR_EACH = 110  # or one for so many characters of it; the others are folded away

_NUMBER = re.compile(r"(?<![\w.])\d{1,4}(?:\.\d{1,4}){0,5}(?![\w])")
_NAMED = re.compile(r"(?:§|\bsections?\b|\bsec\.|\bchapters?\b)\s*(\d{1,4}(?:\.\d{1,4}){0,5})", re.IGNORECASE)
_VERDICTS = list(SIGNS)
LEAST = 5  # letters of a heading that is looked for inside other words
SECTION = 300  # characters of a section's name that are looked at


class Shown(Struct, frozen=True):
    """A block with its text as markup."""

    block: Block
    text: Markup


class Passage(Struct, frozen=True, kw_only=True):
    """A block with the notes beside it, and the blocks up to the next one with notes, along which they may run on."""

    first: Shown
    rest: list[Shown]
    notes: list[Note]
    folded: list[Note]


class Margin(Struct, frozen=True, kw_only=True):
    """A document as the template sees it. `below` are the notes that have no place in it."""

    id: str
    anchor: str
    passages: list[Passage]
    below: list[Note]
    outputs: list[Output]
    every: list[Note]  # those that are not shown included
    notes: int
    left_out: int  # findings
    cut: int  # characters of the text
    missing: bool  # whether the run has no text of this document


def margins(
    outputs: Sequence[Output],
    documents: Mapping[str, str],
    reviewers: Sequence[str],
    order: Sequence[str],
    *,
    wanted: Callable[[Note], bool] = lambda _: True,
    marks: Sequence[Mark] = (),
) -> tuple[list[Margin], int]:
    """Every document with its notes, and how many characters of a field are shown.

    What a page has no room for is shared out evenly: every document shows the findings of its first outputs. Notes that
    are not `wanted` keep their numbers and are not shown. `marks` are further ones, with labels of their own, for a page
    of a single document; their numbers begin where those of the notes end.
    """
    ids = list(dict.fromkeys([*order, *(one.document for one in outputs)]))
    most_notes, most_text = NOTES // max(1, len(ids)), TEXT // max(1, len(ids))
    limit = room(outputs)
    places = {name: k for k, name in enumerate(reviewers)}
    made = []
    for k, id in enumerate(ids):
        own = sorted((one for one in outputs if one.document == id), key=lambda one: one.run)
        notes = [note(judged, one, places[one.reviewer], limit=limit) for one in own for judged in one.findings]
        text = documents.get(id)
        shown = (text or "")[:most_text]
        made.append(_margin(id, f"n{k}-", shown, notes[:most_notes], own, wanted=wanted, further=marks))
        made[-1] = replace(
            made[-1],
            notes=len(notes),
            left_out=max(0, len(notes) - most_notes),
            cut=max(0, len(text or "") - most_text),
            missing=text is None,
        )
    return made, limit


def _margin(
    id: str,
    anchor: str,
    text: str,
    notes: Sequence[Note],
    outputs: list[Output],
    *,
    wanted: Callable[[Note], bool],
    further: Sequence[Mark],
) -> Margin:
    found = blocks(text)
    where = _placed(found, text, notes)
    ordered = sorted(
        zip(where, notes, strict=True),
        key=lambda one: (len(found) if one[0] is None else one[0], one[1].span or (0, 0), one[1].place, one[1].run),
    )
    every = [(at, replace(one, number=k)) for k, (at, one) in enumerate(ordered, 1)]
    numbered = [(at, one) for at, one in every if wanted(one)]
    beside: dict[int, list[Note]] = {}
    for at, one in numbered:
        if at is not None:
            beside.setdefault(at, []).append(one)
    marks = [Mark(span=one.span, number=one.number, look=one.look) for _, one in numbered if one.span]
    marks += [replace(one, number=len(every) + one.number) for one in further]
    drawn = [
        Shown(block, render_block(block, text, near, anchor))
        for block, near in zip(found, _near(found, marks), strict=True)
    ]
    return Margin(
        id=id,
        anchor=anchor,
        passages=list(_passages(drawn, beside)),
        below=[one for at, one in numbered if at is None],
        outputs=outputs,
        every=[one for _, one in every],
        notes=len(notes),
        left_out=0,
        cut=0,
        missing=False,
    )


def _passages(drawn: Sequence[Shown], beside: Mapping[int, list[Note]]) -> Iterator[Passage]:
    starts = [k for k in range(len(drawn)) if k == 0 or k in beside]
    for start, end in pairwise([*starts, len(drawn)]):
        notes, folded = _folded(beside.get(start, []), sum(_length(one.block) for one in drawn[start:end]))
        yield Passage(first=drawn[start], rest=list(drawn[start + 1 : end]), notes=notes, folded=folded)


def _length(block: Block) -> int:
    return block.span[1] - block.span[0]


def _folded(notes: list[Note], length: int) -> tuple[list[Note], list[Note]]:
    """The notes that stand open beside so much text and those folded away: genuine and severe ones stay longest."""
    most = max(AT_ONCE, length // FOR_EACH)
    if len(notes) <= most + 1:  # a fold that holds a single note takes as much room as the note
        return notes, []
    ranked = sorted(notes, key=lambda one: (_VERDICTS.index(one.kind), _severity(one), one.number))
    kept = {one.number for one in ranked[:most]}
    return [one for one in notes if one.number in kept], [one for one in notes if one.number not in kept]


def _severity(one: Note) -> int:
    return SEVERITIES.index(one.severity) if one.severity in SEVERITIES else len(SEVERITIES)


def _near(found: Sequence[Block], marks: Sequence[Mark]) -> Iterator[list[Mark]]:
    """For every block the marks that touch it, in one sweep."""
    waiting = sorted(marks, key=lambda one: one.span, reverse=True)
    open_marks: list[Mark] = []
    for block in found:
        open_marks = [one for one in open_marks if one.span[1] > block.span[0]]
        while waiting and waiting[-1].span[0] < block.span[1]:
            open_marks.append(waiting.pop())
        yield [one for one in open_marks if one.span[1] > block.span[0]]


def _placed(found: Sequence[Block], text: str, notes: Sequence[Note]) -> list[int | None]:
    """For every note the block it stands beside."""
    ends = [block.span[1] for block in found]
    headings = [
        (k, " ".join(text[slice(*line)] for line in block.lines))
        for k, block in enumerate(found)
        if block.kind == "heading"
    ]
    named = fold_headings(headings)
    known: dict[str, int | None] = {}
    places: list[int | None] = []
    for one in notes:
        if one.span and 0 <= one.span[0] < one.span[1] <= len(text):
            places.append(min(bisect_right(ends, one.span[0]), len(found) - 1))
            continue
        section = (one.section or "")[:SECTION]
        if section not in known:
            known[section] = find_section(section, named)
        places.append(known[section])
    return places


class Named(Struct, frozen=True):
    """A heading as sections are compared with it: its block, all its words, its number, its words without it.

    `inner` is the last with a space on both sides; empty where they are too few to be looked for in other words.
    """

    block: int
    whole: str
    number: str
    inner: str


def fold_headings(headings: Sequence[tuple[int, str]]) -> list[Named]:
    """The headings in the form that `find_section` takes; made once, because every finding may name another section."""
    found = []
    for k, heading in headings:
        whole, number = fold(heading), _number(heading)
        words = whole.removeprefix(fold(number)).strip() if number else whole
        found.append(Named(k, whole, number, f" {words} " if len(words) >= LEAST else ""))
    return found


def find_section(section: str, headings: Sequence[Named]) -> int | None:
    """The heading that a finding names: by its words, by its number, or by words that hold the heading."""
    wanted = fold(section)
    if not any(c.isalnum() for c in wanted):
        return None
    for one in headings:
        if one.whole == wanted:
            return one.block
    stated = _NAMED.search(section)
    number = stated[1] if stated else (first[0] if (first := _NUMBER.search(section)) else None)
    if number:
        for one in headings:
            if one.number == number:
                return one.block
    around, long = f" {wanted} ", len(wanted) >= LEAST
    inside = [
        (len(one.inner), -one.block)
        for one in headings
        if one.inner and (one.inner in around or (long and around in one.inner))
    ]
    return -max(inside)[1] if inside else None


def _number(heading: str) -> str:
    """The number that a heading begins with, without a full stop at its end."""
    found = _NUMBER.match(heading.lstrip(" \t§"))
    return found[0] if found else ""
