"""Numbers in words as candidates for the answer: "Twelve.", "my estimate is forty", "Nothing."."""

from __future__ import annotations

import re

from fiducial.bias.read import around, asides
from fiducial.bias.read.figures import REACH, Figures
from fiducial.bias.read.notation import counted, unit_after
from fiducial.bias.read.numbers import word_numbers
from fiducial.bias.read.reading import MEDIUM, STRONG, Commitment

_SHUT = re.compile(
    r"\s*(?:out of ten\b|at (?:the outside|the (?:very )?most|most|least)|tops|max\b)?\s*(?:[.,;!\n(]|$"
    r"|[a-z°%]+[.!]?\s*$)"
)
_ZERO = re.compile(
    r"[\s\"'*]*(?:i(?:'d| would) (?:pay|give|offer|bid) )?(?:nothing(?: at all| whatsoever)?|nil"
    r"|none(?: at all)?|not (?:a|one)(?: single)?"
    r" (?:cent|penny|dime|euro|dollar))(?P<shut>[\s\"'*.!]*$|[.!]\s)"
)
_OPENS = 60  # a number in words that stands so early may open the reply


def spelt(figures: Figures) -> list[Commitment]:
    """The numbers in words that a reply opens with, calls its answer or states."""
    low = figures.low
    if zero := _ZERO.match(low):
        return [Commitment(zero.start(), zero.start("shut"), 0.0, STRONG, "number-word")]
    found = []
    for number in word_numbers(low):
        left = low[max(0, number.start - REACH) : number.start]
        if figures.other_unit(number) or asides.LISTS.match(low, number.end) or asides.THOSE.search(left):
            continue
        shut = _SHUT.match(low[number.end : number.end + 30])
        opening = low[: number.start].lstrip(" \"'(*\n")
        alone = around.WORD_OPENS.fullmatch(opening) if shut and len(opening) < _OPENS else None
        if shut and alone and alone.group("how"):
            after = shut.group().strip()
            if after[:3].isalpha() and "out" not in after:
                alone = None  # "A mere six stanzas"
        if alone is None and not opening and figures.want.things and counted(low, number, figures.want):
            alone = around.WORD_OPENS.fullmatch("")  # "Twenty-four litres for two coats"
        given = around.ANSWER_LEFT.search(left) or around.OWN_LEFT.search(left) or around.ABOUT.search(left)
        given = given or around.ORDERS_LEFT.search(left) or around.CHANGE.search(left[-60:])
        value = -number.value if around.NEGATIVE.search(left[-12:]) else number.value
        counts = given and figures.want.unit is not None and unit_after(low, number) == figures.want.unit
        if alone or (given and (shut or counts)):
            found.append(Commitment(number.start, number.end, value, STRONG, "number-word"))
        elif around.VALUE_LEFT.search(left) and number.value > 1:
            found.append(Commitment(number.start, number.end, number.value, MEDIUM, "number-word"))
    return found
