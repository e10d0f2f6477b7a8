"""How wide the interval of a mean of effects will be: for deciding what to sample next, never for what is printed."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt

from fiducial.stats.distributions import t_quantile
from fiducial.stats.means import floor_for


@lru_cache(maxsize=4096)
def _quantile(df: int, level: float) -> float:
    return t_quantile(0.5 + level / 2, df)


def expected_width(n: int, variance: float, *, replies: float, level: float = 0.95) -> float:
    """The width of the interval that `mean_effect` would give for n values with this variance, whose arms have so many
    replies. Ends at ±1 are not cut."""
    if n < 2:
        return float("inf")
    return 2 * _quantile(n - 1, level) * sqrt(max(variance, floor_for(replies) ** 2) / n)
