"""The number of successes in independent trials that each have a probability of their own, exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fiducial.stats.means import Floats


def distribution(probabilities: Sequence[float] | Floats) -> Floats:
    """P(X = 0), P(X = 1), …, P(X = n), by adding one trial at a time.

    Only sums of products of non-negative numbers are formed, so nothing cancels: small tails keep their digits.
    """
    given = np.asarray(probabilities, dtype=np.float64)
    if not np.all((given >= 0) & (given <= 1)):
        raise ValueError("a probability is a number from 0 to 1")
    found = np.zeros(len(given) + 1)
    found[0] = 1.0
    for seen, p in enumerate(given, 1):
        found[1 : seen + 1] = found[1 : seen + 1] * (1 - p) + found[:seen] * p
        found[0] *= 1 - p
    return found


def at_most(k: int, probabilities: Sequence[float] | Floats) -> float:
    """P(X ≤ k): 0 below 0 successes, 1 from n on."""
    if k >= len(probabilities):
        return 1.0
    return min(1.0, float(distribution(probabilities)[: max(0, k + 1)].sum()))
