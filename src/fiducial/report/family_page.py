"""What the page draws of the biases, family by family where there are many.

Few biases are one family without a name, and nothing is folded away. Many are folded, because nobody reads seventy
panels in a row: of each family one line stays to be seen, with every bias as a mark on it.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup
from msgspec import Struct

from fiducial.bias.result import RunResult
from fiducial.report.charts import NARROW, WIDE, WIDER, forest, strips
from fiducial.report.families import Family, by_family
from fiducial.report.forest_table import ForestTable, Mark, effect_rows
from fiducial.report.numbers import known
from fiducial.report.panels import difficulty, dose
from fiducial.report.plot import Line
from fiducial.report.scale import Scale, span

Lines = Sequence[tuple[str, Line]]

EVERY = "The effect of every item, one dot an item, for each bias."
EFFECTS = "Effect of each bias with its 95 % interval. The table that follows has the same numbers."


class Small(Struct, frozen=True):
    """One of the small multiples."""

    id: str
    name: str
    svg: Markup
    flagged: bool


class FamilyView(Struct, frozen=True, kw_only=True):
    """A family as the template sees it. `forest` is None where nothing is folded: the page then has one for all."""

    name: str
    tally: str
    ids: list[str]
    lines: list[tuple[str, Line]]
    forest: ForestTable | None
    pooled: list[Mark]
    doses: list[Small]
    strips_wide: list[Markup]
    strips_narrow: list[Markup]


def family_views(lines: Lines, results: Sequence[RunResult]) -> list[FamilyView]:
    """The families of these biases, which are in the order of the page."""
    own = dict(lines)
    families = by_family((next(b for b in line.runs if b) for line in own.values()), *results)
    biases = [bias for result in results for bias in result.biases]
    steps = span(known(m) for b in biases for m in b.by_intensity.values())
    pooled = [family.estimate for result in results for family in result.families]
    scale = span([*(known(b.effect) for b in biases), *map(known, pooled)])
    return [_view(family, own, steps, scale, k) for k, family in enumerate(families)]


def _view(family: Family, own: dict[str, Line], steps: Scale, scale: Scale, place: int) -> FamilyView:
    lines = [(bias_id, own[bias_id]) for bias_id in family.ids]
    drawn = [line for _, line in lines]
    doses = [dose(line, scale=steps, name=f"d{place}-{k}") for k, line in enumerate(drawn)]
    return FamilyView(
        name=family.name,
        tally=family.tally,
        ids=family.ids,
        lines=lines,
        forest=_forest(family, drawn, scale) if family.name else None,
        pooled=[
            Mark(run=run, found=one.estimate, filled=one.flagged, p=one.q)
            for run, one in enumerate(family.pooled)
            if one
        ],
        doses=small(lines, doses),
        strips_wide=strips(drawn, frame=WIDER, name=f"sw{place}-", label=EVERY),
        strips_narrow=strips(drawn, frame=NARROW, name=f"sn{place}-", label=EVERY),
    )


def _forest(family: Family, drawn: Sequence[Line], scale: Scale) -> ForestTable:
    return ForestTable(
        caption=f"Effects, family {family.name}, with unadjusted 95 % intervals",
        head="Bias",
        scale=scale,
        rows=effect_rows(line.runs for line in drawn),
        p="q",
        says="Flagged",
    )


def forests(lines: Lines) -> dict[str, list[Markup]]:
    """The forest plots of all biases in one, for a list that is short enough."""
    drawn = [line for _, line in lines]
    return {
        "forest_wide": forest(drawn, frame=WIDE, name="fw", label=EFFECTS) if drawn else [],
        "forest_narrow": forest(drawn, frame=NARROW, name="fn", label=EFFECTS) if drawn else [],
    }


def difficulties(lines: Lines) -> list[Small]:
    """The effects by difficulty, of the biases that have strata."""
    biases = [bias for _, line in lines for bias in line.runs if bias]
    scale = span(known(m) for b in biases for m in b.by_stratum.values())
    drawn = [difficulty(line, scale=scale, name=f"s{k}") for k, (_, line) in enumerate(lines)]
    return small(lines, drawn)


def small(lines: Lines, drawn: Sequence[Markup | None]) -> list[Small]:
    """The panels that there is something to draw in."""
    return [
        Small(bias_id, line.name, svg, any(b and b.flagged for b in line.runs))
        for (bias_id, line), svg in zip(lines, drawn, strict=True)
        if svg
    ]
