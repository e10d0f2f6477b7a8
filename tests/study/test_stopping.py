"""The stopping rule on a small scale, with seeds: the benchmark has the large one."""

from __future__ import annotations

from statistics import mean

import pytest

from fiducial.study.stopping import MIXED, Rivals, Run, many, rivals, run_until, tally_reasons

FEW = ("gain_loss_framing", "base_rate_neglect", "hindsight_bias", "sunk_cost_fallacy", "overconfidence_effect")


def runs(kind: str, n: int = 10, width: float = 0.4) -> list[Run]:
    return [run_until((kind,), width=width, seed=400 + k, biases=FEW) for k in range(n)]


@pytest.mark.parametrize("kind", ["coin", "planted:effect=.3", "planted:effect=.3,spread=.1"])
def test_intervals_hold_the_truth_about_as_often_as_they_say_and_are_no_wider_than_asked(kind: str) -> None:
    found = runs(kind)
    held = [hit for run in found for hit in run.covered.values()]
    assert len(held) == 50 and mean(held) >= 0.86  # 95 % of 50, less three standard errors
    assert abs(mean(e for run in found for e in run.error.values())) < 0.05
    for run in found:
        for stop in run.stopping.biases.values():
            assert stop.width is not None and (stop.width <= 0.4) == (stop.reason == "width")


def test_a_lumpy_subject_ends_at_the_floor_cheaply_and_is_covered() -> None:
    found = runs("planted:effect=.4,lumpy=1", n=6, width=0.3)
    assert tally_reasons(found).get("floor", 0) >= 20
    assert mean(hit for run in found for hit in run.covered.values()) >= 0.86
    assert mean(run.stopping.saving.calls for run in found) < 600


def test_a_mixed_subject_is_measured_with_half_the_calls_of_a_fixed_plan_for_the_same_widest_interval() -> None:
    (found,) = many(_rivals, [7001], workers=1)
    assert isinstance(found, Rivals) and found.fixed is not None and found.lean is not None
    assert found.calls <= 0.5 * found.fixed and found.calls < found.lean


def _rivals(seed: int) -> Rivals:
    return rivals(MIXED, width=0.4, seed=seed)
