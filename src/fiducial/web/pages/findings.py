"""The findings of a review run, document by document: each beside its passage; what had to be found, and who found it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fiducial.report.must_finds import must_find_marks, must_find_view, runs_of
from fiducial.report.review_margin import margins
from fiducial.report.review_notes import Note
from fiducial.report.review_words import SIGNS
from fiducial.review.output import Output
from fiducial.review.reading import MustFinds, RunReader
from fiducial.run.store import Store
from fiducial.web.desk import desk_of, found, show
from fiducial.web.folder import Served


class Parts(Struct, frozen=True, kw_only=True):
    """A review run as this page needs it: no estimate is made."""

    model: str
    dataset: str
    judged: bool
    documents: dict[str, str]
    must_find: MustFinds
    reviewers: list[str]
    outputs: list[Output]


class Choice(Struct, frozen=True, kw_only=True):
    """What the filters ask for; empty is everything."""

    reviewer: str = ""
    run: str = ""
    verdict: str = ""

    def fits(self, note: Note, reviewers: Sequence[str]) -> bool:
        """Whether a note is to be shown."""
        return (
            self.reviewer in ("", reviewers[note.place])
            and self.run in ("", str(note.run))
            and self.verdict in ("", note.kind)
        )


def parts(path: Path) -> Parts:
    """Read a run file."""
    with Store(path) as store:
        reader = RunReader(store)
        settings = store.meta("settings") or {}
        outputs = list(reader.outputs())
    return Parts(
        model=str(settings.get("model", "")),
        dataset=str(settings.get("dataset", "")),
        judged=bool(reader.judges),
        documents={paper.id: paper.text for paper in reader.source.papers.values()},
        must_find=reader.must_find,
        reviewers=list(dict.fromkeys([*reader.source.reviewers, *(one.reviewer for one in outputs)])),
        outputs=outputs,
    )


def findings(request: Request) -> Response:
    """One document of the run with its findings in the margin."""
    served = desk_of(request).run(request)
    run = desk_of(request).results.once(served.path, parts)
    asked = request.query_params
    name = asked.get("document") or next(iter(run.documents), "")
    values: dict[str, object] = {
        "place": "runs",
        "served": served,
        "instrument": "review",
        "tab": "findings",
        "run": run,
        "styles": ["page.css", "review.css", "workbench.css", "findings.css"],
        "scripts": ["page.js", "review.js", "workbench.js", "findings.js"],
    }
    if not run.documents:
        return show(request, "findings.html", values | {"doc": None})
    found(run.documents.get(name), "document in this run")
    choice = Choice(**{field: asked.get(field, "") for field in Choice.__struct_fields__})
    return show(request, "findings.html", values | _document(run, name, choice, served))


def _document(run: Parts, name: str, choice: Choice, served: Served) -> dict[str, object]:
    text = run.documents[name]
    outputs = [one for one in run.outputs if one.document == name]
    items = run.must_find.get(name)
    (doc,), limit = margins(
        outputs,
        {name: text},
        run.reviewers,
        [name],
        wanted=lambda note: choice.fits(note, run.reviewers),
        marks=must_find_marks(items or (), text),
    )
    wanted = must_find_view(items or (), text, outputs, doc.every, run.reviewers)
    fitting = [note for note in doc.every if choice.fits(note, run.reviewers)]

    def history(note: Note) -> str:
        return f"/runs/{served.id}/findings/{note.case}?document={quote(name, safe='')}"

    return {
        "doc": doc,
        "name": name,
        "choice": choice,
        "filtered": choice != Choice(),
        "fitting": len(fitting),
        "counts": {kind: sum(note.kind == kind for note in doc.every) for kind in SIGNS},
        "signs": SIGNS,
        "runs": sorted({one.run + 1 for one in outputs}),
        "wanted": wanted,
        "listed": items is not None,
        "columns": list(runs_of(wanted)),
        "limit": limit,
        "history": history,
        "how_many": _how_many(run),
    }


def _how_many(run: Parts) -> dict[str, int]:
    """Findings of every document."""
    return {name: sum(len(one.findings) for one in run.outputs if one.document == name) for name in run.documents}


ROUTES = [Route("/runs/{run}/findings", findings)]
