"""Dataset folders for tests, and a judge that answers as it is told."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec

from fiducial.judge.calibration import Calibration, Rate, save
from fiducial.model.python import PythonModel
from fiducial.model.request import WireRequest
from fiducial.review.context import issue_in
from fiducial.review.dataset import Document, load_dataset
from fiducial.review.frozen import content_hash
from fiducial.review.records import Candidate, ContextDependent, MustFind
from fiducial.review.zero_shot import run_zero_shot, zero_shot_judge
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent

TEXT = """# Tide gauge

R-1 A reading is kept for 30 days.
R-2 A late reading is dropped without notice.
R-3 A reading is kept for a year.
"""
ITEM: dict[str, Any] = {
    "id": "kept",
    "title": "Two retention periods",
    "issue": "R-1 and R-3 disagree on how long a reading is kept.",
    "severity": "Critical",
    "min_recall": 0.9,
    "evidence": ["A reading is kept for 30 days."],
}
FOUND = '{"quotation": "A reading is kept for 30 days.", "reason": "There.", "found": true}'
NOT_FOUND = '{"quotation": null, "reason": "Nothing of the kind.", "found": false}'
INVENTED = '{"quotation": "Readings are kept for ever.", "reason": "There.", "found": true}'
JUDGE = "py/judge"


def write_lines(path: Path, *records: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records), encoding="utf-8")
    return path


def read_lines(path: Path) -> list[Any]:
    return [msgspec.json.decode(line) for line in path.read_bytes().splitlines()] if path.exists() else []


def make(folder: Path, text: str = TEXT, *, must_find: list[Any] | None = None, **metadata: Any) -> Path:
    """A dataset folder in our layout, frozen unless `hash` says otherwise."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "document.md").write_text(text, encoding="utf-8")
    fields = {"document": "document.md", "hash": content_hash(text), "review_type": "design", **metadata}
    (folder / "metadata.json").write_text(json.dumps(fields), encoding="utf-8")
    if must_find is not None:
        write_lines(folder / "must_find.jsonl", *must_find)
    return folder


def only(folder: Path) -> Document:
    (document,) = load_dataset(folder).documents
    return document


class Zero:
    """A judge of the zero-shot task: the k-th call of a chat gets the k-th answer, over and over."""

    def __init__(self, *answers: str) -> None:
        self.answers = answers
        self.seen: list[WireRequest] = []

    async def generate(self, request: WireRequest) -> str:
        assert re.search(r"^Task: zero_shot$", request.messages[-1].text, re.MULTILINE)
        self.seen.append(request)
        asked_before = sum(m.role == "assistant" for m in request.messages)
        return self.answers[min(asked_before, len(self.answers) - 1)]


class InTurn(Zero):
    """One answer a call, in order."""

    async def generate(self, request: WireRequest) -> str:
        await super().generate(request)
        return self.answers[len(self.seen) - 1]


def zero_shot_run(
    path: Path, document: Document, record: Candidate | ContextDependent | MustFind, judge: Zero
) -> Path:
    """The run file of a zero-shot test of one record."""
    run, _ = run_zero_shot(
        [issue_in(document, record)],
        zero_shot_judge(JUDGE),
        PythonModel(JUDGE, judge),
        dataset="made",
        seed=1,
        limits=Limits(max_connections=1, backoff=0.001, backoff_cap=0.002, attempts=1),
        budget=Budget(),
        progress=Silent(),
        out=path,
    )
    return run


def calibrated(folder: Path, **changes: Any) -> Path:
    """A calibration of the judge that lets it say that something is not there."""
    low, false_high = changes.pop("sensitivity_low", 0.6), changes.pop("false_high", 0.3)
    nothing = Rate(withheld="made for a test")
    made = Calibration(
        task="zero_shot",
        model=JUDGE,
        prompt_hash=zero_shot_judge(JUDGE).prompt,
        label_hash="made",
        set="planted:made",
        basis="planted",
        made="2026-01-01",
        expires="2999-01-01",
        positives=60,
        negatives=60,
        exploratory=False,
        sensitivity=Rate(value=0.9, low=low, high=0.95, n=60, method="Wilson"),
        specificity=Rate(value=0.9, low=1 - false_high, high=0.95, n=60, method="Wilson"),
        kappa=nothing,
        base_rate=0.5,
        calibration_error=nothing,
        borderline=nothing,
        invalid=nothing,
        consistency=nothing,
        name="good",
    )
    save(msgspec.structs.replace(made, **changes), folder=folder)
    return folder
