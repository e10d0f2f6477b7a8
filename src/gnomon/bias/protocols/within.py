"""Second answers compared at equal first answers.

Two kinds of second turn (a feedback, and asking again without one) are compared among chats that began alike, item by item
and arm by arm: otherwise a chance difference between first answers would pass for an effect of what was said in between.
What a first answer does to the second is taken out by the slope of second on first answers. For options, that is the
difference between the group that chose the counted option and the group that did not. Chats are not sorted into groups item
by item: an item has few, a group that one kind lacks would be lost, and those that are left are no fair sample of the rest.

The slope is one for all items of a bias, from deviations inside each item, arm and kind; where each of these has a single
chat, inside each arm and kind. Whatever it is, the comparison has no bias, since first answers come from the same prompt.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping

import numpy as np

from gnomon.bias.effects import Floats
from gnomon.bias.protocols.seen import Chat, Contrast, ItemKey, Seen

HALF = 0.5
"""Between the scores of the two groups of first answers: the counted option, and the others."""

Cell = tuple[ItemKey, int]
"""Item and sign of the arm."""


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
        (first, second) = one[cell].mean(axis=1) - other[cell].mean(axis=1)
        moved[cell] = float(second - slopes[cell[0][0]] * first)
    items = dict.fromkeys(item for item, sign in moved if sign > 0 and (item, -1) in moved)
    return seen.over({item: moved[item, 1] - moved[item, -1] for item in sorted(items)})


def _slopes(*variants: Mapping[Cell, Floats]) -> dict[str, float]:
    """The slope of second on first answers, by bias."""
    chats: dict[str, list[tuple[Hashable, Hashable, Floats]]] = defaultdict(list)
    for k, variant in enumerate(variants):
        for (item, sign), pairs in variant.items():
            chats[item[0]].append(((k, sign, item), (k, sign), pairs))
    found = {}
    for bias, own in chats.items():
        inside = _slope([(cell, pairs) for cell, _, pairs in own])
        across = _slope([(arm, pairs) for _, arm, pairs in own])
        found[bias] = inside if inside is not None else across or 0.0
    return found


def _slope(pairs: Iterable[tuple[Hashable, Floats]]) -> float | None:
    """From deviations inside groups of the same name; None where no first answer deviates."""
    groups: dict[Hashable, list[Floats]] = defaultdict(list)
    for name, own in pairs:
        groups[name].append(own)
    joint = square = 0.0
    for parts in groups.values():
        together = np.concatenate(parts, axis=1)
        first, second = together - together.mean(axis=1, keepdims=True)
        joint += float(first @ second)
        square += float(first @ first)
    return joint / square if square > 1e-12 else None


def transition(seen: Seen, variant: str, *, biased_first: bool) -> Contrast:
    """The share of chats that end with the counted option among those that began with it, or did not, item by item over
    all arms. Numbers have no counted option, and are left out."""
    found: dict[ItemKey, list[float]] = defaultdict(list)
    chosen = (chat for chat in seen.chats if chat.options)
    for (item, _), (first, second) in answered_twice(chosen, variant).items():
        found[item] += (second[(first > HALF) == biased_first] > HALF).astype(float).tolist()
    return seen.over({item: float(np.mean(values)) for item, values in sorted(found.items()) if values})
