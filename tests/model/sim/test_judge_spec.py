from __future__ import annotations

import math
import statistics

import pytest

from fiducial.errors import UsageError
from fiducial.model.sim.judge_spec import (
    agreement,
    is_judge,
    m0,
    m1,
    parse_judge_spec,
    sensitivity,
    specificity,
    sway,
    uniforms,
)

PLAIN = "judge:sensitivity=.8,specificity=.7"


def test_a_judge_takes_all_its_settings() -> None:
    spec = parse_judge_spec(
        "judge: sensitivity=.8, specificity=.7,borderline=.1,invalid=.02,confidence=.9,consistency=.95,spread=.5,"
        "leak=.3,swayed=.4,fence_worth=.6,schema_worth=.2,seed=7"
    )
    assert (spec.sensitivity, spec.specificity, spec.borderline, spec.invalid) == (0.8, 0.7, 0.1, 0.02)
    assert (spec.confidence, spec.consistency, spec.spread, spec.leak) == (0.9, 0.95, 0.5, 0.3)
    assert (spec.swayed, spec.fence_worth, spec.schema_worth, spec.seed) == (0.4, 0.6, 0.2, 7)


def test_a_plain_judge_is_consistent_and_not_to_be_talked_round() -> None:
    spec = parse_judge_spec(PLAIN)
    assert (spec.borderline, spec.invalid, spec.consistency, spec.leak, spec.swayed) == (0, 0, 1, 0, 0)
    assert spec.confidence is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("judge", '"sensitivity" is missing'),
        ("judge:", '"sensitivity" is missing'),
        ("judge:sensitivity=.8", '"specificity" is missing'),
        ("judge:sensitivity=.8,specifity=.7", r'"specifity" is not a setting.*did you mean "specificity"\?'),
        ("judge:zebra=1", r'"zebra" is not a setting of judge \(there are'),
        (f"{PLAIN},leak", '"leak" needs a value'),
        (f"{PLAIN},leak=", '"leak" needs a value'),
        (f"{PLAIN},leak=.1,leak=.2", '"leak" is given twice'),
        (f"{PLAIN},leak=much", '"leak" is "much", which is not a number'),
        (f"{PLAIN},leak=nan", '"leak" is nan; it lies between 0 and 1'),
        (f"{PLAIN},leak=inf", '"leak" is inf; it lies between 0 and 1'),
        (f"{PLAIN},leak=-.1", '"leak" is -.1; it lies between 0 and 1'),
        (f"{PLAIN},swayed=40", r'"swayed" is 40.*did you mean 0\.4\?'),
        (f"{PLAIN},spread=9", '"spread" is 9; it lies between 0 and 3'),
        (f"{PLAIN},seed=-1", "whole number"),
        (f"{PLAIN},seed=1.5", "whole number"),
        ("coin", "begins with judge:"),
    ],
)
def test_a_wrong_specification_says_what_is_wrong(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        parse_judge_spec(text)
    assert caught.value.exit_code == 2
    assert str(caught.value).startswith(f"sim/{text.partition(':')[0]}")


def test_a_judge_is_told_from_a_subject_by_its_first_word() -> None:
    assert is_judge(PLAIN) and is_judge("judge") and not is_judge("coin") and not is_judge("judgement:x=1")


def test_mean_verdicts_follow_from_the_specification() -> None:
    spec = parse_judge_spec(f"{PLAIN},borderline=.1,invalid=.3")
    assert m1(spec) == pytest.approx(0.9 * 0.8 + 0.05)
    assert m0(spec) == pytest.approx(0.9 * 0.3 + 0.05)
    assert m1(spec, "match") == pytest.approx(0.9 * 0.8)
    assert m0(spec, "match") == pytest.approx(0.9 * 0.3)
    for task in ("zero_shot", "read"):
        assert (m1(spec, task), m0(spec, task)) == pytest.approx((0.8, 0.3))


def test_categories_differ_by_the_spread_and_cases_without_one_do_not() -> None:
    spec = parse_judge_spec("judge:sensitivity=.5,specificity=.5,spread=.5")
    shares = [sensitivity(spec, f"category {k}") for k in range(4000)]
    logits = [math.log(share / (1 - share)) for share in shares]
    assert statistics.mean(logits) == pytest.approx(0, abs=0.03)
    assert statistics.stdev(logits) == pytest.approx(0.5, abs=0.02)
    assert sensitivity(spec, "a") == sensitivity(spec, "a") != specificity(spec, "a")
    assert sensitivity(spec) == 0.5
    assert m1(spec, category="a") == sensitivity(spec, "a")


def test_a_judge_that_is_always_right_is_so_in_every_category() -> None:
    spec = parse_judge_spec("judge:sensitivity=1,specificity=0,spread=3")
    assert {sensitivity(spec, str(k)) for k in range(50)} == {1.0}
    assert {specificity(spec, str(k)) for k in range(50)} == {0.0}


def test_each_defence_multiplies_the_probability_of_being_swayed() -> None:
    spec = parse_judge_spec(f"{PLAIN},swayed=.8,fence_worth=.25,schema_worth=.5")
    assert sway(spec, fence=False, schema=False) == 0.8
    assert sway(spec, fence=True, schema=False) == pytest.approx(0.2)
    assert sway(spec, fence=False, schema=True) == pytest.approx(0.4)
    assert sway(spec, fence=True, schema=True) == pytest.approx(0.1)


def test_agreement_lies_between_chance_and_certainty() -> None:
    assert agreement(parse_judge_spec(PLAIN), 1) == 1.0
    apart = parse_judge_spec(f"{PLAIN},consistency=0")
    assert agreement(apart, 1) == pytest.approx(0.8**2 + 0.2**2 + 2 * 0.15**2 / 3)
    sure = parse_judge_spec("judge:sensitivity=1,specificity=1,consistency=0,borderline=.5")
    assert agreement(sure, 0) == pytest.approx(0.5)
    assert agreement(sure, 0, "zero_shot") == 1.0


def test_draws_depend_on_what_they_are_of_and_on_nothing_else() -> None:
    assert uniforms(3, "a", 1) == uniforms(3, "a", 1) != uniforms(3, "a", 2)
    assert len(set(uniforms(4, "half a pair \ud800"))) == 4
    drawn = [value for k in range(2000) for value in uniforms(2, k)]
    assert all(0 <= value < 1 for value in drawn)
    assert statistics.mean(drawn) == pytest.approx(0.5, abs=0.02)
