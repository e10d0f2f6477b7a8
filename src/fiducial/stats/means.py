"""The mean of item effects in [-1, 1], with an interval that also holds for near-deterministic subjects.

One rule for all data: mean ± t · max(s, floor) / √n, with s the SD of the items. The floor is there because a handful of
items that happen to agree says little about those that were not drawn: without it, fifteen items at exactly +.20 have an
interval of width zero, and rare items that go the other way are missed. It was chosen by simulation
(`benchmarks/truth.py` prints the table); narrow intervals that also cover rare large reversals are impossible.

Reference: clustered standard error, Cameron & Miller (2015), J. Human Resources 50(2), section II.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fiducial.stats.distributions import t_quantile, t_two_sided
from fiducial.stats.estimate import Estimate, Measured, Tested, Withheld

Floats = NDArray[np.float64]

FLOOR = 0.195
"""The least SD that items are taken to have."""
FEW_REPLIES = 6
FLOOR_FEW = 0.22
"""The same where an arm of an item has `FEW_REPLIES` replies or fewer: coarse values agree more often by chance."""


def floor_for(replies: float) -> float:
    """The least SD of items, given the number of replies that an arm of an item has."""
    return FLOOR_FEW if replies <= FEW_REPLIES else FLOOR


class Fit:
    """Mean, standard error and degrees of freedom of clustered values; their SD is taken to be at least `floor`."""

    def __init__(self, values: Floats, clusters: NDArray[Any], *, floor: float = 0.0, widen: float = 1.0) -> None:
        _, index = np.unique(clusters, return_inverse=True)
        groups = int(index.max()) + 1
        self.mean = float(values.mean())
        sums = np.bincount(index, weights=values - self.mean)
        error = float(np.sqrt(groups / max(1, groups - 1) * np.sum(sums**2)) / len(values))
        self.error = widen * max(error, floor / groups**0.5)
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
    bounds: tuple[Floats, Floats] | None = None,
    bounds_clusters: Sequence[object] | None = None,
    level: float = 0.95,
    unit: str = "item",
    scale: float = 1.0,
    floor: float = FLOOR,
    widen: float = 1.0,
) -> Tested:
    """The mean of signed effects, one a unit, clustered where units share a cluster.

    `bounds` are the least and the greatest effect that each unit could have, whatever its unread replies would have said.
    The lower limit is then that of the lower bounds and the upper limit that of the upper ones. They may belong to more
    units than have an effect; `bounds_clusters` are theirs.

    `scale` multiplies what is reported: differences of two effects lie in [-2, 2] and are given halved. `floor` is in
    reported units. `widen` multiplies standard errors, for values whose number was decided by how narrow their interval
    was. Fewer than two clusters give no estimate.
    """
    values = np.asarray(effects, dtype=np.float64)
    labels = np.arange(len(values)) if clusters is None else np.asarray(clusters)
    groups = len(np.unique(labels))
    if groups < 2:
        seen = f"is {len(values)} {unit}" if len(values) == 1 else f"are {len(values)} {unit}s"
        return Tested(estimate=Withheld(f"an interval needs at least 2 independent {unit}s; there {seen}"), p=None)

    def fitted(of: Floats, by: NDArray[Any]) -> Fit:
        return Fit(of, by, floor=floor / scale, widen=widen)

    fit = fitted(values, labels)
    low, high = fit.interval(level)
    if bounds is not None:
        theirs = labels if bounds_clusters is None else np.asarray(bounds_clusters)
        low = min(low, fitted(bounds[0], theirs).interval(level)[0])
        high = max(high, fitted(bounds[1], theirs).interval(level)[1])
    end = max(1.0, float(np.abs(values).max()))  # effects against a foil may lie beyond 1
    method = f"t, clustered by {unit}" if groups < len(values) else f"t over {unit}s"
    return Tested(
        estimate=Estimate(
            value=scale * fit.mean,
            low=scale * max(-end, min(low, fit.mean)),
            high=scale * min(end, max(high, fit.mean)),
            n=groups,
            method=method if widen == 1.0 else f"{method}, widened by {100 * (widen - 1):.0f} % for stopping",
        ),
        p=fit.p(),
    )


def mean_share(values: Sequence[float] | Floats, clusters: Sequence[object] | None = None) -> Measured:
    """The mean of values in [0, 1], one a unit, with an interval that does not leave it."""
    found = mean_effect(2 * np.asarray(values, dtype=np.float64) - 1, clusters, floor=2 * FLOOR).estimate
    if isinstance(found, Withheld):
        return found
    value, low, high = ((x + 1) / 2 for x in (found.value, found.low, found.high))
    return Estimate(value=value, low=low, high=high, n=found.n, method=found.method)
