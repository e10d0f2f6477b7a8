"""What many runs of a protocol on known subjects add up to, and the bounds they have to keep."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Literal

from msgspec import Struct

from fiducial.bias.protocols.result import ProtocolResult
from fiducial.stats.estimate import Measured, Withheld
from fiducial.study.protocol_known import Known
from fiducial.study.summary import COVERED, MOST_EXCLUDED, Bound

Group = Literal["null", "smooth", "lumpy"]
Kind = Literal["bias", "all", "row"]
"""The main estimate of one bias, that over all items, and rows beside it."""

ENOUGH = 1000  # intervals without which a share is too rough to be held against a bound
_ROUNDING = 1e-9


class Interval(Struct, frozen=True):
    """One estimate of one run, with its truth; no value where it was withheld."""

    kind: Kind
    name: str
    truth: float
    value: float | None = None
    low: float = 0.0
    high: float = 0.0


class Count(Struct, kw_only=True):
    """Intervals of one kind, added up."""

    n: int = 0
    withheld: int = 0
    excludes: int = 0
    covered: int = 0
    truth: float = 0.0
    off: float = 0.0
    square: float = 0.0
    width: float = 0.0

    def add(self, one: Interval) -> None:
        """Count an interval."""
        if one.value is None:
            self.withheld += 1
            return
        self.n += 1
        self.excludes += not one.low - _ROUNDING <= 0.0 <= one.high + _ROUNDING
        self.covered += one.low - _ROUNDING <= one.truth <= one.high + _ROUNDING
        self.truth += one.truth
        self.off += one.value - one.truth
        self.square += (one.value - one.truth) ** 2
        self.width += one.high - one.low


class Shares(Struct, frozen=True, kw_only=True):
    """What intervals of one kind come to; shares are None where there are none."""

    intervals: int
    withheld: int
    truth: float | None
    excludes: float | None  # share without 0
    covered: float | None  # share that hold the truth
    error: float | None  # mean of (estimate − truth)
    rmse: float | None
    width: float | None


class Row(Struct, frozen=True, kw_only=True):
    """A subject over all its runs of a protocol. `by_name` has every bias and every row apart."""

    protocol: str
    subject: str
    group: Group
    runs: int
    truth: float
    by_bias: Shares
    over_all: Shares
    rows: Shares
    by_name: dict[str, Shares]
    spoken: int
    unread: int
    misread: int


def intervals(found: ProtocolResult, truth: Known) -> list[Interval]:
    """Every estimate of a result that has a truth."""
    rows = (
        (f"{r.group}: {r.name}", truth.rows[r.group, r.name], r.estimate)
        for r in found.rows
        if (r.group, r.name) in truth.rows
    )
    return [
        *(_interval("bias", bias, truth.main, one) for bias, one in found.by_bias.items()),
        _interval("all", "all items", truth.main, found.estimate),
        *(_interval("row", *one) for one in rows),
    ]


def _interval(kind: Kind, name: str, truth: float, found: Measured) -> Interval:
    if isinstance(found, Withheld):
        return Interval(kind, name, truth)
    return Interval(kind, name, truth, found.value, found.low, found.high)


def summarise(
    protocol: str,
    subject: str,
    runs: Sequence[Sequence[Interval]],
    *,
    lumpy: bool,
    truth: float,
    heard: tuple[int, int, int],
) -> Row:
    """The row of one subject; `heard` counts replies that were spoken, not read and misread."""
    kinds: dict[str, Count] = {}
    names: dict[str, Count] = {}
    for run in runs:
        for one in run:
            kinds.setdefault(one.kind, Count()).add(one)
            names.setdefault(one.name, Count()).add(one)
    by_bias, over_all, rows = (_shares(kinds.get(kind, Count())) for kind in ("bias", "all", "row"))
    return Row(
        protocol=protocol,
        subject=subject,
        group="null" if truth == 0 else "lumpy" if lumpy else "smooth",
        runs=len(runs),
        truth=truth,
        by_bias=by_bias,
        over_all=over_all,
        rows=rows,
        by_name={name: _shares(count) for name, count in names.items()},
        spoken=heard[0],
        unread=heard[1],
        misread=heard[2],
    )


def _shares(count: Count) -> Shares:
    n = count.n

    def mean(total: float) -> float | None:
        return total / n if n else None

    return Shares(
        intervals=n,
        withheld=count.withheld,
        truth=mean(count.truth),
        excludes=mean(count.excludes),
        covered=mean(count.covered),
        error=mean(count.off),
        rmse=sqrt(count.square / n) if n else None,
        width=mean(count.width),
    )


def judge(protocol: str, rows: Sequence[Row], *, each: bool = True) -> list[Bound]:
    """The bounds of one protocol, on the intervals of its main estimate (of each bias, or over all items); and on rows, at
    the subject that does worst. Null and lumpy subjects are each held to theirs, smooth ones are pooled."""
    least, most = COVERED

    def main(row: Row) -> Shares:
        return row.by_bias if each else row.over_all

    by_group = {g: [r for r in rows if r.group == g and main(r).intervals] for g in ("null", "smooth", "lumpy")}
    found = []
    if null := by_group["null"]:
        worst = max(null, key=lambda r: main(r).excludes or 0.0)
        most_seen = max(main(r).intervals for r in null)
        says = f"{protocol}: intervals of null subjects exclude 0"
        found.append(_bound(says, main(worst).excludes, 0.0, MOST_EXCLUDED, most_seen, _of(null, worst)))
    if smooth := by_group["smooth"]:
        n = sum(main(r).intervals for r in smooth)
        value = sum((main(r).covered or 0.0) * main(r).intervals for r in smooth) / n
        says = f"{protocol}: intervals of smooth planted subjects hold the truth"
        found.append(_bound(says, value, least, most, n, f"{len(smooth)} subjects pooled"))
    if lumpy := by_group["lumpy"]:
        worst = min(lumpy, key=lambda r: main(r).covered or 0.0)
        says = f"{protocol}: intervals of lumpy planted subjects hold the truth"
        found.append(_bound(says, main(worst).covered, least, 1.0, main(worst).intervals, _of(lumpy, worst)))
    if told := [r for r in rows if r.rows.intervals]:
        worst = min(told, key=lambda r: r.rows.covered or 0.0)
        says = f"{protocol}: intervals of rows hold their truth"
        found.append(_bound(says, worst.rows.covered, least, 1.0, worst.rows.intervals, _of(told, worst)))
    return found


def _of(rows: Sequence[Row], worst: Row) -> str:
    return f"worst of {len(rows)}: {worst.subject}"


def _bound(says: str, value: float | None, low: float, high: float, intervals: int, of: str) -> Bound:
    share = value or 0.0
    state: Literal["met", "missed", "too few"] = "met" if low <= share <= high else "missed"
    if intervals < ENOUGH:
        state = "too few"
    return Bound(says=says, value=share, low=low, high=high, intervals=intervals, of=of, state=state)


def missed(bounds: Iterable[Bound]) -> list[Bound]:
    """The bounds that do not hold."""
    return [bound for bound in bounds if bound.state == "missed"]
