"""What a stopping rule sees of a bias: its interval, and how much of the variance more replies would take away.

The effect that one step of an item shows is a draw around the item's true effect. Steps of the same item differ by the
noise of replies alone, so the pooled variance between them, over the number of steps, is the part of the variance
between items' values that further steps reduce; the rest is a difference between the items themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fiducial.bias.block import SINGLE
from fiducial.bias.effects import COLUMN_OF, COLUMNS, Effects, Floats, Ints, Table, block_effects, magnitudes
from fiducial.bias.estimates import compares_by
from fiducial.bias.item import INTENSITIES, WEIGHTS
from fiducial.bias.paradigms import paradigm
from fiducial.bias.stopping.pool import Pool, PoolItem
from fiducial.stats.estimate import Measured, Withheld
from fiducial.stats.means import EQUAL_SHARE, largest_tie, mean_effect
from fiducial.stats.width import expected_width

ENOUGH = 5  # degrees of freedom
WIDENED = 1.09
"""Sampling that stops as soon as an interval is narrow stops too early where a variance happens to look small: plain
intervals then cover about 93.5 % instead of 95 %. Standard errors larger by this factor make up for it
(`benchmarks/stopping.py`)."""


class Asked(Struct, frozen=True):
    """How far an item was taken: so many steps at its own intensity, and the first `whole` of them at all intensities."""

    steps: int
    whole: int = 0

    def arms(self, item: PoolItem, step: int) -> tuple[str, ...]:
        """What was asked in a step."""
        if step >= self.steps:
            return ()
        return item.every if step < self.whole else item.first


class Sight(Struct, frozen=True, kw_only=True):
    """One bias as far as it was asked."""

    estimate: Measured
    missing: int  # trials that were asked and have no reply
    used: int  # items that were asked
    known: int  # items with an effect
    whole: int  # items asked at every intensity
    fewest: int  # steps of the item that was asked least
    mean: float
    variance: float  # between the items' values, noise included
    noise: float | None  # the mean part of it that the noise of replies makes; None before any item had two steps
    step: float | None  # variance of one step of an item around its true effect
    df: int  # degrees of freedom that `noise` rests on
    tied: bool
    turns: (
        float | None
    )  # variance of an item's effect between intensities, noise taken out; None where none was tried

    @property
    def width(self) -> float | None:
        """Of the interval that is printed."""
        return None if isinstance(self.estimate, Withheld) else self.estimate.high - self.estimate.low

    @property
    def between(self) -> float:
        """Variance of the items' true effects, as far as it is known: all of it while noise is not."""
        return max(0.0, self.variance - (self.noise or 0.0))

    def foreseen(self, n: int, variance: float) -> float:
        """The width with n items and this variance between their values, in proportion to the width there is."""
        now = expected_width(self.known, self.variance, mean=self.mean, tied=self.tied)
        then = expected_width(n, variance, mean=self.mean, tied=self.tied)
        return then if self.width is None or not now else self.width * then / now


class _Steps(Struct, frozen=True):
    """The effects of single steps: rows are (item, step), columns comparisons."""

    item: Ints  # place in the list of items
    order: Ints
    complete: NDArray[np.bool_]  # asked at all intensities
    value: Floats
    whole: Floats  # BMS of the row


def look(
    pool: Pool, asked: Mapping[str, Asked], scores: Mapping[str, float], bias: str, *, widen: float = WIDENED
) -> Sight:
    """The bias as the replies so far show it. `scores` are by trial; NaN where nothing was read."""
    used = [item for item in pool.items[bias] if item.block.id in asked]
    effects, steps, missing = _effects(pool, bias, used, asked, scores)
    run = [intensity for intensity in INTENSITIES if intensity in pool.arms]
    values = magnitudes(effects.value, run)
    known = np.flatnonzero(~np.isnan(values))
    clusters = [used[k].block.cluster for k in known]
    estimate = mean_effect(values[known], clusters, widen=widen).estimate
    whole = np.array([asked[item.block.id].whole > 0 for item in used], dtype=bool)
    taken = np.array([asked[item.block.id].whole or asked[item.block.id].steps for item in used])
    steps_of = taken if whole.all() else np.array([asked[item.block.id].steps for item in used])
    counted = [k for k, name in enumerate(COLUMNS) if name in WEIGHTS or name == SINGLE]
    one, one_df = _noise(steps, [steps.value[:, k] for k in counted])
    every, every_df = _noise(steps, [np.where(steps.complete, steps.whole, np.nan)])
    noise = step = None
    if one is not None or every is not None:
        first = one if one is not None else every
        last = every if every is not None else one
        assert first is not None and last is not None
        single = np.where(whole, last, first)
        noise = float(np.mean(single[known] / taken[known])) if len(known) else None
        step = float(np.mean(single[known])) if len(known) else None
    n = len(known)
    return Sight(
        estimate=estimate,
        missing=missing,
        used=len(used),
        known=n,
        whole=int(whole.sum()),
        fewest=int(steps_of.min()) if len(taken) else 0,
        mean=float(values[known].mean()) if n else 0.0,
        variance=float(values[known].var(ddof=1)) if n > 1 else 0.0,
        noise=noise,
        step=step,
        df=max(one_df, every_df),
        tied=n > 0 and largest_tie(values[known]) >= EQUAL_SHARE,
        turns=_turns(effects, [int(k) for k in known if whole[k]], taken, one),
    )


