"""The metrics beside magnitude: consistency, mitigation, human alignment, response consistency, calibration awareness.

Definitions, formulas and references are in docs/metrics.md. Each is an estimate with its interval, or the reason it
is withheld.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from scipy import stats

from gnomon.bias.block import Block, CertaintyKey, ChoiceKey
from gnomon.bias.effects import Floats, Ints
from gnomon.bias.item import HumanEffect
from gnomon.stats.between import between_sd
from gnomon.stats.estimate import Estimate, Measured, Withheld
from gnomon.stats.means import mean_effect

FULL_SPREAD = 0.5  # a between-domain SD at which consistency is 0
TELLING = 0.5  # an interval for tau wider than this says nothing in words
ALIKE = 0.10  # the margin within which a subject is "like" people
FEWEST = 10  # right and wrong answers that calibration error and AUROC need
BINS = 10


class Consistency(Struct, frozen=True, kw_only=True):
    """BCI: tau, the SD between domains of true effects, with its interval; and what it says in words."""

    value: float
    low: float
    high: float
    n: int
    method: str
    index: float | None  # 1 - tau / 0.5, not below 0; None where the interval is too wide to say
    says: str


class Alignment(Struct, frozen=True, kw_only=True):
    """HAS: the subject's effect minus the human one, with a 95 % interval."""

    value: float
    low: float
    high: float
    n: int
    method: str
    human: float
    source: str
    says: str  # like, stronger, weaker, cannot tell


def consistency(effect: Measured, by_domain: Mapping[str, Sequence[float]]) -> Consistency | Withheld:
    """Withheld where the effect itself is not distinguishable from 0: nothing there could be consistent."""
    if isinstance(effect, Withheld):
        return effect
    if effect.low <= 0 <= effect.high:
        return Withheld("the effect is not distinguishable from 0")
    tau = between_sd(list(by_domain.values()), unit="domain")
    if isinstance(tau, Withheld):
        return tau
    clear = tau.high - tau.low < TELLING
    index = max(0.0, 1 - tau.value / FULL_SPREAD) if clear else None
    return Consistency(
        value=tau.value,
        low=tau.low,
        high=tau.high,
        n=tau.n,
        method=tau.method,
        index=index,
        says="cannot tell" if index is None else f"consistency {index:.2f} of 1 across domains",
    )


def mitigation(plain: Floats, treated: Floats, clusters: Sequence[str]) -> Measured:
    """BMP of one method: how much of the effect it takes away, item by item; negative is harm."""
    known = ~(np.isnan(plain) | np.isnan(treated))
    if not known.any():
        return Withheld("not run")
    kept = [c for c, k in zip(clusters, known, strict=True) if k]
    return mean_effect((plain - treated)[known] / 2, kept, scale=2.0).estimate


def alignment(effect: Measured, human: HumanEffect | None) -> Alignment | Withheld:
    """Only with a sourced human effect of the same paradigm. "Like" is a 90 % interval within ±.10."""
    if human is None:
        return Withheld("no published human effect of the same paradigm")
    if isinstance(effect, Withheld):
        return effect
    error = np.hypot((effect.high - effect.low) / (2 * stats.t.ppf(0.975, max(1, effect.n - 1))), human.error())
    difference = effect.value - human.value
    low, high = (difference + sign * stats.norm.ppf(0.975) * error for sign in (-1, 1))
    inner = stats.norm.ppf(0.95) * error
    if abs(difference) + inner <= ALIKE:
        says = "like"
    elif low > 0:
        says = "stronger"
    elif high < 0:
        says = "weaker"
    else:
        says = "cannot tell"
    return Alignment(
        value=difference,
        low=float(low),
        high=float(high),
        n=effect.n,
        method="difference, normal",
        human=human.value,
        source=human.source,
        says=says,
    )


class Repeats(Struct, frozen=True, kw_only=True):
    """What response consistency needs of a run's replies, one row a reply."""

    item: Ints
    cell: Ints  # equal for repetitions of the same trial
    slot: Ints  # of the chosen option, -1 where none
    number: Floats  # NaN where none


def response_consistency(
    repeats: Repeats, blocks: Sequence[Block], wanted: NDArray[np.bool_], temperature: object
) -> Measured:
    """RCI over the replies in `wanted`: the mean over items of the agreement of two repetitions."""
    if temperature == 0:
        return Withheld("at temperature 0 repetitions measure the provider, not the subject")
    choices = np.array([isinstance(next(iter(b.arms.values())).key, ChoiceKey | CertaintyKey) for b in blocks])
    agreement = np.full(len(blocks), np.nan)
    chosen = wanted & choices[repeats.item] & (repeats.slot >= 0)
    _fill(agreement, *_agreeing(repeats.cell[chosen], repeats.item[chosen], repeats.slot[chosen]))
    spoken = wanted & ~np.isnan(repeats.number)
    width = np.array([_width(block) for block in blocks])
    _fill(
        agreement,
        *_closeness(
            repeats.cell[spoken], repeats.item[spoken], repeats.number[spoken] / width[repeats.item[spoken]]
        ),
    )
    known = ~np.isnan(agreement)
    if not known.any():
        return Withheld("needs at least 2 read repetitions of a trial")
    clusters = [b.cluster for b, k in zip(blocks, known, strict=True) if k]
    return mean_effect(agreement[known], clusters).estimate


