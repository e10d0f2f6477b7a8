"""The workbench as an application: its pages, and the wall around them."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fiducial.errors import DamagedFile, FiducialError
from fiducial.web import assets
from fiducial.web.desk import Desk, show
from fiducial.web.guard import Guard, Secrets
from fiducial.web.pages import (
    compare,
    curate,
    dataset,
    datasets,
    finding,
    findings,
    judges,
    label,
    label_agreement,
    label_case,
    readiness,
    replies,
    run,
    runs,
)

PAGES = (
    *(runs, run, compare, replies, findings, finding, label, label_agreement, label_case),
    *(datasets, dataset, curate, readiness, judges),
)

log = logging.getLogger("fiducial.web")


def make_app(desk: Desk, own: Secrets) -> Guard:
    """The application over one folder.

    The guard is put around Starlette instead of being one of its middlewares: Starlette answers unexpected errors outside
    of those, and the page would lack the policy.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        desk.results.close()

    app = Starlette(
        lifespan=lifespan,
        routes=[*assets.ROUTES, *(route for page in PAGES for route in page.ROUTES)],
        exception_handlers={
            HTTPException: _absent,
            DamagedFile: _damaged,
            FiducialError: _refused,
            OSError: _disk,
            Exception: _broken,
        },
    )
    app.state.desk = desk
    return Guard(app, own)


def _absent(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    title = "Not here" if error.status_code == 404 else "This cannot be done"
    return _problem(request, error.status_code, title, error.detail)


def _refused(request: Request, error: Exception) -> Response:
    return _problem(request, 400, "This cannot be done", str(error))


def _disk(request: Request, error: Exception) -> Response:
    assert isinstance(error, OSError)
    said = f"{error.filename or 'The disk'}: {error.strerror or error}. Nothing was changed."
    return _problem(request, 500, "The disk said no", said)


def _damaged(request: Request, error: Exception) -> Response:
    return _problem(request, 500, "This run file is damaged", str(error))


def _broken(request: Request, error: Exception) -> Response:
    """A mistake of ours: the page says so, and the terminal has what happened."""
    log.error("%s %r", request.method, request.url.path, exc_info=error)
    said = "This is a mistake in Fiducial, not in your files. The terminal that runs it has the details."
    return _problem(request, 500, "Something broke", said)


def _problem(request: Request, status: int, title: str, message: str) -> Response:
    return show(request, "problem.html", {"title": title, "message": message}, status=status)
