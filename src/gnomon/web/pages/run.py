"""One run: its audit, what it found as the report shows it, and charts to point at."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gnomon.report.page import bias_values
from gnomon.report.review_page import review_values
from gnomon.report.write import bias_parts, review_parts
from gnomon.review.readiness import readiness_of_run
from gnomon.run.listing import listed
from gnomon.study.runs import instrument
from gnomon.web.desk import desk_of, show
from gnomon.web.progress import spell, standing


def run(request: Request) -> Response:
    """The page of a run. While it runs, a line on top says how far it is."""
    desk, served = desk_of(request), desk_of(request).run(request)
    made = instrument(served.path)
    values: dict[str, object] = {
        "place": "runs",
        "served": served,
        "instrument": made,
        "standing": standing(served, listed(served.path)),
        "spell": spell,
        "tab": "run",
    }
    if made == "bias":
        return show(request, "run_bias.html", values | desk.once(served.path, _bias))
    both = {
        "styles": ["page.css", "review.css", "workbench.css"],
        "scripts": ["page.js", "review.js", "workbench.js"],
    }
    return show(request, "run_review.html", values | desk.once(served.path, _review) | both)


def progress(request: Request) -> Response:
    """How far the run is, as a line of its page."""
    served = desk_of(request).run(request)
    seen = standing(served, listed(served.path))
    return show(request, "run_progress.html", {"served": served, "standing": seen, "spell": spell})


def _bias(path: Path) -> dict[str, object]:
    return bias_values(*bias_parts([path]))


def _review(path: Path) -> dict[str, object]:
    return review_values(*review_parts(path), readiness=readiness_of_run(path))


ROUTES = [Route("/runs/{run}", run), Route("/runs/{run}/progress", progress)]
