"""Judging inside an evaluation of Inspect's: the model role `judge` is asked what the judges of a review run are asked.

The same prompts, fences, parsing and second asking; what differs is that nothing is stored here but the score. A role
that is given several models is a panel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import click
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import model_roles
from inspect_ai.util import collect
from msgspec.structs import replace

from fiducial.judge.asking import ATTEMPTS
from fiducial.judge.genuine import GenuineVerdict, genuine_request
from fiducial.judge.match import MatchVerdict, match_request
from fiducial.judge.panel import panel_match, refuse_twice
from fiducial.judge.verdict import Invalid
from fiducial.model.bridge import InspectModel, lend
from fiducial.model.reply import CallFailed, Reply
from fiducial.model.request import Request
from fiducial.review.judging import genuine_cases, genuine_verdict, match_arm, match_cases, match_verdict, within
from fiducial.review.judging import read_output as read_findings
from fiducial.review.output import Output
from fiducial.review.reading import GenuineVotes, make_output
from fiducial.review.records import MustFind
from fiducial.review.source import Paper

ROLE = "judge"
NO_JUDGE = (
    f"the model role '{ROLE}' is required and was not given: the model that is evaluated does not grade itself. "
    f"Name a judge, e.g. --model-role {ROLE}=openai/gpt-4.1 (or model_roles={{'{ROLE}': ...}})."
)

T = TypeVar("T")
Seats = Mapping[str, InspectModel]


def bench() -> Seats:
    """The models that the role is given, by name."""
    found = model_roles().get(ROLE)
    if not found:
        raise PrerequisiteError(NO_JUDGE)
    models = found if isinstance(found, list) else [found]
    refuse_twice([str(model) for model in models])
    return {str(model): lend(model) for model in models}


def bench_if_known() -> None:
    """Refuse a missing judge while a task is being made, where that can be known: on Inspect's command line.

    In Python a task is made before its evaluation is given roles; there, the check is the task's `setup`.
    """
    context = click.get_current_context(silent=True)
    if context is not None and context.find_root().info_name == "inspect":
        bench()


async def judge_findings(
    reply: Reply, paper: Paper, seats: Seats, *, reviewer: str, run: int, secret: str, max_tokens: int | None
) -> Output:
    """The output with every finding judged. A call that failed leaves its finding without a verdict, and says why."""
    cases = genuine_cases(paper, reply.text)
    asked = [(arm, name) for arm in cases for name in seats]

    async def one(arm: str, name: str) -> GenuineVerdict | Invalid:
        case = cases[arm]
        return await _ask(
            seats[name],
            lambda said: within(genuine_request(case, secret=secret, said=said), max_tokens),
            lambda texts: genuine_verdict(texts, case),
        )

    said = dict(zip(asked, await collect(*(one(*question) for question in asked)), strict=True))

    def votes(arm: str) -> GenuineVotes:
        return {name: said[arm, name] for name in seats}

    return make_output(reply.text, reply.status, document=paper.id, reviewer=reviewer, run=run, votes=votes)


async def look_for(
    reply: Reply,
    paper: Paper,
    items: Sequence[MustFind],
    seats: Seats,
    *,
    reviewer: str,
    run: int,
    secret: str,
    max_tokens: int | None,
) -> Output:
    """The output with every must-find looked for in it; in one without findings, nothing has to be asked."""
    output = make_output(
        reply.text, reply.status, document=paper.id, reviewer=reviewer, run=run, votes=lambda arm: {}
    )
    claims = read_findings(reply.text).claims()
    if not claims:
        nothing = MatchVerdict(verdict="not_found", finding=None)
        return replace(output, matches={item.id: nothing for item in items})
    cases = match_cases(paper, reply.text, items)
    asked = [(item.id, match_arm(item, claims), name) for item in items for name in seats]

    async def one(arm: str, name: str) -> MatchVerdict | Invalid:
        case = cases[arm]
        return await _ask(
            seats[name],
            lambda said: within(match_request(case, secret=secret, said=said), max_tokens),
            lambda texts: match_verdict(texts, case),
        )

    said = await collect(*(one(arm, name) for _, arm, name in asked))
    votes: dict[str, list[MatchVerdict | Invalid | None]] = {item.id: [] for item in items}
    for (item, _, _), vote in zip(asked, said, strict=True):
        votes[item].append(vote)
    return replace(output, matches={item: panel_match(own) for item, own in votes.items()})


async def _ask(
    seat: InspectModel,
    request: Callable[[str | None], Request],
    verdict: Callable[[Sequence[str]], T | Invalid | None],
) -> T | Invalid:
    """Asked once, and once more where what came back was no verdict."""
    texts: list[str] = []
    found: T | Invalid | None = None
    for _ in range(ATTEMPTS):
        try:
            reply = await seat.call(request(texts[-1] if texts else None))
        except CallFailed as failed:
            return Invalid(f"the call to {seat.name} failed ({failed.kind}): {failed.message}")
        texts.append(reply.text)
        found = verdict(texts)
        if found is not None and not isinstance(found, Invalid):
            return found
    return found or Invalid("nothing was said")
