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
