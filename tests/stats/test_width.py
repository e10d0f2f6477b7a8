from __future__ import annotations

import numpy as np
import pytest

from fiducial.stats.estimate import Estimate
from fiducial.stats.means import mean_effect
from fiducial.stats.width import expected_width


def printed(values: object, **how: float) -> Estimate:
    found = mean_effect(values, **how).estimate  # type: ignore[arg-type]
    assert isinstance(found, Estimate)
    return found


@pytest.mark.parametrize("n", [2, 5, 15, 60])
def test_the_width_foreseen_is_that_of_the_interval_of_such_values(n: int) -> None:
    values = np.random.default_rng(n).normal(0.0, 0.05, n)
    found = printed(values)
    assert expected_width(n, float(values.var(ddof=1))) == pytest.approx(found.high - found.low)


@pytest.mark.parametrize("values", [[0.0] * 15, [0.0] * 12 + [0.5] * 3, [0.25] * 9 + [0.0]])
def test_tied_values_are_foreseen_with_their_pseudo_items(values: list[float]) -> None:
    found, array = printed(values), np.array(values)
    assert found.method.startswith("Bonett")
    width = expected_width(len(values), float(array.var(ddof=1)), mean=float(array.mean()), tied=True)
    assert width == pytest.approx(found.high - found.low)


def test_one_value_has_no_width() -> None:
    assert expected_width(1, 0.1) == float("inf")


def test_widened_intervals_are_wider_by_that_factor_and_say_so_and_their_p_agrees_with_them() -> None:
    values = np.random.default_rng(4).normal(0.1, 0.2, 12)
    plain, wide = printed(values), printed(values, widen=1.07)
    assert (wide.high - wide.low) / (plain.high - plain.low) == pytest.approx(1.07)
    assert wide.value == plain.value and "widened by 7 %" in wide.method
    edge = np.array([0.2, 0.0] * 6) - 0.1 + 0.0668  # the plain interval excludes 0 by a hair, the wide one does not
    for widen in (1.0, 1.07):
        found = mean_effect(edge, widen=widen)
        assert isinstance(found.estimate, Estimate) and found.p is not None
        assert (found.estimate.low > 0) == (found.p < 0.05)
    assert printed(edge).low > 0 > printed(edge, widen=1.07).low


def test_widening_holds_for_tied_values_too() -> None:
    plain, wide = printed([0.0] * 15), printed([0.0] * 15, widen=1.07)
    assert (wide.high - wide.low) / (plain.high - plain.low) == pytest.approx(1.07)
