"""How well verdicts fit labels: the numbers of a calibration, each with an interval that counts a case once.

Shares have Wilson's interval over cases: it holds at 0 and at 1, and a borderline verdict, which counts one half, varies
less than it assumes. Where the cases come from 8 documents or more, documents are drawn instead (`stats/resample.py`);
with fewer, nothing can be said of other documents, and the method says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from fiducial.bias.metrics import expected_calibration_error
from fiducial.stats.distributions import beta_quantile
from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.stats.kappa import cohens_kappa
from fiducial.stats.proportion import wilson, wilson_limits
from fiducial.stats.resample import ratio_by_cluster

DOCUMENTS = 8  # from so many on they are the clusters
FEWEST = 10  # verdicts with a confidence, below which its error is not given
DRAWS = 2000
SEED = 20


class Judged(Struct, frozen=True, kw_only=True):
    """One case with a valid verdict, as far as the numbers need it."""

    label: int
    score: float  # 1, 0.5 or 0
    between: bool = False
    confidence: float | None = None
    category: str | None = None
    group: str | None = None
    document: str | None = None  # what it shares with others; None: nothing


def sensitivity(cases: Sequence[Judged]) -> Measured:
    """The mean verdict where the label is 1."""
    return _mean([(c.score, c.document) for c in cases if c.label == 1], "no case with the label 1 has a verdict")


def specificity(cases: Sequence[Judged]) -> Measured:
    """One minus the mean verdict where the label is 0."""
    return _mean(
        [(1 - c.score, c.document) for c in cases if c.label == 0], "no case with the label 0 has a verdict"
    )


def _mean(rows: Sequence[tuple[float, str | None]], nothing: str) -> Measured:
    if not rows:
        return Withheld(nothing)
    documents = {document for _, document in rows}
    if len(documents) >= DOCUMENTS and None not in documents:
        sums: dict[str | None, list[float]] = {}
        for value, document in rows:
            sums.setdefault(document, []).append(value)
        return ratio_by_cluster(
            [sum(own) for own in sums.values()],
            [len(own) for own in sums.values()],
            rng=np.random.default_rng(SEED),
            unit="document",
        )
    value = sum(value for value, _ in rows) / len(rows)
    low, high = wilson_limits(value, len(rows))
    only = "" if documents == {None} else ", for these documents only"
    return Estimate(value=value, low=low, high=high, n=len(rows), method=f"Wilson over cases{only}")


def kappa(cases: Sequence[Judged]) -> Measured:
    """Agreement of verdicts and labels beyond chance. A verdict that counts one half agrees with no label.

    The share of labels that are 1 was not drawn by the judge, so what varies are its shares of right verdicts under
    either label. The interval is put together from the exact limits of these two (Clopper & Pearson, 1934; Zou &
    Donner, 2008, Statistics in Medicine 27, 1693-1702, for a function of two independent shares). With 30 to 100 cases a
    class it covers in 96 to 97 % of samples; that for large samples in 70 to 94 %, and it is empty where all agree.
    """
    found = cohens_kappa([float(c.label) for c in cases], [c.score for c in cases])
    if isinstance(found, Withheld):
        return found
    right = {label: [c.score == label for c in cases if c.label == label] for label in (0, 1)}
    if not all(right.values()):
        return Withheld("kappa needs cases of both labels")
    missed = {label: [c.score for c in cases if c.label == label and c.score != label] for label in (0, 1)}
    opposed = {label: _share([score == 1 - label for score in own]) for label, own in missed.items()}
    base = len(right[1]) / len(cases)
    shares = {label: sum(own) / len(own) for label, own in right.items()}
    limits = {label: _exact(sum(own), len(own)) for label, own in right.items()}

    def at(end: int | None, label: int) -> float:
        moved = shares | ({} if end is None else {label: limits[label][end]})
        return _kappa(moved, opposed, base)

    value = found.value
    down, up = (math.hypot(*(value - at(end, label) for label in (0, 1))) for end in (0, 1))
    return Estimate(
        value=value,
        low=max(-1.0, value - down),
        high=min(1.0, value + up),
        n=len(cases),
        method="Cohen's kappa, from the limits of both shares of right verdicts",
    )


def _exact(hits: int, cases: int) -> tuple[float, float]:
    low = 0.0 if hits == 0 else beta_quantile(0.025, hits, cases - hits + 1)
    return low, 1.0 if hits == cases else beta_quantile(0.975, hits + 1, cases - hits)


def _kappa(right: Mapping[int, float], opposed: Mapping[int, float], base: float) -> float:
    """Kappa at these shares of right verdicts; `opposed` is the share of the others that say the opposite."""
    ones = base * right[1] + (1 - base) * (1 - right[0]) * opposed[0]
    zeros = (1 - base) * right[0] + base * (1 - right[1]) * opposed[1]
    observed = base * right[1] + (1 - base) * right[0]
    expected = base * ones + (1 - base) * zeros
    return (observed - expected) / (1 - expected)


def _share(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 1.0


def calibration_error(cases: Sequence[Judged]) -> Measured:
    """The mean distance of stated confidence from the share of right verdicts, over ten equal bins.

    Borderline verdicts are left out: labels of 0 and 1 cannot say whether they are right. Chance alone keeps the number
    above 0, the more the fewer cases there are; percentiles of draws of cases, and no test of "it is 0".
    """
    stated = [
        (c.confidence, float(c.score == c.label)) for c in cases if c.confidence is not None and not c.between
    ]
    if not stated:
        return Withheld("the task asks for no confidence" if cases else "no case has a verdict")
    if len(stated) < FEWEST:
        return Withheld(f"{len(stated)} verdicts with a confidence; {FEWEST} are the least")
    both = np.array(stated, dtype=np.float64)
    value = expected_calibration_error(both[:, 0], both[:, 1])
    picks = np.random.default_rng(SEED).integers(0, len(both), (DRAWS, len(both)))
    drawn = [expected_calibration_error(both[pick, 0], both[pick, 1]) for pick in picks]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Estimate(
        value=value,
        low=min(float(low), value),
        high=max(float(high), value),
        n=len(both),
        method="ten bins, bootstrap over cases",
    )


def share(hits: int, cases: int, nothing: str) -> Measured:
    """A share of cases."""
    return wilson(hits, cases) if cases else Withheld(nothing)
