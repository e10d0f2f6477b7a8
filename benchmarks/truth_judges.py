"""How often corrected shares hold the truth: simulated judges with a seed. A section of `benchmarks.truth`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.claims import Claim
from fiducial.judge.correct import Correction, Verdict, correct
from fiducial.stats.corrected import Floats
from fiducial.stats.estimate import Withheld

JUDGES = (
    (0.98, 0.08),
    (0.95, 0.15),
    (0.9, 0.35),
    (0.8, 0.2),
    (0.7, 0.4),
)  # mean verdict where the label is 1, and 0
GROUPS = (1, 2, 4, 8)  # labelled ones
BETWEEN = 0.15  # intraclass correlation of the judge's rates between groups


class Tally:
    """How often intervals held the truth, how wide they were, and how many there were."""

    def __init__(self) -> None:
        self.asked = self.answered = self.held = self.empty = 0
        self.narrow = self.narrow_wrong = 0
        self.width = 0.0

    def add(self, found: Correction, truth: float) -> None:
        """One correction."""
        self.asked += 1
        share = found.corrected
        if isinstance(share, Withheld):
            return
        width, held = share.high - share.low, share.low - 1e-9 <= truth <= share.high + 1e-9
        self.answered += 1
        self.held += held
        self.width += width
        self.empty += width <= 0 and share.kind != "count"
        self.narrow += width < 0.05
        self.narrow_wrong += width < 0.05 and not held

    @property
    def covered(self) -> float:
        """Share of the answers that hold the truth."""
        return self.held / self.answered

    def words(self) -> str:
        """Coverage and width."""
        return f"{self.covered:.1%} at width {self.width / self.answered:.2f}"


def rows(
    rng: np.random.Generator, n: int, share: float, rates: tuple[float, float], *, labels: int, group: str
) -> tuple[list[Verdict], Floats]:
    """Cases of one group, labels on the first of them, and the truth of all."""
    truth = rng.random(n) < share
    said = (rng.random(n) < np.where(truth, *rates)).astype(float)
    made = [
        Verdict(verdict=float(v), label=int(t) if k < labels else None, group=group)
        for k, (v, t) in enumerate(zip(said, truth, strict=True))
    ]
    return made, truth.astype(float)


def rates_of_a_group(rng: np.random.Generator, means: tuple[float, float], between: float) -> tuple[float, float]:
    """Beta-distributed around the means with this intraclass correlation."""
    scale = 1 / between - 1
    return float(rng.beta(means[0] * scale, (1 - means[0]) * scale)), float(
        rng.beta(means[1] * scale, (1 - means[1]) * scale)
    )


def from_other_groups(
    runs: int, *, seed: int, groups: Sequence[int] = GROUPS, between: float = BETWEEN, population: bool = False
) -> Tally:
    """300 labels spread over other groups, none on the 400 rows that are estimated."""
    rng, tally = np.random.default_rng(seed), Tally()
    for _ in range(runs):
        for means in JUDGES:
            for k in groups:
                study = []
                for name in range(k):
                    rates = rates_of_a_group(rng, means, between)
                    n = 300 // k
                    study += rows(rng, n, rng.uniform(0.3, 0.95), rates, labels=n, group=str(name))[0]
                share = rng.uniform(0.05, 0.95)
                own, truth = rows(rng, 400, share, rates_of_a_group(rng, means, between), labels=0, group="new")
                found = correct([*study, *own], group="new", population=population)
                tally.add(found, share if population else float(truth.mean()))
    return tally


def from_own_rows(runs: int, *, seed: int, n: int, labels: int, population: bool) -> Tally:
    """Labels on a random part of the rows, for four judges and shares."""
    rng, tally = np.random.default_rng(seed), Tally()
    for means, share in (((0.9, 0.1), 0.5), ((0.98, 0.4), 0.85), ((0.6, 0.3), 0.8), ((0.95, 0.05), 0.2)):
        for _ in range(runs):
            study, truth = rows(rng, n, share, means, labels=labels, group="own")
            tally.add(correct(study, population=population), share if population else float(truth.mean()))
    return tally


def unlike_the_labelled(verdicts: int = 400) -> Correction:
    """A judge that accepts almost nothing of a group of which .555 is genuine; elsewhere it accepts half of what is not."""
    study = [
        Verdict(verdict=float(k % 20 < (19 if label else 10)), label=label, group=f"g{name}")
        for name in range(8)
        for label in (0, 1)
        for k in range(40)
    ]
    return correct([*study, *(Verdict(verdict=0.0, group="new") for _ in range(verdicts))], group="new")


def promise(runs: int, *, seed: int) -> float:
    """What 30 labels really give, over what the output says that they would give (half the width, means of both)."""
    rng, said, given = np.random.default_rng(seed), 0.0, 0.0
    for _ in range(runs):
        for means in JUDGES:
            study = [
                row
                for name in range(6)
                for row in rows(rng, 60, 0.6, rates_of_a_group(rng, means, 0.02), labels=60, group=str(name))[0]
            ]
            own, truth = rows(rng, 400, 0.6, rates_of_a_group(rng, means, 0.02), labels=0, group="new")
            found = correct([*study, *own], group="new")
            labelled = [
                Verdict(verdict=row.verdict, label=int(truth[k]) if k < 30 else None, group="new")
                for k, row in enumerate(own)
            ]
            share = correct(labelled, group="new").corrected
            if found.shift.own_labels_would_give is not None and not isinstance(share, Withheld):
                said += found.shift.own_labels_would_give
                given += (share.high - share.low) / 2
    return given / said


def judges(runs: int) -> Iterator[Claim]:
    """Every claim about corrected shares."""
    several = from_other_groups(max(2, runs // 8), seed=1)
    yield Claim(
        "labels of 1, 2, 4 and 8 other groups, intraclass correlation .15: the range holds the mean label of the rows",
        "≥ 93 %",
        "81–83 %",
        several.words(),
        several.covered >= 0.93,
    )
    answered = several.answered / several.asked
    yield Claim("… and judges better than chance get an answer", "≥ 75 %", "—", f"{answered:.0%}", answered >= 0.75)
    yield Claim(
        "… and ranges narrower than .05 that miss",
        "at most 5 %",
        "12 of 12",
        f"{several.narrow_wrong} of {several.narrow}",
        several.narrow_wrong <= 0.05 * several.narrow,
    )
    many = from_other_groups(max(2, runs // 16), seed=2, groups=(5, 8), population=True)
    yield Claim(
        "labels of 5 and 8 other groups: the range holds the share of the population",
        "≥ 93 %",
        "—",
        many.words(),
        many.covered >= 0.93,
    )
    unlike = unlike_the_labelled().corrected
    yield Claim(
        "a raw share of 0 that the labelled groups hardly allow (truth .555)",
        "withheld",
        "0.00 [0.00, 0.00]",
        "withheld" if isinstance(unlike, Withheld) else f"{unlike.value:.2f} [{unlike.low:.2f}, {unlike.high:.2f}]",
        isinstance(unlike, Withheld),
    )
    own = runs * 3
    for words, n, labels, population, first in (
        ("60 labels on 400 rows: the interval holds the mean label of these rows", 400, 60, False, "—"),
        ("60 labels on 400 rows, --population", 400, 60, True, ".71–.90 (all of these)"),
        ("200 labels on 400 rows, --population", 400, 200, True, ""),
        ("all of 200 rows labelled, --population", 200, 200, True, ""),
        ("5 labels on 50 rows", 50, 5, False, "—"),
        ("5 labels on 50 rows, --population", 50, 5, True, ""),
    ):
        tally = from_own_rows(own, seed=3, n=n, labels=labels, population=population)
        held = tally.covered >= 0.93 and not tally.empty
        yield Claim(words, "≥ 93 %", first, tally.words(), held)
    ratio = promise(max(2, runs // 16), seed=4)
    yield Claim(
        "30 labels give the width that the output says they would",
        "ratio .7 to 1.4",
        "—",
        f"{ratio:.2f}",
        0.7 <= ratio <= 1.4,
    )
