from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fiducial import api
from fiducial.cli.judge_options import VERDICT_TOKENS
from fiducial.cli.review_run import OUTPUT_TOKENS
from fiducial.model.request import WireRequest
from fiducial.review import conduct
from fiducial.study import judge_conduct
from tests.review.standins import Judging, as_output, found, make_dataset, verdict

AGENT = "---\nname: probe\n---\nYou look for gaps.\n"
ITEM: dict[str, object] = {"id": "last-bus", "title": "Timetable contradicts itself", "issue": "Two last buses."}


class Reviewer:
    name, remote = "reviewer", False

    def __init__(self, text: str = "") -> None:
        self.text = text or as_output()

    async def generate(self, request: WireRequest) -> str:
        return self.text


class Judge(Judging):
    name, remote = "judge", False


def sees_the_bus(about: str, before: int) -> str:
    return found(2, "Buses run until 05:00, yet the last bus leaves at 04:30.")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    make_dataset(tmp_path / "night", [ITEM])
    (tmp_path / "probe.md").write_text(AGENT, encoding="utf-8")
    return tmp_path


def run(**more: Any) -> api.ReviewRun:
    told: dict[str, Any] = {
        "reviewers": "probe.md",
        "model": Reviewer(),
        "judge": Judge(match=sees_the_bus),
        "runs": 3,
        "progress": False,
    }
    return api.review_run("night", **{**told, **more})


def test_a_review_has_precision_recall_and_outputs(place: Path) -> None:
    done = run()
    precision, bus = done.precision("probe"), done.must_find("last-bus")
    assert isinstance(precision, api.Estimate) and precision.value == 1.0
    assert isinstance(bus, api.Estimate) and (bus.value, bus.n) == (1.0, 3)
    assert len(done.outputs()) == 3 and done.gate is None
    opened = api.open(done.path)
    assert isinstance(opened, api.ReviewRun) and opened.precision() == precision


def test_names_that_are_not_there_are_told_with_those_that_are(place: Path) -> None:
    done = run(runs=1)
    with pytest.raises(api.UsageError, match=r"no reviewer 'prob'.*probe"):
        done.precision("prob")
    with pytest.raises(api.UsageError, match=r"no must-find 'bus'.*night/last-bus"):
        done.must_find("bus")


def test_what_was_not_judged_is_withheld_and_no_zero(place: Path) -> None:
    done = run(judge="none", runs=1)
    assert isinstance(done.precision(), api.Withheld)
    assert isinstance(done.must_find("last-bus"), api.Withheld)


def test_a_gate_that_means_nothing_yet_is_refused_before_any_call(place: Path) -> None:
    with pytest.raises(api.GateRefused, match="no call was made") as refused:
        run(gate="on")
    assert refused.value.result.gate and refused.value.result.gate.result == "refused"
    assert not list(place.glob("runs/*.db"))


def test_least_precision_decides_and_goes_to_junit(place: Path) -> None:
    bad = Judge(lambda about, before: verdict("not_genuine"), sees_the_bus)
    done = run(judge=bad, min_precision=0.6)
    assert done.gate is not None and done.gate.result == "failed"
    assert "failure" in done.junit(place / "j.xml").read_text(encoding="utf-8")
    assert run(min_precision=0.2, out=place / "good.db").gate.result == "passed"  # type: ignore[union-attr]


def test_a_panel_of_objects_and_another_judge_afterwards(place: Path) -> None:
    one, other = Judge(match=sees_the_bus), Judge(match=sees_the_bus)
    other.name = "other"
    done = run(judge=[one, other], runs=1)
    assert done.result.panel is not None and done.result.panel.name == "py/judge + py/other"
    bad = Judge(lambda about, before: verdict("not_genuine"))
    bad.name = "bad"
    again = api.review_rejudge(done, judge=bad, progress=False)
    precision = again.precision()
    assert isinstance(precision, api.Estimate) and precision.value == 0.0 and again.path == done.path


def test_recorded_outputs_need_no_model_and_exclude_one(place: Path) -> None:
    folder = place / "outputs" / "probe"
    folder.mkdir(parents=True)
    (folder / "1.md").write_text(as_output(), encoding="utf-8")
    done = api.review_run("night", outputs="outputs", judge=Judge(match=sees_the_bus), progress=False)
    assert done.reviewer().outputs == {"findings": 1}
    with pytest.raises(api.UsageError, match="leave --model or --outputs out"):
        run(outputs="outputs")


def test_a_dataset_is_made_planted_checked_and_stands_somewhere(place: Path) -> None:
    document = place / "plan.md"
    document.write_text((Path(__file__).parents[2] / "examples" / "ferry.md").read_text(encoding="utf-8"))
    folder = api.review_init(document, out=place / "made")
    assert api.review_check(folder).sound
    planted = api.review_plant(document, place / "planted", count=2)
    assert planted[0].file.exists() and len(planted[0].variant.flaws) == 2
    (ready,) = api.review_status("night", ["probe.md"])
    assert not ready.enforceable
    run(runs=2)
    (proposed,) = api.review_propose(next(iter(place.glob("runs/review-*.db"))))
    assert {candidate.title for candidate in proposed.candidates} >= {"No owner for complaints"}
    assert api.review_parse(as_output()).status == "findings"


def test_the_commands_have_the_same_defaults() -> None:
    assert (OUTPUT_TOKENS, VERDICT_TOKENS) == (conduct.OUTPUT_TOKENS, judge_conduct.VERDICT_TOKENS)
    from fiducial.cli.review_run import run_review

    told = {parameter.name: parameter.default for parameter in run_review.params}
    assert told["judge_max_tokens"] == conduct.VERDICT_TOKENS


def test_an_unfinished_review_counts_what_waits_for_a_judge(place: Path) -> None:
    with pytest.raises(
        api.Incomplete, match=r"budget reached.*1 of 1 outputs are stored, \d questions wait"
    ) as short:
        run(runs=1, budget="calls=2")
    assert short.value.path is not None and short.value.path.exists()


def test_labels_are_corrected_from_rows_or_a_file(place: Path) -> None:
    rows = [{"verdict": k % 2, "label": k % 2 if k % 10 else 1 - k % 2, "group": "g"} for k in range(60)]
    found = api.judge_correct(rows)
    (place / "v.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert api.judge_correct(place / "v.jsonl") == found
    with pytest.raises(api.UsageError, match="verdicts: no row is of the group"):
        api.judge_correct(rows, group="h")
