"""Pressure, two triggers, other wordings."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.bias.load import packaged_battery
from fiducial.bias.run import BiasOptions, prepare_run
from fiducial.errors import UsageError
from fiducial.stats.estimate import Withheld
from tests.bias.protocols.running import covers, near, rows, run


def test_pressure_is_recovered_round_by_round_and_absent_in_the_first(tmp_path: Path) -> None:
    found = run(tmp_path, "planted:effect=.3,pressure=.2", "conversation", trials=4).protocols[0]
    assert covers(found.estimate, 0.6, within=0.2)
    assert all(near(row.estimate, 0.2 * t) for t, row in enumerate(rows(found, "effect of the pressure")))


def test_who_does_not_yield_shows_no_pressure(tmp_path: Path) -> None:
    for subject in ("letter:A", "coin", "planted:effect=.3"):
        assert covers(run(tmp_path / subject[:4], subject, "conversation").protocols[0].estimate, 0.0)


def test_both_chats_of_a_conversation_begin_alike_and_press_only_in_one() -> None:
    options = BiasOptions(model="sim/coin", biases=("status_quo_bias",), protocols=("conversation",), rounds=3)
    for block in prepare_run(packaged_battery(), options).source.blocks.values():
        for name, arm in block.arms.items():
            other = name.replace("pressed", "neutral")
            assert arm.text == block.arms[other].text
            wanted = dict(arm.options)["x"].rstrip(".")
            said = [turn[name].text for turn in block.later]
            assert all((f"“{wanted}”" in text) == name.endswith("pressed") for text in said)


def test_an_interaction_is_estimated_and_not_assumed(tmp_path: Path) -> None:
    found = run(tmp_path, "planted:effect=.3,second=.1,interaction=.2", "compound", trials=5).protocols[0]
    assert covers(found.estimate, 0.2, within=0.3)
    first, second, beside = rows(found, "effects")
    assert near(first.estimate, 0.3) and near(second.estimate, 0.1) and near(beside.estimate, 0.5)


def test_two_triggers_that_add_up_have_no_interaction(tmp_path: Path) -> None:
    for subject in ("last", "planted:effect=.3,second=.2"):
        assert covers(run(tmp_path / subject[:4], subject, "compound:expert", trials=6).protocols[0].estimate, 0.0)


def test_a_preference_for_a_place_is_no_effect_of_a_second_trigger_in_the_quick_tier_either(tmp_path: Path) -> None:
    found = run(tmp_path, "first", "compound", tier="quick", trials=1, biases=("status_quo_bias",)).protocols[0]
    assert all(getattr(row.estimate, "value", None) == 0.0 for row in rows(found, "effects"))


def test_a_run_has_one_kind_of_second_trigger(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="one kind of compound"):
        run(tmp_path, "coin", "compound:expert", "compound:asker")


def test_the_spread_between_wordings_is_recovered_without_the_noise(tmp_path: Path) -> None:
    found = run(tmp_path, "planted:effect=.2,wobble=.4", "robustness", trials=4).protocols[0]
    assert covers(found.estimate, 0.4, within=0.2)


def test_a_steady_effect_is_steady_however_noisy_the_answers(tmp_path: Path) -> None:
    found = run(tmp_path, "planted:effect=.2,noise=.3", "robustness", trials=2).protocols[0]
    assert covers(found.estimate, 0.0)
    assert all(near(row.estimate, 0.2, within=0.15) for row in rows(found, "wording"))


def test_the_spread_needs_two_repetitions(tmp_path: Path) -> None:
    found = run(tmp_path, "coin", "robustness", trials=1, biases=("status_quo_bias",)).protocols[0]
    assert isinstance(found.estimate, Withheld) and "--trials 2" in found.estimate.withheld


def test_changes_stand_in_both_arms(tmp_path: Path) -> None:
    options = BiasOptions(model="sim/coin", biases=("conjunction_fallacy",), protocols=("robustness",))
    for block in prepare_run(packaged_battery(), options).source.blocks.values():
        one, other = block.arms.values()
        left = [" ".join(arm.text.split()) for arm in (one, other)]
        for place, arm in zip((one.marked[0], other.marked[0]), range(2), strict=True):
            left[arm] = left[arm].replace(" ".join(place.split()), "")
        assert left[0] == left[1], block.id


def test_a_specification_that_leaves_probabilities_is_refused() -> None:
    from fiducial.model.sim.spec import parse_spec

    for text in ("effect=.5,grow=.3", "effect=0,pressure=.5", "effect=.5,second=.3", "effect=.9,wobble=.2"):
        with pytest.raises(UsageError, match="probability"):
            parse_spec(f"planted:{text}")
    with pytest.raises(UsageError, match="together at most 1"):
        parse_spec("planted:effect=.1,correct=.7,overcorrect=.7")
