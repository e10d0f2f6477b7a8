"""The text of a block with the evidence of verdicts marked in it, as markup that holds nothing but text.

Spans may overlap in any way: the text is cut wherever one begins or ends, and every piece names all notes it belongs
to. Colours follow the filters of the page, so a piece has one class for each pair of verdict and reviewer it serves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from markupsafe import Markup, escape
from msgspec import Struct

from fiducial.judge.document import Span
from fiducial.report.inert import legible
from fiducial.report.review_blocks import Block

NAMED = 60  # notes that a piece names; where more overlap, the rest are not lit up with it
_BOLD = re.compile(r"(?<![\w*])\*\*(?=\S)([^*]+?)(?<=\S)\*\*(?![\w*])")
_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


class Mark(Struct, frozen=True, kw_only=True):
    """The evidence for one note: where it stands, and the note's number in this document; 0 where there is no note.

    What is no finding has a `label`, which stands in the text in place of its number. `id` is what leads to this place.
    """

    span: Span
    number: int
    look: str  # class of its verdict and reviewer
    label: str = ""
    id: str = ""


class _Style(Struct, frozen=True):
    bold: bool  # or else code
    outer: Span
    inner: Span


def render_block(block: Block, text: str, marks: Sequence[Mark], anchor: str) -> Markup:
    """The inside of a block. `anchor` is how the ids of this document's notes begin."""
    inside = [m for m in marks if m.span[0] < block.span[1] and m.span[1] > block.span[0]]
    if block.kind == "table":
        rows = [
            Markup("<tr>{}</tr>").format(Markup("").join(_cell(k, cell, text, inside, anchor) for cell in row))
            for k, row in enumerate(block.rows)
        ]
        caption = Markup('<caption class="unseen">A table of the document</caption>')
        return Markup("<table>{}{}</table>").format(caption, Markup("").join(rows))
    if block.kind == "code":
        return Markup("\n").join(_pieces(text, line, inside, (), anchor) for line in block.lines)
    styles = _styles(text, block.span)
    return Markup(" ").join(_pieces(text, line, inside, styles, anchor) for line in block.lines)


def _cell(row: int, cell: Span, text: str, marks: Sequence[Mark], anchor: str) -> Markup:
    inside = _pieces(text, cell, marks, _styles(text, cell), anchor)
    return (Markup("<td>{}</td>") if row else Markup("<td><b>{}</b></td>")).format(inside)


def _styles(text: str, span: Span) -> list[_Style]:
    """Bold words and code, which do not overlap: what comes first wins."""
    found = [
        _Style(bold, match.span(), match.span(1))
        for bold, pattern in ((True, _BOLD), (False, _CODE))
        for match in pattern.finditer(text, *span)
    ]
    kept: list[_Style] = []
    for style in sorted(found, key=lambda one: one.outer):
        if not kept or style.outer[0] >= kept[-1].outer[1]:
            kept.append(style)
    return kept


def _pieces(text: str, line: Span, marks: Sequence[Mark], styles: Iterable[_Style], anchor: str) -> Markup:
    start, end = line
    near = [m for m in marks if m.span[0] < end and m.span[1] > start]
    dressed = [s for s in styles if s.outer[0] < end and s.outer[1] > start]
    edges = {start, end}
    for low, high in (*(m.span for m in near), *(edge for s in dressed for edge in (s.outer, s.inner))):
        edges |= {min(max(low, start), end), min(max(high, start), end)}
    places = sorted(edges)
    made: list[Markup] = []
    for low, high in pairwise(places):
        style = next((s for s in dressed if s.outer[0] <= low < s.outer[1]), None)
        if style and not style.inner[0] <= low < style.inner[1]:
            continue  # the signs themselves
        piece = escape(legible(text[low:high]))
        if style:
            piece = (Markup("<b>{}</b>") if style.bold else Markup("<code>{}</code>")).format(piece)
        made.append(_marked(piece, [m for m in near if m.span[0] <= low < m.span[1]]))
        ending = [m for m in near if low < m.span[1] <= high]
        made.append(_references(ending, anchor))
    return Markup("").join(made)


def _marked(piece: Markup, over: Sequence[Mark]) -> Markup:
    if not over:
        return piece
    looks = " ".join(dict.fromkeys(m.look for m in over))
    numbers = " ".join(map(str, sorted(m.number for m in over)[:NAMED]))
    return Markup('<mark class="ev {}" data-n="{}">{}</mark>').format(looks, numbers, piece)


def _references(ending: Sequence[Mark], anchor: str) -> Markup:
    """The numbers of the notes whose evidence ends here; neighbours as a range, which leads to the first."""
    made = [
        Markup('<a class="ref own"{} href="#{}{}">{}</a>').format(
            Markup(' id="{}"').format(m.id) if m.id else "", anchor, m.number, m.label
        )
        for m in sorted(ending, key=lambda m: m.number)
        if m.label
    ]
    numbers = sorted(m.number for m in ending if m.number and not m.label)
    while numbers:
        last = next((k for k in range(1, len(numbers)) if numbers[k] != numbers[k - 1] + 1), len(numbers))
        group, numbers = numbers[:last], numbers[last:]
        shown = str(group[0]) if len(group) == 1 else f"{group[0]}–{group[-1]}"
        made.append(Markup('<a class="ref" href="#{}{}">{}</a>').format(anchor, group[0], shown))
    return Markup("<sup>{}</sup>").format(Markup(" ").join(made)) if made else Markup("")
