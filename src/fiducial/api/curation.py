"""Datasets from Python: made, checked, planted, and their lists filled by people's decisions.

`fiducial review init`, `check`, `propose`, `confirm`, `reject` and `plant`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from msgspec import Struct

from fiducial.api.models import CallSettings, ModelGiven, given_name, made_calls, opened, shown, silent
from fiducial.api.runs import Run, interruptions, path_of
from fiducial.judge.calibration import today
from fiducial.judge.genuine import ReviewType
from fiducial.review import curate_conduct
from fiducial.review.check import Problem, check
from fiducial.review.create import create_dataset
from fiducial.review.curate import Choice, Moved, Target
from fiducial.review.curate_conduct import Asking, Confirmed, freeze_documents, retest_due
from fiducial.review.plant import OPERATORS
from fiducial.review.plant.write import Planted, plant_document
from fiducial.review.propose import Proposed, propose_from


class Checked(Struct, frozen=True):
    """What is wrong with a dataset (`fail`) and what is due (`warn`), and what came of the tests that were made."""

    problems: list[Problem]
    tested: list[Moved]

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong. What is due is not wrong yet."""
        return all(problem.level != "fail" for problem in self.problems)


def review_init(
    document: str | Path,
    *,
    out: str | Path | None = None,
    review_type: ReviewType = "design",
    name: str | None = None,
) -> Path:
    """Make a dataset of a document: a frozen copy of it, and an empty list of must-finds; its folder."""
    return create_dataset(Path(document), out=Path(out) if out else None, review_type=review_type, name=name)


def review_check(
    dataset: str | Path,
    *,
    freeze: bool = False,
    judge: ModelGiven | None = None,
    progress: bool = True,
    **calls: Unpack[CallSettings],
) -> Checked:
    """Look a dataset over: hashes, every record, evidence that is gone, tests that are due.

    `freeze` first freezes the documents as they are now. With a `judge` the zero-shot test is first run where it is due;
    without one no call is made.
    """
    place = Path(dataset)
    if freeze:
        freeze_documents(place)
    tested: list[Moved] = []
    if judge is not None:
        with interruptions():
            tested = retest_due(place, _asking(judge, calls, progress=progress))
    return Checked(check(place, day=today()), tested)


def review_propose(
    run: str | Path | Run, *, dataset: str | Path | None = None, min_runs: int | None = None, write: bool = False
) -> list[Proposed]:
    """Candidates for must-finds, document by document: what a run found again and again and its judge called genuine.

    `write` adds them to the queue, where a person decides on each: `review_confirm` or `review_reject`.
    """
    place = Path(dataset) if dataset is not None else None
    return propose_from(path_of(run), dataset=place, min_runs=min_runs, write=write).documents


def review_confirm(
    dataset: str | Path,
    candidate: str,
    *,
    target: Target,
    judge: ModelGiven,
    min_recall: float | None = None,
    reviewer: str | None = None,
    required_context: str | None = None,
    by: str | None = None,
    progress: bool = True,
    **calls: Unpack[CallSettings],
) -> Confirmed:
    """Move a candidate into a list, after the zero-shot test: a person's decision, which a program may carry out.

    `target` is `"must-find"` or `"context"`. The judge is given the document alone and asked for this very issue, three
    times: `.moved` says what became of it. A `.moved.file` of None is a candidate that stays in the queue, and
    `.moved.why` says why. `by` is who decided.
    """
    choice = Choice(
        target=target, min_recall=min_recall, reviewer=reviewer, required_context=required_context, by=by
    )
    with interruptions():
        return curate_conduct.confirm_candidate(
            Path(dataset), candidate, choice, _asking(judge, calls, progress=progress)
        )


def review_reject(dataset: str | Path, candidate: str, why: str, *, by: str | None = None) -> Moved:
    """Take a candidate out of the queue, with a few words for the next person. It is not proposed again."""
    return curate_conduct.reject_candidate(Path(dataset), candidate, why, by=by)


def _asking(judge: ModelGiven, calls: CallSettings, *, progress: bool) -> Asking:
    told = made_calls(calls)
    return Asking(
        given_name(judge),
        lambda: opened(judge, told),
        told,
        announce=lambda issues: None,
        show=shown if progress else silent,
    )


def review_plant(
    document: str | Path,
    out: str | Path | None = None,
    *,
    count: int = 5,
    variants: int = 1,
    operators: Sequence[str] | None = None,
    review_type: ReviewType = "design",
    seed: int = 1,
    force: bool = False,
) -> list[Planted]:
    """Variants of a Markdown document with planted flaws, each a dataset of its own under `out`. No call is made.

    `out` is NAME-planted here, unless told otherwise. A variant without a flaw is the document itself, and is not
    written: where there is no material, the list is empty. `operators` are kinds of flaws, out of `review_operators()`.
    """
    return plant_document(
        Path(document),
        Path(out) if out is not None else None,
        seed=seed,
        count=count,
        variants=variants,
        operators=operators,
        review_type=review_type,
        force=force,
    ).written


def review_operators() -> dict[str, str]:
    """The kinds of flaws that can be planted, each in a sentence."""
    return {name: operator.says for name, operator in OPERATORS.items()}
