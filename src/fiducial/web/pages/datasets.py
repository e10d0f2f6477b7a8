"""All datasets of the folder: documents, lists, what waits for people, and what they have labelled."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fiducial.web.dataset_views import review_runs, runs_on, shelved
from fiducial.web.desk import desk_of, show

PAGE = 200  # datasets on one page


def datasets(request: Request) -> Response:
    """The list."""
    desk = desk_of(request)
    wanted = request.query_params.get("q", "").strip()
    there = desk.folder.datasets()
    fitting = [one for one in there if all(word in one.name.lower() for word in wanted.lower().split())]
    runs = review_runs(desk)
    rows = [shelved(desk, one) for one in fitting[:PAGE]]
    values = {
        "place": "datasets",
        "rows": rows,
        "used": {row.served.id: len(runs_on(runs, row.seen)) for row in rows if row.seen},
        "there": len(there),
        "fitting": len(fitting),
        "wanted": wanted,
        "styles": ["page.css", "workbench.css", "datasets.css"],
    }
    return show(request, "datasets.html", values)


ROUTES = [Route("/datasets", datasets)]
