"""Effects from replies that were recorded elsewhere: rows to item effects, and those to a result. Pure.

The item is the unit: its two arms are compared, and the effects of the items are averaged. Options: the difference of two
shares. Numbers: over all pairs of a treatment reply and a control reply, how much more often the treatment's is the nearer
one to `biased` than the other way round. It changes its sign when the arms are swapped, so that noise alone gives no effect
wherever `biased` lies; dividing the shift by (biased − control median), as is usual, does not. Its unit is a difference of
probabilities. It has little power where `biased` lies within 1.5 times the control's median, and the audit says so.
A reply that was not read is counted, never scored.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

import numpy as np
from msgspec import Struct

from fiducial.bias.audit import check_unread
from fiducial.bias.estimates import FEWEST_ITEMS, LEAST, flag
from fiducial.bias.metrics import alignment
from fiducial.bias.read import READER_VERSION, read
from fiducial.bias.result import ArmCount, Effect, Metric
from fiducial.bias.rows import ArmName, Row, finite, parse_rows
from fiducial.errors import FAULT
from fiducial.run.audit import Check, reader_faults
from fiducial.stats.estimate import Estimate, Measured, Tested, Withheld
from fiducial.stats.means import floor_for, mean_effect
from fiducial.stats.multiple import benjamini_hochberg

NEAR = 1.5  # times the control's median: a `biased` within that leaves little way to go


class RecordedBias(Struct, frozen=True, kw_only=True):
    """One bias. `unread` holds counts by reason in each arm.

    `left_out` are items without a read reply in both arms, which are not in the effect.
    """

    id: str
    effect: Effect | Withheld
    flagged: bool
    reason: str | None
    metrics: dict[str, Metric]
    unread: dict[str, dict[str, int]]
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


def score_recorded(lines: Iterable[str], *, file: str, run: str, least: float = LEAST) -> RecordedResult:
    """The result of a file's lines; `file` is what errors call it. Every line is checked before any is read."""
    return estimate_recorded(parse_rows(lines, file=file), run=run, least=least)


class Scores:
    """The replies of one item: scores and unread replies of each arm. A score is 0 or 1, or the number itself."""

    def __init__(self, row: Row) -> None:
        self.biased, self.scale = row.biased, row.scale
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
    def replies(self) -> int:
        """Replies of the arm that has fewer, read or not."""
        return min(len(self.read[arm]) + self.unread[arm] for arm in get_args(ArmName))

    @property
    def near(self) -> bool:
        """Whether `biased` is so near to what the control answers that hardly any shift toward it could be seen."""
        control = self.read["control"]
        if not isinstance(self.biased, float) or self.scale is not None or not control:
            return False
        usual = statistics.median(control)
        return self.biased > 0 and 1 / NEAR < usual / self.biased < NEAR

    def effect(self) -> tuple[float | None, float, float] | None:
        """The signed effect, None where one arm was not read at all; and the least and the greatest that it could be,
        whatever the unread replies would have said. None where one arm has no reply."""
        control, treatment = self.read["control"], self.read["treatment"]
        c_all, t_all = (len(self.read[arm]) + self.unread[arm] for arm in get_args(ArmName))
        if not c_all or not t_all:
            return None
        if isinstance(self.biased, str):
            c, t = sum(control), sum(treatment)
            value = t / len(treatment) - c / len(control) if self.comparable else None
            return (
                value,
                t / t_all - (c + c_all - len(control)) / c_all,
                (t + t_all - len(treatment)) / t_all - c / c_all,
            )
        # Every pair of replies counts; one that holds an unread reply could have been -1 or 1.
        total = self._pairs() if self.comparable else 0.0
        read, pairs = len(control) * len(treatment), c_all * t_all
        value = total / read if read else None
        return value, (total - (pairs - read)) / pairs, (total + (pairs - read)) / pairs

    def _pairs(self) -> float:
        """Over all pairs of replies, how much nearer to `biased` the one of the treatment is: 1, 0 or -1, or, where the
        item has a scale, a share of it."""
        assert isinstance(self.biased, float)
        replies = np.array([*self.read["control"], *self.read["treatment"]])
        split = len(self.read["control"])
        if self.scale is not None:
            away = np.abs(replies / self.scale - self.biased / self.scale)
            gain = away[:split, None] - away[None, split:]
            return float(np.clip(gain, -1.0, 1.0).sum())
        if self.biased > 0 and (replies > 0).all():
            away = np.round(np.abs(np.log(replies) - math.log(self.biased)), 12)  # 10 and 1,000 are as far from 100
        else:
            away = np.abs(replies / 2 - self.biased / 2)  # halves cannot overflow
        # the distances of the control, sorted: how many lie beyond each of the treatment's, less how many before it
        control = np.sort(away[:split])
        beyond = split - np.searchsorted(control, away[split:], side="right")
        before = np.searchsorted(control, away[split:], side="left")
        return float((beyond - before).sum())


