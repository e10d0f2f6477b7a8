"""An estimate held against a bound: by its interval, never by the point."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from fiducial.bias.result import Effect
from fiducial.stats.estimate import Measured, Withheld


class Held(Struct, frozen=True):
    """How it came out, and the sentence that says so."""

    outcome: Literal["passed", "failed", "inconclusive"]
    message: str


def hold(measured: Measured | Effect, bound: float, what: str, *, above: bool) -> Held:
    """`above`: it should be at least the bound, else at most.

    What it could have shown is said with the interval as wide as it is: another estimate would have a somewhat wider or
    narrower one.
    """
    wanted = f"{'at least' if above else 'at most'} {bound:g}"
    if isinstance(measured, Withheld):
        return Held(
            "failed", f"{what} is withheld ({measured.withheld}): there is nothing to hold against {wanted}"
        )
    figures = (
        f"{what} is {measured.value:.3f} [{measured.low:.3f}, {measured.high:.3f}] "
        f"(95 %, n = {measured.n}, {measured.method}), where {wanted} is asked for"
    )
    reached, missed = measured.low >= bound, measured.high < bound
    shown_from, refuted_from = bound + (measured.value - measured.low), bound - (measured.high - measured.value)
    if not above:
        reached, missed = measured.high <= bound, measured.low > bound
        shown_from, refuted_from = bound - (measured.high - measured.value), bound + (measured.value - measured.low)
    if reached:
        return Held("passed", figures)
    if missed:
        return Held("failed", f"{figures}: the whole interval is {'below' if above else 'above'}")
    return Held(
        "inconclusive", f"{figures}: the interval spans the bound. {_could(shown_from, refuted_from, above)}"
    )


def _could(shown: float, refuted: float, above: bool) -> str:
    """Estimates here are shares, or effects between -1 and 1."""
    over, under = ("up", "down") if above else ("down", "up")
    width = "With an interval as wide as this"
    if abs(shown) > 1:
        return f"{width} nothing could have shown it: it takes more units (items, findings, runs)"
    said = f"{width}, an estimate from about {shown:.2f} {over} would have shown it"
    if abs(refuted) <= 1:
        said += f", and one from about {refuted:.2f} {under} that it does not hold"
    return f"{said}; more units (items, findings, runs) narrow it"
