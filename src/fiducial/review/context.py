"""The list of findings that the document alone does not show, and the test that guards it.

`admit` is the only function that adds to `context_dependent_findings.jsonl`. It reads the outcome of the zero-shot test
from the run file itself and refuses whatever was not looked for three times, in vain, by a calibrated model.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import msgspec

from fiducial.errors import UsageError
from fiducial.judge.asking import Judge
from fiducial.judge.calibration import find, today
from fiducial.review.dataset import CONTEXT, Document, context_dependent
from fiducial.review.files import locked
from fiducial.review.frozen import now
from fiducial.review.records import Candidate, ContextDependent, MustFind, ZeroShotRecord, lines_without
from fiducial.review.zero_shot import Issue, Outcome, issue_of, outcome_of, shortfall
from fiducial.run.files import write_whole

REVIEW_DAYS = 90  # after so many days, what could not be seen in a document is looked for again


def issue_in(document: Document, record: Candidate | ContextDependent | MustFind) -> Issue:
    """What the test looks for."""
    return issue_of(f"{document.id}/{record.id}", document.text, record.title, record.issue)


def recorded(outcome: Outcome, judge: Judge, calibrations: Path) -> ZeroShotRecord:
    """The outcome of a test as it is kept with a finding."""
    calibration = find(judge, folder=calibrations)
    return ZeroShotRecord(
        model=judge.model,
        prompt_hash=judge.prompt,
        calls=outcome.valid,
        found=outcome.found is not None,
        quotation=outcome.found.quotation if outcome.found else None,
        calibration=calibration.name if calibration else None,
        at=now(),
    )


def refusal(outcome: Outcome, judge: Judge, calibrations: Path) -> str | None:
    """Why the test does not let a finding among the context-dependent ones; None where it does."""
    match outcome.conclusion:
        case "visible":
            return f"{judge.model} found it in the document, so it belongs to the must-finds"
        case "open":
            return f"only {outcome.valid} of {len(outcome.verdicts)} calls to {judge.model} gave a verdict"
        case "not_found":
            return shortfall(find(judge, folder=calibrations), model=judge.model, today=today())


def admit(document: Document, record: ContextDependent, *, run: Path, judge: Judge, calibrations: Path) -> None:
    """Write a context-dependent finding, in place of an earlier record of its id. The test decides, not the caller."""
    outcome = outcome_of(run, issue_in(document, record), judge)
    refused = refusal(outcome, judge, calibrations)
    if refused is not None:
        raise UsageError(f"{record.id}: not written to {CONTEXT}: {refused}")
    after = (today() + timedelta(days=REVIEW_DAYS)).isoformat()
    tested = msgspec.structs.replace(record, zero_shot=recorded(outcome, judge, calibrations), review_after=after)
    path = document.folder / CONTEXT
    with locked(document.folder):
        write_whole(path, lines_without(path, record.id) + msgspec.json.encode(tested) + b"\n")


def withdraw(document: Document, name: str) -> None:
    """Take a finding out of the list: it stands among the must-finds now, or in the queue again."""
    with locked(document.folder):
        if any(record.id == name for record in context_dependent(document.folder) or ()):
            path = document.folder / CONTEXT
            write_whole(path, lines_without(path, name))
