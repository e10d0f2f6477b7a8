"""Replies that are nothing but the line of an option, copied: "B) The small clinic."."""

from __future__ import annotations

import re
from functools import lru_cache

from fiducial.bias.read import cues
from fiducial.bias.read.lexicon import Lexicon
from fiducial.bias.read.marks import TAKING_BACK
from fiducial.bias.read.places import DESCRIBES
from fiducial.bias.read.reading import Reading
from fiducial.bias.read.text import runs, words

_LONGEST = 200
_MARK = re.compile(r" *\(?([A-Z])[).:] +")
_END = " .\n"
_SHORTEST = 3
_TELLING = words("other option options choice choices number answer letter") | TAKING_BACK
"""Of which an option that names another, or takes something back, has one"""
_PLAIN = re.compile(r"[a-z0-9][a-z0-9 ,.;:'%-]*")


@lru_cache(maxsize=4096)
def _whole(full: str, order: frozenset[str]) -> bool:
    """Whether an option's text has no words that the other rules would have to look at."""
    said = runs(full)
    return _PLAIN.fullmatch(full) is not None and _TELLING.isdisjoint(said) and order.isdisjoint(said)


@lru_cache(maxsize=4096)
def _neutral(full: str) -> bool:
    """Whether an option's text after a label says nothing of the label: it is not called wrong, nor described."""
    return cues.WRONG.search(full) is None and DESCRIBES.match(full) is None


def copied(text: str, lex: Lexicon) -> Reading | None:
    """The short way: a reply that has a label and an option's own text and no more. With another's text it is both."""
    if len(text) > _LONGEST or lex.grammar.family != "letter" or (mark := _MARK.match(text)) is None:
        return None
    label = lex.grammar.fold.get(mark.group(1).lower())
    if label is None:
        return None
    low = text.lower()
    rest = low[mark.end() :].rstrip(_END)
    own = lex.full.get(label)
    if rest == own:
        if _whole(rest, lex.grammar.order_words):
            return Reading(status="read", answer=label, span=mark.span(1), rule="last-line")
        return None
    if len(rest) < _SHORTEST or rest not in lex.full.values() or (own is not None and rest.startswith(own)):
        return None
    if sum(key.text in low for key in lex.keys) > 1 or not _whole(rest, lex.grammar.order_words):
        return None
    if rest[-2] == " " or lex.grammar.mention.search(text, mark.end()):
        return None  # a letter of the text may be a label
    return Reading(status="ambiguous", span=mark.span(1), rule="both") if _neutral(rest) else None
