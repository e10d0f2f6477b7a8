"""Effects along an axis of a protocol: rounds, answers, levels, decisions.

From three places on the intervals are bands along the line; between two places there is nothing to lay a band over, and they
are bars.
"""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
from markupsafe import Markup
from msgspec import Struct

from fiducial.report.inert import clip
from fiducial.report.numbers import counted, interval, known, signed
from fiducial.report.plot import (
    MUTED,
    Frame,
    Row,
    Series,
    assemble,
    effect_axis,
    effect_scale,
    fill,
    shape,
    stroke,
    table,
)
from fiducial.report.protocol_shape import axis_title
from fiducial.report.scale import Scale, within
from fiducial.report.svg import Words, draw
from fiducial.stats.estimate import Measured

WIDE = Frame(left=44, plot=620, right=12, head=0, row=190)
NARROW = Frame(left=40, plot=300, right=12, head=0, row=180)
SMALL = Frame(left=40, plot=206, right=6, head=0, row=130)
TINY = Frame(left=40, plot=118, right=4, head=0, row=130)  # of two places
LETTER = 5.9  # pixels of a letter below the axis, about
LABEL = 16  # letters of a place
APART = 8  # pixels between two bars at one place
BANDED = 3  # places

Axis = tuple[tuple[float, str], ...]


class Trend(Struct, frozen=True):
    """One line: its name, how it looks, and an estimate for each place of the axis."""

    name: str
    series: Series
    found: Sequence[Measured | None]


def trend_chart(
    trends: Sequence[Trend], axis: Axis, *, frame: Frame, scale: Scale, name: str, label: str
) -> Markup:
    """Lines over the places of an axis, with their intervals."""
    words = Words()
    shown, title = axis_title([place for _, place in axis])
    labels = [clip(text, LABEL) for text in shown]
    pad = frame.plot / (2 * len(axis))
    low, high = axis[0][0], axis[-1][0]
    xs = [pad + (at - low) / (high - low) * (frame.plot - 2 * pad) for at, _ in axis]
    rows = [row for k, one in enumerate(trends) for row in _rows(one, (k, len(trends)), axis, xs, scale, words)]
    crowded = max(map(len, labels)) * LETTER > frame.plot / len(axis)
    steps: list[Row] = [
        {"x": x, "y": frame.row + 7 + (13 if crowded and k % 2 else 0), "text": words.token(text)}
        for k, (x, text) in enumerate(zip(xs, labels, strict=True))
    ]
    foot = 26 + (13 if crowded else 0)
    if title:
        steps.append({"x": frame.plot / 2, "y": frame.row + foot - 4, "text": words.token(clip(title, LABEL))})
        foot += 14
    layers = [*_marks(rows, scale, banded=len(axis) >= BANDED), _under(steps)]
    return draw(assemble(layers, frame, frame.row, foot=foot), words, label=label, name=name)


def _rows(
    one: Trend, of: tuple[int, int], axis: Axis, xs: Sequence[float], scale: Scale, words: Words
) -> list[Row]:
    """The points of a line, which is the k-th of so many."""
    place, lines = of
    aside = 0.0 if len(axis) >= BANDED else (place - (lines - 1) / 2) * APART
    rows: list[Row] = []
    for (_, where), x, found in zip(axis, xs, one.found, strict=True):
        e = known(found) if found else None
        if e is None:
            continue
        said = f"{one.name}, {where}: {signed(e.value)} {interval(e.low, e.high)}, {counted(e.n, 'item')}"
        rows.append(
            {
                "line": str(place),
                "x": x + aside,
                "value": within(e.value, scale),
                "low": within(e.low, scale),
                "high": within(e.high, scale),
                "said": words.token(said),
                "colour": one.series.colour,
                "shape": one.series.shape,
            }
        )
    return rows


def _marks(rows: Sequence[Row], scale: Scale, *, banded: bool) -> list[alt.Chart]:
    x = alt.X("x:Q", scale=None, axis=None)
    y = alt.Y("value:Q", scale=effect_scale(scale), axis=effect_axis(scale, small=True))
    line, low, high = alt.Detail("line:N"), alt.Y("low:Q", scale=effect_scale(scale)), alt.Y2("high:Q")
    said = alt.Description("said:N")
    band = table(rows).mark_area(opacity=0.16).encode(x=x, y=low, y2=high, fill=fill("colour"), detail=line)
    bars = table(rows).mark_rule(strokeWidth=1.5, strokeCap="round")
    return [
        table([{"zero": 0}])
        .mark_rule(stroke=MUTED, strokeWidth=1)
        .encode(y=alt.Y("zero:Q", scale=effect_scale(scale))),
        band if banded else bars.encode(x=x, y=low, y2=high, stroke=stroke("colour"), description=said),
        table(rows).mark_line(strokeWidth=1.8).encode(x=x, y=y, stroke=stroke("colour"), detail=line),
        table(rows)
        .mark_point(size=44, stroke=None, opacity=1)
        .encode(x=x, y=y, fill=fill("colour"), shape=shape("shape"), description=said),
    ]


def _under(steps: Sequence[Row]) -> alt.Chart:
    words = table(steps).mark_text(fontSize=10.5, baseline="top", fill=MUTED)
    made: alt.Chart = words.encode(
        x=alt.X("x:Q", scale=None, axis=None), y=alt.Y("y:Q", scale=None, axis=None), text=alt.Text("text:N")
    )
    return made
