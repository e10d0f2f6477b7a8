"""The scorers `reverse_judge_precision` and `must_find_recall`, for tasks whose model writes a review of a document.

What they need stands in a sample's metadata:

| key | what it is |
|---|---|
| `document` | the text that was reviewed (required) |
| `must_find` | a list of records as in `must_find.jsonl` (required by `must_find_recall`) |
| `document_id` | what the document is called; default: the sample's id |
| `reviewer` | who reviewed it; default: `reviewer` |
| `review_type` | `requirements`, `design` or `plan`; default: what the scorer is given |
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from inspect_ai._util.error import PrerequisiteError
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import LimitExceededError
from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.inspect.judging import Seats, bench, judge_findings, look_for
from fiducial.inspect.metrics import precision, recall
from fiducial.inspect.naming import named
from fiducial.inspect.scores import PRECISION, RECALL, failed_score, precision_score, recall_score
from fiducial.judge.audit import judge_is_subject
from fiducial.judge.fence import new_secret
from fiducial.judge.genuine import genuine_version
from fiducial.judge.match import match_version
from fiducial.model.bridge import read_output
from fiducial.model.reply import CallFailed, Reply
from fiducial.review import records
from fiducial.review.dataset import REVIEW_TYPES, ReviewType
from fiducial.review.frozen import content_hash
from fiducial.review.records import MustFind, items_of
from fiducial.review.source import Paper

MAX_TOKENS = 2048  # of a verdict, thinking included
REVIEWER = "reviewer"
_warned: set[tuple[str, str]] = set()


class Reviewed(Struct, frozen=True, kw_only=True):
    """A sample as a reviewer's output: what was written, about what, by whom."""

    reply: Reply
    paper: Paper
    reviewer: str
    run: int  # from 0
    must_find: tuple[MustFind, ...]


@scorer(metrics=[precision()], name=named(PRECISION))
def reverse_judge_precision(review_type: str = "design", max_tokens: int = MAX_TOKENS) -> Scorer:
    """Are the findings genuine? Each is put to the model role `judge`, against the document.

    Args:
      review_type: What kind of document it is, where the sample does not say.
      max_tokens: Most tokens a verdict may have.
    """
    fallback, secret = _review_type(review_type), new_secret()

    async def judged(state: TaskState, seats: Seats) -> Score:
        seen = reviewed(state, fallback)
        output = await judge_findings(
            seen.reply,
            seen.paper,
            seats,
            reviewer=seen.reviewer,
            run=seen.run,
            secret=secret,
            max_tokens=max_tokens,
        )
        return precision_score(output, _about(seats, genuine_version(seen.paper.review_type), state))

    return _guarded(PRECISION, judged)


@scorer(metrics=[recall()], name=named(RECALL))
def must_find_recall(review_type: str = "design", max_tokens: int = MAX_TOKENS) -> Scorer:
    """Is everything found that has to be found? Each must-find is looked for by the model role `judge`.

    Args:
      review_type: What kind of document it is, where the sample does not say.
      max_tokens: Most tokens a verdict may have.
    """
    fallback, secret = _review_type(review_type), new_secret()

    async def judged(state: TaskState, seats: Seats) -> Score:
        seen = reviewed(state, fallback)
        wanted = items_of(seen.must_find, seen.reviewer)
        output = await look_for(
            seen.reply,
            seen.paper,
            wanted,
            seats,
            reviewer=seen.reviewer,
            run=seen.run,
            secret=secret,
            max_tokens=max_tokens,
        )
        return recall_score(output, wanted, _about(seats, match_version(), state))

    return _guarded(RECALL, judged)


@solver(name=named("judge_required"))
def judge_required() -> Solver:
    """Ends the sample before its first call unless there is a model role `judge`: to be a task's `setup`."""

    async def check(state: TaskState, generate: Generate) -> TaskState:
        bench()
        return state

    return check


def reviewed(state: TaskState, review_type: ReviewType) -> Reviewed:
    """What the sample says of the output. A UsageError names what is missing."""
    about: dict[str, Any] = state.metadata or {}
    text = about.get("document")
    if not isinstance(text, str) or not text.strip():
        raise UsageError(f'sample {state.sample_id}: its metadata has no text under "document", which was reviewed')
    name = str(about.get("document_id") or state.sample_id)
    said = about.get("review_type")
    listed = about.get("must_find") or []
    if not isinstance(listed, list) or not all(isinstance(record, dict) for record in listed):
        raise UsageError(f'sample {state.sample_id}: "must_find" is a list of records')
    rows = [(f"sample {state.sample_id}, must_find {k}", record) for k, record in enumerate(listed, 1)]
    try:
        reply = read_output(state.output)
    except CallFailed as failed:
        raise UsageError(f"sample {state.sample_id}: there is no output to score ({failed.message})") from failed
    return Reviewed(
        reply=reply,
        paper=Paper(
            id=name,
            text=text,
            hash=content_hash(text),
            review_type=review_type if said is None else _review_type(said),
        ),
        reviewer=str(about.get("reviewer") or REVIEWER),
        run=state.epoch - 1,
        must_find=records.distinct(rows, records.must_find),
    )


def _review_type(said: object) -> ReviewType:
    for known in REVIEW_TYPES:
        if said == known:
            return known
    raise UsageError(f'"review_type" is {said!r}; it is one of {", ".join(REVIEW_TYPES)}')


def _guarded(measure: str, judged: Callable[[TaskState, Seats], Awaitable[Score]]) -> Scorer:
    """A scorer that breaks leaves its score unscored with the reason: the other one's stands.

    What ends the sample or the whole evaluation on purpose is passed on: a limit, a judge that is missing.
    """

    async def score(state: TaskState, target: Target) -> Score:
        seats = bench()
        try:
            return await judged(state, seats)
        except (LimitExceededError, PrerequisiteError):
            raise
        except UsageError as error:
            return failed_score(str(error), measure)
        except Exception as error:  # any: a fault of ours must not take the sample's other score with it
            return failed_score(f"{type(error).__name__}: {error}", measure)

    return score


def _about(seats: Seats, prompt: str, state: TaskState) -> dict[str, Any]:
    """Who judged, with which version of the prompt, and a warning where the judge is the model that is evaluated."""
    about: dict[str, Any] = {"judges": list(seats), "prompt": prompt}
    checks = [
        check
        for seat in seats
        for check in judge_is_subject(
            seat, str(state.model), danger="it may find its own kind of finding convincing"
        )
    ]
    if checks:
        about["warnings"] = [f"{check.code}: {check.message}" for check in checks]
        pair = (",".join(seats), str(state.model))
        if pair not in _warned:
            _warned.add(pair)
            logging.getLogger(__name__).warning("%s", about["warnings"][0])
    return about
