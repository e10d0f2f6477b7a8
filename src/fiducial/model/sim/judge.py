"""`sim/judge:…` as a model: the truth of a case in, a verdict out, wrong as often as its specification says.

It answers with the JSON object that the task asks for, with a quotation that is there, so everything that is done with a
real judge's replies is done with these. Of the prompt it reads one thing, the defences, and only where a text urges a
verdict: whether untrusted text stands between marks, and whether a schema is set.

The draws, in order:

1. Invalid, with probability `invalid`: no verdict, now and on the second asking.
2. In between (`borderline`, `partly`), with probability `borderline`, whatever the label; in tasks that have such a
   verdict. So among the other verdicts sensitivity and specificity are what they are said to be.
3. Right or wrong. Cases differ in how likely the right verdict is, uniformly around the sensitivity (label 1) or the
   specificity (label 0) of their category: that probability is the confidence which is stated, so it is calibrated.
4. Where the prompt gives the answer away: that answer, with probability `leak`, whatever came before.
5. Where a text urges a verdict: that verdict, with probability `sway`, whatever came before. Confidence stays as it was.

Two askings of one case (another repetition, wording or seed of the call) share all draws with probability
`consistency`, and are drawn apart otherwise. A case whose id is that of another, then `~` and more, is that case with
something added: it shares the draws 1 to 4, so that what was added makes the only difference.
"""

from __future__ import annotations

import json
import math
import re

from msgspec import Struct

from fiducial.model.reply import CallFailed, Reply
from fiducial.model.request import CaseTruth, Request
from fiducial.model.sim.base import Simulated
from fiducial.model.sim.judge_spec import (
    JudgeSpec,
    parse_judge_spec,
    room,
    sensitivity,
    specificity,
    sway,
    uniforms,
)

ADDED = "~"
"""Stands in the id of a case between that of the case it was made from and what was added."""

Value = str | float | bool | None

_BETWEEN = {"genuine": "borderline", "match": "partly"}
_NO_VERDICT = (
    "This is a close call, and I would rather not commit myself either way.",
    '{"verdict": "unsure"}',
    '{"evidence": "the passage in question", "reason": "Both readings',
)
_LONGEST_QUOTATION = 300
_LEFT_OUT = re.compile(r"\[?(?:\.{3,}|…)\]?")
_MARKED = re.compile(r"^(?!<<<).*\b([0-9a-f]{16})\b", re.MULTILINE)


class Opinion(Struct, frozen=True):
    """What a judge came to: the deciding value of its reply, or no verdict at all."""

    value: Value
    confidence: float
    valid: bool = True


class SimJudge(Simulated):
    """A simulated judge. Seeded: askings with different seeds are different askings."""

    def __init__(self, spec: JudgeSpec) -> None:
        super().__init__(spec.text)
        self.spec = spec

    async def call(self, request: Request) -> Reply:
        """Judge from the truth. Raises CallFailed where there is none, or none that fits."""
        sent = self.encode(request)
        truth = request.truth
        if problem := _problem(truth):
            raise CallFailed("bad_request", f"{self.name}: {problem}", sent=sent)
        assert isinstance(truth, CaseTruth)
        opinion = self.decide(request, truth)
        text = _reply(opinion, truth) if opinion.valid else self._no_verdict(truth)
        return self.reply(text, sent)

    def decide(self, request: Request, truth: CaseTruth) -> Opinion:
        """What `call` would answer, before it is put into the form of the task."""
        spec, case = self.spec, truth.case.partition(ADDED)[0]
        asking: tuple[object, ...] = (truth.repetition, truth.wording, request.settings.seed)
        (apart,) = uniforms(1, spec.text, truth.case, "apart", asking)
        if apart < math.sqrt(spec.consistency):  # of both askings of a pair: so the pair has `consistency`
            asking = ()
        (hardness,) = uniforms(1, spec.text, case, "hardness")
        invalid, between, wrong, leaked = uniforms(4, spec.text, case, asking)
        (swayed,) = uniforms(1, spec.text, truth.case, "swayed", asking)
        rate = (sensitivity if truth.label == 1 else specificity)(spec, truth.category)
        likely = rate + room(rate) * (2 * hardness - 1)
        confidence = round(likely, 3) if spec.confidence is None else spec.confidence
        again = any(message.role == "assistant" for message in request.messages)
        if invalid < spec.invalid or again:  # asked again is only what was no verdict
            return Opinion(None, confidence, valid=False)
        value = truth.right if wrong < likely else truth.wrong
        if truth.task in _BETWEEN and between < spec.borderline:
            value = _BETWEEN[truth.task]
        if truth.shown is not None and leaked < spec.leak:
            value = truth.shown
        if truth.urged is not None and swayed < sway(spec, fence=_fenced(request), schema=_limited(request)):
            value = truth.urged
        return Opinion(value, confidence)

    def _no_verdict(self, truth: CaseTruth) -> str:
        (which,) = uniforms(1, self.spec.text, truth.case, "no verdict")
        return _NO_VERDICT[int(which * len(_NO_VERDICT))]


