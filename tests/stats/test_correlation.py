from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from fiducial.stats.correlation import correlation
from fiducial.stats.estimate import Estimate, Withheld


def test_it_is_pearsons_with_fishers_interval() -> None:
    x, y = np.random.default_rng(1).normal(size=(2, 12))
    found = correlation(list(x), list(y))
    oracle = stats.pearsonr(x, y)
    assert isinstance(found, Estimate) and found.value == pytest.approx(oracle.statistic)
    assert (found.low, found.high) == pytest.approx(tuple(oracle.confidence_interval()))


def test_few_pairs_and_values_that_never_change_are_withheld() -> None:
    assert correlation([1, 2, 3], [1, 2, 4]) == Withheld("a correlation needs at least 4 runs; there are 3")
    assert correlation([1], [2]) == Withheld("a correlation needs at least 4 runs; there is 1")
    assert isinstance(correlation([1, 1, 1, 1], [1, 2, 3, 4]), Withheld)
    perfect = correlation([1, 2, 3, 4], [2, 4, 6, 8])
    assert isinstance(perfect, Estimate) and perfect.low < perfect.value == pytest.approx(1)
