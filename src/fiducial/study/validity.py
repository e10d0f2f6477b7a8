"""Item validity: can the marked difference of an item move a real model at all?

Simulated subjects never read the text, so they cannot say. Every item is asked plainly, and again under its bias's
positive control: a system message that tells the subject to give in to the trigger. An item that does not move even
then measures nothing on this model.

A model on this machine answers with the answer line alone (a grammar sees to it). A choice is made in the options'
own words, because small models bind letters to options poorly, and the probability of each option is taken from
that one call. Other models answer as always, at temperature 0, and are read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from msgspec import Struct

from fiducial.bias.block import CONTROL, SINGLE, Arm, Block, ChoiceKey, PriceKey, Prompt, contract, render
from fiducial.bias.item import Bias
from fiducial.bias.reading import score_reply
from fiducial.bias.source import BiasSource, battery_source
from fiducial.model.reply import Token
from fiducial.model.request import Message, Request, Settings
from fiducial.run.naming import run_path
from fiducial.run.plan import Plan, Trial, make_trial, request_key
from fiducial.run.provenance import provenance
from fiducial.run.store import Store, StoredReply

PLAIN, GIVEN_IN = "plain", "given in"
CONDITIONS = (PLAIN, GIVEN_IN)
AT = "strong"
"""The intensity at which items are tried."""
MOVES = 0.10
"""The least effect under the positive control, or change of the effect by it, that counts as moving."""
EDGE = 0.05
"""A choice this near to never, or always, in every cell sits at the floor or the ceiling."""

ANSWER = "Answer: "
_MAX_TOKENS = 1024


class ValiditySource:
    """Every item at one intensity, plainly and under the positive control, in one option order (they take turns).

    The trials of an item follow each other, so that a server can reuse the part of the prompt they share.
    """

    def __init__(self, biases: Iterable[Bias], *, seed: int, constrained: bool) -> None:
        chosen = list(biases)
        self.base: BiasSource = battery_source(chosen, seed=seed)
        self._positive = {bias.id: bias.positive.strip() for bias in chosen if bias.positive}
        self._constrained = constrained
        self.prompt = lru_cache(maxsize=64)(self._prompt)

    def trials(self) -> Iterator[Trial]:
        """In the order they are sent."""
        for place, block in enumerate(self.base.blocks.values()):
            order = place % block.orders()
            for condition in CONDITIONS:
                if condition == GIVEN_IN and block.bias not in self._positive:
                    continue
                for arm in compared(block):
                    yield make_trial(block.id, block.hash, f"{condition}: {arm.name}", order=order)

    def plan(self) -> Plan:
        """The trials with their keys; nothing is repeated, so nothing has to be spread."""
        trials = tuple(self.trials())
        return Plan(trials, tuple(request_key(self.request(t)) for t in trials))

    def request(self, trial: Trial, history: Sequence[str] = ()) -> Request:
        """The arm's prompt, under the positive control or without it."""
        condition, block, arm = self.of(trial)
        prompt = self.prompt(trial)
        text = _in_words(arm, prompt) if self._by_words(block) else prompt.text
        # After the question: that far back, small models have forgotten what they were told.
        system = (Message("system", self._positive[block.bias]),) if condition == GIVEN_IN else ()
        return Request((Message("user", text), *system), self._settings(block, prompt))

    def of(self, trial: Trial) -> tuple[str, Block, Arm]:
        """The condition, block and arm of a trial."""
        condition, _, arm = trial.arm.partition(": ")
        block = self.base.blocks[trial.item]
        return condition, block, block.arms[arm]

    def _prompt(self, trial: Trial) -> Prompt:
        _, block, arm = self.of(trial)
        return render(block, arm, trial.order)

    def _by_words(self, block: Block) -> bool:
        return self._constrained and block.kind == "option"

    def _settings(self, block: Block, prompt: Prompt) -> Settings:
        if not self._constrained:
            return Settings(temperature=0.0, max_tokens=_MAX_TOKENS)
        if block.kind == "option":
            grammar = f'root ::= "{ANSWER}" ({" | ".join(_literal(c.text) for c in prompt.choices)})'
        elif block.kind == "confident":
            labels = f"[{prompt.choices[0].label}-{prompt.choices[-1].label}]"
            grammar = f'root ::= "{ANSWER}" {labels} "\\nConfidence: " [0-9]{{1,3}} "%"'
        else:
            grammar = f'root ::= "{ANSWER}" [0-9]{{1,7}} ("." [0-9]{{1,2}})?'
        return Settings(temperature=0.0, max_tokens=100, grammar=grammar, logprobs=20)


def _in_words(arm: Arm, prompt: Prompt) -> str:
    listed = "\n".join(f"- {choice.text}" for choice in prompt.choices)
    return f"{arm.text}\n\n{listed}\n\n{contract('words')}"


