"""A stopping rule: which trials of the pool are sent next, and when a bias has had enough.

The rule looks at widths and at variances. It never looks at where an interval lies, so it cannot stop on significance.
The width of an interval over n items whose values have the variance B + N / s (B between the items' true effects, N the
noise of one step, s steps an item) is about 2 t √((B + N / s) / n). For the same calls, more items reduce all of it and
more steps only N: so a bias takes up all of its items before it repeats any. Then steps are added for all of its items
alike. An item that happened to answer evenly is not asked less: that would pull its effect away from the middle.

A bias stops when its interval is as narrow as asked (`width`); when what is left is the variance between items, which no
repetition reduces (`floor`); when the pool is used up (`pool`); when there is nothing to estimate (`withheld`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Literal

import msgspec
from msgspec import Struct

from fiducial.bias.item import INTENSITIES, WEIGHTS
from fiducial.bias.stopping.pool import Pool, PoolItem
from fiducial.bias.stopping.result import Reason
from fiducial.bias.stopping.sight import Asked, Sight, look
from fiducial.run.plan import Trial

START = 10  # items, two a domain: with fewer, a variance that happens to be small stops too early
BATCH = 5  # items, one a domain
PROBE = 5  # items on which something is tried first: a second step, other intensities
TRIED = 4  # steps, at most, in which other intensities are tried
PRIOR = 2  # degrees of freedom with which all variance counts as noise, until replies show otherwise
NOISE_LEFT = (
    1 / 3
)  # share of noise in the variance below which repetitions that do not suffice are not worth their price
ENOUGH_DF = 10  # degrees of freedom of the noise, before it is believed to be small
WORTH = 0.85  # intensities are opened everywhere where that brings the width down to this share or less
LEAST_MORE = 1.5  # steps grow by this factor at least: a look that changes little costs a round
URGENT = 0.3  # a round makes the moves that narrow at least this share of the best one a call

Kind = Literal["start", "items", "repeat", "intensities"]


class Stop(Struct, frozen=True, kw_only=True):
    """Why no more is sent for a bias, and how it stood then."""

    reason: Reason
    round: int  # the number of rounds before it
    width: float | None
    floor: float | None  # the width that infinitely many repetitions of these items are expected to leave
    items: int
    steps: int  # of the item that was asked least


class Move(Struct, frozen=True, kw_only=True):
    """What is asked next of a bias: how far each of these items is taken."""

    kind: Kind
    to: dict[str, Asked]
    calls: int
    width: float | None  # before it
    foreseen: float | None  # after it

    @property
    def gain(self) -> float:
        """How much narrower a call makes the interval. Where there is none yet, nothing is more urgent."""
        if self.width is None or self.foreseen is None:
            return float("inf")
        return max(0.0, self.width - self.foreseen) / max(1, self.calls)


class Moved(Struct, frozen=True, kw_only=True):
    """A move as it is kept."""

    kind: Kind
    calls: int
    width: float | None
    foreseen: float | None


class Decided(Struct, frozen=True, kw_only=True):
    """Everything that was decided so far: enough to go on exactly where a run was left."""

    asked: dict[str, Asked] = {}
    rounds: list[dict[str, Moved]] = []
    stopped: dict[str, Stop] = {}

    def over(self, pool: Pool) -> bool:
        """Whether every bias has stopped."""
        return all(bias in self.stopped for bias in pool.items)


def next_round(
    pool: Pool, scores: Mapping[str, float], decided: Decided, *, width: float
) -> tuple[Decided, list[Trial]]:
    """What is sent next, given the scores of what was sent before (NaN where nothing was read).

    A bias of which a trial has no reply waits for it: so nothing is decided otherwise because a call failed. No trials:
    every bias has stopped, or waits.
    """
    stopped, moves = dict(decided.stopped), {}
    for bias, items in pool.items.items():
        if bias in stopped:
            continue
        if any(item.block.id in decided.asked for item in items):
            seen = look(pool, decided.asked, scores, bias)
            if seen.missing:
                continue
            move = decide(pool, decided.asked, seen, bias, width=width)
        else:
            move = _start(items)
        if isinstance(move, Stop):
            stopped[bias] = msgspec.structs.replace(move, round=len(decided.rounds))
        else:
            moves[bias] = move
    best = max((move.gain for move in moves.values()), default=0.0)
    made = {bias: move for bias, move in moves.items() if move.gain >= URGENT * best}
    trials = [trial for bias, move in made.items() for trial in _trials(pool.items[bias], decided.asked, move)]
    asked = {**decided.asked, **{item: to for move in made.values() for item, to in move.to.items()}}
    rounds = decided.rounds
    if made:
        kept = {
            bias: Moved(kind=move.kind, calls=move.calls, width=move.width, foreseen=move.foreseen)
            for bias, move in made.items()
        }
        rounds = [*rounds, kept]
    return Decided(asked=asked, rounds=rounds, stopped=stopped), trials


def _trials(items: Sequence[PoolItem], asked: Mapping[str, Asked], move: Move) -> list[Trial]:
    found: list[Trial] = []
    for item in items:
        if item.block.id not in move.to:
            continue
        then, now = asked.get(item.block.id, Asked(0)), move.to[item.block.id]
        for step in range(now.steps):
            there = then.arms(item, step)
            found += item.trials(step, [arm for arm in now.arms(item, step) if arm not in there])
    return found


def _start(items: Sequence[PoolItem]) -> Move | Stop:
    if not items:
        return Stop(reason="withheld", round=0, width=None, floor=None, items=0, steps=0)
    return _move("start", items, {item.block.id: Asked(1) for item in items[:START]}, {}, None, None)


def decide(pool: Pool, asked: Mapping[str, Asked], seen: Sight, bias: str, *, width: float) -> Move | Stop:
    """The next move of a bias that was started."""
    items = pool.items[bias]
    left = items[seen.used :]
    if seen.width is None:
        if not seen.known or not left:
            return _stop("withheld", seen)
        return _take_up(items, asked, seen, seen.used + BATCH)
    if seen.width <= width:
        return _stop("width", seen)
    if left:
        return _take_up(items, asked, seen, _needed(seen, len(items), width))
    if seen.step is None:
        return _repeat(pool, items[:PROBE], items, asked, seen, 2)
    most = max(pool.most(item) for item in items)
    suffice = _suffice(seen, most, width)
    if suffice is None and _quiet(seen):
        floored = seen.foreseen(seen.known, seen.between) > width
        return _open(items, asked, seen) or _stop("floor" if floored else "pool", seen)
    goal = _quiet_at(seen, most) if suffice is None else suffice
    steps = min(max(2, 2 * seen.fewest), max(goal, ceil(LEAST_MORE * seen.fewest)))
    return _repeat(pool, items, items, asked, seen, steps)


def _stop(reason: Reason, seen: Sight) -> Stop:
    floor = None if seen.width is None or seen.noise is None else seen.foreseen(seen.known, seen.between)
    return Stop(reason=reason, round=0, width=seen.width, floor=floor, items=seen.used, steps=seen.fewest)


def _needed(seen: Sight, there: int, width: float) -> int:
    """So many items are expected to do; at most twice as many as there were, for variances are uncertain."""
    most = min(there, max(2 * seen.used, seen.used + BATCH))
    lost = seen.used - seen.known
    for n in range(seen.used + 1, most):
        if seen.foreseen(n - lost, seen.variance) <= width:
            return min(most, seen.used + BATCH * ceil((n - seen.used) / BATCH))
    return most


def _take_up(items: Sequence[PoolItem], asked: Mapping[str, Asked], seen: Sight, n: int) -> Move:
    to = {item.block.id: Asked(1) for item in items[seen.used : n]}
    after = seen.foreseen(seen.known + len(to), seen.variance) if seen.width is not None else None
    return _move("items", items, to, asked, seen.width, after)


def _quiet(seen: Sight) -> bool:
    """Whether hardly any of the variance is noise. Until many steps have shown it, some of it is held to be."""
    assert seen.step is not None and seen.noise is not None
    if not seen.variance:
        return True
    if seen.df < ENOUGH_DF and not seen.tied:
        return False
    held = PRIOR / (seen.df + PRIOR)
    cautious = (1 - held) * seen.noise + held * seen.variance
    return cautious <= NOISE_LEFT * seen.variance


def _suffice(seen: Sight, most: int, width: float) -> int | None:
    """So many steps an item are expected to make the interval narrow enough; None where the pool has not that many."""
    assert seen.step is not None
    for steps in range(seen.fewest + 1, most + 1):
        if seen.foreseen(seen.known, seen.between + seen.step / steps) <= width:
            return steps
    return None


def _quiet_at(seen: Sight, most: int) -> int:
    """So many steps are expected to leave hardly any noise: there is no use in more where they do not suffice."""
    assert seen.step is not None
    if not seen.between:
        return most
    share = NOISE_LEFT / (1 - NOISE_LEFT)
    return max(seen.fewest + ceil(seen.fewest / 2), ceil(seen.step / (share * seen.between)))


def _repeat(
    pool: Pool,
    chosen: Sequence[PoolItem],
    items: Sequence[PoolItem],
    asked: Mapping[str, Asked],
    seen: Sight,
    steps: int,
) -> Move | Stop:
    to = {}
    for item in chosen:
        then, goal = asked[item.block.id], min(steps, pool.most(item))
        now = Asked(max(goal, then.steps), goal if seen.whole == seen.used else then.whole)
        if now != then:
            to[item.block.id] = now
    if not to:
        return _stop("pool", seen)
    if seen.step is None:
        after = seen.foreseen(seen.known, seen.variance / 2)  # as if all variance were noise: worth a look
    else:
        after = seen.foreseen(seen.known, seen.between + seen.step / steps)
    return _move("repeat", items, to, asked, seen.width, after)


def _open(items: Sequence[PoolItem], asked: Mapping[str, Asked], seen: Sight) -> Move | None:
    """Other intensities of the same items: tried on a few, then asked of all where they differ enough to narrow."""
    closed = [item for item in items if not asked[item.block.id].whole and len(item.every) > len(item.first)]
    if not closed or seen.tied:  # the width of tied values hangs on the number of items
        return None
    weights = [WEIGHTS[name] for name in INTENSITIES if any(_has(item, name) for item in closed)]
    kept = sum(w**2 for w in weights) / sum(weights) ** 2
    opened = len(items) - len(closed)
    differ = seen.between if seen.turns is None else min(seen.turns, seen.between)
    after = seen.foreseen(seen.known, seen.variance - differ * (1 - kept) * len(closed) / len(items))
    if opened and (seen.width is None or after > WORTH * seen.width):
        return None
    chosen = closed if opened else closed[:PROBE]
    to = {}
    for item in chosen:
        steps = asked[item.block.id].steps
        to[item.block.id] = Asked(steps, whole=min(steps, TRIED))
    return _move("intensities", items, to, asked, seen.width, after)


def _has(item: PoolItem, intensity: str) -> bool:
    return any(item.block.arms[name].column == intensity for name in item.every)


def _move(
    kind: Kind,
    items: Sequence[PoolItem],
    to: dict[str, Asked],
    asked: Mapping[str, Asked],
    width: float | None,
    foreseen: float | None,
) -> Move:
    move = Move(kind=kind, to=to, calls=0, width=width, foreseen=foreseen)
    calls = sum(1 for _ in _trials(items, asked, move))
    return msgspec.structs.replace(move, calls=calls)
