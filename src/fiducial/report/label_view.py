"""What a rater looks at: the claim and the document as they may be printed, where the window stands, what is marked.

Neither who made the claim, nor how severe it is said to be, nor what anybody else made of it is here to be shown. Text is
made inert before anything is looked for in it, so that places found are places on the screen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec
from msgspec import Struct
from rich.cells import get_character_cell_size

from fiducial.judge.document import Span
from fiducial.judge.genuine import ReviewType
from fiducial.report.inert import inert, shorten
from fiducial.report.numbers import count, counted
from fiducial.report.passage import passage
from fiducial.review.labelling import LabelCase

ABOVE = 2  # rows shown above the place that is looked at
LONG = 60  # columns of what is quoted in a line
MOST_HITS = 10_000

_NEWLINE = re.compile(r"\r\n?|\n")
_BLANKS = re.compile(" {2,}")
_NO_BREAK = "\u00a0"


class Row(Struct, frozen=True):
    """One row of the screen: which characters of the text, and of which line; 0 where a line goes on."""

    line: int
    start: int
    end: int


class View(Struct, frozen=True, kw_only=True):
    """What is looked at, whatever the size of the terminal. All text in it is inert."""

    document: str
    review_type: ReviewType
    text: str
    claim: str
    at: int = 0  # the character that the window is about
    above: int = 0  # rows shown above it
    marks: tuple[Span, ...] = ()
    why: str = ""
    sought: str = ""
    hits: tuple[Span, ...] = ()
    note: str | None = None
    said: str = ""  # to the rater, of what they just did


def view_of(case: LabelCase, *, said: str = "") -> View:
    """The first look at a case."""
    text = shown(case.document)
    found = passage(text, claim := shown(case.claim), inert(case.section or ""))
    return View(
        document=inert(case.document_id),
        review_type=case.review_type,
        text=text,
        claim=claim,
        at=found.at,
        above=ABOVE if found.at else 0,
        marks=found.marks,
        why=found.why,
        said=inert(said),
    )


@lru_cache(maxsize=16)
def shown(text: str) -> str:
    """The text as it may be printed: its lines and blanks stay, escape sequences and what cannot be seen do not."""
    return "\n".join(_line(line) for line in _NEWLINE.split(text)).rstrip("\n")


def _line(line: str) -> str:
    """One line. Runs of blanks are drawings, tables or code, and are carried past what would make one blank of them."""
    line = line.expandtabs(4).rstrip()
    inner = line.lstrip(" ")
    kept = _BLANKS.sub(lambda run: _NO_BREAK * len(run[0]), inner)
    return " " * (len(line) - len(inner)) + inert(kept).replace(_NO_BREAK, " ")


@lru_cache(maxsize=16)
def rows(text: str, width: int) -> tuple[Row, ...]:
    """The text, broken between words where a line is too long, and inside a word where that is too long."""
    made: list[Row] = []
    start = 0
    for number, line in enumerate(text.split("\n"), start=1):
        for k, (low, high) in enumerate(_broken(line, width)):
            made.append(Row(0 if k else number, start + low, start + high))
        start += len(line) + 1
    return tuple(made)


def _broken(line: str, width: int) -> Iterator[Span]:
    at = 0
    while True:
        end = _fitting(line, at, width)
        if end < len(line) and (blank := line.rfind(" ", at, end + 1)) > at:
            end = blank
        yield at, end
        if end >= len(line):
            return
        at = end + 1 if line[end] == " " else end


def _fitting(line: str, at: int, width: int) -> int:
    """How far the line gets in so many columns; one character at least."""
    piece = line[at : at + width]
    if piece.isascii():
        return at + len(piece)
    room, end = width, at
    while end < len(line) and (room := room - get_character_cell_size(line[end])) >= 0:
        end += 1
    return max(end, at + 1)


def search(view: View, words: str) -> View:
    """The next place where these words stand, in any case and across line breaks; without words, those of the last time."""
    wanted = inert(words) or view.sought
    if not wanted:
        return msgspec.structs.replace(view, said="nothing to search for")
    again = wanted == view.sought and view.hits
    hits = view.hits if again else tuple(_occurrences(view.text, wanted))
    if not hits:
        return msgspec.structs.replace(
            view, sought=wanted, hits=(), said=f'"{shorten(wanted, LONG)}" is nowhere in the document'
        )
    after = [k for k, hit in enumerate(hits) if hit[0] > view.at or (not again and hit[0] == view.at)]
    k = after[0] if after else 0
    said = f'"{shorten(wanted, LONG)}": {count(k + 1)} of {counted(len(hits), "place")}; / and Enter: the next'
    return msgspec.structs.replace(
        view, sought=wanted, hits=hits, at=hits[k][0], above=ABOVE, why="what you searched for", said=said
    )


def _occurrences(text: str, wanted: str) -> Iterator[Span]:
    pattern = re.compile(r"\s+".join(map(re.escape, wanted.split())), re.IGNORECASE)
    for k, found in enumerate(pattern.finditer(text)):
        if k >= MOST_HITS:
            return
        yield found.span()
