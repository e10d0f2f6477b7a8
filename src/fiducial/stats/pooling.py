"""Partial pooling: several effects of one family, each drawn toward the others as far as they are alike.

A normal hierarchy, y ~ N(θ, s²), θ ~ N(μ, τ²), with weak priors: μ ~ N(0, .5²), and τ half-normal with scale .3, on effects
whose scale ends at ±1. τ is integrated over a grid rather than estimated: with few members an estimate of it is often 0, and
intervals that take it at its word are far too narrow (Gelman 2006, Bayesian Analysis 1(3), 515-534; the shrinkage itself is
that of Efron & Morris 1975, JASA 70, 311-319).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy
from msgspec import Struct
from numpy.typing import NDArray
from scipy import special

from fiducial.stats.distributions import normal_quantile
from fiducial.stats.estimate import Estimate

Floats = NDArray[np.float64]

MEAN_SD = 0.5  # of the prior of a family's mean
BETWEEN_SD = 0.3  # scale of the prior of the SD between its members
GRID = np.linspace(0.0025, 1.2, 240)
METHOD = "partial pooling within the family"


class Pooled(Struct, frozen=True):
    """The mean of the family, and every member as the others let it appear."""

    mean: Estimate
    members: list[Estimate]


def partial_pool(estimates: Sequence[Estimate], *, level: float = 0.95) -> Pooled:
    """Each estimate has its own interval, from which its error is taken: half of it, as a normal one would have."""
    quantile = normal_quantile(0.5 + level / 2)
    y = np.array([e.value for e in estimates])
    s = np.array([max(e.high - e.value, e.value - e.low, 1e-4) / quantile for e in estimates])
    between = GRID[:, None] ** 2
    total = s**2 + between  # grid × members
    precision = 1 / MEAN_SD**2 + (1 / total).sum(axis=1)
    centre = (y / total).sum(axis=1) / precision
    evidence = (
        -0.5 * np.log(total).sum(axis=1)
        - 0.5 * np.log(precision)
        - 0.5 * ((y**2 / total).sum(axis=1) - precision * centre**2)
        - 0.5 * (GRID / BETWEEN_SD) ** 2
    )
    weight = np.exp(evidence - evidence.max())
    weight /= weight.sum()
    kept = between / total  # how much a member keeps of its own estimate
    means = kept * y + (1 - kept) * centre[:, None]
    spreads = np.sqrt(kept * s**2 + (1 - kept) ** 2 / precision[:, None])
    n = len(estimates)
    return Pooled(
        _mixture(centre, 1 / np.sqrt(precision), weight, level, n=n),
        [_mixture(means[:, k], spreads[:, k], weight, level, n=e.n) for k, e in enumerate(estimates)],
    )


def _mixture(means: Floats, sds: Floats, weight: Floats, level: float, *, n: int) -> Estimate:
    """Mean and central interval of a mixture of normals."""

    def at(share: float) -> float:
        def beyond(x: float) -> float:
            return float(weight @ special.ndtr((x - means) / sds)) - share

        return float(scipy.optimize.brentq(beyond, float((means - 8 * sds).min()), float((means + 8 * sds).max())))

    low, high = at(0.5 - level / 2), at(0.5 + level / 2)
    value = float(weight @ means)
    return Estimate(value=value, low=max(-1.0, low), high=min(1.0, high), n=n, method=METHOD)
