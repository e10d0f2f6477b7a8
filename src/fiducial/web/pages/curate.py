"""Curating a dataset: candidates with their evidence and their test, and what a person decides on them.

Every form carries the fingerprint of the record that was shown. What somebody else has changed meanwhile is not written
over: the page then shows both, and what was to be done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fiducial.errors import UsageError, command
from fiducial.report.inert import legible
from fiducial.report.numbers import counted
from fiducial.review.curate import Changed, Choice, as_shown, confirm, in_words, reject, still_open
from fiducial.review.dataset import candidates, load_dataset
from fiducial.review.edit import Edit, edit
from fiducial.review.files import locked, normalised
from fiducial.review.finding import Severity
from fiducial.review.propose import dataset_of, propose_from
from fiducial.review.records import OPEN, Candidate
from fiducial.review.undo import reworded, undo
from fiducial.web.desk import Desk, desk_of, form, found, go, show
from fiducial.web.folder import Served
from fiducial.web.queue import SHOWN, Card, cards_of, fixed_here, lists_of, reviewer_names, runs_about
from fiducial.web.zero_shot import judge_of, start_test, worth

SEVERITIES: tuple[Severity, ...] = get_args(Severity)
NAME = 60  # characters of a person's name
QUOTATIONS = 50  # in one form

Action = Callable[[Desk, Card, Candidate, dict[str, str]], str]


def queue(request: Request) -> Response:
    """The queue."""
    desk, served = desk_of(request), desk_of(request).dataset(request)
    dataset = load_dataset(served.path)
    cards = cards_of(desk, dataset)
    judge = judge_of(desk)
    calibration, falls_short = worth(desk, judge) if judge else (None, None)
    waiting = [card for card in cards if card.open]
    decided = [card for card in cards if not card.open]
    last = request.query_params.get("last", "")
    values = {
        "dataset": dataset,
        "lists": lists_of(desk, dataset, cards),
        "waiting": waiting[:SHOWN],
        "left_out": len(waiting) - len(waiting[:SHOWN]),
        # Where many were decided, the last ones are those that somebody may want back.
        "decided": sorted(decided, key=lambda card: card.candidate.at or "", reverse=True)[:SHOWN],
        "counts": {name: sum(card.candidate.state == name for card in cards) for name in _states(cards)},
        "decided_count": len(decided),
        "calibration": calibration,
        "falls_short": falls_short,
        "last": next((card for card in decided if card.key == last), None),
        "runs": runs_about(desk, dataset),
        "command": command(
            *(
                "review",
                "run",
                served.name,
                "--reviewer",
                "NAME",
                "--model",
                "MODEL",
                "--judge",
                "MODEL",
                "--runs",
                5,
            )
        ),
        "reviewers": reviewer_names(cards, dataset),
    }
    return show(request, "curate.html", _common(request, served) | values)


def test_progress(request: Request) -> Response:
    """How far the test of a candidate is, as a part of its card."""
    desk, served = desk_of(request), desk_of(request).dataset(request)
    card = _card(request, cards_of(desk, load_dataset(served.path)))
    return show(request, "curate_test.html", _common(request, served) | {"card": card})


def act(request: Request) -> Response:
    """One decision on one candidate, or its test."""
    desk, served, fields = desk_of(request), desk_of(request).dataset(request), form(request)
    cards = cards_of(desk, load_dataset(served.path))
    card = _card(request, cards)
    action = found(ACTIONS.get(request.path_params["action"]), "action")
    if card.fixed:
        raise UsageError(card.fixed)
    try:
        with locked(card.document.folder):
            candidate = as_shown(card.document, card.candidate.id, fields.get("seen", ""))
            note = action(desk, card, candidate, fields)
    except Changed as changed:
        return _conflict(request, served, card, changed)
    if candidates(card.document.folder)[card.candidate.id].state in OPEN or not card.open:
        return go(request, f"/datasets/{served.id}/curate#c-{card.key}", note)
    return go(request, f"/datasets/{served.id}/curate?last={card.key}{_next(cards, card)}", note)


def propose(request: Request) -> Response:
    """Candidates from a run, into the queues of its documents."""
    desk, served, fields = desk_of(request), desk_of(request).dataset(request), form(request)
    run = found(desk.folder.run(fields.get("run", "")), "run")
    dataset = dataset_of(run.path, load_dataset(served.path).folder)
    for document in dataset.documents:
        if reason := fixed_here(document):
            raise UsageError(reason)
    least = fields.get("min_runs", "").strip()
    if least and (not least.isdecimal() or not 1 <= int(least) <= 10_000):
        raise UsageError(f"least number of runs: {least[:40]!r}; it is a whole number from 1")
    proposed = propose_from(
        run.path, dataset=dataset.folder, min_runs=int(least) if least else None, write=True
    ).documents
    new = sum(len(own.candidates) for own in proposed)
    left = {
        "in a list or the queue already": sum(own.known for own in proposed),
        "found in too few runs": sum(own.rare for own in proposed),
        "with evidence that is not in the document": sum(own.unplaced for own in proposed),
    }
    rest = ", ".join(f"{n} {why}" for why, n in left.items() if n)
    note = f"{counted(new, 'new candidate')} from {run.name}." + (f" Left out: {rest}." if rest else "")
    return go(request, f"/datasets/{served.id}/curate", note)


def _confirm(desk: Desk, card: Card, candidate: Candidate, fields: dict[str, str]) -> str:
    return _move(desk, card, candidate, Choice(target="must-find", by=_by(fields)))


def _context(desk: Desk, card: Card, candidate: Candidate, fields: dict[str, str]) -> str:
    needed = normalised(fields.get("required_context", "")).strip()
    if not needed:
        raise UsageError(
            "say what one has to know to see the issue: nobody else can tell why it is context-dependent"
        )
    return _move(desk, card, candidate, Choice(target="context", required_context=needed, by=_by(fields)))


def _move(desk: Desk, card: Card, candidate: Candidate, choice: Choice) -> str:
    still_open(candidate)
    judge = judge_of(desk)
    if judge is None or card.run is None:
        raise UsageError(f"it has to be tested first. In the terminal: {card.command(choice.target, desk.judge)}")
    calibrations = desk.folder.calibrations()[0]
    moved = confirm(card.document, candidate, choice, run=card.run, judge=judge, calibrations=calibrations)
    if moved.file is None:
        return f"It stays in the queue, {in_words(moved.state)}: {moved.why}"
    return f"Written to {moved.file}. {moved.why}"


def _edit(desk: Desk, card: Card, candidate: Candidate, fields: dict[str, str]) -> str:
    severity = fields.get("severity", "")
    reviewer = _kept(fields.get("reviewer", ""), candidate.reviewer or "").strip()
    quoted = [fields.get(f"evidence-{k}", "") for k in range(QUOTATIONS)]
    stored = [*candidate.evidence, *[""] * QUOTATIONS]
    wanted = Edit(
        title=_kept(fields.get("title", ""), candidate.title).strip(),
        issue=_kept(fields.get("issue", ""), candidate.issue).strip(),
        severity=next((one for one in SEVERITIES if one == severity), None),
        reviewer=None if reviewer in ("", "all") else reviewer,
        min_recall=_share(fields.get("min_recall", "")),
        evidence=tuple(said for k, one in enumerate(quoted) if (said := _kept(one, stored[k])).strip()),
        missing=_kept(fields.get("missing", ""), candidate.missing or "").strip() or None,
    )
    moved = edit(card.document, candidate, wanted, by=_by(fields))
    if moved is None:
        return "Nothing was changed."
    dropped = candidate.zero_shot is not None and moved.zero_shot is None
    return "Saved. It reads otherwise now, so the zero-shot test is due again." if dropped else "Saved."


def _reject(desk: Desk, card: Card, candidate: Candidate, fields: dict[str, str]) -> str:
    still_open(candidate)
    why = normalised(fields.get("why", "")).strip()
    if not why:
        raise UsageError("say in a few words why it is rejected; the next person will want to know")
    reject(card.document, candidate, why, by=_by(fields))
    return "Rejected. It is not proposed again."


def _undo(desk: Desk, card: Card, candidate: Candidate, fields: dict[str, str]) -> str:
    moved = undo(card.document, candidate, by=_by(fields))
    return f"Undone: it is {in_words(moved.state)} again."


def _test(desk: Desk, card: Card, candidate: Candidate, fields: dict[str, str]) -> str:
    still_open(candidate)
    judge = judge_of(desk)
    if judge is None:
        raise UsageError("no judge was named when the workbench was started: fiducial serve --judge MODEL")
    if card.untestable:
        raise UsageError(card.untestable)
    return "" if start_test(desk, card.document, candidate, judge) else "It is being tested already."


ACTIONS: dict[str, Action] = {
    "confirm": _confirm,
    "context": _context,
    "edit": _edit,
    "reject": _reject,
    "undo": _undo,
    "test": _test,
}


def _conflict(request: Request, served: Served, card: Card, changed: Changed) -> Response:
    action = request.path_params["action"]
    sent = {name: value for name, value in form(request).items() if name not in ("seen", "csrf")}
    now = next(one for one in cards_of(desk_of(request), load_dataset(served.path)) if one.key == card.key)
    differ = reworded(changed.shown, now.candidate) if changed.shown else []
    values = {"card": now, "shown": changed.shown, "changed": differ, "action": action, "sent": sent}
    again = now.open or action == "undo"
    return show(request, "curate_changed.html", _common(request, served) | values | {"again": again}, status=409)


def _common(request: Request, served: Served) -> dict[str, object]:
    return {
        "place": "datasets",
        "served": served,
        "judge": desk_of(request).judge,
        "in_words": in_words,
        "severities": SEVERITIES,
        "styles": ["page.css", "workbench.css", "curate.css"],
        "scripts": ["page.js", "workbench.js", "curate.js"],
    }


def _card(request: Request, cards: list[Card]) -> Card:
    return found(next((card for card in cards if card.key == request.path_params["card"]), None), "candidate")


def _next(cards: list[Card], card: Card) -> str:
    """The place of the open candidate that comes after this one, or else before it."""
    waiting = [one.key for one in cards if one.open]
    at = waiting.index(card.key)
    rest = [*waiting[at + 1 :], *reversed(waiting[:at])]
    return f"#c-{rest[0]}" if rest else ""


def _states(cards: list[Card]) -> list[str]:
    return [*OPEN, "must_find", "context_dependent", "rejected"] if cards else []


def _kept(said: str, stored: str) -> str:
    """What a form sent; where it is what the form was given, the text behind that: a page shows some characters by name."""
    same = " ".join(said.split()) == " ".join(legible(stored).split())
    return stored if same else normalised(said)


def _share(said: str) -> float | None:
    if not said.strip():
        return None
    try:
        return float(said)
    except ValueError:
        raise UsageError(f"least recall: {said[:40]!r}; it is a share, between 0 and 1") from None


def _by(fields: dict[str, str]) -> str | None:
    return " ".join(fields.get("by", "").split())[:NAME] or None


ROUTES = [
    Route("/datasets/{dataset}/curate", queue),
    Route("/datasets/{dataset}/curate/propose", propose, methods=["POST"]),
    Route("/datasets/{dataset}/curate/{card}/test", test_progress),
    Route("/datasets/{dataset}/curate/{card}/{action}", act, methods=["POST"]),
]
