"""Finding a quotation in the text it is said to come from.

Judges copy with small changes that do not matter: white space, kinds of quotation marks and dashes, Markdown marks,
an ellipsis for what was left out. Everything else has to be there, in order, letter by letter.
"""

from __future__ import annotations

import re
from array import array
from functools import lru_cache

_SAME = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»″", '"'),
        **dict.fromkeys("‘’‚‛′´", "'"),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "…": "...",
    }
)
_MARKUP = frozenset("*_#~`")
_LEFT_OUT = re.compile(r"\[?\.{3,}\]?")


def find_quotation(quotation: str, text: str) -> tuple[int, int] | None:
    """Where the quotation stands in the text, or None. Parts around an ellipsis follow each other at any distance."""
    folded, place = _folded(text)
    parts = [part.strip() for part in _LEFT_OUT.split(_fold(quotation)[0])]
    parts = [part for part in parts if part]
    if not parts or not any(c.isalnum() for part in parts for c in part):
        return None
    start = end = -1
    at = 0
    for part in parts:
        found = folded.find(part, at)
        if found < 0:
            return None
        start = found if start < 0 else start
        at = end = found + len(part)
    return place[start], place[end - 1] + 1


@lru_cache(maxsize=64)
def _folded(text: str) -> tuple[str, array[int]]:
    """Of the text that is quoted from: a document is looked into once a finding, and folding it takes far longer than
    looking (10 ms against 50 µs for 4,000 words)."""
    folded, place = _fold(text)
    return folded, array("l", place)


def _fold(text: str) -> tuple[str, list[int]]:
    """The text in its comparable form, and for each of its characters the place it came from."""
    folded: list[str] = []
    place: list[int] = []
    for k, char in enumerate(text):
        if char in _MARKUP:
            continue
        if char.isspace():
            if folded and folded[-1] != " ":
                folded.append(" ")
                place.append(k)
            continue
        for same in char.translate(_SAME):
            folded.append(same)
            place.append(k)
    return "".join(folded), place
