"""The way to a gate for every reviewer that was run on a dataset, wherever its runs lie, and for the dataset alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from msgspec import Struct

from gnomon.judge.calibration import Known
from gnomon.judge.panel import panel_name
from gnomon.review.dataset import Dataset, candidates, context_dependent
from gnomon.review.readiness import Readiness, readiness
from gnomon.review.result import ReviewResult
from gnomon.review.reviewer import Reviewer, find_reviewers, shipped_reviewers
from gnomon.review.source import stored_source
from gnomon.run.store import DEFAULT_FOLDER, Store

AGENT = Path(
    "AGENT.md"
)  # stands for the file of a reviewer that does not come with Gnomon: a run has only its prompt


class Stored(Struct, frozen=True):
    """A run file and what it came to."""

    path: Path
    result: ReviewResult


def dataset_readiness(
    dataset: Dataset, stored: Sequence[Stored], *, calibrations: Known, today: date | None = None
) -> list[Readiness]:
    """One graph a reviewer, then that of the dataset alone. `stored` are its runs, the newest last.

    The newest run of a reviewer says which judge is meant. Reviewers that come with Gnomon are taken as they are today,
    others as their newest run has them.
    """
    context = [record for d in dataset.documents for record in context_dependent(d.folder) or ()]
    queue = [one for d in dataset.documents for one in candidates(d.folder).values()]
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
        *(graph(_as_it_is(name, one.path), one) for name, one in sorted(newest.items())),
        graph(None, stored[-1] if stored else None),
    ]


def _as_it_is(name: str, path: Path) -> Reviewer:
    if name in shipped_reviewers():
        return find_reviewers([name])[0]
    with Store(path) as store:
        known = stored_source(store).reviewers[name]
    return Reviewer(name=name, description="", prompt=known.prompt, model=None, path=AGENT)
