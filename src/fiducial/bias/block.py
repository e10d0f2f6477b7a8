"""A block: the arms of one item with its slots filled, ready to be asked in any option order."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from fiducial.bias.fill import fill
from fiducial.bias.formula import Value, number
from fiducial.bias.item import INTENSITIES, METHODS, Bias, ChainStep, ItemSpec, Spans
from fiducial.bias.paradigms import Paradigm, paradigm
from fiducial.bias.slots import draw_slots
from fiducial.model.request import Choice, Truth

STANDARD = "standard"
CONTROL = "control"
SINGLE = "single"
METHODS_AT = "moderate"  # the intensity at which debiasing methods are tried
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


class PriceKey(Struct, frozen=True, tag="price"):
    """The range outside which a price is no answer."""

    low: float
    high: float


class CertaintyKey(Struct, frozen=True, tag="certainty"):
    """The role that is proved right; what counts is the confidence stated beside the choice."""

    right: str


Key = ChoiceKey | ScaleKey | PriceKey | CertaintyKey


class Arm(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One condition of an item, with its own prompt and its own key.

    `sign` is +1 for the arm that pulls toward the bias, -1 for the arm it is compared with, 0 for a baseline.
    `column` names the comparison it belongs to: an intensity, a debiasing method, `single`, or `control`.
    `marked` are the places in `text` and in the options that differ from the other arms.
    `move` says what a turn of a chat does (`once`, `reconsider` …). `follows` are texts that go before `text` by what
    was answered in the turn before: the role chosen, `number`, or nothing where it could not be read.
    """

    name: str
    column: str
    sign: int
    text: str
    options: tuple[tuple[str, str], ...]  # role, text
    marked: tuple[str, ...]
    key: Key
    move: str = ""
    follows: dict[str, str] = {}


class Step(Struct, frozen=True):
    """A decision that follows an earlier one, with its slots filled."""

    follows: dict[str, str]
    text: str
    options: tuple[tuple[str, str], ...]


