"""Feedback and checks: what changes between a first and a second answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.bias.load import packaged_battery
from fiducial.bias.run import BiasOptions, prepare_run
from tests.bias.protocols.running import covers, near, rows, run

FED = "planted:effect=.5,stick=.5,reconsider=.2,name=.8,remove=1"


def test_feedback_is_measured_against_asking_again(tmp_path: Path) -> None:
    found = run(tmp_path, FED, "temporal-adaptive", trials=4).protocols[0]
    assert covers(found.estimate, -0.5 * 0.5 * 0.8, within=0.2)
    against = {row.name: row.estimate for row in rows(found, "against asking again")}
    for move, share in (("reconsider", 0.2), ("name", 0.8), ("remove", 1.0)):
        assert near(against[move], -0.5 * 0.5 * share), move


def test_a_subject_that_heeds_no_feedback_shows_none(tmp_path: Path) -> None:
    for subject in ("first", "coin", "planted:effect=.5,stick=.7"):
        found = run(tmp_path / subject[:5], subject, "temporal-adaptive").protocols[0]
        assert covers(found.estimate, 0.0), subject


def test_chance_differences_between_first_answers_do_not_pass_for_feedback(tmp_path: Path) -> None:
    """A subject that always repeats itself: second answers differ exactly as first ones do, feedback does nothing."""
    found = run(tmp_path, "planted:effect=.5,stick=1,name=.8", "temporal-adaptive", biases=("status_quo_bias",))
    assert getattr(found.protocols[0].estimate, "value", None) == pytest.approx(0.0, abs=1e-9)


def test_only_the_named_feedback_names_the_bias_and_only_removal_takes_the_trigger_out() -> None:
    options = BiasOptions(model="sim/coin", biases=("conjunction_fallacy",), protocols=("temporal-adaptive",))
    source = prepare_run(packaged_battery(), options).source
    for block in source.blocks.values():
        for name, arm in block.later[0].items():
            trigger = block.arms[name].marked[0]
            assert ("conjunction fallacy" in arm.text) == (block.variant == "name")
            assert (trigger in arm.text) == (block.variant != "remove" or name == "control")


def test_corrections_and_over_corrections_are_both_recovered(tmp_path: Path) -> None:
    subject = "planted:effect=.5,correct=.5,overcorrect=.1"
    found = run(tmp_path, subject, "meta", trials=4, biases=("status_quo_bias", "conjunction_fallacy")).protocols[0]
    assert covers(found.estimate, -0.5 * 0.6, within=0.3)
    check, again = rows(found, "corrected: counted answer given up")
    assert covers(check.estimate, 0.5) and getattr(again.estimate, "value", 1) == 0.0
    over, repeated = rows(found, "over-corrected: counted answer taken up")
    assert covers(over.estimate, 0.1) and getattr(repeated.estimate, "value", 1) == 0.0


def test_a_subject_is_shown_its_own_answer_in_its_own_words() -> None:
    biases = ("status_quo_bias", "anchoring_effect")
    options = BiasOptions(model="sim/coin", biases=biases, protocols=("meta",))
    prepared = prepare_run(packaged_battery(), options)
    for bias, reply, shown in (
        ("status_quo_bias", "Answer: A", "You answered: “{A}”"),
        ("status_quo_bias", "I cannot say.", "You have given an answer."),
        ("anchoring_effect", "Answer: 77", "You answered: 77."),
    ):
        trial = next(t for t in prepared.plan.trials if t.turn == 1 and t.item.startswith(bias))
        choices = prepared.source.prompt(trial.item, trial.arm, trial.order).choices
        expected = shown.replace("{A}", choices[0].text) if choices else shown
        assert expected in prepared.source.request(trial, (reply,)).messages[-1].text


def test_hostile_replies_in_a_chat_are_carried_whole_and_break_nothing() -> None:
    options = BiasOptions(model="sim/coin", biases=("anchoring_effect",), protocols=("meta",))
    prepared = prepare_run(packaged_battery(), options)
    trial = next(t for t in prepared.plan.trials if t.turn == 1)
    for reply in ("", "{answer}", "Answer: 1e400", "\x00\ud800", "Answer: " + "9" * 5000, "{number} {wanted}"):
        messages = prepared.source.request(trial, (reply,)).messages
        assert messages[1].text == reply and messages[-1].role == "user"
