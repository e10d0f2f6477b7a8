"""Quantiles of Student's t without a library of distributions: files are loaded where nothing else is computed.

Reference: Fisher and Cornish (1960), Technometrics 2(2), 209-225.
"""

from __future__ import annotations

from fiducial.stats.proportion import Z

_TERMS = (
    (Z**3 + Z) / 4,
    (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96,
    (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384,
    (79 * Z**9 + 776 * Z**7 + 1482 * Z**5 - 1920 * Z**3 - 945 * Z) / 92160,
)


def t_quantile(df: float) -> float:
    """97.5 % of t, by Cornish and Fisher's expansion: right to .001 from 4 degrees of freedom on."""
    return Z + sum(term / df**power for power, term in enumerate(_TERMS, 1))
