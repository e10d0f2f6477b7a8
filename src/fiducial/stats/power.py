"""Before anything is measured: how large an effect has to be to be seen."""

from __future__ import annotations

from math import sqrt

import scipy

from fiducial.stats.distributions import chi2_quantile, noncentral_t_above, t_quantile

FAR = 1000.0  # a critical t beyond which the noise of the mean no longer matters beside that of its error


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


def _noncentrality(df: int, alpha: float, power: float) -> float:
    edge = t_quantile(1 - alpha / 2, df)
    start = edge * sqrt(chi2_quantile(power, df) / df)  # exact but for the noise of the mean
    if edge > FAR:  # right to one part in a million, and further out scipy's series no longer converges
        return start

    def missing(shift: float) -> float:
        return power - noncentral_t_above(edge, df, shift) - noncentral_t_above(edge, df, -shift)

    top = start
    while missing(top) > 0:
        top += 1.0
    return float(scipy.optimize.brentq(missing, 0.0, top))
