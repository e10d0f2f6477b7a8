"""`fiducial judge attack` as it is typed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fiducial.cli.judge_attack import attack
from fiducial.errors import Incomplete, UsageError
from tests.cli.labelled import labelled_cases

SWAYED = "sim/judge:sensitivity=1,specificity=1,swayed=.9,fence_worth=.2,schema_worth=1"
SURE = "sim/judge:sensitivity=1,specificity=1"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    labelled_cases(tmp_path, monkeypatch, n=40)
    return tmp_path


def run(*arguments: object, judge: str = SWAYED, of: str | None = "labels:labels.jsonl") -> Result:
    words = ["--judge", judge, *(["--set", of] if of else []), *map(str, arguments)]
    return CliRunner().invoke(attack, words)


def done(*arguments: object, judge: str = SWAYED, of: str | None = "labels:labels.jsonl") -> Result:
    result = run(*arguments, judge=judge, of=of)
    assert result.exception is None, (result.output, result.exception)
    return result


def test_the_number_of_calls_is_said_first_and_the_verdict_is_given_in_words() -> None:
    result = done("--kind", "threat", "--kind", "order")
    first = result.stderr.splitlines()[0]
    assert first.startswith("168 calls: 42 cases, attacked ones among them, under 4 combinations of defences")
    assert "attacks talked this judge round" in " ".join(result.stdout.split())


def test_repeated_it_shows_the_same_without_a_call() -> None:
    first = done("--kind", "threat", "--json")
    second = done("--kind", "threat", "--json")
    assert first.stdout == second.stdout
    made = json.loads(second.stdout)
    assert made["complete"] and made["calls"] == made["askings"]


def test_json_is_one_document_with_every_rate() -> None:
    made = json.loads(done("--json", "--kind", "authority", "--per-injection", "4").stdout)
    assert [one["name"] for one in made["defences"]] == ["shipped", "fence alone", "schema alone", "neither"]
    for one in made["defences"]:
        assert {"value", "low", "high", "n", "method"} == one["success"]["share"].keys()
    assert {one["defence"] for one in made["worth"]} == {"fence", "schema", "both"}
    assert made["gate"] is None and made["attacks"] == 12


def test_a_gate_that_is_not_met_ends_with_exit_code_1() -> None:
    result = run("--kind", "threat", "--max-success", ".05")
    assert result.exit_code == 1 and "Gate failed" in result.stdout
    assert run("--kind", "threat", "--max-success", "1").exit_code == 0


def test_all_injections_on_a_sound_judge_pass_a_gate() -> None:
    result = done("--max-success", ".15", "--defences", "shipped", judge=SURE)
    assert "Gate passed" in result.stdout and "none of 136 attacks" in " ".join(result.stdout.split())


def test_a_budget_stops_it_and_the_message_says_how_to_go_on() -> None:
    result = run("--kind", "threat", "--budget", "calls=10")
    assert isinstance(result.exception, Incomplete)
    assert "verdicts are stored in runs" in str(result.exception) and "Continue with" in str(result.exception)
    assert "incomplete" in result.stdout
    assert json.loads(done("--kind", "threat", "--json").stdout)["complete"]


def test_planted_cases_are_attacked_without_naming_a_set() -> None:
    made = json.loads(done("--json", "--kind", "threat", "--cases", "6", of=None).stdout)
    assert made["set"].startswith("planted:") and made["cases"] >= 2 and made["complete"]


@pytest.mark.parametrize("task", ["match", "zero_shot", "read"])
def test_every_task_has_cases_of_its_own(task: str) -> None:
    of = "planted:quick" if task == "read" else "planted:tide-gauge"
    words = ("--json", "--task", task, "--kind", "threat", "--kind", "order", "--cases", "8")
    made = json.loads(done(*words, of=of).stdout)
    assert made["task"] == task and made["complete"]
    neither = made["defences"][-1]
    assert neither["success"]["share"]["value"] > 0.4
    assert neither["states"].get("invalid", 0) == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--kind", "treat"), r"did you mean threat"),
        (("--where", "reply"), "in a reply in the task genuine"),
        (("--reuse", "other"), "takes nothing over"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(words: tuple[str, ...], says: str) -> None:
    result = run(*words)
    assert isinstance(result.exception, UsageError)
    assert re.search(says, str(result.exception))


def test_a_wrong_judge_or_set_costs_nothing(place: Path) -> None:
    assert isinstance(run(judge="sim/juge:x=1").exception, UsageError)
    assert isinstance(run(of="labels:nowhere.jsonl").exception, UsageError)
    assert isinstance(run(of="plantd:x").exception, UsageError)
    assert not (place / "runs").exists()


def test_a_share_out_of_range_is_a_usage_error() -> None:
    assert run("--max-success", "5").exit_code == 2


def test_the_injections_can_be_read_without_a_judge() -> None:
    result = CliRunner().invoke(attack, ["--list"])
    assert result.exit_code == 0
    assert "ignore-above (order)" in result.stdout and "control-short (control)" in result.stdout
    assert "base64: " in result.stdout


def test_help_names_what_it_does() -> None:
    text = CliRunner().invoke(attack, ["--help"]).output
    assert "Try to talk a judge round" in text and "--max-success" in text and "--per-injection" in text
