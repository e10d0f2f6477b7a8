"""From scores to signed effects: computed inside blocks, averaged over items, never the other way round.

All arithmetic is on arrays: a score table has one row a reply, whatever the number of replies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from gnomon.bias.item import INTENSITIES, WEIGHTS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CONTROL_ROW = len(INTENSITIES)  # the row of the control, after those of the intensities


class Table(Struct, frozen=True, kw_only=True):
    """Columns of equal length, one row a reply. `score` is NaN where nothing was read."""

    item: Ints
    row: Ints  # index into INTENSITIES, or CONTROL_ROW
    sign: Ints
    order: Ints
    score: Floats


class Effects(Struct, frozen=True, kw_only=True):
    """Effects by item and intensity, NaN where an arm has nothing to go by; and the worst that the unread
    replies could make of them."""

    value: Floats  # items × intensities
    low: Floats
    high: Floats


def block_effects(table: Table, items: int, *, sides: NDArray[np.bool_]) -> Effects:
    """The effect of every item at every intensity.

    Scores are averaged in each cell (item, arm, option order), then the two arms are compared inside each
    order, then the orders are averaged: position preference cancels. An order that one of the arms lacks is
    left out of that comparison. `sides` says for each item whether the compared arm is made anew at every
    intensity; where it is not, the one control serves all of them.
    """
    orders = int(table.order.max()) + 1 if len(table.order) else 1
    shape = (items, CONTROL_ROW + 1, 2, orders)
    used = table.sign != 0
    cell = np.ravel_multi_index(
        (table.item[used], table.row[used], (table.sign[used] < 0).astype(np.int64), table.order[used]), shape
    )
    score = table.score[used]
    read = ~np.isnan(score)
    size = int(np.prod(shape))
    total = np.bincount(cell[read], weights=score[read], minlength=size).reshape(shape)
    count = np.bincount(cell[read], minlength=size).reshape(shape)
    unread = np.bincount(cell[~read], minlength=size).reshape(shape)
    return Effects(
        value=_contrast(total, total, count, sides),
        low=_contrast(total, total + unread, count + unread, sides),
        high=_contrast(total + unread, total, count + unread, sides),
    )


def _contrast(toward: NDArray[Any], against: NDArray[Any], count: NDArray[Any], sides: NDArray[np.bool_]) -> Floats:
    """Mean over orders of (mean of the pulling arm - mean of the arm it is compared with)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        pulled = toward[:, :CONTROL_ROW, 0] / count[:, :CONTROL_ROW, 0]
        other = against[:, :, 1] / count[:, :, 1]
    base = np.where(sides[:, None, None], other[:, :CONTROL_ROW], other[:, CONTROL_ROW:])
    difference = pulled - base
    known = ~np.isnan(difference)
    sums = np.where(known, difference, 0.0).sum(axis=2)
    n = known.sum(axis=2)
    return np.where(n > 0, sums / np.maximum(n, 1), np.nan)


def magnitudes(effects: Floats, intensities: Sequence[str]) -> Floats:
    """BMS of every item: the declared weights over the intensities that were run, renormalised.

    An item that lacks one of them is weighted over those it has; NaN where it has none.
    """
    wanted = [INTENSITIES.index(i) for i in INTENSITIES if i in intensities]
    weights = np.array([WEIGHTS[INTENSITIES[k]] for k in wanted])
    chosen = effects[:, wanted]
    known = ~np.isnan(chosen)
    share = known * weights
    total = share.sum(axis=1)
    sums = (np.where(known, chosen, 0.0) * share).sum(axis=1)
    return np.where(total > 0, sums / np.where(total > 0, total, 1.0), np.nan)
