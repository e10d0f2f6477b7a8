"""The metrics beside magnitude: consistency, mitigation, human alignment, response consistency, calibration awareness.

Definitions, formulas and references are in docs/metrics.md. Each is an estimate with its interval, or the reason it
is withheld.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import scipy
from msgspec import Struct
from numpy.typing import NDArray

from fiducial.bias.block import Block, CertaintyKey, ChoiceKey
from fiducial.bias.effects import Floats, Ints
from fiducial.bias.human import HumanEffect
from fiducial.stats.between import between_sd
from fiducial.stats.distributions import normal_quantile, t_quantile
from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.stats.means import mean_effect, mean_share

FULL_SPREAD = 0.5  # a between-domain SD at which consistency is 0
TELLING = 0.5  # an interval for tau wider than this says nothing in words
NO_HUMAN = "no published human effect of the same paradigm"
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


def alignment(effect: Measured, human: HumanEffect | None, why_none: str | None = None) -> Alignment | Withheld:
    """Only with a sourced human effect of the same paradigm, or else the reason why there is none.

    "Like" is a 90 % interval within ±.10.
    """
    if human is None:
        return Withheld(f"{NO_HUMAN}. {why_none}" if why_none else NO_HUMAN)
    if isinstance(effect, Withheld):
        return effect
    error = np.hypot((effect.high - effect.low) / (2 * t_quantile(0.975, max(1, effect.n - 1))), human.error())
    difference = effect.value - human.value
    low, high = (difference + sign * normal_quantile(0.975) * error for sign in (-1, 1))
    inner = normal_quantile(0.95) * error
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


class ReliabilityBin(Struct, frozen=True, kw_only=True):
    """The answers whose stated confidence lies in [low, high), or in [low, 1] in the last bin; `n` counts replies."""

    low: float
    high: float
    confidence: float  # its mean
    accuracy: Estimate
    n: int


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
    return mean_share(agreement[known], clusters)


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
    found |= _bootstrapped(c, r, i)
    if c.min() == c.max():
        found["auroc"] = Withheld("every answer was given with the same confidence")
    return found


def _by_item(values: Floats, item: Ints, clusters: Sequence[str]) -> Measured:
    items, means = _item_means(item, values)
    return mean_share(means, [clusters[k] for k in items])


def _item_means(item: Ints, values: Floats) -> tuple[Ints, Floats]:
    items, index = np.unique(item, return_inverse=True)
    return items, np.bincount(index, weights=values) / np.bincount(index)


def reliability(confidence: Floats, right: Ints, item: Ints, clusters: Sequence[str]) -> list[ReliabilityBin]:
    """Accuracy by stated confidence, in the ten bins of the calibration error; empty bins are left out.

    Every item counts once in a bin, however often it was answered there. Wilson's interval (1927, J. American
    Statistical Association 22, 209-212) takes items that share a skeleton for one; items that were answered now
    right and now wrong vary less than it assumes, so it is rather too wide.
    """
    stated = ~np.isnan(confidence) & (right >= 0)
    c, r, i = confidence[stated], right[stated].astype(np.float64), item[stated]
    bins = _bin(c)
    found = []
    for k in np.unique(bins).tolist():
        own = bins == k
        items, accuracy = _item_means(i[own], r[own])
        found.append(
            ReliabilityBin(
                low=k / BINS,
                high=(k + 1) / BINS,
                confidence=float(_item_means(i[own], c[own])[1].mean()),
                accuracy=_wilson(float(accuracy.mean()), len({clusters[j] for j in items})),
                n=int(own.sum()),
            )
        )
    return found


def _wilson(share: float, n: int) -> Estimate:
    z2 = normal_quantile(0.975) ** 2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = float(np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n**2)))) / (1 + z2 / n)
    return Estimate(
        value=share,
        low=max(0.0, min(share, centre - half)),
        high=min(1.0, max(share, centre + half)),
        n=n,
        method="Wilson over items",
    )


def expected_calibration_error(confidence: Floats, right: Floats) -> float:
    """The mean distance of stated confidence from accuracy over ten equal bins, weighted by their counts."""
    bins = _bin(confidence)
    count = np.bincount(bins, minlength=BINS)
    gap = np.abs(np.bincount(bins, weights=confidence - right, minlength=BINS))
    return float(gap.sum() / count.sum())


def _bin(confidence: Floats) -> Ints:
    return np.minimum((confidence * BINS).astype(np.int64), BINS - 1)


def auroc(confidence: Floats, right: Floats) -> float:
    """The chance that a right answer was given with more confidence than a wrong one (ties count half)."""
    ranks = scipy.stats.rankdata(confidence)
    hits = right == 1
    n, m = int(hits.sum()), int((~hits).sum())
    return float((ranks[hits].sum() - n * (n + 1) / 2) / (n * m))


def _bootstrapped(c: Floats, r: Floats, item: Ints, *, draws: int = 500) -> dict[str, Measured]:
    """Percentile bootstraps over items, with a fixed seed: the same replies give the same intervals.

    A draw takes whole items, so it needs nothing but sums by item (calibration error) and by pair of items (AUROC):
    its cost does not grow with the number of replies.
    """
    items, owner = np.unique(item, return_inverse=True)
    n = len(items)
    drawn = np.random.default_rng(0).integers(0, n, (draws, n))
    times = np.array([np.bincount(one, minlength=n) for one in drawn], dtype=np.float64)
    hits, misses = (times @ np.bincount(owner, weights=x, minlength=n) for x in (r, 1 - r))
    possible = (hits > 0) & (misses > 0)
    times, hits, misses = times[possible], hits[possible], misses[possible]
    gap = np.bincount(owner * BINS + _bin(c), weights=c - r, minlength=n * BINS).reshape(n, BINS)
    errors = np.abs(times @ gap).sum(axis=1) / (hits + misses)
    areas = (times @ _wins(c, r == 1, owner, n) * times).sum(axis=1) / (hits * misses)
    return {
        "calibration_error": _percentiles(expected_calibration_error(c, r), errors, n),
        "auroc": _percentiles(auroc(c, r), areas, n),
    }


def _wins(c: Floats, hit: NDArray[np.bool_], owner: Ints, n: int) -> Floats:
    """Of the right answers of one item (row) and the wrong ones of another (column), the number of pairs in which
    the right one has more confidence; ties count half."""
    levels, level = np.unique(c, return_inverse=True)
    k = len(levels)
    right, rights = np.unique(owner[hit] * k + level[hit], return_counts=True)
    wrong, wrongs = np.unique(owner[~hit] * k + level[~hit], return_counts=True)
    won = np.zeros((n, n))
    for column in range(n):
        own = wrong // k == column
        at = np.bincount(wrong[own] % k, weights=wrongs[own], minlength=k)
        below = np.cumsum(at) - at / 2
        won[:, column] = np.bincount(right // k, weights=rights * below[right % k], minlength=n)
    return won


def _percentiles(value: float, drawn: Floats, items: int) -> Estimate:
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Estimate(
        value=value,
        low=min(float(low), value),
        high=max(float(high), value),
        n=items,
        method="bootstrap over items",
    )
