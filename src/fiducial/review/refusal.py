"""A gate that is asked for too early: why it is refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fiducial.errors import UsageError, command
from fiducial.judge.panel import panel_name
from fiducial.review.dataset import MUST_FIND, Dataset, all_context, nothing_owned
from fiducial.review.readiness import earlier_results, readiness
from fiducial.review.recall import FEWEST_RUNS
from fiducial.review.result import ReviewResult
from fiducial.review.reviewer import Reviewer
from fiducial.review.run import Prepared, ReviewOptions, look


class GateRefused(UsageError):
    """No call was made and nothing written. `result` says so in the shape of a result."""

    def __init__(self, result: ReviewResult) -> None:
        why = result.gate.why if result.gate else []
        listed = "\n".join(f"  - {reason}" for reason in why)
        super().__init__(f"the gate is refused, and no call was made:\n{listed}")
        self.result = result


def refusal(
    dataset: Dataset,
    reviewers: Sequence[Reviewer],
    prepared: Prepared,
    options: ReviewOptions,
    judges: Sequence[str],
    *,
    strict: bool,
) -> list[str]:
    """Why a gate cannot be decided, before any call is made."""
    if not judges:
        return ["--judge none: a gate needs a judge"]
    if not any(document.must_find for document in dataset.documents):
        return [
            f"{dataset.folder}: no must-finds ({MUST_FIND} is missing or empty), so there is nothing to gate on. "
            "`fiducial review propose RUN` proposes some from a run"
        ]
    if unowned := [said for r in reviewers if (said := nothing_owned(dataset.documents, r.name))]:
        return unowned
    if changed := [d.id for d in dataset.documents if d.changed]:
        return [
            f"changed since frozen: {', '.join(changed)}. "
            f"`{command('review', 'check', dataset.folder)}` says what is touched"
        ]
    folder = prepared.path.parent
    earlier = earlier_results(folder, dataset.name, but=None if _finished(prepared.path) else prepared.path)
    context = all_context(dataset)
    few = (
        f"--runs {options.runs}: a gate needs {FEWEST_RUNS} runs or more; with fewer, next to nothing would fail it"
    )
    return ([few] if options.runs < FEWEST_RUNS else []) + [
        f"{reviewer.name}: {reason}"
        for reviewer in reviewers
        for reason in readiness(
            dataset,
            reviewer,
            earlier,
            model=options.model,
            judge=panel_name(judges),
            context_records=context,
            folder=folder,
        ).to_refuse(strict)
    ]


def _finished(path: Path) -> bool:
    """Whether the run was complete before this command: then it is an earlier run, and tells of readiness too."""
    return path.exists() and look(path).complete
