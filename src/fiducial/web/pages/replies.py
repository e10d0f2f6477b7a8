"""The replies of a run: all of them, by pages and filters, and each of them with everything that is known of it."""

from __future__ import annotations

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fiducial.report.numbers import money
from fiducial.report.replies import Scope, arm_choices, lines, scope_of
from fiducial.report.reply_view import pretty, reply_view, stored_body, whole_prompt
from fiducial.run.browse import (
    BY_JUDGE,
    READINGS,
    SCORED,
    STATUSES,
    UNSCORED,
    Filter,
    Page,
    count,
    neighbours,
    page,
)
from fiducial.run.store import SUBJECT, Store, StoredReply
from fiducial.web.desk import Desk, desk_of, found, show
from fiducial.web.folder import Served
from fiducial.web.reply_filter import (
    EVERYBODY,
    LARGEST,
    READING_WORDS,
    STATUS_WORDS,
    Wanted,
    filter_of,
    number,
    wanted_of,
)

SOURCES = 3  # runs whose items are kept at hand: each may hold a whole battery
DRESS = {
    "styles": ["page.css", "workbench.css", "replies.css"],
    "scripts": ["page.js", "workbench.js", "replies.js"],
}


def replies(request: Request) -> Response:
    """The list, a page of it."""
    desk, served, scope, wanted = _asked(request)
    fitting = filter_of(wanted, scope)
    with Store(served.path) as store:
        shown = _page(store, fitting, request)
        rows = lines(store, scope, shown.rows, search=wanted.q)
        fit = _count(desk, served, store, fitting, shown)
    return show(
        request,
        "replies.html",
        _common(served, scope, wanted)
        | {
            "lines": rows,
            "fit": fit,
            "there": sum(scope.roles.trials.values())
            if fitting.role is None
            else scope.roles.trials.get(fitting.role, 0),
            "earlier": wanted.query(before=rows[0].seq) if rows and shown.earlier else "",
            "later": wanted.query(after=rows[-1].seq) if rows and shown.later else "",
            "choices": _choices(scope, wanted),
            "chosen": _chosen(wanted, fitting),
            "left_out": bool(wanted.reading) and fitting.reading is None,
        },
    )


def one(request: Request) -> Response:
    """One reply with its prompt, and all that is known of the call."""
    _, served, scope, wanted = _asked(request)
    with Store(served.path) as store:
        reply = _reply(store, request)
        view = reply_view(store, scope, reply)
        before, after = neighbours(store, filter_of(wanted, scope), reply.seq)
    return show(
        request,
        "reply.html",
        _common(served, scope, wanted)
        | {"view": view, "reply": reply, "before": before, "after": after, "money": money},
    )


def plain(request: Request) -> Response:
    """A reply, a prompt or a body whole, as plain text."""
    _, served, scope, _ = _asked(request)
    what = request.path_params["what"]
    with Store(served.path) as store:
        reply = _reply(store, request)
        if what == "reply":
            text: str | None = reply.text
        elif what == "prompt":
            text = whole_prompt(store, scope, reply)
        elif what == "body":
            body = stored_body(store, reply)
            text = None if body is None else pretty(body)
        else:
            text = None
    if text is None:
        raise HTTPException(404, "There is no such text of this reply.")
    headers = {"content-disposition": f'inline; filename="{what}-{reply.id}.txt"'}
    return Response(text.encode("utf-8", "replace"), headers=headers, media_type="text/plain")


def _asked(request: Request) -> tuple[Desk, Served, Scope, Wanted]:
    desk = desk_of(request)
    served = desk.run(request)
    return desk, served, desk.results.once(served.path, scope_of, kept=SOURCES), wanted_of(request)


def _common(served: Served, scope: Scope, wanted: Wanted) -> dict[str, object]:
    return {
        "place": "runs",
        "tab": "replies",
        "served": served,
        "instrument": scope.instrument,
        "scope": scope,
        "wanted": wanted,
        "here": f"/runs/{served.id}/replies",
        "status_words": STATUS_WORDS,
        **DRESS,
    }


def _page(store: Store, fitting: Filter, request: Request) -> Page:
    """The page that the address names. Going back to the beginning gives the whole first page."""
    given = {name: number(request.query_params.get(name)) for name in ("after", "before", "at")}
    if given["at"] is not None:
        return page(store, fitting, after=given["at"] - 1)
    if given["before"] is not None:
        shown = page(store, fitting, before=given["before"])
        return shown if shown.earlier else page(store, fitting)
    return page(store, fitting, after=given["after"])


def _count(desk: Desk, served: Served, store: Store, fitting: Filter, shown: Page) -> int:
    """How many fit: counted once as long as the file stays as it is."""
    if not shown.earlier and not shown.later:
        return len(shown.rows)
    counts = desk.results.once(served.path, _counts)
    if fitting not in counts:
        counts[fitting] = count(store, fitting)
    return counts[fitting]


def _counts(path: Path) -> dict[Filter, int]:
    return {}


def _reply(store: Store, request: Request) -> StoredReply:
    wanted = request.path_params["reply"]
    return found(store.reply(wanted) if wanted <= LARGEST else None, "reply")


def _choices(scope: Scope, wanted: Wanted) -> dict[str, list[tuple[str, str]]]:
    """What the fields of the form offer: value and words."""
    source = scope.source
    roles = [(role, scope.judges.get(role, "the subject")) for role in scope.roles.trials]
    return {
        "bias": sorted(((b.id, b.name) for b in source.biases.values()), key=lambda b: b[1]) if source else [],
        "item": _items(scope, wanted),
        "arm": arm_choices(scope, wanted.bias) if scope.instrument in ("bias", "review") else [],
        "status": [(name, STATUS_WORDS.get(name, name)) for name in STATUSES],
        "reading": [(n, READING_WORDS.get(n, n)) for n in (*READINGS, SCORED, UNSCORED, BY_JUDGE)]
        if source
        else [],
        "role": [*roles, (EVERYBODY, "everybody")] if len(roles) > 1 else [],
    }


def _items(scope: Scope, wanted: Wanted) -> list[tuple[str, str]]:
    if scope.source is None:
        return [(name, name) for name in scope.documents]
    if not wanted.bias:
        return [(wanted.item, wanted.item)] if wanted.item else []
    return [(n, n) for n in dict.fromkeys(b.item for b in scope.source.blocks.values() if b.bias == wanted.bias)]


def _chosen(wanted: Wanted, fitting: Filter) -> dict[str, str]:
    """What each field shows: who is asked about by default is said."""
    role = wanted.role or (SUBJECT if fitting.role == SUBJECT else EVERYBODY)
    return {n: getattr(wanted, n) for n in ("bias", "item", "arm", "status", "reading")} | {"role": role}


ROUTES = [
    Route("/runs/{run}/replies", replies),
    Route("/runs/{run}/replies/{reply:int}", one),
    Route("/runs/{run}/replies/{reply:int}/{what}.txt", plain),
]
