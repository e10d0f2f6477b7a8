"""Labelling a run: who labels, which cases, how far everybody is. Nobody's labels are shown here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from fiducial.errors import UsageError
from fiducial.report.label_tables import nothing_to_label
from fiducial.review.files import near
from fiducial.review.labelling import LabelCase, progress, run_cases
from fiducial.study.runs import instrument
from fiducial.web.desk import desk_of, form, show
from fiducial.web.label_task import (
    Choice,
    Task,
    checked_rater,
    choice_of,
    chosen,
    remember,
    remembered,
    reviewer_mark,
    task_from,
    task_of,
)

STYLES = ["page.css", "review.css", "workbench.css", "label.css"]


def label(request: Request) -> Response:
    """Where labelling begins. What was chosen last in this browser is chosen again."""
    rater, given, _ = remembered(request)
    asked = dict(request.query_params)
    known = {"rater": rater} | (given or Choice()).query
    return _start(request, {**known, **asked} if asked.keys() & {"reviewer", "sample", "seed"} else known)


def begin(request: Request) -> Response:
    """To the first case that is not labelled yet; back with a word where the name or a number is wrong."""
    fields = {name: value.strip() for name, value in form(request).items()}
    try:
        rater = checked_rater(fields.get("rater", ""))
        task = task_from(request, fields)
    except UsageError as error:
        return _start(request, fields, said=str(error), status=400)
    there = task.said()
    meant = "" if rater in there or fields.get("sure") == rater else near(rater, list(there))
    if meant:
        # A name that nobody has used so far may be a slip of the fingers.
        return _start(request, fields, said=f"{rater} has not labelled anything here yet{meant}", sure=rater)
    return remember(RedirectResponse(task.address(rater), 303), task, rater)


def _start(
    request: Request, fields: Mapping[str, str], *, said: str = "", sure: str = "", status: int = 200
) -> Response:
    desk, served = desk_of(request), desk_of(request).run(request)
    values: dict[str, object] = {
        "place": "runs",
        "tab": "label",
        "served": served,
        "instrument": instrument(served.path),
        "styles": STYLES,
        "fields": {name: fields.get(name, "") for name in ("rater", "reviewer", "sample", "seed")},
        "said": said,
        "sure": sure,
        "cannot": "",
        "nothing": "",
        "task": None,
    }
    try:
        if not (there := desk.results.once(served.path, run_cases)):
            values["nothing"] = nothing_to_label(served.path)
        else:
            task = task_of(desk, served, _usable(fields, there))
            values |= {"task": task} | _standing(request, task)
    except UsageError as error:
        values["cannot"] = str(error)
    return show(request, "label.html", values, status=status)


def _usable(fields: Mapping[str, str], cases: Sequence[LabelCase]) -> Choice:
    """The choice of a form if it is one, else all cases: what is wrong with it is told beside the form."""
    try:
        chosen(cases, choice := choice_of(fields))
    except UsageError:
        return Choice()
    return choice


def _standing(request: Request, task: Task) -> dict[str, object]:
    desk = desk_of(request)
    names = sorted({name for case in task.all_cases for name in case.reviewers})
    raters = progress(task.cases, task.said())
    own, given, _ = remembered(request)
    return {
        "raters": raters,
        "done": sum(one.done for one in raters),
        "own": next((one for one in raters if one.rater == own), None) if given is not None else None,
        "reviewers": [
            {"mark": reviewer_mark(name), "name": name, "n": sum(name in case.reviewers for case in task.all_cases)}
            for name in names
        ],
        "places": sorted(
            {folder.resolve().relative_to(desk.folder.root).as_posix() for folder in task.folders.values()}
        ),
    }


ROUTES = [Route("/runs/{run}/label", label, methods=["GET"]), Route("/runs/{run}/label", begin, methods=["POST"])]
