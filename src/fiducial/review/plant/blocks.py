"""A Markdown document as places that can be read and edited.

A `Block` is one stretch of prose: a paragraph, the first paragraph of a list item, a heading or a table cell. Its
`flow` is that prose on one line; `at` and `span` lead from a place in the flow back to the place in the file.
"""

from __future__ import annotations

import bisect
from typing import Literal

from msgspec import Struct

Kind = Literal["heading", "paragraph", "item", "cell"]
Span = tuple[int, int]


class Block(Struct, frozen=True, kw_only=True, eq=False):
    """One stretch of prose. Blocks are compared by identity: the same words may stand in two places."""

    kind: Kind
    flow: str
    plain: str  # as long as the flow; code, targets and HTML blanked, emphasis turned into spaces
    locked: tuple[Span, ...]  # spans of the flow that no edit may touch
    pieces: tuple[Span, ...]  # per line of the file: (place in the flow, place in the file)
    section: int  # index into `Document.sections`
    first_line: int
    last_line: int
    item: Span | None = None  # lines of the whole list item, children included, trailing blank lines not
    table: int = -1
    row: int = -1  # 0 is the header
    column: int = -1

    def at(self, place: int) -> int:
        """The place in the file of a place in the flow. The end of the flow is the end of its last character."""
        if place >= len(self.flow):
            return self.at(len(self.flow) - 1) + 1 if self.flow else self.pieces[0][1]
        k = bisect.bisect_right(self.pieces, (place, 1 << 62)) - 1
        start, raw = self.pieces[k]
        return raw + place - start

    def span(self, start: int, end: int) -> Span:
        """The span of the file from the first to the last character of a span of the flow."""
        if start == end:
            return self.at(start), self.at(start)
        return self.at(start), self.at(end - 1) + 1

    @property
    def whole(self) -> Span:
        """The span of the file that the flow was taken from."""
        return self.span(0, len(self.flow))

    def free(self, start: int, end: int) -> bool:
        """Whether an edit of this span of the flow touches nothing that is locked."""
        return all(b <= start or a >= end for a, b in self.locked) or (
            start == end and all(not a < start < b for a, b in self.locked)
        )


class Section(Struct, frozen=True, kw_only=True):
    """A heading and what follows it. Section 0 is what stands before the first heading."""

    level: int  # 0 before the first heading
    number: str | None  # "5.3"
    title: str  # without its number
    first_line: int
    last_line: int  # of its own text and its subsections, exclusive
    parent: int

    @property
    def name(self) -> str:
        """As a reader would point to it."""
        if self.level == 0:
            return "the opening"
        return f"section {self.number} ({self.title})" if self.number else f"section “{self.title}”"


class Table(Struct, frozen=True, kw_only=True, eq=False):
    """A table whose rows all have as many cells as its header."""

    rows: tuple[tuple[Block, ...], ...]  # the header first
    lines: tuple[int, ...]  # line of each row
    section: int

    @property
    def header(self) -> tuple[str, ...]:
        """The header's texts without markup."""
        return tuple(" ".join(cell.plain.split()) for cell in self.rows[0])

    @property
    def body(self) -> tuple[tuple[Block, ...], ...]:
        """The rows below the header."""
        return self.rows[1:]


class Document(Struct, frozen=True, kw_only=True, eq=False):
    """A text and its structure. Lines are counted from 0 here; records count them from 1."""

    text: str
    lines: tuple[Span, ...]  # without their line breaks
    blocks: tuple[Block, ...]  # in order of the file
    sections: tuple[Section, ...]
    tables: tuple[Table, ...]
    kept: tuple[str, ...]  # code, HTML and link targets, which every variant must still have, in order

    def line_of(self, place: int) -> int:
        """The line, from 0, that a place in the file is on."""
        return bisect.bisect_right(self.lines, (place, 1 << 62)) - 1

    def between(self, first: int, last: int) -> tuple[Block, ...]:
        """The blocks that begin on these lines, the last one exclusive."""
        return self.blocks[
            bisect.bisect_left(self.blocks, first, key=lambda block: block.first_line) : bisect.bisect_left(
                self.blocks, last, key=lambda block: block.first_line
            )
        ]

    def around(self, line: int) -> list[Block]:
        """The blocks that a line belongs to: one, or the cells of a row."""
        k = bisect.bisect_right(self.blocks, line, key=lambda block: block.first_line) - 1
        found = []
        while k >= 0 and self.blocks[k].last_line > line:
            found.append(self.blocks[k])
            k -= 1
        return found

    def line_start(self, line: int) -> int:
        """Where a line begins; the line after the last one begins at the end of the text."""
        return self.lines[line][0] if line < len(self.lines) else len(self.text)

    def newline(self, line: int) -> str:
        """The line break that ends a line, or the document's first one where it ends none."""
        for k in (line, 0):
            if k + 1 < len(self.lines):
                return self.text[self.lines[k][1] : self.lines[k + 1][0]]
        return "\n"

    def path(self, section: int) -> list[Section]:
        """A section and those it lies in, innermost first."""
        found = []
        while section > 0:
            found.append(self.sections[section])
            section = self.sections[section].parent
        return found

    def row_of(self, cell: Block) -> tuple[Block, ...]:
        """The cells beside this one, itself included."""
        return self.tables[cell.table].rows[cell.row]

    def row_span(self, cell: Block) -> Span:
        """The line of the file that a cell's row stands on, without indentation."""
        start, end = self.lines[self.tables[cell.table].lines[cell.row]]
        line = self.text[start:end]
        return start + len(line) - len(line.lstrip(" \t>")), start + len(line.rstrip())
