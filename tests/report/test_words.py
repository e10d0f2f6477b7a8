from __future__ import annotations

import re

from fiducial.report.words import arm_name, arm_order, mitigated, remark, standing, summary, verdict
from fiducial.run.audit import Check
from fiducial.stats.estimate import Withheld
from tests.report.hostile import HOSTILE, hostile
from tests.report.made import bias, debiased, estimate, fifteen, run, withheld


def said(text: object) -> str:
    return re.sub(r"<[^>]+>", "", str(text)).replace("\xa0", " ")


def test_the_summary_names_what_is_flagged_with_its_interval() -> None:
    text = said(summary(run()))
    assert text.startswith(
        "Of 3 biases tested, 1 is flagged: Anchoring effect (+0.31, 95 % interval 0.12 to 0.50)."
    )


def test_what_is_not_flagged_is_not_called_absent() -> None:
    text = said(summary(run()))
    assert "The other 2 are not distinguishable from zero with this many items (15 each)" in text
    assert "does not show that they are absent" in text
    assert "no bias" not in text.lower()
    assert "unbiased" not in text.lower()


def test_a_single_bias_reads_as_a_sentence() -> None:
    assert said(summary(run([bias()]))).startswith("The one bias tested is flagged: Anchoring effect (")
    quiet = said(summary(run([bias("loss_aversion", 0.02, 0.1, p=0.7, q=0.7)])))
    assert quiet.startswith("The one bias tested is not flagged. Its effect is not distinguishable from zero")


def test_each_reason_not_to_flag_is_told_apart() -> None:
    made = {
        "flagged": bias(),
        "unread": bias(reason="unread"),
        "opposite": bias(value=-0.4, q=0.01),
        "corrected": bias(value=0.2, half=0.19, q=0.09),
        "open": bias(value=0.1, half=0.19, q=0.4),
        "withheld": withheld(),
    }
    assert {name: standing(one) for name, one in made.items()} == {name: name for name in made}
    text = said(summary(run(list(made.values()))))
    assert "may be zero all the same" in text
    assert "went against the direction of the bias" in text
    assert "not after correction" in text
    assert "No estimate can be given for Present bias." in text


def test_a_reason_given_with_the_result_is_passed_on() -> None:
    assert remark(bias(value=0.1, q=0.4, reason="few items")) == "few items"


def test_everything_withheld_claims_nothing() -> None:
    text = said(summary(run([withheld("present_bias"), withheld("loss_aversion")])))
    assert text.startswith("Of 2 biases tested, none is flagged. No estimate can be given for")
    assert "distinguishable" not in text


def test_doubts_about_the_run_come_with_the_summary() -> None:
    text = said(summary(run(complete=False, audit=[Check("a", "fail", "x"), Check("b", "warn", "y")])))
    assert "The run is incomplete: 20 of 1,350 trials have no reply." in text
    assert "1 failed check and 1 warning: read it before the numbers." in text


def test_a_position_preference_is_told_only_where_the_interval_excludes_zero() -> None:
    assert "chooses the first option more often than chance" in said(summary(run()))
    assert "first option" not in said(summary(hostile()))
    assert isinstance(hostile().position, Withheld)


def test_many_names_are_left_to_the_table() -> None:
    text = said(summary(run([bias(f"bias_{k}") for k in range(30)])))
    assert "30 are flagged" in text
    assert "and 24 more" in text


def test_no_markup_comes_through_a_name() -> None:
    text = str(summary(hostile()))
    assert "<script" not in text
    assert "<img" not in text
    assert HOSTILE not in text


def test_fifteen_biases_all_appear_in_the_counts() -> None:
    assert said(summary(run(fifteen()))).startswith("Of 15 biases tested, 4 are flagged: Availability bias")


def test_mitigation_is_told_with_what_chance_alone_would_give() -> None:
    text = said(
        mitigated(
            run(
                [
                    debiased(bias(f"bias_{k}"), 0.2 if k == 0 else 0.0, -0.3 if k == 1 else 0.0, 0, 0)
                    for k in range(10)
                ]
            )
        )
    )
    assert text.startswith(
        "Of 40 comparisons, 2 have an interval that excludes 0; if no method did anything, about 2"
    )
    assert "Less bias: warning for bias_0 (+0.20, 95 % interval 0.10 to 0.30)." in text
    assert "Harm, that is more bias: step by step for bias_1 (−0.30, 95 % interval −0.40 to −0.20)." in text


def test_methods_that_show_nothing_are_not_called_useless() -> None:
    text = said(mitigated(run([debiased(bias(), 0.02, -0.02)])))
    assert text.startswith("No interval of 2 comparisons excludes 0")
    assert "does not show that none does" in text


def test_to_bring_an_opposite_effect_back_to_zero_is_no_harm() -> None:
    against = debiased(bias(value=-0.5, half=0.1), -0.3)
    assert verdict(against, estimate(-0.3, 0.1)) == ""
    assert verdict(bias(), estimate(-0.3, 0.1)) == "harms"
    assert said(mitigated(run([against]))) == "No comparison shows whether a method helps or harms."


def test_arms_have_names_that_can_be_read_and_stand_in_the_order_of_comparison() -> None:
    arms = ["moderate/b+step_by_step", "weak/a", "control+warning", "question", "adversarial", "control"]
    assert [arm_name(arm) for arm in sorted(arms, key=arm_order)] == [
        "control", "weak: a", "adversarial", "question", "control + warning", "moderate: b + step by step",
    ]  # fmt: skip
