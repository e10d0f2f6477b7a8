from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats
from statsmodels.stats.power import tt_solve_power

from fiducial.stats.estimate import Estimate
from fiducial.stats.means import mean_effect
from fiducial.stats.power import smallest_detectable


@pytest.mark.parametrize("n", [10, 15, 60, 2000])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 15])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_the_smallest_effect_is_that_of_statsmodels(n: int, alpha: float, power: float) -> None:
    oracle = tt_solve_power(nobs=n, alpha=alpha, power=power, alternative="two-sided")
    assert smallest_detectable(n, 0.3, alpha=alpha, power=power) == pytest.approx(
        0.3 * float(np.squeeze(oracle)), rel=1e-4
    )


def test_for_any_items_and_tests_the_power_is_that_of_the_integral_over_the_sample_sd() -> None:
    """Far out, with few items and many tests, scipy's noncentral t gives NaN and statsmodels stops short."""
    quantiles = (np.arange(4000) + 0.5) / 4000
    for n in range(2, 41):
        error = np.sqrt(stats.chi2.ppf(quantiles, n - 1) / (n - 1))
        for level in (0.01, 0.05, 0.1):
            for tests in (1, 2, 5, 14, 59, 118, 300):
                effect = smallest_detectable(n, 1.0, alpha=level / tests)
                assert effect is not None
                edge, shift = error * stats.t.isf(level / tests / 2, n - 1), effect * np.sqrt(n)
                seen = special.ndtr(shift - edge) + special.ndtr(-shift - edge)
                assert seen.mean() == pytest.approx(0.8, abs=2e-4), (n, level, tests)


@pytest.mark.parametrize(("n", "sd"), [(3, 0.1), (5, 0.2), (15, 0.35)])
def test_an_effect_of_that_size_is_seen_four_times_in_five(n: int, sd: float) -> None:
    rng = np.random.default_rng(1)
    effect = smallest_detectable(n, sd)
    assert effect is not None
    seen = []
    for _ in range(4000):
        found = mean_effect(rng.normal(effect, sd, n)).estimate
        assert isinstance(found, Estimate)
        seen.append(found.low > 0 or found.high < 0)
    assert 0.78 <= np.mean(seen) <= 0.82


def test_a_corrected_level_is_met_by_p_four_times_in_five() -> None:
    rng = np.random.default_rng(2)
    effect = smallest_detectable(15, 0.3, alpha=0.05 / 14)
    assert effect is not None
    p = stats.ttest_1samp(rng.normal(effect, 0.3, (4000, 15)), 0.0, axis=1).pvalue
    assert 0.78 <= np.mean(p <= 0.05 / 14) <= 0.82


def test_one_value_has_no_interval_and_shows_nothing() -> None:
    assert smallest_detectable(1, 0.3) is None
    assert smallest_detectable(0, 0.3) is None


def test_values_that_do_not_vary_show_any_effect() -> None:
    assert smallest_detectable(2, 0.0) == 0.0


def test_at_extreme_levels_the_effect_grows_with_the_critical_value() -> None:
    """With one degree of freedom the critical t, and so the effect, is as 1 / alpha."""
    near, far = smallest_detectable(2, 1.0, alpha=6.5e-4), smallest_detectable(2, 1.0, alpha=6.5e-8)
    assert near is not None and far is not None
    assert far == pytest.approx(near * 1e4, rel=2e-6)


@pytest.mark.parametrize("wrong", [{"alpha": 0.0}, {"alpha": 0.9}, {"power": 1.0}, {"sd": -0.1}])
def test_impossible_levels_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="needed are"):
        smallest_detectable(5, **{"sd": 0.3, **wrong})
