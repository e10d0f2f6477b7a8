"""From scores to signed effects: computed inside blocks, averaged over items, never the other way round.

All arithmetic is on arrays: a score table has one row a reply, whatever the number of replies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fiducial.bias.block import CONTROL, SINGLE
from fiducial.bias.item import INTENSITIES, METHODS, WEIGHTS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

COLUMNS = (*INTENSITIES, SINGLE, *METHODS)
"""The comparisons an item may have."""
CONTROL_COLUMN = len(COLUMNS)  # where the one control stands that all intensities are compared with
COLUMN_OF = {**{name: k for k, name in enumerate(COLUMNS)}, CONTROL: CONTROL_COLUMN}

OWN, SHARED, PRICE, ALONE = range(4)
"""How an item compares: with an arm of its own at each intensity, with the one control, by prices, with nothing."""


class Table(Struct, frozen=True, kw_only=True):
    """Columns of equal length, one row a reply. `score` is NaN where nothing was read."""

    item: Ints
    column: Ints  # index into COLUMNS, or CONTROL_COLUMN
    sign: Ints
    order: Ints
    score: Floats
    left: Floats | None = None  # the share of a reply that was not read although it has a score; None: nowhere any


class Effects(Struct, frozen=True, kw_only=True):
    """Effects by item and comparison, NaN where an arm has nothing to go by; and the worst that the unread
    replies could make of them."""

    value: Floats  # items × COLUMNS
    low: Floats
    high: Floats
    asked: NDArray[np.bool_]  # whether there is any reply to the comparison's own arms, read or not

    def of(self, column: str) -> Floats:
        """One comparison's effects, one an item."""
        found: Floats = self.value[:, COLUMN_OF[column]]
        return found


def block_effects(table: Table, compares: Ints) -> Effects:
    """The effect of every item in every comparison; `compares` says how each item compares.

    Scores are averaged in each cell (item, arm, option order), then the two arms are compared inside each
    order, then the orders are averaged: position preference cancels. An order that one of the arms lacks is
    left out of that comparison.
    """
    orders = int(table.order.max()) + 1 if len(table.order) else 1
    shape = (len(compares), CONTROL_COLUMN + 1, 2, orders)
    used = table.sign != 0
    cell = np.ravel_multi_index(
        (table.item[used], table.column[used], (table.sign[used] < 0).astype(np.int64), table.order[used]), shape
    )
    score = table.score[used]
    read = ~np.isnan(score)
    size = int(np.prod(shape))
    total = np.bincount(cell[read], weights=score[read], minlength=size).reshape(shape)
    count = np.bincount(cell[read], minlength=size).reshape(shape)
    unread = np.bincount(cell[~read], minlength=size).reshape(shape)
    value = _contrast(total, total, count, compares)
    if table.left is not None:  # of what such a reply says for certain, its score holds for the part that was read
        left = table.left[used][read]
        total = np.bincount(cell[read], weights=score[read] * (1 - left), minlength=size).reshape(shape)
        unread = unread + np.bincount(cell[read], weights=left, minlength=size).reshape(shape)
        count = count - np.bincount(cell[read], weights=left, minlength=size).reshape(shape)
    low = _contrast(total, total + unread, count + unread, compares)
    high = _contrast(total + unread, total, count + unread, compares)
    rough = np.isin(compares, (PRICE, ALONE))[:, None]
    lost = _lost(unread, count, compares)
    return Effects(
        asked=(count + unread)[:, :CONTROL_COLUMN].sum(axis=(2, 3)) > 0,
        value=value,
        low=np.where(rough, (1 - lost) * np.nan_to_num(value) - lost, low),
        high=np.where(rough, (1 - lost) * np.nan_to_num(value) + lost, high),
    )


def _lost(unread: NDArray[Any], count: NDArray[Any], compares: Ints) -> Floats:
    """The larger of the two arms' unread shares: what prices and confidences, which have no worst value that
    is the same for all, are mixed with -1 or +1 by."""
    gone, there = unread.sum(axis=3), (unread + count).sum(axis=3)
    share: Floats = np.where(there > 0, gone / np.maximum(there, 1), 1.0)[:, :CONTROL_COLUMN]
    alone = (compares == ALONE)[:, None]
    lost = np.where(alone, share[:, :, 0], share.max(axis=2))
    run = there.sum(axis=2)[:, :CONTROL_COLUMN] > 0
    return np.where(run, lost, np.nan)


def _contrast(toward: NDArray[Any], against: NDArray[Any], count: NDArray[Any], compares: Ints) -> Floats:
    """Mean over orders of the comparison of the two arms' means."""
    with np.errstate(invalid="ignore", divide="ignore"):
        pulled = toward[:, :CONTROL_COLUMN, 0] / count[:, :CONTROL_COLUMN, 0]
        other = against[:, :, 1] / count[:, :, 1]
        shared = (compares == SHARED)[:, None, None] & (np.arange(CONTROL_COLUMN) < len(INTENSITIES))[None, :, None]
        base = np.where(shared, other[:, CONTROL_COLUMN:], other[:, :CONTROL_COLUMN])
        found = np.select(
            [(compares == PRICE)[:, None, None], (compares == ALONE)[:, None, None]],
            [(pulled - base) / (pulled + base), pulled],
            pulled - base,
        )
    known = np.isfinite(found)
    n = known.sum(axis=2)
    sums = np.where(known, found, 0.0).sum(axis=2)
    return np.where(n > 0, sums / np.maximum(n, 1), np.nan)


def own_column(effects: Floats) -> Floats:
    """The effect of every item in the one comparison that it was asked; NaN where it has none.

    For blocks that hold a single comparison, whichever it is."""
    known = ~np.isnan(effects)
    return np.where(known.any(axis=1), np.where(known, effects, 0.0).sum(axis=1), np.nan)


def magnitudes(effects: Floats, run: Sequence[str]) -> Floats:
    """BMS of every item: the declared weights over the intensities that were run, renormalised.

    An item that lacks one of them is weighted over those it has; a single-arm item has its one effect; NaN where
    there is none.
    """
    wanted = [k for k, name in enumerate(COLUMNS) if name in run and name in WEIGHTS]
    weights = np.array([WEIGHTS[COLUMNS[k]] for k in wanted])
    chosen = effects[:, wanted]
    known = ~np.isnan(chosen)
    share = known * weights
    total = share.sum(axis=1)
    sums = (np.where(known, chosen, 0.0) * share).sum(axis=1)
    weighted = np.where(total > 0, sums / np.where(total > 0, total, 1.0), np.nan)
    single = effects[:, COLUMN_OF[SINGLE]]
    return np.where(np.isnan(single), weighted, single)
