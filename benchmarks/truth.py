"""Do the numbers hold? Each claim of an estimator, held against simulated truth; prints one Markdown table.

    python -m benchmarks.truth [--runs N] [intervals|missing|recorded|judges|reviews …]

Every row has a nominal figure, what the first edition of the program gave (recorded when it was measured, or by its rule,
which is kept here and nowhere else), and what the program gives now. All draws are seeded.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks import truth_judges, truth_reviews
from benchmarks.claims import Claim
from fiducial.bias.recorded import estimate_recorded
from fiducial.bias.rows import Row as RecordedRow
from fiducial.stats.distributions import t_quantile
from fiducial.stats.estimate import Estimate
from fiducial.stats.means import floor_for, mean_effect
from fiducial.study.tables import markdown_table, share

Floats = NDArray[np.floating[Any]]
SEED = 20261117
SIZES = range(8, 16)  # items


# --- One interval rule ---------------------------------------------------------------------------------------------


def plain_t(values: Floats) -> tuple[float, float]:
    """The usual interval."""
    half = t_quantile(0.975, len(values) - 1) * float(values.std(ddof=1)) / len(values) ** 0.5
    return float(values.mean()) - half, float(values.mean()) + half


def first_rule(values: Floats) -> tuple[float, float]:
    """The first edition's: where 70 % or more of the values are equal, two pseudo-items at -1 and 1 are added."""
    low, high = plain_t(values)
    _, counts = np.unique(np.round(values, 12), return_counts=True)
    if counts.max() / len(values) >= 0.7:
        wide = plain_t(np.append(values, (1.0, -1.0)))
        if wide[1] - wide[0] >= high - low:
            low, high = wide
    return low, high


def our_rule(values: Floats) -> tuple[float, float]:
    """The one that is used."""
    found = mean_effect(values.astype(np.float64)).estimate
    assert isinstance(found, Estimate)
    return found.low, found.high


class Subject(NamedTuple):
    """Item effects as they are observed, and their true mean."""

    name: str
    truth: float
    draw: Callable[[np.random.Generator, int], Floats]


def _all_or_nothing(effect: float) -> Subject:
    return Subject(
        f"all or nothing, {effect:g} of the items", effect, lambda rng, n: (rng.random(n) < effect) * 1.0
    )


def _reversed(rng: np.random.Generator, n: int) -> Floats:
    return np.where(rng.random(n) < 0.1, -0.9, 0.1) + rng.normal(0, 0.05, n)


def _skewed(rng: np.random.Generator, n: int) -> Floats:
    """Effects whose distribution has a long tail, each seen in 8 replies an arm."""
    base, effect = 0.05, rng.beta(0.5, 2.5, n) * 0.95
    return rng.binomial(8, base + effect) / 8 - rng.binomial(8, base, n) / 8


SUBJECTS = (
    _all_or_nothing(0.05),
    _all_or_nothing(0.1),
    _all_or_nothing(0.4),
    Subject("90 % of items at +.1, 10 % at −.9, noise .05", 0.0, _reversed),
    Subject("skewed items, 8 replies an arm", 0.95 / 6, _skewed),
    Subject("smooth items, SD .2", 0.3, lambda rng, n: rng.normal(0.3, 0.2, n)),
)


def intervals(runs: int) -> list[Claim]:
    """Coverage over 8 to 15 items by three rules, and the width on smooth subjects."""
    rules = {"t": plain_t, "first": first_rule, "ours": our_rule}
    lines = []
    for subject in SUBJECTS:
        rng = np.random.default_rng(SEED)
        held, width = dict.fromkeys(rules, 0), dict.fromkeys(rules, 0.0)
        for n in SIZES:
            for _ in range(runs):
                values = subject.draw(rng, n)
                for name, rule in rules.items():
                    low, high = rule(values)
                    held[name] += max(-1.0, low) <= subject.truth <= min(1.0, high)
                    width[name] += high - low
        total = runs * len(SIZES)
        covered = {name: k / total for name, k in held.items()}
        told = f"{share(covered['ours'])} (t {share(covered['t'])})"
        lines.append(
            Claim(
                f"interval covers: {subject.name}", "≥ 93 %", share(covered["first"]), told, covered["ours"] >= 0.93
            )
        )
    wider = width["ours"] / width["t"]  # of the last subject, the smooth one
    lines.append(Claim("its width on smooth items, by that of t", "≤ 1.10", "1.00", f"{wider:.2f}", wider <= 1.1))
    return lines


# --- Replies that could not be read --------------------------------------------------------------------------------