class Block(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One item as this seed makes it, under one variant of a protocol.

    `later` are the arms of the turns that follow, by the same names. `levels` are what the variant sets, as numbers.
    `own`: its arms are compared with each other, however the bias's paradigm compares. `turn` is set where the block
    stands for one turn of a chat (see `at`).
    """

    bias: str
    item: str
    domain: str
    cluster: str
    kind: str
    unit: str
    arms: dict[str, Arm]
    hash: str
    stratum: int | None = None
    protocol: str = STANDARD
    variant: str = ""
    later: tuple[dict[str, Arm], ...] = ()
    levels: dict[str, float] = {}
    own: bool = False
    turn: int = 0
    rephrased: dict[str, str] = {}  # the text of every arm in other words
    chain: tuple[Step, ...] = ()
    generated: str | None = None  # the model that wrote the item, where one did
    contract: str = ""  # another answer contract than that of its kind

    @property
    def id(self) -> str:
        """`bias/item`, and which protocol and variant where it is not the standard one."""
        return f"{self.bias}/{self.item}" + (
            f"@{self.protocol}:{self.variant}" if self.protocol != STANDARD else ""
        )

    @property
    def turns(self) -> int:
        """How many times the subject is asked in one chat."""
        return 1 + len(self.later)

    def at(self, turn: int) -> Block:
        """The block with the arms of one turn."""
        return self if turn == 0 else msgspec.structs.replace(self, arms=self.later[turn - 1], later=(), turn=turn)

    def orders(self) -> int:
        """The number of option orders: each option stands in each place once.

        A calibration question is compared with no other arm, so one order does; the seed turns it.
        """
        return 1 if self.kind == "confident" else len(next(iter(self.arms.values())).options) or 1


class Prompt(Struct, frozen=True, kw_only=True):
    """An arm in one option order, as it is sent."""

    text: str
    choices: tuple[Choice, ...]


def make_block(bias: Bias, item: ItemSpec, *, seed: int) -> Block:
    """Fill the item's slots from the seed and lay out its arms."""
    how = paradigm(bias.paradigm)
    slots = draw_slots(item.slots, item.require, seed=seed, key=f"{bias.id}/{item.id}")
    plain = _arms(item, how, slots)
    if how.contrast == "single":
        turn = int.from_bytes(hashlib.sha256(f"{seed}/{bias.id}/{item.id}".encode()).digest()[:4])
        plain = [_turned(arm, turn) for arm in plain]
    arms = {arm.name: arm for arm in (*plain, *_with_methods(plain))}
    return Block(
        bias=bias.id,
        item=item.id,
        domain=item.domain,
        cluster=item.skeleton or item.id,
        kind=item.answer.kind,
        unit=item.answer.unit,
        arms=arms,
        hash=hashlib.sha256(msgspec.json.encode((item.answer.kind, item.answer.unit, arms))).hexdigest()[:16],
        stratum=item.stratum,
        rephrased=_rephrased(item, how, slots),
        chain=tuple(_step(step, slots) for step in item.chain),
        generated=item.generated.model if item.generated else None,
    )


def _rephrased(item: ItemSpec, how: Paradigm, slots: Mapping[str, Value]) -> dict[str, str]:
    if item.paraphrase is None:
        return {}
    other = msgspec.structs.replace(item, text=item.paraphrase)
    return {arm.name: arm.text for arm in _arms(other, how, slots)}


def _step(step: ChainStep, slots: Mapping[str, Value]) -> Step:
    return Step(
        {role: fill(text, slots).strip() for role, text in step.follows.items()},
        fill(step.text, slots).strip(),
        tuple((option.role, fill(option.text, slots).strip()) for option in step.options),
    )


def _arms(item: ItemSpec, how: Paradigm, slots: Mapping[str, Value]) -> list[Arm]:
    if how.contrast == "single":
        return [_arm(item, how, "question", SINGLE, 1, "", slots)]
    arms = []
    if item.control is not None:
        sign = 0 if how.sides else -1
        arms.append(_arm(item, how, CONTROL, CONTROL, sign, item.control, slots))
    if item.pair is not None:
        return [*arms, *_sides(item, how, SINGLE, item.pair, slots)]
    for intensity in INTENSITIES:
        spans = item.intensities.get(intensity)
        if spans is None:
            continue
        if how.sides:
            arms += _sides(item, how, intensity, spans, slots)
        else:
            arms.append(_arm(item, how, intensity, intensity, 1, _flat(spans), slots))
    return arms


def _sides(
    item: ItemSpec,
    how: Paradigm,
    column: str,
    spans: str | Mapping[str, Spans],
    slots: Mapping[str, Value],
) -> list[Arm]:
    """The two arms that are compared, the one that pulls toward the bias first."""
    arms = []
    for sign, (side, bound) in zip((1, -1), (item.sides or {}).items(), strict=False):
        here = {**slots, **{name: number(text, slots) for name, text in bound.items()}}
        own = spans[side] if not isinstance(spans, str) and side in spans else spans
        arms.append(_arm(item, how, f"{column}/{side}", column, sign, _flat(own), here))
    return arms


def _turned(arm: Arm, turn: int) -> Arm:
    """The arm with its options turned by so many places."""
    turn %= len(arm.options)
    return msgspec.structs.replace(arm, options=arm.options[turn:] + arm.options[:turn])


def _with_methods(plain: list[Arm]) -> list[Arm]:
    """The moderate comparison again under each debiasing method, whose text stands in both of its arms."""
    compared = [arm for arm in plain if arm.column == METHODS_AT or (arm.column == CONTROL and arm.sign)]
    return [
        msgspec.structs.replace(
            arm, name=f"{arm.name}+{method}", column=method, text=f"{arm.text}\n\n{_text('methods', method)}"
        )
        for method in METHODS
        for arm in compared
        if any(a.column == METHODS_AT for a in compared)
    ]


def _flat(spans: str | Mapping[str, Spans]) -> Spans:
    """The spans of one arm. A mapping by side has been taken apart before."""
    if isinstance(spans, str):
        return spans
    return {name: text for name, text in spans.items() if isinstance(text, str)}


def _arm(
    item: ItemSpec, how: Paradigm, name: str, column: str, sign: int, spans: Spans, slots: Mapping[str, Value]
) -> Arm:
    named = {"span": spans} if isinstance(spans, str) else spans
    marked = {place: fill(text, slots).strip() for place, text in named.items()}
    values = {**slots, **marked}
    return Arm(
        name=name,
        column=column,
        sign=sign,
        text=_tidy(fill(item.text, values)),
        options=tuple((option.role, fill(option.text, values).strip()) for option in item.options),
        marked=tuple(text for text in marked.values() if text),
        key=_key(item, how, slots),
    )


def _key(item: ItemSpec, how: Paradigm, slots: Mapping[str, Value]) -> Key:
    if how.contrast == "single":
        return CertaintyKey("rational")
    if item.answer.kind == "option":
        roles = {option.role for option in item.options}
        return ChoiceKey(item.target or "biased", "rational" if "rational" in roles else None)
    assert item.answer.range is not None, "the loader checks this"
    low, high = (float(number(e, slots)) for e in item.answer.range)
    if how.contrast == "price":
        return PriceKey(low, high)
    assert item.scale is not None, "the loader checks this"
    away, toward = (float(number(e, slots)) for e in item.scale)
    return ScaleKey(away, toward, low, high)


def _tidy(text: str) -> str:
    """An empty span leaves no hole: at most one blank, at most one empty line."""
    lines = [" ".join(line.split()) for line in text.strip().splitlines()]
    tidy = "\n".join(lines)
    while "\n\n\n" in tidy:
        tidy = tidy.replace("\n\n\n", "\n\n")
    return tidy


def render(block: Block, arm: Arm, order: int, after: str | None = None) -> Prompt:
    """The prompt of an arm: text, options in this order, and the one answer contract of its kind.

    `after` is the text that what was answered before makes the arm begin with.
    """
    said = f"{after}\n\n{arm.text}" if after else arm.text
    if not arm.options:
        return Prompt(text=f"{said}\n\n{contract('numeric').replace('{unit}', block.unit)}", choices=())
    n = len(arm.options)
    laid = [arm.options[(place + order) % n] for place in range(n)]
    choices = tuple(Choice(LETTERS[i], text, role) for i, (role, text) in enumerate(laid))
    listed = "\n".join(f"{c.label}) {c.text}" for c in choices)
    return Prompt(text=f"{said}\n\n{listed}\n\n{contract(block.contract or block.kind)}", choices=choices)


def contract(kind: str) -> str:
    """The sentence that every arm of a kind ends with."""
    return _text("contracts", kind)


@lru_cache
def _text(folder: str, name: str) -> str:
    return (files("fiducial.bias") / folder / f"{name}.txt").read_text("utf-8").strip()


def truth(
    block: Block, arm: Arm, prompt: Prompt, repetition: int, earlier: tuple[str | float | None, ...] = ()
) -> Truth:
    """What a simulated subject is told of the arm; `earlier` is what it answered in the chat before."""
    key = arm.key
    common = Truth(
        bias=block.bias,
        item=f"{block.bias}/{block.item}",
        kind="option",
        sign=arm.sign,
        choices=prompt.choices,
        repetition=repetition,
        protocol=block.protocol,
        variant=block.variant,
        turn=block.turn,
        move=arm.move,
        levels=block.levels,
        earlier=earlier,
    )
    if isinstance(key, ChoiceKey):
        return msgspec.structs.replace(common, biased=key.biased, rational=key.rational)
    if isinstance(key, CertaintyKey):
        return msgspec.structs.replace(common, kind="confident", rational=key.right)
    if isinstance(key, PriceKey):
        return msgspec.structs.replace(common, kind="price", low=key.low, high=key.high)
    return msgspec.structs.replace(
        common, kind="numeric", low=key.low, high=key.high, away=key.away, toward=key.toward
    )
