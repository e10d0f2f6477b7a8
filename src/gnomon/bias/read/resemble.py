"""An answer given in words close to an option's own: "The answer is that prices rise"."""

from __future__ import annotations

import re

from gnomon.bias.read.lexicon import Lexicon
from gnomon.bias.read.reading import MEDIUM, Commitment
from gnomon.bias.read.text import sentence_end, words

_SAYS = re.compile(
    r"\b(?:answer|(?:correct|best|right|my|final) (?:choice|option))\b(?:\s+(?:to|for|of|the|this|question|here"
    r"|choice"
    r"|option)\b){0,6}\s*(?:is|are|would be|should be|must be|:|=)[\s:\"']*(?:that\s+"
    r"|because\s+)?"
)
_TOKEN = re.compile(r"[^\W_]+")
_EMPTY = words(
    """
    the a an of to in is are and or that it on for with by as be this was were their its
    """
)


def _tokens(text: str) -> frozenset[str]:
    return frozenset(t for t in _TOKEN.findall(text) if t not in _EMPTY)


def resembling(text: str, low: str, lex: Lexicon) -> Commitment | None:
    """The option whose words the last stated answer shares, where no other option comes near."""
    if not lex.texts or not ("answer" in low or " choice" in low or " option" in low):
        return None
    last = None
    for match in _SAYS.finditer(low):
        last = match
    if last is None:
        return None
    end = sentence_end(low, last.end(), 400)
    said = _tokens(low[last.end() : end])
    if not said or re.search(r"\bnot\b|n't\b", low[last.end() : last.end() + 12]):
        return None
    scores = []
    for key, label in lex.texts:
        own = _tokens(key)
        if own:
            common = len(own & said)
            scores.append((2 * common / (len(own) + len(said)), common / len(own), label))
    scores.sort(reverse=True)
    if not scores:
        return None
    best = scores[0]
    second = scores[1][0] if len(scores) > 1 else 0.0
    if best[0] >= 0.6 and best[0] - second >= 0.2:
        return Commitment(last.end(), end, best[2], MEDIUM, "resembles")
    return None
