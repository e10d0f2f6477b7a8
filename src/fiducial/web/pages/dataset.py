"""One dataset: its documents, its lists, what is wrong with it, how far it is from a gate, and the runs that used it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fiducial.errors import UsageError, command
from fiducial.judge.calibration import today
from fiducial.review.check import check
from fiducial.review.dataset import candidates, context_dependent
from fiducial.review.overview import DocumentView
from fiducial.review.records import OPEN, Candidate, ContextDependent, MustFind
from fiducial.web.dataset_views import nearby, ready, review_runs, runs_on, shelved
from fiducial.web.desk import desk_of, show
from fiducial.web.folder import Served


def dataset(request: Request) -> Response:
    """The page. A dataset that cannot be loaded still has one: it says what is wrong."""
    desk, served = desk_of(request), desk_of(request).dataset(request)
    one = shelved(desk, served)
    values: dict[str, object] = {
        "place": "datasets",
        "served": served,
        "seen": one.seen,
        "problem": one.problem,
        "problems": _problems(served),
        "command": command("review", "check", nearby(served.path)),
        "styles": ["page.css", "workbench.css", "datasets.css"],
        "scripts": ["page.js", "workbench.js", "copy.js"],
    }
    if one.seen is not None:
        lists = [(view, *_lists(view)) for view in one.seen.documents]
        values |= {"lists": lists, "runs": runs_on(review_runs(desk), one.seen), "ready": ready(desk, served)}
    return show(request, "dataset.html", values)


def _problems(served: Served) -> list[dict[str, str]]:
    """What `fiducial review check` would say; paths as they are seen from the dataset's own folder."""
    place = f"{nearby(served.path)}/"
    try:
        found = check(nearby(served.path), day=today())
    except UsageError as error:
        return [{"level": "fail", "where": served.name, "what": str(error), "do": ""}]
    return [
        {"level": one.level, "where": one.where.removeprefix(place), "what": one.what, "do": one.do}
        for one in sorted(found, key=lambda one: one.level != "fail")
    ]


def _lists(view: DocumentView) -> tuple[tuple[MustFind, ...], tuple[ContextDependent, ...], list[Candidate]]:
    folder = view.document.folder
    waiting = [one for one in candidates(folder).values() if one.state in OPEN]
    return view.document.must_find or (), context_dependent(folder) or (), waiting


ROUTES = [Route("/datasets/{dataset}", dataset)]
