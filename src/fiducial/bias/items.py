"""Item analysis: how each item of a run, or of several, was answered, and whether it belongs with the others.

With one run there are no persons, so nothing here is called a discrimination: what can be said is how an item came out,
with the error its replies leave, and whether it lies apart from the other items of its bias by more than these
differ among themselves. Discrimination is over runs: does the item's effect rise and fall with that of the others?
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import Literal

import numpy as np
from msgspec import Struct

from fiducial.bias.effects import Floats, block_effects, magnitudes
from fiducial.bias.estimates import compares_by
from fiducial.bias.item import INTENSITIES
from fiducial.bias.item_effects import OneItem, one_item
from fiducial.bias.paradigms import paradigm
from fiducial.bias.reading import tally
from fiducial.bias.source import stored_source
from fiducial.errors import UsageError
from fiducial.run.store import SUBJECT, Store
from fiducial.stats.correlation import correlation
from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.stats.means import mean_effect
from fiducial.stats.multiple import benjamini_hochberg
from fiducial.stats.outlying import FEWEST, Residual, leave_one_out

DRIFT_Q = 0.05
EDGE = 0.05
"""Mean scores this near to 0, or to 1, in both compared arms: there is no room to move."""

Edge = Literal["floor", "ceiling", "still"]


class Drift(Struct, frozen=True, kw_only=True):
    """An item against the other items of its bias. `q` is over all items that were tested."""

    expected: float  # the mean effect of the others
    residual: float  # the distance from it, in standard errors
    p: float
    q: float
    drifts: bool


class ItemAnalysis(Struct, frozen=True, kw_only=True):
    """One item. With one run, intervals are over its replies; with several, over runs."""

    bias: str
    item: str
    domain: str
    cluster: str
    generated: str | None
    runs: int
    replies: int
    read: int
    base: (
        Measured  # mean score in the arm that is compared with; of a calibration question, the share that was right
    )
    pulled: Measured  # mean score in the arm that pulls toward the bias
    value: float | None  # the effect as it stands in the result, also where no interval can be made
    effect: Measured
    drift: Drift | Withheld
    edge: Edge | None
    discrimination: Measured


class Analysis(Struct, frozen=True, kw_only=True):
    """All items, in the shape that `fiducial bias items --json` prints."""

    runs: list[str]
    subjects: list[str]
    complete: bool
    items: list[ItemAnalysis]

    @property
    def drifting(self) -> list[ItemAnalysis]:
        """Those that lie apart from their family."""
        return [item for item in self.items if isinstance(item.drift, Drift) and item.drift.drifts]


class _Seen(Struct, frozen=True, kw_only=True):
    """An item in one run."""

    bias: str
    item: str
    domain: str
    cluster: str
    generated: str | None
    value: float | None
    one: OneItem


class _Run(Struct, frozen=True, kw_only=True):
    name: str
    subject: str
    complete: bool
    items: dict[str, _Seen]


def analyse(paths: Sequence[Path], *, biases: Sequence[str] = ()) -> Analysis:
    """The items of these runs; with `biases`, of those alone. No call is made and nothing is written."""
    if len({path.resolve() for path in paths}) < len(paths):
        raise UsageError("the same run is given twice: runs are the units here, and each counts once.")
    runs = [_run(path) for path in paths]
    keys = list(dict.fromkeys(key for run in runs for key in run.items))
    known = {run.items[key].bias for run in runs for key in run.items}
    if unknown := [bias for bias in biases if bias not in known]:
        raise UsageError(f"--bias {unknown[0]}: not in the run; there are {', '.join(sorted(known)) or 'none'}.")
    wanted = [key for key in keys if not biases or _of(runs, key)[0].bias in biases]
    if not wanted:
        raise UsageError("no item was asked under the standard protocol: there is nothing to analyse.")
    drifts = _drifts(runs, wanted)
    return Analysis(
        runs=[run.name for run in runs],
        subjects=list(dict.fromkeys(run.subject for run in runs)),
        complete=all(run.complete for run in runs),
        items=[_item(runs, key, drifts[key]) for key in wanted],
    )


def _run(path: Path) -> _Run:
    with Store(path) as store:
        source = stored_source(store)
        counted = tally(store, source)
        settings = store.meta("settings") or {}
        seen = store.progressed(SUBJECT)
        name = store.name
    table = counted.table()
    compares = np.array([compares_by(paradigm(source.biases[b.bias].paradigm)) for b in counted.blocks])
    asked = settings.get("arms")
    used = [i for i in INTENSITIES if not isinstance(asked, list) or i in asked]
    values = magnitudes(block_effects(table, compares).value, used) if len(compares) else np.array([])
    marks = counted.ints("right")
    right: Floats = np.where(marks < 0, np.nan, marks.astype(np.float64))
    items = {
        block.id: _Seen(
            bias=block.bias,
            item=block.item,
            domain=block.domain,
            cluster=block.cluster,
            generated=block.generated,
            value=None if np.isnan(values[k]) else float(values[k]),
            one=one_item(block, table, k, right, int(compares[k])),
        )
        for k, block in enumerate(counted.blocks)
    }
    return _Run(
        name=name, subject=str(settings.get("model", "")), complete=seen.answered == seen.trials, items=items
    )


def _of(runs: Sequence[_Run], key: str) -> list[_Seen]:
    return [run.items[key] for run in runs if key in run.items]


def _mean(seen: Sequence[_Seen]) -> tuple[float | None, float | None]:
    """The mean effect over the runs that have one, and its error from the replies where every run has one."""
    known = [one for one in seen if one.value is not None]
    if not known:
        return None, None
    errors = [one.one.error for one in known]
    value = sum(one.value for one in known if one.value is not None) / len(known)
    if any(error is None for error in errors):
        return value, None
    return value, sqrt(sum(error**2 for error in errors if error is not None)) / len(errors)


def _drifts(runs: Sequence[_Run], keys: Sequence[str]) -> dict[str, Drift | Withheld]:
    """Every item against the others of its bias; q over all of them together."""
    found: dict[str, Residual | None] = {}
    few: dict[str, int] = {}
    families: dict[str, list[str]] = {}
    for key in keys:
        families.setdefault(_of(runs, key)[0].bias, []).append(key)
    for family in families.values():
        means = {key: _mean(_of(runs, key)) for key in family}
        known = [key for key in family if means[key][0] is not None]
        clusters = [_of(runs, key)[0].cluster for key in known]
        values = [value for value, _ in (means[key] for key in known) if value is not None]
        found.update(zip(known, leave_one_out(values, [means[key][1] for key in known], clusters), strict=True))
        few.update({key: sum(c != own for c in clusters) for key, own in zip(known, clusters, strict=True)})
    q_values = dict(zip(found, benjamini_hochberg([r.p if r else None for r in found.values()]), strict=True))
    return {key: _drift(found.get(key), q_values.get(key), few.get(key)) for key in keys}


def _drift(residual: Residual | None, q: float | None, others: int | None) -> Drift | Withheld:
    if residual is not None and q is not None:
        return Drift(expected=residual.expected, residual=residual.value, p=residual.p, q=q, drifts=q <= DRIFT_Q)
    if others is None:
        return Withheld("it has no effect to compare")
    if others < FEWEST:
        return Withheld(f"it is held against at least {FEWEST} other items of its bias; there are {others}")
    return Withheld("the others are all equal, and its own error is not known: any difference would count")


def _item(runs: Sequence[_Run], key: str, drift: Drift | Withheld) -> ItemAnalysis:
    seen = _of(runs, key)
    first = seen[0]
    base, pulled, effect = (
        (first.one.base, first.one.pulled, first.one.effect)
        if len(runs) == 1
        else (
            _over_runs([s.one.base for s in seen]),
            _over_runs([s.one.pulled for s in seen]),
            mean_effect([s.value for s in seen if s.value is not None], unit="run").estimate,
        )
    )
    return ItemAnalysis(
        bias=first.bias,
        item=first.item,
        domain=first.domain,
        cluster=first.cluster,
        generated=first.generated,
        runs=len(seen),
        replies=sum(s.one.replies for s in seen),
        read=sum(s.one.read for s in seen),
        base=base,
        pulled=pulled,
        value=_mean(seen)[0],
        effect=effect,
        drift=drift,
        edge=_edge(seen),
        discrimination=_discrimination(runs, key),
    )


def _over_runs(means: Sequence[Measured]) -> Measured:
    known = [mean.value for mean in means if isinstance(mean, Estimate)]
    if known and max(known) > 1.0:
        return Withheld("prices of different runs are not averaged")
    return mean_effect(known, unit="run").estimate


def _edge(seen: Sequence[_Seen]) -> Edge | None:
    """No room to move in any run, or room that was never used. Only shares, and places on a scale, have edges."""
    ends = [(one.one.base, one.one.pulled) for one in seen]
    pairs = [(b.value, p.value) for b, p in ends if isinstance(b, Estimate) and isinstance(p, Estimate)]
    scores = [score for pair in pairs for score in pair]
    if scores and max(scores) <= 1.0:
        if max(scores) <= EDGE:
            return "floor"
        if min(scores) >= 1 - EDGE:
            return "ceiling"
    values = [one.value for one in seen if one.value is not None]
    return "still" if values and not any(values) and len(pairs) == len(seen) else None


def _discrimination(runs: Sequence[_Run], key: str) -> Measured:
    """The correlation, over runs, of the item's effect with the mean of the other items of its bias."""
    own: list[float] = []
    rest: list[float] = []
    for run in runs:
        one = run.items.get(key)
        if one is None or one.value is None:
            continue
        others = [
            other.value
            for other in run.items.values()
            if other.bias == one.bias and other.cluster != one.cluster and other.value is not None
        ]
        if others:
            own.append(one.value)
            rest.append(sum(others) / len(others))
    return correlation(own, rest)
