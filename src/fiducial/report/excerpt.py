"""A long text as pieces to show: plain, marked, or left out with a note of how much.

Cutting and marking happen on the raw text, before anything is escaped, so no cut can fall inside an escape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

Range = tuple[int, int]

SNAP = 40  # characters a cut may move in order to fall between two words


class Piece(Struct, frozen=True):
    """`cut` stands for text that is not shown; its `text` says how much."""

    kind: Literal["text", "mark", "cut"]
    text: str


def excerpt(text: str, marks: Iterable[Range] = (), *, limit: int) -> list[Piece]:
    """At most about `limit` characters: the beginning and, where the first mark lies further on, its surroundings."""
    marks = _merged(marks, len(text))
    pieces: list[Piece] = []
    at = 0
    for start, end in _kept(text, marks, limit):
        pieces += _left_out(at, start)
        at = start
        for first, last in marks:
            low, high = max(first, start), min(last, end)
            if low < high:
                pieces += [Piece("text", text[at:low]), Piece("mark", text[low:high])]
                at = high
        pieces.append(Piece("text", text[at:end]))
        at = end
    pieces += _left_out(at, len(text))
    return [piece for piece in pieces if piece.text]


def glimpse(text: str, marks: Iterable[Range] = (), *, limit: int) -> list[Piece]:
    """One line of about `limit` characters: the beginning, or what surrounds the first mark where that lies further on."""
    marks = _merged(marks, len(text))[:1]
    start, end = 0, min(len(text), limit)
    if marks and marks[0][1] > limit:
        start = _between_words(text, max(0, marks[0][0] - limit // 3))
        end = min(len(text), marks[0][0] + limit - limit // 3)
    pieces = [Piece("text", "…" if start else "")]
    at = start
    for first, last in marks:
        pieces += [Piece("text", text[at:first]), Piece("mark", text[first : min(last, end)])]
        at = min(last, end)
    pieces += [Piece("text", text[at:end]), Piece("text", "…" if end < len(text) else "")]
    return [Piece(p.kind, re.sub(r"\s+", " ", p.text)) for p in pieces if p.text]


def occurrences(text: str, parts: Sequence[str]) -> list[Range]:
    """Where any of the parts stands in a text. Line breaks and runs of blanks count as one blank."""
    found: list[Range] = []
    for part in parts:
        if words := part.split():
            before = r"\b" if re.match(r"\w", words[0]) else ""
            after = r"\b" if re.search(r"\w$", words[-1]) else ""
            pattern = before + r"\s+".join(re.escape(word) for word in words) + after
            found += [match.span() for match in re.finditer(pattern, text)]
    return found


def _left_out(start: int, end: int) -> list[Piece]:
    n = end - start
    return [Piece("cut", f"{n:,} character{'' if n == 1 else 's'} left out")] if n > 0 else []


def _merged(marks: Iterable[Range], length: int) -> list[Range]:
    """In order, inside the text, without overlaps. A range that makes no sense is dropped."""
    merged: list[Range] = []
    for start, end in sorted((max(0, low), min(length, high)) for low, high in marks):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _kept(text: str, marks: Sequence[Range], limit: int) -> list[Range]:
    if len(text) <= limit:
        return [(0, len(text))]
    if not marks or marks[0][1] <= limit:
        return [(0, _between_words(text, limit))]
    head = _between_words(text, limit // 2)
    start = max(head, _between_words(text, max(0, marks[0][0] - limit // 4)))
    return [(0, head), (start, _between_words(text, marks[0][0] + limit // 4))]


def _between_words(text: str, at: int) -> int:
    """The nearest blank before `at`, if there is one close by."""
    if at >= len(text):
        return len(text)
    for back in range(at, max(0, at - SNAP), -1):
        if text[back].isspace():
            return back
    return at
