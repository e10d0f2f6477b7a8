"""What the reader takes and what it returns."""

from __future__ import annotations

from typing import Literal, NamedTuple

from msgspec import Struct

Kind = Literal["option", "numeric", "yesno", "confidence", "text"]
Status = Literal["read", "ambiguous", "refused", "unreadable", "empty"]


class Option(Struct, frozen=True):
    """One option as the subject saw it. A text equal to the label, or empty, says nothing more."""

    label: str
    text: str


class Reading(Struct, frozen=True, kw_only=True):
    """The answer a reply commits to, or an honest abstention.

    `answer` is an option's label, a number (percentages in points), "yes" or "no", a confidence in
    0..1, or text; None unless `status` is "read". `span` gives `response[start:end]`, the words it was
    read from; `rule` is the short, stable name of the rule that read it or that abstained.
    """

    status: Status
    answer: str | float | None = None
    confidence: float | None = None
    span: tuple[int, int] | None = None
    rule: str = ""


STRONG, MEDIUM, WEAK = 3, 2, 1
"""How much a commitment says: "the answer is B"; "so B is more likely"; "B" named last, in passing."""


class Commitment(NamedTuple):
    """Something in a reply that may be its answer. `answer` None: it commits to several, or to no option."""

    start: int
    end: int
    answer: str | float | None
    tier: int
    rule: str
