"""The effect that a planted subject shows on an item, before anything else comes into play."""

from __future__ import annotations

import functools
import math
from hashlib import blake2b
from random import Random

from msgspec import Struct

from fiducial.model.sim.spec import Spec


class ItemEffect(Struct, frozen=True):
    """How one item behaves. `constant` is set where it gives the same answer in every arm."""

    effect: float
    constant: bool | None = None  # True: always the biased role; False: never


@functools.lru_cache(maxsize=65536)
def item_effect(spec: Spec, bias: str, item: str) -> ItemEffect:
    """The effect that a planted subject shows on an item, in every trial of it."""
    if spec.bias is not None and spec.bias != bias:
        return ItemEffect(0.0)
    if not spec.spread and not spec.lumpy:
        return ItemEffect(spec.effect)
    key = repr((spec.text, bias, item)).encode("utf-8", "surrogatepass")
    random = Random(int.from_bytes(blake2b(key, digest_size=16).digest(), "little"))
    if spec.lumpy:
        if random.random() < abs(spec.effect):
            return ItemEffect(math.copysign(1.0, spec.effect))
        return ItemEffect(0.0, constant=random.random() < 0.5)
    return ItemEffect(spec.effect + symmetric(random, spec.spread, spec.room - abs(spec.effect)))


def symmetric(random: Random, sd: float, limit: float) -> float:
    """A draw with mean 0 and exactly this SD that never leaves ±limit (sd ≤ limit)."""
    if limit <= 0 or sd <= 0:
        return 0.0
    a = ((limit / sd) ** 2 - 1) / 2  # Var(2B − 1) = 1/(2a + 1) for B ~ Beta(a, a)
    if a < 0.1:  # nearly two points; the Beta's own draws underflow there
        return sd if random.random() < 0.5 else -sd
    return limit * (2 * random.betavariate(a, a) - 1)
