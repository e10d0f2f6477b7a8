"""How a planted subject's effect depends on where it is asked: under which protocol, in which turn, in which setting.

Every rule has a truth that can be worked out by hand, since a protocol's estimate is judged by it:

- context: the effect is E + expertise·x + stakes·y + formality·z, with x, y, z from 0 (lowest level) to 1 (highest);
- a chat whose trigger stands in round 1 alone: the effect of round t is E·keep^(t−1);
- a chat that repeats the trigger: it is E + grow·(t−1);
- feedback: with probability `stick` the second answer is the first one; otherwise it is given afresh, with an effect of
  E·(1 − r), r being `reconsider`, `name` or `remove`. Against asking again the effect changes by −(1 − stick)·E·r;
- checking one's own answer: a counted answer is given up with probability `correct`, another one with `overcorrect`, so
  that the effect changes by −E·(correct + overcorrect). Asked without a check it says the same again;
- pressure: the effect of round t is pressure·(t−1);
- two triggers: the second alone moves P(counted answer) by `second`, and the effect of the first by `interaction`;
- a chain: each decision follows the one before with probability `carry`, else it is a coin's; the effect on decision t is
  E·carry^(t−1);
- other wordings: effects of one item have the SD `wobble` between wordings.
"""

from __future__ import annotations

import functools
from hashlib import blake2b
from random import Random

from msgspec import Struct

from fiducial.model.request import Truth
from fiducial.model.sim.items import item_effect, symmetric
from fiducial.model.sim.spec import Spec


class Mood(Struct, frozen=True):
    """What a planted subject is like in one turn: its effect, what moves both arms alike, and whether its item always
    gets the same answer."""

    effect: float
    constant: bool | None = None
    lean: float = 0.0


def mood(spec: Spec, truth: Truth) -> Mood:
    """The mood in the turn that the truth describes. Biases without a planted effect have none anywhere."""
    item = item_effect(spec, truth.bias, truth.item)
    if truth.protocol == "standard" or item.constant is not None or not planted_in(spec, truth):
        return Mood(item.effect, item.constant)
    second = truth.levels.get("second", 0.0)
    return Mood(_effect(spec, truth, item.effect), lean=spec.second * second)


def planted_in(spec: Spec, truth: Truth) -> bool:
    """Whether the bias is one that the subject has."""
    return spec.kind == "planted" and spec.bias in (None, truth.bias)


def _effect(spec: Spec, truth: Truth, effect: float) -> float:
    match truth.protocol, truth.move:
        case "context", _:
            slopes = {"expertise": spec.expertise, "stakes": spec.stakes, "formality": spec.formality}
            return effect + sum(slopes[name] * level for name, level in truth.levels.items())
        case "temporal-persistent", "once":
            return effect * spec.keep**truth.turn
        case "temporal-persistent", "every":
            return effect + spec.grow * truth.turn
        case "temporal-adaptive", "reconsider" | "name" | "remove":
            relief = {"reconsider": spec.reconsider, "name": spec.name, "remove": spec.remove}
            return effect * (1 - relief[truth.move])
        case "conversation", _:
            return spec.pressure * truth.turn
        case "compound", _:
            return effect + spec.interaction * truth.levels["second"]
        case "robustness", _:
            return effect + _wobble(spec, truth.bias, truth.item, truth.variant, effect)
        case _:
            return effect


@functools.lru_cache(maxsize=65536)
def _wobble(spec: Spec, bias: str, item: str, variant: str, effect: float) -> float:
    key = repr((spec.text, bias, item, variant)).encode("utf-8", "surrogatepass")
    random = Random(int.from_bytes(blake2b(key, digest_size=16).digest(), "little"))
    return symmetric(random, spec.wobble, spec.room - abs(effect))


def after_first(spec: Spec, truth: Truth, fresh: float) -> float | None:
    """The probability of the counted role where it hangs on the answer before; `fresh` is what it is otherwise.

    None where nothing hangs on it: no earlier answer, or none that could be read.
    """
    if not truth.earlier or not isinstance(last := truth.earlier[-1], str) or not planted_in(spec, truth):
        return None
    counted = last == truth.biased
    match truth.protocol, truth.move:
        case "temporal-adaptive", _:
            return spec.stick * counted + (1 - spec.stick) * fresh
        case "meta", "check":
            return 1 - spec.correct if counted else spec.overcorrect
        case "meta", _:
            return float(counted)
        case "chain", _:
            return spec.carry * counted + (1 - spec.carry) / 2
        case _:
            return None


def number_kept(spec: Spec, truth: Truth) -> float:
    """The probability that a number is given again."""
    if not truth.earlier or not isinstance(truth.earlier[-1], int | float) or not planted_in(spec, truth):
        return 0.0
    match truth.protocol, truth.move:
        case "temporal-adaptive", _:
            return spec.stick
        case "meta", "check":
            return 1 - spec.correct - spec.overcorrect
        case "meta", _:
            return 1.0
        case _:
            return 0.0
