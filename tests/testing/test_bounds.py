from __future__ import annotations

import pytest

from fiducial.stats.estimate import Estimate, Withheld
from fiducial.testing.bounds import hold


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(value=value, low=low, high=high, n=12, method="t, clustered by item")


@pytest.mark.parametrize(
    ("low", "high", "above", "outcome"),
    [
        (0.6, 0.8, True, "passed"),  # the bound itself is reached
        (0.59, 0.8, True, "inconclusive"),
        (0.3, 0.6, True, "inconclusive"),  # an end on the bound refutes nothing
        (0.3, 0.59, True, "failed"),
        (0.3, 0.6, False, "passed"),
        (0.3, 0.61, False, "inconclusive"),
        (0.61, 0.8, False, "failed"),
    ],
)
def test_the_interval_decides_and_not_the_point(low: float, high: float, above: bool, outcome: str) -> None:
    assert hold(estimate((low + high) / 2, low, high), 0.6, "it", above=above).outcome == outcome


def test_the_message_has_estimate_interval_n_method_and_what_could_have_been_shown() -> None:
    said = hold(estimate(0.65, 0.45, 0.8), 0.6, "precision", above=True).message
    assert "precision is 0.650 [0.450, 0.800] (95 %, n = 12, t, clustered by item), where at least 0.6" in said
    assert "from about 0.80 up would have shown it, and one from about 0.45 down" in said


def test_a_bound_that_nothing_could_reach_is_said_to_be_so() -> None:
    said = hold(estimate(0.7, 0.35, 0.95), 0.9, "precision", above=True).message
    assert "nothing could have shown it" in said


def test_what_is_withheld_fails_with_the_reason() -> None:
    held = hold(Withheld("no finding was judged"), 0.6, "precision", above=True)
    assert held.outcome == "failed" and "no finding was judged" in held.message
