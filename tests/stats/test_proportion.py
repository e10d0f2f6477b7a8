from __future__ import annotations

import pytest
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from fiducial.stats.proportion import share_difference, wilson, wilson_limits


@pytest.mark.parametrize(("k", "n"), [(0, 3), (3, 3), (1, 3), (7, 10), (0, 1), (1, 1), (499, 1000), (1000, 1000)])
def test_the_limits_are_those_of_statsmodels(k: int, n: int) -> None:
    found = wilson(k, n)
    assert (found.low, found.high) == pytest.approx(proportion_confint(k, n, method="wilson"), abs=1e-12)
    assert (found.value, found.n, found.method) == (k / n, n, "Wilson")


@pytest.mark.parametrize(("share", "n"), [(0.0, 0.7), (1.0, 1.0), (0.5, 2.5), (1 / 3, 1e6)])
def test_an_effective_number_need_not_be_whole_and_never_gives_width_zero(share: float, n: float) -> None:
    low, high = wilson_limits(share, n)
    assert 0 <= low <= share <= high <= 1
    assert high > low


def test_a_larger_quantile_is_a_wider_interval() -> None:
    near, far = wilson_limits(0.8, 10), wilson_limits(0.8, 10, quantile=2.4)
    assert far[0] < near[0] and near[1] < far[1]


@pytest.mark.parametrize(("k", "n"), [(0, 0), (-1, 3), (4, 3)])
def test_what_is_no_share_is_refused(k: int, n: int) -> None:
    with pytest.raises(ValueError, match="needed are"):
        wilson(k, n)


@pytest.mark.parametrize(
    ("hits", "n"), [((30, 10), (50, 40)), ((0, 5), (9, 9)), ((1974, 1038), (3174, 3097)), ((3, 3), (3, 7))]
)
def test_the_difference_of_two_shares_has_the_limits_of_statsmodels(
    hits: tuple[int, int], n: tuple[int, int]
) -> None:
    found = share_difference(hits, n)
    wanted = confint_proportions_2indep(hits[0], n[0], hits[1], n[1], compare="diff", method="newcomb")
    assert (found.low, found.high) == pytest.approx(wanted, abs=1e-12)
    assert found.value == pytest.approx(hits[0] / n[0] - hits[1] / n[1])
    assert found.n == sum(n)


def test_two_groups_that_all_agree_still_have_an_interval_with_a_width() -> None:
    found = share_difference((5, 5), (5, 5))
    assert found.low < 0 == found.value < found.high
