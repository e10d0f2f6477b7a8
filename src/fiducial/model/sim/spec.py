"""The specification of a simulated subject, as written after `sim/`.

    first · last · letter:X · coin · fixed · rational · refuser · rambler
    planted:effect=E[,bias=ID][,position=P][,noise=L][,spread=S][,lumpy=1][,seed=N]
    and what a planted subject does under other protocols than the standard one (see `moods`):
    [,expertise=X][,stakes=X][,formality=X][,keep=K][,grow=G][,stick=S][,reconsider=R][,name=R][,remove=R]
    [,correct=C][,overcorrect=C][,pressure=P][,second=S][,interaction=I][,carry=C][,wobble=W]

Which specifications are possible follows from what must stay a probability. A planted subject chooses
the biased option with probability 1/2 ± E/2 ± P/2; when it lapses (probability L) it chooses blindly, so
on the other occasions the shifts are larger by 1/(1 − L) to make up for it. Hence |E| + |P| ≤ 1 − L.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from typing import Literal, NoReturn, get_args

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError

Kind = Literal["first", "last", "letter", "coin", "fixed", "rational", "refuser", "rambler", "planted"]
KINDS: tuple[str, ...] = get_args(Kind)

_JUDGE = "judge"  # a judge is no subject: `judge_spec`
_SIGNED, _SHARE = (-1, 1), (0, 1)
_MOODS = {
    **dict.fromkeys(
        ("expertise", "stakes", "formality", "keep", "grow", "pressure", "second", "interaction"), _SIGNED
    ),
    **dict.fromkeys(("stick", "reconsider", "name", "remove", "correct", "overcorrect", "carry", "wobble"), _SHARE),
}
"""Settings that only other protocols than the standard one show, with their ranges."""
_KEYS = ("effect", "bias", "position", "noise", "spread", "lumpy", "seed", *_MOODS)
_GROWING = 3  # turns over which a growing effect has to stay possible: those of a chat of usual length
_ROUNDING = 1e-12  # .7 + .3 may come out a hair above 1


class Spec(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A simulated subject. Everything after `letter` belongs to `planted` alone."""

    kind: Kind
    text: str  # as it was written: the identity that draws per item hang on
    letter: str = ""
    effect: float = 0.0
    bias: str | None = None  # None: the effect is planted in every bias
    position: float = 0.0  # P(first slot) − P(last slot) is raised by this much
    noise: float = 0.0  # share of lapses
    spread: float = 0.0  # SD of the effect between items
    lumpy: bool = False  # an item shows the whole effect or none
    seed: int = 0  # another seed gives other items the large effects
    expertise: float = 0.0  # by how much the effect is larger at the highest level than at the lowest
    stakes: float = 0.0
    formality: float = 0.0
    keep: float = 0.0  # share of the effect that is left after a round without the trigger
    grow: float = 0.0  # what each further round with the trigger adds to the effect
    stick: float = 0.0  # probability that a second answer is the first one
    reconsider: float = 0.0  # share of the effect that a feedback takes away
    name: float = 0.0
    remove: float = 0.0
    correct: float = 0.0  # probability that a check gives up a counted answer
    overcorrect: float = 0.0  # … or takes one up
    pressure: float = 0.0  # effect of each further round of pressure
    second: float = 0.0  # what a second trigger adds to P(counted answer)
    interaction: float = 0.0  # what it adds to the effect of the first
    carry: float = 0.0  # probability that a decision follows the one before
    wobble: float = 0.0  # SD of an item's effect between wordings

    @property
    def room(self) -> float:
        """The largest |effect| of a single item that keeps every probability inside [0, 1]."""
        return 1 - self.noise - abs(self.position)


def parse_spec(text: str) -> Spec:
    """Read what follows `sim/`. Raises UsageError for anything that is not a possible subject."""
    kind, colon, rest = text.strip().partition(":")
    if kind == _JUDGE:
        raise UsageError(f"sim/{text}: this is a judge; a simulated subject is wanted here ({', '.join(KINDS)})")
    if kind not in KINDS:
        near = difflib.get_close_matches(kind, (*KINDS, _JUDGE), n=1)
        hint = f"; did you mean sim/{near[0]}?" if near else ""
        raise UsageError(
            f'sim/{text}: there is no simulated subject "{kind}"{hint} '
            f"(there are: {', '.join(KINDS)}; and the simulated judge: {_JUDGE})"
        )
    if kind == "letter":
        if not rest.strip():
            raise UsageError("sim/letter: name the label it always gives, as in sim/letter:B")
        return Spec(kind="letter", text=text, letter=rest.strip())
    if kind == "planted":
        return _planted(text, rest)
    if colon:
        raise UsageError(f'sim/{text}: "{kind}" takes no settings; write sim/{kind}')
    return Spec(kind=kind, text=text)  # type: ignore[arg-type]  # KINDS are the values of Kind


