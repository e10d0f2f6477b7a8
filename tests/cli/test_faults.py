"""A reply that makes a reader raise costs that reply, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fiducial.bias.authoring.proposal import Sieve
from fiducial.bias.load import packaged_battery
from fiducial.bias.read import read
from fiducial.cli.main import fiducial
from tests.review.standins import Judging, Scripted, as_output, make_dataset, review

TOO_LARGE = "hundred " * 155  # the reader's own sum of these words is too large for a float


def run(*arguments: object) -> Result:
    return CliRunner().invoke(fiducial, [str(argument) for argument in arguments])


def fault_in(audit: list[dict[str, Any]]) -> str:
    (check,) = (check for check in audit if check["code"] == "reader-fault")
    assert check["level"] == "warn"
    return str(check["message"])


def failing(*_: object, **__: object) -> Any:
    raise RuntimeError("a rule that is wrong")


@pytest.fixture
def bias_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A stored run with one reply that the reader cannot take."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "wordy_agent.py").write_text(
        "class Agent:\n"
        "    said = 0\n"
        "    async def generate(self, request):\n"
        "        self.said += 1\n"
        f"        return {TOO_LARGE!r} if self.said == 5 else 'Answer: 50'\n"
    )
    done = run(
        *("bias", "run", "--model", "py/wordy_agent:Agent", "--bias", "anchoring_effect", "--trials", 1),
        *("--arms", "control,strong", "--identical-gap", 0, "--out", "r.db", "--json"),
    )
    assert done.exit_code == 0, done.output
    assert "1 reply could not be read" in fault_in(json.loads(done.stdout)["audit"])
    return "r.db"


def test_one_reply_of_a_run_costs_that_reply_in_every_command(bias_run: str) -> None:
    for command in (
        ("rescore", bias_run),
        ("report", bias_run, "--out", "page.html"),
        ("audit", bias_run),
        ("export", bias_run, "--what", "replies"),
        ("bias", "items", bias_run),
    ):
        done = run(*command)
        assert done.exit_code == 0, (command, done.output, done.exception)
    found = json.loads(run("rescore", bias_run, "--json").stdout)
    assert "(OverflowError 1)" in fault_in(found["audit"]) and found["unread"] == {"unreadable": 1}


@pytest.mark.parametrize("stage", ["fiducial.bias.answered.read_reply", "fiducial.bias.answered.score"])
def test_a_fault_in_reading_or_scoring_is_counted(
    bias_run: str, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    monkeypatch.setattr(stage, failing)
    done = run("rescore", bias_run, "--json")
    assert done.exit_code == 0, done.output
    assert "15 replies could not be read" in fault_in(json.loads(done.stdout)["audit"])


def test_recorded_replies_are_read_past_a_fault(tmp_path: Path) -> None:
    assert (read(TOO_LARGE, "numeric").status, read(TOO_LARGE, "numeric").rule) == (
        "unreadable",
        "fault:OverflowError",
    )
    rows = [
        {"bias": "b", "item": f"{k}", "arm": arm, "kind": "numeric", "prompt": None, "biased": 9, "response": said}
        for k in range(3)
        for arm, said in (("control", TOO_LARGE if k == 0 else "Answer: 3"), ("treatment", "Answer: 9"))
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = run("bias", "score", tmp_path / "rows.jsonl", "--json")
    assert done.exit_code == 0, done.output
    assert "1 reply could not be read" in fault_in(json.loads(done.stdout)["audit"])


@pytest.mark.parametrize(
    ("stage", "seen"),
    [
        ("fiducial.review.parse.objects.Objects.value", "1 reply could"),
        ("fiducial.review.judging.near_duplicates", "1 reply could"),
        ("fiducial.judge.genuine.place_of", "(RuntimeError 3)"),
    ],
)
def test_a_fault_in_an_output_or_a_verdict_leaves_the_review_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str, seen: str
) -> None:
    monkeypatch.setattr(stage, failing)
    text = as_output() + f"\n\n{stage}"  # outputs are remembered by their text
    result = review(tmp_path / "r.db", make_dataset(tmp_path), Scripted(text), Judging())
    (check,) = (check for check in result.audit if check.code == "reader-fault")
    assert check.level == "warn" and seen in check.message


def test_a_fault_in_a_proposed_item_rejects_that_proposal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fiducial.bias.authoring.proposal.load_yaml", failing)
    sieve = Sieve(packaged_battery().biases["sunk_cost_fallacy"], kept_in="own", seeds=1)
    (proposed,) = sieve.sift([("trial", ["id: one"])])
    assert proposed.item is None and "fault:RuntimeError" in proposed.rejected[0].problems[0]
