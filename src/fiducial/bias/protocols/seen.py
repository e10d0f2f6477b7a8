"""The answers of one protocol, put together by item, variant and turn."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct

from fiducial.bias.block import Block, PriceKey
from fiducial.bias.effects import COLUMN_OF, OWN, Floats, Table, block_effects, own_column
from fiducial.bias.estimates import compares_by
from fiducial.bias.item import BiasInfo
from fiducial.bias.paradigms import paradigm
from fiducial.bias.reading import Answer
from fiducial.stats.estimate import Tested
from fiducial.stats.means import mean_effect, mean_share

ItemKey = tuple[str, str]
"""Bias and item."""


class Place(Struct, frozen=True):
    """One turn of one variant."""

    variant: str
    turn: int = 0


class Chat(Struct, frozen=True):
    """One chat: the score of every turn, None where a turn was not asked or not read."""

    item: ItemKey
    variant: str
    arm: str
    sign: int
    order: int
    repetition: int
    scores: tuple[float | None, ...]
    options: bool = True  # whether the answers are options, not numbers


class Contrast(Struct, frozen=True):
    """One value an item, with what it belongs to."""

    values: Floats
    items: list[ItemKey]
    clusters: list[str]

    def tested(self, *, scale: float = 1.0) -> Tested:
        """The mean over items. A contrast that can leave [-1, 1] is halved before, and `scale` is then 2."""
        return mean_effect(self.values / scale, self.clusters, scale=scale)

    def as_share(self) -> Tested:
        """The mean over items of values in [0, 1], with an interval that does not leave it. There is no p: that a share
        is zero is nothing to test."""
        return Tested(estimate=mean_share(self.values, self.clusters), p=None)

    def of_bias(self, bias: str) -> Contrast:
        """The items of one bias."""
        own = [k for k, (owner, _) in enumerate(self.items) if owner == bias]
        return Contrast(self.values[own], [self.items[k] for k in own], [self.clusters[k] for k in own])


class Seen:
    """What was answered under one protocol."""

    def __init__(self, biases: Mapping[str, BiasInfo], blocks: Sequence[Block], answers: Sequence[Answer]) -> None:
        self.biases = biases
        self.blocks = blocks
        self.answers = answers
        self.clusters = {(b.bias, b.item): f"{b.bias}/{b.cluster}" for b in blocks}

    @property
    def unread(self) -> Counter[str]:
        """Replies without a score, by reason."""
        return Counter(a.reason or "unreadable" for a in self.answers if a.score is None)

    @cached_property
    def effects(self) -> dict[tuple[ItemKey, Place], float]:
        """The effect of every item in every turn of every variant, as the standard protocol computes it: arms compared
        inside each option order, then averaged over orders. What cannot be computed is not there."""
        units = [block.at(turn) for block in self.blocks for turn in range(block.turns)]
        place = {(unit.id, unit.turn): k for k, unit in enumerate(units)}
        item, column, sign, order, score = [], [], [], [], []
        for a in self.answers:
            item.append(place[a.block.id, a.block.turn])
            column.append(COLUMN_OF[a.arm.column])
            sign.append(a.arm.sign)
            order.append(a.order)
            score.append(np.nan if a.score is None else a.score)
        if not item:
            return {}
        compares = np.array(
            [OWN if u.own else compares_by(paradigm(self.biases[u.bias].paradigm)) for u in units], dtype=np.int64
        )
        table = Table(
            item=np.array(item),
            column=np.array(column),
            sign=np.array(sign),
            order=np.array(order),
            score=np.array(score, dtype=np.float64),
        )
        values = own_column(block_effects(table, compares).value)
        return {
            ((unit.bias, unit.item), Place(unit.variant, unit.turn)): float(values[k])
            for k, unit in enumerate(units)
            if not np.isnan(values[k])
        }

    @cached_property
    def means(self) -> dict[tuple[ItemKey, Place, int], float]:
        """The mean score of every item in every turn of every variant in the arm of each sign, over option orders."""
        cells: dict[tuple[ItemKey, Place, int, int], list[float]] = defaultdict(list)
        for a in self.answers:
            if a.score is not None and not isinstance(a.arm.key, PriceKey):
                where = (a.block.bias, a.block.item), Place(a.block.variant, a.block.turn)
                cells[*where, a.arm.sign, a.order].append(a.score)
        orders: dict[tuple[ItemKey, Place, int], list[float]] = defaultdict(list)
        for (item, at, sign, _), scores in cells.items():
            orders[item, at, sign].append(sum(scores) / len(scores))
        return {key: sum(found) / len(found) for key, found in orders.items()}

    def contrast(self, weights: Mapping[Place, float]) -> Contrast:
        """A weighted sum of effects, for the items that have them all."""
        found = {
            item: sum(w * self.effects[item, at] for at, w in weights.items())
            for item in self.clusters
            if all((item, at) in self.effects for at in weights)
        }
        return self.over(found)

    def over(self, found: Mapping[ItemKey, float]) -> Contrast:
        """Values by item as a contrast."""
        return Contrast(
            np.array(list(found.values()), dtype=np.float64), list(found), [self.clusters[item] for item in found]
        )

    @cached_property
    def chats(self) -> list[Chat]:
        """Every chat, its turns in order."""
        turns: dict[tuple[str, str, int, int], dict[int, Answer]] = defaultdict(dict)
        for a in self.answers:
            turns[a.block.id, a.arm.name, a.order, a.repetition][a.block.turn] = a
        length = {block.id: block.turns for block in self.blocks}
        found = []
        for (block_id, arm, order, repetition), said in turns.items():
            one = next(iter(said.values()))
            scores = tuple(said[t].score if t in said else None for t in range(length[block_id]))
            found.append(
                Chat(
                    (one.block.bias, one.block.item),
                    one.block.variant,
                    arm,
                    one.arm.sign,
                    order,
                    repetition,
                    scores,
                    bool(one.arm.options),
                )
            )
        return found
