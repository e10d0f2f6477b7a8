"""The charts of a review: precision of reviewers with every document a dot, and what stated confidence is worth."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
from markupsafe import Markup

from fiducial.report.inert import clip
from fiducial.report.judge_card_chart import Dot, Group, Mark, corrected_mark, intervals
from fiducial.report.numbers import counted, percent
from fiducial.report.panels import FOOT, LEAST, MOST, SQUARE, below, corner
from fiducial.report.plot import MUTED, PAPER, Frame, Row, Series, assemble, share_axis, table
from fiducial.report.review_words import ratio
from fiducial.report.svg import Words, draw
from fiducial.review.result import DocumentResult, Reliability, ReviewerResult
from fiducial.stats.estimate import Estimate

WIDE = Frame(left=190, plot=450, right=192, head=0, row=22)
NARROW = Frame(left=16, plot=318, right=18, head=20, row=20)
SHARES = alt.Scale(domain=[0, 1], nice=False)


def precisions(reviewers: Sequence[ReviewerResult], *, frame: Frame, name: str) -> list[Markup]:
    """Precision with its interval and every document as a dot; below it corrected, where any reviewer's is."""
    label = "Precision of each reviewer with its 95 % interval, and of each document. Tables have the same numbers."
    two = any(one.precision.corrected is not None for one in reviewers)
    groups = [_group(one, place, two=two) for place, one in enumerate(reviewers)]
    return intervals(groups, frame=frame, label=label, name=name)


def _group(one: ReviewerResult, place: int, *, two: bool) -> Group:
    p, look, name = one.precision, Series.of(place), clip(one.name, 60)
    marks = [Mark(found=None, text="no finding was judged", colour=look.colour, shape=look.shape)]
    if p.value is not None:
        told = ratio(p.value, p.low, p.high)
        low, high = (p.value if end is None else end for end in (p.low, p.high))
        found = Estimate(value=p.value, low=low, high=high, n=p.n, method=p.method)
        said = f"{name}: {told}, {counted(p.n, 'finding')}"
        marks = [Mark(found=found, text=told, colour=look.colour, shape=look.shape, said=said)]
        marks += [corrected_mark(name, look, p.corrected)] if two else []
    return Group(name=name, marks=tuple(marks), dots=tuple(_dots(one.documents)))


def _dots(documents: Sequence[DocumentResult]) -> list[Dot]:
    return [
        Dot(
            one.precision.value,
            20 + min(60.0, one.precision.n),
            f"{clip(one.id, 60)}: {percent(one.precision.value)} of {counted(one.precision.n, 'finding')}",
        )
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
        .encode(x=_share("x"), y=y, x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q")),
        corner("overconfident", SQUARE.plot - 3, SQUARE.row - 8),
        corner("underconfident", 4, 8),
        table(rows)
        .mark_point(fill=look.colour, stroke=PAPER, strokeWidth=1, opacity=1, shape=look.shape)
        .encode(x=_share("x"), y=y, size=alt.Size("size:Q", scale=None), description=alt.Description("said:N")),
        below("stated confidence"),
    ]
    return draw(assemble(layers, SQUARE, SQUARE.row, foot=FOOT), words, label=label, name=name)
