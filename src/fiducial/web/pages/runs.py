"""All runs of the folder: what each is, how far it is, and two of them chosen to be compared."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fiducial.run.listing import listed
from fiducial.web.desk import Desk, desk_of, show
from fiducial.web.folder import MOST
from fiducial.web.progress import Standing, spell, standing

STATES = ("running", "complete", "incomplete", "unreadable")
PAGE = 200  # runs on one page


def runs(request: Request) -> Response:
    """The list."""
    return show(request, "runs.html", _values(request))


def rows(request: Request) -> Response:
    """The table alone, for a page that stays up to date."""
    return show(request, "runs_rows.html", _values(request))


def _values(request: Request) -> dict[str, object]:
    wanted = {name: request.query_params.get(name, "").strip() for name in ("q", "instrument", "state")}
    there = _standings(desk_of(request))
    fitting = [one for one in there if _fits(one, wanted)]
    return {
        "place": "runs",
        "runs": fitting[:PAGE],
        "fitting": len(fitting),
        "there": len(there),
        "wanted": wanted,
        "states": STATES,
        "instruments": sorted({one.run.instrument for one in there if one.run.instrument}),
        "live": any(one.state == "running" for one in there),
        "query": request.url.query,
        "spell": spell,
    }


def _standings(desk: Desk) -> Sequence[Standing]:
    """What is not running is counted again only when its file has changed."""
    return [standing(served, desk.results.once(served.path, listed, kept=MOST)) for served in desk.folder.runs()]


def _fits(one: Standing, wanted: dict[str, str]) -> bool:
    words = wanted["q"].lower().split()
    told = f"{one.name} {one.run.subject} {one.run.instrument}".lower()
    return (
        all(word in told for word in words)
        and wanted["instrument"] in ("", one.run.instrument)
        and wanted["state"] in ("", one.state)
    )


ROUTES = [Route("/", runs), Route("/runs/rows", rows)]
