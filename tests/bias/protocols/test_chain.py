"""Chains: each decision begins with what became of the subject's own decision before."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from fiducial.bias.block import make_block
from fiducial.bias.item import DOMAINS
from fiducial.bias.load import packaged_battery
from fiducial.bias.run import BiasOptions, prepare_run
from fiducial.bias.source import BiasSource, battery_source
from fiducial.model.request import Truth
from fiducial.run.plan import Trial
from tests.bias.protocols.running import covers, near, rows, run

CHAINED = tuple(bias.id for bias in packaged_battery().biases.values() if any(item.chain for item in bias.items))


def chain_source(bias: str) -> BiasSource:
    options = BiasOptions(model="sim/coin", tier="core", biases=(bias,), protocols=("chain",))
    return prepare_run(packaged_battery(), options).source


def turn(source: BiasSource, item: str, arm: str, turn: int) -> Trial:
    """The trial of one turn of a chat, in the first option order."""
    return next(
        t
        for t in source.trials(repetitions=1)
        if (t.item, t.arm, t.order, t.turn) == (f"{item}@chain:chain", arm, 0, turn)
    )


def test_the_core_has_chains_in_every_domain_and_enough_of_a_bias_to_estimate() -> None:
    found = [(bias, item) for bias in packaged_battery().select(CHAINED) for item in bias.items if item.chain]
    assert len(CHAINED) >= 7 and len(found) >= 20
    assert all(sum(owner.id == bias for owner, _ in found) >= 3 for bias in CHAINED)
    assert {item.domain for _, item in found} == set(DOMAINS)
    assert all(len(item.chain) == 2 for _, item in found)


def test_an_effect_dies_down_from_decision_to_decision_as_it_was_planted(tmp_path: Path) -> None:
    found = run(tmp_path, "planted:effect=.6,carry=.7", "chain", biases=CHAINED, trials=8).protocols[0]
    assert covers(found.estimate, 0.6 * 0.7**2, within=0.3)
    by_decision = rows(found, "decision")
    assert [row.at for row in by_decision] == [1, 2, 3]
    assert all(near(row.estimate, 0.6 * 0.7**t, within=0.08) for t, row in enumerate(by_decision))
    assert list(found.by_bias) == list(CHAINED)


def test_who_decides_anew_each_time_shows_the_trigger_in_the_first_decision_alone(tmp_path: Path) -> None:
    found = run(tmp_path, "planted:effect=.6,carry=0", "chain", biases=CHAINED, trials=4).protocols[0]
    first, second, third = rows(found, "decision")
    assert near(first.estimate, 0.6)
    assert covers(second.estimate, 0.0) and covers(third.estimate, 0.0)


@pytest.mark.parametrize("subject", ["first", "coin", "fixed", "rational", "planted:effect=0,carry=1"])
def test_who_has_no_effect_has_none_at_the_end_of_a_chain(tmp_path: Path, subject: str) -> None:
    found = run(tmp_path, subject, "chain", biases=CHAINED, trials=2).protocols[0]
    assert covers(found.estimate, 0.0)
    assert all(covers(row.estimate, 0.0) for row in rows(found, "decision"))


def test_the_next_decision_tells_what_the_subject_itself_chose() -> None:
    source = chain_source("status_quo_bias")
    second = turn(source, "status_quo_bias/phone-plan", "moderate/x", 1)
    asked = {said: source.request(second, [f"Answer: {said}"]).messages[-1].text for said in "AB"}
    assert asked["A"].startswith("You ticked Birch, ")
    assert asked["B"].startswith("You ticked Linden, ")
    assert asked["A"].replace("Birch", "Linden", 2) == asked["B"]


def test_an_answer_that_cannot_be_read_is_followed_by_a_text_that_names_none() -> None:
    source = chain_source("status_quo_bias")
    second = turn(source, "status_quo_bias/phone-plan", "moderate/x", 1)
    for said in ("I would rather not say.", "", "Both plans are fine with me, and I cannot choose."):
        request = source.request(second, [said])
        begun = request.messages[-1].text.split("\n\n")[0]
        assert begun == "The plan has done all year what was promised."
        assert isinstance(request.truth, Truth) and request.truth.earlier == (None,)


def test_the_third_decision_follows_from_the_second_not_from_the_first() -> None:
    source = chain_source("sunk_cost_fallacy")
    third = turn(source, "sunk_cost_fallacy/hold-line", "moderate", 2)
    texts = [m.text for m in source.request(third, ["Answer: A", "Answer: B"]).messages if m.role == "user"]
    assert texts[1].startswith("You stayed on the line of the first number.")
    assert texts[2].startswith("You dialled the second number, ")


def test_later_decisions_are_the_same_in_all_arms_and_without_marks() -> None:
    for bias in CHAINED:
        for block in chain_source(bias).blocks.values():
            for later in block.later:
                said = {(arm.text, arm.options, tuple(arm.follows.items())) for arm in later.values()}
                assert len(said) == 1, block.id
                assert all(not arm.marked for arm in later.values()), block.id


def test_a_chain_or_a_paraphrase_changes_no_standard_trial() -> None:
    for bias in packaged_battery().select(CHAINED):
        items = [msgspec.structs.replace(item, chain=[], paraphrase=None) for item in bias.items]
        bare = msgspec.structs.replace(bias, items=items)
        for item, without in zip(bias.items, items, strict=True):
            assert make_block(bias, item, seed=4).hash == make_block(bare, without, seed=4).hash
        ids = [[t.id for t in battery_source([b], seed=4).trials(repetitions=2)] for b in (bias, bare)]
        assert ids[0] == ids[1]


def test_an_item_without_a_chain_is_left_out_and_counted(tmp_path: Path) -> None:
    options = BiasOptions(model="sim/coin", tier="core", biases=("status_quo_bias",), protocols=("chain",))
    prepared = prepare_run(packaged_battery(), options)
    without = sum(not item.chain for item in packaged_battery().biases["status_quo_bias"].items)
    assert prepared.meta["left_out"] == {"chain": {"nothing in the item follows from its answer": without}}
