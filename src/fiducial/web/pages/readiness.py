"""How far a dataset is from a gate that means something: the graph, and what to type next."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fiducial.web.dataset_views import ready
from fiducial.web.desk import desk_of, show


def readiness(request: Request) -> Response:
    """One graph a reviewer, and that of the dataset alone."""
    desk, served = desk_of(request), desk_of(request).dataset(request)
    values = {
        "place": "datasets",
        "served": served,
        "ready": ready(desk, served),
        "styles": ["page.css", "workbench.css", "datasets.css"],
        "scripts": ["page.js", "workbench.js", "copy.js"],
    }
    return show(request, "readiness.html", values)


ROUTES = [Route("/datasets/{dataset}/readiness", readiness)]
