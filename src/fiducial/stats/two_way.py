"""A share, and a mean of paired differences, of values that hang together in two ways at once.

An attack is an injection in a case. What one injection does to many cases hangs together, and so does what many
injections do to one case; values are independent only where they share neither. Variances are added over both ways and
that of the cells is taken off (Cameron, Gelbach & Miller, 2011, J. Business & Economic Statistics 29(2), 238-249); the
largest of this and the two one-way variances counts, because the sum can fall short with few clusters.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fiducial.stats.distributions import t_quantile
from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.stats.means import EQUAL_SHARE, Fit, Floats, largest_tie
from fiducial.stats.proportion import wilson_limits

_NO_SPREAD = 1e-12  # a variance below this is a rounding error
Labels = NDArray[np.int64]


def share_two_way(
    hits: Sequence[float], rows: Sequence[Hashable], columns: Sequence[Hashable], *, units: str = "both ways"
) -> Measured:
    """The share of hits, with Wilson's interval at the number of independent trials that would vary as much.

    Hits that are all alike show no spread, which does not mean that there is none: the number is then that of clusters,
    of the way that has fewer. `n` is the number of values. `units` names the two ways for people.
    """
    if not len(hits):
        return Withheld("there is nothing to compute it from")
    values, one, other = np.asarray(hits, dtype=np.float64), _codes(rows), _codes(columns)
    value = float(values.mean())
    clusters = min(_effective(one), _effective(other))
    variance = _error(values, one, other) ** 2
    if variance > _NO_SPREAD and 0 < value < 1:
        trials = min(value * (1 - value) / variance, float(len(values)))
        quantile = t_quantile(0.975, max(1.0, clusters - 1))
        low, high = wilson_limits(value, trials, quantile=quantile)
        method = f"clustered by {units}, Wilson–t at the effective number"
    else:
        low, high = wilson_limits(value, clusters)
        method = f"all alike: Wilson on the effective number of clusters, {clusters:.0f}"
    return Estimate(value=value, low=low, high=high, n=len(values), method=method)


def mean_two_way(
    values: Sequence[float], rows: Sequence[Hashable], columns: Sequence[Hashable], *, units: str = "both ways"
) -> Measured:
    """The mean of values in [−1, 1], by t with both ways' clusters; `n` is the number of values.

    Where 70 % or more are equal a pseudo-value at +1 and one at −1 are added, each in clusters of its own, and the wider
    interval counts, as in `mean_effect`: no interval has width zero.
    """
    if not len(values):
        return Withheld("there is nothing to compute it from")
    found, one, other = np.asarray(values, dtype=np.float64), _codes(rows), _codes(columns)
    if min(one.max(), other.max()) < 1:
        return Withheld(f"an interval needs at least 2 clusters each way ({units})")
    mean, half = float(found.mean()), _half(found, one, other)
    low, high, method = mean - half, mean + half, f"t, clustered by {units}"
    if largest_tie(found) >= EQUAL_SHARE:
        padded, (a, b) = (
            np.append(found, (1.0, -1.0)),
            (np.append(c, (c.max() + 1, c.max() + 2)) for c in (one, other)),
        )
        middle, reach = float(padded.mean()), _half(padded, a, b)
        if reach >= half:
            low, high, method = middle - reach, middle + reach, f"Bonett–Price, clustered by {units}"
    return Estimate(
        value=mean,
        low=max(-1.0, min(low, mean)),
        high=min(1.0, max(high, mean)),
        n=len(found),
        method=method,
    )


def _half(values: Floats, one: Labels, other: Labels) -> float:
    clusters = min(_effective(one), _effective(other))
    return t_quantile(0.975, max(1.0, clusters - 1)) * _error(values, one, other)


def _error(values: Floats, one: Labels, other: Labels) -> float:
    """The standard error of the mean."""
    a, b = Fit(values, one).error ** 2, Fit(values, other).error ** 2
    cells = Fit(values, one * (int(other.max()) + 1) + other).error ** 2
    return sqrt(max(a + b - cells, a, b))


def _effective(labels: Labels) -> float:
    """The number of clusters of equal size that would count as much."""
    sizes = np.bincount(labels)
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def _codes(labels: Sequence[Hashable]) -> Labels:
    seen: dict[Any, int] = {}
    return np.array([seen.setdefault(label, len(seen)) for label in labels], dtype=np.int64)
