"""Moving a finding on: from the queue into a list, by a person's word and the zero-shot test's.

Whatever is written here is written under the lock of the document's folder, and only if the candidate still is what the
person saw: where somebody else was faster, nothing is written and `Changed` says what stands there now.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError, command
from fiducial.judge.asking import Judge
from fiducial.judge.calibration import FOLDER
from fiducial.review.context import admit, issue_in, recorded, refusal, withdraw
from fiducial.review.dataset import (
    CANDIDATES,
    CONTEXT,
    MUST_FIND,
    SHIPPED,
    Dataset,
    Document,
    candidates,
    load_document,
    queue_log,
)
from fiducial.review.files import append_rows, locked, near
from fiducial.review.frozen import now
from fiducial.review.records import (
    MIN_RECALL,
    OPEN,
    Candidate,
    ContextDependent,
    MustFind,
    State,
    ZeroShotRecord,
    fingerprint,
)
from fiducial.review.zero_shot import outcome_of

Target = Literal["must-find", "context"]


class Choice(Struct, frozen=True, kw_only=True):
    """What the person wants done with a candidate. What is not said here is as the candidate says."""

    target: Target
    min_recall: float | None = None
    reviewer: str | None = None  # "all": asked of every reviewer
    required_context: str | None = None
    by: str | None = None


class Moved(Struct, frozen=True, kw_only=True):
    """Where a finding stands now, and why."""

    id: str
    state: State
    why: str
    zero_shot: ZeroShotRecord | None = None
    file: str | None = None  # the list it was written to


class Changed(UsageError):
    """Somebody else has changed a candidate since it was shown. `shown` is None where its record is not known."""

    def __init__(self, shown: Candidate | None, now: Candidate) -> None:
        who = f" by {now.by}" if now.by else ""
        when = f" at {now.at}" if now.at else ""
        said = f"{now.id!r} has been changed{who}{when}, after it was shown: it is {in_words(now.state)} now"
        super().__init__(f"{said}. Nothing was written; look at it again.")
        self.shown, self.now = shown, now


def in_words(state: State) -> str:
    """A state as it is said to people."""
    return state.replace("_", " ")


def find_candidate(dataset: Dataset, name: str) -> tuple[Document, Candidate]:
    """The open candidate of that id, and the document it is about."""
    queues = [(document, candidates(document.folder)) for document in dataset.documents]
    found = [(document, queue[name]) for document, queue in queues if name in queue]
    if not found:
        open_ = [c.id for _, queue in queues for c in queue.values() if c.state in OPEN]
        listed = ", ".join(open_[:8]) or "none; `fiducial review propose RUN --write` fills the queue"
        raise UsageError(f"{dataset.folder}: no candidate {name!r}{near(name, open_)} (open: {listed})")
    if len(found) > 1:
        where = ", ".join(str(document.folder) for document, _ in found)
        raise UsageError(f"{name!r} is a candidate in several folders: {where}. Name one of them as DATASET.")
    document, candidate = found[0]
    still_open(candidate)
    return document, candidate


def still_open(candidate: Candidate) -> None:
    """Refuse what has been decided on."""
    if candidate.state not in OPEN:
        why = f" ({candidate.why})" if candidate.why else ""
        raise UsageError(f"{candidate.id!r} is no longer in the queue: it is {in_words(candidate.state)}{why}")


def as_shown(document: Document, name: str, seen: str) -> Candidate:
    """The candidate of that id, if its record still is the one with the fingerprint `seen`."""
    log = [one for one in queue_log(document.folder) if one.id == name]
    if not log:
        raise UsageError(f"{document.folder / CANDIDATES}: there is no candidate {name!r} any more")
    if fingerprint(log[-1]) != seen:
        raise Changed(next((one for one in log if fingerprint(one) == seen), None), log[-1])
    return log[-1]


def writable(document: Document) -> None:
    """Refuse to write into what comes with Fiducial."""
    if document.folder.resolve().is_relative_to(SHIPPED.resolve()):
        raise UsageError(
            f"{document.id} comes with Fiducial and stays as it is. Make one of your own: "
            f"`{command('review', 'init', document.path, '--type', document.review_type, '--out', 'DIR')}`"
        )


def testable(document: Document) -> None:
    """Refuse a document that is not the frozen one: a verdict on it would be about another text."""
    writable(document)
    freeze = f"`{command('review', 'check', document.folder, '--freeze')}`"
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
    writable(document)
    with locked(document.folder):
        as_shown(document, candidate.id, fingerprint(candidate))
        document = load_document(document.folder)
        ready(document, choice)
        outcome = outcome_of(run, issue_in(document, candidate), judge)
        needed = (choice.required_context or "").strip() or candidate.required_context
        tested = msgspec.structs.replace(
            candidate, zero_shot=recorded(outcome, judge, calibrations), required_context=needed
        )
        if outcome.conclusion == "visible":
            return _to_must_find(document, tested, choice)
        refused = refusal(outcome, judge, calibrations)
        if refused is None and choice.target == "must-find":
            refused = f"{judge.model} does not find it in the document alone; it can be confirmed --as context"
        if refused is not None:
            waiting = msgspec.structs.replace(tested, state="unvalidated", why=refused)
            return log_state(document, waiting, by=choice.by)
        decided = msgspec.structs.replace(
            tested,
            state="context_dependent",
            why=f"{judge.model} did not find it in the document",
            reviewer=_owner(choice, candidate),
        )
        admit(document, as_context(decided), run=run, judge=judge, calibrations=calibrations)
        return _listed(document, decided, CONTEXT, by=choice.by)


def note_outcome(document: Document, candidate: Candidate, *, run: Path, judge: Judge, calibrations: Path) -> Moved:
    """Write what the test said of a candidate into the queue, where a person then decides on it.

    The candidate is looked up again: if somebody has reworded it or decided on it meanwhile, nothing is written.
    """
    writable(document)
    with locked(document.folder):
        present = candidates(document.folder).get(candidate.id)
        if present is None:
            raise UsageError(f"{candidate.id!r} was taken out of the queue while it was tested")
        still_open(present)
        if (present.title, present.issue) != (candidate.title, candidate.issue):
            raise UsageError(f"{candidate.id!r} was reworded while it was tested: the test is about the old words")
        testable(load_document(document.folder))
        outcome = outcome_of(run, issue_in(document, candidate), judge)
        refused = refusal(outcome, judge, calibrations)
        state: State = "proposed"
        if outcome.conclusion == "visible":
            why = f"{judge.model} finds it in the document: it can be confirmed as a must-find"
        elif refused is None:
            why = f"{judge.model} does not find it in the document: it may be context-dependent"
        else:
            state, why = "unvalidated", refused
        tested = recorded(outcome, judge, calibrations)
        return log_state(document, msgspec.structs.replace(present, zero_shot=tested, state=state, why=why))


def reject(document: Document, candidate: Candidate, why: str, *, by: str | None = None) -> Moved:
    """Take a candidate out of the queue."""
    writable(document)
    if not why.strip():
        raise UsageError("--why: say in a few words why; the next person will want to know")
    with locked(document.folder):
        as_shown(document, candidate.id, fingerprint(candidate))
        return log_state(document, msgspec.structs.replace(candidate, state="rejected", why=why.strip()), by=by)


def log_state(
    document: Document,
    candidate: Candidate,
    file: str | None = None,
    *,
    by: str | None = None,
    undoes: bool = False,
) -> Moved:
    """Append the candidate as it stands now to the queue; `file` is the list that it has been written to."""
    moved = msgspec.structs.replace(candidate, at=now(), by=by, undoes=undoes)
    append_rows(document.folder / CANDIDATES, [moved], growing=True)
    return Moved(id=moved.id, state=moved.state, why=moved.why or "", zero_shot=moved.zero_shot, file=file)


def as_must_find(decided: Candidate) -> MustFind:
    """The record of a candidate that was confirmed as a must-find."""
    return MustFind(
        id=decided.id,
        title=decided.title,
        issue=decided.issue,
        severity=decided.severity,
        min_recall=MIN_RECALL if decided.min_recall is None else decided.min_recall,
        reviewer=decided.reviewer,
        evidence=decided.evidence,
        zero_shot=decided.zero_shot,
    )


def as_context(decided: Candidate) -> ContextDependent:
    """The record of a candidate that goes among the context-dependent findings, before the test has dated it."""
    return ContextDependent(
        id=decided.id,
        title=decided.title,
        issue=decided.issue,
        required_context=decided.required_context or "",
        reviewer=decided.reviewer,
        severity=decided.severity,
    )


def _to_must_find(document: Document, tested: Candidate, choice: Choice) -> Moved:
    assert tested.zero_shot is not None
    seen = tested.zero_shot.quotation
    decided = msgspec.structs.replace(
        tested,
        state="must_find",
        why=f'{tested.zero_shot.model} found it in the document: "{seen}"',
        min_recall=tested.min_recall if choice.min_recall is None else choice.min_recall,
        reviewer=_owner(choice, tested),
        evidence=tested.evidence or ((seen,) if seen else ()),
    )
    # A repeated command finds it there already, where an earlier one was stopped half-way.
    if all(other.id != decided.id for other in document.must_find or ()):
        append_rows(document.folder / MUST_FIND, [as_must_find(decided)])
    withdraw(document, decided.id)
    return _listed(document, decided, MUST_FIND, by=choice.by)


def _listed(document: Document, decided: Candidate, file: str, *, by: str | None) -> Moved:
    """Note in the queue that a candidate has been written to a list."""
    try:
        return log_state(document, decided, file, by=by)
    except OSError as error:
        raise UsageError(
            f"{decided.id} was written to {file}, but the queue could not be saved ({error.strerror or error}). "
            "Make room, then do the same again: it is not written twice"
        ) from error


def _owner(choice: Choice, candidate: Candidate) -> str | None:
    return None if choice.reviewer == "all" else choice.reviewer or candidate.reviewer
