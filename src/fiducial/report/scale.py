"""The part of the scale from -1 to +1 that a drawing shows, the same on the page and in the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable

from fiducial.bias.result import Effect
from fiducial.stats.estimate import Estimate

Scale = tuple[float, float]

FULL: Scale = (-1.0, 1.0)
TWICE: Scale = (-2.0, 2.0)
"""A difference between two effects reaches so far."""
STEPS = (0.1, 0.2, 0.5)


def span(found: Iterable[Estimate | Effect | None], *, full: Scale = FULL) -> Scale:
    """A scale that holds every interval and zero, with room on both sides; never beyond the full scale."""
    ends = [within(end, full) for e in found if e is not None for end in (e.low, e.high)]
    low = math.floor(min([-0.15, *ends]) * 10 - 0.2) / 10
    high = math.ceil(max([0.35, *ends]) * 10 + 0.2) / 10
    return max(full[0], low), min(full[1], high)


def ticks(scale: Scale, *, most: float) -> list[float]:
    """Round places on a scale, zero among them, in the finest step that gives about `most` of them or fewer."""
    step = next((s for s in STEPS if (scale[1] - scale[0]) / s <= most), STEPS[-1])
    first, last = math.ceil(scale[0] / step - 1e-9), math.floor(scale[1] / step + 1e-9)
    return [round(k * step, 1) for k in range(first, last + 1)]


def within(value: float, scale: Scale) -> float:
    """The value, or the end of the scale that it lies beyond."""
    return min(scale[1], max(scale[0], value))


def place(value: float, scale: Scale) -> float:
    """Where a value lies between the two ends: 0 and 1. What lies beyond an end stands at it."""
    return (within(value, scale) - scale[0]) / (scale[1] - scale[0])
