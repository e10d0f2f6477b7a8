"""Options that are numbers, matched by value: "The probability is 1/4" where an option says 25 %."""

from __future__ import annotations

import math
import re
from functools import lru_cache

from fiducial.bias.read import cues
from fiducial.bias.read.lexicon import Lexicon
from fiducial.bias.read.mentions import Mention
from fiducial.bias.read.numbers import numbers
from fiducial.bias.read.numeric import read_numeric
from fiducial.bias.read.reading import WEAK, Commitment
from fiducial.bias.read.text import clean_numbers, looks_cut, sentence_start

_DENIED = re.compile(
    r"[\s%)\"']*(?:\w+ )?(?:(?:is|are|was|does|do|can|would be)(?:n't| not| neither| never)|cannot|(?:is|was"
    r"|seems) (?:clearly )?(?:wrong"
    r"|incorrect|false|too|composite|impossible))\b"
)
_WEAK_RULES = frozenset(("last-number",))


@lru_cache(maxsize=4096)
def _values(full: tuple[tuple[str, str], ...]) -> tuple[tuple[str, float, bool], ...]:
    """(label, value, whether in percent) of options that are one number each, or nothing if some are not."""
    found = []
    units = set()
    for label, text in full:
        inside = numbers(clean_numbers(text))
        if len(inside) != 1:
            return ()
        units.add(text[: inside[0].start].strip() + "…" + text[inside[0].end :].strip().rstrip("s"))
        value = inside[0].value / inside[0].over if inside[0].over else inside[0].value
        found.append((label, value, inside[0].percent))
    return tuple(found) if len(units) == 1 else ()  # "keep 3 %", "change to 8 %" are more than numbers


def valued(body: str, text: str, mentions: list[Mention], lex: Lexicon) -> Commitment | None:
    """The one option whose value is that of the number a whole reply arrives at."""
    options = _values(tuple(lex.full.items()))
    if len(options) < 2 or looks_cut(text) or len({m.label for m in mentions if m.kind == "label"}) > 1:
        return None
    reading = read_numeric(body, None, None, None, None)
    if not isinstance(reading.answer, float) or reading.span is None or reading.rule in _WEAK_RULES:
        return None
    before = text[sentence_start(text, reading.span[0]) : reading.span[0]].lower()
    if cues.vetoes(before) or _DENIED.match(text, reading.span[1]):
        return None  # "1/12 is not a valid answer"
    said = (
        "%" in body[reading.span[0] : reading.span[1] + 2]
        or "percent" in body[reading.span[1] : reading.span[1] + 9]
    )
    same = [
        label
        for label, value, percent in options
        if math.isclose(value, reading.answer * (1 if percent == said else 100 if percent else 0.01), rel_tol=1e-6)
    ]
    return Commitment(*reading.span, same[0], WEAK, "value") if len(same) == 1 else None
