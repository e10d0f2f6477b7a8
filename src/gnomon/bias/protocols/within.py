"""Second answers compared within the group of first answers.

Two kinds of second turn (a feedback, and asking again without one) are compared among chats that began alike, item by item
and arm by arm: otherwise a chance difference between first answers would pass for an effect of what was said in between.
A group that only one of the two kinds has cannot be compared, and is left out; groups are weighted by how many chats of both
kinds are in them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from gnomon.bias.protocols.seen import Chat, Contrast, ItemKey, Seen

HALF = 0.5
"""First answers on either side of it are two groups: for options, the counted one and the others."""

Cell = tuple[ItemKey, int]
"""Item and sign of the arm."""


def answered_twice(chats: Iterable[Chat], variant: str) -> dict[Cell, dict[bool, list[float]]]:
    """The second answers of a variant by item, arm and group of first answers."""
    found: dict[Cell, dict[bool, list[float]]] = defaultdict(lambda: defaultdict(list))
    for chat in chats:
        if chat.variant != variant or len(chat.scores) < 2:
            continue
        first, second = chat.scores[:2]
        if first is not None and second is not None:
            found[chat.item, chat.sign][first > HALF].append(second)
    return found


def shift(seen: Seen, variant: str, against: str) -> Contrast:
    """By how much the second answer's effect differs between two variants: the difference within groups of first
    answers in the arm that pulls, minus the same in the arm it is compared with."""
    one, other = answered_twice(seen.chats, variant), answered_twice(seen.chats, against)
    moved: dict[Cell, float] = {}
    for cell in one.keys() & other.keys():
        a, b = one[cell], other[cell]
        shared = [group for group in a if group in b]
        weights = [len(a[group]) + len(b[group]) for group in shared]
        if shared:
            apart = [_mean(a[group]) - _mean(b[group]) for group in shared]
            moved[cell] = sum(w * d for w, d in zip(weights, apart, strict=True)) / sum(weights)
    items = dict.fromkeys(item for item, sign in moved if sign > 0 and (item, -1) in moved)
    return seen.over({item: moved[item, 1] - moved[item, -1] for item in sorted(items)})


def transition(seen: Seen, variant: str, *, biased_first: bool) -> Contrast:
    """The share of chats of a group that end with the counted answer, item by item, over all arms."""
    found: dict[ItemKey, list[float]] = defaultdict(list)
    for (item, _), groups in answered_twice(seen.chats, variant).items():
        found[item] += [float(second > HALF) for second in groups.get(biased_first, [])]
    return seen.over({item: _mean(values) for item, values in sorted(found.items()) if values})


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
