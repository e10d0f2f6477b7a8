"""The mean of item effects in [-1, 1], with an interval that also holds for near-deterministic subjects.

References: clustered standard error, Cameron & Miller (2015), J. Human Resources 50(2), section II;
pseudo-observations, Bonett & Price (2012), J. Educational and Behavioral Statistics 37(4), 479-488.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fiducial.stats.distributions import t_quantile, t_two_sided
from fiducial.stats.estimate import Estimate, Measured, Tested, Withheld

Floats = NDArray[np.float64]

EQUAL_SHARE = 0.7  # of the effects equal to each other: t no longer covers


class Fit:
    """Mean, standard error and degrees of freedom of clustered values."""

    def __init__(self, values: Floats, clusters: NDArray[Any], *, widen: float = 1.0) -> None:
        _, index = np.unique(clusters, return_inverse=True)
        groups = int(index.max()) + 1
        self.mean = float(values.mean())
        sums = np.bincount(index, weights=values - self.mean)
        self.error = widen * float(np.sqrt(groups / max(1, groups - 1) * np.sum(sums**2)) / len(values))
        self.df = groups - 1

    def interval(self, level: float) -> tuple[float, float]:
        """The limits by t."""
        half = t_quantile(0.5 + level / 2, self.df) * self.error
        return self.mean - half, self.mean + half

    def p(self) -> float:
        """Of a mean of 0, two-sided."""
        if self.error == 0.0:
            return 1.0 if self.mean == 0.0 else 0.0
        return t_two_sided(self.mean / self.error, self.df)


def mean_effect(
    effects: Sequence[float] | Floats,
    clusters: Sequence[object] | None = None,
    *,
    level: float = 0.95,
    unit: str = "item",
    scale: float = 1.0,
    widen: float = 1.0,
) -> Tested:
    """The mean of signed effects, one a unit, clustered where units share a cluster.

    Where 70 % or more of the effects are equal (a subject that almost always does the same), a pseudo-item at
    +1 and one at -1 are added, and the wider of the two intervals is used, with its p. No interval has width
    zero; with all effects 0, p is 1. Fewer than two clusters give no estimate. `scale` multiplies what is reported:
    differences of two effects lie in [-2, 2] and are given halved. `widen` multiplies standard errors, for values whose
    number was decided by how narrow their interval was.
    """
    values = np.asarray(effects, dtype=np.float64)
    labels = np.arange(len(values)) if clusters is None else np.unique(np.asarray(clusters), return_inverse=True)[1]
    groups = len(np.unique(labels))
    if groups < 2:
        seen = f"is {len(values)} {unit}" if len(values) == 1 else f"are {len(values)} {unit}s"
        return Tested(estimate=Withheld(f"an interval needs at least 2 independent {unit}s; there {seen}"), p=None)
    plain = Fit(values, labels, widen=widen)
    low, high, p = *plain.interval(level), plain.p()
    method = f"t, clustered by {unit}" if groups < len(values) else f"t over {unit}s"
    if largest_tie(values) >= EQUAL_SHARE:
        top = int(labels.max())
        padded = Fit(np.append(values, (1.0, -1.0)), np.append(labels, (top + 1, top + 2)), widen=widen)
        pseudo = padded.interval(level)
        if pseudo[1] - pseudo[0] >= high - low:
            low, high = pseudo
            method = f"Bonett–Price over {unit}s"
        p = max(p, padded.p())
    return Tested(
        estimate=Estimate(
            value=scale * plain.mean,
            low=scale * max(-1.0, min(low, plain.mean)),
            high=scale * min(1.0, max(high, plain.mean)),
            n=groups,
            method=method if widen == 1.0 else f"{method}, widened by {100 * (widen - 1):.0f} % for stopping",
        ),
        p=p,
    )


def mean_share(values: Sequence[float] | Floats, clusters: Sequence[object] | None = None) -> Measured:
    """The mean of values in [0, 1], one a unit, with an interval that does not leave it; pseudo-items stand at 0 and 1."""
    found = mean_effect(2 * np.asarray(values, dtype=np.float64) - 1, clusters).estimate
    if isinstance(found, Withheld):
        return found
    value, low, high = ((x + 1) / 2 for x in (found.value, found.low, found.high))
    return Estimate(value=value, low=low, high=high, n=found.n, method=found.method)


def largest_tie(values: Floats) -> float:
    """The share of the most common value."""
    _, counts = np.unique(np.round(values, 12), return_counts=True)
    return float(counts.max() / len(values))
