from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fiducial.stats.estimate import Estimate, Withheld
from fiducial.stats.means import mean_effect
from fiducial.stats.multiple import benjamini_hochberg


def estimate(values: object, clusters: object = None) -> Estimate:
    found = mean_effect(values, clusters).estimate  # type: ignore[arg-type]
    assert isinstance(found, Estimate)
    return found


def test_smooth_effects_get_the_t_interval_of_scipy() -> None:
    values = np.random.default_rng(1).normal(0.2, 0.2, 15)
    found, oracle = mean_effect(values), stats.ttest_1samp(values, 0.0)
    interval = oracle.confidence_interval(0.95)
    assert isinstance(found.estimate, Estimate)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((interval.low, interval.high))
    assert found.p == pytest.approx(oracle.pvalue)
    assert found.estimate.n == 15


def test_clustered_effects_get_the_clustered_error_of_statsmodels() -> None:
    rng = np.random.default_rng(2)
    clusters = rng.integers(0, 8, 40)
    values = rng.normal(0.1, 0.1, 40) + rng.normal(0, 0.2, 8)[clusters]
    fit = sm.OLS(values, np.ones(40)).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": True, "df_correction": True}, use_t=True
    )
    low, high = fit.conf_int()[0]
    scale = np.sqrt((40 - 1) / 40)  # statsmodels multiplies the variance by (n - 1) / (n - k) once more
    found = estimate(values, clusters)
    assert found.n == 8
    assert found.high - found.low == pytest.approx((high - low), rel=abs(1 - scale) + 1e-3)


def test_no_effect_at_all_is_no_evidence_and_still_has_a_width() -> None:
    found = mean_effect([0.0] * 15)
    assert found.p == 1.0
    assert isinstance(found.estimate, Estimate)
    assert found.estimate.value == 0.0
    assert found.estimate.low < -0.05 < 0.05 < found.estimate.high


def test_an_effect_that_is_always_complete_has_a_width_too() -> None:
    found = estimate([1.0] * 15)
    assert (found.value, found.high) == (1.0, 1.0)
    assert 0.3 < found.low < 0.9


def test_a_single_item_gives_no_interval() -> None:
    found = mean_effect([0.5])
    assert isinstance(found.estimate, Withheld)
    assert found.p is None
    assert isinstance(mean_effect([]).estimate, Withheld)
    assert isinstance(mean_effect([0.1, 0.2, 0.3], ["same"] * 3).estimate, Withheld)


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=2, max_size=30))
def test_every_interval_is_inside_the_scale_holds_its_value_and_has_a_width(values: list[float]) -> None:
    found = mean_effect(values)
    assert isinstance(found.estimate, Estimate)
    assert -1.0 <= found.estimate.low <= found.estimate.value <= found.estimate.high <= 1.0
    assert found.estimate.high - found.estimate.low > 0.01
    assert found.p is not None and 0.0 <= found.p <= 1.0


@pytest.mark.parametrize("effect", [0.05, 0.1, 0.4])
def test_all_or_nothing_subjects_are_covered(effect: float) -> None:
    rng = np.random.default_rng(3)
    covered = [
        (e := estimate((rng.random(15) < effect).astype(float))).low <= effect <= e.high for _ in range(2000)
    ]
    assert np.mean(covered) >= 0.93


def test_smooth_subjects_are_covered_in_95_of_100() -> None:
    rng = np.random.default_rng(4)
    covered = [(e := estimate(rng.normal(0.2, 0.15, 15))).low <= 0.2 <= e.high for _ in range(4000)]
    assert 0.94 <= np.mean(covered) <= 0.96


def test_benjamini_hochberg_leaves_out_tests_that_were_not_made() -> None:
    q = benjamini_hochberg([0.01, None, 0.02, 0.5])
    assert q == [pytest.approx(0.03), None, pytest.approx(0.03), pytest.approx(0.5)]
    assert benjamini_hochberg([None]) == [None]
