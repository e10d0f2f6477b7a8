"""What a stopping rule saved: against a fixed plan for the same widest interval, and against the whole pool."""

from __future__ import annotations

from collections.abc import Mapping

from fiducial.bias.effects import SHARED
from fiducial.bias.estimates import compares_by
from fiducial.bias.forecast import USUAL, Assumptions, variances
from fiducial.bias.item import INTENSITIES, WEIGHTS
from fiducial.bias.paradigms import paradigm
from fiducial.bias.stopping.pool import Pool
from fiducial.bias.stopping.result import Saving
from fiducial.bias.stopping.rule import NOISE_LEFT, START
from fiducial.bias.stopping.sight import WIDENED, Sight
from fiducial.stats.width import expected_width


def saving(pool: Pool, sights: Mapping[str, Sight], calls: int) -> Saving:
    """The saving of a run that has ended."""
    found = Saving(calls=calls, pool=sum(1 for _ in pool.trials()), widest=None)
    known = {bias: seen for bias, seen in sights.items() if seen.width is not None}
    if not known:
        return found
    widest = max(seen.width or 0.0 for seen in known.values())
    once = sum(1 for _ in pool.source.trials(arms=pool.arms, repetitions=1))
    trials = next(
        (
            n
            for n in range(1, pool.repetitions + 1)
            if all(fixed_width(pool, bias, seen, n) <= widest + 1e-9 for bias, seen in known.items())
        ),
        None,
    )
    return Saving(
        calls=calls,
        pool=found.pool,
        widest=widest,
        fixed=None if trials is None else trials * once,
        fixed_trials=trials,
    )


def fixed_width(pool: Pool, bias: str, seen: Sight, trials: int) -> float:
    """The width that is expected of the bias where all of its items are asked at every intensity, so many times in every
    order. Noise averages over intensities with their weights; of a shared control it does not."""
    items = pool.items[bias]
    there = [
        WEIGHTS[name] for name in INTENSITIES if any(_has(item.block.arms, item.every, name) for item in items)
    ]
    kept = sum(w**2 for w in there) / sum(there) ** 2 if there else 1.0
    if seen.step is None or seen.whole == seen.used:
        share = 1.0
    elif compares_by(paradigm(pool.source.biases[bias].paradigm)) == SHARED:
        share = (1 + kept) / 2
    else:
        share = kept
    orders = sum(item.block.orders() for item in items) / len(items)
    noise = 0.0 if seen.step is None else seen.step * share / (trials * orders)
    items_read = max(2, round(len(items) * seen.known / seen.used))
    return seen.foreseen(items_read, seen.between + noise) / WIDENED  # a fixed plan has nothing to make up for


def expected_calls(pool: Pool, width: float, assumed: Assumptions = USUAL) -> int:
    """Roughly what the rule will ask for, if the subject is as a forecast assumes."""
    calls = 0
    for items in pool.items.values():
        if not items:
            continue
        key = next(iter(items[0].block.arms.values())).key
        once, each = variances(key, assumed)
        step = each * len(items[0].first)  # every arm of a comparison adds its noise
        between = assumed.items**2 + once
        for n in range(min(START, len(items)), len(items) + 1):
            if WIDENED * expected_width(n, between + step) <= width:
                break
        steps = 1
        while steps < pool.most(items[0]) and WIDENED * expected_width(n, between + step / steps) > width:
            if step / steps <= NOISE_LEFT * (between + step / steps):
                break
            steps += 1
        calls += steps * sum(len(item.first) for item in items[:n])
    return calls


def _has(arms: Mapping[str, object], every: tuple[str, ...], intensity: str) -> bool:
    return any(getattr(arms[name], "column", None) == intensity for name in every)