def open_judge(text: str) -> SimJudge:
    """The judge described by what follows `sim/`. Raises UsageError for an impossible one."""
    return SimJudge(parse_judge_spec(text))


def _problem(truth: object) -> str:
    """Why there is nothing to answer from; empty where there is."""
    if truth is None:
        return (
            "a simulated judge answers from the label of a case, and this request carries none; it can only judge "
            "cases whose label is known (such as those of `fiducial judge calibrate`, `ablate` and `attack`)"
        )
    if not isinstance(truth, CaseTruth):
        return "a simulated judge has no answer to the items of a battery: it is a judge, not a subject"
    if truth.label not in (0, 1):
        return f"the label of case {truth.case} is {truth.label}; it is 1 or 0"
    if truth.task not in _FORMS:
        return f'there is no task "{truth.task}" (there are: {", ".join(_FORMS)})'
    return ""


def _reply(opinion: Opinion, truth: CaseTruth) -> str:
    return json.dumps(_FORMS[truth.task](opinion, truth), ensure_ascii=False)


def _genuine(opinion: Opinion, truth: CaseTruth) -> dict[str, object]:
    category = None
    if opinion.value == "not_genuine":
        category = (truth.category or "other") if opinion.value == truth.right else "not_there"
    return {
        "evidence": _quoted(truth) or "absent: what the finding rests on",
        "reason": "This is what a simulated judge says.",
        "category": category,
        "verdict": opinion.value,
        "confidence": opinion.confidence,
    }


def _match(opinion: Opinion, truth: CaseTruth) -> dict[str, object]:
    if opinion.value == "not_found":
        return {"finding": None, "quotation": None, "verdict": opinion.value}
    return {"finding": truth.finding or 1, "quotation": _quoted(truth), "verdict": opinion.value}


def _zero_shot(opinion: Opinion, truth: CaseTruth) -> dict[str, object]:
    return {
        "quotation": _quoted(truth) if opinion.value else None,
        "reason": "This is what a simulated judge says.",
        "found": opinion.value,
    }


def _read(opinion: Opinion, truth: CaseTruth) -> dict[str, object]:
    answer = opinion.value
    if isinstance(answer, float) and answer.is_integer():
        answer = int(answer)
    return {"quotation": None if answer is None else _quoted(truth), "answer": answer}


_FORMS = {"genuine": _genuine, "match": _match, "zero_shot": _zero_shot, "read": _read}


def _quoted(truth: CaseTruth) -> str:
    """A passage that will be found: the longest without an ellipsis, which would stand for something left out. Empty
    where there are no three letters to quote."""
    parts = [part.strip() for part in _LEFT_OUT.split(truth.quotation)]
    longest = max(parts, key=len)[:_LONGEST_QUOTATION].strip()
    return longest if sum(map(str.isalnum, longest)) >= 3 else ""


def _fenced(request: Request) -> bool:
    """Whether the prompt announces a mark and then has a line with it. A text that only brings marked lines of its own
    does not make a fence."""
    text = request.messages[0].text if request.messages else ""
    return any(f"\n<<<end {found[1]}>>>" in text[found.end() :] for found in _MARKED.finditer(text))


def _limited(request: Request) -> bool:
    return request.settings.schema is not None or request.settings.grammar is not None
