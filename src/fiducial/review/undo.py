"""Taking a decision back. Nothing is deleted from the queue's log: a line is added that puts back what stood before.

Asked again, the decision before that one is taken back. What a test adds to an open candidate is no decision of a
person: it is passed over, and its result stays as long as it is about the same words.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from fiducial.errors import UsageError
from fiducial.review.context import withdraw
from fiducial.review.curate import Moved, as_context, as_must_find, as_shown, in_words, log_state, writable
from fiducial.review.dataset import CONTEXT, MUST_FIND, Document, queue_log
from fiducial.review.edit import Edit
from fiducial.review.files import Row, locked, read_rows
from fiducial.review.records import OPEN, Candidate, ContextDependent, MustFind, fingerprint, id_of, lines_without
from fiducial.run.files import write_whole

BY_TEST = {"state": "proposed", "why": None, "zero_shot": None, "at": None, "by": None, "required_context": None}
DATED = {"zero_shot": None, "review_after": None}  # of a context-dependent finding: what the test itself writes


def decisions(log: Iterable[Candidate]) -> list[Candidate]:
    """What stands of the records of one candidate, the oldest first: each but the first can be undone."""
    stack: list[Candidate] = []
    for record in log:
        plain = msgspec.structs.replace(record, undoes=False)
        if record.undoes and len(stack) > 1:
            stack[-2:] = [plain]
        elif stack and _by_test(stack[-1], plain):
            stack[-1] = plain
        else:
            stack.append(plain)
    return stack


def reworded(before: Candidate, after: Candidate) -> list[str]:
    """The fields of a person's wording in which two records differ, as they are called."""
    return [
        name.replace("_", " ") for name in Edit.__struct_fields__ if getattr(before, name) != getattr(after, name)
    ]


def undo(document: Document, candidate: Candidate, *, by: str | None = None) -> Moved:
    """Take back the last decision on a candidate.

    What it wrote to a list is taken out of it, if it still is what was written; else nothing happens at all.
    """
    writable(document)
    with locked(document.folder):
        as_shown(document, candidate.id, fingerprint(candidate))
        stack = decisions(one for one in queue_log(document.folder) if one.id == candidate.id)
        if len(stack) < 2:
            raise UsageError(f"{candidate.id!r}: nothing has been decided that could be undone")
        before = stack[-2]
        if before.state not in OPEN and before.state != "rejected":
            _still_listed(document, before)
        if candidate.state == "must_find":
            _take_out(document, candidate)
        elif candidate.state == "context_dependent":
            _withdraw(document, candidate)
        if before.zero_shot is None and (before.title, before.issue) == (candidate.title, candidate.issue):
            before = msgspec.structs.replace(before, zero_shot=candidate.zero_shot)
        try:
            return log_state(document, before, by=by, undoes=True)
        except OSError as error:
            raise UsageError(
                f"{candidate.id}: the queue could not be saved ({error.strerror or error}). "
                "Make room, then undo it again: until then the queue calls it "
                f"{in_words(candidate.state)}"
            ) from error


def _by_test(before: Candidate, after: Candidate) -> bool:
    """Whether nothing has changed but what a test writes."""
    same = msgspec.structs.replace(before, **BY_TEST) == msgspec.structs.replace(after, **BY_TEST)
    return same and before.state in OPEN and after.state in OPEN


def _take_out(document: Document, decided: Candidate) -> None:
    path = document.folder / MUST_FIND
    there = _record(path.name, document, decided.id)
    if there is None:
        return  # somebody has taken it out by hand
    if _undated(there[1]) != _undated(_plain(as_must_find(decided))):
        raise UsageError(f"{there[0]}: changed since it was confirmed. Take it out by hand if it is to go")
    write_whole(path, lines_without(path, decided.id))


def _withdraw(document: Document, decided: Candidate) -> None:
    there = _record(CONTEXT, document, decided.id)
    if there is None:
        return
    if there[1] | DATED != _plain(as_context(decided)) | DATED:
        raise UsageError(f"{there[0]}: changed since it was confirmed. Take it out by hand if it is to go")
    withdraw(document, decided.id)


def _plain(record: MustFind | ContextDependent) -> dict[str, Any]:
    """The record as it reads in a file."""
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(record))
    return found


def _undated(fields: dict[str, Any]) -> dict[str, Any]:
    """Without the second of its test: a confirmation that was stopped half-way and repeated has another one."""
    tested = fields.get("zero_shot")
    return fields | {"zero_shot": tested | {"at": ""}} if isinstance(tested, dict) else fields


def _still_listed(document: Document, before: Candidate) -> None:
    """A decision that wrote to a list comes back only if the list has kept it: to write there again takes the test."""
    name = MUST_FIND if before.state == "must_find" else CONTEXT
    if _record(name, document, before.id) is None:
        raise UsageError(
            f"{before.id!r} was {in_words(before.state)} before, and is in {name} no longer: confirm it again"
        )


def _record(name: str, document: Document, id_: str) -> Row | None:
    path = document.folder / name
    return next((row for row in read_rows(path) if id_of(row) == id_), None) if path.exists() else None
