"""Judges made by hand: what is known of them, and what it makes of a figure."""

from __future__ import annotations

from typing import Any

import msgspec

from fiducial.bias.result import JudgeCount
from fiducial.judge.applied import PLANTED, Applied
from fiducial.judge.calibration import Calibration, Counts, Rate, Rates
from fiducial.judge.trust import State, Trust
from fiducial.review.result import Precision, Recall, ReviewerResult, ReviewResult
from fiducial.stats.proportion import wilson_limits
from tests.report.review_support import review

MODEL = "openai/gpt-5-mini"
STATES: tuple[State, ...] = ("calibrated", "exploratory", "planted", "expired", "unknown")
STATED: dict[str, dict[str, Any]] = {
    "planted": {"basis": "planted", "set": "planted:tide-gauge"},
    "exploratory": {"exploratory": True, "positives": 17, "negatives": 12},
    "expired": {"expires": "2026-03-01"},
}
KINDS = {
    "contradiction": (0.93, 0.88),
    "missing_definition": (0.81, 0.74),
    "hypothetical": (None, 0.31),
    "implementation_detail": (None, 0.62),
    "near_miss": (None, 0.55),
    "style": (None, 0.93),
    "unit_mismatch": (0.64, 0.9),
    "ambiguous_term": (0.72, 0.81),
    "outside_context": (None, 0.7),
    "dangling_reference": (0.97, 0.95),
}


def rate(value: float, n: int = 80, method: str = "Wilson over cases") -> Rate:
    low, high = wilson_limits(value, n)
    return Rate(value=value, low=low, high=high, n=n, method=method)


def calibration(**changes: Any) -> Calibration:
    plain = Calibration(
        task="genuine",
        model=MODEL,
        prompt_hash="9b1c0d5e77aa41f2",
        about="design",
        label_hash="5d7714a0",
        set="labels:2026-02-11-export",
        basis="labels",
        made="2026-02-14",
        expires="2026-05-15",
        positives=96,
        negatives=81,
        exploratory=False,
        sensitivity=rate(0.82, 96),
        specificity=rate(0.7, 81),
        kappa=Rate(value=0.53, low=0.41, high=0.64, n=177, method="Cohen's kappa"),
        base_rate=0.542,
        calibration_error=rate(0.14, 160),
        borderline=rate(0.08, 177),
        invalid=rate(0.02, 181),
        consistency=rate(0.9, 40),
        categories={
            name: Rates(
                sensitivity=Rate(withheld="no case") if yes is None else rate(yes, 14),
                specificity=rate(no, 11),
            )
            for name, (yes, no) in KINDS.items()
        },
        counts=[
            Counts(label=label, n=40, total=30.0, squares=29.0, group=group)
            for label in (1, 0)
            for group in ("anthropic/claude-haiku-4-5 · assumption-hunter", "openai/gpt-5 · scope-guardian")
        ],
        name="genuine-openai-gpt-5-mini-9b1c",
    )
    return msgspec.structs.replace(plain, **changes)


def trust(state: State = "calibrated", task: str = "genuine", **changes: Any) -> Trust:
    """A judge in this state; other fields are those of its calibration."""
    found: Calibration | None = None
    if state != "unknown":
        fitting = STATED.get(state, {})
        about = {} if task == "genuine" else {"about": ""}
        found = calibration(**{"task": task, **about, **fitting, **changes})
    return Trust(
        task=task,
        about="design" if task == "genuine" else "",
        model=changes.get("model", MODEL),
        prompt="9b1c0d5e77aa41f2",
        state=state,
        calibration=found,
    )


def applied(state: State = "calibrated", **changes: Any) -> Applied | None:
    """What such a judge makes of a figure."""
    one = Applied(
        basis="labels",
        words="labels of findings by 3 writers, predicted for this one",
        value=0.52,
        low=0.41,
        high=0.63,
        n=177,
        method="Rogan–Gladen",
        decides=True,
        calibration="genuine-openai-gpt-5-mini-9b1c",
    )
    match state:
        case "unknown":
            return None
        case "planted":
            ranged = f"{PLANTED}: a range over 10 categories, which decides no gate"
            one = msgspec.structs.replace(one, basis="planted", words=ranged, decides=False, low=0.22, high=0.69)
        case "exploratory":
            one = msgspec.structs.replace(
                one, words=f"{one.words}; exploratory, with fewer than 25 labels a class", decides=False, n=29
            )
        case "expired":
            why = "the calibration genuine-openai-gpt-5-mini-9b1c expired on 2026-03-01; make it again"
            one = Applied(basis="labels", words=why, withheld=why, calibration=one.calibration)
    return msgspec.structs.replace(one, **changes)


def corrected_review(state: State = "calibrated", **fields: Any) -> ReviewResult:
    """A review whose judge is in this state, in both tasks; the first reviewer's figures are corrected."""
    plain = review(**fields)
    first, *others = plain.reviewers
    return msgspec.structs.replace(
        plain,
        trust=[trust(state), trust(state, "match")],
        reviewers=[with_corrected(first, applied(state)), *others],
    )


def with_corrected(one: ReviewerResult, then: Applied | None) -> ReviewerResult:
    """The reviewer with these corrections of precision and of recall."""
    precision: Precision = msgspec.structs.replace(one.precision, corrected=then)
    recall = one.recall
    if isinstance(recall, Recall):
        recall = Recall(items=recall.items, list=msgspec.structs.replace(recall.list, corrected=then))
    return msgspec.structs.replace(one, precision=precision, recall=recall)


def reader(state: State = "calibrated", **changes: Any) -> JudgeCount:
    """A judge that has read forty replies of a bias run."""
    plain = JudgeCount(
        model=MODEL,
        prompt="9b1c0d5e77aa41f2",
        asked=52,
        decided=40,
        none=9,
        invalid=3,
        waiting=0,
        share=0.031,
        trust=trust(
            state,
            "read",
            set="labels:replies.jsonl",
            counts=[],
            sensitivity=rate(0.93, 120),
            specificity=rate(0.86, 60),
        ),
    )
    return msgspec.structs.replace(plain, **changes)
