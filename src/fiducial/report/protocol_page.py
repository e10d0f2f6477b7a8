"""The protocols of the page: one panel each, with all runs that have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup
from msgspec import Struct

from fiducial.bias.protocols.result import ProtocolResult
from fiducial.bias.result import RunResult
from fiducial.report.forest_table import ForestRow, ForestTable, Mark
from fiducial.report.inert import clip
from fiducial.report.numbers import known
from fiducial.report.plot import Frame, Series
from fiducial.report.protocol_charts import NARROW, SMALL, TINY, WIDE, Axis, Trend, trend_chart
from fiducial.report.protocol_shape import Group, Point, Protocol, scale_of, shapes
from fiducial.report.protocol_words import bias_name, figures, headline, outcome, telling
from fiducial.report.scale import Scale
from fiducial.stats.estimate import Measured

NAME = 90  # letters
SENTENCE = 400
TOGETHER = 3  # lines in one chart; more would cover each other


class Chart(Struct, frozen=True):
    """One drawing, for wide screens and for phones; `narrow` is None where one serves both."""

    caption: str
    wide: Markup
    narrow: Markup | None = None
    legend: list[tuple[Series, str]] = []


class Told(Struct, frozen=True, kw_only=True):
    """What came out in one run."""

    run: int
    result: ProtocolResult
    says: str
    estimand: str
    figures: str
    clear: bool  # whether the interval excludes 0


class Steps(Struct, frozen=True):
    """The numbers of lines on one axis: a row a line and run."""

    caption: str
    places: list[str]
    rows: list[tuple[str, int, list[Measured | None]]]


class Panel(Struct, frozen=True, kw_only=True):
    """A protocol as the template sees it."""

    id: str
    name: str
    title: str
    asks: str
    how: str
    signed: bool
    told: list[Told]
    large: list[Chart]
    small: list[Chart]
    steps: list[Steps]
    forests: list[ForestTable]
    by_bias: ForestTable | None


class Protocols(Struct, frozen=True):
    """The section: an overview, then the panels."""

    overview: ForestTable
    panels: list[Panel]
    at: list[str]  # the intensities at which they compare


def protocol_section(results: Sequence[RunResult], names: Mapping[str, str]) -> Protocols | None:
    """The protocols of these runs; None where no run has one. `names` are those of the biases."""
    found = shapes([result.protocols for result in results])
    if not found:
        return None
    panels = [_panel(one, k, names) for k, one in enumerate(found)]
    estimates = [one.estimate for protocol in found for _, one in protocol.found]
    overview = ForestTable(
        caption="What each protocol estimates, with 95 % intervals",
        head="Protocol",
        scale=scale_of(estimates),
        p="p",
        rows=[
            ForestRow(
                name=panel.title,
                link=panel.id,
                tag=panel.told[0].estimand,
                signed=panel.signed,
                marks=[_mark(told.run, told.result.estimate, told.result.p) for told in panel.told],
            )
            for panel in panels
        ],
    )
    at = dict.fromkeys(clip(str(r.settings["at"]), 40) for r in results if r.protocols and "at" in r.settings)
    return Protocols(overview, panels, list(at))


def _panel(protocol: Protocol, place: int, names: Mapping[str, str]) -> Panel:
    words = telling(protocol.name)
    name = f"p{place}"
    large, small, steps = _lines(protocol, name)
    return Panel(
        id=f"protocol-{place}",
        name=clip(protocol.name, NAME),
        title=clip(words.title, NAME),
        asks=words.asks,
        how=words.how,
        signed=words.signed,
        told=[
            Told(
                run=run,
                result=one,
                says=clip(headline(one), SENTENCE),
                estimand=clip(one.estimand, SENTENCE),
                figures=figures(one),
                clear=outcome(one.estimate) in {"above", "below"},
            )
            for run, one in protocol.found
        ],
        large=large,
        small=small,
        steps=steps,
        forests=[_forest(group, protocol.scale) for group in protocol.forests],
        by_bias=_by_bias(protocol, names, sign=words.signed),
    )


def _lines(protocol: Protocol, name: str) -> tuple[list[Chart], list[Chart], list[Steps]]:
    """The charts of the groups with an axis, and their numbers.

    A run that is alone has the lines on one axis in one chart; runs beside each other are compared group by group.
    """
    large: list[Chart] = []
    small: list[Chart] = []
    steps: list[Steps] = []
    runs, scale, sets = len(protocol.runs), _line_scale(protocol), protocol.lines
    for i, groups in enumerate(sets):
        axis = groups[0].axis
        assert axis is not None, "lines have one"
        steps.append(_steps(groups, axis, runs))
        drawn = [group for group in groups if _drawable(group)]
        if not drawn:
            continue
        here = f"{name}l{i}"
        only = len(sets) == 1 and len(drawn) == 1
        if len(axis) > 2 and (only or (runs == 1 and 1 < len(drawn) <= TOGETHER)):
            trends = _by_run(drawn[0], runs) if runs > 1 else _by_group(drawn)
            large.append(_large(trends, drawn, axis, scale, here, legend=len(drawn) > 1))
            continue
        for k, group in enumerate(drawn):
            frame = SMALL if len(axis) > 2 else TINY
            svg = _draw(_by_run(group, runs), axis, frame, scale, f"{here}-{k}", group.name)
            small.append(Chart(clip(group.name, NAME), svg))
    return large, small, steps


def _by_run(group: Group, runs: int) -> list[Trend]:
    return [Trend(clip(group.name, NAME), Series.of(run), _along(group, run)) for run in range(runs)]


def _by_group(groups: Sequence[Group]) -> list[Trend]:
    return [Trend(clip(group.name, NAME), Series.of(k), _along(group, 0)) for k, group in enumerate(groups)]


def _line_scale(protocol: Protocol) -> Scale:
    return scale_of([m for groups in protocol.lines for g in groups for p in g.points for m in p.runs])


def _drawable(group: Group) -> bool:
    return any(found and known(found) for point in group.points for found in point.runs)


def _large(
    trends: Sequence[Trend], groups: Sequence[Group], axis: Axis, scale: Scale, name: str, *, legend: bool
) -> Chart:
    names = " and ".join(group.name for group in groups)
    return Chart(
        "" if legend else clip(names, NAME),
        _draw(trends, axis, WIDE, scale, f"{name}w", names),
        _draw(trends, axis, NARROW, scale, f"{name}n", names),
        [(trend.series, trend.name) for trend in trends] if legend else [],
    )


def _draw(trends: Sequence[Trend], axis: Axis, frame: Frame, scale: Scale, name: str, what: str) -> Markup:
    label = clip(f"Effect, {what}. The table that follows has the numbers.", SENTENCE)
    return trend_chart(trends, axis, frame=frame, scale=scale, name=name, label=label)


def _along(group: Group, run: int) -> list[Measured | None]:
    """The estimates of a run in the order of the axis."""
    return [point.runs[run] for point in sorted(group.points, key=lambda point: point.at or 0.0)]


def _steps(groups: Sequence[Group], axis: Axis, runs: int) -> Steps:
    rows = [
        (clip(group.name, NAME), run, found)
        for group in groups
        for run, found in ((run, _along(group, run)) for run in range(runs))
        if any(one is not None for one in found)
    ]
    caption = clip(", ".join(group.name for group in groups), SENTENCE)
    return Steps(caption, [clip(place, 40) for _, place in axis], rows)


def _forest(group: Group, scale: Scale) -> ForestTable:
    return ForestTable(
        caption=clip(group.name[:1].upper() + group.name[1:], NAME) or "Changes",
        head="",
        scale=scale,
        rows=[_row(point) for point in group.points],
    )


def _row(point: Point) -> ForestRow:
    marks = [_mark(run, found) for run, found in enumerate(point.runs) if found]
    return ForestRow(name=clip(point.name, NAME), marks=marks)


def _mark(run: int, found: Measured, p: float | None = None) -> Mark:
    return Mark(run=run, found=found, filled=outcome(found) in {"above", "below"}, p=p)


def _by_bias(protocol: Protocol, names: Mapping[str, str], *, sign: bool) -> ForestTable | None:
    """The estimand bias by bias, largest first."""
    found = [one.by_bias if one else {} for one in protocol.runs]
    ids = list(dict.fromkeys(bias for by in found for bias in by))
    if not ids:
        return None

    def size(bias: str) -> tuple[bool, float]:
        e = next((e for by in found if bias in by and (e := known(by[bias]))), None)
        return e is None, -e.value if e else 0.0

    return ForestTable(
        caption="The same estimand, bias by bias",
        head="Bias",
        scale=scale_of([m for by in found for m in by.values()]),
        rows=[
            ForestRow(
                signed=sign,
                name=clip(names.get(bias) or bias_name(bias), NAME),
                marks=[_mark(run, by[bias]) for run, by in enumerate(found) if bias in by],
            )
            for bias in sorted(ids, key=size)
        ],
    )
