"""What people say of findings, as data: `fiducial judge label` from Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from fiducial.api.runs import Run, path_of
from fiducial.review.label_given import (
    BlindCase,
    Given,
    Labelled,
    LabelledBy,
    Selection,
    give_labels,
    labelled_by,
    open_cases,
    select_cases,
)
from fiducial.review.labelling import Agreed, agreed


def judge_cases(
    run: str | Path | Run,
    rater: str,
    *,
    reviewer: str | None = None,
    sample: int | None = None,
    limit: int | None = None,
    seed: int = 1,
    dataset: str | Path | None = None,
) -> list[BlindCase]:
    """The findings of a review run that this rater has not labelled yet, in an order of the rater's own.

    A case has the claim, the document and what kind of review it is. Neither the finding's reviewer, nor its severity,
    nor any verdict, nor another rater's label is in it.
    """
    return open_cases(_selected(run, dataset, reviewer, sample, seed), rater, seed=seed, limit=limit)


def judge_label(
    run: str | Path | Run,
    rater: str,
    labels: Mapping[str, Given] | Callable[[BlindCase], Given],
    *,
    reviewer: str | None = None,
    sample: int | None = None,
    limit: int | None = None,
    seed: int = 1,
    dataset: str | Path | None = None,
) -> Labelled:
    """Save what a rater says of findings: 1 genuine, 0 not, 0.5 between, or such a label with a note, `(1, "see 4.2")`.

    `labels` is a function that is given the open cases one by one (None skips a case), or a mapping from the `mark` of a
    case to its label: another label than the one that stands replaces it, None takes it back. They go to
    labels/RATER.jsonl in the document's folder, where `judge_calibrate` and reviews find them; the same call again adds
    nothing. The labels are meant to be people's: a model's word is what they are there to check.
    """
    selected = _selected(run, dataset, reviewer, sample, seed)
    return give_labels(selected, rater, labels, seed=seed, limit=limit)


def judge_labelled(
    run: str | Path | Run,
    *,
    reviewer: str | None = None,
    sample: int | None = None,
    seed: int = 1,
    dataset: str | Path | None = None,
) -> list[LabelledBy]:
    """Who has labelled which case, not how."""
    return labelled_by(_selected(run, dataset, reviewer, sample, seed))


def judge_agreement(
    run: str | Path | Run,
    *,
    reviewer: str | None = None,
    sample: int | None = None,
    seed: int = 1,
    dataset: str | Path | None = None,
) -> Agreed:
    """How far the raters agree, and on what they do not. It shows labels: not for a rater who is not done yet."""
    selected = _selected(run, dataset, reviewer, sample, seed)
    return agreed(path_of(run).stem, selected.cases, selected.said())


def _selected(
    run: str | Path | Run, dataset: str | Path | None, reviewer: str | None, size: int | None, seed: int
) -> Selection:
    place = Path(dataset) if dataset is not None else None
    return select_cases(path_of(run), dataset=place, reviewer=reviewer, size=size, seed=seed)
