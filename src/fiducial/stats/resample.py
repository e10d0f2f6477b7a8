"""A ratio of sums over clusters, such as genuine findings to findings, with documents as the clusters.

The bootstrap gives the variance of the ratio; the interval is Wilson's at the number of independent trials that would
have had that variance, with t on the effective number of clusters in place of the normal quantile (Franco, Little,
Louis & Slud, 2019, J. Survey Statistics and Methodology 7(3), 334-364, compare such intervals).

The percentiles of the draws themselves are not used because they do not cover. With 8 or 12 documents of about
9 findings, shares from .1 to .95 and findings of one document correlated by .05 to .5, percentile intervals held the
true share in 70 to 92 % of simulated samples, BCa intervals in 71 to 94 %, and this one in 89 to 99 %. It is weakest
where a share near 1 comes from documents that are good or bad as a whole: 86 % for .98 over 30 documents, correlation .5.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fiducial.stats.distributions import t_quantile
from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.stats.means import Floats
from fiducial.stats.proportion import wilson_limits

DRAWS = 4000
_AT_ONCE = 2_000_000  # numbers drawn in one go: bounds the memory, whatever the number of clusters
_NO_SPREAD = 1e-12  # a variance below this is a rounding error


def bootstrap_sums(columns: Floats, rng: np.random.Generator, *, draws: int = DRAWS) -> Floats:
    """Sums of each column over clusters drawn with replacement: `columns` has a row a cluster, the result a row a draw.

    Columns of one draw belong together, so ratios and differences of ratios can be formed from them.
    """
    clusters = len(columns)
    block = max(1, _AT_ONCE // clusters)
    parts = []
    for start in range(0, draws, block):
        picks = rng.integers(0, clusters, (min(block, draws - start), clusters))
        parts.append(columns[picks].sum(axis=1))
    return np.concatenate(parts)


def ratio_by_cluster(
    numerators: Sequence[float] | Floats,
    denominators: Sequence[float] | Floats,
    *,
    rng: np.random.Generator,
    unit: str = "cluster",
    draws: int = DRAWS,
) -> Measured:
    """Sum of the numerators over sum of the denominators, a ratio in [0, 1], with its 95 % interval.

    A cluster whose denominator is 0 says nothing and is left out. Clusters that are all alike, or a single one, show
    no spread, which does not mean that there is none: the interval then is Wilson's on the effective number of
    clusters, and `method` says so. No interval has width zero, and none is NaN.
    """
    above, below = np.asarray(numerators, dtype=np.float64), np.asarray(denominators, dtype=np.float64)
    above, below = above[below > 0], below[below > 0]
    clusters = len(below)
    if not clusters:
        return Withheld(f"there is no {unit} to compute it from")
    total = float(below.sum())
    value = min(1.0, max(0.0, float(above.sum()) / total))
    effective = total**2 / float((below**2).sum())  # clusters of equal size that would count as much
    spread = 0.0
    if clusters > 1:
        sums = bootstrap_sums(np.column_stack((above, below)), rng, draws=draws)
        spread = float((sums[:, 0] / sums[:, 1]).var()) * clusters / (clusters - 1)
    if spread > _NO_SPREAD and 0 < value < 1:
        # all the findings, taken as independent, are the most that there can be
        trials = min(value * (1 - value) / spread, total)
        limits = wilson_limits(value, trials, quantile=t_quantile(0.975, max(1.0, effective - 1)))
        method = f"bootstrap by {unit}, Wilson–t at the effective number"
    else:
        limits = wilson_limits(value, effective)
        method = f"Wilson on one {unit}" if clusters == 1 else f"Wilson on {clusters} {unit}s that are all alike"
    return Estimate(value=value, low=limits[0], high=limits[1], n=clusters, method=method)
