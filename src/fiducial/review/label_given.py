"""Labels as data: the cases that a rater is given, blind, and the labels that come back from elsewhere than a keyboard.

The rules are those of the terminal and the browser: every rater has an order of their own, neither a finding's reviewer
nor its severity nor a verdict nor anybody's label is shown, and every label is on disk before the next case is given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.judge.genuine import ReviewType
from fiducial.review.label_round import Round, own_lines
from fiducial.review.labelling import (
    Key,
    LabelCase,
    in_order,
    label_folders,
    of_reviewer,
    refuse_shipped,
    run_cases,
    sample,
    standing,
)
from fiducial.review.labels import LABELS, append_label, check_rater

Given = float | tuple[float, str | None] | None
"""A label: 1 genuine, 0 not, 0.5 between; with a note; or None."""


class Selection(Struct, frozen=True):
    """The cases of a run that are asked about, and where the labels of its documents lie."""

    cases: list[LabelCase]
    folders: dict[str, Path]

    def said(self) -> dict[str, dict[Key, float]]:
        """Rater -> case -> the label that counts."""
        return standing(self.cases, self.folders)


class BlindCase(Struct, frozen=True, kw_only=True):
    """What a rater sees of a case. Labels are given to its `mark`."""

    mark: str
    document_id: str
    document: str
    claim: str
    section: str | None  # as the finding names it
    review_type: ReviewType


class Labelled(Struct, frozen=True, kw_only=True):
    """Where a rater stands after a round."""

    rater: str
    saved: int  # labels given in this round
    changed: int  # labels of earlier rounds that were given anew, or taken back
    skipped: int
    labelled: int  # of all cases, now
    total: int


class LabelledBy(Struct, frozen=True, kw_only=True):
    """Who has labelled a case; not how."""

    document: str
    case: str
    claim: str
    labelled_by: list[str]


def select_cases(
    path: Path,
    *,
    dataset: Path | None = None,
    reviewer: str | None = None,
    size: int | None = None,
    seed: int = 1,
) -> Selection:
    """The cases of a run: all, those of one reviewer, or a sample, which is the same whoever asks."""
    cases = run_cases(path)
    folders = label_folders(path, dataset)
    if reviewer is not None and cases:
        cases = of_reviewer(cases, reviewer)
    if size is not None:
        cases = sample(cases, size, seed)
    return Selection(cases, folders)


def open_cases(selection: Selection, rater: str, *, seed: int, limit: int | None = None) -> list[BlindCase]:
    """The cases that the rater has no label on, in the order of this rater."""
    check_rater(rater)
    own = selection.said().get(rater, {})
    todo = [case for case in in_order(selection.cases, rater, seed) if case.key not in own]
    return [blind(case) for case in todo[:limit]]


def blind(case: LabelCase) -> BlindCase:
    """The case without what a rater must not see."""
    return BlindCase(
        mark=case.mark,
        document_id=case.document_id,
        document=case.document,
        claim=case.claim,
        section=case.section,
        review_type=case.review_type,
    )


def give_labels(
    selection: Selection,
    rater: str,
    labels: Mapping[str, Given] | Callable[[BlindCase], Given],
    *,
    seed: int,
    limit: int | None = None,
) -> Labelled:
    """Save a rater's labels. A function is given the open cases one by one, and None of it skips a case.

    A mapping says what the label of each mark is: what is saved already is not saved again, another label replaces the
    one that stands, and None takes it back. All of it is looked at before anything is written.
    """
    refuse_shipped(selection.folders)
    changed = 0
    if not callable(labels):
        _check(selection, labels)
        # made once for its refusals, before a change is written
        Round(selection.cases, selection.folders, rater, seed=seed)
        changed = _change(selection, rater, labels)
    sheet = Round(selection.cases, selection.folders, rater, seed=seed, limit=limit)
    while (case := sheet.current) is not None:
        given = labels(blind(case)) if callable(labels) else labels.get(case.mark)
        if given is None:
            sheet.skip()
        else:
            sheet.label(*_parts(given, case.mark))
    return Labelled(
        rater=rater,
        saved=sheet.saved,
        changed=changed,
        skipped=sheet.skipped,
        labelled=sheet.labelled,
        total=sheet.total,
    )


def labelled_by(selection: Selection) -> list[LabelledBy]:
    """Who has labelled which case."""
    said = selection.said()
    return [
        LabelledBy(
            document=case.document_id,
            case=case.id,
            claim=case.claim,
            labelled_by=[rater for rater, own in said.items() if case.key in own],
        )
        for case in selection.cases
    ]


def _check(selection: Selection, labels: Mapping[str, Given]) -> None:
    known = {case.mark for case in selection.cases}
    for mark, given in labels.items():
        if mark not in known:
            raise UsageError(f"{mark!r} is the mark of no case among those that were asked for; nothing was saved")
        if given is not None:
            _parts(given, mark)


def _parts(given: float | tuple[float, str | None], mark: str) -> tuple[float, str | None]:
    value, note = given if isinstance(given, tuple) else (given, None)
    if isinstance(value, bool) or value not in LABELS:
        raise UsageError(f"the label of {mark} is {value!r}; it is 0, 0.5 or 1")
    return float(value), note


def _change(selection: Selection, rater: str, labels: Mapping[str, Given]) -> int:
    """Give what has a label another one, or take it back; how often."""
    lines, changed = own_lines(selection.cases, selection.folders, rater), 0
    for case in selection.cases:
        line = lines.get(case.key)
        if case.mark not in labels or line is None or line.label is None:
            continue
        given = labels[case.mark]
        value, note = (None, None) if given is None else _parts(given, case.mark)
        if value == line.label and (note is None or note == line.note):
            continue
        append_label(
            selection.folders[case.document_id], case=case.id, rater=rater, label=value, note=note, after=line.at
        )
        changed += 1
    return changed
