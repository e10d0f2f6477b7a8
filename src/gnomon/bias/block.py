"""A block: the arms of one item with its slots filled, ready to be asked in any option order."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from gnomon.bias.fill import fill
from gnomon.bias.formula import Value, number
from gnomon.bias.item import INTENSITIES, WEIGHTS, Bias, Intensity, ItemSpec, Spans
from gnomon.bias.paradigms import Paradigm, paradigm
from gnomon.bias.slots import draw_slots
from gnomon.model.request import Choice, Truth

CONTROL = "control"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class ChoiceKey(Struct, frozen=True, tag="choice"):
    """The role whose choice counts, and the role that is proved right, where one is."""

    biased: str
    rational: str | None


class ScaleKey(Struct, frozen=True, tag="scale"):
    """The two ends of the scale an answer is placed on, and the range outside which it is no answer."""

    away: float
    toward: float
    low: float
    high: float


class Arm(Struct, frozen=True, kw_only=True):
    """One condition of an item, with its own prompt and its own key.

    `sign` is +1 for the arm that pulls toward the bias, -1 for the arm it is compared with, 0 for a baseline.
    `marked` are the places in `text` and in the options that differ from the other arms.
    """

    name: str
    intensity: Intensity | None
    sign: int
    text: str
    options: tuple[tuple[str, str], ...]  # role, text
    marked: tuple[str, ...]
    key: ChoiceKey | ScaleKey


class Block(Struct, frozen=True, kw_only=True):
    """One item as this seed makes it."""

    bias: str
    item: str
    domain: str
    cluster: str
    kind: str
    unit: str
    arms: dict[str, Arm]
    hash: str

    @property
    def id(self) -> str:
        """`bias/item`."""
        return f"{self.bias}/{self.item}"

    def orders(self) -> int:
        """The number of option orders: each option stands in each place once."""
        return len(next(iter(self.arms.values())).options) or 1


class Prompt(Struct, frozen=True, kw_only=True):
    """An arm in one option order, as it is sent."""

    text: str
    choices: tuple[Choice, ...]


def make_block(bias: Bias, item: ItemSpec, *, seed: int) -> Block:
    """Fill the item's slots from the seed and lay out its arms."""
    how = paradigm(bias.paradigm)
    slots = draw_slots(item.slots, item.require, seed=seed, key=f"{bias.id}/{item.id}")
    arms = {arm.name: arm for arm in _arms(item, how, slots)}
    return Block(
        bias=bias.id,
        item=item.id,
        domain=item.domain,
        cluster=item.skeleton or item.id,
        kind=item.answer.kind,
        unit=item.answer.unit,
        arms=arms,
        hash=hashlib.sha256(msgspec.json.encode((item.answer.kind, item.answer.unit, arms))).hexdigest()[:16],
    )


def _arms(item: ItemSpec, how: Paradigm, slots: Mapping[str, Value]) -> list[Arm]:
    arms = []
    if item.control is not None:
        sign = 0 if how.sides else -1
        arms.append(_arm(item, CONTROL, None, sign, item.control, slots))
    for intensity in INTENSITIES:
        spans = item.intensities.get(intensity)
        if spans is None:
            continue
        if not how.sides:
            arms.append(_arm(item, intensity, intensity, 1, _flat(spans), slots))
            continue
        for sign, (side, bound) in zip((1, -1), (item.sides or {}).items(), strict=False):
            here = {**slots, **{name: number(text, slots) for name, text in bound.items()}}
            own = spans[side] if isinstance(spans, dict) and side in spans else spans
            arms.append(_arm(item, f"{intensity}/{side}", intensity, sign, _flat(own), here))
    return arms


def _flat(spans: str | dict[str, Spans] | dict[str, str]) -> Spans:
    """The spans of one arm. A mapping by side has been taken apart before."""
    if isinstance(spans, str):
        return spans
    return {name: text for name, text in spans.items() if isinstance(text, str)}


def _arm(
    item: ItemSpec, name: str, intensity: Intensity | None, sign: int, spans: Spans, slots: Mapping[str, Value]
) -> Arm:
    named = {"span": spans} if isinstance(spans, str) else spans
    marked = {place: fill(text, slots).strip() for place, text in named.items()}
    values = {**slots, **marked}
    return Arm(
        name=name,
        intensity=intensity,
        sign=sign,
        text=_tidy(fill(item.text, values)),
        options=tuple((option.role, fill(option.text, values).strip()) for option in item.options),
        marked=tuple(text for text in marked.values() if text),
        key=_key(item, slots),
    )


def _key(item: ItemSpec, slots: Mapping[str, Value]) -> ChoiceKey | ScaleKey:
    if item.answer.kind == "option":
        roles = {option.role for option in item.options}
        return ChoiceKey(item.target or "biased", "rational" if "rational" in roles else None)
    assert item.scale is not None and item.answer.range is not None, "the loader checks this"
    away, toward, low, high = (float(number(e, slots)) for e in (*item.scale, *item.answer.range))
    return ScaleKey(away, toward, low, high)


def _tidy(text: str) -> str:
    """An empty span leaves no hole: at most one blank, at most one empty line."""
    lines = [" ".join(line.split()) for line in text.strip().splitlines()]
    tidy = "\n".join(lines)
    while "\n\n\n" in tidy:
        tidy = tidy.replace("\n\n\n", "\n\n")
    return tidy


def render(block: Block, arm: Arm, order: int) -> Prompt:
    """The prompt of an arm: text, options in this order, and the one answer contract of its kind."""
    if not arm.options:
        return Prompt(text=f"{arm.text}\n\n{contract('numeric').replace('{unit}', block.unit)}", choices=())
    n = len(arm.options)
    laid = [arm.options[(place + order) % n] for place in range(n)]
    choices = tuple(Choice(LETTERS[i], text, role) for i, (role, text) in enumerate(laid))
    listed = "\n".join(f"{c.label}) {c.text}" for c in choices)
    return Prompt(text=f"{arm.text}\n\n{listed}\n\n{contract('option')}", choices=choices)


@lru_cache
def contract(kind: str) -> str:
    """The sentence that every arm of a kind ends with."""
    return (files("gnomon.bias") / "contracts" / f"{kind}.txt").read_text("utf-8").strip()


def truth(block: Block, arm: Arm, prompt: Prompt, repetition: int) -> Truth:
    """What a simulated subject is told of the arm."""
    if isinstance(arm.key, ChoiceKey):
        return Truth(
            bias=block.bias,
            item=block.id,
            kind="option",
            sign=arm.sign,
            choices=prompt.choices,
            biased=arm.key.biased,
            rational=arm.key.rational,
            repetition=repetition,
        )
    key = arm.key
    return Truth(
        bias=block.bias,
        item=block.id,
        kind="numeric",
        sign=arm.sign,
        low=key.low,
        high=key.high,
        away=key.away,
        toward=key.toward,
        repetition=repetition,
    )


def weights(intensities: list[str]) -> dict[str, float]:
    """The declared weights of the intensities that were run, renormalised."""
    total = sum(WEIGHTS[i] for i in intensities)
    return {i: WEIGHTS[i] / total for i in intensities}
