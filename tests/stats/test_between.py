from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.meta_analysis import _fit_tau_iterative

from fiducial.stats.between import between_sd
from fiducial.stats.estimate import Estimate, Withheld


def test_tau_is_that_of_statsmodels() -> None:
    rng = np.random.default_rng(1)
    groups = [rng.normal(m, 0.2, 6) for m in rng.normal(0.2, 0.3, 5)]
    within = np.mean([g.var(ddof=1) for g in groups])
    oracle, _ = _fit_tau_iterative(np.array([g.mean() for g in groups]), np.full(5, within / 6), 0.0, atol=1e-10)
    found = between_sd(groups)
    assert isinstance(found, Estimate)
    assert found.value**2 == pytest.approx(oracle, abs=1e-5)
    assert found.low < found.value < found.high


def test_groups_that_differ_by_noise_alone_have_an_interval_down_to_zero() -> None:
    rng = np.random.default_rng(2)
    lows = []
    for _ in range(300):
        found = between_sd([rng.normal(0.2, 0.3, 3) for _ in range(5)])
        assert isinstance(found, Estimate)
        lows.append(found.low == 0.0)
    assert np.mean(lows) > 0.93


def test_the_interval_covers_the_truth() -> None:
    rng = np.random.default_rng(3)
    covered = []
    for _ in range(1500):
        found = between_sd([rng.normal(m, 0.2, 8) for m in rng.normal(0.1, 0.25, 5)])
        assert isinstance(found, Estimate)
        covered.append(found.low <= 0.25 <= found.high)
    assert 0.93 <= np.mean(covered) <= 0.97


def test_too_little_to_tell_is_withheld() -> None:
    assert isinstance(between_sd([[0.1, 0.2]]), Withheld)
    assert isinstance(between_sd([[0.1], [0.2]]), Withheld)
    assert isinstance(between_sd([]), Withheld)


def test_equal_values_give_zero_and_not_an_error() -> None:
    found = between_sd([[0.0, 0.0], [0.0, 0.0], [0.0]])
    assert isinstance(found, Estimate)
    assert (found.value, found.low) == (0.0, 0.0)
