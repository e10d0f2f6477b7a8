"""Sentences of a block, and the words in them that carry meaning."""

from __future__ import annotations

import re
from functools import lru_cache

from fiducial.review.plant.blocks import Block, Span

_END = re.compile(r"[.!?][\"”’)\]]?\s+(?=[\"“‘(\[]?\s*[A-Z0-9])")
_SHORTENED = re.compile(
    r"(?:(?<!\d )\b(?:e\.g|i\.e|etc|approx|cf|vs|no|fig|sec|ca|dr|mr|mrs|ms|st|incl|max|min|resp|[A-Za-z])|^\s*\d+)\.$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{2,}(?:-[^\W\d_]{2,})*")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        """
    about above after again all also and any are because been before being below between both but can could each
    either every for from had has have here how into its itself least less may more most must neither nobody none
    not off once one only other others out over per same shall should since some such than that the their them then
    there these they this those three through time times two under until upon was were what when where which while
    who whose will with within without would yes yet above against along already although always among an as at be
    by do does done down during few first four five six seven eight nine ten given he her his if in is it last made
    make makes many much my need needs never new no nor now of on or order our own second set so take takes to too
    up us use used uses very we you your pass passed result section working day days hour hours minute minutes second
    seconds week weeks month months year years percent number total
    """,
    )
)


@lru_cache(maxsize=8192)
def sentences(block: Block) -> tuple[Span, ...]:
    """The spans of the flow that hold one sentence each, without the space between them."""
    spans: list[Span] = []
    start = 0
    for found in _END.finditer(block.plain):
        stop = found.start() + 1
        if _SHORTENED.search(block.plain[max(start, stop - 12) : stop]):
            continue
        spans.append((start, start + len(block.plain[start : found.end()].rstrip())))
        start = found.end()
    rest = block.plain[start:].rstrip()
    if rest.strip():
        spans.append((start, start + len(rest)))
    return tuple(spans)


def sentence_at(block: Block, place: int) -> Span:
    """The sentence that a place of the flow lies in."""
    for start, end in sentences(block):
        if start <= place < end:
            return start, end
    return 0, len(block.flow)


def stems(text: str) -> frozenset[str]:
    """The words that carry meaning, cut to what their forms share."""
    return frozenset(stem(word) for word in _WORD.findall(text.lower()) if word not in _COMMON)


def stem(word: str) -> str:
    """A rough stem: good enough to see that holds and hold, or cancelling and cancelled, are one word."""
    for ending in ("ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word[:-1] if len(word) > 4 and word[-1] in "ey" else word


def folded(text: str) -> str:
    """On one line, single spaces, without marks of emphasis: as it is quoted in a description."""
    return " ".join(re.sub(r"\*{1,3}|(?<!\w)_{1,2}(?=\w)|(?<=\w)_{1,2}(?!\w)", "", text).split())
