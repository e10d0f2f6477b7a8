"""Values that lie apart from the others of their group, each held against the rest without itself.

The residual is the externally studentised one of a mean (Cook & Weisberg, 1982, Residuals and Influence in Regression,
section 2.2.1), with one change: a value has an error of its own, and the spread it is measured by is never less than
that. Where all others are exactly equal, the plain residual would be infinite for any difference at all.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import sqrt

import numpy as np
from msgspec import Struct

from fiducial.stats.distributions import t_two_sided

FEWEST = 4
"""Others that a value is held against; with fewer their spread says nothing."""


class Residual(Struct, frozen=True, kw_only=True):
    """How far a value lies from the mean of the others, in standard errors of that difference; two-sided p by t."""

    expected: float  # the mean of the others
    value: float
    p: float
    df: int


def leave_one_out(
    values: Sequence[float], errors: Sequence[float | None], clusters: Sequence[Hashable]
) -> list[Residual | None]:
    """The residual of each value against those of other clusters; None where they are fewer than 4, or where neither
    they nor the value's own error show any spread."""
    given = np.asarray(values, dtype=np.float64)
    found: list[Residual | None] = []
    for value, error, cluster in zip(values, errors, clusters, strict=True):
        others = given[[other != cluster for other in clusters]]
        if len(others) < FEWEST:
            found.append(None)
            continue
        mean, spread = float(others.mean()), float(others.var(ddof=1))
        noise = sqrt(max(spread, (error or 0.0) ** 2) + spread / len(others))
        away = value - mean
        if noise == 0.0:
            found.append(Residual(expected=mean, value=0.0, p=1.0, df=len(others) - 1) if away == 0.0 else None)
            continue
        t = away / noise
        p = t_two_sided(t, len(others) - 1)
        found.append(Residual(expected=mean, value=t, p=p, df=len(others) - 1))
    return found
