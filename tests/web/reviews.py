"""A folder with review runs, datasets and calibrations, whose every text may be hostile."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fiducial.judge.calibration import save
from fiducial.judge.genuine import genuine_version
from fiducial.model.python import PythonModel
from fiducial.review.history import claims_of
from fiducial.review.run import JudgeModel, judge_run
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from tests.judge.made import calibration
from tests.review.standins import (
    FINDINGS,
    Judging,
    Scripted,
    as_output,
    found,
    make_dataset,
    none_found,
    reviewer,
    verdict,
)
from tests.review.standins import review as review_here
from tests.web.made import apart

ITEMS: list[dict[str, object]] = [
    {
        "id": "times",
        "title": "Two last buses",
        "issue": "Buses run until 05:00 and the last one leaves at 04:30.",
        "severity": "Critical",
        "evidence": ["The last bus leaves the station at 04:30."],
    },
    {
        "id": "unit-1",
        "title": "A fortnight in place of a week",
        "issue": "Elsewhere it is a week.",
        "severity": "Minor",
        "min_recall": 0.4,
        "evidence": ["Complaints are answered within a fortnight"],
        "missing": None,
        "operator": "unit-mismatch",
        "category": "contradiction",
        "place": {"start": 0, "end": 0, "line": 11, "column": 1},
        "original_place": {"start": 0, "end": 0, "line": 11, "column": 1},
        "original": "within a week",
        "changed": "within a fortnight",
        "facts": {},
    },
]


def review(*args: Any, **options: Any) -> None:
    """A review run, made apart from the browser."""
    apart(lambda: review_here(*args, **options))


def judge(word: str = "genuine") -> Judging:
    """Calls the timetable genuine and the rest `word`, and finds the first must-find where the timetable is listed."""

    def genuine(about: str, before: int) -> str:
        timetable = about.startswith("Timetable")
        evidence = "The last bus leaves the station at 04:30." if timetable else "Complaints are answered"
        return verdict("genuine" if timetable else word, evidence)

    return Judging(genuine=genuine, match=lambda about, before: _match(about))


def _match(about: str) -> str:
    return found(2, "the last bus leaves at 04:30") if about.startswith("Two last") else none_found("", 0)


def folder(root: Path, findings: Sequence[tuple[str, str]] = FINDINGS) -> Path:
    """`runs/first` by two judges, one after the other; `later/second` on the same text; a calibration; a dataset."""
    dataset = make_dataset(root / "data" / "buses", ITEMS)
    both = [reviewer("probe"), reviewer("other", "You look for owners.")]
    first, second = root / "runs" / "first.db", root / "later" / "second.db"
    outputs = Scripted(as_output(findings), as_output(findings), as_output(findings[:1]), "")
    review(first, dataset, outputs, judge(), runs=2, reviewers=both, judge_name="py/one")
    model = PythonModel("py/two", judge("not_genuine"))
    seat = JudgeModel(name="py/two", model=model, limits=Limits(), progress=Silent())
    apart(lambda: judge_run(first, [seat]))
    second.parent.mkdir()
    review(second, dataset, Scripted(as_output(findings[:2])), judge(), judge_name="py/one")
    save(
        calibration(
            name="known", task="genuine", model="py/one", prompt_hash=genuine_version("design"), about="design"
        ),
        folder=root / "calibrations",
    )
    return root


def case_of(path: Path, title: str) -> str:
    return next(one.case for one in claims_of(path).claims if one.title == title)


def write_queue(root: Path, **fields: object) -> None:
    line = {"id": "q1", "title": "Who pays", "issue": "Nobody is named.", **fields}
    (root / "data" / "buses" / "candidates.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
