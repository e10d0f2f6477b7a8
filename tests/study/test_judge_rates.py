"""The numbers of a calibration against truth: known formulas, and many simulated judges."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.stats.kappa import cohens_kappa
from fiducial.stats.proportion import wilson
from fiducial.study.judge_rates import Judged, calibration_error, kappa, sensitivity, share, specificity

Z = 1.959963984540054


def judged(label: int, scores: Sequence[float], **more: str) -> list[Judged]:
    return [Judged(label=label, score=float(score), **more) for score in scores]  # type: ignore[arg-type]


def known(measured: Measured) -> Estimate:
    assert isinstance(measured, Estimate)
    return measured


def test_a_rate_is_the_mean_verdict_under_its_label_and_borderline_is_half() -> None:
    cases = judged(1, [1, 1, 0.5, 0]) + judged(0, [0, 0, 0, 1, 0.5])
    assert known(sensitivity(cases)).value == pytest.approx(2.5 / 4)
    assert known(specificity(cases)).value == pytest.approx(1 - 1.5 / 5)
    assert (known(sensitivity(cases)).n, known(specificity(cases)).n) == (4, 5)


def test_without_borderlines_the_interval_is_wilsons() -> None:
    found, expected = known(sensitivity(judged(1, [1] * 41 + [0] * 9))), wilson(41, 50)
    assert (found.low, found.high) == (expected.low, expected.high)


@pytest.mark.parametrize("scores", [[1] * 30, [0] * 30])
def test_a_judge_that_never_errs_or_always_does_still_has_an_interval(scores: list[float]) -> None:
    found = known(sensitivity(judged(1, scores)))
    assert found.value == scores[0]
    assert found.high - found.low == pytest.approx(Z**2 / (30 + Z**2))


def test_where_a_label_has_no_verdict_there_is_no_rate() -> None:
    assert isinstance(sensitivity(judged(0, [0, 1])), Withheld)
    assert isinstance(specificity([]), Withheld)
    assert isinstance(kappa(judged(1, [1, 0, 1])), Withheld)
    assert isinstance(kappa([]), Withheld)
    assert share(0, 0, "there is none") == Withheld("there is none")


def covered(truth: float, between: float, n: int, *, draws: int = 3000) -> float:
    """How often the interval holds the mean verdict of a judge that says yes, borderline or no with these shares."""
    rng = np.random.default_rng(7)
    yes = truth - between / 2
    hits = 0
    cache: dict[tuple[int, int], Estimate] = {}
    for ones, halves in rng.multinomial(n, [yes, between, 1 - yes - between], size=draws)[:, :2].tolist():
        if (ones, halves) not in cache:
            scores = [1.0] * ones + [0.5] * halves + [0.0] * (n - ones - halves)
            cache[ones, halves] = known(sensitivity(judged(1, scores)))
        hits += cache[ones, halves].low <= truth <= cache[ones, halves].high
    return hits / draws


@pytest.mark.parametrize("n", [30, 60, 200])
@pytest.mark.parametrize(("truth", "between"), [(0.6, 0.0), (0.8, 0.0), (0.8, 0.2), (0.93, 0.0), (0.93, 0.1)])
def test_the_interval_of_a_rate_covers_it(truth: float, between: float, n: int) -> None:
    share_covered = covered(truth, between, n)
    assert (
        share_covered >= 0.93 - 0.012
    )  # Wilson's own dips for few cases, and three standard errors of the simulation
    if between:
        assert share_covered >= 0.95 - 0.012  # a borderline varies less than it is taken to


@pytest.mark.parametrize(("truth", "correlation"), [(0.75, 0.2), (0.9, 0.1)])
def test_with_many_documents_the_interval_covers_the_rate_on_others(truth: float, correlation: float) -> None:
    rng = np.random.default_rng(11)
    a, b = (x * (1 - correlation) / correlation for x in (truth, 1 - truth))
    hits = naive = 0
    for _ in range(400):
        rates = rng.beta(a, b, 16)
        cases = [
            case
            for k, rate in enumerate(rates.tolist())
            for case in judged(1, (rng.random(8) < rate).astype(float).tolist(), document=f"d{k}")
        ]
        found = known(sensitivity(cases))
        assert found.n == 16 and "document" in found.method
        hits += found.low <= truth <= found.high
        alone = wilson(int(sum(case.score for case in cases)), len(cases))
        naive += alone.low <= truth <= alone.high
    assert hits / 400 >= 0.92
    assert naive < hits


def test_with_few_documents_it_is_said_that_the_rate_is_theirs() -> None:
    few = [case for k in range(7) for case in judged(1, [1, 0], document=f"d{k}")]
    assert known(sensitivity(few)).method == "Wilson over cases, for these documents only"
    assert known(sensitivity(judged(1, [1, 0]))).method == "Wilson over cases"


def table(ones: Sequence[float], zeros: Sequence[float]) -> list[Judged]:
    return judged(1, ones) + judged(0, zeros)


@pytest.mark.parametrize(
    "cases",
    [
        table([1] * 40 + [0] * 10, [0] * 35 + [1] * 15),
        table([1] * 40 + [0.5] * 5 + [0] * 5, [0] * 30 + [0.5] * 8 + [1] * 12),
        table([1] * 90 + [0] * 10, [0] * 5 + [1] * 5),
    ],
)
def test_kappa_is_cohens_and_its_interval_like_the_one_for_large_samples(cases: list[Judged]) -> None:
    found = known(kappa(cases))
    plain = known(cohens_kappa([float(c.label) for c in cases], [c.score for c in cases]))
    assert found.value == pytest.approx(plain.value)
    assert found.low < found.value < found.high
    assert 0.9 <= (found.high - found.low) / (plain.high - plain.low) < 1.35


def test_kappa_of_a_judge_that_never_erred_is_not_certain() -> None:
    cases = table([1] * 30, [0] * 30)
    assert known(cohens_kappa([c.label for c in cases], [c.score for c in cases])).low == pytest.approx(1.0)
    found = known(kappa(cases))
    assert found.value == pytest.approx(1.0) and found.high <= 1.0 and 0.75 < found.low < 0.95


@pytest.mark.parametrize(
    ("right", "n"), [((0.9, 0.8), 60), ((0.97, 0.97), 30), ((0.7, 0.6), 40), ((0.99, 0.99), 60)]
)
def test_the_interval_of_kappa_covers_it_when_the_labels_are_given(right: tuple[float, float], n: int) -> None:
    rng = np.random.default_rng(3)
    base = 0.5
    observed = base * right[1] + (1 - base) * right[0]
    ones = base * right[1] + (1 - base) * (1 - right[0])
    expected = base * ones + (1 - base) * (1 - ones)
    truth = (observed - expected) / (1 - expected)
    hits = 0
    for _ in range(1000):
        a, b = rng.binomial(n, right[1]), rng.binomial(n, right[0])
        found = known(kappa(table([1] * a + [0] * (n - a), [0] * b + [1] * (n - b))))
        hits += found.low <= truth <= found.high
    assert hits / 1000 >= 0.945


def test_the_calibration_error_is_the_gap_between_confidence_and_being_right() -> None:
    cases = [Judged(label=1, score=float(k < 15), confidence=0.95) for k in range(20)]
    cases += [Judged(label=0, score=float(k < 2), confidence=0.85) for k in range(10)]
    found = known(calibration_error(cases))
    assert found.value == pytest.approx((20 * 0.20 + 10 * 0.05) / 30)
    assert found.low <= found.value <= found.high and found.n == 30
    assert found == calibration_error(cases)  # the same draws every time


def test_a_judge_that_knows_how_sure_to_be_has_a_small_error_and_a_boaster_a_large_one() -> None:
    rng = np.random.default_rng(5)
    sure = rng.uniform(0.5, 1, 2000)
    honest = [
        Judged(label=1, score=float(u < p), confidence=float(p))
        for p, u in zip(sure, rng.random(2000), strict=True)
    ]
    assert known(calibration_error(honest)).value < 0.05
    boaster = [Judged(label=case.label, score=case.score, confidence=1.0) for case in honest]
    found = known(calibration_error(boaster))
    assert found.low <= 0.25 <= found.high  # right in three of four


def test_without_a_stated_confidence_or_with_few_there_is_no_calibration_error() -> None:
    assert calibration_error(judged(1, [1] * 50)) == Withheld("the task asks for no confidence")
    assert calibration_error([]) == Withheld("no case has a verdict")
    few = [Judged(label=1, score=1.0, confidence=0.9) for _ in range(9)]
    assert isinstance(calibration_error(few), Withheld)
    between = [Judged(label=1, score=0.5, between=True, confidence=0.9) for _ in range(50)]
    assert isinstance(calibration_error(few + between), Withheld)


def test_shares_are_wilsons() -> None:
    found = known(share(3, 40, ""))
    expected = stats.binomtest(3, 40).proportion_ci(method="wilson")
    assert math.isclose(found.low, expected.low, abs_tol=1e-9) and math.isclose(
        found.high, expected.high, abs_tol=1e-9
    )
