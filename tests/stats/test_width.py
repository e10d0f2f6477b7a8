from __future__ import annotations

import numpy as np
import pytest

from fiducial.stats.estimate import Estimate
from fiducial.stats.means import floor_for, mean_effect
from fiducial.stats.width import expected_width


def printed(values: object, **how: float) -> Estimate:
    found = mean_effect(values, **how).estimate  # type: ignore[arg-type]
    assert isinstance(found, Estimate)
    return found


@pytest.mark.parametrize("replies", [3, 12])
@pytest.mark.parametrize("values", [[0.0] * 15, [0.0] * 12 + [0.5] * 3, [0.25, -0.3] * 8, [0.1, 0.2, 0.4]])
def test_the_width_foreseen_is_that_of_the_interval_of_such_values(values: list[float], replies: int) -> None:
    found = printed(values, floor=floor_for(replies))
    foreseen = expected_width(len(values), float(np.var(values, ddof=1)), replies=replies)
    assert foreseen == pytest.approx(found.high - found.low)


def test_one_value_has_no_width() -> None:
    assert expected_width(1, 0.1, replies=12) == float("inf")


def test_widened_intervals_are_wider_by_that_factor_and_say_so_and_their_p_agrees_with_them() -> None:
    values = np.random.default_rng(4).normal(0.1, 0.2, 12)
    plain, wide = printed(values), printed(values, widen=1.07)
    assert (wide.high - wide.low) / (plain.high - plain.low) == pytest.approx(1.07)
    assert wide.value == plain.value and "widened by 7 %" in wide.method
    edge = np.array([0.6, 0.0] * 6) - 0.3 + 0.2005  # the plain interval excludes 0 by a hair, the wide one does not
    for widen in (1.0, 1.07):
        found = mean_effect(edge, widen=widen)
        assert isinstance(found.estimate, Estimate) and found.p is not None
        assert (found.estimate.low > 0) == (found.p < 0.05)
    assert printed(edge).low > 0 > printed(edge, widen=1.07).low


def test_widening_holds_for_equal_values_too() -> None:
    plain, wide = printed([0.0] * 15), printed([0.0] * 15, widen=1.07)
    assert (wide.high - wide.low) / (plain.high - plain.low) == pytest.approx(1.07)
