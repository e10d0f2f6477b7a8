"""The zero-shot test from the browser: where its run lies, and the work that asks for it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path

from fiducial.errors import Incomplete
from fiducial.judge.asking import Judge
from fiducial.judge.calibration import find, today
from fiducial.review.context import issue_in
from fiducial.review.curate import note_outcome
from fiducial.review.dataset import Document, load_dataset
from fiducial.review.records import Candidate
from fiducial.review.zero_shot import run_zero_shot, shortfall, unanswered, zero_shot_judge, zero_shot_path
from fiducial.run.calls import Calls
from fiducial.web.desk import Desk
from fiducial.web.jobs import Job

SEED = 1  # as in the terminal, whose tests are found here and not paid for again


def judge_of(desk: Desk) -> Judge | None:
    """The judge that pages may ask."""
    return zero_shot_judge(desk.judge) if desk.judge else None


def worth(desk: Desk, judge: Judge) -> tuple[str | None, str | None]:
    """The name of the judge's calibration, and why "not found" from it proves nothing; None each where there is none."""
    calibration = find(judge, folder=desk.folder.calibrations()[0])
    return calibration.name if calibration else None, shortfall(calibration, model=judge.model, today=today())


def run_of_test(desk: Desk, document: Document, candidate: Candidate, judge: Judge) -> Path | None:
    """The run file that holds this judge's test of the candidate as it reads now, if it was tested."""
    seen = candidate.zero_shot
    if seen is None or (seen.model, seen.prompt_hash) != (judge.model, judge.prompt):
        return None
    issue = issue_in(document, candidate)
    there = (path for path in _places(desk, document, candidate, judge).values() if path.exists())
    return next((path for path in there if not unanswered(path, [issue], judge)), None)


def key_of(document: Document, candidate: Candidate) -> Hashable:
    """What a test is known by while it goes on."""
    return document.folder.resolve(), candidate.id


def start_test(desk: Desk, document: Document, candidate: Candidate, judge: Judge) -> bool:
    """Put the three questions, in the background. False where they are being put already."""
    return desk.jobs.start(key_of(document, candidate), _work(desk, document, candidate, judge))


def _work(desk: Desk, document: Document, candidate: Candidate, judge: Judge) -> Callable[[Job], str]:
    def work(job: Job) -> str:
        places = _places(desk, document, candidate, judge)
        name = next((name for name, path in places.items() if path.exists()), next(iter(places)))
        issue, calls = issue_in(document, candidate), Calls()
        run, collected = run_zero_shot(
            [issue],
            judge,
            calls.open(judge.model),
            dataset=name,
            seed=SEED,
            limits=calls.limits(judge.model),
            budget=calls.spending(),
            progress=job,
            out=places[name],
        )
        if unanswered(run, [issue], judge):
            raise Incomplete(
                f"The test is incomplete: {collected.stopped or 'some calls failed'}. What was answered is kept; "
                "test again to ask for the rest."
            )
        calibrations = desk.folder.calibrations()[0]
        return note_outcome(document, candidate, run=run, judge=judge, calibrations=calibrations).why

    return work


def _places(desk: Desk, document: Document, candidate: Candidate, judge: Judge) -> dict[str, Path]:
    """Where the run of the test may lie, by the name of the dataset: the document's own, or that of the folder above."""
    issue = issue_in(document, candidate)
    names = [load_dataset(document.folder).name, document.folder.resolve().parent.name]
    return {
        name: desk.folder.root / zero_shot_path([issue], judge, dataset=name, seed=SEED)
        for name in dict.fromkeys(names)
    }
