"""The judges: what is known of the errors of each, how long that holds, and which runs rest on it."""

from __future__ import annotations

from datetime import date

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fiducial.errors import UsageError
from fiducial.judge.asking import Judge
from fiducial.judge.calibration import Calibration, find, load, today
from fiducial.judge.trust import Trust, state_of, trust_in
from fiducial.report.judge_card import calibration_card
from fiducial.report.judge_card_remedy import Remedy, remedies
from fiducial.report.judge_card_words import SIGNS, ends, rate_of
from fiducial.report.judge_words import TASKS
from fiducial.study.about import About, about
from fiducial.web.dataset_views import nearby
from fiducial.web.desk import Desk, desk_of, found, show
from fiducial.web.folder import MOST, Served

SCORED = ("review", "bias")  # a run that tries a judge does not rest on it
KNOWN_TASKS = tuple(TASKS)

Key = tuple[str, str, str]
"""Task, model, and the version of the prompt."""


class Filed(Struct, frozen=True, kw_only=True):
    """A calibration file, or why it is none."""

    served: Served
    card: Calibration | None = None
    state: tuple[str, str, str] = ("", "", "")  # sign, word, level
    problem: str = ""


class Bare(Struct, frozen=True, kw_only=True):
    """A judge that runs rest on and of whose errors nothing is known."""

    trust: Trust
    runs: list[Served]
    remedies: list[Remedy]


def judges(request: Request) -> Response:
    """Every card, by task and model; broken files; and judges without one."""
    desk, day = desk_of(request), today()
    files = [_filed(one, day) for one in desk.folder.judges()]
    cards = [one for one in files if one.card is not None]
    cards.sort(key=lambda one: _order(one.card))
    known = [one.card for one in cards if one.card is not None]
    resting = _resting(desk)
    values = {
        "place": "judges",
        "cards": cards,
        "broken": [one for one in files if one.card is None],
        "bare": _bare(resting, known, day),
        "used": {one.served.id: len(resting.get(_key(one.card), [])) for one in cards if one.card is not None},
        "tasks": TASKS,
        "rate": lambda rate, least=0.0: (e := rate_of(rate, least=least)) and ends(e),
        "kappa": lambda rate: rate_of(rate, least=-1.0),
        "styles": ["page.css", "workbench.css", "datasets.css"],
        "scripts": ["page.js", "workbench.js", "copy.js"],
    }
    return show(request, "judges.html", values)


def judge(request: Request) -> Response:
    """One card in full."""
    desk = desk_of(request)
    served = found(desk.folder.judge(request.path_params["judge"]), "calibration")
    one = load(served.path)
    runs = _resting(desk).get(_key(one), [])
    values = {
        "place": "judges",
        "served": served,
        "calibration": one,
        "card": calibration_card(one, today=today()),
        "runs": runs,
        "earlier": [
            (run, seen)
            for run, seen in _runs(desk)
            if run not in [other for other, _ in runs] and any(_asked(judge) == _key(one) for judge in seen.before)
        ],
        "styles": ["page.css", "review.css", "workbench.css", "datasets.css"],
        "scripts": ["page.js", "workbench.js", "copy.js"],
    }
    return show(request, "judge.html", values)


def _filed(served: Served, day: date) -> Filed:
    try:
        card = load(served.path)
    except (UsageError, OSError) as error:
        return Filed(served=served, problem=str(error))
    sign, word, level = SIGNS[state_of(card, day)]
    if card.half == "dev":
        sign, word, level = "○", "made on the half that prompts are tuned on: never used", ""
    return Filed(served=served, card=card, state=(sign, word, level))


def _order(card: Calibration | None) -> tuple[object, ...]:
    """By task, then by model; of one judge, what holds longest first."""
    assert card is not None
    place = KNOWN_TASKS.index(card.task) if card.task in KNOWN_TASKS else len(KNOWN_TASKS)
    return place, card.model, card.about, -date.fromisoformat(card.expires[:10]).toordinal()


def _key(card: Calibration) -> Key:
    return card.task, card.model, card.prompt_hash


def _asked(judge: Judge) -> Key:
    return judge.task, judge.model, judge.prompt


def _runs(desk: Desk) -> list[tuple[Served, About]]:
    seen = ((one, desk.results.once(one.path, about, kept=MOST)) for one in desk.folder.runs())
    return [(one, known) for one, known in seen if known.instrument in SCORED]


def _resting(desk: Desk) -> dict[Key, list[tuple[Served, About]]]:
    """The runs that are scored with each judge."""
    made: dict[Key, list[tuple[Served, About]]] = {}
    for served, seen in _runs(desk):
        for judge in seen.judges:
            made.setdefault(_asked(judge), []).append((served, seen))
    return made


def _bare(resting: dict[Key, list[tuple[Served, About]]], known: list[Calibration], day: date) -> list[Bare]:
    made = []
    for key, runs in sorted(resting.items(), key=lambda one: one[0]):
        judge = next(one for one in runs[0][1].judges if _asked(one) == key)
        if find(judge, folder=known) is None:
            trust = trust_in(judge, today=day, folder=known)
            told = remedies(trust, run=str(nearby(runs[0][0].path)), dataset=runs[0][1].dataset)
            made.append(Bare(trust=trust, runs=[one for one, _ in runs], remedies=told))
    return made


ROUTES = [Route("/judges", judges), Route("/judges/{judge}", judge)]
