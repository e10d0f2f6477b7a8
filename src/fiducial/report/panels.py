"""The small panels of the page: effects by intensity and by difficulty, and accuracy by stated confidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import altair as alt
from markupsafe import Markup

from fiducial.bias.item import INTENSITIES
from fiducial.bias.metrics import ReliabilityBin
from fiducial.report.inert import clip
from fiducial.report.numbers import counted, interval, known, percent, signed
from fiducial.report.plot import (
    MUTED,
    PAPER,
    Frame,
    Line,
    Row,
    Series,
    assemble,
    effect_axis,
    effect_scale,
    fill,
    shape,
    share_axis,
    stroke,
    table,
    x_pixel,
    y_pixel,
)
from fiducial.report.scale import Scale
from fiducial.report.svg import Words, draw
from fiducial.stats.estimate import Measured

Points = Mapping[str, Measured]

SMALL = Frame(left=36, plot=136, right=4, head=0, row=96)
SQUARE = Frame(left=42, plot=196, right=20, head=0, row=200)
FOOT = 40  # pixels below a panel whose axis has a title
SHORT = {"moderate": "mod.", "adversarial": "adv."}
LEAST, MOST = 26.0, 240.0  # area of a dot, in pixels


def dose(line: Line, *, scale: Scale, name: str) -> Markup | None:
    """The effect at each intensity, with intervals; None where fewer than two intensities have one."""
    found = [bias.by_intensity if bias else {} for bias in line.runs]
    seen = dict.fromkeys(i for by in found for i in by)
    names = [i for i in INTENSITIES if i in seen] + [i for i in seen if i not in INTENSITIES]
    if _drawable(found, names) < 2:
        return None
    label = f"{line.name}: effect by intensity. The table that follows has the numbers."
    words = Words()
    layers = _trend(line, found, names, SMALL, scale, words)
    return draw(assemble(layers, SMALL, SMALL.row), words, label=label, name=name)


def difficulty(line: Line, *, scale: Scale, name: str) -> Markup | None:
    """The effect on the questions of each difficulty; None where fewer than two have an estimate."""
    found = [bias.by_stratum if bias else {} for bias in line.runs]
    names = list(dict.fromkeys(stratum for by in found for stratum in by))
    if _drawable(found, names) < 2:
        return None
    label = f"{line.name}: mean confidence minus accuracy by difficulty. The table that follows has the numbers."
    words = Words()
    layers = _trend(line, found, names, SQUARE, scale, words)
    layers.append(below("difficulty, from easiest to hardest"))
    return draw(assemble(layers, SQUARE, SQUARE.row, foot=FOOT), words, label=label, name=name)


def _drawable(found: Sequence[Points], names: Sequence[str]) -> int:
    return sum(any(n in by and known(by[n]) for by in found) for n in names)


def _trend(
    line: Line, found: Sequence[Points], names: Sequence[str], frame: Frame, scale: Scale, words: Words
) -> list[alt.Chart]:
    """Every run's estimates from left to right, side by side where there are several."""
    pitch, runs = frame.plot / len(names), len(found)
    rows: list[Row] = []
    for run, by in enumerate(found):
        for i, step in enumerate(names):
            if step not in by or (e := known(by[step])) is None:
                continue
            said = f"{step}: {signed(e.value)} {interval(e.low, e.high)}, {counted(e.n, 'item')}"
            rows.append(
                {
                    "run": str(run),
                    "x": (i + 0.5) * pitch + (run - (runs - 1) / 2) * min(7, pitch * 0.7 / runs),
                    "value": e.value,
                    "low": e.low,
                    "high": e.high,
                    "said": words.token(said),
                    "colour": line.colour(run),
                    "shape": Series.of(run).shape,
                }
            )
    ticks = [
        {"x": (i + 0.5) * pitch, "text": words.token(clip(SHORT.get(step, step), 7))}
        for i, step in enumerate(names)
    ]
    x = alt.X("x:Q", scale=None, axis=None)
    y = alt.Y("value:Q", scale=effect_scale(scale), axis=effect_axis(scale, small=True))
    return [
        table([{"zero": 0}])
        .mark_rule(stroke=MUTED, strokeWidth=1)
        .encode(y=alt.Y("zero:Q", scale=effect_scale(scale))),
        table(rows)
        .mark_line(strokeWidth=1.2, strokeOpacity=0.55)
        .encode(x=x, y=y, stroke=stroke("colour"), detail=alt.Detail("run:N")),
        table(rows)
        .mark_rule(strokeWidth=1.5, strokeCap="round")
        .encode(
            x=x,
            y=alt.Y("low:Q"),
            y2=alt.Y2("high:Q"),
            stroke=stroke("colour"),
            description=alt.Description("said:N"),
        ),
        table(rows)
        .mark_point(size=30, stroke=None, opacity=1)
        .encode(x=x, y=y, fill=fill("colour"), shape=shape("shape"), description=alt.Description("said:N")),
        table(ticks)
        .mark_text(fontSize=10.5, baseline="top", fill=MUTED)
        .encode(x=x, y=y_pixel(frame.row + 7), text=alt.Text("text:N")),
    ]


