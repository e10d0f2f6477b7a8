from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

pytest.importorskip("inspect_ai")

from inspect_ai import Task
from inspect_ai._util.registry import registry_lookup
from inspect_ai.dataset import Sample
from inspect_ai.log import bundle_log_dir, read_eval_log, write_eval_log
from inspect_ai.solver import system_message
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

import fiducial.inspect
from fiducial.bias.result import Effect
from fiducial.bias.run import look
from fiducial.cli.contracts import schema
from fiducial.cli.main import fiducial as command
from fiducial.errors import UsageError
from fiducial.inspect import bias
from fiducial.inspect.read import import_log
from fiducial.inspect.write import export_log
from fiducial.review.recorded import find_outputs
from fiducial.review.result import Recall, ReviewResult
from tests.inspect.standins import decides, numbers, run, stand_in
from tests.review.standins import Judging, Scripted, as_output, found, make_dataset, review, verdict

RUN = ["bias", "run", "--model", "sim/planted:effect=.5", "--trials", "1", "--bias", "gain_loss_framing"]


def called(*words: str | Path) -> str:
    ended = CliRunner().invoke(command, [str(word) for word in words], catch_exceptions=False)
    assert ended.exit_code == 0, ended.output
    return ended.stdout


@pytest.fixture
def bias_run(tmp_path: Path) -> Path:
    called(*RUN, "--out", tmp_path / "run.db", "--json")
    return tmp_path / "run.db"


@pytest.mark.parametrize("ending", [".eval", ".json"])
def test_a_bias_run_comes_back_from_a_log_with_the_same_effects(
    bias_run: Path, tmp_path: Path, ending: str
) -> None:
    log = tmp_path / f"out{ending}"
    assert "samples" in called("export", bias_run, "--to", "inspect", "--out", log)
    printed = json.loads(called("import", log, "--out", tmp_path / "again.db", "--json"))
    Draft202012Validator(schema("import", strict=True)).validate(printed)
    before, after = look(bias_run), look(tmp_path / "again.db")
    (one,), (two,) = before.biases, after.biases
    assert isinstance(one.effect, Effect) and isinstance(two.effect, Effect)
    assert two.effect.value == pytest.approx(one.effect.value) and two.effect.low == pytest.approx(one.effect.low)
    assert (after.answered, after.subject, after.unread) == (before.answered, before.subject, before.unread)
    assert after.settings["temperature"] == before.settings["temperature"]
    told = numbers(read_eval_log(str(log)), "bias_answer")
    assert told["gain_loss_framing"] == pytest.approx(one.effect.value) and told["replies"] == before.answered


def test_a_log_of_the_task_becomes_a_run_and_epochs_are_repetitions(tmp_path: Path) -> None:
    log = run(bias(biases="gain_loss_framing", trials=1, temperature=0.7), stand_in(decides), tmp_path, epochs=2)
    taken = import_log(Path(log.location), out=tmp_path / "run.db")
    assert (taken.kind, taken.samples, taken.left_out) == ("run", len(log.samples or ()), {})
    result = look(tmp_path / "run.db")
    assert result.subject == "inspect/mockllm/stand-in" and result.settings["temperature"] == 0.7
    assert result.settings["trials"] == 2 and result.complete
    told, (one,) = numbers(log, "bias_answer"), result.biases
    assert isinstance(one.effect, Effect) and told["gain_loss_framing"] == pytest.approx(one.effect.value)
    with pytest.raises(UsageError, match="exists already"):
        import_log(Path(log.location), out=tmp_path / "run.db")


def test_a_sample_that_failed_is_a_failed_trial_and_not_a_reply(tmp_path: Path) -> None:
    asked = 0

    def sometimes(messages: list[tuple[str, str]]) -> str:
        nonlocal asked
        asked += 1
        if asked == 3:
            raise RuntimeError("gone")
        return decides(messages)

    log = run(bias(biases="gain_loss_framing", trials=1), stand_in(sometimes), tmp_path, fail_on_error=False)
    taken = import_log(Path(log.location), out=tmp_path / "run.db")
    assert taken.left_out == {"crashed": 1}
    result = look(tmp_path / "run.db")
    assert not result.complete and result.answered == result.trials - 1


def test_replies_to_a_prompt_that_a_solver_changed_are_refused(tmp_path: Path) -> None:
    task = bias(biases="gain_loss_framing", trials=1)
    log = run(task, stand_in(decides), tmp_path)
    for sample in log.samples or ():
        sample.messages[0].content = "Something else."
    write_eval_log(log, str(tmp_path / "changed.json"))
    with pytest.raises(UsageError, match="not asked with the prompt of its trial"):
        import_log(tmp_path / "changed.json", out=tmp_path / "run.db")
    assert not (tmp_path / "run.db").exists()


def test_a_system_message_of_the_evaluation_is_the_subjects_own(tmp_path: Path) -> None:
    task = bias(biases="gain_loss_framing", trials=1)
    log = run(task, stand_in(decides), tmp_path, solver=[system_message("Be a banker."), task.solver])
    import_log(Path(log.location), out=tmp_path / "run.db")
    assert look(tmp_path / "run.db").settings["system"] == "Be a banker."


