"""Many tests at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """q values in the order given. A test that was not made (None) stays None and does not count."""
    made = [p for p in p_values if p is not None]
    if not made:
        return [None] * len(p_values)
    q = iter(stats.false_discovery_control(np.asarray(made), method="bh").tolist())
    return [None if p is None else float(next(q)) for p in p_values]


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjusted p values in the order given: a test whose value is at most α is rejected, and the chance of any false
    rejection is at most α. A test that was not made (None) stays None and does not count.

    Reference: Holm (1979), Scandinavian J. Statistics 6(2), 65-70.
    """
    adjusted: list[float | None] = [None] * len(p_values)
    made = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    highest = 0.0
    for rank, (p, place) in enumerate(made):
        highest = max(highest, min(1.0, (len(made) - rank) * p))
        adjusted[place] = highest
    return adjusted
