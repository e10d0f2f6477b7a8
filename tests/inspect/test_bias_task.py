from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")

from inspect_ai import score
from inspect_ai._util.error import PrerequisiteError

from fiducial.bias.load import packaged_battery
from fiducial.bias.result import Effect
from fiducial.bias.run import BiasOptions, collect_run, look, prepare_run
from fiducial.inspect import bias, bias_answer
from fiducial.model.python import PythonModel
from fiducial.model.request import Settings, WireRequest
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from tests.inspect.standins import answer_to, decides, numbers, run, stand_in

BIASES = ("anchoring_effect", "gain_loss_framing")


class Decides:
    async def generate(self, request: WireRequest) -> str:
        return answer_to(request.messages[-1].text)


def test_effects_and_counts_are_those_of_the_same_replies_in_a_run_of_fiducial(tmp_path: Path) -> None:
    log = run(bias(biases=list(BIASES), trials=2, seed=7), stand_in(decides), tmp_path)
    found = numbers(log, "bias_answer")

    options = BiasOptions(model="py/decides", biases=BIASES, trials=2, seed=7, settings=Settings(temperature=1.0))
    prepared = prepare_run(packaged_battery(), options, out=tmp_path / "run.db")
    collect_run(
        prepared,
        PythonModel("py/decides", Decides()),
        options,
        limits=Limits(max_connections=8, identical_gap=0),
        budget=Budget(),
        progress=Silent(),
    )
    result = look(prepared.path)

    assert found["replies"] == result.answered == len(log.samples or ())
    assert found["unread"] == sum(result.unread.values()) > 0
    for one in result.biases:
        assert isinstance(one.effect, Effect)
        for name in ("value", "low", "high", "q"):
            key = one.id if name == "value" else f"{one.id}_{name}"
            assert found[key] == pytest.approx(getattr(one.effect, name), abs=1e-9)
        assert found[f"{one.id}_flagged"] == one.flagged
    warned = {check.code for check in result.audit if check.level == "warn"}
    assert {f"audit_{code}" for code in warned} >= {key for key in found if key.startswith("audit_")}
    assert found["audit_few-items"] == 1.0


def test_the_model_sees_the_prompt_alone_and_no_sample_holds_a_key(tmp_path: Path) -> None:
    seen: list[list[tuple[str, str]]] = []

    def looks(messages: list[tuple[str, str]]) -> str:
        seen.append(messages)
        return "Answer: A"

    task = bias(biases="gain_loss_framing", trials=1)
    run(task, stand_in(looks), tmp_path)
    prompts = {sample.input[0].text for sample in task.dataset}  # type: ignore[union-attr]
    assert {text for ((role, text),) in seen if role == "user"} == prompts
    for sample in task.dataset:
        told = json.dumps(sample.metadata)
        assert '"biased"' not in told and '"rational"' not in told and "key" not in told
        assert sample.target == ""


def test_a_reply_that_is_not_read_has_no_number_and_says_why(tmp_path: Path) -> None:
    log = run(bias(biases="gain_loss_framing", trials=1), stand_in(lambda _: "I cannot help with that."), tmp_path)
    for sample in log.samples or ():
        (found,) = (sample.scores or {}).values()
        assert isinstance(found.value, dict) and found.value["score"] != found.value["score"]
        assert found.reason == "refusal" and found.explanation == "not scored: refused"
    told = numbers(log, "bias_answer")
    assert told["unread"] == told["replies"] > 0 and told["withheld"] == 1.0 and told["audit_refused"] == 2.0
    assert "gain_loss_framing" not in told
    assert not any(math.isnan(value) for value in told.values())


def test_an_item_that_has_changed_since_is_unscored_and_the_log_can_be_scored_again(tmp_path: Path) -> None:
    log = run(bias(biases="gain_loss_framing", trials=1), stand_in(decides), tmp_path)
    samples = log.samples or []
    samples[0].metadata["trial"]["item_hash"] = "another"
    again = score(log, bias_answer(), action="overwrite", model="none")
    first = (again.samples or [])[0].scores or {}
    assert first["bias_answer"].reason == "scoring_failed"
    assert "another version of this item" in str(first["bias_answer"].explanation)
    assert numbers(again, "bias_answer")["replies"] == len(samples) - 1


@pytest.mark.parametrize(
    ("said", "complaint"), [({"biases": "anchor"}, "no bias 'anchor'"), ({"tier": "huge"}, "--tier huge")]
)
def test_a_wrong_parameter_is_refused_before_anything_is_asked(said: dict[str, Any], complaint: str) -> None:
    with pytest.raises(PrerequisiteError, match=complaint):
        bias(**said)
