"""Taking whole lines out of a document, and putting new ones in, so that what is around them stays well-formed."""

from __future__ import annotations

import re

from fiducial.review.plant.blocks import Block, Document, Span

_MOST_LINES = 40
_MARKER = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+")


def removal(document: Document, first: int, last: int) -> Span | None:
    """The span that takes out lines `first` to `last` (exclusive), with a blank line that would be left over.

    None where the lines hold anything but free prose (code, HTML, links), lead into what follows them with a colon,
    or are too many for one flaw.
    """
    lines = document.lines
    while last > first + 1 and _blank(document, last - 1):
        last -= 1
    if last - first > _MOST_LINES:
        return None
    inside = document.between(first, last)
    covered = {line for block in inside for line in range(block.first_line, block.last_line)}
    covered |= {block.last_line for block in inside if block.row == 0}  # the line of dashes below a table's header
    if any(block.locked for block in inside):
        return None
    if any(line not in covered and not _blank(document, line) for line in range(first, last)):
        return None
    if not inside or inside[-1].plain.rstrip().endswith(":"):
        return None
    if last == len(lines):
        return (lines[first - 1][1], len(document.text)) if first > 0 else None
    if _blank(document, last) and (first == 0 or _blank(document, first - 1)) and last + 1 < len(lines):
        last += 1
    return lines[first][0], document.line_start(last)


def _blank(document: Document, line: int) -> bool:
    start, end = document.lines[line]
    return not document.text[start:end].strip(" \t>")


def marker(document: Document, block: Block) -> str | None:
    """What stands before the text of an unordered list item: indentation and bullet; None for numbered ones."""
    if block.kind != "item":
        return None
    start = document.lines[block.first_line][0]
    prefix = document.text[start : block.at(0)]
    return prefix if _MARKER.fullmatch(prefix) and prefix.strip(" \t>") in "-*+" else None
