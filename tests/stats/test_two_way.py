from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

from fiducial.stats.estimate import Estimate, Withheld
from fiducial.stats.proportion import wilson
from fiducial.stats.two_way import mean_two_way, share_two_way


def crossed(rows: int, columns: int) -> tuple[list[int], list[int]]:
    return [k for k in range(rows) for _ in range(columns)], [k for _ in range(rows) for k in range(columns)]


def estimate(found: Estimate | Withheld) -> Estimate:
    assert isinstance(found, Estimate)
    return found


def test_the_error_is_that_of_two_way_clusters() -> None:
    rng = np.random.default_rng(5)
    rows, columns = crossed(12, 9)
    values = np.clip(
        0.3 * rng.normal(size=12)[rows] + 0.3 * rng.normal(size=9)[columns] + 0.1 * rng.normal(size=108), -1, 1
    )
    fit = sm.OLS(values, np.ones(108)).fit()
    both = cov_cluster_2groups(fit, np.array(rows), np.array(columns))[0]
    found = estimate(mean_two_way(list(values), rows, columns))
    half = stats.t.ppf(0.975, 8) * math.sqrt(float(both[0, 0]))
    assert found.n == 108
    assert [found.value, found.low, found.high] == pytest.approx(
        [values.mean(), values.mean() - half, values.mean() + half]
    )


def simulated(
    rng: np.random.Generator, *, injections: int, cases: int, each: int, mean: float, sd: tuple[float, float]
) -> tuple[list[bool], list[int], list[int]]:
    """Attacks whose success hangs on the injection and on the case, spread as a study spreads them."""
    rows = [k for k in range(injections) for _ in range(each)]
    columns = [k % cases for k in range(len(rows))]
    logits = mean + sd[0] * rng.normal(size=injections)[rows] + sd[1] * rng.normal(size=cases)[columns]
    return list(rng.random(len(rows)) < 1 / (1 + np.exp(-logits))), rows, columns


def true_share(mean: float, sd: tuple[float, float]) -> float:
    points, weights = np.polynomial.hermite_e.hermegauss(80)
    return float(weights @ (1 / (1 + np.exp(-mean - math.hypot(*sd) * points))) / weights.sum())


@pytest.mark.parametrize("mean", [-2.5, -1.0, 0.5])
@pytest.mark.parametrize("cases", [12, 60])
def test_a_share_is_covered_where_injections_and_cases_both_matter(mean: float, cases: int) -> None:
    rng, sd = np.random.default_rng(1), (1.0, 1.0)
    truth, held, plain, runs = true_share(mean, sd), 0, 0, 400
    for _ in range(runs):
        hits, rows, columns = simulated(rng, injections=60, cases=cases, each=4, mean=mean, sd=sd)
        found, naive = estimate(share_two_way(hits, rows, columns)), wilson(sum(hits), len(hits))
        held += found.low <= truth <= found.high
        plain += naive.low <= truth <= naive.high
    assert held / runs >= 0.92
    assert plain / runs < held / runs


@pytest.mark.parametrize(("worth", "mean"), [(0.0, -1.0), (0.5, -1.0), (0.5, 1.0), (1.0, -2.5)])
def test_what_a_defence_is_worth_is_covered(worth: float, mean: float) -> None:
    rng, sd, held, runs = np.random.default_rng(4), (1.0, 1.0), 0, 400
    truth = worth * true_share(mean, sd)
    for _ in range(runs):
        without, rows, columns = simulated(rng, injections=60, cases=40, each=2, mean=mean, sd=sd)
        kept_off = rng.random(len(without)) < worth
        found = estimate(
            mean_two_way([float(hit and kept) for hit, kept in zip(without, kept_off, strict=True)], rows, columns)
        )
        held += found.low <= truth <= found.high
    assert held / runs >= 0.92


def test_independent_attacks_are_not_punished_for_being_listed_two_ways() -> None:
    rng, held, widths, runs = np.random.default_rng(2), 0, [], 300
    for _ in range(runs):
        hits, rows, columns = simulated(rng, injections=60, cases=120, each=2, mean=-1.0, sd=(0.0, 0.0))
        found, plain = estimate(share_two_way(hits, rows, columns)), wilson(sum(hits), len(hits))
        held += found.low <= true_share(-1.0, (0.0, 0.0)) <= found.high
        widths.append((found.high - found.low) / (plain.high - plain.low))
    assert 0.92 <= held / runs <= 0.99
    assert float(np.mean(widths)) < 1.25


@pytest.mark.parametrize("hit", [0.0, 1.0])
def test_hits_that_are_all_alike_count_as_many_as_there_are_clusters_of_the_rarer_way(hit: float) -> None:
    rows, columns = crossed(30, 5)
    found = estimate(share_two_way([hit] * 150, rows, columns))
    alone = wilson(int(5 * hit), 5)
    assert (found.value, found.low, found.high, found.n) == (hit, alone.low, alone.high, 150)
    assert "all alike" in found.method


def test_a_single_attack_says_next_to_nothing() -> None:
    found = estimate(share_two_way([1.0], ["a"], ["b"]))
    assert found.low < 0.25 and found.high == 1.0
    assert isinstance(mean_two_way([1.0], ["a"], ["b"]), Withheld)


def test_nothing_gives_no_number() -> None:
    assert isinstance(share_two_way([], [], []), Withheld)
    assert isinstance(mean_two_way([], [], []), Withheld)


def test_one_cluster_in_a_way_gives_no_difference() -> None:
    assert isinstance(
        mean_two_way([0.0, 1.0, 0.0], ["a", "b", "c"], ["x", "x", "x"], units="this and that"), Withheld
    )


@pytest.mark.parametrize("values", [[0.0] * 40, [1.0] * 40, [-1.0] * 39 + [1.0], [0.0] * 39 + [1.0]])
def test_a_difference_that_is_nearly_always_the_same_has_an_interval_all_the_same(values: Sequence[float]) -> None:
    rows, columns = crossed(8, 5)
    found = estimate(mean_two_way(values, rows, columns))
    assert -1 <= found.low <= found.value <= found.high <= 1
    assert found.high - found.low > 0.05
    assert "Bonett" in found.method


def test_no_interval_is_ever_without_a_number() -> None:
    rng = np.random.default_rng(3)
    for size in (1, 2, 3, 7):
        for _ in range(200):
            hits = [float(hit) for hit in rng.integers(0, 2, size)]
            rows, columns = rng.integers(0, 3, size).tolist(), rng.integers(0, 3, size).tolist()
            found = estimate(share_two_way(hits, rows, columns))
            assert 0 <= found.low <= found.value <= found.high <= 1
            difference = mean_two_way([2 * hit - 1 for hit in hits], rows, columns)
            assert isinstance(difference, Withheld) or -1 <= difference.low <= difference.high <= 1
