from __future__ import annotations

from pathlib import Path

import pytest

from fiducial import api
from fiducial.api.models import made_calls
from fiducial.bias.authoring.conduct import PROPOSAL_TOKENS
from fiducial.cli.bias_generate import generate_items
from fiducial.cli.bias_run import run_bias
from fiducial.cli.bias_study import validate_items
from tests.api.test_bias import Agent


def test_items_are_put_to_a_model_plainly_and_under_the_positive_control(tmp_path: Path) -> None:
    agent = Agent(answer="Answer: A")
    found = api.bias_validate(agent, biases=["gain_loss_framing"], progress=False, out=tmp_path / "v.db")
    assert found.model == "py/agent" and found.answered == found.calls == agent.calls > 0
    with pytest.raises(api.Incomplete, match="3 of") as short:
        api.bias_validate(
            agent, biases=["gain_loss_framing"], progress=False, budget="calls=3", out=tmp_path / "w.db"
        )
    assert short.value.path == tmp_path / "w.db"


def test_proposals_that_are_no_items_are_counted_and_nothing_is_written(tmp_path: Path) -> None:
    agent, target = Agent(answer="I would rather not."), tmp_path / "g.yaml"
    found = api.bias_generate("gain_loss_framing", agent, 2, target, progress=False, out=tmp_path / "g.db")
    assert found.kept == [] and sum(found.rejected.values()) >= 2 and not target.exists()
    assert agent.calls == 4  # each is asked for once more


def test_the_commands_allow_as_many_tokens() -> None:
    for command, ours in (
        (generate_items, PROPOSAL_TOKENS),
        (validate_items, made_calls({}).max_tokens),
        (run_bias, made_calls({}).max_tokens),
    ):
        assert {parameter.name: parameter.default for parameter in command.params}["max_tokens"] == ours
