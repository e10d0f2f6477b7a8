"""A person's better words for a candidate, before it goes into a list."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.review.curate import Moved, as_shown, log_state, still_open, writable
from fiducial.review.dataset import Document
from fiducial.review.files import locked
from fiducial.review.finding import Severity
from fiducial.review.frozen import not_in
from fiducial.review.records import Candidate, fingerprint, share_of

SHOWN = 80  # characters of a quotation in a message


class Edit(Struct, frozen=True, kw_only=True):
    """How the candidate is to read; what is left out of a record is None. `reviewer` None: asked of all."""

    title: str
    issue: str
    severity: Severity | None = None
    reviewer: str | None = None
    min_recall: float | None = None
    evidence: tuple[str, ...] = ()
    missing: str | None = None


def edit(document: Document, candidate: Candidate, wanted: Edit, *, by: str | None = None) -> Moved | None:
    """Give an open candidate these words; None where they are those it has.

    What the zero-shot test said is about a title and an issue. With others, its result is dropped, and the test is due
    again. Quotations have to be in the document.
    """
    writable(document)
    _sound(document, candidate, wanted)
    with locked(document.folder):
        as_shown(document, candidate.id, fingerprint(candidate))
        still_open(candidate)
        changed = msgspec.structs.replace(candidate, **msgspec.structs.asdict(wanted))
        if changed == candidate:
            return None
        if (wanted.title, wanted.issue) != (candidate.title, candidate.issue):
            why = "reworded: the zero-shot test is due again" if candidate.zero_shot else None
            changed = msgspec.structs.replace(changed, zero_shot=None, state="proposed", why=why)
        return log_state(document, changed, by=by)


def _sound(document: Document, candidate: Candidate, wanted: Edit) -> None:
    for name in ("title", "issue"):
        if not getattr(wanted, name).strip():
            raise UsageError(f"the {name} is empty; say what is wrong with the document")
    if wanted.min_recall is not None:
        share_of(wanted.min_recall, "the least recall")
    if gone := not_in(document.text, wanted.evidence):
        said = " ".join(gone[0].split())
        short = said if len(said) <= SHOWN else said[: SHOWN - 1] + "…"
        raise UsageError(
            f'this is not in the document {document.id}: "{short}"; quote it letter by letter, or leave the evidence out'
        )
    if not wanted.evidence and candidate.evidence and not wanted.missing:
        raise UsageError("without evidence nobody can check it: quote the document, or say what is missing from it")
