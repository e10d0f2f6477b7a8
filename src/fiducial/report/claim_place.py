"""The passage of a document that a claim is about, cut out with its surroundings."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from fiducial.judge.document import Span
from fiducial.report.excerpt import Piece, excerpt
from fiducial.report.passage import passage

AROUND = 300  # characters before and after
LONGEST = 6_000


class Around(Struct, frozen=True, kw_only=True):
    """The passage in pieces, the number of its first line, from 1, and why it is this one."""

    pieces: list[Piece]
    line: int
    why: str


def around(text: str, spans: Iterable[Span], claim: str, section: str | None) -> Around:
    """The surroundings of the first of these spans; without any, of what the claim itself points at."""
    marks = sorted({span for span in spans if 0 <= span[0] < span[1] <= len(text)})
    why = "the evidence that a judge gave"
    if not marks:
        own = passage(text, claim, section)
        marks, why = list(own.marks) or [(own.at, own.at)], own.why
    start = _line_start(text, max(0, marks[0][0] - AROUND))
    end = _line_end(text, min(len(text), max(marks[0][1] + AROUND, start + AROUND)))
    cut = text[start:end]
    inside = [(low - start, high - start) for low, high in marks]
    return Around(pieces=excerpt(cut, inside, limit=LONGEST), line=text.count("\n", 0, start) + 1, why=why)


def _line_start(text: str, at: int) -> int:
    """Where the line begins; of a line without an end, a place nearby."""
    found = text.rfind("\n", max(0, at - AROUND), at)
    return found + 1 if found >= 0 else max(0, at - AROUND) if at > AROUND else 0


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at, at + AROUND)
    return found if found >= 0 else min(len(text), at + AROUND)
