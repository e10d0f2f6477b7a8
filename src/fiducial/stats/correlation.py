"""Pearson's correlation with Fisher's interval (Fisher, 1921, Metron 1, 3-32)."""

from __future__ import annotations

from collections.abc import Sequence
from math import atanh, sqrt, tanh

import numpy as np

from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.stats.proportion import Z

FEWEST = 4  # Fisher's interval has 1 / (n - 3)
NEARLY = 1 - 1e-6
"""A correlation of exactly 1 would have an interval of width zero."""


def correlation(x: Sequence[float], y: Sequence[float], *, unit: str = "run") -> Measured:
    """The correlation of paired values; withheld below four pairs, and where one of the two never changes."""
    if len(x) < FEWEST:
        return Withheld(
            f"a correlation needs at least {FEWEST} {unit}s; there {'is' if len(x) == 1 else 'are'} {len(x)}"
        )
    if np.ptp(x) < 1e-12 or np.ptp(y) < 1e-12:
        return Withheld(f"it is the same in every {unit}")
    r = float(np.corrcoef(x, y)[0, 1])
    z, reach = atanh(min(NEARLY, max(-NEARLY, r))), Z / sqrt(len(x) - 3)
    low, high = tanh(z - reach), tanh(z + reach)
    return Estimate(value=r, low=min(low, r), high=max(high, r), n=len(x), method=f"Fisher over {unit}s")
