"""Chats with a simulated subject, held in memory turn by turn: what a run collects, without the store.

Spoken, a chat goes the whole way: the request, a reply in words, the reader, the score, and the next turn follows what
was read. Unspoken, the subject's decision is taken as it was made, and everything else is the same. Words and reading take
most of the time, so a study of intervals speaks in some of its runs, and counts there how often the reader was wrong.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from fiducial.bias.answered import answered
from fiducial.bias.block import Arm, Block, Prompt
from fiducial.bias.chat import Answered, Chat
from fiducial.bias.read import Reading
from fiducial.bias.reading import Answer, Scored, score_reply
from fiducial.bias.score import score
from fiducial.bias.source import BiasSource
from fiducial.model.reply import Reply
from fiducial.model.request import Request, Settings
from fiducial.model.sim.subject import Decision, SimModel
from fiducial.run.plan import Trial, trial_seed


class Held(Struct, frozen=True, kw_only=True):
    """What was answered; of the `spoken` replies, how many were not read, or read as something else than was decided."""

    answers: list[Answer]
    spoken: int
    unread: int
    misread: int


def hold(source: BiasSource, model: SimModel, trials: Iterable[Trial], *, seed: int, spoken: bool) -> Held:
    """Hold every chat of the trials, in which the turns of a chat stand in their order."""
    open_chats: dict[str, Chat] = {}
    answers: list[Answer] = []
    count = unread = misread = 0
    for trial in trials:
        chat = open_chats.pop(trial.parent) if trial.parent else source.chat(trial)
        prompt = chat.ask()
        request = chat.request(Settings(seed=trial_seed(seed, trial.id)))
        decided = model.decide(request)
        if spoken:
            text, found = _in_words(model, source, trial, request)
            answer = answered(text, chat.unit, chat.arm, prompt)
            count += 1
            unread += found.score.value is None
            misread += found.score.value is not None and not as_decided(found, decided)
        else:
            text, answer = _terse(decided), _meant(decided)
            found = unspoken(decided, chat.unit, chat.arm, prompt, trial)
        chat.answer(text, answer)
        open_chats[trial.id] = chat
        value, reason = found.score.value, found.score.reason
        answers.append(Answer(chat.unit, chat.arm, trial.order, trial.repetition, value, reason))
    return Held(answers=answers, spoken=count, unread=unread, misread=misread)


def _in_words(model: SimModel, source: BiasSource, trial: Trial, request: Request) -> tuple[str, Scored]:
    reply = said(model, request)
    block, arm = source.arm(trial)
    prompt = source.prompt(trial.item, trial.arm, trial.order, trial.turn)
    return reply.text, score_reply(0, reply.text, reply.status, block, arm, prompt, trial.order, trial.repetition)


def said(model: SimModel, request: Request) -> Reply:
    """The reply of a subject that never waits, without an event loop."""
    call = model.call(request)
    try:
        call.send(None)
    except StopIteration as done:
        reply: Reply = done.value
        return reply
    raise AssertionError("a simulated subject does not wait")


def unspoken(decided: Decision, block: Block, arm: Arm, prompt: Prompt, trial: Trial) -> Scored:
    """A decision, scored as if it had been read without a fault."""
    found = decided.choice.label if decided.choice is not None else decided.number
    reading = Reading(status="read", answer=found, confidence=decided.confidence)
    scored = score(reading, arm, prompt, unit=block.unit, text="%")  # points as they are: .7 is no share here
    return Scored(0, block, arm, trial.order, reading, scored, repetition=trial.repetition)


def as_decided(scored: Scored, decided: Decision) -> bool:
    """Whether the reader found what the subject meant."""
    reading, found = scored.reading, scored.score
    if decided.choice is not None:
        sure = decided.confidence is None or (
            reading.confidence is not None and abs(reading.confidence - decided.confidence) < 1e-6
        )
        return reading.answer == decided.choice.label and sure
    assert decided.number is not None
    return found.number is not None and abs(found.number - decided.number) <= 1e-6 * max(1.0, abs(decided.number))


def seeded(request: Request, seed: int) -> Request:
    """The request with the sampling seed of its trial."""
    return msgspec.structs.replace(request, settings=msgspec.structs.replace(request.settings, seed=seed))


def _terse(decided: Decision) -> str:
    return f"Answer: {decided.choice.label if decided.choice is not None else decided.number}"


def _meant(decided: Decision) -> Answered:
    return decided.choice.role if decided.choice is not None else decided.number
