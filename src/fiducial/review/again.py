"""Testing again what is in the lists: a finding that needed context may be visible by now, and the other way round."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import msgspec

from fiducial.judge.asking import Judge
from fiducial.judge.calibration import FOLDER
from fiducial.review.context import REVIEW_DAYS, admit, issue_in, recorded, refusal
from fiducial.review.curate import Moved, log_state, testable
from fiducial.review.dataset import CONTEXT, MUST_FIND, Document
from fiducial.review.files import locked, read_rows
from fiducial.review.records import Candidate, ContextDependent, MustFind, id_of
from fiducial.review.zero_shot import outcome_of
from fiducial.run.files import write_whole


def overdue(records: tuple[ContextDependent, ...], day: date) -> list[ContextDependent]:
    """The records whose test is to be repeated; one without a day has never been given one."""
    return [r for r in records if r.review_after is None or r.review_after[:10] < day.isoformat()]


def look_again(
    document: Document, record: ContextDependent, *, run: Path, judge: Judge, calibrations: Path = FOLDER
) -> Moved:
    """What a repeated test says of a context-dependent finding: promotion is proposed, or its day is moved on."""
    testable(document)
    outcome = outcome_of(run, issue_in(document, record), judge)
    zero_shot = recorded(outcome, judge, calibrations)
    if outcome.conclusion == "visible":
        proposed = Candidate(
            id=record.id,
            title=record.title,
            issue=record.issue,
            severity=record.severity,
            reviewer=record.reviewer,
            evidence=(zero_shot.quotation,) if zero_shot.quotation else (),
            state="proposed",
            why=f"{judge.model} now finds it in the document: confirm it --as must-find",
            zero_shot=zero_shot,
        )
        return log_state(document, proposed)
    refused = refusal(outcome, judge, calibrations)
    if refused is not None:
        return Moved(id=record.id, state="context_dependent", why=refused, zero_shot=zero_shot)
    admit(document, record, run=run, judge=judge, calibrations=calibrations)
    why = f"{judge.model} did not find it in the document; to be looked for again in {REVIEW_DAYS} days"
    return Moved(id=record.id, state="context_dependent", why=why, zero_shot=zero_shot, file=CONTEXT)


def note_test(document: Document, item: MustFind, *, run: Path, judge: Judge, calibrations: Path = FOLDER) -> Moved:
    """Write what the test said of a must-find into its record; no other value in the file changes."""
    testable(document)
    outcome = outcome_of(run, issue_in(document, item), judge)
    record = recorded(outcome, judge, calibrations)
    if outcome.conclusion == "open":
        why = refusal(outcome, judge, calibrations) or ""
        return Moved(id=item.id, state="must_find", why=why, zero_shot=record)
    path = document.folder / MUST_FIND
    tested = msgspec.to_builtins(record)
    with locked(document.folder):
        rows = [row[1] | ({"zero_shot": tested} if id_of(row) == item.id else {}) for row in read_rows(path)]
        write_whole(path, b"".join(msgspec.json.encode(fields) + b"\n" for fields in rows))
    why = f"{judge.model} {'found' if record.found else 'did not find'} it in the document"
    return Moved(id=item.id, state="must_find", why=why, zero_shot=record, file=MUST_FIND)
