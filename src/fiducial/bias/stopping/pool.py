"""The pool that a stopping rule draws from: the items of every bias in the order they are taken up, and what each may be
asked.

A **step** of an item asks each of its open arms once, all in the same option order; the next step takes the next order.
So every step is a comparison of its own, in which a preference for a place cancels. An item starts with one intensity.
Intensities take turns over the items as often as their weights say, so that an item's effect at its own intensity is, on
average over items, the weighted effect that is estimated; an item may also be asked at all of them.

Arms that are compared with nothing (the baseline of an anchor) narrow no interval and are never drawn.
"""

from __future__ import annotations

import hashlib
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate

from msgspec import Struct

from fiducial.bias.block import CONTROL, SINGLE, Arm, Block
from fiducial.bias.effects import SHARED
from fiducial.bias.estimates import compares_by
from fiducial.bias.item import DOMAINS, INTENSITIES, METHODS, WEIGHTS
from fiducial.bias.paradigms import paradigm
from fiducial.bias.source import DEBIAS, GOLDEN, BiasSource
from fiducial.run.plan import Trial, make_trial


class PoolItem(Struct, frozen=True, kw_only=True):
    """One item. `first` are the arms of its own intensity, `every` those of all that were asked for."""

    block: Block
    turn: int  # the option order that its first step takes
    first: tuple[str, ...]
    every: tuple[str, ...]

    def trials(self, step: int, arms: Sequence[str]) -> Iterator[Trial]:
        """One step. Its trials are those of a fixed plan, so that their replies can be taken over by one."""
        orders = self.block.orders()
        for arm in arms:
            yield make_trial(
                self.block.id,
                self.block.hash,
                arm,
                order=(self.turn + step) % orders,
                repetition=step // orders,
            )


class Pool(Struct, frozen=True, kw_only=True):
    """The items by bias, in the order they are taken up, and how often each prompt may be asked."""

    source: BiasSource
    items: dict[str, tuple[PoolItem, ...]]
    arms: tuple[str, ...]
    repetitions: int

    def most(self, item: PoolItem) -> int:
        """The number of steps that an item has."""
        return item.block.orders() * self.repetitions

    def trials(self) -> Iterator[Trial]:
        """Everything that may be drawn."""
        for repetition in range(self.repetitions):
            for items in self.items.values():
                for item in items:
                    orders = item.block.orders()
                    for step in range(repetition * orders, (repetition + 1) * orders):
                        yield from item.trials(step, item.every)


def make_pool(source: BiasSource, *, arms: Sequence[str], repetitions: int) -> Pool:
    """The pool of a run. It depends on the blocks alone, which come from the seed."""
    items: dict[str, tuple[PoolItem, ...]] = {}
    for k, bias in enumerate(source.biases.values()):
        compares = compares_by(paradigm(bias.paradigm))
        own = [block for block in source.standard if block.bias == bias.id]
        found = []
        for j, block in enumerate(taken_up(own, start=k)):
            every = _compared(block, compares, arms)
            if not every:
                continue
            first = every if DEBIAS in arms else _of_one(block, every, (k + j) * GOLDEN % 1)
            found.append(PoolItem(block=block, turn=j, first=first, every=every))
        items[bias.id] = tuple(found)
    return Pool(source=source, items=items, arms=tuple(arms), repetitions=repetitions)


def taken_up(blocks: Sequence[Block], *, start: int = 0) -> list[Block]:
    """The blocks of a bias in an order of which every beginning is balanced: a new domain each time, grades of
    difficulty in turn, skeletons that were not met before first. Beyond that the seed decides, through what it filled in.
    """
    left = list(blocks)
    met: Counter[str] = Counter()
    found: list[Block] = []
    while left:
        round_, turn = divmod(len(found), len(DOMAINS))
        domain = DOMAINS[(start + turn) % len(DOMAINS)]
        grade = (round_ + turn) % len(DOMAINS) + 1

        def rank(block: Block, domain: str = domain, grade: int = grade) -> tuple[int, bool, bool, str]:
            chance = hashlib.sha256(f"{block.id} {block.hash}".encode()).hexdigest()
            return met[block.cluster], block.domain != domain, block.stratum not in (None, grade), chance

        best = min(left, key=rank)
        left.remove(best)
        met[best.cluster] += 1
        found.append(best)
    return found


def _compared(block: Block, compares: int, arms: Sequence[str]) -> tuple[str, ...]:
    """The arms among those asked for that are compared with another one; for each method both of its arms."""
    wanted = {SINGLE, *arms, *(METHODS if DEBIAS in arms else ())}
    asked = [arm for arm in block.arms.values() if arm.column in wanted and arm.sign]
    pulled = any(arm.column in (SINGLE, *INTENSITIES) for arm in asked)
    if not pulled or (compares == SHARED and CONTROL not in arms):
        return ()
    return tuple(arm.name for arm in asked)


def _of_one(block: Block, every: Sequence[str], share: float) -> tuple[str, ...]:
    """The arms of the intensity that `share`, in [0, 1), falls to, by the weights of those there are."""
    compared: list[Arm] = [block.arms[name] for name in every]
    there = [intensity for intensity in INTENSITIES if any(arm.column == intensity for arm in compared)]
    if not there:
        return tuple(every)
    ends = list(accumulate(WEIGHTS[intensity] for intensity in there))
    own = there[bisect(ends, share * ends[-1], hi=len(there) - 1)]
    return tuple(arm.name for arm in compared if arm.column in (own, CONTROL))
