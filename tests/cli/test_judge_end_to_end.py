"""From recorded findings to a corrected precision: review, label, calibrate, and review again."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fiducial.cli.main import fiducial
from fiducial.review.labelling import run_cases
from fiducial.review.labels import append_label

STRICT = "sim/judge:sensitivity=.5,specificity=.95"
LAX = "sim/judge:sensitivity=1,specificity=.6"


def run(*args: str) -> str:
    done = CliRunner().invoke(fiducial, list(args))
    assert done.exit_code == 0, (args, done.output, done.exception)
    return done.stdout


def precision(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)["reviewers"][0]["precision"]
    return found


def outputs(folder: Path, *, seed: int, runs: int = 5) -> Path:
    """Recorded outputs of one reviewer: 20 findings each, all different."""
    draw = random.Random(seed)
    home = folder / "plain"
    home.mkdir(parents=True)

    def words(n: int) -> str:
        return " ".join("".join(draw.choices("abcdefghijklmnoprstuvw", k=draw.randrange(5, 10))) for _ in range(n))

    for number in range(1, runs + 1):
        blocks = [
            f"### Finding {k}: {words(5)}\n\nSeverity: Important\n\nSection: Part {k % 5 + 1}\n\nIssue: {words(16)}.\n"
            for k in range(1, 21)
        ]
        (home / f"{number}.md").write_text("\n".join(blocks))
    return folder


def record(folder: Path, path: Path, *, seed: int) -> None:
    """A run of recorded outputs that nobody has judged."""
    run(
        "review",
        "run",
        "ferry",
        "--outputs",
        str(outputs(folder, seed=seed)),
        "--judge",
        "none",
        "--out",
        str(path),
    )


def unlabelled(place: Path, path: Path) -> dict[str, Any]:
    """The result, once nobody has labelled anything."""
    (place / "ferry" / "labels" / "ann.jsonl").unlink()
    found: dict[str, Any] = json.loads(run("rescore", str(path), "--json"))
    return found


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [f"## Part {k}\n\nRule {k} says that a crossing takes {10 + k} minutes." for k in range(1, 6)]
    Path("ferry.md").write_text("# Ferry\n\n" + "\n\n".join(lines) + "\n")
    run("review", "init", "ferry.md", "--type", "design", "--out", "ferry")
    return tmp_path


def genuine(case: str) -> bool:
    """The truth: four findings in ten are genuine."""
    return int(hashlib.sha256(case.encode()).hexdigest(), 16) % 10 < 4


def label_all(path: Path) -> float:
    cases = run_cases(path)
    for case in cases:
        append_label(Path("ferry"), case=case.id, rater="ann", label=float(genuine(case.id)))
    return sum(genuine(case.id) for case in cases) / len(cases)


def test_two_judges_that_contradict_each_other_agree_on_labelled_findings(place: Path) -> None:
    path = place / "runs" / "first.db"
    record(place / "a", path, seed=1)
    truth = label_all(path)
    strict = precision(run("review", "rejudge", str(path), "--judge", STRICT, "--json"))
    lax = precision(run("review", "rejudge", str(path), "--judge", LAX, "--json"))
    assert strict["high"] < lax["low"]
    for found in (strict, lax):
        assert found["corrected"]["basis"] == "own labels" and found["corrected"]["decides"]
        assert found["corrected"]["value"] == pytest.approx(truth)
        assert found["corrected"]["low"] < truth < found["corrected"]["high"]


def test_a_calibration_is_found_again_by_a_later_run_and_corrects_it(place: Path) -> None:
    first, second = place / "runs" / "first.db", place / "runs" / "second.db"
    record(place / "a", first, seed=1)
    label_all(first)
    run("judge", "calibrate", "--judge", LAX, "--task", "genuine", "--set", f"labels:{first}")
    record(place / "b", second, seed=2)
    truth = label_all(second)
    run("review", "rejudge", str(second), "--judge", LAX)
    result = unlabelled(place, second)
    assert "is calibrated" in run("review", "status", "ferry", "--judge", LAX, "--json")
    found = result["reviewers"][0]["precision"]
    assert found["low"] > truth  # as the judge has it
    assert found["corrected"]["basis"] == "labels"
    assert found["corrected"]["low"] <= truth <= found["corrected"]["high"]
    (check,) = [c for c in result["audit"] if c["code"] == "judge-uncalibrated"]
    assert check["level"] == "pass" and "calibrated with labels by people" in check["message"]
    assert result["trust"][0]["state"] == "calibrated"


def test_a_planted_calibration_gives_a_range_that_decides_nothing(place: Path) -> None:
    path = place / "runs" / "first.db"
    record(place / "a", path, seed=1)
    label_all(path)
    run("judge", "calibrate", "--judge", LAX, "--task", "genuine", "--set", "planted:tide-gauge", "--repeats", "1")
    run("review", "rejudge", str(path), "--judge", LAX)
    result = unlabelled(place, path)
    corrected = result["reviewers"][0]["precision"]["corrected"]
    assert corrected["basis"] == "planted" and not corrected.get("decides")
    assert "as on planted ones" in corrected["words"]


def test_a_judge_without_labels_or_calibration_corrects_nothing_and_the_audit_says_so(place: Path) -> None:
    path = place / "runs" / "first.db"
    record(place / "a", path, seed=1)
    label_all(path)
    run("review", "rejudge", str(path), "--judge", STRICT)
    result = unlabelled(place, path)
    assert result["reviewers"][0]["precision"]["corrected"] is None
    (check,) = [c for c in result["audit"] if c["code"] == "judge-uncalibrated"]
    assert check["level"] == "warn"
