"""Numbers that are never shown without how far they can be trusted."""

from __future__ import annotations

from msgspec import Struct


class Estimate(Struct, frozen=True, kw_only=True):
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float
    n: int  # independent units (items, findings, runs), not calls
    method: str  # as printed under the table, e.g. "t, clustered by item"


class Withheld(Struct, frozen=True):
    """No number, and why."""

    withheld: str


Measured = Estimate | Withheld
"""A number with its interval, or the reason why there is none."""


class Tested(Struct, frozen=True, kw_only=True):
    """An estimate with the two-sided p of "it is zero"."""

    estimate: Measured
    p: float | None
