"""How numbers are printed, on the page and in the terminal alike.

No number is ever printed as "nan", as "-0.00", or rounded across the line that decides about it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeVar

from fiducial.bias.metrics import Alignment, Consistency
from fiducial.bias.result import Effect
from fiducial.stats.estimate import Estimate, Withheld

Interval = Estimate | Effect | Consistency | Alignment
"""Whatever has a value with its two ends."""
E = TypeVar("E", bound=Interval)

NONE = "—"
ALPHA = 0.05
HUGE = 1e9  # beyond it a number is no effect, but it must not fill the page either


def signed(value: float | None) -> str:
    """An effect: sign and two decimals. Zero has no sign."""
    text = plain(value, ends=False)
    return f"+{text}" if text[0].isdigit() and float(text) > 0 else text


def plain(value: float | None, *, ends: bool = True) -> str:
    """Two decimals with a real minus. The end of an interval that is nearly zero gets a third one, or a fourth: the
    reader must see on which side of zero it lies."""
    if value is None or not math.isfinite(value):
        return NONE
    near = next((digits for digits in (3, 4) if 0.5 <= abs(value) * 10**digits < 5), 2)
    return _fixed(value, near if ends else 2)


def _fixed(value: float, digits: int) -> str:
    if not math.isfinite(value):
        return NONE
    text = f"{abs(value):.{digits}f}" if abs(value) < HUGE else f"{abs(value):.1e}"
    return text if float(text) == 0 or value > 0 else f"−{text}"


def interval(low: float, high: float) -> str:
    """`[0.12, 0.50]`. Two ends that differ are printed with as many decimals as it takes to see it, at most four."""
    ends = plain(low), plain(high)
    for digits in (3, 4):
        if ends[0] != ends[1] or low == high:
            break
        ends = _fixed(low, digits), _fixed(high, digits)
    return f"[{ends[0]}, {ends[1]}]"


def probability(p: float | None) -> str:
    """`<.001`, `.004`, `.03`. Never rounded onto .05 from above, because .05 decides."""
    if p is None or not math.isfinite(p):
        return NONE
    if p < 0.001:
        return "<.001"
    if p > 0.99:
        return ">.99" if p < 1 else "1"
    text = f"{p:.{3 if p < 0.0095 else 2}f}"
    if p > ALPHA and float(text) <= ALPHA:
        return ">.05"
    return text.removeprefix("0")


def share(part: int, whole: int) -> str:
    """A percentage; what is not nothing is never printed as 0 %."""
    if whole <= 0:
        return NONE
    percent = 100 * part / whole
    if 0 < percent < 0.1:
        return "<0.1 %"
    return f"{percent:.1f} %" if percent < 10 and percent != int(percent) else f"{percent:.0f} %"


def percent(value: float) -> str:
    """A share in whole points; what is not nothing and not all is never printed as 0 % or 100 %."""
    if not math.isfinite(value):
        return NONE
    points = round(100 * value)
    if 0 < value < 1 and points in (0, 100):
        return "<1 %" if points == 0 else ">99 %"
    return f"{points} %"


def count(n: int) -> str:
    """`1,350`."""
    return f"{n:,}"


def counted(n: int, word: str, plural: str | None = None) -> str:
    """`1 check`, `2 checks`."""
    return f"{n:,} {word if n == 1 else plural or word + 's'}"


def money(usd: float | None) -> str:
    """Unknown is not the same as free."""
    if usd is None or not math.isfinite(usd):
        return "not known"
    return f"${usd:,.2f}" if usd >= 0.01 or usd == 0 else "less than $0.01"


def duration(seconds: float) -> str:
    """`0.4 s`, `42 s`, `3 min 20 s`, `2 h 5 min`."""
    if not math.isfinite(seconds) or seconds < 0:
        return NONE
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def known(measured: E | Withheld) -> E | None:
    """The estimate, if there is one that can be drawn."""
    if isinstance(measured, Withheld):
        return None
    finite = all(math.isfinite(x) for x in (measured.value, measured.low, measured.high))
    return measured if finite else None


def why_not(measured: Interval | Withheld) -> str:
    """The reason that there is no estimate."""
    return measured.withheld if isinstance(measured, Withheld) else "the estimate is not a number"


def anything(value: object) -> str:
    """A setting or a fact of any shape, as one line of text."""
    match value:
        case None:
            return "not set"
        case bool():
            return "yes" if value else "no"
        case int():
            return str(value)
        case float():
            return f"{value:g}".replace("-", "−") if math.isfinite(value) else NONE
        case str():
            return value
        case Mapping():
            return ", ".join(f"{key}: {anything(inner)}" for key, inner in value.items()) or "none"
        case Sequence() | set() | frozenset():
            return ", ".join(anything(inner) for inner in value) or "none"
        case _:
            return str(value)