def _literal(text: str) -> str:
    """A text as a literal of llama.cpp's grammars."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def compared(block: Block) -> list[Arm]:
    """The two arms that are held against each other, or the only one."""
    columns = {AT, CONTROL, SINGLE}
    return [arm for arm in block.arms.values() if arm.column in columns and arm.sign]


class ItemValidity(Struct, frozen=True, kw_only=True):
    """One item: its effect plainly and under the positive control (None where a cell could not be read), and the
    least and greatest mean score of its cells, for choices alone."""

    bias: str
    item: str
    domain: str
    plain: float | None
    given_in: float | None
    least: float | None
    greatest: float | None
    marked: bool  # declared `floor: true` in the battery

    @property
    def verdict(self) -> str:
        """`moves`, `floor`, `ceiling`, `still`, or `unread`."""
        if self.given_in is None:
            return "unread"
        if self.given_in >= MOVES or (self.plain is not None and self.given_in - self.plain >= MOVES):
            return "moves"
        if self.greatest is not None and self.greatest < EDGE:
            return "floor"
        if self.least is not None and self.least > 1 - EDGE:
            return "ceiling"
        return "still"


class Validity(Struct, frozen=True, kw_only=True):
    """The whole table."""

    model: str
    seed: int
    calls: int
    answered: int
    items: list[ItemValidity]


def prepare_validity(
    biases: Sequence[Bias], model: str, *, seed: int, out: Path | None
) -> tuple[Path, ValiditySource, Plan, dict[str, object]]:
    """The run file's path, its source, plan and metadata; nothing is written yet."""
    source = ValiditySource(biases, seed=seed, constrained=model.startswith("local/"))
    plan = source.plan()
    settings = {"instrument": "validity", "model": model, "biases": [b.id for b in biases], "seed": seed}
    path = out or run_path("validity", model, settings=settings, plan=plan)
    return path, source, plan, {"settings": settings, "provenance": provenance()}


def item_validity(store: Store, source: ValiditySource, biases: Sequence[Bias]) -> Validity:
    """Each item's effect in both conditions, from the replies that are there."""
    cells: dict[tuple[str, str, int, int], float] = {}
    answered = 0
    for reply in store.replies():
        answered += 1
        condition, block, arm = source.of(reply.trial)
        score = _score(reply, block, arm, source.prompt(reply.trial))
        if score is not None:
            cells[block.id, condition, arm.sign, reply.trial.order] = score
    settings = store.meta("settings") or {}
    return Validity(
        model=str(settings.get("model")),
        seed=int(settings.get("seed", 0)),
        calls=store.progressed().trials,
        answered=answered,
        items=[
            _item(source.base.blocks[f"{bias.id}/{item.id}"], item.floor, cells)
            for bias in biases
            for item in bias.items
        ],
    )


def _item(block: Block, marked: bool, cells: dict[tuple[str, str, int, int], float]) -> ItemValidity:
    own = [score for (item, *_), score in cells.items() if item == block.id]
    choice = isinstance(next(iter(block.arms.values())).key, ChoiceKey)
    return ItemValidity(
        bias=block.bias,
        item=block.item,
        domain=block.domain,
        plain=_effect(block, PLAIN, cells),
        given_in=_effect(block, GIVEN_IN, cells),
        least=min(own) if own and choice else None,
        greatest=max(own) if own and choice else None,
        marked=marked,
    )


def _effect(block: Block, condition: str, cells: dict[tuple[str, str, int, int], float]) -> float | None:
    """The mean over option orders of the difference between the arms; prices by their difference over their sum."""
    single = block.kind == "confident"
    price = isinstance(compared(block)[0].key, PriceKey)
    found = []
    for order in range(block.orders()):
        one = cells.get((block.id, condition, 1, order))
        other = 0.0 if single else cells.get((block.id, condition, -1, order))
        if one is None or other is None:
            continue
        if not price:
            found.append(one - other)
        elif one + other > 0:
            found.append((one - other) / (one + other))
    return float(np.mean(found)) if found else None


def _score(reply: StoredReply, block: Block, arm: Arm, prompt: Prompt) -> float | None:
    """The probability of the role that counts, where the reply came with one; else the score of what was read."""
    if isinstance(arm.key, ChoiceKey) and reply.tokens:
        chances = text_chances(reply.tokens, [c.text for c in prompt.choices])
        if chances is not None:
            return chances[next(k for k, c in enumerate(prompt.choices) if c.role == arm.key.biased)]
    return score_reply(reply.id, reply.text, reply.status, block, arm, prompt, reply.trial.order).score.value


def text_chances(tokens: Sequence[Token], texts: Sequence[str]) -> list[float] | None:
    """The probability of each text as what follows `Answer: `, out of the way that was taken and what was listed beside
    it; made to add up to 1. Where a token leads to several texts, they share its probability. None where it led to none.
    """
    mass = [0.0] * len(texts)
    written, reached = "", 1.0
    for token in tokens:
        for text, logprob in token.top:
            led = _leads_to(written + text, texts)
            if led and len(led) < len(texts) and not (text == token.text and len(led) > 1):
                for k in led:
                    mass[k] += reached * math.exp(logprob) / len(led)
        written += token.text
        if _leads_to(written, texts) and written.startswith(ANSWER):
            reached *= math.exp(token.logprob)
        if len(_leads_to(written, texts)) == 1:
            break
    total = sum(mass)
    return [m / total for m in mass] if total > 0 else None


def _leads_to(written: str, texts: Sequence[str]) -> list[int]:
    return [k for k, text in enumerate(texts) if f"{ANSWER}{text}".startswith(written)] if written else []
