"""What many runs of known subjects add up to: how often intervals hold the truth, and the bounds they have to keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from fiducial.model.sim.spec import Spec
from fiducial.study.older import PRESENT

Group = Literal["null", "smooth", "lumpy"]

ENOUGH = 3000  # intervals without which a share is too rough to be held against a bound
MOST_EXCLUDED = 0.07
MOST_FLAGGED = 0.05
COVERED = (0.93, 0.97)


class Found(Struct, frozen=True, kw_only=True):
    """One effect of one run. Without an interval where the estimate was withheld."""

    bias: str
    truth: float
    value: float | None = None
    low: float = 0.0
    high: float = 0.0
    older: float | None = None  # the older formula's number, where it has one


class Outcome(Struct, frozen=True, kw_only=True):
    """One run of one subject."""

    subject: str
    found: list[Found]
    flagged: int
    replies: int
    unread: int
    misread: int  # read as something else than the subject had decided
    spoken: int = 0  # replies that were put into words


class Older(Struct, frozen=True, kw_only=True):
    """What the older formula made of the same replies. Shares are of effects and of runs."""

    effects: int
    mean: float | None
    bias: float | None  # mean of (susceptibility − true effect)
    rmse: float | None
    present: float | None
    runs_present: float | None


class Row(Struct, frozen=True, kw_only=True):
    """A subject over all its runs. Shares are None where there is nothing to take them of."""

    subject: str
    group: Group
    effect: float  # the planted one
    runs: int
    intervals: int
    withheld: int
    excludes: float | None  # share of unadjusted 95 % intervals without 0
    covered: float | None  # share of intervals that hold the true effect
    flagged_runs: float  # share of runs that flag anything
    mean: float | None
    bias: float | None  # mean of (estimate − true effect)
    rmse: float | None
    width: float | None
    replies: int
    unread: int
    misread: int
    older: Older
    covered_by_bias: dict[str, float]
    spoken: int = 0


class Bound(Struct, frozen=True, kw_only=True):
    """What a calibration has to show. `intervals` stand behind `value`; too few of them are not judged."""

    says: str
    value: float
    low: float
    high: float
    intervals: int
    of: str
    state: Literal["met", "missed", "too few"]


def group_of(spec: Spec) -> Group:
    """What kind of subject it is."""
    if spec.kind != "planted" or not (spec.effect or spec.spread):
        return "null"
    return "lumpy" if spec.lumpy else "smooth"


def summarise(spec: Spec, text: str, outcomes: Sequence[Outcome]) -> Row:
    """The row of one subject."""
    found = [f for outcome in outcomes for f in outcome.found]
    known = [f for f in found if f.value is not None]
    off = [f.value - f.truth for f in known if f.value is not None]
    held: dict[str, list[bool]] = {}
    for f in known:
        held.setdefault(f.bias, []).append(_holds(f, f.truth))
    return Row(
        subject=text,
        group=group_of(spec),
        effect=spec.effect,
        runs=len(outcomes),
        intervals=len(known),
        withheld=len(found) - len(known),
        excludes=_mean(not _holds(f, 0.0) for f in known),
        covered=_mean(_holds(f, f.truth) for f in known),
        flagged_runs=_mean(outcome.flagged > 0 for outcome in outcomes) or 0.0,
        mean=_mean(f.value for f in known if f.value is not None),
        bias=_mean(off),
        rmse=_rms(off),
        width=_mean(f.high - f.low for f in known),
        replies=sum(outcome.replies for outcome in outcomes),
        unread=sum(outcome.unread for outcome in outcomes),
        misread=sum(outcome.misread for outcome in outcomes),
        older=_older(outcomes),
        spoken=sum(outcome.spoken for outcome in outcomes),
        covered_by_bias={bias: float(np.mean(one)) for bias, one in held.items()},
    )


def _older(outcomes: Sequence[Outcome]) -> Older:
    runs = [[(f.older, f.truth) for f in outcome.found if f.older is not None] for outcome in outcomes]
    pairs = [pair for run in runs for pair in run]
    off = [value - truth for value, truth in pairs]
    return Older(
        effects=len(pairs),
        mean=_mean(value for value, _ in pairs),
        bias=_mean(off),
        rmse=_rms(off),
        present=_mean(value > PRESENT for value, _ in pairs),
        runs_present=_mean(any(value > PRESENT for value, _ in run) for run in runs),
    )


def judge(rows: Sequence[Row]) -> list[Bound]:
    """The bounds for the groups that are there.

    Null and lumpy subjects are each held to theirs, so the one that does worst decides: pooled, the subjects that
    cannot err (`first`, `rational`) would hide the others. Smooth ones are pooled.
    """
    groups: dict[Group, list[Row]] = {"null": [], "smooth": [], "lumpy": []}
    for row in rows:
        if row.intervals:
            groups[row.group].append(row)
    least, most = COVERED
    found = []
    if null := groups["null"]:
        found += [
            _at_worst("intervals of null subjects exclude 0", null, lambda r: r.excludes, high=MOST_EXCLUDED),
            _at_worst("runs of null subjects flag anything", null, lambda r: r.flagged_runs, high=MOST_FLAGGED),
        ]
    if smooth := groups["smooth"]:
        n = sum(row.intervals for row in smooth)
        value = sum((row.covered or 0.0) * row.intervals for row in smooth) / n
        what = "intervals of smooth planted subjects hold the effect"
        found.append(_bound(what, value, least, most, n, f"{len(smooth)} subjects pooled"))
    if lumpy := groups["lumpy"]:
        what = "intervals of lumpy planted subjects hold the effect"
        found.append(_at_worst(what, lumpy, lambda r: r.covered, low=least))
    return found


def _at_worst(
    says: str, rows: Sequence[Row], share: Callable[[Row], float | None], *, low: float = 0.0, high: float = 1.0
) -> Bound:
    """A one-sided bound at the subject that comes nearest to breaking it, or breaks it most."""
    worst = (max if low <= 0 else min)(rows, key=lambda row: share(row) or 0.0)
    n = min(row.intervals for row in rows)
    return _bound(says, share(worst) or 0.0, low, high, n, f"worst of {len(rows)}: {worst.subject}")


def _bound(says: str, value: float, low: float, high: float, intervals: int, of: str) -> Bound:
    state: Literal["met", "missed", "too few"] = "met" if low <= value <= high else "missed"
    if intervals < ENOUGH:
        state = "too few"
    return Bound(says=says, value=value, low=low, high=high, intervals=intervals, of=of, state=state)


def _holds(found: Found, value: float) -> bool:
    return found.low <= value <= found.high


def _mean(values: Iterable[float]) -> float | None:
    array = np.fromiter(values, dtype=np.float64)
    return float(array.mean()) if len(array) else None


def _rms(values: Sequence[float]) -> float | None:
    return float(np.sqrt(np.mean(np.square(values)))) if len(values) else None
