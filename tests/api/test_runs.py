from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from fiducial import api
from fiducial.bias.lint import TO_FILL
from tests.api.test_bias import ONE


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> api.BiasRun:
    monkeypatch.chdir(tmp_path)
    return api.bias_run("sim/planted:effect=.4", out=tmp_path / "a.db", **ONE)


def test_a_stored_run_is_rescored_and_audited_by_its_path(run: api.BiasRun) -> None:
    again = api.rescore(run.path)
    assert isinstance(again.run, api.BiasRun) and again.run.result.biases == run.result.biases
    assert again.changes is not None and (again.changes.readings, again.changes.changed) == (run.result.trials, {})
    assert api.audit(run) == run.audit


def test_a_table_or_a_log_is_written(run: api.BiasRun, tmp_path: Path) -> None:
    assert api.export(run, "e.csv", what="effects") == run.frames.effects.height
    assert api.export(run.path, "a.eval", to="inspect") == run.result.trials
    assert len(read_eval_log("a.eval").samples or ()) == run.result.trials
    with pytest.raises(api.UsageError, match="--no-text"):
        run.export("b.eval", to="inspect", texts=False)
    with pytest.raises(api.UsageError, match=r"nowhere\.eval"):
        api.import_log("nowhere.eval")


def test_without_inspect_it_is_said_what_is_missing(run: api.BiasRun) -> None:
    code = (
        "import sys; sys.modules['inspect_ai'] = None\n"
        "from fiducial import api\n"
        "for call in (lambda: api.import_log('a.eval'), lambda: api.export('a.db', 'a.eval', to='inspect')):\n"
        "    try: call()\n"
        "    except api.UsageError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.count("pip install '.[inspect]'") == 2


def test_a_judges_run_has_no_rescoring_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tried = api.judge_calibrate(
        "sim/judge:sensitivity=.9,specificity=.9",
        task="genuine",
        set="planted:tide-gauge",
        cases=4,
        repeats=1,
        progress=False,
    )
    with pytest.raises(api.UsageError, match="fiducial judge calibrate"):
        api.rescore(tried.paths[0])


def test_a_bias_is_shown_with_the_prompts_of_its_arms() -> None:
    shown = api.bias_show("anchoring_effect")
    assert shown.bias.id == "anchoring_effect" and shown.item == shown.bias.items[0]
    assert set(shown.prompts) == set(shown.block.arms)
    assert all(place in shown.prompts[name] for name, arm in shown.block.arms.items() for place in arm.marked)
    assert api.bias_show("anchoring_effect", seed=2).prompts != shown.prompts
    with pytest.raises(api.UsageError, match="has no item 'x'"):
        api.bias_show("anchoring_effect", item="x")


def test_a_bias_file_is_begun_and_its_open_places_are_named(tmp_path: Path) -> None:
    begun = api.bias_new("queue_aversion", paradigm="frame_pair", out=tmp_path)
    assert begun.file == tmp_path / "queue_aversion.yaml" and begun.to_fill
    assert TO_FILL.search(begun.file.read_text(encoding="utf-8"))
    assert {problem.problem for problem in api.bias_lint(begun.file, seeds=1)} >= set(begun.to_fill)
    with pytest.raises(api.UsageError, match="is there already"):
        api.bias_new("queue_aversion", out=tmp_path)


def test_a_packaged_file_may_be_linted_by_name_but_not_stand_beside_itself(tmp_path: Path) -> None:
    packaged = next((Path(api.__file__).parents[1] / "bias").rglob("anchoring_effect.yaml"))
    assert api.bias_lint(packaged, seeds=1) == []
    with pytest.raises(api.UsageError, match="packaged battery already"):
        api.bias_lint(battery=[packaged], seeds=1)


def test_a_protocol_is_calibrated_and_options_of_the_other_study_are_refused() -> None:
    study = api.bias_calibrate(
        protocols=["context"], runs=1, subjects=["sim/coin"], biases=["anchoring_effect"], trials=1
    )
    assert {row.protocol for row in study.rows} == {"context"}  # type: ignore[union-attr]
    with pytest.raises(api.UsageError, match="--at and --rounds"):
        api.bias_calibrate(at="strong")
    with pytest.raises(api.UsageError, match="--arms and --tier"):
        api.bias_calibrate(protocols=["context"], arms=["strong"])
