"""Quotations shown where they stand: the passages of a document around them, with the quoted words marked."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from fiducial.judge.document import Span, place_of
from fiducial.report.excerpt import Piece, excerpt
from fiducial.report.passage import heading_at, passage

AROUND = 220  # characters shown before and after a quotation, and then to the end of the line
LONGEST = 1_600  # characters of one passage
SNAP = 200  # characters within which the end of a line is looked for


class Quoted(Struct, frozen=True, kw_only=True):
    """A passage: the line and the heading of what is marked first in it, and its text in pieces."""

    line: int
    heading: str
    pieces: list[Piece]


class Evidence(Struct, frozen=True, kw_only=True):
    """The passages of some quotations, in the order of the document, and the quotations that are not in it."""

    passages: list[Quoted]
    gone: list[str]


def evidence_in(document: str, quotations: Sequence[str], *, around: int = AROUND) -> Evidence:
    """Where the quotations stand. Those that are close together share a passage."""
    places = [(said, place_of(said, document)) for said in quotations]
    spans = sorted(place for _, place in places if place is not None)
    windows: list[tuple[Span, list[Span]]] = []
    for span in spans:
        window = _window(document, span, around)
        if windows and window[0] <= windows[-1][0][1]:
            (start, end), inside = windows.pop()
            windows.append(((start, max(end, window[1])), [*inside, span]))
        else:
            windows.append((window, [span]))
    shown = [_quoted(document, window, marks) for window, marks in windows]
    return Evidence(passages=shown, gone=[said for said, place in places if place is None])


def about(document: str, claim: str) -> tuple[Quoted, str]:
    """The passage that a claim without evidence is about, and in a few words why it is taken to be."""
    found = passage(document, claim)
    span = found.marks[0] if found.marks else (found.at, min(len(document), found.at + AROUND))
    return _quoted(document, _window(document, span, AROUND), list(found.marks)), found.why


def _quoted(document: str, window: Span, marks: list[Span]) -> Quoted:
    start, end = window
    inside = [
        (max(low, start) - start, min(high, end) - start) for low, high in marks if low < end and high > start
    ]
    first = marks[0][0] if marks else start
    return Quoted(
        line=document.count("\n", 0, first) + 1,
        heading=heading_at(document, first),
        pieces=excerpt(document[start:end], inside, limit=LONGEST),
    )


def _window(document: str, span: Span, around: int) -> Span:
    """Whole lines around the span, where their ends are near."""
    start, end = max(0, span[0] - around), min(len(document), span[1] + around)
    line = document.rfind("\n", max(0, start - SNAP), start) + 1
    start = line if line or start <= SNAP else start
    stop = document.find("\n", end, end + SNAP)
    return start, stop if stop >= 0 else len(document) if len(document) - end <= SNAP else end
