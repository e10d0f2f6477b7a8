from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.proportion import confint_proportions_2indep

from fiducial.stats.combination import combined_shares


@pytest.mark.parametrize("counts", [(5, 10, 2, 12), (0, 6, 0, 6), (6, 6, 0, 6), (1, 3, 3, 3)])
def test_the_difference_of_two_shares_has_the_interval_of_agresti_and_caffo(
    counts: tuple[int, int, int, int],
) -> None:
    x1, n1, x2, n2 = counts
    found, error = combined_shares([1, -1], [x1, x2], [n1, n2])
    low, high = confint_proportions_2indep(x1, n1, x2, n2, method="agresti-caffo")
    assert (found.low, found.high) == pytest.approx((max(-1, low), min(1, high)))
    assert found.value == pytest.approx(x1 / n1 - x2 / n2) and found.n == n1 + n2
    assert error > 0 and found.high > found.low


def test_a_combination_of_shares_is_covered_as_often_as_it_says() -> None:
    draw = np.random.default_rng(3)
    weights, chances, n = np.array([0.25, 0.25, -0.25, -0.25]), np.array([0.7, 0.6, 0.2, 0.4]), 6
    truth = float(weights @ chances)
    hits = 0
    for _ in range(3000):
        found, _ = combined_shares(list(weights), list(draw.binomial(n, chances)), [n] * 4)
        hits += found.low <= truth <= found.high
    assert 0.93 <= hits / 3000 <= 0.985


def test_weights_of_zero_do_not_count_and_nothing_is_no_share() -> None:
    assert combined_shares([1, 0, -1], [1, 9, 1], [2, 9, 4])[0].n == 6
    for weights, successes, trials in (([0], [1], [2]), ([1], [3], [2]), ([1], [0], [0]), ([1], [-1], [2])):
        with pytest.raises(ValueError, match="needed are"):
            combined_shares(weights, successes, trials)
