"""How far raters agree: shown when two of them have labelled every case, and to nobody who is still labelling."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from fiducial.report.label_page import excerpted, reading
from fiducial.report.label_screen import WORDS
from fiducial.review.labelling import Key, agreed, finished, is_blind, progress
from fiducial.review.labels import load_labels, newest
from fiducial.study.runs import instrument
from fiducial.web.desk import show
from fiducial.web.label_task import NOBODY, Task, chosen, remember, remembered, task_from
from fiducial.web.pages.label import STYLES

SHOWN = 100  # disagreements on the page


def agreement(request: Request) -> Response:
    """Who is how far; and once nobody can be led by it any more, what they said."""
    task = task_from(request, request.query_params)
    said = task.said()
    both = finished(task.cases, said)
    rater = _blind(request, task) if both else ""
    values: dict[str, object] = {
        "place": "runs",
        "tab": "label",
        "served": task.served,
        "instrument": instrument(task.served.path),
        "styles": STYLES,
        "task": task,
        "raters": progress(task.cases, said),
        "ready": len(both),
        "blind": rater,
        "begun": bool(rater and said.get(rater)),
        "found": None,
    }
    if both and not rater:
        found = agreed(task.served.name, task.cases, both)
        notes, by_key = _notes(task), {case.key: case for case in task.cases}
        splits = [
            {
                "split": split,
                "read": excerpted(reading(by_key[split.document, split.case])),
                "notes": {who: notes.get((who, (split.document, split.case))) for who in split.labels},
            }
            for split in found.disagreements[:SHOWN]
        ]
        values |= {"found": found, "splits": splits, "words": WORDS, "names": list(both)}
    return show(request, "label_agreement.html", values)


def looking(request: Request) -> Response:
    """Somebody who labels elsewhere, and not this run, wants to see how far others agree."""
    task = task_from(request, request.query_params)
    rater = _blind(request, task)
    back = RedirectResponse(task.address("agreement"), 303)
    return back if rater and task.said().get(rater) else remember(back, task, NOBODY)


def _blind(request: Request, task: Task) -> str:
    """The rater who sits at this browser, if they still have to label what they were given; else nothing."""
    rater, given, aside = remembered(request)
    own = task.cases if given is None else chosen(task.all_cases, given)
    return rater if rater and not aside and is_blind(rater, own, task.said()) else ""


def _notes(task: Task) -> dict[tuple[str, Key], str]:
    """What raters wrote beside the labels that count."""
    return {
        (rater, (document, case)): line.note
        for document, folder in task.folders.items()
        for (rater, case), line in newest(load_labels(folder)).items()
        if line.label is not None and line.note
    }


ROUTES = [
    Route("/runs/{run}/label/agreement", agreement, methods=["GET"]),
    Route("/runs/{run}/label/agreement", looking, methods=["POST"]),
]
