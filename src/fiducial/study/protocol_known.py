"""What each protocol's estimates have to come to on a simulated subject, in closed form, and the subjects it is tried on.

The rules of planted subjects are in `fiducial.model.sim.moods`. A row of a protocol without a truth here hangs on more than
the rules say (a share among those who answered so the first time, say), and is not compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from fiducial.bias.block import Block
from fiducial.bias.protocols.context import FACTORS, SETTINGS, fraction, name_of
from fiducial.bias.protocols.context import NAME as CONTEXT
from fiducial.bias.protocols.result import ProtocolResult
from fiducial.model.sim.spec import Spec

OPTIONS = ("status_quo_bias", "conjunction_fallacy")
NUMBERS = ("anchoring_effect", "availability_bias")
"""Of both kinds one with two sides, and one with a control."""
PRICE = "endowment_effect"
STEADY = ("first", "last", "letter:A", "rational")
"""They do the same in every run, so that a tenth of the runs shows what there is to see."""
NULL = (*STEADY, "coin", "fixed")

Row = tuple[str, str]
"""Group and name of a protocol's row."""


class Tried(Struct, frozen=True):
    """What a protocol is tried on, and how often. `planted` subjects that do not do what it looks for are null too."""

    planted: tuple[str, ...]
    biases: tuple[str, ...] = (*OPTIONS, *NUMBERS)
    repetitions: int = 1
    runs: int = 250
    each: bool = True  # held to bounds on the estimates of each bias; else on those over all items
    null: tuple[str, ...] = NULL

    @property
    def subjects(self) -> tuple[str, ...]:
        """All subjects."""
        return (*self.null, *(f"planted:{text}" for text in self.planted))


class Known(Struct, frozen=True):
    """The truth of the main estimate and of rows beside it."""

    main: float
    rows: dict[Row, float] = {}


TRIED: dict[str, Tried] = {
    "context": Tried(
        (
            "effect=.3",
            "effect=.4,lumpy=1",
            "effect=.2,expertise=.3",
            "effect=.3,expertise=.3,stakes=-.2,formality=.1,noise=.1",
            "effect=0,stakes=.4,position=.2",
            "effect=.2,expertise=-.3,spread=.1",
        ),
        biases=(*OPTIONS, NUMBERS[0], PRICE),
    ),
    "temporal-persistent": Tried(
        (
            "effect=.4",
            "effect=.4,keep=.5,grow=.1",
            "effect=.5,keep=.9,noise=.2",
            "effect=-.3,keep=.7,spread=.1",
            "effect=.3,keep=.8,grow=-.05,position=.2",
            "effect=.1,keep=.8,lumpy=1",
            "effect=.4,keep=.8,lumpy=1",
        ),
        biases=(*OPTIONS, NUMBERS[0], PRICE),
    ),
    "temporal-adaptive": Tried(
        (
            "effect=.5,stick=.7",
            "effect=.5,stick=.5,reconsider=.2,name=.8,remove=1",
            "effect=.4,name=.5,noise=.2",
            "effect=.6,stick=.8,name=1,spread=.1",
            "effect=.4,stick=.3,name=.6,position=.2",
            "effect=.1,name=.5,lumpy=1",
            "effect=.4,stick=.5,name=.5,lumpy=1",
        ),
    ),
    "conversation": Tried(
        (
            "effect=.4",
            "effect=.3,pressure=.2",
            "effect=0,pressure=.1,noise=.2",
            "effect=0,pressure=-.1",
            "effect=.2,pressure=.15,position=.2",
            "effect=.1,pressure=.3,lumpy=1",
            "effect=.4,pressure=.3,lumpy=1",
        ),
    ),
    "compound": Tried(
        (
            "effect=.3,second=.2",
            "effect=.4,lumpy=1",
            "effect=.3,second=.1,interaction=.2",
            "effect=.3,interaction=-.3",
            "effect=.2,second=.1,interaction=.2,noise=.2",
            "effect=.1,interaction=.4,position=.2",
        ),
        runs=340,
    ),
    "chain": Tried(
        (
            "effect=.5",
            "effect=.6,carry=.7",
            "effect=.5,carry=.9,noise=.2",
            "effect=-.5,carry=.8",
            "effect=.5,carry=.8,spread=.2",
            "effect=.1,carry=.8,lumpy=1",
            "effect=.4,carry=.8,lumpy=1",
        ),
        biases=(),
        runs=1000,
        each=False,  # too few of a bias's items go on
    ),
    "meta": Tried(
        (
            "effect=.5",
            "effect=.5,correct=.5,overcorrect=.1",
            "effect=.4,correct=.3,noise=.2",
            "effect=.6,correct=.8,spread=.1",
            "effect=.5,correct=.2,overcorrect=.2,position=.2",
            "effect=.1,correct=.5,lumpy=1",
            "effect=.4,correct=.5,lumpy=1",
        ),
    ),
    "robustness": Tried(
        (
            "effect=.2",
            "effect=.2,noise=.3",
            "effect=.4,lumpy=1",
            "effect=.2,wobble=.2",
            "effect=.2,wobble=.4",
            "effect=0,wobble=.4,noise=.2",
            "effect=.2,wobble=.3,position=.2",
        ),
        biases=(*OPTIONS, NUMBERS[0], PRICE),
        repetitions=2,
        null=(
            *STEADY,
            "coin",
        ),  # `fixed` answers by the letters of a prompt, so its effect does differ between wordings
    ),
}
"""By the name of the protocol. Without biases: those whose items it fits."""


