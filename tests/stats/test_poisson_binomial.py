from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from fiducial.stats.poisson_binomial import at_most, distribution


@pytest.mark.parametrize("n", [1, 4, 60, 400])
def test_with_equal_probabilities_it_is_the_binomial(n: int) -> None:
    for k in range(-1, n + 1, max(1, n // 7)):
        assert at_most(k, [0.8] * n) == pytest.approx(stats.binom.cdf(k, n, 0.8), rel=1e-9, abs=1e-300)


@pytest.mark.skipif(not hasattr(stats, "poisson_binom"), reason="scipy has it from 1.15 on")
@pytest.mark.parametrize("seed", range(5))
def test_it_is_that_of_scipy(seed: int) -> None:
    p = np.random.default_rng(seed).random(40)
    for k in range(0, 41, 5):
        assert at_most(k, p) == pytest.approx(float(stats.poisson_binom.cdf(k, p)), abs=1e-12)


def test_it_is_the_sum_over_all_outcomes() -> None:
    p = [0.8, 0.5, 0.95, 0.1, 1.0, 0.0]
    found = np.zeros(7)
    for outcome in product((0, 1), repeat=6):
        found[sum(outcome)] += np.prod([q if hit else 1 - q for hit, q in zip(outcome, p, strict=True)])
    assert distribution(p) == pytest.approx(found, abs=1e-15)


def test_small_tails_keep_their_digits() -> None:
    assert at_most(0, [0.9] * 30) == pytest.approx(1e-30, rel=1e-9)


def test_below_none_is_impossible_and_from_all_on_certain() -> None:
    assert at_most(-1, [0.3, 0.4]) == 0.0
    assert at_most(2, [0.3, 0.4]) == 1.0
    assert at_most(0, []) == 1.0


@pytest.mark.parametrize("wrong", [[1.1], [-0.1], [float("nan")]])
def test_what_is_no_probability_is_refused(wrong: list[float]) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        distribution(wrong)
