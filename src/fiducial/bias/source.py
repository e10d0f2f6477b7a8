"""The bias instrument as the engine sees it: which trials there are, and the request of each."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

import msgspec

from fiducial.bias.answered import answered
from fiducial.bias.block import CONTROL, METHODS_AT, SINGLE, STANDARD, Arm, Block, Prompt, make_block, render
from fiducial.bias.chat import Chat
from fiducial.bias.item import INTENSITIES, METHODS, WEIGHTS, Bias, BiasInfo
from fiducial.errors import UsageError
from fiducial.model.request import Message, Request, Settings
from fiducial.run.plan import Trial, make_trial
from fiducial.run.store import Store

ARMS = (CONTROL, *INTENSITIES)
"""The conditions that are run unless others are asked for."""
DEBIAS = "debias"  # the moderate comparison again under every debiasing method
KNOWN_ARMS = (*ARMS, DEBIAS)
GOLDEN = 0.6180339887498949  # multiples of it, less their whole part, are spread evenly over [0, 1)


def check_arms(arms: Sequence[str]) -> None:
    """Refuse a condition that no item has."""
    if unknown := [a for a in arms if a not in KNOWN_ARMS]:
        raise UsageError(f"--arms {','.join(arms)}: {unknown[0]!r} is none of {', '.join(KNOWN_ARMS)}.")


class BiasSource:
    """The blocks of a run. They are stored with it, so a run can be read again whatever became of the battery."""

    def __init__(
        self,
        biases: Iterable[BiasInfo],
        blocks: Iterable[Block],
        *,
        settings: Settings | None = None,
        system: str | None = None,
        read: str = "text",
    ) -> None:
        self.read = read  # how replies are read: see `likelihood`
        self.biases = {bias.id: bias for bias in biases}
        self.blocks = {block.id: block for block in blocks}
        self.standard = [block for block in self.blocks.values() if block.protocol == STANDARD]
        self._settings = settings or Settings()
        self._system = (Message("system", system),) if system else ()
        self.prompt = lru_cache(maxsize=8192)(self._prompt)
        self.unit = lru_cache(maxsize=8192)(self._unit)

    def meta(self) -> dict[str, object]:
        """What to store with the run so that `stored_source` makes this source again."""
        return {"biases": list(self.biases.values()), "blocks": list(self.blocks.values())}

    def trials(
        self, *, arms: Sequence[str] = ARMS, repetitions: int = 3, in_turns: bool = False
    ) -> Iterator[Trial]:
        """Every arm that was asked for, so many times, in every option order; of other protocols, every chat.

        `in_turns` asks for far less: of an item one intensity, and each repetition in one order. Intensities take turns
        over the items of a bias as often as their weights say; orders take turns over repetitions, the same in all arms
        and variants of an item, which is what keeps a preference for a place out of what is compared.
        """
        check_arms(arms)
        columns = {SINGLE, *arms, *(METHODS if DEBIAS in arms else ())}
        left_out = self._left_out(arms) if in_turns else {}
        places = {item: k for k, item in enumerate(dict.fromkeys((b.bias, b.item) for b in self.blocks.values()))}
        for repetition in range(repetitions):
            for block in self.blocks.values():
                every = range(block.orders())
                orders = [(places[block.bias, block.item] + repetition) % len(every)] if in_turns else every
                for arm in block.arms.values():
                    asked = arm.column in columns and arm.column not in left_out.get(block.id, ())
                    if block.protocol == STANDARD and not asked:
                        continue
                    for order in orders:
                        yield from _chat(block, arm.name, order, repetition)

    def _left_out(self, arms: Sequence[str]) -> dict[str, set[str]]:
        """The intensities that each item is not asked at, where they take turns: drawn systematically with the
        intensities' weights, from another start and for other domains in each bias. Debiasing needs its own."""
        asked: list[str] = [intensity for intensity in INTENSITIES if intensity in arms]
        if not asked:
            return {}
        ends = list(accumulate(WEIGHTS[intensity] for intensity in asked))
        found: dict[str, set[str]] = {}
        for k, bias in enumerate(self.biases):
            own = [block.id for block in self.standard if block.bias == bias]
            for j in range(len(own)):
                at = (j + k * GOLDEN % 1) / len(own) * ends[-1]
                kept = {asked[bisect(ends, at, hi=len(asked) - 1)], *((METHODS_AT,) if DEBIAS in arms else ())}
                found[own[(j + k) % len(own)]] = set(asked) - kept
        return found

    def request(self, trial: Trial, history: Sequence[str] = ()) -> Request:
        """The arm's prompt in its option order, after the system message and the chat so far if there are any.

        Before a chat has been held, its later turns stand for themselves: that is enough to say what they cost.
        """
        chat = self.chat(trial)
        for turn in range(trial.turn):
            prompt = chat.ask()
            if turn < len(history):
                chat.answer(history[turn], answered(history[turn], chat.unit, chat.arm, prompt))
        chat.ask()
        return chat.request(self._settings)

    def chat(self, trial: Trial) -> Chat:
        """The chat that the trial belongs to, before its first turn."""
        return Chat(
            self._system,
            lambda turn: self.unit(trial.item, turn),
            lambda turn: self.prompt(trial.item, trial.arm, trial.order, turn),
            trial,
        )

    def arm(self, trial: Trial) -> tuple[Block, Arm]:
        """The block and arm of a trial, as its turn has them."""
        block = self.unit(trial.item, trial.turn)
        return block, block.arms[trial.arm]

    def _unit(self, item: str, turn: int) -> Block:
        return self.blocks[item].at(turn)

    def _prompt(self, item: str, arm: str, order: int, turn: int = 0) -> Prompt:
        """Where the text hangs on what was answered before, all that it may begin with: a reader has to know it."""
        block = self.unit(item, turn)
        asked = block.arms[arm]
        return render(block, asked, order, "\n".join(asked.follows.values()))


def _chat(block: Block, arm: str, order: int, repetition: int) -> Iterator[Trial]:
    """The trials of one chat: each turn follows the reply to the one before."""
    parent = None
    for turn in range(block.turns):
        trial = make_trial(block.id, block.hash, arm, order=order, repetition=repetition, turn=turn, parent=parent)
        parent = trial.id
        yield trial


def battery_source(
    biases: Iterable[Bias], *, seed: int, settings: Settings | None = None, system: str | None = None
) -> BiasSource:
    """The chosen biases with their slots filled from the seed."""
    chosen = list(biases)
    blocks = [make_block(bias, item, seed=seed) for bias in chosen for item in bias.items]
    return BiasSource([bias.info() for bias in chosen], blocks, settings=settings, system=system)


def stored_source(store: Store) -> BiasSource:
    """The source that a run was made from, out of its own file."""
    if (store.meta("settings") or {}).get("instrument") != "bias":
        raise UsageError(f"{store.path}: not a bias run")
    return BiasSource(
        msgspec.convert(store.meta("biases"), list[BiasInfo]),
        msgspec.convert(store.meta("blocks"), list[Block]),
        read=(store.meta("settings") or {}).get("read", "text"),
    )
