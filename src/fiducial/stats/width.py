"""How wide the interval of a mean of effects will be: for deciding what to sample next, never for what is printed."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt

from fiducial.stats.distributions import t_quantile


@lru_cache(maxsize=4096)
def _quantile(df: int, level: float) -> float:
    return t_quantile(0.5 + level / 2, df)


def expected_width(n: int, variance: float, *, mean: float = 0.0, tied: bool = False, level: float = 0.95) -> float:
    """The width of the interval that `mean_effect` would give for n values with this variance and mean.

    `tied` values get the two pseudo-items of Bonett and Price: the sum of squares of the n values around their own mean
    is (n − 1)·variance, and the pseudo-items at ±1 pull the mean to M = n·mean / (n + 2). Ends at ±1 are not cut.
    """
    if n < 2:
        return float("inf")
    plain = 2 * _quantile(n - 1, level) * sqrt(variance / n)
    if not tied:
        return plain
    pulled = n * mean / (n + 2)
    squares = (n - 1) * variance + n * (mean - pulled) ** 2 + (1 - pulled) ** 2 + (1 + pulled) ** 2
    return max(plain, 2 * _quantile(n + 1, level) * sqrt((n + 2) / (n + 1) * squares) / (n + 2))
