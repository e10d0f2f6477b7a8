"""A gate that is asked for too early: why it is refused, and how that is said."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.review.dataset import Dataset
    from gnomon.review.reviewer import Reviewer
    from gnomon.review.run import Prepared, ReviewOptions


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
    from gnomon.judge.panel import panel_name
    from gnomon.review.dataset import MUST_FIND, context_dependent, nothing_owned
    from gnomon.review.readiness import earlier_results, readiness
    from gnomon.review.recall import FEWEST_RUNS

    if not judges:
        return ["--judge none: a gate needs a judge"]
    if not any(document.must_find for document in dataset.documents):
        return [
            f"{dataset.folder}: no must-finds ({MUST_FIND} is missing or empty), so there is nothing to gate on. "
            "`gnomon review propose RUN` proposes some from a run"
        ]
    if unowned := [said for r in reviewers if (said := nothing_owned(dataset.documents, r.name))]:
        return unowned
    if changed := [d.id for d in dataset.documents if d.changed]:
        return [
            f"changed since frozen: {', '.join(changed)}. `gnomon review check {dataset.folder}` says what is touched"
        ]
    folder = prepared.path.parent
    earlier = earlier_results(folder, dataset.name, but=None if _finished(prepared.path) else prepared.path)
    context = [record for d in dataset.documents for record in context_dependent(d.folder) or ()]
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
    from gnomon.review.run import look

    return path.exists() and look(path).complete


def refuse(
    why: list[str],
    as_json: bool,
    junit: Path | None,
    prepared: Prepared,
    dataset: Dataset,
    options: ReviewOptions,
) -> None:
    """End with exit code 2 and the list of what is missing; nothing was asked and nothing written but the XML."""
    from gnomon.errors import UsageError
    from gnomon.review.result import Gate, ReviewResult

    result = ReviewResult.refused(
        Gate(result="refused", why=why), run=prepared.path.stem, dataset=dataset.name, model=options.model
    )
    if junit is not None:
        from gnomon.report.junit import write_junit

        write_junit(junit, result)
    if as_json:
        from gnomon.cli.options import print_json

        print_json(result)
    raise UsageError("the gate is refused, and no call was made:\n" + "\n".join(f"  - {reason}" for reason in why))
