"""`sim/…` as a model: truth in, words out.

A call costs some tens of microseconds and never waits, so a whole battery runs in seconds.
"""

from __future__ import annotations

import math
import re

import msgspec
from msgspec import Struct

from fiducial.model.reply import CallFailed, Reply, Token
from fiducial.model.request import Choice, Request, Truth
from fiducial.model.sim import phrasing
from fiducial.model.sim.base import Simulated
from fiducial.model.sim.spec import Spec, parse_spec
from fiducial.model.sim.subjects import (
    Chance,
    Unanswerable,
    chance,
    choice_shares,
    choose,
    choose_with_confidence,
    estimate,
    price,
    span,
)

YES_NO = (Choice("yes", "Yes", "yes"), Choice("no", "No", "no"))

_SHARES = re.compile(r"%|percent|probab|chance", re.IGNORECASE)


class Decision(Struct, frozen=True):
    """What a subject decided before it was put into words: the choice, or the number."""

    choice: Choice | None = None
    number: float | None = None
    confidence: float | None = None  # stated beside the choice, where the question asks for it


class SimModel(Simulated):
    """A simulated subject. Seeded: the engine gives every trial its own `settings.seed`."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec.text)
        self.spec = spec

    async def call(self, request: Request) -> Reply:
        """Answer from the truth. Raises CallFailed where there is none, or none that fits."""
        sent = self.encode(request)
        try:
            decision, draw = self._decide(request)
            text = self._word(decision, request, draw.wording)
        except Unanswerable as error:
            raise CallFailed("bad_request", f"{self.name}: {error}", sent=sent) from error
        reply = self.reply(text, sent)
        if request.settings.logprobs is None:
            return reply
        return msgspec.structs.replace(reply, tokens=(self._token(request, draw, text),))

    def _token(self, request: Request, draw: Chance, text: str) -> Token:
        """The first token of a reply that is a letter alone: how probable the subject makes each of them."""
        truth = _truth(request)
        if self.spec.kind == "refuser" or truth.kind != "option":
            return Token(text.split(" ", maxsplit=1)[0], 0.0)
        chances = choice_shares(self.spec, truth, draw)
        listed = sorted(((p, c.label) for p, c in zip(chances, truth.choices, strict=True) if p > 0), reverse=True)
        top = tuple((label, math.log(p)) for p, label in listed)
        return Token(*top[0], top)

    def decide(self, request: Request) -> Decision:
        """What `call` would answer, unworded: what a reading of its reply has to come to.

        Raises Unanswerable. For the refuser and the undecided rambler nothing of it reaches the reply.
        """
        return self._decide(request)[0]

    def _decide(self, request: Request) -> tuple[Decision, Chance]:
        truth = _truth(request)
        draw = chance(
            self.spec.text,
            request.settings.seed,
            truth.bias,
            truth.item,
            truth.sign,
            truth.repetition,
            prompt=[message.text for message in request.messages],
        )
        if truth.kind == "option":
            slot = choose(self.spec, truth, truth.choices, draw)
            return Decision(choice=truth.choices[slot]), draw
        if truth.kind == "yesno":
            return Decision(choice=YES_NO[choose(self.spec, truth, YES_NO, draw, slots_count=False)]), draw
        if truth.kind == "confident":
            slot, confidence = choose_with_confidence(self.spec, truth, draw)
            return Decision(choice=truth.choices[slot], confidence=round(confidence, 4)), draw
        low, high = span(truth)
        found = price(self.spec, truth, draw) if truth.kind == "price" else estimate(self.spec, truth, draw)
        return Decision(number=phrasing.tidy(found, low, high)), draw

    def _word(self, decision: Decision, request: Request, draw: int) -> str:
        truth = _truth(request)
        if self.spec.kind == "refuser":
            return phrasing.refusal(draw)
        if self.spec.kind == "rambler":
            return phrasing.ramble(*_torn(decision, truth), draw)
        if decision.number is not None:
            low, high = span(truth)
            prompt = request.messages[-1].text if request.messages else ""
            percent = low == 0 and high in (1, 100) and bool(_SHARES.search(prompt))
            return phrasing.number(decision.number, low, high, draw, percent=percent)
        assert decision.choice is not None
        if truth.kind == "yesno":
            return phrasing.yes_no(decision.choice is YES_NO[0], draw)
        said = phrasing.option(truth.choices.index(decision.choice), truth.choices, draw)
        return said if decision.confidence is None else f"{said}\n{phrasing.confidence(decision.confidence, draw)}"


def _truth(request: Request) -> Truth:
    if isinstance(request.truth, Truth):
        return request.truth
    if request.truth is not None:
        raise Unanswerable("a simulated subject does not judge; a simulated judge is written sim/judge:…")
    raise Unanswerable(
        "a simulated subject answers from the truth of an arm, and this request carries none; "
        "it can only be measured by an instrument that knows the truth (such as `fiducial bias run`)"
    )


def _torn(decision: Decision, truth: Truth) -> tuple[list[str], str]:
    """What a rambler wavers between, and the line it may end with."""
    if decision.number is not None:
        low, high = span(truth)
        wavers = [phrasing.tidy(low + share * (high - low), low, high) for share in (0.3, 0.7)]
        return [phrasing.plain(x) for x in wavers], f"Answer: {phrasing.plain(decision.number)}"
    assert decision.choice is not None
    if truth.kind == "yesno":
        return ["a yes", "a no"], f"Answer: {decision.choice.label}"
    return [f"option {choice.label}" for choice in truth.choices], f"Answer: {decision.choice.label}"


def open_sim(model: str) -> SimModel:
    """The subject described by what follows `sim/`. Raises UsageError for an impossible one."""
    return SimModel(parse_spec(model))
