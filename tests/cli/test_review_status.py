"""The command: on results made by hand, and on the file of a real run of recorded outputs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
from click.testing import CliRunner, Result

from fiducial.cli.review_run import run_review
from fiducial.cli.review_status import show_status
from fiducial.errors import UsageError
from fiducial.review.dataset import load_dataset
from fiducial.review.result import ReviewResult
from fiducial.review.reviewer import find_reviewers, unknown_reviewer
from fiducial.run.plan import Plan
from fiducial.run.store import prepare
from tests.review.made_results import item, recall, result, reviewed

NAME = "edge-case-prober"
ITEM = {
    "id": "m1",
    "title": "title of m1",
    "issue": "it is so",
    "zero_shot": {"model": "sim/judge", "prompt_hash": "0", "calls": 3, "found": True, "quotation": "A."},
}

Run = Callable[..., Result]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset that is frozen and curated."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "document.md").write_text("A.\n")
    frozen = load_dataset(data).documents[0].hash
    (data / "metadata.json").write_text(json.dumps({"document": "document.md", "hash": frozen}))
    (data / "must_find.jsonl").write_text(json.dumps(ITEM) + "\n")
    return data


@pytest.fixture
def status(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command where `results` are what the stored runs hold."""

    def run(*arguments: str, results: tuple[ReviewResult, ...] = ()) -> Result:
        module = ModuleType("fiducial.review.run")
        module.look = lambda path: next(r for r in results if r.run == path.stem)  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "fiducial.review.run", module)
        for one in results:
            prepare(tmp_path / "runs" / f"{one.run}.db", Plan((), ()), {"settings": one.settings})
        return CliRunner().invoke(show_status, [*arguments, "--folder", str(tmp_path / "runs")])

    return run


def stored(folder: Path, name: str = NAME) -> ReviewResult:
    loaded = load_dataset(folder)
    (reviewer,) = find_reviewers([NAME])
    reviewer = msgspec.structs.replace(reviewer, name=name)
    own = reviewed(name=name, documents=("data",), recall=recall(item("m1", document="data")))
    return result(own, of=loaded, reviewer=reviewer)


def test_a_dataset_that_is_ready_says_so_and_exits_with_zero(status: Run, folder: Path) -> None:
    seen = status(str(folder), results=(stored(folder),))
    assert seen.exit_code == 0
    assert f"reviewer {NAME}" in seen.stdout
    assert "● gates enforceable" in seen.stdout
    assert seen.stdout.rstrip().endswith("--runs 3 --gate")


def test_a_dataset_that_is_not_ready_exits_with_zero_too(status: Run, folder: Path) -> None:
    seen = status(str(folder), "--reviewer", NAME, "--model", "openai/x", "--judge", "openai/j")
    assert seen.exit_code == 0
    assert "× outputs parse missing" in seen.stdout
    assert f"Next: fiducial review run {folder} --reviewer {NAME} --model openai/x --judge openai/j" in seen.stdout


def test_without_runs_and_reviewer_the_dataset_is_shown_as_far_as_it_goes(status: Run, folder: Path) -> None:
    (folder / "must_find.jsonl").unlink()
    seen = status(str(folder))
    assert seen.exit_code == 0
    assert "Readiness of data\n" in seen.stdout
    assert (
        "● documents frozen" in seen.stdout
        and "must-finds curated, each with its zero-shot result blocked" in seen.stdout
    )


def test_json_is_one_document_with_everything_in_it(status: Run, folder: Path) -> None:
    seen = status(str(folder), "--json", results=(stored(folder),))
    found = json.loads(seen.stdout)
    (one,) = found["readiness"]
    assert (found["dataset"], one["reviewer"], one["enforceable"]) == ("data", NAME, True)
    assert one["next_command"].endswith("--gate")
    assert {step["state"] for step in one["steps"]} == {"done", "warning"}


def test_the_model_that_is_asked_for_decides_which_runs_count(status: Run, folder: Path) -> None:
    (one,) = json.loads(status(str(folder), "--json", "--model", "sim/other", results=(stored(folder),)).stdout)[
        "readiness"
    ]
    assert [step["id"] for step in one["steps"] if step["state"] == "missing"] == ["runs"]


