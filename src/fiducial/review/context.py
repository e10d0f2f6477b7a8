"""The list of findings that the document alone does not show, and the test that guards it.

`admit` is the only function that adds to `context_dependent_findings.jsonl`. It reads the outcome of the zero-shot test
from the run file itself and refuses whatever was not looked for three times, in vain, by a calibrated model. Lists are
files that people edit, so `why_void` verifies a stored result whenever something rests on it.
"""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError, command
from fiducial.judge.asking import Judge
from fiducial.judge.calibration import FOLDER, Known, find, load_all, today
from fiducial.judge.zero_shot import TASK
from fiducial.review.dataset import CONTEXT, Document, context_dependent
from fiducial.review.files import locked
from fiducial.review.frozen import not_in, now
from fiducial.review.plant.operators import stands
from fiducial.review.records import (
    Candidate,
    ContextDependent,
    MustFind,
    ZeroShotRecord,
    lines_without,
    wording_hash,
)
from fiducial.review.zero_shot import CALLS, Issue, Outcome, issue_of, outcome_of, shortfall
from fiducial.run.files import write_whole

REVIEW_DAYS = 90  # after so many days, what could not be seen in a document is looked for again


def issue_in(document: Document, record: Candidate | ContextDependent | MustFind) -> Issue:
    """What the test looks for."""
    return issue_of(f"{document.id}/{record.id}", document.text, record.title, record.issue)


class Void(Struct, frozen=True, kw_only=True):
    """Why the zero-shot result of a record does not count, and what to do. `untested`: it has none that says what for."""

    why: str
    do: str
    untested: bool = False


def why_void(
    document: Document, record: ContextDependent | MustFind, *, calibrations: Known = FOLDER, day: date
) -> Void | None:
    """Verify the zero-shot result of a record against the document as it is now; None where it counts.

    A planted flaw that is still in the document needs no result. "Not found" in the record of a must-find claims
    nothing unless it names a calibration.
    """
    tested = record.zero_shot
    retest = command("review", "check", document.folder, "--judge", "MODEL")
    if tested is None and isinstance(record, MustFind) and stands(record.planted, document.text):
        return None
    if tested is None:
        return Void(why="it was never tested whether the document alone shows it", do=retest, untested=True)
    if not tested.document_hash or not tested.wording_hash:
        why = "its zero-shot result does not say which document and which wording were tested, so it counts as not tested"
        return Void(why=why, do=retest, untested=True)
    if tested.document_hash not in (document.hash, *document.same):
        return Void(why="the document has changed since its zero-shot test", do=retest)
    if tested.wording_hash != wording_hash(record.title, record.issue):
        return Void(why="it was reworded after its zero-shot test", do=retest)
    needed = 1 if tested.found else CALLS  # one call that finds it is enough, and "not found" takes all three
    if tested.calls < needed:
        return Void(why=f"its zero-shot result rests on {tested.calls} calls, and it takes {needed}", do=retest)
    if tested.found:
        there = tested.quotation is not None and not not_in(document.text, [tested.quotation])
        return None if there else Void(why="the quotation of its zero-shot test is not in the document", do=retest)
    if tested.calibration is None and isinstance(record, MustFind):
        return None
    return _calibration_void(tested, retest, calibrations, day)


def _calibration_void(tested: ZeroShotRecord, retest: str, known: Known, day: date) -> Void | None:
    """Why the calibration that a "not found" names does not bear it."""
    calibrate = command("judge", "calibrate", "--judge", tested.model, "--task", TASK, "--set", "planted:DATASET")
    do = f"{calibrate}, then {retest}"
    if tested.calibration is None:
        why = f'{tested.model} has no calibration for this test, so its "not found" proves nothing'
        return Void(why=why, do=do)
    loaded = load_all([known]).found.values() if isinstance(known, Path) else known
    found = next((one for one in loaded if one.name == tested.calibration), None)
    if found is None:
        where = f"{known if isinstance(known, Path) else FOLDER}/"
        return Void(why=f"the calibration {tested.calibration!r} that it names is not in {where}", do=do)
    if (found.task, found.model, found.prompt_hash) != (
        TASK,
        tested.model,
        tested.prompt_hash,
    ) or found.half == "dev":
        why = (
            f"the calibration {found.name!r} that it names is not one of {tested.model} in the task {TASK} "
            "with the prompt of the test, on cases that prompts were not tuned on"
        )
        return Void(why=why, do=do)
    short = shortfall(found, model=tested.model, today=day)
    return Void(why=short, do=do) if short else None


def recorded(
    outcome: Outcome,
    judge: Judge,
    calibrations: Path,
    *,
    document: Document,
    record: Candidate | ContextDependent | MustFind,
) -> ZeroShotRecord:
    """The outcome of a record's test as it is kept with it."""
    calibration = find(judge, folder=calibrations)
    return ZeroShotRecord(
        model=judge.model,
        prompt_hash=judge.prompt,
        document_hash=document.hash,
        wording_hash=wording_hash(record.title, record.issue),
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
    kept = recorded(outcome, judge, calibrations, document=document, record=record)
    tested = msgspec.structs.replace(record, zero_shot=kept, review_after=after)
    path = document.folder / CONTEXT
    with locked(document.folder):
        write_whole(path, lines_without(path, record.id) + msgspec.json.encode(tested) + b"\n")


def withdraw(document: Document, name: str) -> None:
    """Take a finding out of the list: it stands among the must-finds now, or in the queue again."""
    with locked(document.folder):
        if any(record.id == name for record in context_dependent(document.folder) or ()):
            path = document.folder / CONTEXT
            write_whole(path, lines_without(path, name))
