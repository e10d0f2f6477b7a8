from __future__ import annotations

import pytest
from scipy import stats

from fiducial.stats.student import t_quantile


@pytest.mark.parametrize("df", [4, 5, 7.3, 14, 40, 1000, 1e7])
def test_the_quantile_is_that_of_scipy(df: float) -> None:
    assert t_quantile(df) == pytest.approx(stats.t.ppf(0.975, df), abs=1e-3)


def test_fewer_degrees_of_freedom_are_a_larger_quantile() -> None:
    found = [t_quantile(df) for df in (4, 8, 16, 32, 64)]
    assert found == sorted(found, reverse=True)
