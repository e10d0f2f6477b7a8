"""How far a dataset and its reviewers are from a gate that means something: as the commands ask it (`status`), and for all
of its runs wherever they lie (`dataset_readiness`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

from msgspec import Struct

from fiducial.judge.calibration import Known
from fiducial.judge.panel import panel_name
from fiducial.review.dataset import Dataset, all_candidates, all_context
from fiducial.review.readiness import Readiness, earlier_results, readiness
from fiducial.review.result import ReviewResult
from fiducial.review.reviewer import Reviewer, find_reviewers, shipped_reviewers, unknown_reviewer
from fiducial.review.source import stored_source
from fiducial.run.store import DEFAULT_FOLDER, Store

AGENT = "AGENT.md"  # stands for the file of a reviewer that does not come with Fiducial: a run has only its prompt

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
    context, queue = all_context(dataset), all_candidates(dataset)
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


class Stored(Struct, frozen=True):
    """A run file and what it came to."""

    path: Path
    result: ReviewResult


def dataset_readiness(
    dataset: Dataset, stored: Sequence[Stored], *, calibrations: Known, today: date | None = None
) -> list[Readiness]:
    """One graph a reviewer, then that of the dataset alone. `stored` are its runs, the newest last.

    The newest run of a reviewer says which judge is meant. Reviewers that come with Fiducial are taken as they are today,
    others as their newest run has them.
    """
    context, queue = all_context(dataset), all_candidates(dataset)
    earlier = [one.result for one in stored]

    def graph(who: Reviewer | None, last: Stored | None) -> Readiness:
        seats = list(dict.fromkeys(last.result.judges.values())) if last else []
        return readiness(
            dataset,
            who,
            earlier,
            judge=panel_name(seats) if seats else None,
            context_records=context,
            candidates=queue,
            calibrations=calibrations,
            folder=last.path.parent if last else DEFAULT_FOLDER,
            today=today,
        )

    newest = {reviewer.name: one for one in stored for reviewer in one.result.reviewers}
    return [
        *(graph(_as_run(name, one.path), one) for name, one in sorted(newest.items())),
        graph(None, stored[-1] if stored else None),
    ]


def _as_run(name: str, path: Path) -> Reviewer:
    if name in shipped_reviewers():
        return find_reviewers([name])[0]
    with Store(path) as store:
        known = stored_source(store).reviewers[name]
    return Reviewer(name=name, description="", prompt=known.prompt, model=None, path=Path(AGENT))
