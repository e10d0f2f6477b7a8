"""From a judge's verdicts and a few labels to the true share: which labels serve, and how far they reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from fiducial.stats.corrected import (
    Corrected,
    Floats,
    Labelled,
    Side,
    from_other_labels,
    from_own_labels,
)
from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.stats.proportion import wilson_limits

ENOUGH = 30  # own labels that stand alone
UNEVEN = 0.001  # p below which labels are no random part of the cases

Basis = Literal["own labels", "labels of other groups", "labels of one other group", "none"]


class Verdict(Struct, frozen=True, kw_only=True):
    """One case: what the judge said of it, and what people said, where they did."""

    verdict: float
    label: int | None = None
    group: str | None = None


class Shift(Struct, frozen=True, kw_only=True):
    """Where the labels came from, and what that costs.

    `between` is the standard deviation, between groups, of the judge's sensitivity and specificity; `widening` how many
    times wider the interval is than if groups did not differ. `uneven` is the p of "the labelled cases are a random part of
    all", where that can be tested.
    """

    basis: Basis
    own_labels: int
    other_labels: int
    groups: int
    between: dict[str, float] | None = None
    widening: float | None = None
    uneven: float | None = None
    words: str


class Correction(Struct, frozen=True, kw_only=True):
    """The share as the judge has it, as the labels alone have it, and as both together have it."""

    raw: Measured
    labels_only: Measured
    corrected: Measured
    sensitivity: Measured
    specificity: Measured
    shift: Shift


def correct(rows: Sequence[Verdict], *, group: str | None = None) -> Correction:
    """The mean label of all rows of the group; of all rows, where none is named."""
    inside = [row for row in rows if group is None or row.group == group]
    outside = [row for row in rows if group is not None and row.group != group and row.label is not None]
    own = [row for row in inside if row.label is not None]
    verdicts = _array(row.verdict for row in inside)
    raw = _raw(verdicts)
    if not len(verdicts):
        return _none(raw, "there is no row to estimate from", own=0, other=len(outside))
    if not own and not outside:
        return _none(raw, "no row has a label: how far the judge errs is not known", own=0, other=0)
    alone: Measured = Withheld("no row of these has a label")
    if own:
        alone = from_own_labels(verdicts, *_pairs(own), strata=False)
    uneven = _uneven(inside) if group is None else None
    if uneven is not None and uneven < UNEVEN:
        return _from_other(raw, alone, verdicts, own, uneven=uneven)
    if own and (len(own) >= ENOUGH or not outside):
        return _from_own(raw, alone, verdicts, own, other=len(outside), uneven=uneven)
    return _from_other(raw, alone, verdicts, outside, few=own)


def _from_own(
    raw: Measured, alone: Measured, verdicts: Floats, own: Sequence[Verdict], *, other: int, uneven: float | None
) -> Correction:
    rates = _rates([_labelled(own)])
    words = f"{len(own)} of the {len(verdicts)} rows have labels of their own"
    if len(own) < ENOUGH:
        words += f", fewer than the {ENOUGH} that are recommended"
    if other:
        words += f"; the {other} labels of other groups are not needed"
    return Correction(
        raw=raw,
        labels_only=alone,
        corrected=from_own_labels(verdicts, *_pairs(own)),
        sensitivity=rates[0],
        specificity=rates[1],
        shift=Shift(
            basis="own labels", own_labels=len(own), other_labels=other, groups=0, uneven=uneven, words=words
        ),
    )


def _from_other(
    raw: Measured,
    alone: Measured,
    verdicts: Floats,
    labelled: Sequence[Verdict],
    *,
    few: Sequence[Verdict] = (),
    uneven: float | None = None,
) -> Correction:
    """With labels of other groups; `few` are labels of the rows themselves that are too few to stand alone.

    `uneven`: the labels are on rows of some groups, and the whole of the rows is estimated.
    """
    names = list(dict.fromkeys(row.group for row in labelled))
    groups = [_labelled([row for row in labelled if row.group == name]) for name in names]
    basis: Basis = "labels of other groups" if len(names) > 1 else "labels of one other group"
    inside = len(few) if uneven is None else len(labelled)
    outside = len(labelled) if uneven is None else 0
    missing = _one_class(labelled)
    if missing:
        sensitivity, specificity = _rates(groups)
        shift = Shift(
            basis=basis,
            own_labels=inside,
            other_labels=outside,
            groups=len(names),
            uneven=uneven,
            words=missing,
        )
        return Correction(
            raw=raw,
            labels_only=alone,
            corrected=Withheld(missing),
            sensitivity=sensitivity,
            specificity=specificity,
            shift=shift,
        )
    mean = float(verdicts.mean())
    own = _pairs(few) if few else None
    found = from_other_labels(mean, len(verdicts), groups, shifted=True, own=own)
    plain = from_other_labels(mean, len(verdicts), groups, shifted=False, own=own)
    return Correction(
        raw=raw,
        labels_only=alone,
        corrected=_called(found.share, basis),
        sensitivity=found.m1,
        specificity=_other_way(found.m0),
        shift=Shift(
            basis=basis,
            own_labels=inside,
            other_labels=outside,
            groups=len(names),
            between={"sensitivity": found.between[0], "specificity": found.between[1]},
            widening=_widening(found, plain),
            uneven=uneven,
            words=_words(basis, len(names), len(labelled), uneven),
        ),
    )


def _called(share: Measured, basis: Basis) -> Measured:
    """An interval from labels of a single other group is a range: how groups differ cannot be seen from one."""
    if basis != "labels of one other group" or isinstance(share, Withheld):
        return share
    return Estimate(
        value=share.value,
        low=share.low,
        high=share.high,
        n=share.n,
        method="range: Rogan–Gladen with labels of one other group",
    )


def _words(basis: Basis, groups: int, labels: int, uneven: float | None) -> str:
    spread = "" if uneven is None else "labels are not spread over the groups as the rows are; "
    if basis == "labels of one other group":
        return (
            f"{spread}the {labels} labels come from one group: how far a judge's error rates differ between groups "
            "cannot be seen from one, and is assumed. This is a range, not an interval with a known coverage"
        )
    return (
        f"{spread}the {labels} labels come from {groups} other groups: the judge's error rates are predicted for a group "
        "that was not seen, and the interval is wider by what groups differ"
    )


def _rates(groups: Sequence[Labelled]) -> tuple[Measured, Measured]:
    """Sensitivity and specificity as they stand in the labels."""
    sides = [
        Side(
            n=sum(side.n for side in own),
            total=sum(side.total for side in own),
            squares=sum(side.squares for side in own),
        )
        for own in ([g.ones for g in groups], [g.zeros for g in groups])
    ]
    rates: list[Measured] = []
    for side, what in zip(sides, ("1", "0"), strict=True):
        if not side.n:
            rates.append(Withheld(f"no labelled case has the label {what}"))
            continue
        share = side.total / side.n
        low, high = wilson_limits(share, side.n)
        rates.append(Estimate(value=share, low=low, high=high, n=side.n, method="Wilson"))
    return rates[0], _other_way(rates[1])


def _other_way(rate: Measured) -> Measured:
    if isinstance(rate, Withheld):
        return rate
    return Estimate(value=1 - rate.value, low=1 - rate.high, high=1 - rate.low, n=rate.n, method=rate.method)


def _one_class(labelled: Sequence[Verdict]) -> str | None:
    seen = {row.label for row in labelled}
    if len(seen) > 1:
        return None
    return f"all {len(labelled)} labels are {seen.pop()}: the judge's error on the other class is not known"


def _uneven(rows: Sequence[Verdict]) -> float | None:
    """p of "the labelled rows are a random part of all", by group; None where there are no two groups, or no labels.

    Exact enough with few rows a group: the reference distribution is drawn, not taken from a table.
    """
    names = list(dict.fromkeys(row.group for row in rows))
    if len(names) < 2 or len(names) > len(rows) / 2:
        return None
    place = {name: k for k, name in enumerate(names)}
    member = np.array([place[row.group] for row in rows])
    has = np.array([row.label is not None for row in rows])
    labels = int(has.sum())
    if not 0 < labels < len(rows):
        return None
    sizes = np.bincount(member, minlength=len(names))
    expected = sizes * labels / len(rows)
    seen = np.bincount(member[has], minlength=len(names))
    rng = np.random.default_rng(0)
    drawn = rng.multivariate_hypergeometric(sizes, labels, size=4000)
    distance = ((drawn - expected) ** 2 / expected).sum(axis=1)
    return float(((distance >= ((seen - expected) ** 2 / expected).sum() - 1e-9).sum() + 1) / (len(distance) + 1))


def _widening(found: Corrected, plain: Corrected) -> float | None:
    if isinstance(found.share, Withheld) or isinstance(plain.share, Withheld):
        return None
    narrow = plain.share.high - plain.share.low
    return (found.share.high - found.share.low) / narrow if narrow else None


def _labelled(rows: Sequence[Verdict]) -> Labelled:
    return Labelled(
        Side.of(_array(row.verdict for row in rows if row.label == 1)),
        Side.of(_array(row.verdict for row in rows if row.label == 0)),
    )


def _raw(verdicts: Floats) -> Measured:
    if not len(verdicts):
        return Withheld("there is no row")
    mean = float(verdicts.mean())
    low, high = wilson_limits(mean, len(verdicts))
    return Estimate(value=mean, low=low, high=high, n=len(verdicts), method="Wilson, as if the judge never erred")


def _none(raw: Measured, why: str, *, own: int, other: int) -> Correction:
    withheld = Withheld(why)
    return Correction(
        raw=raw,
        labels_only=withheld,
        corrected=withheld,
        sensitivity=withheld,
        specificity=withheld,
        shift=Shift(basis="none", own_labels=own, other_labels=other, groups=0, words=why),
    )


def _pairs(rows: Sequence[Verdict]) -> tuple[Floats, Floats]:
    return _array(row.verdict for row in rows), _array(float(row.label or 0) for row in rows)


def _array(values: object) -> Floats:
    return np.array(list(values), dtype=np.float64)  # type: ignore[call-overload]
