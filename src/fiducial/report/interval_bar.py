"""An interval as a line of signs, for the terminal."""

from __future__ import annotations

from fiducial.bias.result import Effect
from fiducial.report.scale import Scale, place
from fiducial.stats.estimate import Estimate

BAR = 21  # columns of the little interval


def bar(effect: Effect | Estimate, scale: Scale, *, filled: bool) -> str:
    """`│` is zero, `●` a filled mark (a flagged effect), `○` another."""
    cells = [" "] * BAR
    zero = _cell(0.0, scale)
    # An interval that excludes zero must not touch it in the drawing either.
    least = zero + 1 if effect.low > 0 else 0
    most = zero - 1 if effect.high < 0 else BAR - 1
    low, value, high = (min(most, max(least, _cell(x, scale))) for x in (effect.low, effect.value, effect.high))
    cells[zero] = "│"
    for k in range(low, high + 1):
        cells[k] = "┼" if k == zero else "─"
    cells[value] = "●" if filled else "○"
    return "".join(cells)


def axis(scale: Scale) -> str:
    """The scale above the bars: its two ends, and zero where there is room."""
    low, high = f"{scale[0]:+.1f}".replace("-", "−"), f"{scale[1]:+.1f}"
    cells = list(low.ljust(BAR - len(high)) + high)
    zero = _cell(0.0, scale)
    if all(cell == " " for cell in cells[max(0, zero - 1) : zero + 2]):
        cells[zero] = "0"
    return "".join(cells)


def _cell(value: float, scale: Scale) -> int:
    return round(place(value, scale) * (BAR - 1))
