"""Quantiles and tails of the distributions that intervals and tests need, as scipy.special has them.

scipy.stats gives the same numbers (the tests compare them), but its import takes longer than most commands do. For the
same reason what is needed now and then is written `scipy.optimize.…`: scipy imports its parts when they are used.
"""

from __future__ import annotations

from scipy import special


def t_quantile(share: float, df: float) -> float:
    """Student's t, below which this share lies."""
    return float(special.stdtrit(df, share))


def t_two_sided(t: float, df: float) -> float:
    """The share of Student's t that is at least as far from 0."""
    return float(2 * special.stdtr(df, -abs(t)))


def normal_quantile(share: float) -> float:
    """The standard normal value below which this share lies."""
    return float(special.ndtri(share))


def chi2_quantile(share: float, df: float) -> float:
    """Chi-squared, below which this share lies."""
    return float(2 * special.gammaincinv(df / 2, share))


def beta_quantile(share: float, a: float, b: float) -> float:
    """Beta, below which this share lies."""
    return float(special.betaincinv(a, b, share))
