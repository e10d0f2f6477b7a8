"""The charts of a run to point at: specifications of Vega-Lite, and the rows they are drawn from.

The browser draws them, so words from outside are in them as data. Every row that stands for replies has an `href` to
them. Colours are names of the page's own variables, and never say anything alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from urllib.parse import urlencode

from fiducial.bias.item import DOMAINS, INTENSITIES
from fiducial.bias.result import BiasResult, RunResult
from fiducial.report.facts import ordered
from fiducial.report.inert import clip
from fiducial.report.numbers import counted, interval, known, probability, signed
from fiducial.review.result import NoRecall, ReviewResult
from fiducial.stats.estimate import Measured
from fiducial.study.compare import Comparison
from fiducial.web.chart_parts import MUTED, Chart, Row, Spec, across, down, forest, tone, zero

NAME = 44  # columns of a name beside a chart
TOWARD, AWAY = "var(--toward)", "var(--away)"


def bias_charts(result: RunResult, run: str) -> list[Chart]:
    """Of a bias run; `run` is its id in addresses."""
    there = f"/runs/{run}/replies"
    charts = [_effects(result.biases, there), _items(result.biases, there)]
    charts += [_doses(result.biases, there), _domains(result.biases, there)]
    return [chart for chart in charts if chart.rows]


def review_charts(result: ReviewResult, run: str) -> list[Chart]:
    """Of a review run."""
    charts = [_precision(result, run), _recall(result, run)]
    return [chart for chart in charts if chart.rows]


def comparison_charts(found: Comparison) -> list[Chart]:
    """Of two bias runs: what differs, and what each has."""
    rows: list[Row] = []
    for bias in found.biases:
        if e := known(bias.difference):
            text = f"{signed(e.value)} {interval(e.low, e.high)}, q {probability(e.q)}"
            rows.append(
                {
                    "name": clip(bias.name, NAME),
                    "value": e.value,
                    "low": e.low,
                    "high": e.high,
                    "on": bias.verdict in ("higher", "lower"),
                    "said": f"{text}: {bias.verdict}",
                }
            )
    chart = Chart(
        id="differences",
        title="Differences",
        note="B − A of the signed effects with its 95 % interval; filled and heavy where a difference is shown.",
        rows=rows,
        spec=forest("difference"),
        sorts={"largest": "-value", "name": "name"},
        switch="shown only",
    )
    return [chart] if rows else []


def _effects(biases: Sequence[BiasResult], there: str) -> Chart:
    rows: list[Row] = []
    for bias in biases:
        if effect := known(bias.effect):
            text = f"{signed(effect.value)} {interval(effect.low, effect.high)}"
            flagged = ", flagged" if bias.flagged else ""
            rows.append(
                {
                    "name": clip(bias.name, NAME),
                    "family": clip(bias.family, NAME),
                    "value": effect.value,
                    "low": effect.low,
                    "high": effect.high,
                    "on": bias.flagged,
                    "said": f"{text}, q {probability(effect.q)}, {counted(effect.n, 'item')}{flagged}",
                    "href": _to(there, bias=bias.id),
                }
            )
    return Chart(
        id="effects",
        title="Effects",
        note="Signed effect with its 95 % interval; filled and heavy where flagged. A click leads to the replies.",
        rows=rows,
        spec=forest("effect"),
        sorts={"largest effect": "-value", "name": "name", "family": "family"},
        switch="flagged only",
    )


def _items(biases: Sequence[BiasResult], there: str) -> Chart:
    rows: list[Row] = [
        {
            "name": clip(bias.name, NAME),
            "family": clip(bias.family, NAME),
            "value": item.value,
            "on": bias.flagged,
            "said": f"{clip(item.id, 80)} ({item.domain}): {signed(item.value)}",
            "href": _to(there, bias=bias.id, item=item.id),
        }
        for bias in biases
        for item in bias.items
        if item.value is not None and math.isfinite(item.value)
    ]
    spec: Spec = {
        "height": {"step": 30},
        "layer": [
            zero(),
            {
                "mark": {"type": "point", "filled": True, "size": 46, "opacity": 0.7, "cursor": "pointer"},
                "encoding": {
                    "x": across("value", "effect of an item"),
                    "y": down(),
                    "yOffset": {"field": "jitter", "type": "quantitative", "scale": {"domain": [0, 1]}},
                    "fill": tone(),
                },
            },
        ],
    }
    return Chart(
        id="items",
        title="Every item",
        note="One dot an item, at its effect; up and down means nothing. A click leads to its replies.",
        rows=[row | {"jitter": (k * 0.618034) % 1} for k, row in enumerate(rows)],
        spec=spec,
        sorts={"largest mean": "-value", "name": "name", "family": "family"},
        switch="flagged only",
    )


def _doses(biases: Sequence[BiasResult], there: str) -> Chart:
    rows = [
        _estimated(bias, there, measured) | {"at": at, "said": _said(at, measured)}
        for bias in biases
        for at, measured in bias.by_intensity.items()
        if known(measured)
    ]
    x = {
        "field": "at",
        "type": "ordinal",
        "sort": list(INTENSITIES),
        "axis": {"title": None, "labelAngle": 0, "grid": False},
    }
    y = {
        "field": "value",
        "type": "quantitative",
        "title": "effect",
        "axis": {"format": "+.1f", "tickMinStep": 0.1},
    }
    near = {"condition": {"param": "near", "empty": False, "value": 1}, "value": 0.28}
    spec: Spec = {
        "height": 320,
        "layer": [
            {"mark": {"type": "rule", "color": MUTED, "strokeDash": [2, 3]}, "encoding": {"y": {"datum": 0}}},
            {
                "mark": {"type": "line", "strokeWidth": 2},
                "encoding": {"x": x, "y": y, "detail": {"field": "name"}, "stroke": tone(), "opacity": near},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 1.5},
                "encoding": {
                    "x": x,
                    "y": {"field": "low", "type": "quantitative"},
                    "y2": {"field": "high"},
                    "stroke": tone(),
                    "opacity": {"condition": {"param": "near", "empty": False, "value": 0.9}, "value": 0},
                },
            },
            {
                "params": [
                    {
                        "name": "near",
                        "select": {"type": "point", "fields": ["name"], "on": "pointerover", "clear": "mouseout"},
                    }
                ],
                "mark": {"type": "point", "filled": True, "size": 60, "cursor": "pointer"},
                "encoding": {"x": x, "y": y, "fill": tone(), "opacity": near},
            },
        ],
    }
    return Chart(
        id="doses",
        title="By intensity",
        note="The effect at each intensity that was run, one line a bias. Point at one to see its name and intervals.",
        rows=rows if len({row["at"] for row in rows}) > 1 else [],
        spec=spec,
        switch="flagged only",
    )


def _domains(biases: Sequence[BiasResult], there: str) -> Chart:
    rows: list[Row] = []
    for bias in biases:
        for domain, measured in bias.by_domain.items():
            if e := known(measured):
                rows.append(
                    _estimated(bias, there, measured)
                    | {
                        "at": domain,
                        "size": min(1.0, abs(e.value)),
                        "side": "toward the bias" if e.value >= 0 else "away from it",
                        "text": signed(e.value),
                        "said": _said(domain, measured),
                    }
                )
    names = ordered(DOMAINS, (domain for bias in biases for domain in bias.by_domain))
    x = {"field": "at", "type": "ordinal", "sort": names, "axis": {"title": None, "orient": "top", "labelAngle": 0}}
    spec: Spec = {
        "height": {"step": 26},
        "encoding": {"x": x, "y": down()},
        "layer": [
            {
                "mark": {"type": "rect", "cursor": "pointer"},
                "encoding": {
                    "fill": {
                        "field": "side",
                        "type": "nominal",
                        "scale": {"domain": ["toward the bias", "away from it"], "range": [TOWARD, AWAY]},
                        "legend": {"title": None, "orient": "bottom"},
                    },
                    "fillOpacity": {
                        "field": "size",
                        "type": "quantitative",
                        "scale": {"domain": [0, 1], "range": [0.05, 0.85]},
                        "legend": None,
                    },
                },
            },
            {"mark": {"type": "text", "fontSize": 12}, "encoding": {"text": {"field": "text"}}},
        ],
    }
    return Chart(
        id="domains",
        title="By domain",
        note="The effect in each domain of life; the stronger the colour, the larger it is.",
        rows=rows,
        spec=spec,
        sorts={"largest mean": "-value", "name": "name", "family": "family"},
        switch="flagged only",
    )


def _precision(result: ReviewResult, run: str) -> Chart:
    rows: list[Row] = []
    for one in result.reviewers:
        p = one.precision
        if p.value is not None and p.low is not None and p.high is not None:
            rows.append(
                {
                    "name": clip(one.name, NAME),
                    "value": p.value,
                    "low": p.low,
                    "high": p.high,
                    "on": False,
                    "said": f"{p.value:.2f} {interval(p.low, p.high)}: {counted(p.n, 'finding')} judged, "
                    f"{p.genuine} genuine, {p.borderline} borderline, {p.not_genuine} not",
                    "href": f"/runs/{run}/findings",
                }
            )
    return Chart(
        id="precision",
        title="Precision",
        note="Share of findings that the judge calls genuine, with its 95 % interval. A click leads to the findings.",
        rows=rows,
        spec=forest("precision", share=True),
        sorts={"highest": "-value", "name": "name"},
    )


def _recall(result: ReviewResult, run: str) -> Chart:
    rows: list[Row] = []
    for one in result.reviewers:
        for item in [] if isinstance(one.recall, NoRecall) or one.recall is None else one.recall.items:
            if item.rate is not None and item.low is not None and item.high is not None:
                rows.append(
                    {
                        "name": f"{clip(item.title, NAME)} · {clip(one.name, 20)}",
                        "value": item.rate,
                        "low": item.low,
                        "high": item.high,
                        "wanted": item.min_recall,
                        "on": item.gate == "missed",
                        "said": f"found in {item.detected} of {counted(item.runs, 'run')} {interval(item.low, item.high)}, "
                        f"wanted {item.min_recall:.2f}: {item.gate.replace('_', ' ')}",
                        "href": f"/runs/{run}/findings?{urlencode({'document': item.document})}",
                    }
                )
    spec = forest("share of runs that found it", share=True)
    wanted = {"field": "wanted", "type": "quantitative"}
    spec["layer"].append(
        {
            "mark": {"type": "tick", "color": MUTED, "thickness": 2, "size": 16},
            "encoding": {"x": wanted, "y": down()},
        }
    )
    return Chart(
        id="recall",
        title="Must-finds",
        note="In what share of its runs each reviewer found each must-find; the upright mark is the share that is wanted.",
        rows=rows,
        spec=spec,
        sorts={"rarest": "value", "name": "name"},
        switch="missed only",
    )


def _estimated(bias: BiasResult, there: str, measured: Measured) -> Row:
    e = known(measured)
    assert e is not None, "asked for only where there is one"
    return {
        "name": clip(bias.name, NAME),
        "family": clip(bias.family, NAME),
        "value": e.value,
        "low": e.low,
        "high": e.high,
        "on": bias.flagged,
        "href": _to(there, bias=bias.id),
    }


def _said(what: str, measured: Measured) -> str:
    e = known(measured)
    assert e is not None, "asked for only where there is one"
    return f"{what}: {signed(e.value)} {interval(e.low, e.high)}, {counted(e.n, 'item')}"


def _to(there: str, **fields: str) -> str:
    return f"{there}?{urlencode(fields)}"
