"""Context: the same effect in other surroundings."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.bias.load import packaged_battery
from fiducial.bias.protocols.context import BASELINE, SETTINGS, Context, fraction, full_factorial, name_of
from fiducial.bias.source import battery_source
from tests.bias.protocols.running import covers, rows, run

SLOPES = "planted:effect=.3,expertise=.3,stakes=-.2,formality=.1"


def test_slopes_that_were_planted_are_recovered(tmp_path: Path) -> None:
    found = run(tmp_path, SLOPES, "context", trials=3).protocols[0]
    assert covers(found.estimate, 0.3 - 0.2 + 0.1, within=0.4)
    for factor, slope in (("expertise", 0.3), ("stakes", -0.2), ("formality", 0.1)):
        assert covers(rows(found, f"{factor}: change")[0].estimate, slope, within=0.5), factor
    assert [row.name for row in rows(found, "setting")] == [name_of(s) for s in SETTINGS]


def test_a_subject_that_does_not_heed_the_setting_shows_no_slope(tmp_path: Path) -> None:
    for subject in ("first", "planted:effect=.3"):
        found = run(tmp_path / subject[:5], subject, "context").protocols[0]
        assert covers(found.estimate, 0.0)


def test_the_whole_factorial_has_every_combination_and_averages_over_the_rest(tmp_path: Path) -> None:
    assert len(full_factorial()) == 32 and set(fraction()) < set(full_factorial())
    assert BASELINE in fraction() and set(SETTINGS) < set(fraction())
    found = run(tmp_path, SLOPES, "context:full", biases=("status_quo_bias",), trials=1).protocols[0]
    assert covers(rows(found, "expertise: change")[0].estimate, 0.3, within=0.4)
    assert len({row.name for row in rows(found, "expertise")}) == 4


def test_the_setting_stands_in_both_arms_and_nothing_else_changes() -> None:
    battery = packaged_battery().select(["status_quo_bias", "conjunction_fallacy"])
    source = battery_source(battery, seed=1)
    for block in source.standard:
        made = Context(at="moderate").blocks(source.biases[block.bias], block)
        assert not isinstance(made, str)
        for one in made:
            openings = {arm.text.removesuffix(block.arms[arm.name].text) for arm in one.arms.values()}
            assert len(one.arms) == 2 and len(openings) == 1 and openings != {""}
        assert len({one.hash for one in made}) == len(made) == len(fraction())


@pytest.mark.parametrize("bias", ["overconfidence_effect", "endowment_effect"])
def test_questions_without_a_trigger_and_prices_have_contexts_too(bias: str, tmp_path: Path) -> None:
    found = run(tmp_path, "planted:effect=.2", "context", biases=(bias,), tier="quick").protocols[0]
    assert covers(rows(found, "setting")[0].estimate, 0.2, within=2.0)
