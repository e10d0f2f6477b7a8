"""How far precision and recall of one reviewer moved between two runs, and what could have been seen.

With six documents or more, documents are the units: the sign of each one's difference is flipped. With fewer, that
can show nothing, and the outputs on a document are exchanged between the runs instead, which says something about
these documents only. Flipping must-finds one by one is no way out: an output that is short or empty loses many of them
at once, and two runs of one reviewer then look different far too often. The formulas are in docs/comparing.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fiducial.review.output import Output
from fiducial.stats.distributions import t_quantile
from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.stats.means import EQUAL_SHARE, largest_tie, mean_effect
from fiducial.stats.permutation import exchange, least_exchange, sign_flip
from fiducial.stats.resample import bootstrap_sums
from fiducial.study.review_pairs import ItemDifference, Sides, outcome

Verdict = Literal["higher", "lower", "no difference shown", "withheld"]
Floats = NDArray[np.float64]

ALPHA = 0.05
FEWEST_FLIPPED = 6  # documents: five flipped signs give p = 2/32 at the least
FEWEST_RESAMPLED = 8  # documents that a bootstrap by document needs
HERE = "for these documents only"


class Change(Struct, frozen=True, kw_only=True):
    """B against A in one measure. `p` is two-sided and None where no test could show anything; `test` says why."""

    a: float | None
    b: float | None
    difference: Measured  # B − A
    p: float | None
    adjusted: float | None = None  # p by Holm, over everything that was tested in the comparison
    verdict: Verdict = "withheld"
    test: str
    pairs: int  # documents, or must-finds, that were paired
    documents: int
    half_width: float | None  # of the interval: the smallest difference that it could have shown
    least: float  # the smallest p that these pairs and outputs can give
    direction: float  # of what was tested: below 0 where B is lower
    could_see: str = ""


def recall_change(items: Sequence[ItemDifference], sides: Mapping[str, Sides], *, seed: int) -> Change:
    """The mean over must-finds of the difference of their rates. `sides` are the outputs by document."""
    documents = list(dict.fromkeys(item.document for item in items))
    differences = [item.difference for item in items]
    rng = np.random.default_rng([seed, 1])
    if len(documents) >= FEWEST_FLIPPED:
        found = sign_flip(differences, [item.document for item in items], rng=rng)
        tested = _Test(
            found.p, found.least, f"sign flips of {len(documents)} documents", float(np.sum(differences))
        )
        measured = mean_effect(differences, [item.document for item in items], unit="document").estimate
    else:
        scores = {name: _share_found(items, name, sides[name]) for name in documents}
        tested = _exchanged(list(scores.values()), float(np.sum(differences)), rng)
        measured = _between_outputs(differences, list(scores.values()))
    return Change(
        a=float(np.mean([item.a / item.a_runs for item in items])),
        b=float(np.mean([item.b / item.b_runs for item in items])),
        difference=measured,
        p=tested.p,
        test=tested.words,
        pairs=len(items),
        documents=len(documents),
        half_width=_half(measured),
        least=tested.least,
        direction=tested.direction,
    )


def precision_change(sides: Mapping[str, Sides], clusters: Mapping[str, Sequence[int]], *, seed: int) -> Change:
    """The difference of pooled precision. `clusters` numbers the content of each document's findings, in the order of
    the outputs of A and then of B; with fewer than eight documents these are resampled."""
    rows = [
        (name, cluster, side, judged.score)
        for name, outputs in sides.items()
        for (side, judged), cluster in zip(
            ((side, judged) for side in (0, 1) for output in outputs[side] for judged in output.findings),
            clusters[name],
            strict=True,
        )
        if judged.score is not None
    ]
    both = [name for name in sides if {side for own, _, side, _ in rows if own == name} == {0, 1}]
    a, b = (_mean([score for _, _, own, score in rows if own == side]) for side in (0, 1))
    rng = np.random.default_rng([seed, 2])
    by_document = [
        _mean([s for own, _, side, s in rows if (own, side) == (name, 1)])
        - _mean([s for own, _, side, s in rows if (own, side) == (name, 0)])
        for name in both
    ]
    if len(both) >= FEWEST_FLIPPED:
        found = sign_flip(by_document, rng=rng)
        tested = _Test(found.p, found.least, f"sign flips of {len(both)} documents", float(np.sum(by_document)))
    else:
        excess = [_excess(sides[name]) for name in both]
        moved = float(sum(_mean(one[1]) - _mean(one[0]) for one in excess))
        tested = _exchanged(excess, moved, rng)
    measured = _resampled(rows, len(both), rng)
    if isinstance(measured, Estimate) and len(both) < FEWEST_RESAMPLED:
        measured = _widened(measured, _half_by_outputs(_weights(sides, a, b)))
    return Change(
        a=None if math.isnan(a) else a,
        b=None if math.isnan(b) else b,
        difference=measured,
        p=tested.p,
        test=tested.words,
        pairs=len(both),
        documents=len(both),
        half_width=_half(measured),
        least=tested.least,
        direction=tested.direction,
    )


class _Test(Struct, frozen=True):
    p: float | None
    least: float
    words: str
    direction: float


def _exchanged(
    groups: Sequence[tuple[list[float], list[float]]], direction: float, rng: np.random.Generator
) -> _Test:
    sizes = [(len(a), len(b)) for a, b in groups if a and b]
    if not sizes:
        return _Test(None, 1.0, "no document has a judged finding in both runs", direction)
    least = least_exchange(sizes)
    many = " and ".join(str(sum(own)) for own in zip(*sizes, strict=True))
    if least > ALPHA:
        where = f"{many} outputs on {len(sizes)} {'document' if len(sizes) == 1 else 'documents'}"
        why = f"{where} cannot give a p below .05; more runs can, or {FEWEST_FLIPPED} documents, the fewest pairs that can"
        return _Test(None, least, why, direction)
    found = exchange(groups, rng=rng)
    return _Test(found.p, least, f"{many} outputs exchanged within {len(sizes)} documents, {HERE}", direction)


def _share_found(items: Sequence[ItemDifference], document: str, sides: Sides) -> tuple[list[float], list[float]]:
    """For each output on a document, the must-finds in it as a share of the whole list. Where the judge gave no
    verdict the item's rate over both runs stands in: that favours neither side."""
    own = [item for item in items if item.document == document]
    rates = np.array([(item.a + item.b) / (item.a_runs + item.b_runs) for item in own])

    def score(output: Output) -> float:
        seen = np.array([outcome(output, item.id) for item in own])
        return float(np.where(np.isnan(seen), rates, seen).sum() / len(items))

    return [score(output) for output in sides[0]], [score(output) for output in sides[1]]


