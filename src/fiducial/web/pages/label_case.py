"""One case after the other, blind, key by key. A label is on disk before the next case is shown.

The state is on disk and in the address: a server that is started again, or a second tab, goes on where the first was. A
form names the case it is about, so nobody labels what was not before them. A script swaps the part of the page that
holds the case; without one, the same forms lead from page to page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from fiducial.errors import UsageError
from fiducial.judge.prompt import prompt_text
from fiducial.report.inert import inert
from fiducial.report.label_page import reading
from fiducial.report.label_screen import BETWEEN, MEANT, RULES, WORDS
from fiducial.report.numbers import count
from fiducial.review.files import locked
from fiducial.review.label_round import Round
from fiducial.review.labels import FOLDER, check_writable, torn_label
from fiducial.web.desk import desk_of, form, show
from fiducial.web.label_task import Task, checked_rater, remember, round_of, skips_text, task_from
from fiducial.web.pages.label import STYLES

SCRIPT = "fiducial"  # what our script calls itself
ANSWERS = {"1": 1.0, "0": 0.0, "0.5": 0.5}
LONGEST = 4_000  # characters of a comment


class Step(NamedTuple):
    """What came of a step: what to say, whether it was done, and what the next address has to know."""

    said: str
    done: bool = True
    again: str = ""
    latest: str = ""


def case(request: Request) -> Response:
    """The case that comes next for this rater."""
    rater, task = _asked(request)
    sheet = round_of(desk_of(request), task, rater, request.query_params)
    torn = next(filter(None, (torn_label(folder, rater) for folder in task.folders.values())), "")
    values = _values(request, task, sheet, Step("", latest=request.query_params.get("latest", "")))
    return remember(show(request, "label_case.html", values | ({"torn": torn} if torn else {})), task, rater)


def answer(request: Request) -> Response:
    """A label, a skip or an undo, and then the next case."""
    rater, task = _asked(request)
    fields = form(request)
    with _alone(task, rater):
        sheet = round_of(desk_of(request), task, rater, request.query_params)
        step = _taken(sheet, fields)
    values = _values(request, task, sheet, step)
    if not step.done:
        values["comment"] = fields.get("note", "")[:LONGEST]
    if request.headers.get("x-requested-with") == SCRIPT:
        # It answers 200 whatever came of it: the part itself says so, and a browser need not call it broken.
        part = show(request, "label_part.html", values)
        part.headers["x-fiducial-part"] = "case"
        return part
    if not step.done:
        return show(request, "label_case.html", values | {"note": step.said}, status=409)
    here = str(values["here"])
    note = desk_of(request).leave_note(step.said)
    return RedirectResponse(f"{here}{'&' if '?' in here else '?'}note={note}#passage", 303)


@contextmanager
def _alone(task: Task, rater: str) -> Iterator[None]:
    """Whoever labels reads what stands, then adds to it. In between nobody else does, here or in a terminal."""
    with ExitStack() as stack:
        for folder in sorted(set(task.folders.values())):
            check_writable(folder, rater)
            stack.enter_context(locked(folder / FOLDER))
        yield


def _asked(request: Request) -> tuple[str, Task]:
    return checked_rater(request.path_params["rater"]), task_from(request, request.query_params)


def _taken(sheet: Round, fields: Mapping[str, str]) -> Step:
    """Do what the form says, if it is about what the rater has before them."""
    wanted = fields.get("step") or fields.get("label", "")
    try:
        if wanted == "undo":
            return _undone(sheet, fields.get("last", ""))
        current = sheet.current
        if current is None or current.mark != fields.get("case"):
            return Step(_stale(sheet, fields.get("case", "")), done=False)
        note = inert(fields.get("note", "")[:LONGEST]) or None
        if wanted == "skip":
            sheet.skip()
            return Step("Skipped; the comment is not kept" if note else "Skipped")
        if wanted not in ANSWERS:
            return Step("Not saved: that is no label.", done=False)
        sheet.label(ANSWERS[wanted], note)
    except UsageError as error:
        return Step(f"Not saved: {error}", done=False)
    said = f"Saved: {WORDS[ANSWERS[wanted]]}, {count(sheet.labelled)} of {count(sheet.total)}"
    return Step(said, latest=current.mark)


def _undone(sheet: Round, last: str) -> Step:
    if sheet.last is None or sheet.last.mark != last:
        return Step("Nothing was undone: something else was labelled or undone since, in another tab.", done=False)
    mark = sheet.last.mark
    before = sheet.undo()
    said = "Back to a case that was skipped" if before is None else f"Taken back: {WORDS[before]}"
    return Step(f"{said}, {count(sheet.labelled)} of {count(sheet.total)}", again=mark)


def _stale(sheet: Round, mark: str) -> str:
    if sheet.has(mark):
        return (
            "Not saved: you have labelled this case already, in another tab or in the terminal. That label stands."
        )
    return "Not saved: another case is up by now. This is the one."


def _values(request: Request, task: Task, sheet: Round, step: Step) -> dict[str, object]:
    skips = skips_text(sheet.skips)
    current = sheet.current
    return {
        "place": "runs",
        "styles": STYLES,
        "scripts": ["page.js", "label.js"],
        "served": task.served,
        "sheet": sheet,
        "case": current,
        "read": None if current is None else reading(current),
        "number": min(sheet.total, sheet.labelled + sheet.skipped + 1),
        "last": sheet.last.mark if sheet.last else "",
        "here": task.address(sheet.rater, skip=skips, again=step.again, latest=step.latest),
        "over": task.address(sheet.rater, latest=step.latest),
        "leave": task.address(),
        "agreement": task.address("agreement"),
        "said": step.said,
        "failed": not step.done,
        "torn": "",
        "comment": "",
        "longest": LONGEST,
        "meant": MEANT,
        "rules": RULES,
        "between": BETWEEN,
        "reasons": [] if current is None else _reasons(current.review_type),
    }


def _reasons(review_type: str) -> list[tuple[str, str]]:
    """Why a finding is not genuine, as judges are told: a name and what it means. The first line has no name."""
    lines = prompt_text(f"not_genuine_{review_type}").strip().split("\n")
    named = (line.removeprefix("- ").partition(": ") for line in lines[1:])
    return [("", lines[0]), *((name.replace("_", " "), meaning) for name, _, meaning in named)]


ROUTES = [
    Route("/runs/{run}/label/{rater}", case, methods=["GET"]),
    Route("/runs/{run}/label/{rater}", answer, methods=["POST"]),
]