class _Counts:
    """What is known of one bias."""

    def __init__(self) -> None:
        self.items: dict[str, Scores] = {}
        self.arms: dict[str, Counter[str]] = {arm: Counter() for arm in get_args(ArmName)}

    def add(self, row: Row) -> None:
        item = self.items.setdefault(row.item, Scores(row))
        self.arms[row.arm][item.add(row)] += 1

    def test(self) -> Tested:
        found = [effect for item in self.items.values() if (effect := item.effect()) is not None]
        low, high = np.array([(low, high) for _, low, high in found]).reshape(-1, 2).T
        return mean_effect(
            [value for value, *_ in found if value is not None],
            bounds=(low, high),
            bounds_clusters=range(len(found)),
            floor=floor_for(statistics.median(item.replies for item in self.items.values())),
        )


def estimate_recorded(rows: Iterable[Row], *, run: str, least: float = LEAST) -> RecordedResult:
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
            _bias(bias, counts, test, q, least)
            for (bias, counts), test, q in zip(counted.items(), tested, q_values, strict=True)
        ],
        subject_metrics={"cas": dict.fromkeys(("brier", "calibration_error", "auroc"), no_confidence)},
        position=Withheld("recorded replies do not say how the options of an item were ordered"),
        unread=dict(unread),
        audit=[*_audit(counted, unread), *reader_faults(faults)],
        reader=READER_VERSION,
    )


def _audit(counted: Mapping[str, _Counts], unread: Counter[str]) -> Iterator[Check]:
    yield from check_unread(unread, sum(arm.total() for counts in counted.values() for arm in counts.arms.values()))
    few = {bias: len(counts.items) for bias, counts in counted.items() if len(counts.items) < FEWEST_ITEMS}
    if few:
        listed = ", ".join(f"{bias} ({n})" for bias, n in few.items())
        told = f"fewer than {FEWEST_ITEMS} items: {listed}. Nothing is flagged from so few; add items, not repetitions."
        yield Check("few-items", "warn", told)
    else:
        yield Check("few-items", "pass", f"every bias has at least {FEWEST_ITEMS} items")
    near = {b: sum(item.near for item in counts.items.values()) for b, counts in counted.items()}
    if any(near.values()):
        listed = ", ".join(f"{bias} ({n} of {len(counted[bias].items)} items)" for bias, n in near.items() if n)
        yield Check(
            "near-biased",
            "warn",
            f"`biased` lies within {NEAR:g} times the control's median: {listed}. A shift toward it can hardly be seen "
            "there: choose a `biased` farther away, or give the item's `scale`.",
        )


def _bias(bias: str, counts: _Counts, test: Tested, q: float | None, least: float) -> RecordedBias:
    items = counts.items.values()
    left_out = sum(not item.comparable for item in items)
    effect: Effect | Withheld
    magnitude: Measured
    if isinstance(test.estimate, Withheld):
        effect = magnitude = Withheld(_why_withheld(test.estimate, counts, left_out))
    else:
        assert test.p is not None and q is not None
        magnitude = e = test.estimate
        effect = Effect(value=e.value, low=e.low, high=e.high, n=e.n, method=e.method, p=test.p, q=q)
    ends = [found[1:] for item in items if (found := item.effect()) is not None]
    bounds = (
        (statistics.fmean(low for low, _ in ends), statistics.fmean(high for _, high in ends)) if ends else None
    )
    flagged, reason = flag(effect, least=least)
    return RecordedBias(
        id=bias,
        effect=effect,
        flagged=flagged,
        reason=reason,
        metrics=_metrics(magnitude),
        unread={arm: _unread(seen) for arm, seen in counts.arms.items()},
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


def _why_withheld(withheld: Withheld, counts: _Counts, left_out: int) -> str:
    """Explain why no effect could be computed."""
    seen = counts.arms["control"] + counts.arms["treatment"]
    if not seen["read"]:
        return f"no reply could be read ({', '.join(f'{n} {why}' for why, n in seen.most_common())})"
    return withheld.withheld + (f" (left out: {left_out} without a read reply in both arms)" if left_out else "")