def _effects(
    pool: Pool, bias: str, used: Sequence[PoolItem], asked: Mapping[str, Asked], scores: Mapping[str, float]
) -> tuple[Effects, _Steps, int]:
    """The effects of the items, and those of their single steps, by the formula of the estimates; and the number of
    trials that have no reply."""
    missing = 0
    rows: list[tuple[int, int, int, int, int, float]] = []
    of_step: list[tuple[int, int, int]] = []  # item, option order, whether all intensities were asked
    for k, item in enumerate(used):
        so_far = asked[item.block.id]
        for step in range(so_far.steps):
            of_step.append((k, (item.turn + step) % item.block.orders(), step < so_far.whole))
            for trial in item.trials(step, so_far.arms(item, step)):
                score = scores.get(trial.id)
                if score is None:
                    missing += 1
                else:
                    arm = item.block.arms[trial.arm]
                    rows.append((k, len(of_step) - 1, COLUMN_OF[arm.column], arm.sign, trial.order, score))
    columns = np.array([row[:5] for row in rows], dtype=np.int64).reshape(-1, 5).T
    score_of = np.array([row[5] for row in rows])
    compares = compares_by(paradigm(pool.source.biases[bias].paradigm))

    def table(unit: int) -> Table:
        return Table(item=columns[unit], column=columns[2], sign=columns[3], order=columns[4], score=score_of)

    effects = block_effects(table(0), np.full(len(used), compares))
    single = block_effects(table(1), np.full(len(of_step), compares)).value
    run = [intensity for intensity in INTENSITIES if intensity in pool.arms]
    places = np.array(of_step, dtype=np.int64).reshape(-1, 3).T
    return effects, _Steps(places[0], places[1], places[2] > 0, single, magnitudes(single, run)), missing


def _noise(steps: _Steps, columns: Sequence[Floats]) -> tuple[float | None, int]:
    """The pooled variance of a step around its item's effect, and its degrees of freedom.

    Taken inside option orders as soon as enough of them were asked twice: a subject that always answers a prompt alike
    may still answer two orders differently, and no repetition would ever change that.
    """
    for groups in ((steps.item, steps.order), (steps.item,)):
        _, cell = np.unique(np.stack(groups), axis=1, return_inverse=True)
        squares, df = 0.0, 0
        for column in columns:
            there = ~np.isnan(column)
            if not there.any():
                continue
            at = np.unique(cell[there], return_inverse=True)[1]
            mean = np.bincount(at, weights=column[there]) / np.bincount(at)
            squares += float(((column[there] - mean[at]) ** 2).sum())
            df += len(at) - int(at.max()) - 1
        if df >= (ENOUGH if len(groups) > 1 else 1):
            return squares / df, df
    return None, 0


def _turns(effects: Effects, whole: Sequence[int], taken: Floats, step: float | None) -> float | None:
    """The variance of an item's effect over intensities. With weights w the expected weighted sum of squares around
    the item's BMS is (1 − Σ w²) times that variance and the noise of one comparison."""
    found = []
    for k in whole:
        there = [name for name in INTENSITIES if not np.isnan(effects.value[k, COLUMN_OF[name]])]
        weights = np.array([WEIGHTS[name] for name in there])
        if len(there) < 2:
            continue
        weights = weights / weights.sum()
        own = np.array([effects.value[k, COLUMN_OF[name]] for name in there])
        spread = float(weights @ (own - weights @ own) ** 2) / (1 - float(weights @ weights))
        found.append(spread - (step or 0.0) / float(taken[k]))
    return max(0.0, float(np.mean(found))) if found else None
