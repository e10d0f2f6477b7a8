"""The charts of a review: precision of reviewers with every document a dot, and what stated confidence is worth."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
from markupsafe import Markup

from gnomon.report.inert import clip
from gnomon.report.numbers import counted, percent
from gnomon.report.panels import FOOT, LEAST, MOST, SQUARE, below, corner
from gnomon.report.plot import (
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
    share_axis,
    stroke,
    table,
    y_pixels,
)
from gnomon.report.review_words import ratio
from gnomon.report.svg import Words, draw
from gnomon.review.result import DocumentResult, Reliability, ReviewerResult

WIDE = Frame(left=190, plot=450, right=192, head=0, row=44)
NARROW = Frame(left=16, plot=318, right=18, head=20, row=40)
SHARES = alt.Scale(domain=[0, 1], nice=False)
DOWN = 9  # pixels from the interval down to the dots of the documents


def precisions(reviewers: Sequence[ReviewerResult], *, frame: Frame, name: str) -> list[Markup]:
    """Precision with its interval, one row a reviewer, and below it every document as a dot."""
    label = "Precision of each reviewer with its 95 % interval, and of each document. Tables have the same numbers."
    height = frame.head + frame.row
    numbered = list(enumerate(reviewers))
    lines = [Line(clip(one.name, 60), ()) for one in reviewers]
    made, at = [], 0
    for k, part in enumerate(parts(lines, height)):
        chart, words = _precisions(part, numbered[at : at + len(part)], frame, height)
        made.append(draw(chart, words, label=label, name=f"{name}{k}"))
        at += len(part)
    return made


def _precisions(
    lines: Sequence[Line], reviewers: Sequence[tuple[int, ReviewerResult]], frame: Frame, height: int
) -> tuple[alt.LayerChart, Words]:
    words = Words()
    marks: list[Row] = []
    dots: list[Row] = []
    notes: list[Row] = []
    for i, (place, one) in enumerate(reviewers):
        y = i * height + frame.head + frame.row / 2 - 4
        look = Series.of(place)
        dots += _dots(one.documents, y + DOWN, words)
        p = one.precision
        if p.value is None:
            notes.append({"y": y, "text": words.token("no finding was judged")})
            continue
        told = ratio(p.value, p.low, p.high)
        marks.append(
            {
                "y": y,
                "value": p.value,
                "low": p.value if p.low is None else p.low,
                "high": p.value if p.high is None else p.high,
                "colour": look.colour,
                "shape": look.shape,
                "text": words.token(told),
                "said": words.token(f"{clip(one.name, 60)}: {told}, {counted(p.n, 'finding')}"),
            }
        )
    layers = [
        *rows_of(lines, frame, height, words),
        table(dots)
        .mark_point(stroke=MUTED, fill=PAPER, strokeWidth=1.2, opacity=1)
        .encode(x=_share("value"), y=y_pixels(), size=alt.Size("size:Q", scale=None), description="said:N"),
        table(marks)
        .mark_rule(strokeCap="round", strokeWidth=2.2)
        .encode(x=_share("low"), x2="high:Q", y=y_pixels(), stroke=stroke("colour"), description="said:N"),
        table(marks)
        .mark_point(size=84, stroke=PAPER, strokeWidth=1, opacity=1)
        .encode(x=_share("value"), y=y_pixels(), fill=fill("colour"), shape=shape("shape"), description="said:N"),
        table(notes)
        .mark_text(align="left", baseline="middle", fontSize=12, fontStyle="italic", fill=MUTED)
        .encode(x=alt.value(4), y=y_pixels(), text="text:N"),
    ]
    if not frame.narrow:
        numbers = table(marks).mark_text(align="left", baseline="middle", fontSize=12.5, fill=INK)
        layers.append(numbers.encode(x=alt.value(frame.plot + 22), y=y_pixels(), text="text:N"))
    return assemble(layers, frame, height * len(lines)), words


def _dots(documents: Sequence[DocumentResult], y: float, words: Words) -> list[Row]:
    return [
        {
            "y": y,
            "value": one.precision.value,
            "size": 20 + min(60.0, one.precision.n),
            "said": words.token(
                f"{clip(one.id, 60)}: {percent(one.precision.value)} of {counted(one.precision.n, 'finding')}"
            ),
        }
        for one in documents
        if one.precision.value is not None
    ]


def _share(field: str) -> alt.X:
    return alt.X(f"{field}:Q", scale=SHARES, axis=share_axis())


def confidence(found: Reliability, place: int, *, name: str, label: str) -> Markup | None:
    """Precision against stated confidence: on the dashed line they are equal; a dot's area is its findings."""
    if not found.bins:
        return None
    words = Words()
    look = Series.of(place)
    most = max(1, *(one.n for one in found.bins))
    rows: list[Row] = [
        {
            "x": one.confidence,
            "value": one.precision,
            "size": LEAST + (MOST - LEAST) * one.n / most,
            "said": words.token(
                f"stated {percent(one.confidence)} on average, precision {percent(one.precision)}, "
                f"{counted(one.n, 'finding')}"
            ),
        }
        for one in found.bins
    ]
    y = alt.Y("value:Q", scale=SHARES, axis=share_axis())
    layers = [
        table([{"x": 0, "value": 0, "x2": 1, "y2": 1}])
        .mark_rule(stroke=MUTED, strokeWidth=1, strokeDash=[4, 3])
        .encode(x=_share("x"), y=y, x2="x2:Q", y2="y2:Q"),
        corner("overconfident", SQUARE.plot - 3, SQUARE.row - 8),
        corner("underconfident", 4, 8),
        table(rows)
        .mark_point(fill=look.colour, stroke=PAPER, strokeWidth=1, opacity=1, shape=look.shape)
        .encode(x=_share("x"), y=y, size=alt.Size("size:Q", scale=None), description="said:N"),
        below("stated confidence"),
    ]
    return draw(assemble(layers, SQUARE, SQUARE.row, foot=FOOT), words, label=label, name=name)
