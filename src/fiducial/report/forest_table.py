"""A forest plot that is a table: every row has its name, its interval as a drawing, and the same as numbers.

One such table serves every width of page, and is read aloud like any other; the drawings in it are small enough that a
template makes them, from places in percent (`forest.html`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from fiducial.bias.result import BiasResult, Effect
from fiducial.report.families import exploratory
from fiducial.report.inert import clip
from fiducial.report.numbers import known
from fiducial.report.plot import FLAG, PAPER, Series
from fiducial.report.scale import Scale, place, ticks
from fiducial.report.words import brief, remark
from fiducial.stats.estimate import Measured

NAME = 90  # letters
MOST = 5.5  # ticks of an axis, about


class Mark(Struct, frozen=True, kw_only=True):
    """One interval of a row. `says` stands in the last column, `why` is its tooltip; `pooled` is the same effect drawn
    toward its family."""

    run: int
    found: Measured | Effect
    filled: bool
    p: float | None = None
    says: str = ""
    why: str = ""
    pooled: Measured | None = None


class ForestRow(Struct, frozen=True, kw_only=True):
    """A row, with one mark a run that has it. `tag` is a remark under its name, `about` its tooltip."""

    name: str
    marks: list[Mark]
    tag: str = ""
    about: str = ""
    link: str = ""
    signed: bool = True


class ForestTable(Struct, frozen=True, kw_only=True):
    """`p` is the heading of the column with probabilities, `says` that of the last one; empty: no such column."""

    caption: str
    head: str
    scale: Scale
    rows: list[ForestRow]
    p: str = ""
    says: str = ""


class Look(Struct, frozen=True):
    """How a mark is drawn."""

    colour: str
    fill: str
    shape: str


def look(run: int, *, filled: bool, alone: bool, flag: bool) -> Look:
    """In the colour of the run; where a run is alone, what is flagged has the colour for it."""
    series = Series.of(run)
    colour = FLAG if alone and flag and filled else series.colour
    return Look(colour, colour if filled else PAPER, series.shape)


def at(value: float, scale: Scale) -> str:
    """The place of a value as CSS and SVG want it."""
    return f"{100 * place(value, scale):.2f}%"


def tick_places(scale: Scale) -> list[tuple[str, str]]:
    """Places and labels of an axis."""
    return [(at(x, scale), "0" if x == 0 else f"{x:+.1f}".replace("-", "−")) for x in ticks(scale, most=MOST)]


def effect_rows(biases: Iterable[Sequence[BiasResult | None]]) -> list[ForestRow]:
    """The effects of biases, each with the runs that have it."""
    rows = []
    for runs in biases:
        one = next(bias for bias in runs if bias)
        rows.append(
            ForestRow(
                name=clip(one.name, NAME),
                tag="exploratory" if exploratory(one) else "" if one.tier == "core" else clip(one.tier, 20),
                about=clip(one.about, 400),
                marks=[_effect(run, bias) for run, bias in enumerate(runs) if bias],
            )
        )
    return rows


def _effect(run: int, bias: BiasResult) -> Mark:
    effect = known(bias.effect)
    q = effect.q if isinstance(effect, Effect) else None
    return Mark(
        pooled=bias.pooled,
        run=run,
        found=bias.effect,
        filled=bias.flagged,
        p=q,
        says=brief(bias),
        why=clip(remark(bias), 200),
    )
