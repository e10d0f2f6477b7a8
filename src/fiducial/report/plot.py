"""What the charts share: places in pixels, the scale of effects, colours and shapes.

All positions are given in pixels, so nothing depends on how wide the engine believes a letter to be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import altair as alt
from msgspec import Struct

from fiducial.bias.result import BiasResult
from fiducial.report.inert import clip
from fiducial.report.scale import Scale, ticks
from fiducial.report.svg import Words

Row = dict[str, Any]

INK, MUTED, LINE, PAPER, FLAG = "var(--ink)", "var(--muted)", "var(--line)", "var(--paper)", "var(--flag)"
SHAPES = (
    "M1,0A1,1,0,1,1,-1,0A1,1,0,1,1,1,0Z",  # circle
    "M-.9,-.9H.9V.9H-.9Z",  # square
    "M0,-1.2L1.1,.9H-1.1Z",  # triangle
    "M0,-1.3L1.1,0L0,1.3L-1.1,0Z",  # diamond
    "M-1.1,-.9H1.1L0,1.2Z",  # triangle, point down
    "M-.4,-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z",  # cross
)
TALL = 960  # pixels of one drawing: it has to fit on a printed page
NAME = 30  # letters of a bias's name


class Series(Struct, frozen=True):
    """How a run is drawn, in every chart and in the legend."""

    colour: str
    shape: str

    @classmethod
    def of(cls, run: int) -> Series:
        """Six colours with six shapes; beyond that they are paired anew."""
        n = len(SHAPES)
        return cls(f"var(--s{run % n + 1})", SHAPES[(run + run // n) % n])


class Line(Struct, frozen=True):
    """One bias in every run; None where a run does not have it."""

    name: str
    runs: tuple[BiasResult | None, ...]

    def colour(self, run: int) -> str:
        """Of the run where there are several; with one run, the flagged stand out."""
        bias = self.runs[run]
        return FLAG if len(self.runs) == 1 and bias and bias.flagged else Series.of(run).colour


class Frame(Struct, frozen=True):
    """Where things stand, in pixels. `head` is the height of the name where it stands above its row."""

    left: int
    plot: int
    right: int
    head: int
    row: int

    @property
    def narrow(self) -> bool:
        """Whether the name stands above its row, and numbers are left to the table."""
        return self.head > 0


def parts(lines: Sequence[Line], height: int) -> list[Sequence[Line]]:
    """Nearly equal groups of rows of this height, each small enough for one drawing."""
    most = max(1, TALL // height)
    n = math.ceil(len(lines) / most)
    size = math.ceil(len(lines) / n) if n else 1
    return [lines[i : i + size] for i in range(0, len(lines), size)]


def table(rows: Sequence[Row]) -> alt.Chart:
    """A chart of some rows of data."""
    return alt.Chart(alt.InlineData(values=list(rows)))


def x_effect(field: str, scale: Scale) -> alt.X:
    """An effect along the horizontal axis."""
    return alt.X(f"{field}:Q", scale=effect_scale(scale), axis=effect_axis(scale))


# Channels by their names: what `alt.value` gives is looked up in the whole schema, 8 ms each.
def x_pixel(at: float) -> alt.XValue:
    """A place from the left, for every mark of a layer."""
    return alt.XValue(at)  # type: ignore[no-untyped-call]


def x2_pixel(at: float) -> alt.X2Value:
    """The other end of a mark, as a place from the left."""
    return alt.X2Value(at)  # type: ignore[no-untyped-call]


def y_pixel(at: float) -> alt.YValue:
    """A place from the top, for every mark of a layer."""
    return alt.YValue(at)  # type: ignore[no-untyped-call]


def y_pixels() -> alt.Y:
    """Pixels from the top."""
    return alt.Y("y:Q", scale=None, axis=None)


def fill(field: str) -> alt.Fill:
    """A colour as the data give it."""
    return alt.Fill(f"{field}:N", scale=None)


def stroke(field: str) -> alt.Stroke:
    """A colour as the data give it."""
    return alt.Stroke(f"{field}:N", scale=None)


def shape(field: str) -> alt.Shape:
    """An outline as the data give it."""
    return alt.Shape(f"{field}:N", scale=None)


def effect_scale(scale: Scale) -> alt.Scale:
    """Exactly from here to there."""
    return alt.Scale(domain=list(scale), nice=False, zero=False)


def effect_axis(scale: Scale, *, small: bool = False) -> alt.Axis:
    """Few, round ticks, with signs."""
    places = ticks(scale, most=5.5 if small else 9)
    return _axis(places, "datum.value == 0 ? '0' : format(datum.value, '+.1f')", small=small)


def share_axis() -> alt.Axis:
    """Shares from 0 to 1, as percentages."""
    return _axis([0, 0.2, 0.4, 0.6, 0.8, 1], "format(datum.value * 100, 'd') + ' %'", small=True)


def _axis(places: Sequence[float], label: str, *, small: bool) -> alt.Axis:
    return alt.Axis(
        values=list(places),
        tickCount=len(places),  # else the engine thins them out, and may drop the zero
        labelExpr=label,
        title=None,
        domain=False,
        ticks=False,
        gridColor=LINE,
        gridOpacity=0.7,
        labelColor=MUTED,
        labelFontSize=10.5 if small else 11.5,
        labelPadding=6,
        labelFlush=False,
        labelOverlap=False,
    )


def rows_of(lines: Sequence[Line], frame: Frame, height: float, words: Words) -> list[alt.Chart]:
    """The ground of a chart with one row a bias: thin lines between rows, the line at zero, and the names."""
    between = [{"y": i * height} for i in range(1, len(lines))]
    names = []
    for i, line in enumerate(lines):
        y = i * height + (frame.head - 2 if frame.narrow else height / 2)
        names.append({"y": y, "text": words.token(clip(line.name, NAME))})
    edge = {"x": x_pixel(-frame.left), "x2": x2_pixel(frame.plot + frame.right)}
    # The names have an outline in the colour of the paper, painted first: grid lines stop short of the letters.
    text = table(names).mark_text(
        align="left",
        baseline="alphabetic" if frame.narrow else "middle",
        fontSize=13,
        fill=INK,
        stroke=PAPER,
        strokeWidth=4,
    )
    return [
        table(between).mark_rule(stroke=LINE, strokeWidth=1).encode(y=y_pixels(), **edge),
        table([{"value": 0}]).mark_rule(stroke=MUTED, strokeWidth=1).encode(x=alt.X("value:Q")),
        text.encode(x=x_pixel(1 - frame.left), y=y_pixels(), text=alt.Text("text:N")),
    ]


def assemble(charts: Sequence[alt.Chart], frame: Frame, height: float, *, foot: int = 26) -> alt.LayerChart:
    """Layers, the first at the bottom, in a frame of fixed size. `foot` is the room for what stands below it."""
    chart = alt.layer(
        *charts,
        width=frame.plot,
        height=height,
        autosize="none",
        padding={"left": frame.left, "right": frame.right, "top": 6, "bottom": foot},
        background="transparent",
    )
    # `layer` gives a facet only where one of the layers is one.
    return cast("alt.LayerChart", chart.configure_view(stroke=None, fill=None))
