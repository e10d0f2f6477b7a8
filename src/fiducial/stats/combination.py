"""Sums of shares with given weights, such as one arm's share minus the mean of others.

Reference: Price & Bonett (2004), Computational Statistics & Data Analysis 45(3), 449-456. With two shares and the
weights 1 and -1 this is the interval of Agresti & Caffo (2000), The American Statistician 54(4), 280-288.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from fiducial.stats.estimate import Estimate
from fiducial.stats.proportion import Z

METHOD = "Price–Bonett over replies"


def combined_shares(
    weights: Sequence[float], successes: Sequence[float], trials: Sequence[int]
) -> tuple[Estimate, float]:
    """The weighted sum of shares with its 95 % interval, and the standard error behind it, which is never 0.

    Successes may be sums of scores in [0, 1], which vary at most as much as successes do: the interval is then too wide
    rather than too narrow. The value is that of the shares as they are, and is always inside.
    """
    c, x, n = (np.asarray(given, dtype=np.float64) for given in (weights, successes, trials))
    used = c != 0
    c, x, n = c[used], x[used], n[used]
    if not len(c) or (n < 1).any() or (x < 0).any() or (x > n + 1e-9).any():
        raise ValueError(
            "needed are weights that are not all 0, and 0 ≤ successes ≤ trials with at least one trial"
        )
    padded = n + 4 / len(c)
    share = np.clip((x + 2 / len(c)) / padded, 0.0, 1.0)
    middle = float(c @ share)
    error = sqrt(float(np.sum(c**2 * share * (1 - share) / padded)))
    value, total = float(c @ (x / n)), int(n.sum())
    low, high = max(float(c[c < 0].sum()), middle - Z * error), min(float(c[c > 0].sum()), middle + Z * error)
    found = Estimate(value=value, low=min(low, value), high=max(high, value), n=total, method=METHOD)
    return found, error