def read_settings(
    text: str, rest: str, *, kind: str, keys: Sequence[str], examples: Mapping[str, str], example: str
) -> dict[str, str]:
    """What follows the colon, `key=value` with commas between; `examples` are values that a key is explained with."""
    values: dict[str, str] = {}
    for part in rest.split(","):
        if not part.strip():
            continue
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if key not in keys:
            near = difflib.get_close_matches(key, keys, n=1)
            hint = f'; did you mean "{near[0]}"?' if near else ""
            wrong(text, f'"{key}" is not a setting of {kind}{hint} (there are: {", ".join(keys)})')
        if not equals or not value:
            wrong(text, f'"{key}" needs a value, as in {key}={examples.get(key, example)}')
        if key in values:
            wrong(text, f'"{key}" is given twice')
        values[key] = value
    return values


def _planted(text: str, rest: str) -> Spec:
    values = read_settings(
        text, rest, kind="planted", keys=_KEYS, examples={"bias": "anchoring_effect"}, example=".3"
    )
    if "effect" not in values:
        wrong(text, "say how large the effect is, as in sim/planted:effect=.3")
    if values.get("lumpy", "0") not in ("0", "1"):
        wrong(text, f'"lumpy" is {values["lumpy"]}; it is 0 or 1')
    if not values.get("seed", "0").isdecimal():
        wrong(text, f'"seed" is {values["seed"]}; it is a whole number, 0 or more')
    spec = Spec(
        kind="planted",
        text=text,
        effect=_number(text, values, "effect", -1, 1),
        bias=values.get("bias"),
        position=_number(text, values, "position", -1, 1),
        noise=_number(text, values, "noise", 0, 1),
        spread=_number(text, values, "spread", 0, 1),
        lumpy=values.get("lumpy") == "1",
        seed=int(values.get("seed", "0")),
    )
    moods = {key: _number(text, values, key, *limits) for key, limits in _MOODS.items()}
    spec = msgspec.structs.replace(spec, **moods)
    _check_possible(spec)
    return spec


def _number(text: str, values: dict[str, str], key: str, low: float, high: float) -> float:
    written = values.get(key, "0")
    try:
        value = float(written)
    except ValueError:
        wrong(text, f'"{key}" is "{written}", which is not a number')
    if not math.isfinite(value) or not low <= value <= high:
        wrong(text, f'"{key}" is {written}; it lies between {low:g} and {high:g}')
    return value


def _check_possible(spec: Spec) -> None:
    if spec.noise >= 1:
        wrong(spec.text, '"noise" is 1: a subject that always lapses has no effect to plant; use sim/coin')
    if spec.lumpy and spec.spread:
        wrong(spec.text, '"lumpy" and "spread" are two ways for items to differ; give one of them')
    largest = 1.0 if spec.lumpy and spec.effect else abs(spec.effect)
    largest = max(
        largest + abs(spec.expertise) + abs(spec.stakes) + abs(spec.formality),
        largest + _GROWING * abs(spec.grow),
        largest + abs(spec.interaction) + 2 * abs(spec.second),
        largest + spec.wobble,
        _GROWING * abs(spec.pressure),
    )
    if spec.correct + spec.overcorrect > 1 + _ROUNDING:
        wrong(spec.text, '"correct" and "overcorrect" are shares of a whole: together at most 1')
    if largest > spec.room + _ROUNDING:
        top = 0.5 + (largest + abs(spec.position)) / (2 * (1 - spec.noise))
        what = "an item that shows the whole effect (lumpy)" if spec.lumpy else "effect, position and noise"
        wrong(
            spec.text,
            f"a probability would be {top:.3g} for {what}: "
            f"|effect| + |position| may be at most 1 − noise = {1 - spec.noise:.3g}",
        )
    if spec.spread > spec.room - largest + _ROUNDING:
        wrong(
            spec.text,
            f'"spread" is {spec.spread:g}: items would differ so much that probabilities leave [0, 1]; '
            f"beside this effect it may be at most {max(0.0, spec.room - largest):.3g}",
        )


def wrong(text: str, message: str) -> NoReturn:
    """Refuse the specification."""
    raise UsageError(f"sim/{text}: {message}")
