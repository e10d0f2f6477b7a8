"""How a planted subject's effect depends on where it is asked: under which protocol, in which turn, in which setting.

Every rule has a truth that can be worked out by hand, since a protocol's estimate is judged by it:

- context: the effect is E + expertise·x + stakes·y + formality·z, with x, y, z from 0 (lowest level) to 1 (highest);
- a chat whose trigger stands in round 1 alone: the effect of round t is E·keep^(t−1);
- a chat that repeats the trigger: it is E + grow·(t−1).
"""

from __future__ import annotations

from msgspec import Struct

from gnomon.model.request import Truth
from gnomon.model.sim.items import ItemEffect, item_effect
from gnomon.model.sim.spec import Spec


class Mood(Struct, frozen=True):
    """What a planted subject is like in one turn: its effect, and how its item behaves where it always says the same."""

    effect: float
    constant: bool | None = None


def mood(spec: Spec, truth: Truth) -> Mood:
    """The mood in the turn that the truth describes. Biases without a planted effect have none anywhere."""
    item = item_effect(spec, truth.bias, truth.item)
    if item.constant is not None or spec.bias not in (None, truth.bias):
        return Mood(item.effect, item.constant)
    return Mood(_effect(spec, truth, item))


def _effect(spec: Spec, truth: Truth, item: ItemEffect) -> float:
    match truth.protocol, truth.move:
        case "context", _:
            slopes = {"expertise": spec.expertise, "stakes": spec.stakes, "formality": spec.formality}
            return item.effect + sum(slopes[name] * level for name, level in truth.levels.items())
        case "temporal-persistent", "once":
            return item.effect * spec.keep**truth.turn
        case "temporal-persistent", "every":
            return item.effect + spec.grow * truth.turn
        case _:
            return item.effect
