"""Two runs held against each other: which differences are real."""

from __future__ import annotations

from urllib.parse import urlencode

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fiducial.report import compare as words
from fiducial.report import compare_review as review_words
from fiducial.report.write import review_parts
from fiducial.study.compare import Comparison, compare_bias, load_bias_run
from fiducial.study.compare_review import ReviewComparison, compare_reviews
from fiducial.study.runs import common_instrument
from fiducial.web.chart_parts import as_data
from fiducial.web.charts import comparison_charts
from fiducial.web.desk import desk_of, found, show
from fiducial.web.folder import Served

LISTED = 200  # findings or must-finds of a kind


def compare(request: Request) -> Response:
    """The page. A is the run that was named first."""
    a, b = _two(request)
    values: dict[str, object] = {
        "place": "runs",
        "a": a,
        "b": b,
        "other_way": f"/compare?{urlencode([('run', b.id), ('run', a.id)])}",
    }
    if common_instrument(a.path, b.path) == "review":
        held = _reviews(request, a, b)
        more = {"found": held, "notes": review_words.notes(held), "verdict": review_words.verdict, "most": LISTED}
        return show(request, "compare_review.html", values | more)
    if any(desk_of(request).results.soon(one.path, load_bias_run) is None for one in (a, b)):
        return show(request, "compare_waiting.html", values)
    differing = _biases(request, a, b)
    more = {
        "found": differing,
        "rows": sorted(differing.biases, key=words.place),
        "notes": words.notes(differing),
        "verdict": words.verdict,
        "summary": words.summary(differing),
        "explore_from": f"/compare/charts.json?{urlencode([('run', a.id), ('run', b.id)])}",
        "styles": ["page.css", "workbench.css", "explore.css"],
        "scripts": ["page.js", "workbench.js", "vega.js", "explore.js"],
    }
    return show(request, "compare_bias.html", values | more)


def charts(request: Request) -> Response:
    """The chart of two bias runs."""
    a, b = _two(request)
    made = comparison_charts(_biases(request, a, b)) if common_instrument(a.path, b.path) == "bias" else []
    return Response(msgspec.json.encode(as_data(made)), media_type="application/json")


def _two(request: Request) -> tuple[Served, Served]:
    desk = desk_of(request)
    named = request.query_params.getlist("run")
    if len(named) != 2:
        raise HTTPException(400, "Tick two runs in the list; they are then held against each other.")
    a, b = (found(desk.folder.run(name), "run") for name in named)
    return a, b


def _biases(request: Request, a: Served, b: Served) -> Comparison:
    desk = desk_of(request)
    return compare_bias(desk.results.last(a.path, load_bias_run), desk.results.last(b.path, load_bias_run))


def _reviews(request: Request, a: Served, b: Served) -> ReviewComparison:
    desk = desk_of(request)
    first, second = (desk.results.once(one.path, review_parts) for one in (a, b))
    return compare_reviews(first[0], second[0], first[1], second[1], names=(a.name, b.name))


ROUTES = [Route("/compare", compare), Route("/compare/charts.json", charts)]