def _width(block: Block) -> float:
    key = next(iter(block.arms.values())).key
    low, high = getattr(key, "low", 0.0), getattr(key, "high", 1.0)
    return float(high - low) or 1.0


def _fill(agreement: Floats, item: Ints, value: Floats) -> None:
    """The mean of each item's cells."""
    n = len(agreement)
    count = np.bincount(item, minlength=n)
    total = np.bincount(item, weights=value, minlength=n)
    agreement[count > 0] = total[count > 0] / count[count > 0]


def _agreeing(cell: Ints, item: Ints, slot: Ints) -> tuple[Ints, Floats]:
    """For every cell with 2 replies or more: its item, and the chance that two of its replies agree."""
    if not len(cell):
        return cell, np.array([])
    cells, index = np.unique(cell, return_inverse=True)
    width = int(slot.max()) + 1
    counts = np.bincount(index * width + slot, minlength=len(cells) * width).reshape(len(cells), width)
    n = counts.sum(axis=1)
    owner = np.zeros(len(cells), dtype=np.int64)
    owner[index] = item
    enough = n > 1
    agree = (counts * (counts - 1)).sum(axis=1)[enough] / (n * (n - 1))[enough]
    return owner[enough], agree


def _closeness(cell: Ints, item: Ints, value: Floats) -> tuple[Ints, Floats]:
    """For every cell with 2 numbers or more: its item, and 1 minus the mean distance of two of its numbers."""
    if not len(cell):
        return cell, np.array([])
    order = np.lexsort((value, cell))
    _, start, n = np.unique(cell[order], return_index=True, return_counts=True)
    rank = np.arange(len(order)) - np.repeat(start, n)
    weight = 2 * rank - np.repeat(n, n) + 1  # the sum of |x - y| over pairs is the sum of weight times sorted value
    total = np.add.reduceat(weight * value[order], start)
    enough = n > 1
    distance = total[enough] / (n * (n - 1) / 2)[enough]
    return item[order][start[enough]], 1 - distance


def calibration_awareness(
    confidence: Floats, right: Ints, item: Ints, clusters: Sequence[str]
) -> dict[str, Measured]:
    """CAS: Brier score, and calibration error and AUROC where there are 10 right and 10 wrong answers."""
    stated = ~np.isnan(confidence) & (right >= 0)
    if not stated.any():
        nothing = Withheld("no answer with a stated confidence on an item with a proved answer")
        return {"brier": nothing, "calibration_error": nothing, "auroc": nothing}
    c, r, i = confidence[stated], right[stated].astype(np.float64), item[stated]
    found: dict[str, Measured] = {"brier": _by_item((c - r) ** 2, i, clusters)}
    hits, misses = int(r.sum()), int((1 - r).sum())
    if min(hits, misses) < FEWEST:
        few = Withheld(f"needs {FEWEST} right and {FEWEST} wrong answers; there are {hits} and {misses}")
        return {**found, "calibration_error": few, "auroc": few}
    for name, statistic in (("calibration_error", expected_calibration_error), ("auroc", auroc)):
        found[name] = _bootstrap(statistic, c, r, i)
    return found


def _by_item(values: Floats, item: Ints, clusters: Sequence[str]) -> Measured:
    items, index = np.unique(item, return_inverse=True)
    means = np.bincount(index, weights=values) / np.bincount(index)
    return mean_effect(means, [clusters[k] for k in items]).estimate


def expected_calibration_error(confidence: Floats, right: Floats) -> float:
    """The mean distance of stated confidence from accuracy over ten equal bins, weighted by their counts."""
    bins = np.minimum((confidence * BINS).astype(np.int64), BINS - 1)
    count = np.bincount(bins, minlength=BINS)
    gap = np.abs(np.bincount(bins, weights=confidence - right, minlength=BINS))
    return float(gap.sum() / count.sum())


def auroc(confidence: Floats, right: Floats) -> float:
    """The chance that a right answer was given with more confidence than a wrong one (ties count half)."""
    ranks = stats.rankdata(confidence)
    hits = right == 1
    n, m = int(hits.sum()), int((~hits).sum())
    return float((ranks[hits].sum() - n * (n + 1) / 2) / (n * m))


def _bootstrap(statistic: object, c: Floats, r: Floats, item: Ints, *, draws: int = 500) -> Measured:
    """A percentile bootstrap over items, with a fixed seed: the same replies give the same interval."""
    assert callable(statistic)
    rng = np.random.default_rng(0)
    groups = [np.flatnonzero(item == k) for k in np.unique(item)]
    seen = []
    for _ in range(draws):
        rows = np.concatenate([groups[k] for k in rng.integers(0, len(groups), len(groups))])
        if 0 < r[rows].sum() < len(rows):
            seen.append(statistic(c[rows], r[rows]))
    low, high = np.quantile(seen, [0.025, 0.975])
    value = float(statistic(c, r))
    return Estimate(
        value=value,
        low=min(float(low), value),
        high=max(float(high), value),
        n=len(groups),
        method="bootstrap over items",
    )
