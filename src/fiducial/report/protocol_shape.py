"""The rows of a protocol, put together for tables and charts: runs beside runs, groups beside groups.

A group whose rows all have a place on an axis is a line; the others are rows of a forest. Names are as they came.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec import Struct

from fiducial.bias.protocols.result import ProtocolResult
from fiducial.report.numbers import known
from fiducial.report.scale import TWICE, Scale, span
from fiducial.stats.estimate import Estimate, Measured


class Point(Struct, frozen=True):
    """One row in every run; None where a run does not have it."""

    name: str
    at: float | None
    runs: tuple[Measured | None, ...]


class Group(Struct, frozen=True):
    """Rows that belong together."""

    name: str
    points: list[Point]

    @property
    def axis(self) -> tuple[tuple[float, str], ...] | None:
        """The places of the rows, where they have places."""
        places = [(p.at, p.name) for p in self.points if p.at is not None and math.isfinite(p.at)]
        whole = len(places) == len(self.points) and len({at for at, _ in places}) == len(places) > 1
        return tuple(sorted(places)) if whole else None


class Protocol(Struct, frozen=True):
    """A protocol in every run of the page; None where a run does not have it."""

    name: str
    runs: tuple[ProtocolResult | None, ...]
    groups: list[Group]

    @property
    def found(self) -> Iterator[tuple[int, ProtocolResult]]:
        """The runs that have it."""
        return ((run, one) for run, one in enumerate(self.runs) if one)

    @property
    def lines(self) -> list[list[Group]]:
        """The groups with an axis, those on the same axis together."""
        drawn = [group for group in self.groups if group.axis]
        return [list(same) for _, same in groupby(drawn, key=lambda group: group.axis)]

    @property
    def forests(self) -> list[Group]:
        """The other groups. Those of a single row each stand together, under no name of their own."""
        rest = [group for group in self.groups if not group.axis]
        found: list[Group] = []
        for lone, some in groupby(rest, key=lambda group: len(group.points) == 1):
            groups = list(some)
            if lone and len(groups) > 1:
                alone = [Point(f"{g.name}: {g.points[0].name}", None, g.points[0].runs) for g in groups]
                found.append(Group("", alone))
            else:
                found += groups
        return found

    @property
    def ordered(self) -> list[Group]:
        """The groups as they are shown: those with an axis first."""
        return sorted(self.groups, key=lambda group: group.axis is None)

    @property
    def scale(self) -> Scale:
        """One scale for all that is drawn of it."""
        estimates = [m for _, one in self.found for m in (one.estimate, *(row.estimate for row in one.rows))]
        return scale_of(estimates)


def scale_of(found: Sequence[Measured | None]) -> Scale:
    """A scale that holds all of them; differences of effects go beyond 1."""
    known_ones: list[Estimate | None] = [known(m) for m in found if m is not None]
    return span(known_ones, full=TWICE)


def shapes(runs: Sequence[Sequence[ProtocolResult]]) -> list[Protocol]:
    """The protocols of all runs, in the order in which they were met."""
    by_run = [{one.name: one for one in protocols} for protocols in runs]
    names = dict.fromkeys(name for protocols in by_run for name in protocols)
    return [shape(tuple(protocols.get(name) for protocols in by_run)) for name in names]


def shape(runs: tuple[ProtocolResult | None, ...]) -> Protocol:
    """One protocol in several runs."""
    found = [{(row.group, row.name): row for row in one.rows} if one else {} for one in runs]
    groups: dict[str, dict[str, Point]] = {}
    for rows in found:
        for key, row in rows.items():
            held = tuple(other[key].estimate if key in other else None for other in found)
            groups.setdefault(row.group, {}).setdefault(row.name, Point(row.name, row.at, held))
    name = next(one.name for one in runs if one)
    return Protocol(name, runs, [Group(g, list(points.values())) for g, points in groups.items()])


def axis_title(names: Sequence[str]) -> tuple[list[str], str]:
    """The names of places without the word they share, and that word: `round 1, round 2` is `1, 2` of `round`."""
    parts = [name.split() for name in names]
    if all(len(p) == 2 for p in parts):
        for shared, own in ((0, 1), (1, 0)):
            if len({p[shared] for p in parts}) == 1:
                return [p[own] for p in parts], parts[0][shared]
    return list(names), ""