def _excess(sides: Sides) -> tuple[list[float], list[float]]:
    """For each output on a document, how much more its findings are worth than as many of either run on average."""
    scores = [[[j.score for j in o.findings if j.score is not None] for o in outputs] for outputs in sides]
    mean = _mean([s for outputs in scores for own in outputs for s in own])
    a, b = ([sum(own) - mean * len(own) for own in outputs] for outputs in scores)
    return a, b


def _between_outputs(differences: Sequence[float], scores: Sequence[tuple[list[float], list[float]]]) -> Measured:
    """The mean difference of few documents' must-finds: t over must-finds, which never has width zero, or wider."""
    half = _half_by_outputs([side for pair in scores for side in pair])
    if half is None:
        return Withheld("with one run there is no telling how much runs differ; use 2 or more, or 6 documents")
    found = mean_effect(differences, unit="must-find").estimate
    return found if isinstance(found, Withheld) else _widened(found, half)


def _half_by_outputs(cells: Sequence[Sequence[float]]) -> float | None:
    """Half the interval of a sum of means, a mean for each document and run, by Welch's t over the outputs.

    It knows how much one run of a reviewer differs from the next. None where a mean is of one output.
    """
    if any(len(cell) < 2 for cell in cells):
        return None
    parts = [(float(np.var(cell, ddof=1)) / len(cell), len(cell) - 1) for cell in cells]
    variance = sum(v for v, _ in parts)
    if variance == 0.0:
        return 0.0
    df = variance**2 / sum(v**2 / own for v, own in parts)
    return t_quantile(0.975, df) * math.sqrt(variance)


