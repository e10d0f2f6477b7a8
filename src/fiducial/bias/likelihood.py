"""The probability of a choice from one call: how much of the probability of the next token lies on each letter.

Both ways of reading that belong together end the prompt with the same answer-only contract: `letter` samples a reply and
reads it, `logprobs` reads the tokens that the model might have begun with. Neither is ever pooled with `text`: the
contract is part of what a block is, and of its hash.

Providers give probabilities as the model has them, before temperature is applied: what is read is the chance of each letter
at temperature 1. So none is asked for: the call goes out at temperature 0, where the few tokens that may come before the
letter are always the same.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

import msgspec
from msgspec import Struct

from fiducial.bias.block import Block, ChoiceKey, Prompt, contract
from fiducial.bias.read import Reading
from fiducial.bias.score import Score
from fiducial.errors import UsageError
from fiducial.model.logprobs import why_no_logprobs
from fiducial.model.reply import Token
from fiducial.model.request import Settings

ReadBy = Literal["text", "letter", "logprobs"]
WAYS: tuple[str, ...] = get_args(ReadBy)
LETTER = "letter"  # the contract that both share
TOKENS = 8  # of a reply: a letter, and what small models put around it
TOP = 20  # alternatives a token: as many as OpenAI and Google list
LEAST = (
    0.25  # share of the probability that has to lie on the letters; what does not counts as unread in the bounds
)
NO_LOGPROBS = "no logprobs"
NO_LETTER = "no letter"

_AROUND = " \t\r\n*_`\"'()[]{}<>.,:;#-–—"
_LEAD_IN = re.compile(r"\W*(?:(?:my|the)\W+)?(?:(?:answer|option|choice|letter)\W*)?(?:is\b\W*)?", re.IGNORECASE)

_decoder = msgspec.msgpack.Decoder(tuple[Token, ...])


class Letters(Struct, frozen=True):
    """The probability of each option, made to add up to 1, and how much of it there was."""

    chances: tuple[float, ...]
    mass: float


def letters(tokens: Sequence[Token], labels: Sequence[str]) -> Letters | None:
    """Follow the reply as far as it only leads up to a letter, and add up what lies on each at every step.

    A letter counts in any form that a token may have it in: `A`, ` a`, `A)`, `**A`. What lies on other ways to begin, and
    beyond the alternatives that were listed, is the rest to 1. None where there is no letter at all.
    """
    place = {label.casefold(): k for k, label in enumerate(labels)}
    found = [0.0] * len(labels)
    written, reached = "", 1.0
    for token in tokens:
        listed = dict(token.top)
        listed.setdefault(token.text, token.logprob)
        for text, logprob in listed.items():
            k = place.get(text.strip(_AROUND).casefold())
            if k is not None and not math.isnan(logprob):
                found[k] += reached * math.exp(min(0.0, logprob))
        written += token.text
        if _LEAD_IN.fullmatch(written) is None or token.text.strip(_AROUND).casefold() in place:
            break
        reached *= math.exp(min(0.0, token.logprob))
    mass = sum(found)
    if mass <= 0:
        return None
    return Letters(tuple(p / mass for p in found), min(1.0, mass))


def read_letters(tokens: bytes | None, prompt: Prompt, key: ChoiceKey) -> tuple[Reading, Score]:
    """The reading and the score of a reply from its stored tokens. The score is the probability of the option that
    counts; the answer is the option that is most probable."""
    if tokens is None:
        return Reading(status="unreadable", rule="logprobs"), Score(None, NO_LOGPROBS)
    found = letters(_decoder.decode(tokens), [choice.label for choice in prompt.choices])
    if found is None or found.mass < LEAST:
        return Reading(status="unreadable", rule="logprobs"), Score(
            None, NO_LETTER, mass=found.mass if found else 0.0
        )
    best = max(range(len(prompt.choices)), key=lambda k: found.chances[k])
    value = sum(p for p, choice in zip(found.chances, prompt.choices, strict=True) if choice.role == key.biased)
    return (
        Reading(status="read", answer=prompt.choices[best].label, rule="logprobs"),
        Score(min(1.0, value), slot=best, first=found.chances[0], mass=found.mass),
    )


def answer_only(blocks: Iterable[Block]) -> list[Block]:
    """The blocks that a letter can answer, under the contract that asks for it. Numbers have none, and a stated confidence
    needs words."""
    text = contract(LETTER)
    return [
        msgspec.structs.replace(
            block,
            contract=LETTER,
            hash=hashlib.sha256(f"{block.hash} {text}".encode()).hexdigest()[:16],
        )
        for block in blocks
        if all(isinstance(arm.key, ChoiceKey) for arm in block.arms.values())
    ]


def settings_for(read: str, settings: Settings) -> Settings:
    """What is asked of the sampler under a way of reading."""
    if read == "text":
        return settings
    few = min(TOKENS, settings.max_tokens or TOKENS)
    if read == "letter":
        return msgspec.structs.replace(settings, max_tokens=few)
    if settings.temperature not in (None, 1.0) or settings.top_p is not None:
        raise UsageError(
            "--read logprobs takes the probabilities of the model as it is, at temperature 1: leave out --temperature and "
            "--top-p, or sample with --read letter."
        )
    return msgspec.structs.replace(settings, temperature=0.0, top_p=None, max_tokens=few, logprobs=TOP)


def check_way(read: str, model: str) -> None:
    """Refuse, before any call, a way of reading that the model has no answer for."""
    if read not in WAYS:
        raise UsageError(f"--read {read}: one of {', '.join(WAYS)}.")
    if read == "logprobs" and (why := why_no_logprobs(model)) is not None:
        raise UsageError(f"--read logprobs: {why}. `--read letter` samples the same contract with {model}.")
