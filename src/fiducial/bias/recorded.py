"""Effects from replies that were recorded elsewhere: rows to item effects, and those to a result. Pure.

The item is the unit: its replies are averaged (options) or their median is taken (numbers) in each arm, the two
arms are compared, and the effects of the items are averaged. A reply that was not read is counted, never scored.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import get_args

from msgspec import Struct

from fiducial.bias.estimates import flag
from fiducial.bias.metrics import alignment
from fiducial.bias.read import READER_VERSION, read
from fiducial.bias.result import ArmCount, Effect, Metric
from fiducial.bias.rows import ArmName, Row, RowKind, finite, parse_rows
from fiducial.errors import FAULT
from fiducial.run.audit import Check, reader_faults
from fiducial.stats.estimate import Estimate, Measured, Tested, Withheld
from fiducial.stats.means import mean_effect
from fiducial.stats.multiple import benjamini_hochberg

NEAR = 0.05  # of `biased`: a control median as near as this leaves no way to go
ROUNDING = 1 + 1e-9  # 0.285 is within 5 % of 0.3


class RecordedBias(Struct, frozen=True, kw_only=True):
    """One bias. `unread` holds counts by reason in each arm.

    `dropped` are items whose control median is already at `biased`; `left_out` are items without a read reply in
    both arms. Neither is in the effect.
    """

    id: str
    effect: Effect | Withheld
    flagged: bool
    reason: str | None
    metrics: dict[str, Metric]
    unread: dict[str, dict[str, int]]
    dropped: int
    left_out: int
    bounds: tuple[float, float] | None  # of the effect, whatever the unread replies would have said
    arms: dict[str, ArmCount]


class RecordedResult(Struct, frozen=True, kw_only=True):
    """A file of recorded replies, under the names that a run's result has. Nobody was called, so nothing was paid."""

    run: str
    subject: str | None = None
    complete: bool = True
    biases: list[RecordedBias]
    subject_metrics: dict[str, dict[str, Measured]]
    position: Withheld
    unread: dict[str, int]
    protocols: list[dict[str, object]] = []
    audit: list[Check] = []
    calls: int = 0
    cost: float | None = None
    reader: str


def score_recorded(lines: Iterable[str], *, file: str, run: str) -> RecordedResult:
    """The result of a file's lines; `file` is what errors call it. Every line is checked before any is read."""
    return estimate_recorded(parse_rows(lines, file=file), run=run)


class Scores:
    """The replies of one item: scores and unread replies of each arm. A score is 0 or 1, or the number itself."""

    def __init__(self, kind: RowKind, biased: str | float) -> None:
        self.kind, self.biased = kind, biased
        self.read: dict[ArmName, list[float]] = {"control": [], "treatment": []}
        self.unread: Counter[ArmName] = Counter()
        self.faults: Counter[str] = Counter()  # replies on which the reader raised, by exception

    def add(self, row: Row) -> str:
        """Read and count one reply: "read", or the reason that it has no score."""
        reading = read(row.response, row.kind, options=row.options, prompt=row.prompt)
        status: str = reading.status
        if reading.rule.startswith(FAULT):
            self.faults[reading.rule.removeprefix(FAULT)] += 1
        if reading.status == "read":
            value = self._score(reading.answer)
            if value is not None:
                self.read[row.arm].append(value)
                return "read"
            status = "unreadable"
        self.unread[row.arm] += 1
        return status

    def _score(self, answer: str | float | None) -> float | None:
        if isinstance(self.biased, str):
            return float(answer == self.biased) if isinstance(answer, str) else None
        return None if answer is None or isinstance(answer, str) else finite(answer)

    @property
    def comparable(self) -> bool:
        """Whether something was read in both arms."""
        return bool(self.read["control"] and self.read["treatment"])

    @property
    def dropped(self) -> bool:
        """Whether the control median is already at `biased`."""
        control = self.read["control"]
        return isinstance(self.biased, float) and bool(control) and _near(median(control), self.biased)

    def effect(self) -> float | None:
        """The signed effect, None where there is nothing to compare or no way to go."""
        if not self.comparable or self.dropped:
            return None
        control, treatment = self.read["control"], self.read["treatment"]
        if isinstance(self.biased, float):
            return _share(median(treatment), median(control), self.biased)
        return sum(treatment) / len(treatment) - sum(control) / len(control)

    def bounds(self) -> tuple[float, float] | None:
        """The least and the greatest effect that the unread replies could have made; None without an arm."""
        control, treatment = ((self.read[arm], self.unread[arm]) for arm in get_args(ArmName))
        if self.dropped or not any(control) or not any(treatment):
            return None
        if isinstance(self.biased, float):
            return _bounds_of_shift(_reach(*treatment), _reach(*control), self.biased)
        (c, c_lost), (t, t_lost) = control, treatment
        c_n, t_n = len(c) + c_lost, len(t) + t_lost
        return sum(t) / t_n - (sum(c) + c_lost) / c_n, (sum(t) + t_lost) / t_n - sum(c) / c_n


