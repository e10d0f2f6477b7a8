from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from fiducial import api
from fiducial.cli.judge_label import label
from fiducial.review.labelling import in_order, run_cases
from tests.review.folders import read_lines
from tests.review.standins import Judging, Scripted, as_output, make_dataset, review, reviewer

RUN = "runs/secret-model.db"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A judged run with three cases."""
    monkeypatch.chdir(tmp_path)
    make_dataset(tmp_path / "d")
    (tmp_path / "runs").mkdir()
    who = [reviewer("secret-reviewer")]
    review(tmp_path / RUN, tmp_path / "d", Scripted(as_output()), Judging(), reviewers=who)
    return tmp_path


def lines(here: Path, rater: str) -> list[Any]:
    return read_lines(here / "d" / "labels" / f"{rater}.jsonl")


def test_cases_come_in_the_raters_order_and_say_nothing_that_unblinds(here: Path) -> None:
    api.judge_label(RUN, "ben", lambda case: 0.0)
    cases = api.judge_cases(RUN, "ann")
    assert [case.mark for case in cases] == [case.mark for case in in_order(run_cases(Path(RUN)), "ann", 1)]
    assert [case.mark for case in api.judge_cases(RUN, "cleo")] != [case.mark for case in cases]
    shown = msgspec.json.encode(cases).decode()
    for secret in ("secret", "Important", "Verdict", "genuine", "ben"):
        assert secret not in shown
    assert len(cases) == 3 and all("Night buses" in case.document for case in cases)


def test_a_function_labels_case_by_case_into_the_file_of_the_command(here: Path) -> None:
    said = iter([1, (0.5, "see the annex"), None])
    done = api.judge_label(RUN, "ann", lambda case: next(said))
    assert (done.saved, done.skipped, done.labelled, done.total) == (2, 1, 2, 3)
    typed = CliRunner().invoke(label, [RUN, "--rater", "cleo"], input="1\nc see the annex\n5\ns\n")
    assert typed.exit_code == 0, typed.output
    assert [row.keys() for row in lines(here, "ann")] == [row.keys() for row in lines(here, "cleo")]
    assert [(row["label"], row["note"]) for row in lines(here, "ann")] == [(1, None), (0.5, "see the annex")]
    (left,) = api.judge_cases(RUN, "ann")
    assert api.judge_label(RUN, "dora", lambda case: 1.0, limit=2).saved == 2
    seen: list[str] = []
    api.judge_label(RUN, "ann", lambda case: seen.append(case.mark))
    assert seen == [left.mark]


def test_a_mapping_says_what_stands_and_adds_nothing_twice(here: Path) -> None:
    first, second, third = (case.mark for case in api.judge_cases(RUN, "ann"))
    given: dict[str, api.Given] = {first: 1.0, second: (0.0, "no"), third: None}
    assert api.judge_label(RUN, "ann", given).saved == 2
    again = api.judge_label(RUN, "ann", given)
    assert (again.saved, again.changed, again.labelled) == (0, 0, 2) and len(lines(here, "ann")) == 2
    changed = api.judge_label(RUN, "ann", {first: 0.5, second: None})
    assert (changed.saved, changed.changed, changed.labelled) == (0, 2, 1)
    assert [row["label"] for row in lines(here, "ann")] == [1, 0, 0.5, None]
    assert lines(here, "ann")[-1]["withdrawn"] is True
    assert {case.mark for case in api.judge_cases(RUN, "ann")} == {second, third}


def test_nothing_is_saved_of_labels_that_are_wrong(here: Path) -> None:
    first, second, _ = (case.mark for case in api.judge_cases(RUN, "ann"))
    for wrong, said in (
        ({first: 1, "nobody": 1}, "'nobody' is the mark of no case"),
        ({first: 1, second: 0.7}, "0, 0.5 or 1"),
        ({first: True}, "0, 0.5 or 1"),
    ):
        with pytest.raises(api.UsageError, match=said):
            api.judge_label(RUN, "ann", wrong)
    with pytest.raises(api.UsageError, match="a short name"):
        api.judge_label(RUN, "../ann", {first: 1})
    assert lines(here, "ann") == [] and not (here / "d" / "labels").exists()


def test_who_has_labelled_is_told_without_how_and_agreement_with(here: Path) -> None:
    api.judge_label(RUN, "ann", lambda case: 1.0)
    api.judge_label(RUN, "ben", lambda case: 1.0 if "owner" in case.claim else 0.0)
    listed = api.judge_labelled(RUN)
    assert [one.labelled_by for one in listed] == [["ann", "ben"]] * 3
    assert "label" not in msgspec.to_builtins(listed[0])
    found = api.judge_agreement(RUN, sample=3)
    assert found.cases == 3 and [one.rater for one in found.raters] == ["ann", "ben"]
    assert len(found.disagreements) == 2


def test_labels_are_not_written_into_what_comes_with_fiducial(here: Path) -> None:
    review(
        here / "runs/shipped.db", Path("tide-gauge"), Scripted(as_output()), Judging(), reviewers=[reviewer("r")]
    )
    with pytest.raises(api.UsageError, match="comes with Fiducial"):
        api.judge_label("runs/shipped.db", "ann", lambda case: 1.0)
