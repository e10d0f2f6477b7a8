"""Curation as commands and programs want it: from the name of a candidate to where it stands now, in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from fiducial.errors import Incomplete, Interrupted, UsageError
from fiducial.judge.asking import Judge
from fiducial.judge.calibration import FOLDER, today
from fiducial.model.base import Model
from fiducial.review.again import look_again, note_test, overdue
from fiducial.review.context import issue_in
from fiducial.review.curate import Choice, Moved, confirm, find_candidate, ready, reject, testable, writable
from fiducial.review.dataset import (
    Document,
    context_dependent,
    document_folders,
    find_dataset,
    load_dataset,
    load_document,
)
from fiducial.review.frozen import freeze
from fiducial.review.records import share_of
from fiducial.review.zero_shot import Issue, run_zero_shot, unanswered, zero_shot_judge, zero_shot_path
from fiducial.run.calls import Calls
from fiducial.run.limits import Limits
from fiducial.run.progress import Progress

Opening = Callable[[], tuple[Model, Limits]]
"""Opens the judge, once it is known that there is something to ask it."""


class Asking(Struct, frozen=True):
    """How the zero-shot test is put to its judge, who is known by the name that was given.

    `announce` is told of the number of issues before the first call.
    """

    name: str
    open: Opening
    calls: Calls
    announce: Callable[[int], None]
    show: Callable[[str], Progress]

    @property
    def judge(self) -> Judge:
        """The judge, with the prompt of today."""
        return zero_shot_judge(self.name)

    def test(self, issues: Sequence[Issue], *, dataset: str, occasion: str = "") -> Path:
        """The path of the test's run, complete."""
        if self.calls.reuse:
            raise UsageError(
                "--reuse: the zero-shot test takes nothing over from other runs; repeated, it continues its own"
            )
        model, limits = self.open()
        told: dict[str, Any] = {"dataset": dataset, "occasion": occasion, "seed": self.calls.seed}
        path = self.calls.out or zero_shot_path(issues, self.judge, **told)
        self.announce(len(issues))
        try:
            _, collected = run_zero_shot(
                issues,
                self.judge,
                model,
                **told,
                limits=limits,
                budget=self.calls.spending(),
                progress=self.show(self.name),
                out=path,
            )
        except KeyboardInterrupt:
            raise Interrupted(path) from None
        if unanswered(path, issues, self.judge):
            raise Incomplete(
                f"incomplete: {collected.stopped or 'some calls failed'}. What was answered is stored in {path}; "
                "nothing was moved.",
                path=path,
                stopped=collected.stopped,
            )
        return path


class Confirmed(Struct, frozen=True):
    """The run of the test, and where the candidate stands after it."""

    run: Path
    moved: Moved


def confirm_candidate(
    dataset: Path, candidate: str, choice: Choice, asking: Asking, *, calibrations: Path = FOLDER
) -> Confirmed:
    """Test an open candidate and move it to where the outcome lets it go. What can be refused is, before any call."""
    if choice.min_recall is not None:
        share_of(choice.min_recall, "--min-recall")
    found = load_dataset(dataset)
    document, wanted = find_candidate(found, candidate)
    ready(document, choice)
    run = asking.test([issue_in(document, wanted)], dataset=found.name)
    moved = confirm(document, wanted, choice, run=run, judge=asking.judge, calibrations=calibrations)
    return Confirmed(run, moved)


def reject_candidate(dataset: Path, candidate: str, why: str, *, by: str | None = None) -> Moved:
    """Take an open candidate out of the queue."""
    document, wanted = find_candidate(load_dataset(dataset), candidate)
    return reject(document, wanted, why, by=by)


def freeze_documents(dataset: Path) -> list[tuple[Document, str]]:
    """Freeze every document that is not, or has changed since; those documents, with their hashes."""
    documents = [load_document(folder, lists=False) for folder in document_folders(find_dataset(dataset))]
    for document in documents:
        writable(document)
    return [
        (document, freeze(document.folder, document.path))
        for document in documents
        if document.frozen_hash is None or document.changed
    ]


def retest_due(dataset: Path, asking: Asking, *, calibrations: Path = FOLDER) -> list[Moved]:
    """Run the test for every record that is due for it, and write down what it says; empty where none is due."""
    found = load_dataset(dataset)
    due = [
        (document, record)
        for document in found.documents
        for record in overdue(context_dependent(document.folder) or (), today())
    ]
    untested = [(d, item) for d in found.documents for item in d.must_find or () if item.zero_shot is None]
    if not due and not untested:
        return []
    for document in [*(d for d, _ in due), *(d for d, _ in untested)]:
        testable(document)
    issues = [issue_in(document, record) for document, record in due]
    issues += [issue_in(document, item) for document, item in untested]
    # What fell due again is asked again, whatever an earlier run has answered.
    occasion = " ".join(sorted({record.review_after or "never tested" for _, record in due}))
    run, appointed = asking.test(issues, dataset=found.name, occasion=occasion), asking.judge
    return [
        *(look_again(d, record, run=run, judge=appointed, calibrations=calibrations) for d, record in due),
        *(note_test(d, item, run=run, judge=appointed, calibrations=calibrations) for d, item in untested),
    ]