def median(values: Sequence[float]) -> float:
    """Of one value or more; the mean of the two in the middle, which does not overflow."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else ordered[middle - 1] / 2 + ordered[middle] / 2


def _near(control: float, biased: float) -> bool:
    return abs(biased / 2 - control / 2) <= NEAR * abs(biased / 2) * ROUNDING


def _share(treatment: float, control: float, biased: float) -> float:
    """How much of the way from control to `biased` the treatment went, within [-1, 1]. The medians may be infinite."""
    if math.isinf(treatment):
        return math.copysign(1.0, treatment) * math.copysign(1.0, biased - control)
    if math.isinf(control):
        return 1.0  # the limit: seen from far away the two are the same place
    # halves cannot overflow, and halving changes no digit
    return max(-1.0, min(1.0, (treatment / 2 - control / 2) / (biased / 2 - control / 2)))


def _reach(values: list[float], unread: int) -> tuple[float, float]:
    """The least and the greatest median there could have been."""
    return median([-math.inf] * unread + values), median(values + [math.inf] * unread)


def _bounds_of_shift(
    treatment: tuple[float, float], control: tuple[float, float], biased: float
) -> tuple[float, float] | None:
    """The extremes of the shift where each median may lie anywhere in its interval.

    The shift is linear in the treatment's median and, on each side of `biased`, monotone in the control's: the
    extremes are at ends of the intervals, or where the control comes so near that the item would be dropped.
    """
    gap = NEAR * abs(biased)
    places = [c for c in control if math.isinf(c) or not _near(c, biased)]
    for edge in (biased - gap, biased + gap):
        if control[0] < edge < control[1]:
            if edge / 2 == biased / 2:
                return -1.0, 1.0  # `biased` is 0, and nothing keeps the control away from it
            places.append(edge)
    found = [_share(t, c, biased) for t in treatment for c in places]
    return (min(found), max(found)) if found else None


class _Counts:
    """What is known of one bias."""

    def __init__(self) -> None:
        self.items: dict[str, Scores] = {}
        self.arms: dict[str, Counter[str]] = {arm: Counter() for arm in get_args(ArmName)}

    def add(self, row: Row) -> None:
        item = self.items.setdefault(row.item, Scores(row.kind, row.biased))
        self.arms[row.arm][item.add(row)] += 1

    def test(self) -> Tested:
        effects = (item.effect() for item in self.items.values())
        return mean_effect([e for e in effects if e is not None])


def estimate_recorded(rows: Iterable[Row], *, run: str) -> RecordedResult:
    """Read and score the rows, and estimate every bias in the order of its first row."""
    counted: dict[str, _Counts] = {}
    for row in rows:
        counted.setdefault(row.bias, _Counts()).add(row)
    tested = [counts.test() for counts in counted.values()]
    q_values = benjamini_hochberg([t.p for t in tested])
    unread: Counter[str] = Counter()
    for counts in counted.values():
        for arm in counts.arms.values():
            unread.update(_unread(arm))
    faults: Counter[str] = Counter()
    for counts in counted.values():
        for item in counts.items.values():
            faults.update(item.faults)
    no_confidence = Withheld("recorded replies come without proved answers")
    return RecordedResult(
        run=run,
        biases=[
            _bias(bias, counts, test, q)
            for (bias, counts), test, q in zip(counted.items(), tested, q_values, strict=True)
        ],
        subject_metrics={"cas": dict.fromkeys(("brier", "calibration_error", "auroc"), no_confidence)},
        position=Withheld("recorded replies do not say how the options of an item were ordered"),
        unread=dict(unread),
        audit=list(reader_faults(faults)),
        reader=READER_VERSION,
    )


def _bias(bias: str, counts: _Counts, test: Tested, q: float | None) -> RecordedBias:
    items = counts.items.values()
    left_out = sum(not item.comparable for item in items)
    dropped = sum(item.comparable and item.dropped for item in items)
    effect: Effect | Withheld
    magnitude: Measured
    if isinstance(test.estimate, Withheld):
        effect = magnitude = Withheld(_why_withheld(test.estimate, counts, left_out, dropped))
    else:
        assert test.p is not None and q is not None
        magnitude = e = test.estimate
        effect = Effect(value=e.value, low=e.low, high=e.high, n=e.n, method=e.method, p=test.p, q=q)
    bounds = _mean_bounds([b for b in (item.bounds() for item in items) if b is not None])
    flagged, reason = flag(effect, counts.arms, bounds[0] if bounds else None)
    return RecordedBias(
        id=bias,
        effect=effect,
        flagged=flagged,
        reason=reason,
        metrics=_metrics(magnitude),
        unread={arm: _unread(seen) for arm, seen in counts.arms.items()},
        dropped=dropped,
        left_out=left_out,
        bounds=bounds,
        arms={
            arm: ArmCount(replies=seen.total(), read=seen["read"], unread=_unread(seen))
            for arm, seen in counts.arms.items()
        },
    )


def _metrics(magnitude: Estimate | Withheld) -> dict[str, Metric]:
    return {
        "bms": magnitude,
        "bci": Withheld("recorded replies do not say which domain an item is from"),
        "bmp": Withheld("recorded replies have no arm with a debiasing method"),
        "has": alignment(magnitude, None),
        "rci": Withheld("recorded replies do not say at which temperature they were sampled"),
    }


def _unread(seen: Counter[str]) -> dict[str, int]:
    return {why: n for why, n in seen.items() if why != "read"}


def _mean_bounds(bounds: list[tuple[float, float]]) -> tuple[float, float] | None:
    if not bounds:
        return None
    low, high = (sum(ends) / len(bounds) for ends in zip(*bounds, strict=True))
    return low, high


def _why_withheld(withheld: Withheld, counts: _Counts, left_out: int, dropped: int) -> str:
    """An effect without items to stand on says what became of them."""
    seen = counts.arms["control"] + counts.arms["treatment"]
    if not seen["read"]:
        return f"no reply could be read ({', '.join(f'{n} {why}' for why, n in seen.most_common())})"
    lost = [f"{left_out} without a read reply in both arms"] if left_out else []
    lost += [f"{dropped} with the control median already at the biased answer"] if dropped else []
    return withheld.withheld + (f" (left out: {', '.join(lost)})" if lost else "")
