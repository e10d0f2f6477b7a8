"""`must_find_recall`: how often a reviewer finds what has to be found, item by item and over the whole list.

A run counts for an item when the judge gave a verdict on it; `partly` counts as not found. Item by item the outcome is
a diagnosis: three runs cannot carry a gate. The gate is decided on the list (`ListRecall`).

The tests ask how probable so few detections are if every item were found at its `min_recall`. Runs of one reviewer repeat
each other: what one run overlooks, the next is likely to overlook too. The detections of an item are therefore
beta-binomial, with a correlation between runs that is estimated from all items together (`run_correlation`).
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import fmean, stdev

import numpy as np
from scipy import stats

from fiducial.judge.calibration import Calibration, pooled
from fiducial.judge.match import MatchVerdict
from fiducial.review.dataset import MustFind
from fiducial.review.output import Output
from fiducial.review.result import ItemGate, ItemRecall, ListRecall, NoRecall, Recall
from fiducial.stats.means import Floats
from fiducial.stats.multiple import holm
from fiducial.stats.proportion import wilson, wilson_limits

LEVEL = 0.05
FEWEST_RUNS = 3  # below this an item is not enforced
MOST_MORE_RUNS = 200  # beyond this "so many more runs" is no advice
POWER = 0.8  # with which the list test has to be able to reject a list that is found at half its minimum
_ROUNDING = 1e-9
_UNCORRELATED = 1e-3  # below this the beta distribution is too narrow to compute with
_RATES = (np.arange(9) + 0.5) / 9  # quantiles of a judge's error rates that the list test is averaged over


def recall(
    outputs: Sequence[Output], wanted: Mapping[str, Sequence[MustFind]], *, judge: Calibration | None = None
) -> Recall | NoRecall:
    """Recall of one reviewer; `wanted` are the items that it is scored for, by document.

    An item of a document without outputs is listed with no runs. Without any item there is no recall, and never 1.0.
    With the calibration of the match `judge`, the list test allows for the errors of that judge.
    """
    if not any(wanted.values()):
        return NoRecall(
            "there is no must-find to look for: the documents have no must_find.jsonl, or it holds none that this "
            "reviewer is scored for"
        )
    by_document: dict[str, list[Output]] = defaultdict(list)
    for output in sorted(outputs, key=lambda output: output.run):
        by_document[output.document].append(output)
    items = [_item(item, document, by_document[document]) for document, own in wanted.items() for item in own]
    return Recall(items=items, list=_whole(items, by_document, judge))


def more_runs(detected: int, runs: int, min_recall: float) -> int | None:
    """The fewest further runs after which an inconclusive item would be `missed`, should its rate stay as it is.

    At a rate below `min_recall` that is the only way it can be decided: the rate keeps below, and the upper bound of
    Wilson's interval comes down to it. The share is held at detected / runs exactly, though whole runs could only come
    near it. None where 200 more would not do, and where the rate is not below.
    """
    share = detected / runs
    if _reaches(detected, runs, min_recall):
        return None
    for more in range(MOST_MORE_RUNS + 1):
        if wilson_limits(share, runs + more)[1] < min_recall:
            return more
    return None


def run_correlation(items: Sequence[tuple[int, int]]) -> float:
    """How alike the runs are in what they find of an item, from (detected, runs) of every item: 0 where chance explains it.

    The analysis-of-variance estimate of the intraclass correlation (Ridout, Demétrio & Firth, 1999, Biometrics 55(1),
    137-148), clipped at 0. One run, or one item, cannot show it.
    """
    detected, runs = (np.array(column, dtype=np.float64) for column in zip(*items, strict=True))
    total, k = float(runs.sum()), len(items)
    if k < 2 or total <= k:
        return 0.0
    rates = detected / runs
    between = float((runs * (rates - detected.sum() / total) ** 2).sum()) / (k - 1)
    within = float((detected * (1 - rates)).sum()) / (total - k)
    size = (total - float((runs**2).sum()) / total) / (k - 1)  # runs of an item; their mean where all have the same
    spread = between + (size - 1) * within
    return min(0.99, max(0.0, (between - within) / spread)) if spread > 0 else 0.0


@lru_cache(maxsize=4096)
def _detections(runs: int, rate: float, correlation: float) -> Floats:
    """P(0), P(1), …, P(runs) detections of an item that is found at this rate."""
    if correlation < _UNCORRELATED or not 0 < rate < 1:
        return np.asarray(stats.binom.pmf(np.arange(runs + 1), runs, rate))
    a = (1 - correlation) / correlation
    return np.asarray(stats.betabinom.pmf(np.arange(runs + 1), runs, rate * a, (1 - rate) * a))


def item_p(detected: int, runs: int, min_recall: float, correlation: float = 0.0) -> float:
    """The probability of so few detections, or fewer, of an item that is found at its `min_recall`."""
    return min(1.0, float(_detections(runs, min_recall, correlation)[: detected + 1].sum()))


def list_distribution(items: Sequence[tuple[int, float]], correlation: float) -> Floats:
    """P(0), P(1), … detections in all, from (runs, rate) of every item."""
    found = np.ones(1)
    for runs, rate in items:
        found = np.convolve(found, _detections(runs, rate, correlation))
    return found


def list_power(expected: Floats, at_half: Floats) -> float:
    """How often the list test rejects where detections follow `at_half` and `expected` is what they are held against."""
    rejected = int((np.cumsum(expected) < LEVEL).sum())
    return min(1.0, float(at_half[:rejected].sum()))


def _item(item: MustFind, document: str, outputs: Sequence[Output]) -> ItemRecall:
    by_run = [_outcome(output, item.id) for output in outputs]
    detected, partly, invalid = (by_run.count(outcome) for outcome in ("found", "partly", "invalid"))
    runs = len(by_run) - invalid
    estimate = wilson(detected, runs) if runs else None
    gate = _gate(detected, runs, item.min_recall)
    return ItemRecall(
        id=item.id,
        detected=detected,
        runs=runs,
        rate=estimate.value if estimate else None,
        low=estimate.low if estimate else None,
        high=estimate.high if estimate else None,
        min_recall=item.min_recall,
        gate=gate,
        document=document,
        title=item.title,
        severity=item.severity,
        partly=partly,
        invalid=invalid,
        found_at_all=detected > 0,
        more_runs=more_runs(detected, runs, item.min_recall) if gate == "inconclusive" else None,
        by_run=by_run,
        content=hashlib.sha256(f"{item.title}\0{item.issue}".encode()).hexdigest()[:16],
    )


def _outcome(output: Output, item: str) -> str:
    """An item that was not looked for in this output has no verdict either."""
    match = output.matches.get(item)
    return match.verdict if isinstance(match, MatchVerdict) else "invalid"


def _reaches(detected: int, runs: int, min_recall: float) -> bool:
    return detected >= min_recall * runs - _ROUNDING  # 0.7 × 10 is more than 7 in floating point


def _gate(detected: int, runs: int, min_recall: float) -> ItemGate:
    if runs < FEWEST_RUNS:
        return "not_enforced"
    if _reaches(detected, runs, min_recall):
        return "met"
    return "missed" if wilson(detected, runs).high < min_recall else "inconclusive"


def _whole(
    items: Sequence[ItemRecall], outputs: Mapping[str, Sequence[Output]], judge: Calibration | None
) -> ListRecall:
    detected = sum(item.detected for item in items)
    judged = [item for item in items if item.runs]
    enforced = [item for item in items if item.runs >= FEWEST_RUNS]
    alike = round(run_correlation([(item.detected, item.runs) for item in judged]), 3) if judged else 0.0
    adjusted = holm([item_p(item.detected, item.runs, item.min_recall, alike) for item in enforced])
    shares = _shares(items, outputs)
    rates = _judge_rates(judge)
    at_min = _seen_through(judged, rates, alike, share=1.0)
    return ListRecall(
        detected=detected,
        expected=fmean(
            sum(item.runs * (no + item.min_recall * (yes - no)) for item in judged) for yes, no in rates
        ),
        p=min(1.0, float(at_min[: detected + 1].sum())) if judged else None,
        missed=[item.place for item, p in zip(enforced, adjusted, strict=True) if p is not None and p < LEVEL],
        coverage=fmean(item.found_at_all for item in judged) if judged else None,
        mean=fmean(item.rate for item in judged if item.rate is not None) if judged else None,
        between_runs=stdev(shares) if len(shares) > 1 else None,
        correlation=alike if judged else None,
        power=list_power(at_min, _seen_through(judged, rates, alike, share=0.5)) if judged else None,
        allows_for_judge=len(rates) > 1,
    )


def _judge_rates(judge: Calibration | None) -> list[tuple[float, float]]:
    """Values that the judge's share of "found" may have where an item is there, and where it is not, all equally probable.

    A single pair, (1, 0), where nothing is known of the judge, or where it cannot tell the two apart.
    """
    if judge is None:
        return [(1.0, 0.0)]
    sides = [pooled(judge.counts, label)[:2] for label in (1, 0)]
    there, not_there = (stats.beta.ppf(_RATES, total + 0.5, n - total + 0.5) for n, total in sides)
    return [(float(yes), float(no)) for yes in there for no in not_there if yes > no] or [(1.0, 0.0)]


def _seen_through(
    items: Sequence[ItemRecall], rates: Sequence[tuple[float, float]], correlation: float, *, share: float
) -> Floats:
    """The detections that are to be expected from the judge if every item is found at this share of its `min_recall`."""
    every = [
        list_distribution([(item.runs, no + share * item.min_recall * (yes - no)) for item in items], correlation)
        for yes, no in rates
    ]
    return np.asarray(np.mean(every, axis=0))


def _shares(items: Sequence[ItemRecall], outputs: Mapping[str, Sequence[Output]]) -> list[float]:
    """The share of the list that each run found, over all documents; a run without a verdict has none."""
    found: dict[int, list[bool]] = defaultdict(list)
    for item in items:
        for output, outcome in zip(outputs[item.document], item.by_run, strict=True):
            if outcome != "invalid":
                found[output.run].append(outcome == "found")
    return [fmean(found[run]) for run in sorted(found)]