def missing(runs: int) -> list[Claim]:
    """15 items, 2 arms of 6 replies; about 9 % of replies unread, more of them where the biased option was chosen."""
    lines = []
    for effect, claim, bound in ((0.0, "false flags", 0.05), (0.3, "interval covers", 0.93)):
        rng = np.random.default_rng(SEED)
        flagged = covered = 0
        for _ in range(runs):
            item = rng.normal(effect, 0.15, 15).clip(-0.5, 0.5)
            value, low, high = np.empty((3, 15))
            arms = {}
            for sign in (1, -1):
                chosen = rng.random((15, 6)) < (0.5 + sign * item / 2)[:, None]
                lost = rng.random((15, 6)) < np.where(chosen == (sign < 0), 0.18, 0.0)
                read = ~lost
                hits, seen = (chosen & read).sum(axis=1), read.sum(axis=1)
                arms[sign] = hits, seen
            (t, tn), (c, cn) = arms[1], arms[-1]
            known = (tn > 0) & (cn > 0)
            value = t[known] / tn[known] - c[known] / cn[known]
            low, high = t / 6 - (c + 6 - cn) / 6, (t + 6 - tn) / 6 - c / 6
            tested = mean_effect(value, bounds=(low, high), bounds_clusters=range(15), floor=floor_for(6))
            e = tested.estimate
            assert isinstance(e, Estimate) and tested.p is not None
            flagged += e.value >= 0.05 and tested.p <= 0.05 and e.low > 0
            covered += e.low <= effect <= e.high
        rate = (flagged if effect == 0.0 else covered) / runs
        first = "40 %" if effect == 0.0 else "81.5 %"
        nominal, met = ("≤ 5 %", rate <= bound) if effect == 0.0 else ("≥ 93 %", rate >= bound)
        lines.append(
            Claim(f"9 % of replies unread, depending on the answer: {claim}", nominal, first, share(rate), met)
        )
    return lines


# --- Numbers that were recorded elsewhere --------------------------------------------------------------------------


def _recorded(rng: np.random.Generator, biased: float, shift: float) -> bool | float:
    """12 items of 10 heavy-tailed replies an arm; whether the bias is flagged."""
    rows = []
    for item in range(12):
        middle = float(np.exp(rng.normal(5, 1.5)))
        for arm, moved in (("control", 0.0), ("treatment", shift)):
            replies = middle * np.exp(moved * np.log(biased) + 0.5 * rng.standard_t(2, 10))
            wild = rng.random(10) < 0.05
            replies = np.where(wild, replies * 10.0 ** rng.integers(-3, 4, 10), replies)
            rows += [
                RecordedRow(
                    line=0,
                    bias="b",
                    item=str(item),
                    arm=arm,  # type: ignore[arg-type]
                    kind="numeric",
                    options=None,
                    prompt=None,
                    biased=middle * biased,
                    response=f"Answer: {value:.6g}" if value < 1e15 else "Answer: 1000000000000000",
                )
                for value in replies
            ]
    bias = estimate_recorded(rows, run="truth").biases[0]
    return bias.flagged if not shift else (0.0 if not isinstance(bias.effect, Estimate) else bias.effect.value)


def recorded(runs: int) -> list[Claim]:
    """`bias score` on numbers without an effect, for several places of `biased`."""
    found = {}
    for biased in (0.1, 1.5, 3.0, 10.0):
        rng = np.random.default_rng(SEED)
        found[biased] = np.mean([bool(_recorded(rng, biased, 0.0)) for _ in range(max(20, runs // 10))])
    worst = float(max(found.values()))
    told = ", ".join(f"{share(float(rate))} at {biased:g} ×" for biased, rate in found.items())
    return [
        Claim(
            "heavy-tailed numbers without an effect flagged, by place of `biased`",
            "≤ 5 %",
            "2 to 30 %",
            told,
            worst <= 0.05,
        )
    ]


SECTIONS: dict[str, Callable[[int], Iterable[Claim]]] = {
    "intervals": intervals,
    "missing": missing,
    "recorded": recorded,
    "judges": lambda runs: truth_judges.judges(max(10, runs // 20)),
    "reviews": lambda runs: truth_reviews.reviews(max(60, runs // 7)),
}


def main() -> int:
    """Print the table; 1 where a claim does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", choices=[[], *SECTIONS], default=[])
    parser.add_argument("--runs", type=int, default=2000)
    told = parser.parse_args()
    lines = [line for name in told.sections or SECTIONS for line in SECTIONS[name](told.runs)]
    rows = [[*line[:4], "yes" if line.holds else "NO"] for line in lines]
    print(markdown_table(["claim", "nominal", "first edition", "now", "holds"], rows))
    return 0 if all(line.holds for line in lines) else 1


if __name__ == "__main__":
    raise SystemExit(main())
