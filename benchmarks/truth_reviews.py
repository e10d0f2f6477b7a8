"""Do the figures of a review hold? Simulated reviewers whose truth is known. A section of `benchmarks.truth`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from benchmarks.claims import Claim
from fiducial.judge.genuine import GenuineVerdict
from fiducial.judge.match import MatchVerdict
from fiducial.review.dataset import MustFind
from fiducial.review.finding import Finding
from fiducial.review.output import Judged, Output
from fiducial.review.precision import documents_differ, precision
from fiducial.review.recall import LEVEL, recall
from fiducial.review.result import Recall
from fiducial.stats.proportion import wilson

SEED = 20261117
CORRELATION = 0.3


class Row(Struct, frozen=True):
    """One claim. `bound` is the most that `now` may be, or the least where `least`."""

    claim: str
    bound: float
    least: bool
    before: str  # the figure of the first edition, where it was measured
    now: float
    simulated: int

    @property
    def holds(self) -> bool:
        """Whether it does, allowing for the chance in so many simulations."""
        interval = wilson(round(self.now * self.simulated), self.simulated)
        return interval.high >= self.bound if self.least else interval.low <= self.bound


def _verdict(found: bool) -> MatchVerdict:
    return MatchVerdict(verdict="found", finding=1) if found else MatchVerdict(verdict="not_found", finding=None)


def _recall(hits: np.ndarray, min_recall: float) -> Recall:
    """`hits` has a row an item and a column a run."""
    items = [MustFind(id=f"m{k}", title="t", issue="i", min_recall=min_recall) for k in range(len(hits))]
    outputs = [
        Output(
            document="d",
            reviewer="r",
            run=run,
            status="findings",
            matches={item.id: _verdict(bool(hit)) for item, hit in zip(items, hits[:, run], strict=True)},
        )
        for run in range(hits.shape[1])
    ]
    found = recall(outputs, {"d": items})
    assert isinstance(found, Recall)
    return found


def _failed(rng: np.random.Generator, items: int, runs: int, share: float, minimum: float, times: int) -> float:
    """How often the list, or an item of it, fails: each item has a rate of its own, so that runs are correlated."""
    wide = (1 - CORRELATION) / CORRELATION
    failed = 0
    for _ in range(times):
        rates = rng.beta(share * wide, (1 - share) * wide, items)
        whole = _recall(rng.random((items, runs)) < rates[:, None], minimum).list
        failed += (whole.p is not None and whole.p < LEVEL) or bool(whole.missed)
    return failed / times


def gates(times: int) -> Iterator[Row]:
    """False failures and power of the gate on must-finds, with runs correlated by .3."""
    rng = np.random.default_rng(SEED)
    for minimum in (0.8, 0.9):
        for items, runs, before in ((10, 3, "14–27 %"), (6, 3, "27 %"), (10, 10, "14–27 %")):
            now = _failed(rng, items, runs, minimum, minimum, times)
            claim = f"gate fails a reviewer at its min_recall {minimum}: {items} items × {runs} runs"
            yield Row(claim, 0.07, False, before, now, times)
    now = _failed(rng, 10, 3, 0.5, 0.9, times)
    yield Row("gate fails a reviewer at recall .5, min_recall .9: 10 items × 3 runs", 0.80, True, "", now, times)


def _judged(number: int, genuine: bool, title: str) -> Judged:
    said = GenuineVerdict(
        verdict="genuine" if genuine else "not_genuine", evidence="", reason="", category=None, confidence=1.0
    )
    return Judged(number=number, finding=Finding(title=title), verdict=said)


def _review(
    rng: np.random.Generator, documents: int, runs: int, shares: list[float], recognised: float
) -> list[Output]:
    """Each document has 5 to 15 claims, each with its own chance to be found. A claim that is recognised keeps its words."""
    outputs = []
    for d in range(documents):
        genuine = rng.random(rng.integers(5, 16)) < shares[d % len(shares)]
        chances = rng.random(len(genuine))
        for run in range(runs):
            found = np.flatnonzero(rng.random(len(genuine)) < chances)
            findings = tuple(
                _judged(n, bool(genuine[k]), f"claim {k}" if rng.random() < recognised else f"{rng.random()}")
                for n, k in enumerate(found, 1)
            )
            status = "findings" if findings else "explicit_none"
            outputs.append(
                Output(document=f"d{d}", reviewer="r", run=run, status=status, findings=findings)  # type: ignore[arg-type]
            )
    return outputs


def intervals(times: int) -> Iterator[Row]:
    """How often the interval of precision holds the share of claims that are genuine."""
    rng = np.random.default_rng(SEED + 1)
    for documents in (1, 3, 10):
        for runs in (3, 10):
            for recognised in (0.0, 0.15, 0.5, 1.0):
                held, counted = 0, 0
                for share in (0.3, 0.6, 0.9):
                    for _ in range(times // 3):
                        found = precision(_review(rng, documents, runs, [share], recognised), seed=1)
                        if found.low is not None and found.high is not None:
                            held, counted = held + (found.low <= share <= found.high), counted + 1
                before = "59 %" if (runs, recognised) == (10, 0.15) and documents == 1 else ""
                claim = (
                    f"precision covered: {documents} documents × {runs} runs, {recognised:.0%} of claims recognised"
                )
                yield Row(claim, 0.92, True, before, held / counted, counted)


def documents(times: int) -> Iterator[Row]:
    """How often documents are called different, where they are not and where they are."""
    rng = np.random.default_rng(SEED + 2)
    for shares, bound, least in (([0.6], 0.07, False), ([0.2, 0.9], 0.80, True)):
        seen = [documents_differ(_review(rng, 6, 3, shares, 0.0), seed=n) for n in range(times // 3)]
        now = sum(p is not None and p < LEVEL for p in seen) / len(seen)
        yield Row(
            f"`documents-differ` at true precision {shares}, 6 documents × 3 runs", bound, least, "", now, len(seen)
        )


def missing(times: int) -> Iterator[Row]:
    """A reviewer with recall .45 that wrote something on 10 of 50 documents: the rest counts as not found."""
    rng = np.random.default_rng(SEED + 3)
    held = 0
    for _ in range(times):
        hits = np.zeros((50, 3), dtype=bool)
        hits[:10] = rng.random((10, 3)) < 0.45
        found = _recall(hits, 0.8).list
        looked = wilson(found.detected, 150)
        held += looked.low <= 0.09 <= looked.high
    yield Row("recall .09 covered: outputs on 10 of 50 documents", 0.92, True, "recall .39", held / times, times)


def reviews(times: int) -> Iterator[Claim]:
    """Every claim about reviews, with so many simulated reviews each."""
    for row in (*gates(times), *intervals(times), *documents(times), *missing(times)):
        bound = f"{'≥' if row.least else '≤'} {row.bound:.0%}"
        yield Claim(row.claim, bound, row.before or "–", f"{row.now:.1%}", row.holds)
