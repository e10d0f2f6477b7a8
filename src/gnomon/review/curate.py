"""Moving a finding on: from the queue into a list, by a person's word and the zero-shot test's."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from gnomon.errors import UsageError
from gnomon.judge.asking import Judge
from gnomon.judge.calibration import FOLDER
from gnomon.review.context import admit, issue_in, recorded, refusal, withdraw
from gnomon.review.dataset import CANDIDATES, CONTEXT, MUST_FIND, SHIPPED, Dataset, Document, candidates
from gnomon.review.files import append_rows, near
from gnomon.review.frozen import now
from gnomon.review.records import MIN_RECALL, OPEN, Candidate, ContextDependent, MustFind, State, ZeroShotRecord
from gnomon.review.zero_shot import outcome_of

Target = Literal["must-find", "context"]


class Choice(Struct, frozen=True, kw_only=True):
    """What the person wants done with a candidate."""

    target: Target
    min_recall: float | None = None
    reviewer: str | None = None  # "all": asked of every reviewer
    required_context: str | None = None


class Moved(Struct, frozen=True, kw_only=True):
    """Where a finding stands now, and why."""

    id: str
    state: State
    why: str
    zero_shot: ZeroShotRecord | None = None
    file: str | None = None  # the list it was written to


def find_candidate(dataset: Dataset, name: str) -> tuple[Document, Candidate]:
    """The open candidate of that id, and the document it is about."""
    queues = [(document, candidates(document.folder)) for document in dataset.documents]
    found = [(document, queue[name]) for document, queue in queues if name in queue]
    if not found:
        open_ = [c.id for _, queue in queues for c in queue.values() if c.state in OPEN]
        listed = ", ".join(open_[:8]) or "none; `gnomon review propose RUN --write` fills the queue"
        raise UsageError(f"{dataset.folder}: no candidate {name!r}{near(name, open_)} (open: {listed})")
    if len(found) > 1:
        where = ", ".join(str(document.folder) for document, _ in found)
        raise UsageError(f"{name!r} is a candidate in several folders: {where}. Name one of them as DATASET.")
    document, candidate = found[0]
    if candidate.state not in OPEN:
        why = f" ({candidate.why})" if candidate.why else ""
        raise UsageError(f"{name!r} is no longer in the queue: it is {candidate.state.replace('_', ' ')}{why}")
    return document, candidate


def writable(document: Document) -> None:
    """Refuse to write into what comes with Gnomon."""
    if document.folder.resolve().is_relative_to(SHIPPED.resolve()):
        raise UsageError(
            f"{document.id} comes with Gnomon and stays as it is. Make one of your own: "
            f"`gnomon review init {document.path} --type {document.review_type} --out DIR`"
        )


def testable(document: Document) -> None:
    """Refuse a document that is not the frozen one: a verdict on it would be about another text."""
    writable(document)
    freeze = f"`gnomon review check {document.folder} --freeze`"
    if document.frozen_hash is None:
        raise UsageError(f"{document.path}: not frozen yet. Freeze it with {freeze}")
    if document.changed:
        raise UsageError(
            f"{document.path}: changed since it was frozen. Put the old text back, or freeze the new one with {freeze}"
        )


def ready(document: Document, choice: Choice) -> None:
    """Everything that can be refused before a call is paid for."""
    testable(document)
    if choice.target == "context" and not (choice.required_context or "").strip():
        raise UsageError("--as context needs --required-context: what one has to know to see the issue")


def confirm(
    document: Document,
    candidate: Candidate,
    choice: Choice,
    *,
    run: Path,
    judge: Judge,
    calibrations: Path = FOLDER,
) -> Moved:
    """Move a candidate to where the outcome of its test lets it go; nothing is asked of a model here.

    What is visible in the document belongs to the must-finds, whatever was wanted. What is not goes among the
    context-dependent findings only where that was wanted and the test allows it, and else stays in the queue.
    """
    ready(document, choice)
    outcome = outcome_of(run, issue_in(document, candidate), judge)
    tested = msgspec.structs.replace(candidate, zero_shot=recorded(outcome, judge, calibrations))
    if outcome.conclusion == "visible":
        return _to_must_find(document, tested, choice)
    refused = refusal(outcome, judge, calibrations)
    if refused is None and choice.target == "must-find":
        refused = f"{judge.model} does not find it in the document alone; it can be confirmed --as context"
    if refused is not None:
        return log_state(document, msgspec.structs.replace(tested, state="unvalidated", why=refused))
    record = ContextDependent(
        id=candidate.id,
        title=candidate.title,
        issue=candidate.issue,
        required_context=(choice.required_context or "").strip(),
        reviewer=_owner(choice, candidate),
        severity=candidate.severity,
    )
    admit(document, record, run=run, judge=judge, calibrations=calibrations)
    why = f"{judge.model} did not find it in the document"
    return log_state(document, msgspec.structs.replace(tested, state="context_dependent", why=why), CONTEXT)


def reject(document: Document, candidate: Candidate, why: str) -> Moved:
    """Take a candidate out of the queue."""
    writable(document)
    if not why.strip():
        raise UsageError("--why: say in a few words why; the next person will want to know")
    return log_state(document, msgspec.structs.replace(candidate, state="rejected", why=why.strip()))


def log_state(document: Document, candidate: Candidate, file: str | None = None) -> Moved:
    """Append the candidate as it stands now to the queue; `file` is the list that it has been written to."""
    moved = msgspec.structs.replace(candidate, at=now())
    append_rows(document.folder / CANDIDATES, [moved])
    return Moved(id=moved.id, state=moved.state, why=moved.why or "", zero_shot=moved.zero_shot, file=file)


def _to_must_find(document: Document, tested: Candidate, choice: Choice) -> Moved:
    assert tested.zero_shot is not None
    seen = tested.zero_shot.quotation
    item = MustFind(
        id=tested.id,
        title=tested.title,
        issue=tested.issue,
        severity=tested.severity,
        min_recall=MIN_RECALL if choice.min_recall is None else choice.min_recall,
        reviewer=_owner(choice, tested),
        evidence=tested.evidence or ((seen,) if seen else ()),
        zero_shot=tested.zero_shot,
    )
    # A repeated command finds it there already, where an earlier one was stopped half-way.
    if all(other.id != item.id for other in document.must_find or ()):
        append_rows(document.folder / MUST_FIND, [item])
    withdraw(document, tested.id)
    why = f'{tested.zero_shot.model} found it in the document: "{seen}"'
    return log_state(document, msgspec.structs.replace(tested, state="must_find", why=why), MUST_FIND)


def _owner(choice: Choice, candidate: Candidate) -> str | None:
    return None if choice.reviewer == "all" else choice.reviewer or candidate.reviewer
