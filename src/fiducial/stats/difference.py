"""The difference of two means of item effects whose items are not the same.

Reference: Welch (1947), Biometrika 34(1-2), 28-35.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fiducial.stats.distributions import t_quantile, t_two_sided
from fiducial.stats.estimate import Estimate, Tested, Withheld
from fiducial.stats.means import EQUAL_SHARE, Fit, Floats, largest_tie


def welch_difference(
    a: Floats, b: Floats, a_clusters: Sequence[object], b_clusters: Sequence[object], *, scale: float
) -> Tested:
    """mean(b) − mean(a), at most `scale` in size.

    As in `mean_effect`, a side of which 70 % or more of the values are equal gets a pseudo-item at +1 and one at −1,
    and the wider of the two intervals counts. Fewer than two clusters on a side give no estimate.
    """
    labels = [np.unique(np.asarray(clusters), return_inverse=True)[1] for clusters in (a_clusters, b_clusters)]
    if few := [name for name, own in zip("AB", labels, strict=True) if len(np.unique(own)) < 2]:
        why = f"an interval needs at least 2 independent items in each run; too few in {' and '.join(few)}"
        return Tested(estimate=Withheld(why), p=None)
    plain = [Fit(values, own) for values, own in zip((a, b), labels, strict=True)]
    value = plain[1].mean - plain[0].mean
    low, high, p = _welch(*plain)
    method = "Welch's t over items"
    tied = [largest_tie(values) >= EQUAL_SHARE for values in (a, b)]
    if any(tied):
        padded = [
            Fit(np.append(values, (1.0, -1.0)), np.append(own, (len(own), len(own) + 1))) if tie else fit
            for values, own, tie, fit in zip((a, b), labels, tied, plain, strict=True)
        ]
        wide_low, wide_high, wide_p = _welch(*padded)
        if wide_high - wide_low >= high - low:
            low, high, method = wide_low, wide_high, f"{method}, Bonett–Price"
        p = max(p, wide_p)
    estimate = Estimate(
        value=value,
        low=max(-scale, min(low, value)),
        high=min(scale, max(high, value)),
        n=plain[0].df + plain[1].df + 2,
        method=method,
    )
    return Tested(estimate=estimate, p=p)


def _welch(a: Fit, b: Fit) -> tuple[float, float, float]:
    """95 % limits and p of b − a."""
    value, parts = b.mean - a.mean, (a.error**2, b.error**2)
    error = float(np.sqrt(sum(parts)))
    if error == 0.0:
        return value, value, 1.0 if value == 0.0 else 0.0
    df = sum(parts) ** 2 / (parts[0] ** 2 / a.df + parts[1] ** 2 / b.df)
    half = t_quantile(0.975, df) * error
    return value - half, value + half, t_two_sided(value / error, df)
