"""Biases in families: the extended tier is exploratory, and is tested and shown family by family.

The core tier asks fifteen questions, and its q values are over those. The extended tier asks four times as many. There a
bias is flagged only where its family stands out among the families and the bias stands out inside the family
(Benjamini–Bogomolov), and where its effect excludes zero also after it has been drawn toward its family (partial pooling).
People's own biases are tested among themselves, as the core is. Each tier that is tested for itself has its own chance of
a false flag; where there are several, the exploratory one pays for it, so that the q values of the core never hang on
what else was run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from fiducial.bias.item import BiasInfo
from fiducial.stats.estimate import Estimate, Measured, Tested, Withheld
from fiducial.stats.multiple import benjamini_bogomolov, benjamini_hochberg
from fiducial.stats.pooling import partial_pool

EXTENDED = "extended"
FLAG_Q = 0.05


class FamilyResult(Struct, frozen=True, kw_only=True):
    """The extended biases of one family. `estimate` is the family's mean effect, from partial pooling; `q` is that of
    "no bias of the family has an effect", over the families of the run. Flagged where that is rejected and a bias of the
    family is flagged."""

    family: str
    estimate: Measured
    q: float | None
    flagged: bool
    biases: list[str]


class Adjusted(Struct, frozen=True):
    """q values by bias, q values by family, and the partially pooled effects of extended biases."""

    q: dict[str, float | None]
    families: dict[str, float]
    pooled: dict[str, Estimate]
    means: dict[str, Measured]


def adjust(biases: Mapping[str, BiasInfo], tested: Mapping[str, Tested]) -> Adjusted:
    """What testing so many biases at once does to each."""
    q: dict[str, float | None] = {}
    for tier in dict.fromkeys(bias.tier for bias in biases.values() if bias.tier != EXTENDED):
        own = [i for i, bias in biases.items() if bias.tier == tier]
        q |= dict(zip(own, benjamini_hochberg([tested[i].p for i in own]), strict=True))
    extended = [i for i, bias in biases.items() if bias.tier == EXTENDED]
    found, families = benjamini_bogomolov([tested[i].p for i in extended], [biases[i].family for i in extended])
    tiers = len({bias.tier for bias in biases.values()})
    q |= {i: None if one is None else min(1.0, tiers * one) for i, one in zip(extended, found, strict=True)}
    families = {name: min(1.0, tiers * one) for name, one in families.items()}
    pooled: dict[str, Estimate] = {}
    means: dict[str, Measured] = {}
    for family, members in _members(biases, extended).items():
        known = {i: e for i in members if isinstance(e := tested[i].estimate, Estimate)}
        if not known:
            means[family] = Withheld("no bias of the family has an estimate")
            continue
        together = partial_pool(list(known.values()))
        pooled |= dict(zip(known, together.members, strict=True))
        means[family] = together.mean
    return Adjusted(q, families, pooled, means)


def family_results(
    biases: Mapping[str, BiasInfo], adjusted: Adjusted, flagged: Sequence[str]
) -> list[FamilyResult]:
    """The families of the extended biases, in the order in which they come."""
    extended = [i for i, bias in biases.items() if bias.tier == EXTENDED]
    return [
        FamilyResult(
            family=family,
            estimate=adjusted.means[family],
            q=adjusted.families.get(family),
            flagged=adjusted.families.get(family, 1.0) <= FLAG_Q and any(i in flagged for i in members),
            biases=members,
        )
        for family, members in _members(biases, extended).items()
    ]


def _members(biases: Mapping[str, BiasInfo], ids: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for bias in ids:
        found.setdefault(biases[bias].family, []).append(bias)
    return found
