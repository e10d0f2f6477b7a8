"""Before anything is measured: how large an effect has to be to be seen."""

from __future__ import annotations

from functools import cache
from math import sqrt

import numpy as np
import scipy
from scipy import special

from fiducial.stats.distributions import t_quantile

# Nodes and weights of a sum that stands for the mean over a standard normal value. The step is fine enough for 100,000
# degrees of freedom, where the chance of being seen rises from 0 to 1 within a hundredth.
_NORMAL = np.linspace(-8.5, 8.5, 2001)
_WEIGHTS = np.exp(-(_NORMAL**2) / 2) / np.exp(-(_NORMAL**2) / 2).sum()


def smallest_detectable(n: int, sd: float, *, alpha: float = 0.05, power: float = 0.8) -> float | None:
    """The smallest true mean at which a 1 − alpha t interval over n values excludes 0 with this power.

    With true mean d, t over n values is noncentral t with n − 1 degrees of freedom and noncentrality d √n / sd, so d
    solves P(∣T∣ > t(1 − alpha/2; n − 1)) = power, both tails counted (Cohen, 1988, Statistical Power Analysis for the
    Behavioral Sciences, 2nd ed., chapters 2 and 12).

    `sd` is that of the values around their mean, sampling noise included. None where n < 2: one value has no interval.
    Nothing bounds the result: on a scale that ends at 1 a larger one says that n is too small. With sd 0 it is 0.
    """
    if not 0 < alpha < power < 1 or sd < 0:
        raise ValueError(f"alpha {alpha}, power {power}, sd {sd}: needed are 0 < alpha < power < 1 and sd ≥ 0")
    if n < 2:
        return None
    return _noncentrality(n - 1, alpha, power) * sd / sqrt(n)


@cache
def _noncentrality(df: int, alpha: float, power: float) -> float:
    """The shift at which a noncentral t lies beyond the critical value with this power.

    T is (Z + shift) / √(X / df), so |T| > t exactly where X < df ((Z + shift) / t)². The probability is the mean, over
    the normal Z, of the chi-squared distribution at that place. scipy's own noncentral t is not used because it gives
    NaN far out, where few items meet many tests.
    """
    edge = t_quantile(1 - alpha / 2, df)

    def missing(shift: float) -> float:
        return power - float(_WEIGHTS @ special.gammainc(df / 2, df / 2 * ((_NORMAL + shift) / edge) ** 2))

    top = edge + 1.0
    while missing(top) > 0:
        top *= 2
    return float(scipy.optimize.brentq(missing, 0.0, top))
