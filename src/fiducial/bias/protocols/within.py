"""Second answers compared at equal first answers.

Two kinds of second turn (a feedback, and asking again without one) are compared among chats that began alike, item by item
and arm by arm: otherwise a chance difference between first answers would pass for an effect of what was said in between.
What a first answer does to the second is taken out by the slope of second on first answers. For options, that is the
difference between the group that chose the counted option and the group that did not. Chats are not sorted into groups item
by item: an item has few, a group that one kind lacks would be lost, and those that are left are no fair sample of the rest.

The slope of an item comes from the other items of its bias: from deviations inside each item, arm and kind, or inside
each arm and kind where an item has a single chat of each. Whatever it is, the comparison has no bias, since first answers
come from the same prompt. A slope from the item's own chats would bring one in, small and away from zero: the spread of
shares hangs on their mean.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from fiducial.bias.block import Arm as BlockArm
from fiducial.bias.block import PriceKey
from fiducial.bias.effects import Floats
from fiducial.bias.protocols.seen import Chat, Contrast, ItemKey, Seen

HALF = 0.5
"""Between the scores of the two groups of first answers: the counted option, and the others."""

Cell = tuple[ItemKey, int]
"""Item and sign of the arm."""
Arm = tuple[int, int]
"""Kind of second turn and sign of the arm."""
NOTHING = 1e-12


def unfit(arms: Sequence[BlockArm]) -> str | None:
    """Why second answers to these arms cannot be compared at equal first ones, or None."""
    if len(arms) < 2:
        return "it has a single arm: there is no trigger whose effect could change"
    if isinstance(arms[0].key, PriceKey):
        return "prices are on no common scale, so that first answers cannot be equal"
    return None


def answered_twice(chats: Iterable[Chat], variant: str) -> dict[Cell, Floats]:
    """First and second answers (two rows) of a variant's chats by item and arm, where both were read."""
    found: dict[Cell, list[tuple[float, float]]] = defaultdict(list)
    for chat in chats:
        if chat.variant != variant or len(chat.scores) < 2:
            continue
        first, second = chat.scores[:2]
        if first is not None and second is not None:
            found[chat.item, chat.sign].append((first, second))
    return {cell: np.array(pairs).T for cell, pairs in found.items()}


def shift(seen: Seen, variant: str, against: str) -> Contrast:
    """By how much the second answer's effect differs between two variants at equal first answers: the difference in the
    arm that pulls, minus the same in the arm it is compared with."""
    one, other = answered_twice(seen.chats, variant), answered_twice(seen.chats, against)
    slopes = _slopes(one, other)
    moved: dict[Cell, float] = {}
    for cell in one.keys() & other.keys():
        first, second = one[cell].mean(axis=1) - other[cell].mean(axis=1)
        moved[cell] = float(second - slopes[cell[0]] * first)
    items = dict.fromkeys(item for item, sign in moved if sign > 0 and (item, -1) in moved)
    return seen.over({item: moved[item, 1] - moved[item, -1] for item in sorted(items)})


def _slopes(*variants: Mapping[Cell, Floats]) -> dict[ItemKey, float]:
    """The slope of second on first answers for every item, from the other items of its bias."""
    chats: dict[ItemKey, list[tuple[Arm, Floats]]] = defaultdict(list)
    for k, variant in enumerate(variants):
        for (item, sign), pairs in variant.items():
            chats[item].append(((k, sign), pairs))
    inside = {item: _inside(pairs for _, pairs in own) for item, own in chats.items()}
    found = {}
    for item in chats:
        others = [other for other in chats if other != item and other[0] == item[0]]
        joint, square = np.sum([inside[other] for other in others] or [(0.0, 0.0)], axis=0)
        if square <= NOTHING:
            joint, square = _inside(_by_arm(one for other in others for one in chats[other]))
        found[item] = float(joint / square) if square > NOTHING else 0.0
    return found


def _by_arm(chats: Iterable[tuple[Arm, Floats]]) -> list[Floats]:
    groups: dict[Arm, list[Floats]] = defaultdict(list)
    for arm, pairs in chats:
        groups[arm].append(pairs)
    return [np.concatenate(parts, axis=1) for parts in groups.values()]


def _inside(groups: Iterable[Floats]) -> tuple[float, float]:
    """Over groups: the sum of products of deviations of first and second answers, and of squares of the first."""
    joint = square = 0.0
    for pairs in groups:
        first, second = pairs - pairs.mean(axis=1, keepdims=True)
        joint += float(first @ second)
        square += float(first @ first)
    return joint, square


def transition(seen: Seen, variant: str, *, biased_first: bool) -> Contrast:
    """The share of chats that end with the counted option among those that began with it, or did not, item by item over
    all arms. Numbers have no counted option, and are left out."""
    found: dict[ItemKey, list[float]] = defaultdict(list)
    chosen = (chat for chat in seen.chats if chat.options)
    for (item, _), (first, second) in answered_twice(chosen, variant).items():
        found[item] += (second[(first > HALF) == biased_first] > HALF).astype(float).tolist()
    return seen.over({item: float(np.mean(values)) for item, values in sorted(found.items()) if values})
