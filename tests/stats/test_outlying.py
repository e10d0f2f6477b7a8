from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

from fiducial.stats.multiple import benjamini_hochberg
from fiducial.stats.outlying import leave_one_out


def test_residuals_are_the_externally_studentised_ones_of_a_mean() -> None:
    values = np.random.default_rng(5).normal(0.3, 0.2, 15)
    fitted = sm.OLS(values, np.ones(15)).fit().get_influence()
    found = leave_one_out(list(values), [None] * 15, range(15))
    assert [r.value for r in found if r] == pytest.approx(list(fitted.resid_studentized_external))
    assert all(r is not None and r.df == 13 for r in found)


def test_among_items_that_are_alike_hardly_a_run_flags_one() -> None:
    draw = np.random.default_rng(6)
    flagged = 0
    for _ in range(400):
        values = draw.normal(0.4, 0.2, 15)
        q = benjamini_hochberg([r.p if r else None for r in leave_one_out(list(values), [0.2] * 15, range(15))])
        flagged += any(one is not None and one <= 0.05 for one in q)
    assert flagged / 400 <= 0.07


def test_one_that_lies_far_off_is_found_and_the_others_are_not() -> None:
    values = [*np.random.default_rng(7).normal(0.4, 0.08, 14), -0.7]
    found = leave_one_out(values, [0.08] * 15, range(15))
    q = benjamini_hochberg([r.p if r else None for r in found])
    assert [k for k, one in enumerate(q) if one is not None and one <= 0.05] == [14]
    assert found[14] is not None and found[14].value < 0


def test_where_all_others_are_equal_the_items_own_error_is_the_measure() -> None:
    values = [0.0] * 10 + [0.17]
    own = leave_one_out(values, [0.2] * 11, range(11))[10]
    assert own is not None and own.p > 0.3
    assert leave_one_out(values, [None] * 11, range(11))[10] is None
    level = leave_one_out([0.5] * 6, [None] * 6, range(6))
    assert all(r is not None and r.p == 1.0 for r in level)


def test_items_of_one_cluster_are_not_held_against_each_other_and_few_others_are_none() -> None:
    assert leave_one_out([0.1, 0.2, 0.3, 0.4], [0.1] * 4, range(4)) == [None] * 4
    shared = leave_one_out([0.1, 0.2, 0.3, 0.4, 0.5], [0.1] * 5, [0, 0, 1, 2, 3])
    assert shared[0] is None and shared[2] is not None and shared[2].df == 3
