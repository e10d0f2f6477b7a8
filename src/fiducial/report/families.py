"""Many biases, by family: on the page and in the terminal a long list is read family by family.

Core biases come first in their family; those of the extended tier are exploratory and said to be.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from fiducial.bias.families import EXTENDED, FamilyResult
from fiducial.bias.result import BiasResult, RunResult
from fiducial.report.inert import clip
from fiducial.report.numbers import known

MANY = 24
"""More biases than these are shown by family."""
TIERS = ("core", "own")
"""The tiers that come before the others."""
EXPLORATORY = "extended tier: exploratory"
TOGETHER = "the line of a family is their mean effect, partially pooled, with the q of none having an effect"
NAME = 60


class Family(Struct, frozen=True, kw_only=True):
    """Biases that belong together. A short list is one family without a name."""

    name: str
    biases: list[BiasResult]  # one of each: of the first run that has it
    pooled: tuple[FamilyResult | None, ...] = ()  # a run each; of its exploratory biases

    @property
    def ids(self) -> list[str]:
        """The biases in their order."""
        return [bias.id for bias in self.biases]

    @property
    def tally(self) -> str:
        """How many there are, and how many of them are flagged."""
        flagged = sum(bias.flagged for bias in self.biases)
        return f"{flagged or 'none'} of {len(self.biases)} flagged"


def exploratory(bias: BiasResult) -> bool:
    """Whether a bias has few situations and is there to look further; it is flagged within its family only."""
    return bias.tier == EXTENDED


def by_family(biases: Iterable[BiasResult], *results: RunResult) -> list[Family]:
    """The families: those with a core bias first, and then by their mean effect. Inside each the biases keep their order,
    after the core ones."""
    found = list(biases)
    if len(found) <= MANY:
        return [Family(name="", biases=found)]
    members: dict[str, list[BiasResult]] = {}
    for bias in sorted(found, key=_tier):
        members.setdefault(bias.family, []).append(bias)
    pooled = [{one.family: one for one in result.families} for result in results]
    families = [
        Family(name=clip(name, NAME), biases=own, pooled=tuple(one.get(name) for one in pooled))
        for name, own in members.items()
    ]
    return sorted(families, key=_rank)


def _tier(bias: BiasResult) -> int:
    return TIERS.index(bias.tier) if bias.tier in TIERS else len(TIERS)


def _rank(family: Family) -> tuple[int, float]:
    effects = [effect.value for bias in family.biases if (effect := known(bias.effect))]
    return min(map(_tier, family.biases)), -sum(effects) / len(effects) if effects else 1.0
