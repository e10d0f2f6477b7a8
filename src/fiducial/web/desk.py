"""What every page of the workbench needs: the served folder, the templates, results that were computed before."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

import jinja2
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

import fiducial
from fiducial.errors import UsageError
from fiducial.report.assets import asset, environment
from fiducial.report.page import bias_words
from fiducial.report.review_page import review_words
from fiducial.web.assets import address
from fiducial.web.folder import Folder, Served
from fiducial.web.jobs import Jobs
from fiducial.web.results import Results

OUTSIDE = "A part of this dataset is no file or lies outside the folder that is served, so nothing of it is shown."
NOTES = 100  # messages that wait for their page

T = TypeVar("T")


class Desk:
    """One workbench. `judge` is the model that may be asked from the browser; without one, no page makes a call."""

    def __init__(self, root: Path, *, judge: str | None = None) -> None:
        self.folder = Folder(root)
        self.judge = judge
        self.jobs = Jobs()
        self.results = Results()
        self._notes: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def run(self, request: Request) -> Served:
        """The run that the address names."""
        return found(self.folder.run(request.path_params["run"]), "run")

    def dataset(self, request: Request) -> Served:
        """The dataset that the address names, if all of it lies in the served folder."""
        served = found(self.folder.dataset(request.path_params["dataset"]), "dataset")
        if self.folder.stray(served.path) is not None:
            raise UsageError(OUTSIDE)
        return served

    def leave_note(self, message: str) -> str:
        """Keep a message for the next page; what is returned names it."""
        name = secrets.token_urlsafe(8)
        with self._lock:
            self._notes[name] = message
            while len(self._notes) > NOTES:
                self._notes.popitem(last=False)
        return name

    def take_note(self, name: str) -> str:
        """The message of that name, once."""
        with self._lock:
            return self._notes.pop(name, "")


def desk_of(request: Request) -> Desk:
    """The workbench that a request is for."""
    desk = request.app.state.desk
    assert isinstance(desk, Desk)
    return desk


def found(one: T | None, what: str) -> T:
    """The thing, or the page that says it is not there."""
    if one is None:
        raise HTTPException(404, f"There is no such {what} in the folder.")
    return one


def form(request: Request) -> dict[str, str]:
    """The fields of a form that was sent; the guard has read and checked it."""
    fields = request.state.form
    assert isinstance(fields, dict)
    return fields


@lru_cache
def templates() -> jinja2.Environment:
    """The workbench's own templates, and behind them those of the report, whose frame is replaced by ours."""
    env = environment()
    own = files("fiducial.web") / "templates"

    def load(name: str) -> str:
        place = own / name
        return place.read_text("utf-8") if place.is_file() else asset(f"templates/{name}")

    env.loader = jinja2.FunctionLoader(load)
    bias_words(env)
    review_words(env)
    env.globals |= {"asset": address, "version": fiducial.__version__}
    return env


def show(
    request: Request, template: str, values: Mapping[str, object] | None = None, *, status: int = 200
) -> HTMLResponse:
    """A page. `place` marks the link of the menu that it belongs to."""
    desk = desk_of(request)
    common: dict[str, object] = {
        "csrf": request.state.csrf,
        "nonce": request.state.nonce,
        "folder_name": desk.folder.root.name or "/",
        "note": desk.take_note(request.query_params.get("note", "")),
        "place": "",
        "styles": ["page.css", "workbench.css"],
        "scripts": ["page.js", "workbench.js"],
    }
    return HTMLResponse(templates().get_template(template).render(**common | dict(values or {})).lstrip(), status)


def go(request: Request, address: str, note: str = "") -> Response:
    """To another page of ours, or a place in it (`#…`), after something was written, with a message."""
    address, mark, place = address.partition("#")
    if note:
        address += f"{'&' if '?' in address else '?'}note={desk_of(request).leave_note(note)}"
    return RedirectResponse(address + mark + place, 303)
