"""Context: who is asked, what hangs on it, how formally. Does the effect follow?

The sentences of a setting stand before the item's text in both arms, so what is compared is the same effect in other
surroundings. Run are six named settings and the two gradients, each with the rest at the baseline; `full` runs the whole
4 × 4 × 2 factorial, and the gradients are then averaged over the rest.
"""

from __future__ import annotations

from itertools import product

import msgspec

from fiducial.bias.block import Block
from fiducial.bias.item import BiasInfo
from fiducial.bias.protocols.base import compared, texts, variant
from fiducial.bias.protocols.made import make_result, row
from fiducial.bias.protocols.result import ProtocolResult, ProtocolRow
from fiducial.bias.protocols.seen import Contrast, Place, Seen

NAME = "context"
FACTORS = ("expertise", "stakes", "formality")
Setting = tuple[str, str, str]
"""Levels in the order of the factors."""

BASELINE: Setting = ("intermediate", "moderate", "casual")
SETTINGS: tuple[Setting, ...] = (
    ("novice", "low", "casual"),
    ("novice", "high", "formal"),
    BASELINE,
    ("intermediate", "high", "formal"),
    ("expert", "high", "formal"),
    ("authority", "critical", "formal"),
)


class Context:
    """The protocol, at one intensity."""

    name = NAME

    def __init__(self, *, at: str, full: bool = False) -> None:
        self._at = at
        self.settings = full_factorial() if full else fraction()

    def blocks(self, bias: BiasInfo, block: Block) -> list[Block] | str:
        """The item in every setting."""
        return [self._block(block, setting) for setting in self.settings]

    def _block(self, block: Block, setting: Setting) -> Block:
        said = " ".join(texts(NAME)[factor][level] for factor, level in zip(FACTORS, setting, strict=True))
        arms = [msgspec.structs.replace(arm, text=f"{said}\n\n{arm.text}") for arm in compared(block, self._at)]
        return variant(
            block, NAME, name_of(setting), arms, levels=dict(zip(FACTORS, map(_level, setting), strict=True))
        )

    def estimate(self, seen: Seen) -> ProtocolResult:
        """The change of the effect between the two outermost settings; each setting, each gradient."""
        first, last = Place(name_of(SETTINGS[0])), Place(name_of(SETTINGS[-1]))
        rows = [row("setting", name_of(s), seen.contrast({Place(name_of(s)): 1.0})) for s in SETTINGS]
        for factor in FACTORS:
            rows += self._gradient(seen, factor)
        return make_result(
            NAME,
            seen,
            seen.contrast({last: 1.0, first: -1.0}),
            scale=2.0,
            estimand=f"effect in {last.variant} − effect in {first.variant}",
            rows=rows,
        )

    def _gradient(self, seen: Seen, factor: str) -> list[ProtocolRow]:
        """The effect at each level with the rest held (or averaged over), and the slope from lowest to highest level."""
        levels = {level: self._with(seen, factor, level) for level in texts(NAME)[factor]}
        found = [row(factor, level, at_level, at=_level(level)) for level, at_level in levels.items()]
        places = [_level(level) for level in levels]
        centre = sum(places) / len(places)
        spread = sum((x - centre) ** 2 for x in places)
        weights = [(x - centre) / spread for x in places]
        by_item = [dict(zip(one.items, one.values, strict=True)) for one in levels.values()]
        slopes = {
            item: float(sum(w * values[item] for w, values in zip(weights, by_item, strict=True)))
            for item in by_item[0]
            if all(item in values for values in by_item)
        }
        slope = seen.over(slopes)
        name = "slope from lowest to highest level" if len(levels) > 2 else "formal − casual"
        return [*found, row(f"{factor}: change", name, slope, scale=sum(map(abs, weights)))]

    def _with(self, seen: Seen, factor: str, level: str) -> Contrast:
        k = FACTORS.index(factor)
        if len(self.settings) == len(full_factorial()):
            chosen = [s for s in self.settings if s[k] == level]
        else:
            chosen = [(*BASELINE[:k], level, *BASELINE[k + 1 :])]  # type: ignore[list-item]
        return seen.contrast({Place(name_of(s)): 1 / len(chosen) for s in chosen})


def full_factorial() -> tuple[Setting, ...]:
    """Every combination of levels."""
    return tuple(product(*(tuple(texts(NAME)[factor]) for factor in FACTORS)))


def fraction() -> tuple[Setting, ...]:
    """The named settings, and every level of every factor with the rest at the baseline."""
    varied = [
        (*BASELINE[:k], level, *BASELINE[k + 1 :])
        for k, factor in enumerate(FACTORS)
        for level in texts(NAME)[factor]
    ]
    return tuple(dict.fromkeys([*SETTINGS, *varied]))


def name_of(setting: Setting) -> str:
    """`expert-formal-high`, as people say it."""
    expertise, stakes, formality = setting
    return f"{expertise}-{formality}-{stakes}"


def _level(level: str) -> float:
    """Where a level stands between the lowest (0) and the highest (1) of its factor."""
    order = next(list(texts(NAME)[factor]) for factor in FACTORS if level in texts(NAME)[factor])
    return order.index(level) / (len(order) - 1)
