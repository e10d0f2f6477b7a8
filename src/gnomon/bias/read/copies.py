"""Replies that are nothing but the line of an option, copied: "B) The small clinic."."""

from __future__ import annotations

import re
from functools import lru_cache

from gnomon.bias.read.lexicon import Lexicon
from gnomon.bias.read.marks import TAKING_BACK
from gnomon.bias.read.reading import Reading
from gnomon.bias.read.text import runs, words

_LONGEST = 200
_MARK = re.compile(r" *\(?([A-Z])[).:] +")
_END = " .\n"
_TELLING = words("other option options choice choices number answer") | TAKING_BACK
"""Of which an option that names another, or takes something back, has one"""
_PLAIN = re.compile(r"[a-z0-9][a-z0-9 ,.;:'%-]*")


@lru_cache(maxsize=4096)
def _whole(full: str, order: frozenset[str]) -> bool:
    """Whether an option's text has no words that the other rules would have to look at."""
    said = runs(full)
    return _PLAIN.fullmatch(full) is not None and _TELLING.isdisjoint(said) and order.isdisjoint(said)


def copied(text: str, lex: Lexicon) -> Reading | None:
    """The short way: the option whose label and own text are all that a reply has."""
    if len(text) > _LONGEST or lex.grammar.family != "letter" or (mark := _MARK.match(text)) is None:
        return None
    label = lex.grammar.fold.get(mark.group(1).lower())
    own = lex.full.get(label) if label else None
    if not own:
        return None
    at = mark.end()
    low = text.lower()
    if not low.startswith(own, at) or low[at + len(own) :].strip(_END) or not _whole(own, lex.grammar.order_words):
        return None
    return Reading(status="read", answer=label, span=mark.span(1), rule="last-line")
