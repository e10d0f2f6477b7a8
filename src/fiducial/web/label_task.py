"""Which cases of a run somebody labels in the browser, where their labels go, and what a browser remembers of it.

Nothing is kept in the server: the labels are on disk, the choice of cases and what was skipped are in the address, and
two cookies hold the name of the rater and, for each run, the cases they were given.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlencode

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from fiducial.errors import UsageError
from fiducial.review.label_round import Round, Skip
from fiducial.review.labelling import Key, LabelCase, label_folders, refuse_shipped, run_cases, sample, standing
from fiducial.review.labels import FOLDER, check_rater
from fiducial.web.desk import Desk, desk_of
from fiducial.web.folder import Served

RATER, GIVEN = "fiducial-rater", "fiducial-given"  # cookies
NOBODY = "nobody"  # given to somebody who does not label this run
KEPT = 365 * 24 * 3600  # seconds that a browser remembers them
MOST = 1_000_000
RESERVED = "agreement"  # a page of that name lies beside those of the raters


class Choice(Struct, frozen=True, kw_only=True):
    """The cases that are labelled. A reviewer is named by a mark, so that the page of a case need not name it."""

    reviewer: str = ""
    size: int | None = None
    seed: int = 1

    @property
    def query(self) -> dict[str, str]:
        """As it stands in an address; what is usual is left out."""
        found = {"reviewer": self.reviewer, "sample": "" if self.size is None else str(self.size)}
        return {name: value for name, value in found.items() if value} | (
            {"seed": str(self.seed)} if self.seed != 1 else {}
        )


class Task(Struct, frozen=True, kw_only=True):
    """The chosen cases of a run, all of its cases, and the folders of its documents."""

    served: Served
    choice: Choice
    cases: Sequence[LabelCase]
    all_cases: Sequence[LabelCase]
    folders: Mapping[str, Path]

    def said(self) -> dict[str, dict[Key, float]]:
        """The labels of all raters that count, on any case of the run."""
        return standing(self.all_cases, self.folders)

    def address(self, page: str = "", **more: str) -> str:
        """A page of this labelling: of a rater, the agreement, or the beginning."""
        query = urlencode(self.choice.query | {name: value for name, value in more.items() if value})
        place = f"/runs/{self.served.id}/label" + (f"/{quote(page, safe='')}" if page else "")
        return f"{place}?{query}" if query else place


def choice_of(fields: Mapping[str, str]) -> Choice:
    """The choice that an address or a form makes."""
    size, seed = (_number(fields.get(name, ""), name) for name in ("sample", "seed"))
    if size is not None and not 1 <= size <= MOST:
        raise UsageError(f"A sample of {size}: it has at least one case, or is left out to label all.")
    return Choice(reviewer=fields.get("reviewer", "").strip(), size=size, seed=1 if seed is None else seed)


def _number(text: str, what: str) -> int | None:
    text = text.strip()
    if not text:
        return None
    try:
        return int(text[:20])
    except ValueError:
        raise UsageError(f"{what} {text[:20]!r}: a whole number is expected.") from None


def task_of(desk: Desk, served: Served, choice: Choice) -> Task:
    """What there is to do. Raises UsageError, in words, where labels of this run cannot be kept in the served folder."""
    everything = desk.results.once(served.path, run_cases)
    folders = label_folders(served.path, among=[one.path for one in desk.folder.datasets()])
    refuse_shipped(folders)
    return Task(
        served=served,
        choice=choice,
        cases=chosen(everything, choice),
        all_cases=everything,
        folders=folders,
    )


def chosen(cases: Sequence[LabelCase], choice: Choice) -> Sequence[LabelCase]:
    """Those of the cases that the choice is about, in the order of the run."""
    if choice.reviewer:
        cases = [c for c in cases if choice.reviewer in map(reviewer_mark, c.reviewers)]
        if not cases:
            raise UsageError("The run has no finding of the chosen reviewer.")
    return cases if choice.size is None else sample(cases, choice.size, choice.seed)


def reviewer_mark(name: str) -> str:
    """What an address calls a reviewer."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def checked_rater(name: str) -> str:
    """The name, if a file and a page can be named so."""
    check_rater(name)
    if name == RESERVED:
        raise UsageError(f"rater {name!r}: a page has that name; take another one.")
    return name


def round_of(desk: Desk, task: Task, rater: str, query: Mapping[str, str]) -> Round:
    """Where a rater stands, from what is on disk and in the address."""
    for folder in task.folders.values():
        place = folder / FOLDER / f"{rater}.jsonl"
        if not desk.folder.holds(place):
            raise UsageError(f"{place}: leads out of the folder that is served, and nothing is written there.")
    return Round(
        task.cases,
        task.folders,
        rater,
        seed=task.choice.seed,
        skipped=_skips(query.get("skip", "")),
        again=query.get("again", ""),
        latest=query.get("latest", ""),
    )


def _skips(text: str) -> list[Skip]:
    """What an address says was skipped; what makes no sense there is left out, and its case comes up again."""
    pairs = (part.partition("-") for part in text.split("_"))
    return [Skip(mark, int(after)) for mark, _, after in pairs if after.isascii() and after.isdigit()]


def skips_text(skips: Sequence[Skip]) -> str:
    """The same, to be put into an address."""
    return "_".join(f"{skip.mark}-{skip.after}" for skip in skips)


def remember(answer: Response, task: Task, rater: str) -> Response:
    """Let the browser know who labels here, and which cases they were given."""
    given = urlencode(task.choice.query) if rater != NOBODY else NOBODY
    keep: dict[str, object] = {"max_age": KEPT, "httponly": True, "samesite": "strict"}
    answer.set_cookie(GIVEN, given, path=f"/runs/{task.served.id}/label", **keep)  # type: ignore[arg-type]
    if rater != NOBODY:
        answer.set_cookie(RATER, quote(rater, safe=""), path="/", **keep)  # type: ignore[arg-type]
    return answer


def remembered(request: Request) -> tuple[str, Choice | None, bool]:
    """The rater and the choice that the browser remembers, and whether it was said that nobody labels this run."""
    rater, given = unquote(request.cookies.get(RATER, "")), request.cookies.get(GIVEN)
    try:
        rater = checked_rater(rater) if rater else ""
        choice = None if given in (None, NOBODY) else choice_of(dict(parse_qsl(given)))
    except UsageError:  # somebody else's cookie
        return "", None, False
    return rater, choice, given == NOBODY


def task_from(request: Request, fields: Mapping[str, str]) -> Task:
    """What there is to do by an address or a form."""
    desk = desk_of(request)
    return task_of(desk, desk.run(request), choice_of(fields))
