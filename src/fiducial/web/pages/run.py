"""One run: its audit, charts to point at, and what it found as the report shows it."""

from __future__ import annotations

from pathlib import Path

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fiducial.bias.result import RunResult
from fiducial.report.facts import flat
from fiducial.report.page import Sample, bias_values
from fiducial.report.review_page import review_values
from fiducial.report.write import bias_parts, review_parts
from fiducial.review.dataset import SHIPPED
from fiducial.review.readiness import Readiness, readiness_of_run
from fiducial.run.listing import listed
from fiducial.run.store import Store
from fiducial.study.runs import INSTRUMENTS, instrument, made_by
from fiducial.web.chart_parts import as_data
from fiducial.web.charts import bias_charts, review_charts
from fiducial.web.desk import desk_of, show
from fiducial.web.folder import Served
from fiducial.web.progress import spell, standing

SHEETS = ["page.css", "review.css", "workbench.css", "explore.css"]
SCRIPTS = ["page.js", "review.js", "workbench.js", "vega.js", "explore.js"]


def run(request: Request) -> Response:
    """The page of a run. While it runs, a line on top says how far it is."""
    served = desk_of(request).run(request)
    made = made_by(served.path)
    values: dict[str, object] = {
        "place": "runs",
        "served": served,
        "instrument": made,
        "standing": standing(served, listed(served.path)),
        "spell": spell,
        "tab": "run",
        "explore_from": f"/runs/{served.id}/charts.json",
        "styles": SHEETS,
        "scripts": SCRIPTS,
    }
    if made not in INSTRUMENTS:
        return show(request, "run_other.html", values | {"settings": flat(_settings(served.path))})
    return _bias(request, served, values) if made == "bias" else _review(request, served, values)


def _bias(request: Request, served: Served, values: dict[str, object]) -> Response:
    found = desk_of(request).results.soon(served.path, _biases)
    if found is None:
        return show(request, "run_waiting.html", values)
    return show(request, "run_bias.html", values | bias_values(*found))


def _review(request: Request, served: Served, values: dict[str, object]) -> Response:
    results = desk_of(request).results
    parts = results.soon(served.path, review_parts)
    ready = _readiness(request, served) if parts is not None else None
    if parts is None or ready is None:
        return show(request, "run_waiting.html", values)
    return show(request, "run_review.html", values | review_values(*parts, readiness=ready))


def _readiness(request: Request, served: Served) -> list[Readiness] | None:
    """None while it is being looked at. What a run file says of its dataset may lead anywhere: no further than here."""
    desk = desk_of(request)
    with Store(served.path) as store:
        where = Path(str(store.meta("folder")))
    shipped = where.resolve().is_relative_to(SHIPPED.resolve())
    if not shipped and (not desk.folder.holds(where) or desk.folder.stray(where) is not None):
        return []
    return desk.results.soon(served.path, readiness_of_run)


def progress(request: Request) -> Response:
    """How far the run is, as a line of its page."""
    served = desk_of(request).run(request)
    seen = standing(served, listed(served.path))
    return show(request, "run_progress.html", {"served": served, "standing": seen, "spell": spell})


def charts(request: Request) -> Response:
    """The charts of the run, for the script that draws them."""
    desk, served = desk_of(request), desk_of(request).run(request)
    if instrument(served.path) == "bias":
        made = bias_charts(desk.results.last(served.path, _biases)[0][0], served.id)
    else:
        made = review_charts(desk.results.last(served.path, review_parts)[0], served.id)
    return Response(msgspec.json.encode(as_data(made)), media_type="application/json")


def _settings(path: Path) -> dict[str, object]:
    with Store(path) as store:
        found = store.meta("settings")
    return found if isinstance(found, dict) else {}


def _biases(path: Path) -> tuple[list[RunResult], list[Sample]]:
    return bias_parts([path])


ROUTES = [
    Route("/runs/{run}", run),
    Route("/runs/{run}/progress", progress),
    Route("/runs/{run}/charts.json", charts),
]