def test_every_reviewer_that_is_given_has_its_graph(status: Run, folder: Path) -> None:
    seen = status(str(folder), "--reviewer", NAME, "--reviewer", "assumption-hunter", "--json")
    assert [one["reviewer"] for one in json.loads(seen.stdout)["readiness"]] == [NAME, "assumption-hunter"]


def test_a_stored_reviewer_that_is_not_among_the_shipped_has_to_be_given(status: Run, folder: Path) -> None:
    seen = status(str(folder), results=(stored(folder, "my-own"),))
    assert "my-own: give its file with --reviewer" in seen.stderr
    assert seen.exit_code == 0


def test_a_reviewer_of_recorded_outputs_is_known_by_its_name(status: Run, folder: Path) -> None:
    own = reviewed(name="theirs", documents=("data",), recall=recall(item("m1", document="data")))
    recorded = result(own, of=load_dataset(folder), reviewer=unknown_reviewer("theirs"), model="recorded/outputs")
    seen = status(str(folder), "--json", results=(recorded,))
    (one,) = json.loads(seen.stdout)["readiness"]
    assert (one["reviewer"], one["enforceable"], seen.stderr) == ("theirs", True, "")


def test_unvalidated_context_and_queued_candidates_are_read_from_the_dataset(status: Run, folder: Path) -> None:
    record = {"id": "c1", "title": "t", "issue": "i", "required_context": "the budget"}
    (folder / "context_dependent_findings.jsonl").write_text(json.dumps(record) + "\n")
    seen = status(str(folder), "--judge", "openai/j", results=(stored(folder),))
    assert f"Next: fiducial review check {folder} --judge openai/j" in seen.stdout
    (folder / "must_find.jsonl").write_text("")
    (folder / "candidates.jsonl").write_text(json.dumps({"id": "q1", "title": "t", "issue": "i"}) + "\n")
    seen = status(str(folder), "--judge", "openai/j", results=(stored(folder),))
    assert f"Next: fiducial review confirm {folder} q1 --as must-find --judge openai/j" in seen.stdout
    assert "1 candidate in the queue" in seen.stdout


def test_a_file_that_is_no_run_is_passed_over_with_a_note(status: Run, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "notes.db").write_text("no database")
    seen = status(str(folder), "--json")
    assert seen.exit_code == 0 and "notes.db was passed over" in seen.stderr
    json.loads(seen.stdout)


def test_a_wrong_dataset_or_reviewer_is_an_error_that_says_so(status: Run, folder: Path) -> None:
    assert isinstance(status("nowhere").exception, UsageError)
    assert isinstance(status(str(folder), "--reviewer", "edge-case-probe").exception, UsageError)


def test_a_stored_run_counts_until_the_document_changes(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outputs = tmp_path / "outputs" / NAME
    outputs.mkdir(parents=True)
    for k in (1, 2, 3):
        (outputs / f"{k}.md").write_text('{"title": "No owner", "issue": "Nobody owns it."}\n')
    made = CliRunner().invoke(run_review, [str(folder), "--outputs", "outputs", "--judge", "none", "--json"])
    assert made.exit_code == 0, made.output
    name = json.loads(made.stdout)["run"]

    def steps() -> dict[str, dict[str, str]]:
        seen = CliRunner().invoke(show_status, [str(folder), "--json"])
        (one,) = json.loads(seen.stdout)["readiness"]
        assert one["reviewer"] == NAME and not one["enforceable"]
        return {step["id"]: step for step in one["steps"]}

    before = steps()
    assert (before["parse"]["state"], before["runs"]["state"]) == ("done", "done")
    assert before["parse"]["seen"] == f"run {name}: 3 of 3 outputs read"
    assert before["precision"]["command"] == f"fiducial review rejudge {name} --judge JUDGE"
    (folder / "document.md").write_text("B.\n")
    after = steps()
    assert (after["frozen"]["state"], after["parse"]["state"]) == ("missing", "blocked")
    assert name in after["parse"]["seen"]
