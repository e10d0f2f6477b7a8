"""From a judge's verdicts and a few labels to the true share: which labels serve, and how far they reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct, structs

from fiducial.stats.corrected import (
    BETWEEN,
    OWN_LABELS,
    Corrected,
    Floats,
    Labelled,
    ShareEstimate,
    Side,
    from_other_labels,
    from_own_labels,
)
from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.stats.proportion import wilson_limits

ENOUGH_GROUPS = 5  # labelled groups from which one can see how far groups differ
UNEVEN = 0.001  # p below which labels are no random part of the cases

Basis = Literal["own labels", "labels of other groups", "labels of one other group", "none"]
Scope = Literal["these rows", "population"]


class Verdict(Struct, frozen=True, kw_only=True):
    """One case: what the judge said of it, and what people said, where they did."""

    verdict: float
    label: int | None = None
    group: str | None = None


class Shift(Struct, frozen=True, kw_only=True):
    """Where the labels came from, and what that costs.

    `between` is the standard deviation, between groups, of the judge's sensitivity and specificity; `widening` how many
    times wider the interval is than if groups did not differ. `uneven` is the p of "the labelled cases are a random part of
    all", where that can be tested. `own_labels_would_give` is about half the width of the interval that 30 labels on the
    cases themselves would give.
    """

    basis: Basis
    own_labels: int
    other_labels: int
    groups: int
    between: dict[str, float] | None = None
    widening: float | None = None
    uneven: float | None = None
    own_labels_would_give: float | None = None
    words: str


class Correction(Struct, frozen=True, kw_only=True):
    """The share as the judge has it, as the labels alone have it, and as both together have it.

    `scope` says whose share `labels_only` and `corrected` estimate: that of these rows, or of the population that the rows
    were drawn from.
    """

    raw: Measured
    labels_only: ShareEstimate | Withheld
    corrected: ShareEstimate | Withheld
    sensitivity: Measured
    specificity: Measured
    shift: Shift
    scope: Scope


def correct(rows: Sequence[Verdict], *, group: str | None = None, population: bool = False) -> Correction:
    """The mean label of all rows of the group; of all rows, where none is named.

    With `population`, the mean label of the population that these rows are a random sample of.
    """
    scope: Scope = "population" if population else "these rows"
    inside = [row for row in rows if group is None or row.group == group]
    outside = [row for row in rows if group is not None and row.group != group and row.label is not None]
    own = [row for row in inside if row.label is not None]
    verdicts = _array(row.verdict for row in inside)
    raw = _raw(verdicts)
    if not len(verdicts):
        return _none(raw, "there is no row to estimate from", own=0, other=len(outside), scope=scope)
    if not own and not outside:
        why = "no row has a label: how far the judge errs is not known"
        return _none(raw, why, own=0, other=0, scope=scope)
    alone: ShareEstimate | Withheld = Withheld("no row of these has a label")
    if own:
        alone = from_own_labels(verdicts, *_pairs(own), strata=False, population=population)
    uneven = _uneven(inside) if group is None else None
    if uneven is not None and uneven < UNEVEN:
        return _from_other(raw, alone, verdicts, own, uneven=uneven, scope=scope)
    counted = len(own) == len(inside) and not population
    if own and (len(own) >= OWN_LABELS or not outside or counted):
        unused = f"; the {len(outside)} labels of other groups are not needed" if outside else ""
        return _from_own(raw, alone, verdicts, own, other=len(outside), uneven=uneven, scope=scope, unused=unused)
    found = _from_other(raw, alone, verdicts, outside, few=own, scope=scope)
    if own and isinstance(found.corrected, Withheld):
        unused = f"; the {len(outside)} labels of other groups are not used: {found.corrected.withheld}"
        return _from_own(raw, alone, verdicts, own, other=len(outside), uneven=None, scope=scope, unused=unused)
    return found


def _from_own(
    raw: Measured,
    alone: ShareEstimate | Withheld,
    verdicts: Floats,
    own: Sequence[Verdict],
    *,
    other: int,
    uneven: float | None,
    scope: Scope,
    unused: str,
) -> Correction:
    rates = _rates([_labelled(own)])
    corrected = from_own_labels(verdicts, *_pairs(own), population=scope == "population")
    words = f"{len(own)} of the {len(verdicts)} rows have labels of their own"
    if corrected.kind == "count":
        words = f"all {len(verdicts)} rows have labels, so the share of these rows is a count and not an estimate"
    elif len(own) < OWN_LABELS:
        words += f", fewer than the {OWN_LABELS} that are recommended"
    words += unused
    return Correction(
        raw=raw,
        labels_only=alone,
        corrected=corrected,
        scope=scope,
        sensitivity=rates[0],
        specificity=rates[1],
        shift=Shift(
            basis="own labels", own_labels=len(own), other_labels=other, groups=0, uneven=uneven, words=words
        ),
    )


def _from_other(
    raw: Measured,
    alone: ShareEstimate | Withheld,
    verdicts: Floats,
    labelled: Sequence[Verdict],
    *,
    scope: Scope,
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
            scope=scope,
            sensitivity=sensitivity,
            specificity=specificity,
            shift=shift,
        )
    mean = float(verdicts.mean())
    own = _pairs(few) if few else None
    population = scope == "population"
    found = from_other_labels(mean, len(verdicts), groups, shifted=True, own=own, population=population)
    plain = from_other_labels(mean, len(verdicts), groups, shifted=False, own=own, population=population)
    return Correction(
        raw=raw,
        labels_only=alone,
        corrected=_called(found.share, basis),
        scope=scope,
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
            own_labels_would_give=found.own_labels,
            words=_words(found, len(names), len(labelled), uneven),
        ),
    )


def _called(share: ShareEstimate | Withheld, basis: Basis) -> ShareEstimate | Withheld:
    if basis != "labels of one other group" or isinstance(share, Withheld):
        return share
    return structs.replace(share, method="range: Rogan–Gladen with labels of one other group")


def _words(found: Corrected, groups: int, labels: int, uneven: float | None) -> str:
    spread = "" if uneven is None else "labels are not spread over the groups as the rows are; "
    others = "one other group" if groups == 1 else f"{groups} other groups"
    words = f"{spread}the {labels} labels come from {others}"
    if isinstance(found.share, Withheld):
        return words
    if groups >= ENOUGH_GROUPS:
        assumed = "differ from group to group as they do between the labelled ones"
    else:
        few = "one group cannot show it" if groups == 1 else f"{groups} groups are too few to show it"
        assumed = f"differ from group to group by an intraclass correlation of about {BETWEEN:.2f} ({few})"
    words += (
        f". This is a range, not an interval: it assumes that the judge's error rates {assumed}. Only labels of its own "
        "can show that the judge errs on this group unlike on all labelled ones"
    )
    if found.own_labels is not None:
        words += f"; {OWN_LABELS} of them would give about ± {found.own_labels:.2f}"
    return words


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


def _none(raw: Measured, why: str, *, own: int, other: int, scope: Scope) -> Correction:
    withheld = Withheld(why)
    return Correction(
        raw=raw,
        labels_only=withheld,
        corrected=withheld,
        scope=scope,
        sensitivity=withheld,
        specificity=withheld,
        shift=Shift(basis="none", own_labels=own, other_labels=other, groups=0, words=why),
    )


def _pairs(rows: Sequence[Verdict]) -> tuple[Floats, Floats]:
    return _array(row.verdict for row in rows), _array(float(row.label or 0) for row in rows)


def _array(values: object) -> Floats:
    return np.array(list(values), dtype=np.float64)  # type: ignore[call-overload]
