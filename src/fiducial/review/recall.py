"""`must_find_recall`: how often a reviewer finds what has to be found, item by item and over the whole list.

A run counts for an item when the judge gave a verdict on it; `partly` counts as not found. Item by item the outcome is
a diagnosis: three runs cannot carry a gate. The gate is decided on the list (`ListRecall`).
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev

from fiducial.judge.match import MatchVerdict
from fiducial.review.dataset import MustFind
from fiducial.review.output import Output
from fiducial.review.result import ItemGate, ItemRecall, ListRecall, NoRecall, Recall
from fiducial.stats.multiple import holm
from fiducial.stats.poisson_binomial import at_most
from fiducial.stats.proportion import wilson, wilson_limits

LEVEL = 0.05
FEWEST_RUNS = 3  # below this an item is not enforced
MOST_MORE_RUNS = 200  # beyond this "so many more runs" is no advice
_ROUNDING = 1e-9


def recall(outputs: Sequence[Output], wanted: Mapping[str, Sequence[MustFind]]) -> Recall | NoRecall:
    """Recall of one reviewer; `wanted` are the items that it is scored for, by document.

    An item of a document without outputs is listed with no runs. Without any item there is no recall, and never 1.0.
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
    return Recall(items=items, list=_whole(items, by_document))


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


def item_p(detected: int, runs: int, min_recall: float) -> float:
    """The exact probability of so few detections, or fewer, of an item that is found at its `min_recall`."""
    return at_most(detected, [min_recall] * runs)


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


def _whole(items: Sequence[ItemRecall], outputs: Mapping[str, Sequence[Output]]) -> ListRecall:
    probabilities = [item.min_recall for item in items for _ in range(item.runs)]
    detected = sum(item.detected for item in items)
    judged = [item for item in items if item.runs]
    enforced = [item for item in items if item.runs >= FEWEST_RUNS]
    adjusted = holm([item_p(item.detected, item.runs, item.min_recall) for item in enforced])
    shares = _shares(items, outputs)
    return ListRecall(
        detected=detected,
        expected=sum(probabilities),
        p=at_most(detected, probabilities) if probabilities else None,
        missed=[item.place for item, p in zip(enforced, adjusted, strict=True) if p is not None and p < LEVEL],
        coverage=fmean(item.found_at_all for item in judged) if judged else None,
        mean=fmean(item.rate for item in judged if item.rate is not None) if judged else None,
        between_runs=stdev(shares) if len(shares) > 1 else None,
    )


def _shares(items: Sequence[ItemRecall], outputs: Mapping[str, Sequence[Output]]) -> list[float]:
    """The share of the list that each run found, over all documents; a run without a verdict has none."""
    found: dict[int, list[bool]] = defaultdict(list)
    for item in items:
        for output, outcome in zip(outputs[item.document], item.by_run, strict=True):
            if outcome != "invalid":
                found[output.run].append(outcome == "found")
    return [fmean(found[run]) for run in sorted(found)]
