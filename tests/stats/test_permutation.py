"""Permutation tests against scipy, by hand, and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from fiducial.stats.permutation import DRAWS, exchange, least_exchange, sign_flip


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("seed", range(6))
def test_exact_sign_flips_agree_with_scipy(seed: int) -> None:
    values = rng(seed).normal(0.3, 1, 9)
    oracle = stats.permutation_test((values,), np.mean, permutation_type="samples", n_resamples=np.inf)
    found = sign_flip(values, rng=rng())
    assert found.exact and found.p == pytest.approx(oracle.pvalue)


def test_rates_with_ties_agree_with_scipy() -> None:
    thirds = np.array([1, 0, -1, 2, 1, 1, 0, 3, 1, -1]) / 3  # sums that are equal but for rounding have to count
    oracle = stats.permutation_test((np.rint(thirds * 3),), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert sign_flip(thirds, rng=rng()).p == pytest.approx(oracle.pvalue)


def test_drawn_sign_flips_come_near_the_exact_p_and_repeat_with_the_generator() -> None:
    values = np.concatenate((rng(3).normal(0.5, 1, 16), [1e-5] * 4))  # 20 that move: too many for every pattern
    drawn, exact = sign_flip(values, rng=rng()), sign_flip(values[:16], rng=rng())
    assert exact.exact and not drawn.exact
    assert drawn.p == pytest.approx(exact.p, abs=0.01)
    assert sign_flip(values, rng=rng()) == drawn != sign_flip(values, rng=rng(2))


def test_a_drawn_p_is_never_zero() -> None:
    assert sign_flip(np.ones(60), rng=rng()).p == pytest.approx(1 / (DRAWS + 1))
    assert exchange([(np.zeros(20), np.ones(20))], rng=rng()).p == pytest.approx(1 / (DRAWS + 1))


@pytest.mark.parametrize(("pairs", "least"), [(1, 1.0), (5, 0.0625), (6, 0.03125)])
def test_five_pairs_can_show_nothing_and_six_can(pairs: int, least: float) -> None:
    found = sign_flip(np.ones(pairs), rng=rng())
    assert found.p == found.least == pytest.approx(least)


def test_differences_of_a_cluster_flip_together() -> None:
    values, clusters = [1.0, 1.0, 1.0, 1.0, 0.5, 0.5], ["a", "a", "b", "b", "c", "c"]
    assert sign_flip(values, clusters, rng=rng()) == sign_flip([2.0, 2.0, 1.0], rng=rng())
    assert sign_flip(values, rng=rng()).p == pytest.approx(2 / 64)
    assert sign_flip(values, clusters, rng=rng()).p == pytest.approx(2 / 8)


def test_a_cluster_that_sums_to_nothing_changes_no_p() -> None:
    assert sign_flip([1, 1, 1, 0, 0], rng=rng()).p == sign_flip([1, 1, 1], rng=rng()).p
    assert sign_flip([0.5, -0.5], ["a", "a"], rng=rng()).p == 1.0


def test_nothing_to_flip_or_exchange_shows_nothing() -> None:
    assert sign_flip([], rng=rng()).p == sign_flip([], [], rng=rng()).p == 1.0
    assert exchange([], rng=rng()).p == exchange([([1.0], [])], rng=rng()).p == 1.0


@pytest.mark.parametrize("seed", range(4))
def test_an_exact_exchange_agrees_with_scipy(seed: int) -> None:
    a, b = rng(seed).normal(0, 1, 5), rng(seed + 50).normal(1, 1, 5)
    oracle = stats.permutation_test(
        (b, a), lambda x, y: x.mean() - y.mean(), permutation_type="independent", n_resamples=np.inf
    )
    assert exchange([(a, b)], rng=rng()).p == pytest.approx(oracle.pvalue)


def test_single_values_exchanged_are_signs_flipped() -> None:
    a, b = rng(1).normal(0, 1, 8), rng(2).normal(1, 1, 8)
    pairs = [([x], [y]) for x, y in zip(a, b, strict=True)]
    assert exchange(pairs, rng=rng()).p == pytest.approx(sign_flip(b - a, rng=rng()).p)


def test_a_drawn_exchange_comes_near_the_exact_p() -> None:
    a, b = rng(1).normal(0, 1, (3, 3)), rng(2).normal(0.6, 1, (3, 3))
    groups = list(zip(a.tolist(), b.tolist(), strict=True))
    idle = [([0.0] * 6, [0.0] * 6)]  # changes no sum, and makes the patterns too many to try
    drawn, exact = exchange(groups + idle, rng=rng()), exchange(groups, rng=rng())
    assert exact.exact and not drawn.exact and drawn.p == pytest.approx(exact.p, abs=0.01)


def test_the_least_p_of_an_exchange_is_reached_by_the_clearest_outputs() -> None:
    for sizes in ([(3, 3)], [(4, 4)], [(3, 4)], [(3, 3), (3, 3)], [(1, 2), (3, 3)]):
        clear = [([0.0] * a, [1.0] * b) for a, b in sizes]
        assert exchange(clear, rng=rng()).p == pytest.approx(least_exchange(sizes))
    assert least_exchange([(3, 3)]) > 0.05 > least_exchange([(4, 4)])


def test_both_tests_hold_their_level() -> None:
    draws = rng(11)
    flipped = exchanged = 0
    for _ in range(1000):
        values = draws.normal(0, 1, (2, 2, 4))
        exchanged += exchange([(a, b) for a, b in values], rng=draws).p <= 0.05
        flipped += sign_flip(draws.normal(0, 1, 9), rng=draws).p <= 0.05
    assert 30 <= exchanged <= 70 and 30 <= flipped <= 70


def test_both_tests_see_a_shift() -> None:
    draws = rng(12)
    flipped = sum(sign_flip(draws.normal(1, 1, 12), rng=draws).p <= 0.05 for _ in range(200))
    exchanged = sum(
        exchange([(draws.normal(0, 1, 5), draws.normal(1.5, 1, 5)) for _ in range(2)], rng=draws).p <= 0.05
        for _ in range(200)
    )
    assert flipped > 150 and exchanged > 150