def known(protocol: str, spec: Spec, blocks: Sequence[Block], found: ProtocolResult) -> Known:
    """The truth of a protocol's result; `blocks` are those of the protocol in the run."""
    rounds = max((block.turns for block in blocks), default=1)
    truth = _KNOWN[protocol](spec, blocks, rounds, found)
    return Known(truth.main + 0.0, truth.rows)  # no minus before a zero


def _context(spec: Spec, blocks: Sequence[Block], rounds: int, found: ProtocolResult) -> Known:
    slope = {"expertise": spec.expertise, "stakes": spec.stakes, "formality": spec.formality}
    levels = {block.variant: block.levels for block in blocks}
    rows = {
        ("setting", name): spec.effect + sum(slope[f] * level for f, level in levels[name].items())
        for name in map(name_of, SETTINGS)
    }
    if len(levels) == len(fraction()):  # in the full factorial the levels are averaged over the rest
        at = {(row.group, row.name): row.at for row in found.rows if row.group in FACTORS}
        base = levels["intermediate-casual-moderate"]
        for (factor, level), place in at.items():
            assert place is not None
            rest = sum(slope[f] * base[f] for f in FACTORS if f != factor)
            rows[factor, level] = spec.effect + slope[factor] * place + rest
    rows |= {(r.group, r.name): slope[r.group.removesuffix(": change")] for r in found.rows if "change" in r.group}
    return Known(sum(slope.values()), rows)


def _persistent(spec: Spec, blocks: Sequence[Block], rounds: int, found: ProtocolResult) -> Known:
    rows: dict[Row, float] = {}
    stays = [spec.effect * spec.keep**t for t in range(rounds)]
    for t in range(rounds):
        rows["trigger in round 1 alone", f"round {t + 1}"] = stays[t]
        rows["trigger in every round", f"round {t + 1}"] = spec.effect + spec.grow * t
    grown, faded = [row for row in found.rows if row.group == "change"]
    rows["change", grown.name] = spec.grow * (rounds - 1)
    rows["change", faded.name] = stays[0] - stays[-1]
    return Known(sum(stays[1:]) / (rounds - 1), rows)


def _adaptive(spec: Spec, blocks: Sequence[Block], rounds: int, found: ProtocolResult) -> Known:
    relief = {"again": 0.0, "reconsider": spec.reconsider, "name": spec.name, "remove": spec.remove}
    change = {move: -(1 - spec.stick) * spec.effect * r for move, r in relief.items()}
    rows: dict[Row, float] = {}
    for move, by in change.items():
        rows[f"after {move}", "first answer"] = spec.effect
        rows[f"after {move}", "second answer"] = spec.effect + by
        rows["against asking again", move] = by
    return Known(change["name"], rows)


def _conversation(spec: Spec, blocks: Sequence[Block], rounds: int, found: ProtocolResult) -> Known:
    shown = abs(spec.effect) if spec.lumpy else 1.0  # the other items give the same answer in every chat
    effects = [shown * spec.pressure * t for t in range(rounds)]
    rows = {("effect of the pressure", f"round {t + 1}"): effect for t, effect in enumerate(effects)}
    return Known(effects[-1], rows)


def _compound(spec: Spec, blocks: Sequence[Block], rounds: int, found: ProtocolResult) -> Known:
    """The second trigger alone is measured in the control, where half of the interaction is missing; over two sides the
    halves cancel."""
    one = [block for block in blocks if block.variant == "alone"]
    control = sum(len({arm.column for arm in block.arms.values()}) > 1 for block in one) / max(1, len(one))
    first, second, beside = [row.name for row in found.rows if row.group == "effects"]
    rows = {
        ("effects", first): spec.effect,
        ("effects", second): spec.second - control * spec.interaction / 2,
        ("effects", beside): spec.effect + spec.interaction,
    }
    return Known(spec.interaction, rows)


def _chain(spec: Spec, blocks: Sequence[Block], rounds: int, found: ProtocolResult) -> Known:
    last = sum(spec.carry ** (block.turns - 1) for block in blocks) / max(1, len(blocks))
    rows = {("decision", str(t + 1)): spec.effect * spec.carry**t for t in range(rounds)}
    return Known(spec.effect * last, rows)


def _meta(spec: Spec, blocks: Sequence[Block], rounds: int, found: ProtocolResult) -> Known:
    change = -spec.effect * (spec.correct + spec.overcorrect)
    rows = {
        ("after check", "first answer"): spec.effect,
        ("after check", "second answer"): spec.effect + change,
        ("after again", "first answer"): spec.effect,
    }
    if spec.kind == "planted":
        rows["after again", "second answer"] = spec.effect
        if not spec.lumpy:
            rows["corrected: counted answer given up", "check"] = spec.correct
            rows["over-corrected: counted answer taken up", "check"] = spec.overcorrect
    return Known(change, rows)


def _robustness(spec: Spec, blocks: Sequence[Block], rounds: int, found: ProtocolResult) -> Known:
    truth = {"wording": spec.effect, "change against plain": 0.0}
    return Known(spec.wobble, {(row.group, row.name): truth[row.group] for row in found.rows})


_KNOWN: dict[str, Callable[[Spec, Sequence[Block], int, ProtocolResult], Known]] = {
    CONTEXT: _context,
    "temporal-persistent": _persistent,
    "temporal-adaptive": _adaptive,
    "conversation": _conversation,
    "compound": _compound,
    "chain": _chain,
    "meta": _meta,
    "robustness": _robustness,
}
