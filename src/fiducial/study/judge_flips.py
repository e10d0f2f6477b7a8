"""What another wording does to a judge's verdicts, held against what asking twice does to them.

Every case here has three verdicts: the shipped wording asked twice (`first`, `again`), and the other wording asked
once (`changed`). Where the wording does nothing, `again` and `changed` are exchangeable, and so are `first` and
`changed`. Both exact tests rest on that alone, however inconsistent the judge is: flips against flips, and moves in one
direction against moves in the other. Reference: McNemar (1947), Psychometrika 12(2), 153-157.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from scipy import special

from fiducial.judge.case import CaseVerdict
from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.stats.means import mean_effect
from fiducial.stats.proportion import wilson, wilson_limits

BANDS = ((0.0, 0.6), (0.6, 0.8), (0.8, 0.95), (0.95, 1.0))
"""Of the stated confidence: from the first to below the second, the last with its end."""


class Triple(Struct, frozen=True, kw_only=True):
    """A case with a valid verdict each time it was asked."""

    case: str
    label: int | None
    first: CaseVerdict
    again: CaseVerdict
    changed: CaseVerdict


class Flips(Struct, frozen=True, kw_only=True):
    """How often the verdict is another. `p` is McNemar's exact, of the cases that flipped only one way."""

    rate: Measured  # first against changed
    baseline: Measured  # first against again
    difference: Measured
    only_changed: int
    only_again: int
    p: float | None


class Shift(Struct, frozen=True, kw_only=True):
    """A mean under the shipped wording (its first asking) and under the other, over the same cases."""

    shipped: Measured
    changed: Measured
    difference: Measured


class Pull(Struct, frozen=True, kw_only=True):
    """Where verdicts go that move, seen from the right answer. `p` is McNemar's exact, of toward against away.

    A judge that wavers moves both ways alike, so `net`, toward minus away, is 0 for it. `put_right` is over the cases
    that the first asking got wrong: how much less wrong the other wording is on them than a second asking is.
    """

    toward: Measured
    away: Measured
    net: Measured
    twice_toward: Measured  # the same of a second asking
    twice_away: Measured
    put_right: Measured
    errors: int
    moved_toward: int
    moved_away: int
    p: float | None


class Band(Struct, frozen=True, kw_only=True):
    """Flips of the cases whose first verdict was stated with a confidence in this band."""

    low: float
    high: float
    cases: int
    rate: Measured
    baseline: Measured
    difference: Measured


def mcnemar(one_way: int, other_way: int) -> float:
    """The exact two-sided p of as many cases that changed one way as the other. With none of either it is 1."""
    changed = one_way + other_way
    return min(1.0, float(2 * special.bdtr(min(one_way, other_way), changed, 0.5))) if changed else 1.0


def flips(triples: Sequence[Triple]) -> Flips:
    """Verdicts that differ, in the deciding value as it was said."""
    changed = [t.first.said != t.changed.said for t in triples]
    again = [t.first.said != t.again.said for t in triples]
    only = [sum(a and not b for a, b in zip(*pair, strict=True)) for pair in ((changed, again), (again, changed))]
    return Flips(
        rate=_share(changed),
        baseline=_share(again),
        difference=_mean_difference([a - b for a, b in zip(changed, again, strict=True)]),
        only_changed=only[0],
        only_again=only[1],
        p=mcnemar(*only) if triples else None,
    )


def flip_rate(pairs: Sequence[tuple[CaseVerdict, CaseVerdict]]) -> Measured:
    """The share of pairs whose verdicts differ."""
    return _share([a.said != b.said for a, b in pairs])


def mean_score(scores: Sequence[float]) -> Measured:
    """The mean of scores from 0 to 1. Scores in between spread less than a share does: Wilson's limits hold for both."""
    if not scores:
        return Withheld("there is no case to compute it from")
    mean = float(np.mean(scores))
    low, high = wilson_limits(mean, len(scores))
    return Estimate(value=mean, low=low, high=high, n=len(scores), method="Wilson")


def mean_verdict(triples: Sequence[Triple]) -> Shift:
    """The mean score, over all cases."""
    return _shift(triples, lambda verdict: verdict.score)


def sensitivity(triples: Sequence[Triple]) -> Shift:
    """The mean score where the label is 1."""
    return _shift([t for t in triples if t.label == 1], lambda verdict: verdict.score)


def specificity(triples: Sequence[Triple]) -> Shift:
    """One minus the mean score where the label is 0."""
    return _shift([t for t in triples if t.label == 0], lambda verdict: 1 - verdict.score)


def pull(triples: Sequence[Triple]) -> Pull:
    """Toward the right answer, or away from it. A case without a label has none, and is left out."""
    labelled = [t for t in triples if t.label is not None]
    changed = [int(np.sign(_error(t.first, t) - _error(t.changed, t))) for t in labelled]
    again = [int(np.sign(_error(t.first, t) - _error(t.again, t))) for t in labelled]
    wrong = [t for t in labelled if _error(t.first, t) > 0]
    toward, away = changed.count(1), changed.count(-1)
    return Pull(
        toward=_share([way == 1 for way in changed]),
        away=_share([way == -1 for way in changed]),
        net=_mean_difference(changed),
        twice_toward=_share([way == 1 for way in again]),
        twice_away=_share([way == -1 for way in again]),
        put_right=_mean_difference([_error(t.again, t) - _error(t.changed, t) for t in wrong]),
        errors=len(wrong),
        moved_toward=toward,
        moved_away=away,
        p=mcnemar(toward, away) if labelled else None,
    )


def by_confidence(triples: Sequence[Triple]) -> list[Band]:
    """Flips in each band of the confidence that the first asking stated. Empty where the task has none."""
    stated = [(t.first.confidence, t) for t in triples if t.first.confidence is not None]
    found = []
    for low, high in BANDS if stated else ():
        own = flips([t for c, t in stated if low <= c < high or c == high == BANDS[-1][1]])
        cases = own.rate.n if isinstance(own.rate, Estimate) else 0
        found.append(
            Band(low=low, high=high, cases=cases, rate=own.rate, baseline=own.baseline, difference=own.difference)
        )
    return found


def _error(verdict: CaseVerdict, of: Triple) -> float:
    assert of.label is not None
    return abs(verdict.score - of.label)


def _shift(triples: Sequence[Triple], worth: Callable[[CaseVerdict], float]) -> Shift:
    shipped, changed = [worth(t.first) for t in triples], [worth(t.changed) for t in triples]
    return Shift(
        shipped=mean_score(shipped),
        changed=mean_score(changed),
        difference=_mean_difference([b - a for a, b in zip(shipped, changed, strict=True)]),
    )


def _share(hits: Sequence[bool]) -> Measured:
    return wilson(sum(hits), len(hits)) if hits else Withheld("there is no case to compute it from")


def _mean_difference(differences: Sequence[float]) -> Measured:
    return mean_effect(differences, unit="case").estimate