def _widened(found: Estimate, half: float | None) -> Estimate:
    """An interval over few documents: the wider of what it is and `half` to both sides."""
    low, high, method = found.low, found.high, found.method
    if half is None:
        method += ", without how much runs differ"
    elif 2 * half > high - low:
        low, high, method = max(-1.0, found.value - half), min(1.0, found.value + half), "Welch's t over outputs"
    return Estimate(value=found.value, low=low, high=high, n=found.n, method=f"{method}, {HERE}")


def _weights(sides: Mapping[str, Sides], a: float, b: float) -> list[list[float]]:
    """What each output adds to the difference of pooled precision, to first order, in cells whose means sum to it."""
    judged = [
        sum(j.score is not None for both in sides.values() for o in both[k] for j in o.findings) for k in (0, 1)
    ]
    return [
        [len(both[k]) * sum(j.score - mean for j in o.findings if j.score is not None) / judged[k] for o in both[k]]
        for both in sides.values()
        for k, mean in ((0, a), (1, b))
    ]


def _resampled(rows: Sequence[tuple[str, int, int, float]], documents: int, rng: np.random.Generator) -> Measured:
    """The difference of pooled precision, by the variance of a bootstrap and t on the units that were drawn.

    Where nearly all units move precision equally, as when all findings are genuine, they show too little spread. As in
    `mean_effect`, a pseudo-unit at +1 and one at −1 are then added, and the wider of the two intervals counts.
    """
    if {side for _, _, side, _ in rows} != {0, 1}:
        return Withheld("one of the runs has no judged finding")
    by_document = documents >= FEWEST_RESAMPLED
    units = [name if by_document else (name, cluster) for name, cluster, _, _ in rows]
    place = {unit: k for k, unit in enumerate(dict.fromkeys(units))}
    if len(place) < 2:
        return Withheld("an interval needs findings of at least 2 kinds; all here are of like content")
    sums = np.zeros((len(place), 4))  # worth and number, of A and of B
    for unit, (_, _, side, score) in zip(units, rows, strict=True):
        sums[place[unit], 2 * side : 2 * side + 2] += score, 1.0
    total = sums.sum(axis=0)
    value = float(total[2] / total[3] - total[0] / total[1])
    error = _error(sums, rng)
    pooled = (total[0] + total[2]) / (total[1] + total[3])
    moved = (sums[:, 2] - pooled * sums[:, 3]) / total[3] - (sums[:, 0] - pooled * sums[:, 1]) / total[1]
    if largest_tie(moved) >= EQUAL_SHARE:
        a, b = total[1] / len(place), total[3] / len(place)
        error = max(error, _error(np.vstack((sums, (a, a, 0.0, b), (0.0, a, b, b))), rng))
    half = t_quantile(0.975, len(place) - 1) * error
    return Estimate(
        value=value,
        low=max(-1.0, value - half),
        high=min(1.0, value + half),
        n=len(place),
        method="bootstrap by document" if by_document else "bootstrap by content of the findings",
    )


def _error(sums: Floats, rng: np.random.Generator) -> float:
    drawn = bootstrap_sums(sums, rng)
    drawn = drawn[(drawn[:, 1] > 0) & (drawn[:, 3] > 0)]
    differences = drawn[:, 2] / drawn[:, 3] - drawn[:, 0] / drawn[:, 1]
    return float(np.sqrt(differences.var() * len(sums) / (len(sums) - 1)))


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else math.nan


def _half(measured: Measured) -> float | None:
    return None if isinstance(measured, Withheld) else (measured.high - measured.low) / 2
