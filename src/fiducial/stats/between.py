"""How much groups differ in truth: random effects with the sampling noise taken out.

tau is the SD between the groups' true means. The estimate is Paule and Mandel's (1982), the interval is the
Q-profile of Viechtbauer (2007, Statistics in Medicine 26, 37-52): the values of tau^2 at which the weighted sum of
squares is no surprise under chi-squared with k - 1 degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

from fiducial.stats.distributions import chi2_quantile
from fiducial.stats.estimate import Estimate, Measured, Withheld

Floats = NDArray[np.float64]


def between_sd(groups: Sequence[Sequence[float] | Floats], *, level: float = 0.95, unit: str = "group") -> Measured:
    """tau over groups of values, with its interval; the noise inside the groups is pooled over them.

    Groups of one value count, but there must be two groups and some group with two values.
    """
    filled = [np.asarray(g, dtype=np.float64) for g in groups if len(g)]
    sizes = np.array([len(g) for g in filled])
    spare = int(sizes.sum()) - len(filled)
    if len(filled) < 2 or spare < 1:
        return Withheld(f"needs at least 2 {unit}s, one of them with 2 items")
    within = sum(float(((g - g.mean()) ** 2).sum()) for g in filled) / spare
    means = np.array([g.mean() for g in filled])
    noise = np.maximum(within, 1e-12) / sizes
    df = len(filled) - 1
    roots = [
        _root(means, noise, q) for q in (df, chi2_quantile(0.5 + level / 2, df), chi2_quantile(0.5 - level / 2, df))
    ]
    value, low, high = (float(np.sqrt(root)) for root in roots)
    return Estimate(
        value=value, low=low, high=high, n=len(filled), method=f"Paule–Mandel over {unit}s, Q-profile interval"
    )


def _root(means: Floats, noise: Floats, target: float) -> float:
    """The tau^2 at which the weighted sum of squares equals `target`; 0 where it is below it from the start."""
    if _q(means, noise, 0.0) <= target:
        return 0.0
    top = 1.0
    while _q(means, noise, top) > target:
        top *= 4
    return float(scipy.optimize.brentq(lambda t: _q(means, noise, t) - target, 0.0, top))


def _q(means: Floats, noise: Floats, tau2: float) -> float:
    weight = 1 / (noise + tau2)
    centre = (weight * means).sum() / weight.sum()
    return float((weight * (means - centre) ** 2).sum())
