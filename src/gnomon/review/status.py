"""How far a dataset and its reviewers are from a gate that means something, as the commands ask it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from gnomon.review.dataset import Dataset, candidates, context_dependent
from gnomon.review.readiness import Readiness, earlier_results, readiness
from gnomon.review.result import ReviewResult
from gnomon.review.reviewer import Reviewer, find_reviewers, shipped_reviewers, unknown_reviewer
from gnomon.run.store import DEFAULT_FOLDER

Note = Callable[[str], None]


def status(
    dataset: Dataset,
    names: Sequence[str] = (),
    *,
    model: str | None = None,
    judge: str | None = None,
    folder: Path = DEFAULT_FOLDER,
    note: Note,
) -> list[Readiness]:
    """One graph for each of these reviewers, or for those of the stored runs, or for the dataset alone.

    `note` is told of runs and reviewers that could not be taken in.
    """
    asked = find_reviewers(names)
    earlier = earlier_results(folder, dataset.name, but=None, note=note)
    context = [record for d in dataset.documents for record in context_dependent(d.folder) or ()]
    queue = [candidate for d in dataset.documents for candidate in candidates(d.folder).values()]
    chosen: Sequence[Reviewer | None] = asked or _seen(earlier, note) or [None]
    return [
        readiness(
            dataset,
            who,
            earlier,
            model=model,
            judge=judge,
            context_records=context,
            candidates=queue,
            folder=folder,
        )
        for who in chosen
    ]


def _seen(earlier: Sequence[ReviewResult], note: Note) -> list[Reviewer]:
    """The reviewers of stored runs, as they are now.

    Of recorded outputs only the name may be known. Any other that is not shipped has to be given by its path.
    """
    shipped = shipped_reviewers()
    found: list[Reviewer] = []
    # The newest run decides what is meant by a name.
    newest = {reviewer.name: run.settings for run in earlier for reviewer in run.reviewers}
    for name, settings in newest.items():
        hashes = settings.get("reviewer_hashes")
        unknown = unknown_reviewer(name)
        if isinstance(hashes, dict) and hashes.get(name) == unknown.hash:
            found.append(unknown)
        elif name in shipped:
            found += find_reviewers([name])
        else:
            note(f"stored runs have a reviewer {name}: give its file with --reviewer")
    return found
