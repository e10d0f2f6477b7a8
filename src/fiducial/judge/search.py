"""Looking for what is said to be absent.

A judge that says "absent: a retention period for audit logs" has looked for something, and so can the code: it looks
for the places where the words of the claim stand close together. A hit proves nothing (the words may be there and the
period not), so hits are shown beside a verdict and never decide it.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

WINDOW = 30  # words that a passage may span
ENOUGH = 0.5  # share of the words looked for that a passage has to hold
MOST_HITS = 5
AROUND = 60  # characters shown on either side of a passage

_WORD = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+")
_SPACE = re.compile(r"\s+")
# What claims of absence are made of in any case: these words say that something is missing, not what.
_COMMON = re.compile(
    r"all|an?|and|any(?:thing|where)?|are|as|at|be(?:en)?|but|by|can|describe[ds]?|descriptions?|details?|do(?:es)?|"
    r"documents?|each|every|explain(?:ed|s)?|explanations?|explicit(?:ly)?|for|from|given|ha[sd]|have|how|if|in|"
    r"information|into|is|its?|mention(?:ed|s)?|missing|must|no(?:ne|r|t)?|o[fnr]|other|passages?|sections?|should|"
    r"some|specific|specified|specify|state[ds]?|statements?|such|text|tha[nt]|the(?:ir|re|se|y)?|this|those|to|"
    r"was|were|what|when|where|whether|which|while|who|will|with(?:in|out)?|would"
)
# Enough to make "limits" and "limitation", "retry" and "retries" one word; a wrong pair costs one hit too many.
_ENDING = re.compile(
    r"(?<=[^\W\d_]{3})(?:[ai]tions?|ions?|ments?|ities|ity|ate[sd]?|ating|ie[sd]|y?(?:ings?|ed|(?<!s)s)|es|e|y)\Z"
)


class Hit(Struct, frozen=True, kw_only=True):
    """A passage that holds `share` of the words looked for; the excerpt shows it on one line, with what is around."""

    span: tuple[int, int]
    excerpt: str
    words: tuple[str, ...]  # as the passage writes them
    share: float


def search_absent(looked_for: str, document: str) -> tuple[Hit, ...]:
    """The passages that come closest to what is said to be absent, best first; none, where nothing comes close.

    Passages do not overlap. Of passages with the same share, the one with the rarer words comes first.
    """
    wanted = _wanted(looked_for)
    index = _indexed(document)
    places = sorted(
        (number, (index.starts[number], index.ends[number]), stem)
        for stem in wanted
        for number in index.numbers.get(stem, ())
    )
    frequency = Counter(stem for _, _, stem in places)
    needed = max(1, math.ceil(ENOUGH * len(wanted)))
    ranked = []
    for first, last in _windows(places):
        held = {stem for _, _, stem in places[first : last + 1]}
        if len(held) >= needed:
            rarity = sum(1 / frequency[stem] for stem in sorted(held))
            ranked.append((-len(held), -rarity, last - first, first, last))
    chosen: list[tuple[int, int]] = []
    for *_, first, last in sorted(ranked):
        if all(last < a or first > b for a, b in chosen):
            chosen.append((first, last))
        if len(chosen) == MOST_HITS:
            break
    return tuple(_hit(document, places[first : last + 1], len(wanted)) for first, last in chosen)


class _Index(Struct, frozen=True):
    starts: array[int]
    ends: array[int]
    numbers: dict[str, array[int]]  # the words with this stem, by their numbers


@lru_cache(maxsize=8)
def _indexed(document: str) -> _Index:
    """Every word of a document. One document is searched for hundreds of claims, each of them more than once."""
    index = _Index(array("l"), array("l"), {})
    for number, found in enumerate(_WORD.finditer(document)):
        index.starts.append(found.start())
        index.ends.append(found.end())
        index.numbers.setdefault(_stem(found[0]), array("l")).append(number)
    return index


_Place = tuple[int, tuple[int, int], str]  # number of the word in the document, where it stands, its stem


def _windows(places: Sequence[_Place]) -> list[tuple[int, int]]:
    """For every place, the tightest passage that ends there and still holds all that a wider one would."""
    windows, held, first = [], Counter[str](), 0
    for last, (index, _, stem) in enumerate(places):
        held[stem] += 1
        while index - places[first][0] >= WINDOW or held[places[first][2]] > 1:
            held[places[first][2]] -= 1
            first += 1
        windows.append((first, last))
    return windows


def _wanted(looked_for: str) -> frozenset[str]:
    words = [word.casefold() for word in _WORD.findall(looked_for)]
    telling = [word for word in words if not _COMMON.fullmatch(word)]
    return frozenset(_stem(word) for word in telling or words)


@lru_cache(maxsize=16_384)
def _stem(word: str) -> str:
    return _ENDING.sub("", word.casefold())


def _hit(document: str, held: Sequence[_Place], wanted: int) -> Hit:
    start, end = held[0][1][0], held[-1][1][1]
    before = _SPACE.sub(" ", document[max(0, start - AROUND) : start])
    after = _SPACE.sub(" ", document[end : end + AROUND])
    if start > AROUND:  # a word that was cut in two is left out
        before = "… " + before.partition(" ")[2]
    if end + AROUND < len(document):
        after = after.rpartition(" ")[0] + " …"
    words = {stem: document[slice(*span)] for _, span, stem in held}
    return Hit(
        span=(start, end),
        excerpt=(before + _SPACE.sub(" ", document[start:end]) + after).strip(),
        words=tuple(words.values()),
        share=len(words) / wanted,
    )
