"""The wide charts of the page: a forest plot, and every item as a dot.

Colour is never alone: a flagged effect is also a filled mark and a heavier line, and each run also has a shape
of its own. A row without an estimate says so in words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import altair as alt
from markupsafe import Markup

from fiducial.bias.result import BiasResult
from fiducial.report.inert import clip
from fiducial.report.numbers import counted, interval, known, signed, why_not
from fiducial.report.plot import (
    INK,
    MUTED,
    PAPER,
    Frame,
    Line,
    Row,
    Series,
    assemble,
    fill,
    parts,
    rows_of,
    shape,
    stroke,
    table,
    x_effect,
    x_pixel,
    y_pixels,
)
from fiducial.report.scale import FULL, Scale, span
from fiducial.report.svg import Words, draw

WIDE = Frame(left=218, plot=430, right=184, head=0, row=30)  # the numbers stand at the right
WIDER = Frame(left=218, plot=590, right=24, head=0, row=30)  # no numbers
NARROW = Frame(left=16, plot=318, right=18, head=20, row=24)

BESIDE = 15  # pixels between two runs of a row
BAND = 40  # pixels of a strip of dots
BANDS = 26  # the same where several stand above each other
DOT = 5.8  # pixels from dot to dot
EQUAL = 0.035  # effects closer than this share a stack
COLUMNS = 4  # of a stack; more would look like a spread of values


def forest(lines: Sequence[Line], *, frame: Frame, name: str, label: str) -> list[Markup]:
    """Effects with their 95 % intervals; as many drawings as a printed page needs, all on one scale."""
    scale = span(known(bias.effect) for line in lines for bias in line.runs if bias)
    height = frame.head + frame.row + BESIDE * (len(lines[0].runs) - 1)
    return [
        draw(*_forest(part, frame, height, scale), label=label, name=f"{name}{i}")
        for i, part in enumerate(parts(lines, height))
    ]


def strips(lines: Sequence[Line], *, frame: Frame, name: str, label: str) -> list[Markup]:
    """Every item a dot, the mean an upright line; biases without any item effect are left out."""
    shown = [line for line in lines if any(bias and _values(bias) for bias in line.runs)]
    runs = len(lines[0].runs) if lines else 1
    band = BAND if runs == 1 else BANDS
    return [
        draw(*_strips(part, frame, band), label=label, name=f"{name}{i}")
        for i, part in enumerate(parts(shown, frame.head + band * runs))
    ]


def _forest(lines: Sequence[Line], frame: Frame, height: int, scale: Scale) -> tuple[alt.LayerChart, Words]:
    words = Words()
    marks: list[Row] = []
    notes: list[Row] = []
    for i, line in enumerate(lines):
        for run, bias in enumerate(line.runs):
            y = i * height + frame.head + frame.row / 2 + run * BESIDE
            if bias and known(bias.effect):
                marks.append({"y": y, **_mark(line, run, bias, words)})
            else:
                why = f"withheld: {why_not(bias.effect)}" if bias else "not in this run"
                notes.append({"y": y, "text": words.token(clip(why, 46 if frame.narrow else 76))})
    y_at = y_pixels()
    layers = [
        *rows_of(lines, frame, height, words),
        table(marks)
        .mark_rule(strokeCap="round")
        .encode(
            x=x_effect("low", scale),
            x2=alt.X2("high:Q"),
            y=y_at,
            stroke=stroke("colour"),
            strokeWidth=alt.StrokeWidth("width:Q", scale=None),
            description=alt.Description("said:N"),
        ),
        table(marks)
        .mark_point(size=78, strokeWidth=1.8, opacity=1)
        .encode(
            x=x_effect("value", scale),
            y=y_at,
            stroke=stroke("colour"),
            fill=fill("fill"),
            shape=shape("shape"),
            description=alt.Description("said:N"),
        ),
        table(notes)
        .mark_text(
            align="left",
            baseline="middle",
            fontSize=12,
            fontStyle="italic",
            fill=MUTED,
            stroke=PAPER,
            strokeWidth=6,
        )
        .encode(x=x_pixel(1 - frame.left if frame.narrow else 4), y=y_at, text=alt.Text("text:N")),
    ]
    if not frame.narrow:
        numbers = table(marks).mark_text(align="left", baseline="middle", fontSize=12.5)
        layers.append(
            numbers.encode(x=x_pixel(frame.plot + 22), y=y_at, text=alt.Text("text:N"), fill=fill("tone"))
        )
    return assemble(layers, frame, height * len(lines)), words


def _mark(line: Line, run: int, bias: BiasResult, words: Words) -> Row:
    effect = known(bias.effect)
    assert effect is not None, "asked for only where there is one"
    text = f"{signed(effect.value)} {interval(effect.low, effect.high)}"
    said = f"{line.name}: {text}, {counted(effect.n, 'item')}{', flagged' if bias.flagged else ''}"
    colour = line.colour(run)
    return {
        "value": effect.value,
        "low": effect.low,
        "high": effect.high,
        "colour": colour,
        "fill": colour if bias.flagged else PAPER,
        "shape": Series.of(run).shape,
        "width": 2.5 if bias.flagged else 1.5,
        "tone": INK if bias.flagged else MUTED,
        "text": words.token(text),
        "said": words.token(said),
    }


def _strips(lines: Sequence[Line], frame: Frame, band: int) -> tuple[alt.LayerChart, Words]:
    words = Words()
    height = frame.head + band * len(lines[0].runs)
    dots: list[Row] = []
    means: list[Row] = []
    for i, line in enumerate(lines):
        for run, bias in enumerate(line.runs):
            if bias is None:
                continue
            top = i * height + frame.head + run * band
            look = {"colour": line.colour(run), "shape": Series.of(run).shape}
            values = _values(bias)
            for (item, value), (right, down, size) in zip(values, _stacked(values, band - 6), strict=True):
                x = value + right * (FULL[1] - FULL[0]) / frame.plot
                said = words.token(f"{item}: {signed(value)}")
                dots.append({"x": x, "y": top + band / 2 + down, "size": size, "said": said, **look})
            if effect := known(bias.effect):
                said = words.token(f"{line.name}: mean {signed(effect.value)}")
                means.append({"x": effect.value, "y": top + 3, "end": top + band - 3, "said": said})
    layers = [
        *rows_of(lines, frame, height, words),
        table(means)
        .mark_rule(stroke=INK, strokeWidth=2, strokeCap="round")
        .encode(x=x_effect("x", FULL), y=y_pixels(), y2=alt.Y2("end:Q"), description=alt.Description("said:N")),
        table(dots)
        .mark_point(stroke=None, opacity=0.85)
        .encode(
            x=x_effect("x", FULL),
            y=y_pixels(),
            fill=fill("colour"),
            shape=shape("shape"),
            size=alt.Size("size:Q", scale=None),
            description=alt.Description("said:N"),
        ),
    ]
    return assemble(layers, frame, height * len(lines)), words


def _values(bias: BiasResult) -> list[tuple[str, float]]:
    """The items that have an effect, smallest first."""
    seen = [(item.id, item.value) for item in bias.items if item.value is not None and math.isfinite(item.value)]
    return sorted(seen, key=lambda pair: pair[1])


def _stacked(values: Sequence[tuple[str, float]], height: float) -> list[tuple[float, float, float]]:
    """Right, down and size of each dot, so that equal values can be counted: a stack around the middle, several
    columns wide where one would be too high, and of smaller dots where even that is not enough."""
    keys = [round(value / EQUAL) for _, value in values]
    total = Counter(keys)
    placed: Counter[int] = Counter()
    places = []
    for key in keys:
        columns = min(COLUMNS, math.ceil(total[key] / (height // DOT)))
        rows = math.ceil(total[key] / columns)
        pitch = min(DOT, height / rows)
        column, row = divmod(placed[key], rows)
        placed[key] += 1
        places.append(
            ((column - (columns - 1) / 2) * pitch, (row - (rows - 1) / 2) * pitch, max(2.0, pitch * 0.94) ** 2)
        )
    return places
