"""The judge's own error, carried into precision and recall. Raw and corrected figures always stand side by side.

Precision is corrected from labels on the run's own findings, where people gave enough of them, else from the judge's
calibration. Recall is corrected over the whole list: what a judge overlooks says nothing about a single must-find.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from fiducial.errors import UsageError
from fiducial.judge.applied import Applied, from_calibration, from_labels_of_the_run
from fiducial.judge.trust import Trust
from fiducial.review.judging import genuine_arm
from fiducial.review.labelling import Key, label_folders
from fiducial.review.labels import load_labels, newest, settled
from fiducial.review.output import Output
from fiducial.review.result import Precision, Recall
from fiducial.stats.estimate import Estimate
from fiducial.stats.proportion import wilson

Labels = Mapping[Key, float]


def run_labels(path: Path) -> dict[Key, float]:
    """What people say of a run's findings: the label that more than half of a case's raters gave, where it is 0 or 1.

    A dataset that is no longer where the run found it has no labels to give; `fiducial judge label` says where it is missed.
    """
    try:
        folders = label_folders(path)
    except UsageError:
        return {}
    votes: dict[Key, list[float]] = {}
    for document, folder in folders.items():
        for (_, case), line in newest(load_labels(folder)).items():
            if line.label is not None:
                votes.setdefault((document, case), []).append(line.label)
    return {key: label for key, given in votes.items() if (label := settled(given)) in (0, 1)}


def corrected_precision(
    found: Precision,
    outputs: Sequence[Output],
    trusts: Sequence[Trust],
    labels: Labels,
    *,
    group: str,
    today: date,
) -> Applied | None:
    """What the labels or the calibration make of a reviewer's precision; None where neither is known."""
    if found.value is None or found.low is None or found.high is None:
        return None
    scored = [
        (judged.score, labels.get((output.document, genuine_arm(judged.finding))))
        for output in outputs
        for judged in output.findings
        if judged.score is not None
    ]
    figure = Estimate(value=found.value, low=found.low, high=found.high, n=found.n, method=found.method)
    own = from_labels_of_the_run(
        figure, [score for score, _ in scored], [(score, label) for score, label in scored if label is not None]
    )
    if own is not None:
        return own
    known = [trust for trust in trusts if trust.task == "genuine" and trust.calibration is not None]
    # Documents of two types are judged with two prompts: one calibration does not speak for both.
    if not known or len(known) < sum(trust.task == "genuine" for trust in trusts):
        return None
    if len(known) > 1:
        why = "documents of several types are judged with several prompts; correct each type in a run of its own"
        return Applied(basis="labels", words=why, withheld=why)
    calibration = known[0].calibration
    assert calibration is not None
    return from_calibration(figure, calibration, group=group, today=today, cases=max(1, found.n))


def corrected_recall(found: Recall, trusts: Sequence[Trust], *, group: str, today: date) -> Applied | None:
    """What the calibration makes of the share of all looks in which a must-find was found."""
    known = next((t.calibration for t in trusts if t.task == "match" and t.calibration is not None), None)
    looks = sum(item.runs for item in found.items)
    if known is None or not looks:
        return None
    figure = wilson(sum(item.detected for item in found.items), looks)
    return from_calibration(figure, known, group=group, today=today, cases=looks)
