"""What charts in the browser are made of: parts of Vega-Lite specifications, in the colours of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

INK, MUTED, LINE, PAPER = "var(--ink)", "var(--muted)", "var(--line)", "var(--paper)"
FLAG, PLAIN = "var(--flag)", "var(--s1)"

Row = dict[str, object]
Spec = dict[str, Any]


class Chart(Struct, frozen=True, kw_only=True):
    """One chart. `rows` have a `name`, by which they can be sorted, and a `said`, which is shown where one points."""

    id: str
    title: str
    note: str
    rows: list[Row]
    spec: Spec
    sorts: dict[str, str] = {}  # title -> field
    switch: str | None = None  # what is left when only rows that are `on` are asked for


def forest(title: str, *, share: bool = False) -> Spec:
    """Intervals with their values, one row a name."""
    wide = {"condition": {"test": "datum.on", "value": 3}, "value": 1.6}
    return {
        "height": {"step": 26},
        "layer": [
            zero(),
            {
                "mark": {"type": "rule", "strokeCap": "round", "cursor": "pointer"},
                "encoding": {
                    "x": across("low", title, share=share),
                    "x2": {"field": "high"},
                    "y": down(),
                    "stroke": tone(),
                    "strokeWidth": wide,
                },
            },
            {
                "mark": {"type": "point", "size": 80, "strokeWidth": 1.8, "opacity": 1, "cursor": "pointer"},
                "encoding": {
                    "x": across("value", title, share=share),
                    "y": down(),
                    "stroke": tone(),
                    "fill": {"condition": {"test": "datum.on", "value": FLAG}, "value": PAPER},
                },
            },
        ],
    }


def across(field: str, title: str, *, share: bool = False) -> Spec:
    """A quantity from left to right; a `share` runs from 0 to 1."""
    scale = {"domain": [0, 1], "nice": False} if share else {"zero": True, "nice": True}
    axis = {"title": title, "format": ".1f" if share else "+.1f", "grid": True, "tickMinStep": 0.1}
    return {"field": field, "type": "quantitative", "scale": scale, "axis": axis}


def down() -> Spec:
    """Names from top to bottom."""
    axis = {"title": None, "ticks": False, "domain": False, "grid": False}
    return {"field": "name", "type": "nominal", "axis": axis}


def zero() -> Spec:
    """The line at zero."""
    return {"mark": {"type": "rule", "color": MUTED, "strokeDash": [2, 3]}, "encoding": {"x": {"datum": 0}}}


def tone() -> Spec:
    """The colour of a row, which also says whether it is `on`."""
    return {"condition": {"test": "datum.on", "value": FLAG}, "value": PLAIN}


def as_data(charts: Sequence[Chart]) -> list[Mapping[str, object]]:
    """What the page's script is given."""
    look = {
        "view": {"stroke": None},
        "background": None,
        "font": "system-ui, sans-serif",
        "axis": {
            "labelColor": INK,
            "titleColor": MUTED,
            "gridColor": LINE,
            "domainColor": LINE,
            "tickColor": LINE,
            "labelFontSize": 13,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
        },
        "legend": {"labelColor": INK, "titleColor": MUTED},
        "text": {"color": INK},
    }
    return [
        {
            "id": chart.id,
            "title": chart.title,
            "note": chart.note,
            "rows": chart.rows,
            "sorts": chart.sorts,
            "switch": chart.switch,
            "spec": {**chart.spec, "width": "container", "config": look},
        }
        for chart in charts
    ]
