"""The rows of a judge on trial: what it said of every case, and how often it erred."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fiducial.frames.common import Row, estimate_row
from fiducial.judge.case import CaseVerdict
from fiducial.judge.sitting import answered, judge_of
from fiducial.judge.verdict import Invalid
from fiducial.run.store import Store
from fiducial.study.judge_calibrate import calibrations_of
from fiducial.study.judge_trial import INSTRUMENT, waiting

RATES = ("sensitivity", "specificity", "kappa", "calibration_error", "borderline", "invalid", "consistency")


def verdicts(store: Store) -> Iterator[Row]:
    """Every asking of every case."""
    model = str((store.meta("settings") or {})["model"])
    for one in answered(store.path):
        judge = judge_of(one.case, one.wording, model)
        row: Row = {
            "task": one.case.task,
            "judge": model,
            "seat": False,
            "prompt": judge.prompt,
            "repetition": one.repeat,
            "case": one.case.id,
            "wording": one.wording.name,
            "title": one.case.text.partition("\n")[0],
            "label": one.case.label,
        }
        found = one.verdict
        if isinstance(found, CaseVerdict):
            said = {"verdict": found.said, "score": found.score, "confidence": found.confidence}
            row |= {"state": "verdict", **said, "category": found.category}
        elif isinstance(found, Invalid):
            row |= {"state": "invalid", "reason": found.reason}
        else:
            row |= {"state": "waiting"}
        yield row


def rates(path: Path, made: str) -> Iterator[Row]:
    """Of half a trial there is none."""
    if made != INSTRUMENT or waiting(path):
        return
    for found in calibrations_of(path):
        common = {
            "judge": found.model,
            "task": found.task,
            "prompt": found.prompt_hash,
            "about": found.about or None,
        }
        for name in RATES:
            yield {**common, "rate": name, **estimate_row(getattr(found, name).measured)}
