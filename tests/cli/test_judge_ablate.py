"""`fiducial judge ablate` as it is typed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fiducial.cli.judge_ablate import ablate
from fiducial.errors import Incomplete, UsageError
from fiducial.judge.prompt import prompt_text
from tests.cli.labelled import labelled_cases

LEAKY = "sim/judge:sensitivity=.7,specificity=.6,leak=.5"
SOUND = "sim/judge:sensitivity=.9,specificity=.9"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    labelled_cases(tmp_path, monkeypatch, n=80)
    (tmp_path / "terse.txt").write_text(f"Be brief.\n\n{prompt_text('genuine')}", encoding="utf-8")
    return tmp_path


def run(*arguments: object, judge: str = LEAKY, task: str = "genuine", of: str = "labels:labels.jsonl") -> Result:
    words = ["--judge", judge, "--task", task, "--set", of, *map(str, arguments)]
    return CliRunner().invoke(ablate, words)


def done(*arguments: object, **options: str) -> Result:
    result = run(*arguments, **options)
    assert result.exception is None, (result.output, result.exception)
    return result


def test_the_number_of_calls_is_said_first_and_the_verdict_last() -> None:
    result = done()
    assert result.stderr.startswith("400 calls: 80 cases as shipped, twice, and in 3 other wordings, once")
    assert "Showing the key moves" in result.stdout and "verdict first" in result.stdout


def test_json_is_one_document_with_the_same_verdicts() -> None:
    shown, made = done().stdout, json.loads(done("--json").stdout)
    assert [one["factor"] for one in made["comparisons"]] == ["reasoning", "order", "key"]
    flat = " ".join(shown.split())
    for one in made["comparisons"]:
        assert " ".join(one["verdict"].split()) in flat
        assert {"value", "low", "high", "n", "method"} <= one["effect"].keys()
    assert made["judge"] == LEAKY and made["complete"] and made["left_out"] == {}


def test_repeated_it_makes_no_call() -> None:
    first, second = json.loads(done("--json").stdout), json.loads(done("--json").stdout)
    assert first == second and first["calls"] == 400
    assert len(list(Path("runs").glob("*.db"))) == 1


def test_only_the_factors_that_were_asked_for_are_run() -> None:
    made = json.loads(done("--factor", "key", "--json").stdout)
    assert [one["factor"] for one in made["comparisons"]] == ["key"] and made["calls"] == 240
    both = json.loads(done("--factor", "prompt", "--prompt", "terse.txt", "--json").stdout)
    assert [one["name"] for one in both["comparisons"]] == ["prompt terse.txt"]
    every = json.loads(done("--prompt", "terse.txt", "--json").stdout)
    assert [one["factor"] for one in every["comparisons"]] == ["reasoning", "order", "key", "prompt"]


def test_prompts_of_ones_own_are_tried_on_the_half_they_were_not_tuned_on() -> None:
    result = done("--prompt", "terse.txt", "--json")
    assert result.stderr.startswith("half holdout")
    holdout, dev, every = (
        json.loads(done("--prompt", "terse.txt", *more, "--json").stdout)["cases"]
        for more in ((), ("--half", "dev"), ("--half", "all"))
    )
    assert holdout == json.loads(result.stdout)["cases"] and holdout + dev == every == 80 and 0 < dev < 80


def test_prompt_files_are_compared_even_if_another_factor_is_named() -> None:
    made = json.loads(done("--factor", "key", "--prompt", "terse.txt", "--json").stdout)
    assert [one["factor"] for one in made["comparisons"]] == ["key", "prompt"]


@pytest.mark.parametrize(
    ("task", "of"),
    [
        ("genuine", "planted:tide-gauge"),
        ("match", "planted:tide-gauge"),
        ("zero_shot", "planted:tide-gauge"),
    ],
)
def test_planted_flaws_serve_as_cases_of_the_review_judge(task: str, of: str) -> None:
    made = json.loads(done("--cases", 20, "--json", judge=SOUND, task=task, of=of).stdout)
    assert made["task"] == task and made["cases"] == 20 and made["positives"] == made["negatives"] == 10
    assert bool(made["comparisons"][0]["bands"]) is (task == "genuine")


def test_the_reader_of_bias_runs_is_put_on_trial_too() -> None:
    made = json.loads(done("--cases", 20, "--json", judge=SOUND, task="read", of="planted:quick").stdout)
    assert made["task"] == "read" and made["cases"] == 20


def test_a_budget_ends_with_exit_code_3_and_the_command_that_continues() -> None:
    result = run("--budget", "calls=100", "--json")
    assert isinstance(result.exception, Incomplete) and result.exception.exit_code == 3
    assert "Continue with" in str(result.exception) and json.loads(result.stdout)["complete"] is False
    assert json.loads(done("--json").stdout)["complete"] is True


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--factor", "prompt"], "--prompt FILE"),
        (["--reuse", "other"], "--reuse"),
        (["--prompt", "labels.jsonl"], "labels.jsonl: a prompt for the task genuine needs the places"),
    ],
)
def test_a_wrong_command_costs_nothing_and_says_what_is_wrong(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert isinstance(result.exception, UsageError) and message in str(result.exception)
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"of": "planned:x"}, "planted"),
        ({"of": "labels:nowhere.jsonl"}, "nowhere.jsonl"),
        ({"judge": "sim/judge:sensitivty=.8"}, "sensitivity"),
    ],
)
def test_a_wrong_set_or_judge_names_the_nearest(options: dict[str, str], message: str) -> None:
    result = run(**options)
    assert isinstance(result.exception, UsageError) and message in str(result.exception)


def test_a_prompt_that_is_not_there_is_refused_by_the_parser() -> None:
    result = run("--prompt", "nowhere.txt")
    assert result.exit_code == 2 and "nowhere.txt" in result.output


def test_the_help_says_what_each_factor_is() -> None:
    text = re.sub(r"\s+", " ", CliRunner().invoke(ablate, ["--help"]).output)
    for factor in ("reasoning:", "order:", "key:", "prompt:"):
        assert factor in text
