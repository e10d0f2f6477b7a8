"""Drawing slots from the seed. Every slot has a draw of its own: adding one changes none of the others."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from importlib.resources import files

from fiducial.bias.formula import FormulaError, Value, holds, number
from fiducial.bias.item import Slot
from fiducial.model.yaml import load_yaml

TRIES = 1000


class DrawError(ValueError):
    """The slots of an item cannot be filled."""


def draw_slots(slots: Mapping[str, Slot], require: list[str], *, seed: int, key: str) -> dict[str, Value]:
    """Values for all slots that fulfil `require`; the same for the same seed and key, on any machine."""
    for attempt in range(TRIES):
        values = _draw_once(slots, f"{seed}/{key}/{attempt}")
        try:
            if all(holds(text, values) for text in require):
                return values
        except FormulaError as error:
            raise DrawError(f"require: {error}") from error
    raise DrawError(f"no draw of {TRIES} fulfils {require}")


def _draw_once(slots: Mapping[str, Slot], key: str) -> dict[str, Value]:
    values: dict[str, Value] = {}
    used: set[str] = set()
    for name, slot in slots.items():
        given = [f for f in slot.__struct_fields__ if getattr(slot, f) is not None]
        if len(given) != 1:
            raise DrawError(f"slot {name!r}: give one of int, pick, calc, name (it has {given or 'none'})")
        values[name] = _draw(name, slot, f"{key}/{name}", values, used)
    return values


def _draw(name: str, slot: Slot, key: str, values: Mapping[str, Value], used: set[str]) -> Value:
    if slot.whole is not None:
        if not 2 <= len(slot.whole) <= 3:
            raise DrawError(f"slot {name!r}: int takes [from, to] or [from, to, step]")
        low, high, step = (*slot.whole, 1)[:3]
        if step < 1 or low > high:
            raise DrawError(f"slot {name!r}: {slot.whole} is no range")
        return Fraction(low + step * _below((high - low) // step + 1, key))
    if slot.pick is not None:
        if not slot.pick:
            raise DrawError(f"slot {name!r}: an empty list to pick from")
        picked = slot.pick[_below(len(slot.pick), key)]
        return picked if isinstance(picked, str) else number(picked, {})
    if slot.calc is not None:
        try:
            return number(slot.calc, values)
        except FormulaError as error:
            raise DrawError(f"slot {name!r}: {error}") from error
    assert slot.name is not None
    pool = [n for n in _pools()[slot.name] if n not in used]
    if not pool:
        raise DrawError(f"slot {name!r}: there are no more names of the kind {slot.name}")
    picked = pool[_below(len(pool), key)]
    used.add(picked)
    return picked


def _below(n: int, key: str) -> int:
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8]) % n


@cache
def _pools() -> dict[str, list[str]]:
    pools: dict[str, list[str]] = load_yaml(
        (files("fiducial.bias") / "names.yaml").read_text("utf-8"), name="names.yaml"
    )
    return pools
