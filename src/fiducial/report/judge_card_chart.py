"""Intervals of shares, one below the other: how often a judge is right, and a figure beside its correction."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import altair as alt
from markupsafe import Markup
from msgspec import Struct

from fiducial.judge.applied import Applied
from fiducial.report.inert import clip
from fiducial.report.judge_card_effect import Figure, corrected, share_of
from fiducial.report.judge_card_words import ends
from fiducial.report.numbers import count, counted
from fiducial.report.plot import (
    INK,
    LINE,
    MUTED,
    NAME,
    PAPER,
    TALL,
    Frame,
    Row,
    Series,
    assemble,
    fill,
    shape,
    share_axis,
    stroke,
    table,
    x2_pixel,
    x_pixel,
    y_pixels,
)
from fiducial.report.svg import Words, draw
from fiducial.stats.estimate import Estimate

WIDE = Frame(left=196, plot=392, right=198, head=0, row=20)
NARROW = Frame(left=16, plot=318, right=18, head=22, row=18)
SHARES = alt.Scale(domain=[0, 1], nice=False)
ABOVE = 15  # pixels from the top of a group to its first interval
UNDER = 12  # and from its name, where that stands above
BELOW = 13
ROOM = 6  # more, below dots
DOWN = 9  # pixels from the first interval down to the dots
LABEL = 60
DOTTED = 6  # pixels that the dots push the second interval down


class Mark(Struct, frozen=True, kw_only=True):
    """One interval. `text` stands at its right, or in its place where there is none."""

    found: Estimate | None
    text: str
    colour: str
    shape: str
    label: str = ""  # at the left, below the name of the group
    said: str = ""
    hollow: bool = False
    dashed: bool = False  # a range: no point of it is marked


class Dot(Struct, frozen=True):
    """A part of what the first interval is about."""

    value: float
    size: float
    said: str


class Group(Struct, frozen=True, kw_only=True):
    """Intervals that belong together under one name."""

    name: str
    marks: tuple[Mark, ...]
    dots: tuple[Dot, ...] = ()
    strong: bool = False


def intervals(groups: Sequence[Group], *, frame: Frame, label: str, name: str) -> list[Markup]:
    """The groups one below the other; in several drawings where one would not fit on a page."""
    return [_drawing(part, frame, label=label, name=f"{name}{k}") for k, part in enumerate(_parts(groups, frame))]


def _parts(groups: Sequence[Group], frame: Frame) -> list[list[Group]]:
    parts: list[list[Group]] = []
    room = 0
    for group in groups:
        height = _height(group, frame)
        if not parts or height > room:
            parts.append([])
            room = TALL
        parts[-1].append(group)
        room -= height
    return parts


def _height(group: Group, frame: Frame) -> int:
    lanes = max(1, len(group.marks))
    room = (DOTTED if lanes > 1 else 0) + ROOM if group.dots else 0
    return frame.head + (UNDER if frame.narrow else ABOVE) + (lanes - 1) * frame.row + BELOW + room


def _drawing(groups: Sequence[Group], frame: Frame, *, label: str, name: str) -> Markup:
    words = Words()
    marks: list[Row] = []
    notes: list[Row] = []
    dots: list[Row] = []
    names: list[Row] = []
    labels: list[Row] = []
    tops = list(accumulate((_height(group, frame) for group in groups), initial=0))
    for start, group in zip(tops, groups, strict=False):
        top = start + frame.head + (UNDER if frame.narrow else ABOVE)
        pushed = DOTTED if group.dots else 0
        places = [top + k * frame.row + (pushed if k else 0) for k in range(len(group.marks))]
        alone = not any(mark.label for mark in group.marks)
        middle = sum(places) / len(places) if alone and places else top
        y = start + frame.head - 4 if frame.narrow else middle
        names.append({"y": y, "text": words.token(clip(group.name, NAME)), "strong": group.strong})
        dots += [
            {"y": top + DOWN, "value": dot.value, "size": dot.size, "said": words.token(dot.said)}
            for dot in group.dots
        ]
        for mark, at in zip(group.marks, places, strict=True):
            if mark.label and not frame.narrow:
                labels.append({"y": at, "text": words.token(clip(mark.label, NAME))})
            if mark.found is None:
                notes.append({"y": at, "text": words.token(mark.text)})
            else:
                marks.append(_row(mark, mark.found, at, words))
    solid, dashed = ([row for row in marks if row["dashed"] is way] for way in (False, True))
    layers = [
        *_ground(tops[1:-1], frame),
        *(
            _names([row for row in names if row["strong"] is strong], frame, strong=strong)
            for strong in (False, True)
        ),
        _side(labels, frame),
        table(dots)
        .mark_point(stroke=MUTED, fill=PAPER, strokeWidth=1.2, opacity=1)
        .encode(
            x=_share("value"),
            y=y_pixels(),
            size=alt.Size("size:Q", scale=None),
            description=alt.Description("said:N"),
        ),
        _rules(solid, None),
        _rules(dashed, [5, 4]),
        table(solid)
        .mark_point(size=74, strokeWidth=1.6, opacity=1)
        .encode(
            x=_share("value"),
            y=y_pixels(),
            fill=fill("fill"),
            stroke=stroke("edge"),
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
            strokeWidth=4,
        )
        .encode(x=x_pixel(4), y=y_pixels(), text=alt.Text("text:N")),
    ]
    if not frame.narrow:
        numbers = table(marks).mark_text(align="left", baseline="middle", fontSize=12.5, fill=INK)
        layers.append(numbers.encode(x=x_pixel(frame.plot + 22), y=y_pixels(), text=alt.Text("text:N")))
    return draw(assemble(layers, frame, tops[-1]), words, label=label, name=name)


def _row(mark: Mark, found: Estimate, y: float, words: Words) -> Row:
    return {
        "y": y,
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "colour": mark.colour,
        "fill": PAPER if mark.hollow else mark.colour,
        "edge": mark.colour if mark.hollow else PAPER,
        "shape": mark.shape,
        "dashed": mark.dashed,
        "text": words.token(mark.text),
        "said": words.token(mark.said or mark.text),
    }


def _ground(lines: Sequence[float], frame: Frame) -> list[alt.Chart]:
    between = [{"y": y} for y in lines]
    edge = {"x": x_pixel(-frame.left), "x2": x2_pixel(frame.plot + frame.right)}
    return [
        table(between).mark_rule(stroke=LINE, strokeWidth=1).encode(y=y_pixels(), **edge),
        table([{"value": 0}]).mark_rule(stroke=MUTED, strokeWidth=1).encode(x=_share("value")),
    ]


def _names(rows: Sequence[Row], frame: Frame, *, strong: bool) -> alt.Chart:
    """Names with an outline in the colour of the paper: grid lines stop short of the letters."""
    text = table(rows).mark_text(
        align="left",
        baseline="alphabetic" if frame.narrow else "middle",
        fontSize=13,
        fontWeight=600 if strong else 400,
        fill=INK,
        stroke=PAPER,
        strokeWidth=4,
    )
    made: alt.Chart = text.encode(x=x_pixel(1 - frame.left), y=y_pixels(), text=alt.Text("text:N"))
    return made


def _side(labels: Sequence[Row], frame: Frame) -> alt.Chart:
    text = table(labels).mark_text(align="left", baseline="middle", fontSize=12, fill=MUTED)
    made: alt.Chart = text.encode(x=x_pixel(1 - frame.left), y=y_pixels(), text=alt.Text("text:N"))
    return made


def _rules(rows: Sequence[Row], dash: list[float] | None) -> alt.Chart:
    rule = table(rows).mark_rule(strokeCap="round", strokeWidth=2.2, strokeDash=dash or alt.Undefined)
    made: alt.Chart = rule.encode(
        x=_share("low"),
        x2=alt.X2("high:Q"),
        y=y_pixels(),
        stroke=stroke("colour"),
        description=alt.Description("said:N"),
    )
    return made


def _share(field: str) -> alt.X:
    return alt.X(f"{field}:Q", scale=SHARES, axis=share_axis())


def pair(figure: Figure) -> Group:
    """A figure as the judge has it and, below it, corrected: hollow, and a dashed line where it is but a range."""
    look, label = Series.of(figure.place), clip(figure.reviewer.name, LABEL)
    raw = figure.raw
    text = "no figure" if raw is None else ends(raw)
    n = 0 if raw is None else raw.n
    first = Mark(found=raw, text=text, colour=look.colour, shape=look.shape, said=f"{label}: {text}, n {count(n)}")
    return Group(name=label, marks=(first, corrected_mark(label, look, figure.applied)))


def corrected_mark(label: str, look: Series, applied: Applied | None) -> Mark:
    """The second line of a pair; a note where there is no correction."""
    e = share_of(applied)
    text = "not corrected" if e is None else corrected(applied)
    ranged = applied is not None and not applied.decides
    labels = "" if e is None else f", {counted(e.n, 'label')}"
    return Mark(
        found=e,
        text=text,
        colour=look.colour,
        shape=look.shape,
        label="corrected, a range" if ranged and e is not None else "corrected",
        said=f"{label}, corrected: {text}{labels}",
        hollow=True,
        dashed=ranged,
    )
