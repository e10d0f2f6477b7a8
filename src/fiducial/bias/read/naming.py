"""Which option a phrase names: by label, by place, or by the words that few other options share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from fiducial.bias.read.lexicon import Lexicon
from fiducial.bias.read.mentions import Mention
from fiducial.bias.read.senses import LIGHT, Token, fold, tokens

_AHEAD = re.compile(r",(?!\d)|[:;(]|\s[-–—]\s")
_LIGHT = frozenset(folded for word in LIGHT if not (folded := fold(word)).startswith("§"))
_NAMED = 3.0  # what a label counts: as much as three words that no other option has
_DETAIL = 0.9  # a word after the first comma
_LEAST = 0.85
_MARGIN = 0.6


_NOT = re.compile(r"\b(?:not|don't|without|never|no) (?:\w+ )?$")


class Words(NamedTuple):
    """Word -> option -> how much the word says for it; `part` is an option that is part of all others, with its words."""

    weights: dict[str, dict[str, float]]
    part: tuple[str, frozenset[str]] | None


@lru_cache(maxsize=4096)
def _words(full: tuple[tuple[str, str], ...]) -> Words:
    """What tells the options apart; a word that all have says nothing, one that no other has says most."""
    owners: dict[str, dict[str, float]] = {}
    for label, text in full:
        head = _AHEAD.search(text)
        stop = head.start() if head else len(text)
        for token in tokens(text):
            if _NOT.search(text, 0, token.start):
                continue  # "… and do not publish"
            have = owners.setdefault(token.fold, {})
            have[label] = max(have.get(label, 0.0), 1.0 if token.start < stop else _DETAIL)
    weights: dict[str, dict[str, float]] = {}
    for word, have in owners.items():
        if len(have) == len(full):
            top = max(have.values())
            # the head of one option and a detail of the others: "Plus: …", "… plus shipping"
            if sorted(have.values())[-2:] != [_DETAIL, top] or top < 1.0:
                continue
            weights[word] = {label: value for label, value in have.items() if value == top}
            continue
        weights[word] = {label: value / len(have) ** 1.5 for label, value in have.items()}
    own = {label for have in weights.values() for label in have}
    bare = [label for label, _ in full if label not in own]
    part = None
    if len(bare) == 1:
        part = (bare[0], frozenset(word for word, have in owners.items() if bare[0] in have))
    return Words(weights, part if part and part[1] else None)


class Named(NamedTuple):
    """The option that a phrase names, where in the text, and how plainly; `label` None: several, or none."""

    label: str | None
    start: int
    end: int
    score: float
    several: bool


def weights(lex: Lexicon) -> dict[str, dict[str, float]]:
    """Word, in its folded form -> option -> how much the word says for it."""
    return _words(tuple(lex.full.items())).weights


def telling(lex: Lexicon) -> frozenset[str]:
    """The words, in their folded forms, that can name an option."""
    weights, part = _words(tuple(lex.full.items()))
    return frozenset(weights) | (part[1] if part else frozenset())


def named(
    start: int, end: int, mentions: list[Mention], said: Sequence[Token], lex: Lexicon, *, light: bool = False
) -> Named:
    """The option that the mentions and the telling words `said` of a text name in its stretch `start:end`.

    With `light` also by a verb that otherwise only commits.
    """
    scores: dict[str, float] = {}
    spans: dict[str, tuple[int, int]] = {}

    def count(label: str, value: float, at: int, stop: int) -> None:
        scores[label] = scores.get(label, 0.0) + value
        first, last = spans.get(label, (at, stop))
        spans[label] = (min(first, at), max(last, stop))

    whole: list[tuple[int, int]] = []
    for mention in mentions:
        if start <= mention.start < end and mention.label is not None:
            if mention.label not in scores:
                count(mention.label, _NAMED, mention.start, mention.end)
            whole.append((mention.start, max(mention.end, mention.tail)))
    if lex.full:
        weights, part = _words(tuple(lex.full.items()))
        seen: set[str] = set()
        for token in said:
            if not start <= token.start < end:
                continue
            if token.fold in seen or any(a <= token.start < b for a, b in whole):
                continue
            seen.add(token.fold)
            if token.fold in _LIGHT and not light:
                continue
            for label, value in weights.get(token.fold, {}).items():
                count(label, value, token.start, token.end)
        if part and not scores and part[1] <= seen:
            count(part[0], 1.0, start, end)  # "Linda is a bank teller", without the rest of the other option
    if not scores:
        return Named(None, start, end, 0.0, False)
    order = sorted(scores, key=lambda label: -scores[label])
    best = order[0]
    second = scores[order[1]] if len(order) > 1 else 0.0
    if scores[best] < _LEAST:
        return Named(None, start, end, 0.0, False)
    if scores[best] - second < _MARGIN or second > 0.6 * scores[best]:
        return Named(None, start, end, scores[best], second >= _LEAST)
    return Named(best, *spans[best], scores[best], False)


def only_names(text: str, label: str, lex: Lexicon) -> bool:
    """Whether a text has no telling words but those of this option; "easily" and the like tell nothing."""
    if label not in lex.full:
        return False
    own = {token.fold for token in tokens(lex.full[label])}
    said = tokens(text)
    return bool(said) and all(t.fold in own or text[t.start : t.end].endswith(("ly", "first")) for t in said)