def test_a_review_run_is_exported_with_both_scores_and_its_outputs_come_back(tmp_path: Path) -> None:
    result, path = review_run(tmp_path)
    log_file = tmp_path / "logs" / "review.eval"
    export_log(path, log_file)
    log = read_eval_log(str(log_file))
    (one,) = result.reviewers
    told = numbers(log, "reverse_judge_precision")
    assert told["precision"] == one.precision.value and told["precision_low"] == one.precision.low
    assert isinstance(one.recall, Recall)
    assert numbers(log, "must_find_recall")["detected"] == one.recall.list.detected == 2
    samples = log.samples or []
    assert {sample.epoch for sample in samples} == {1, 2}
    assert all(set(sample.scores or {}) == {"reverse_judge_precision", "must_find_recall"} for sample in samples)
    header = read_eval_log(str(log_file), header_only=True)
    assert header.status == "success" and header.results is not None and header.results.total_samples == 2
    bundle_log_dir(str(tmp_path / "logs"), str(tmp_path / "bundle"))
    listing = json.loads((tmp_path / "bundle" / "logs" / "listing.json").read_text("utf-8"))
    assert "review.eval" in listing

    taken = import_log(log_file, out=tmp_path / "outputs")
    assert taken.kind == "outputs" and taken.samples == 2
    recorded = find_outputs(tmp_path / "outputs", [result.documents[0]], [])
    assert [(r.reviewer, r.run) for r in recorded] == [(one.name, 0), (one.name, 1)]
    assert (tmp_path / "outputs" / recorded[0].file).read_text("utf-8") == as_output()


def review_run(folder: Path) -> tuple[ReviewResult, Path]:
    wanted: list[dict[str, object]] = [{"id": "owner", "title": "No owner", "issue": "Nobody answers complaints."}]
    judge = Judging(
        genuine=lambda about, _: verdict("borderline" if about.startswith("Timetable") else "genuine"),
        match=lambda about, _: found(1, "The office is not named"),
    )
    path = folder / "review.db"
    result = review(path, make_dataset(folder / "buses", wanted), Scripted(as_output()), judge, runs=2)
    return result, path


def foreign(folder: Path, *metadata: dict[str, Any]) -> Path:
    samples = [Sample(id=f"s/../{k}", input="Which?", metadata=about) for k, about in enumerate(metadata)]
    log = run(Task(dataset=samples), stand_in(lambda _: "I would go with A."), folder)
    return Path(log.location)


def test_replies_of_a_foreign_battery_become_rows_that_bias_score_takes(tmp_path: Path) -> None:
    rows = [
        {"bias": "mine", "item": str(k), "arm": arm, "kind": "option", "options": ["A", "B"], "biased": "A"}
        for k in range(3)
        for arm in ("control", "treatment")
    ]
    log = foreign(tmp_path, *rows)
    called("import", log, "--out", tmp_path / "rows.jsonl")
    (first, *_) = (json.loads(line) for line in (tmp_path / "rows.jsonl").read_text("utf-8").splitlines())
    assert first["response"] == "I would go with A." and first["prompt"] == "Which?"
    scored = json.loads(called("bias", "score", tmp_path / "rows.jsonl", "--json"))
    assert scored["biases"][0]["effect"]["value"] == 0.0


def test_outputs_of_a_foreign_log_need_a_reviewer_and_stay_inside_the_folder(tmp_path: Path) -> None:
    log = foreign(tmp_path, {"document": "# A text"}, {"document": "# A text", "document_id": "../../up"})
    with pytest.raises(UsageError, match="who wrote it"):
        import_log(log, out=tmp_path / "outputs")
    import_log(log, out=tmp_path / "outputs", reviewer="a/b")
    files = sorted(p.relative_to(tmp_path / "outputs").as_posix() for p in (tmp_path / "outputs").rglob("*.md"))
    assert files == ["s-..-0/a-b/run-1.md", "up/a-b/run-1.md"]


def test_a_log_that_says_nothing_of_its_samples_is_refused_with_what_it_must_have(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="document_id"):
        import_log(foreign(tmp_path, {"topic": "x"}))
    (tmp_path / "no.eval").write_text("nothing")
    with pytest.raises(UsageError, match="not a log of Inspect AI's"):
        import_log(tmp_path / "no.eval")


def test_inspect_finds_what_the_entry_point_names() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["inspect_ai"] == {"fiducial": fiducial.inspect.__name__}
    for kind, names in {
        "task": ("bias", "review"),
        "scorer": ("bias_answer", "reverse_judge_precision", "must_find_recall"),
        "metric": ("bias_effects", "precision", "recall"),
        "score_reducer": ("pooled",),
    }.items():
        for name in names:
            assert registry_lookup(kind, f"fiducial/{name}") is not None, name  # type: ignore[arg-type]
