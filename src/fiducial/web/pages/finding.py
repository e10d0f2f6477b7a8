"""One claim of a review run: where it stands, and what became of it over runs and judges."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fiducial.errors import FiducialError
from fiducial.judge.genuine import GenuineVerdict
from fiducial.report.claim_place import around
from fiducial.report.review_words import SIGNS, category
from fiducial.review.history import PANEL, History, RunClaims, claims_of, history, raters_of
from fiducial.study.about import about
from fiducial.web.desk import Desk, desk_of, found, show
from fiducial.web.folder import MOST

KEPT = 200  # runs whose claims are remembered
WORDS = {kind: sign.words for kind, sign in SIGNS.items()} | {"waiting": "asked again, not answered yet"}


def finding(request: Request) -> Response:
    """The history of a case; of one claim about two documents, `document` says which is meant."""
    desk = desk_of(request)
    served, case = desk.run(request), request.path_params["case"]
    own = desk.results.once(served.path, claims_of, kept=KEPT)
    named = [one.document for one in own.claims if one.case == case]
    document = request.query_params.get("document") or next(iter(named), "")
    if document not in named:
        found(None, "finding in this run")
    made = found(history(own, document, case, _others(desk, own, own.hashes[document])), "finding in this run")
    values: dict[str, object] = {
        "place": "runs",
        "served": served,
        "instrument": "review",
        "tab": "findings",
        "history": made,
        "document": document,
        "runs": {str(one.path): one for one in desk.folder.runs()},
        "passage": around(made.paper.text, _spans(made), made.claim.said, made.claim.section),
        "raters": raters_of(served.path, document, case),
        "signs": SIGNS,
        "words": WORDS,
        "panel": PANEL,
        "day": _day,
        "category": category,
        "address": lambda run, claim: (
            f"/runs/{run.id}/findings/{claim.case}?document={quote(claim.document, safe='')}"
        ),
        "styles": ["page.css", "review.css", "workbench.css", "findings.css"],
    }
    return show(request, "finding.html", values)


def _others(desk: Desk, own: RunClaims, digest: str) -> list[RunClaims]:
    """The claims of the other runs on this text. A file that cannot be read has none."""
    found = []
    for one in desk.folder.runs():
        if one.path == own.path or digest not in desk.results.once(one.path, about, kept=MOST).hashes.values():
            continue
        try:
            found.append(desk.results.once(one.path, claims_of, kept=KEPT))
        except FiducialError:
            continue
    return found


def _spans(made: History) -> list[tuple[int, int]]:
    """What judges gave as evidence for the claim in this run."""
    verdicts = (said.verdict for one in made.own.versions for said in one.said)
    return [one.span for one in verdicts if isinstance(one, GenuineVerdict) and one.span]


def _day(at: float | None) -> str:
    return "" if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")


ROUTES = [Route("/runs/{run}/findings/{case}", finding)]