def below(text: str) -> alt.Chart:
    """The title of a horizontal axis."""
    title = table([{"text": text}]).mark_text(fontSize=10.5, baseline="top", fill=MUTED)
    made: alt.Chart = title.encode(x=x_pixel(SQUARE.plot / 2), y=y_pixel(SQUARE.row + 24), text=alt.Text("text:N"))
    return made


def corner(text: str, x: float, y: float) -> alt.Chart:
    """What it means to lie there."""
    side: Literal["left", "right"] = "left" if x < SQUARE.plot / 2 else "right"
    words = table([{"text": text}]).mark_text(fontSize=10.5, fill=MUTED, stroke=PAPER, strokeWidth=4, align=side)
    made: alt.Chart = words.encode(x=x_pixel(x), y=y_pixel(y), text=alt.Text("text:N"))
    return made


def reliability(bins: Sequence[ReliabilityBin], run: int, *, name: str, label: str) -> Markup:
    """Accuracy against stated confidence: the dashed line is perfect, a dot's area the number of answers."""
    words = Words()
    most = max(one.n for one in bins)
    look = Series.of(run)
    rows: list[Row] = [
        {
            "x": one.confidence,
            "value": e.value,
            "low": e.low,
            "high": e.high,
            "size": LEAST + (MOST - LEAST) * one.n / most,
            "said": words.token(told(one)),
        }
        for one in bins
        if (e := known(one.accuracy))
    ]
    scale = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X("x:Q", scale=scale, axis=share_axis())
    y = alt.Y("value:Q", scale=scale, axis=share_axis())
    edges = [{"x": 0, "value": 0, "x2": 1, "y2": 1}]
    layers = [
        table(edges)
        .mark_rule(stroke=MUTED, strokeWidth=1, strokeDash=[4, 3])
        .encode(x=x, y=y, x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q")),
        corner("overconfident", SQUARE.plot - 3, SQUARE.row - 8),
        corner("underconfident", 4, 8),
        table(rows)
        .mark_rule(strokeWidth=1.5, strokeCap="round", stroke=look.colour)
        .encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), description=alt.Description("said:N")),
        table(rows)
        .mark_point(fill=look.colour, stroke=PAPER, strokeWidth=1, opacity=1, shape=look.shape)
        .encode(x=x, y=y, size=alt.Size("size:Q", scale=None), description=alt.Description("said:N")),
        below("stated confidence"),
    ]
    return draw(assemble(layers, SQUARE, SQUARE.row, foot=FOOT), words, label=label, name=name)


def told(one: ReliabilityBin) -> str:
    """A bin in words."""
    e = one.accuracy
    ends = f"[{percent(e.low)}, {percent(e.high)}]"
    return (
        f"stated {percent(one.confidence)} on average, right {percent(e.value)} {ends}, "
        f"{counted(e.n, 'question')}, {counted(one.n, 'reply', 'replies')}"
    )
