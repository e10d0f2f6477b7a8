"""The charts of the page: a forest plot, dose–response, and every item as a dot.

All positions are given in pixels, so nothing depends on how wide the engine believes a letter to be. Colour is
never alone: a flagged effect is also a filled mark and a heavier line, and each run also has a shape of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import altair as alt
from markupsafe import Markup
from msgspec import Struct

from gnomon.bias.item import INTENSITIES
from gnomon.bias.result import BiasResult, Effect
from gnomon.report.inert import clip
from gnomon.report.numbers import interval, known, plain, signed, why_not
from gnomon.report.svg import Words, draw
from gnomon.stats.estimate import Estimate

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
AT_ONCE = 24  # rows in one drawing: it has to fit on a printed page
SHORT = {"moderate": "mod.", "adversarial": "adv."}


class Series(Struct, frozen=True):
    """How a run is drawn, in every chart and in the legend."""

    colour: str
    shape: str

    @classmethod
    def of(cls, run: int) -> Series:
        """Six colours with six shapes; beyond that the pairs change, never both the same."""
        n = len(SHAPES)
        return cls(f"var(--s{run % n + 1})", SHAPES[(run + run // n) % n])


class Line(Struct, frozen=True):
    """One bias in every run; None where a run does not have it."""

    name: str
    runs: tuple[BiasResult | None, ...]


class Frame(Struct, frozen=True):
    """Where things stand, in pixels. Narrow: the name stands above its row, and the numbers are left to the table."""

    left: int
    plot: int
    right: int
    head: int  # height of the name, where it stands above
    row: int

    @property
    def narrow(self) -> bool:
        """Whether the name stands above its row."""
        return self.head > 0


WIDE = Frame(left=218, plot=430, right=184, head=0, row=30)
NARROW = Frame(left=10, plot=330, right=10, head=20, row=24)


def forest(lines: Sequence[Line], *, frame: Frame, name: str, label: str) -> list[Markup]:
    """Effects with their 95 % intervals, one drawing for every two dozen rows, all on the same scale."""
    found = (known(bias.effect) for line in lines for bias in line.runs if bias)
    scale = span(found)
    return [
        draw(*_forest(part, frame, scale), label=label, name=f"{name}{i}") for i, part in enumerate(_parts(lines))
    ]


def strips(lines: Sequence[Line], *, frame: Frame, name: str, label: str) -> list[Markup]:
    """Every item a dot, the effect of the bias a tick."""
    lines = [line for line in lines if any(bias and _values(bias) for bias in line.runs)]
    return [draw(*_strips(part, frame), label=label, name=f"{name}{i}") for i, part in enumerate(_parts(lines))]


def dose(line: Line, *, scale: tuple[float, float], name: str) -> Markup | None:
    """The effect at each intensity, with intervals; None where fewer than two intensities have one."""
    names = [i for i in INTENSITIES if any(bias and i in bias.by_intensity for bias in line.runs)]
    names += sorted({i for bias in line.runs if bias for i in bias.by_intensity} - set(names))
    seen = [i for i in names if any(bias and i in bias.by_intensity and known(bias.by_intensity[i]) for bias in line.runs)]
    if len(seen) < 2:
        return None
    return draw(*_dose(line, names, scale), label=f"{line.name}: effect by intensity. The table below has the numbers.", name=name)


def span(found: Iterable[Estimate | Effect | None]) -> tuple[float, float]:
    """A scale that holds every interval and zero, with room on both sides; never beyond the full scale."""
    ends = [end for e in found if e is not None for end in (e.low, e.high)]
    low = math.floor(min([-0.15, *ends]) * 10 - 0.2) / 10
    high = math.ceil(max([0.35, *ends]) * 10 + 0.2) / 10
    return max(-1.0, low), min(1.0, high)


def _parts(lines: Sequence[Line]) -> list[Sequence[Line]]:
    n = math.ceil(len(lines) / AT_ONCE)
    size = math.ceil(len(lines) / n) if n else 1
    return [lines[i : i + size] for i in range(0, len(lines), size)]


def _forest(lines: Sequence[Line], frame: Frame, scale: tuple[float, float]) -> tuple[alt.LayerChart, Words]:
    words = Words()
    marks: list[Row] = []
    notes: list[Row] = []
    names: list[Row] = []
    rules: list[Row] = []
    several = len(lines[0].runs) > 1
    step = 15 if several else 0
    height = frame.head + frame.row + step * (len(lines[0].runs) - 1)
    for i, line in enumerate(lines):
        top = i * height + frame.head
        middle = top + (height - frame.head) / 2
        names.append({"y": top - 2 if frame.narrow else middle, "text": words.token(clip(line.name, 30))})
        rules.append({"y": (i + 1) * height})
        for run, bias in enumerate(line.runs):
            y = top + frame.row / 2 + run * step
            effect = known(bias.effect) if bias else None
            if bias and effect:
                series = Series.of(run)
                colour = series.colour if several or not bias.flagged else FLAG
                text = f"{signed(effect.value)} {interval(effect.low, effect.high)}"
                said = f"{line.name}: {text}, {effect.n} items{', flagged' if bias.flagged else ''}"
                marks.append(
                    {"y": y, "value": effect.value, "low": effect.low, "high": effect.high, "colour": colour,
                     "fill": colour if bias.flagged else PAPER, "shape": series.shape,
                     "width": 2.5 if bias.flagged else 1.5, "said": words.token(said), "text": words.token(text),
                     "weight": 600 if bias.flagged else 400, "tone": INK if bias.flagged else MUTED}
                )  # fmt: skip
            else:
                why = f"withheld: {why_not(bias.effect)}" if bias else "not in this run"
                notes.append({"y": y, "text": words.token(clip(why, 46 if frame.narrow else 78))})
    x = alt.X("value:Q", scale=_fixed(scale), axis=_axis(scale))
    y = _y()
    charts = [
        _table(rules[:-1]).mark_rule(stroke=LINE, strokeWidth=1).encode(y=y, x=alt.value(-frame.left), x2=alt.value(frame.plot + frame.right)),
        _zero(),
        _table(marks).mark_rule(strokeCap="round").encode(
            x=alt.X("low:Q", scale=_fixed(scale), axis=_axis(scale)), x2="high:Q", y=y, stroke=_raw("colour"),
            strokeWidth=alt.StrokeWidth("width:Q", scale=None), description="said:N",
        ),
        _table(marks).mark_point(size=78, strokeWidth=1.8, opacity=1).encode(
            x=x, y=y, stroke=_raw("colour"), fill=alt.Fill("fill:N", scale=None), shape=alt.Shape("shape:N", scale=None),
            description="said:N",
        ),
        _labels(names, frame),
        _table(notes).mark_text(align="left", fontSize=12, fontStyle="italic", fill=MUTED, baseline="middle").encode(x=alt.value(4), y=y, text="text:N"),
    ]  # fmt: skip
    if not frame.narrow:
        charts.append(
            _table(marks).mark_text(align="left", fontSize=12.5, baseline="middle").encode(
                x=alt.value(frame.plot + 22), y=y, text="text:N", fill=alt.Fill("tone:N", scale=None),
            )
        )  # fmt: skip
    return _chart(charts, frame, height * len(lines)), words


def _strips(lines: Sequence[Line], frame: Frame) -> tuple[alt.LayerChart, Words]:
    words = Words()
    dots: list[Row] = []
    means: list[Row] = []
    names: list[Row] = []
    rules: list[Row] = []
    band = frame.row + 6
    several = len(lines[0].runs) > 1
    height = frame.head + band * len(lines[0].runs)
    for i, line in enumerate(lines):
        top = i * height + frame.head
        names.append({"y": top - 2 if frame.narrow else top + (height - frame.head) / 2, "text": words.token(clip(line.name, 30))})
        rules.append({"y": (i + 1) * height})
        for run, bias in enumerate(line.runs):
            if bias is None:
                continue
            middle = top + band / 2 + run * band
            series = Series.of(run)
            colour = series.colour if several or not bias.flagged else FLAG
            values = _values(bias)
            for (item, value), offset in zip(values, _spread([v for _, v in values], band - 8), strict=True):
                said = words.token(f"{item}: {signed(value)}")
                dots.append({"x": value, "y": middle + offset, "colour": colour, "shape": series.shape, "said": said})
            if effect := known(bias.effect):
                said = words.token(f"{line.name}: mean {signed(effect.value)}")
                means.append({"x": effect.value, "y": middle - band / 2 + 4, "end": middle + band / 2 - 4, "said": said})
    scale = (-1.0, 1.0)
    x, y = alt.X("x:Q", scale=_fixed(scale), axis=_axis(scale)), _y()
    charts = [
        _table(rules[:-1]).mark_rule(stroke=LINE, strokeWidth=1).encode(y=y, x=alt.value(-frame.left), x2=alt.value(frame.plot + frame.right)),
        _zero(),
        _table(dots).mark_point(size=34, strokeWidth=0.8, stroke=PAPER, opacity=1, fillOpacity=0.72).encode(
            x=x, y=y, fill=alt.Fill("colour:N", scale=None), shape=alt.Shape("shape:N", scale=None), description="said:N",
        ),
        _table(means).mark_rule(stroke=INK, strokeWidth=2, strokeCap="round").encode(x=x, y=y, y2="end:Q", description="said:N"),
        _labels(names, frame),
    ]  # fmt: skip
    return _chart(charts, frame, height * len(lines)), words


def _dose(line: Line, names: Sequence[str], scale: tuple[float, float]) -> tuple[alt.LayerChart, Words]:
    words = Words()
    width, height, runs = 136, 96, len(line.runs)
    pitch = width / len(names)
    rows: list[Row] = []
    for run, bias in enumerate(line.runs):
        series = Series.of(run)
        colour = series.colour if runs > 1 or not (bias and bias.flagged) else FLAG
        for i, intensity in enumerate(names):
            measured = bias.by_intensity.get(intensity) if bias else None
            if measured is None or (e := known(measured)) is None:
                continue
            said = words.token(f"{intensity}: {signed(e.value)} {interval(e.low, e.high)}, {e.n} items")
            x = (i + 0.5) * pitch + (run - (runs - 1) / 2) * min(7, pitch * 0.7 / runs)
            rows.append({"run": str(run), "x": x, "value": e.value, "low": e.low, "high": e.high, "said": said,
                         "colour": colour, "shape": series.shape})  # fmt: skip
    ticks = [
        {"x": (i + 0.5) * pitch, "text": words.token(clip(SHORT.get(intensity, intensity), 7))}
        for i, intensity in enumerate(names)
    ]
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, width], range=[0, width], nice=False), axis=None)
    y = alt.Y("value:Q", scale=_fixed(scale), axis=_axis(scale, few=True))
    charts = [
        _table([{"zero": 0}]).mark_rule(stroke=MUTED, strokeWidth=1).encode(y=alt.Y("zero:Q", scale=_fixed(scale))),
        _table(rows).mark_line(strokeWidth=1.2, strokeOpacity=0.55).encode(x=x, y=y, stroke=_raw("colour"), detail="run:N"),
        _table(rows).mark_rule(strokeWidth=1.5, strokeCap="round").encode(
            x=x, y=alt.Y("low:Q", scale=_fixed(scale)), y2="high:Q", stroke=_raw("colour"), description="said:N",
        ),
        _table(rows).mark_point(size=34, strokeWidth=1, stroke=PAPER, opacity=1).encode(
            x=x, y=y, fill=alt.Fill("colour:N", scale=None), shape=alt.Shape("shape:N", scale=None), description="said:N",
        ),
        _table(ticks).mark_text(fontSize=10.5, baseline="top", fill=MUTED).encode(x=x, y=alt.value(height + 7), text="text:N"),
    ]  # fmt: skip
    frame = Frame(left=36, plot=width, right=4, head=0, row=0)
    return _chart(charts, frame, height), words


def _chart(charts: list[alt.Chart], frame: Frame, height: float) -> alt.LayerChart:
    chart = alt.layer(
        *charts,
        width=frame.plot,
        height=height,
        autosize="none",
        padding={"left": frame.left, "right": frame.right, "top": 6, "bottom": 26},
        background=None,
    )
    return chart.configure_view(stroke=None, fill=None)


def _table(rows: Sequence[Row]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=list(rows)))


def _raw(field: str) -> alt.Stroke:
    """A colour as the data give it."""
    return alt.Stroke(f"{field}:N", scale=None)


def _y() -> alt.Y:
    """Pixels from the top."""
    return alt.Y("y:Q", scale=None, axis=None)


def _fixed(scale: tuple[float, float]) -> alt.Scale:
    return alt.Scale(domain=list(scale), nice=False, zero=False)


def _zero() -> alt.Chart:
    return _table([{"value": 0}]).mark_rule(stroke=MUTED, strokeWidth=1).encode(x="value:Q")


def _labels(names: Sequence[Row], frame: Frame) -> alt.Chart:
    """The names of the rows: beside them, or above where there is no room."""
    side = alt.value(0 if frame.narrow else -frame.left)
    mark = _table(names).mark_text(align="left", fontSize=13, baseline="alphabetic" if frame.narrow else "middle", fill=INK)
    return mark.encode(x=side, y=_y(), text="text:N")


def _axis(scale: tuple[float, float], *, few: bool = False) -> alt.Axis:
    width = scale[1] - scale[0]
    step = next(s for s in (0.1, 0.2, 0.5) if width / s <= (4 if few else 9) or s == 0.5)
    ticks = [round(k * step, 1) for k in range(math.ceil(scale[0] / step - 1e-9), math.floor(scale[1] / step + 1e-9) + 1)]
    return alt.Axis(
        values=ticks,
        labelExpr="datum.value == 0 ? '0' : format(datum.value, '+.1f')",
        title=None,
        domain=False,
        ticks=False,
        gridColor=LINE,
        gridOpacity=0.7,
        labelColor=MUTED,
        labelFontSize=10.5 if few else 11.5,
        labelPadding=6,
        labelFlush=False,
    )


def _values(bias: BiasResult) -> list[tuple[str, float]]:
    """The items that have an effect, smallest first."""
    seen = [(item.id, item.value) for item in bias.items if item.value is not None and math.isfinite(item.value)]
    return sorted(seen, key=lambda pair: pair[1])


def _spread(values: Sequence[float], height: float) -> list[float]:
    """Offsets that keep equal values apart: those that fall together are stacked around the middle."""
    groups: dict[int, int] = {}
    places = []
    for value in values:
        key = round(value / 0.035)
        places.append((key, groups.get(key, 0)))
        groups[key] = places[-1][1] + 1
    offsets = []
    for key, place in places:
        pitch = min(5.5, height / max(1, groups[key] - 1))
        offsets.append((place - (groups[key] - 1) / 2) * pitch)
    return offsets


__all__ = ["NARROW", "WIDE", "Line", "Series", "dose", "forest", "plain", "span", "strips"]
