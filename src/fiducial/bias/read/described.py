"""Options named by what sets them apart: "the cheapest", "the larger one", "the one without the contract"."""

from __future__ import annotations

import re
from functools import lru_cache

from fiducial.bias.read.lexicon import Lexicon
from fiducial.bias.read.mentions import Mention
from fiducial.bias.read.numbers import Number, numbers
from fiducial.bias.read.senses import fold, tokens
from fiducial.bias.read.text import clean_numbers, vocabulary, words

_DEGREES = words(
    """
    cheaper cheapest expensive inexpensive dearer dearest pricier priciest costly costlier costliest lower lowest higher
    highest smaller smallest larger largest bigger biggest without
    """
)
_LESS = r"cheap|low|small|inexpensive"
_MORE = r"dear|pric(?:i|e)|costli|high|larg|bigg"
_FOLLOWS = (
    r"(?=\s+(?:one|option|choice|offer|plan|alternative|will|would|is|does|of|for me|\w+ for me)\b"
    r"|\s*(?:[.,;:!–—-]|$))"
)
_DEGREE = re.compile(
    rf"\bthe (?:(?:(?P<less>{_LESS})|(?P<more>{_MORE}))(?P<how>er|est|r|st)\b"
    r"|(?P<word>(?:most|more) (?P<dear>expensive|costly)|(?:least|less) (?P<cheap>expensive"
    r"|costly)))(?P<noun> (?:one|option|choice|offer|plan"
    rf"|alternative))?\b{_FOLLOWS}"
)
_OF_PRICE = re.compile(r"cheap|expensive|dear|pric|cost")
_WITHOUT = re.compile(r"\bthe (?:one|option|offer|plan)s? without (?:the |an? |any )?(?P<what>[a-z][a-z -]{2,40})")
_PRICE = re.compile(
    r"\s?(?:€|£|eur\b|euros?\b|dollars?\b|pounds?\b|francs?\b|crowns?\b|(?:per|a|an) (?:month|year|week|day"
    r"|night|person)\b)"
)
_WORD = re.compile(r"[a-z]{3,}")


def _is_price(number: Number, text: str) -> bool:
    """Whether a number of an option, whose text has lost its dollar signs to spaces, is a price."""
    return number.money or text[: number.start].endswith("  ") or _PRICE.match(text, number.end) is not None


@lru_cache(maxsize=4096)
def _amounts(full: tuple[tuple[str, str], ...]) -> tuple[dict[str, float], dict[str, float]]:
    """Label -> the one price of each option, and label -> its one number; nothing where some have none or several."""
    found: dict[str, list[Number]] = {label: numbers(clean_numbers(text)) for label, text in full}
    texts = dict(full)
    prices = {label: [n for n in inside if _is_price(n, texts[label])] for label, inside in found.items()}

    def each(amounts: dict[str, list[Number]]) -> dict[str, float]:
        if any(len(inside) != 1 for inside in amounts.values()):
            return {}
        values = {label: inside[0].value for label, inside in amounts.items()}
        return values if len(set(values.values())) == len(values) else {}

    return each(prices), each(found)


@lru_cache(maxsize=4096)
def _stems(full: tuple[tuple[str, str], ...]) -> dict[str, frozenset[str]]:
    return {label: frozenset(token.fold for token in tokens(text)) for label, text in full}


def _by_degree(low: str, lex: Lexicon) -> list[Mention]:
    full = tuple(lex.full.items())
    prices, sole = _amounts(full) if len(full) == len(lex.labels) else ({}, {})
    found = []
    for match in _DEGREE.finditer(low) if prices or sole else ():
        amounts = prices if _OF_PRICE.search(match.group()) else sole
        if not amounts:
            continue
        top = match.group("word") is None and match.group("how") in ("est", "st")
        if not (top or (match.group("word") or "").startswith(("most", "least")) or len(amounts) == 2):
            continue  # "the cheaper one" of three says less
        least = bool(match.group("less") or match.group("cheap"))
        label = (min if least else max)(amounts, key=lambda one: amounts[one])
        found.append(Mention(match.start(), match.end(), label, "order", match.end()))
    return found


def _by_lack(low: str, lex: Lexicon) -> list[Mention]:
    stems = _stems(tuple(lex.full.items()))
    found = []
    for match in _WITHOUT.finditer(low):
        for word in _WORD.findall(match.group("what")):
            lacking = [label for label, have in stems.items() if fold(word) not in have]
            if len(lacking) == 1 and len(stems) > 1:
                found.append(Mention(match.start(), match.end(), lacking[0], "order", match.end()))
                break
    return found


def described(low: str, mentions: list[Mention], lex: Lexicon) -> list[Mention]:
    """The mentions with those by degree and by lack, or none where there are no such."""
    if not lex.full or _DEGREES.isdisjoint(vocabulary(low)):
        return []
    more = [
        one
        for one in (*_by_degree(low, lex), *_by_lack(low, lex))
        if not any(m.start < one.end and one.start < m.end for m in mentions)
    ]
    return sorted([*mentions, *more]) if more else []
