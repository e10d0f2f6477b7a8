"""Cases that people have labelled: from a file, and from a review run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fiducial.errors import UsageError
from fiducial.judge.case import Task
from fiducial.review.labelling import LabelCase, run_cases
from fiducial.review.labels import append_label
from fiducial.study.judge_labels import BETWEEN, OTHER_TASK, TIED, UNLABELLED, majority
from fiducial.study.judge_sets import CaseSet, half_of, load_set
from tests.review.standins import FINDINGS, Judging, Scripted, as_output, make_dataset, review

ROW: dict[str, Any] = {"id": "a", "document": "Some text of a document.", "text": "A finding.", "label": 1}


def labels(tmp_path: Path, *rows: Any, task: Task = "genuine", **options: Any) -> CaseSet:
    path = tmp_path / "cases.jsonl"
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows), "utf-8")
    return load_set(task, f"labels:{path}", **options)


def test_cases_of_a_file_are_taken_as_they_are_and_what_has_no_label_is_counted(tmp_path: Path) -> None:
    (tmp_path / "doc.md").write_bytes(b"\xef\xbb\xbfFrom a file.\r\n")
    found = labels(
        tmp_path,
        ROW | {"category": "style", "group": "gpt · a", "review_type": "plan", "note": "mine"},
        {"id": 2, "document_file": "doc.md", "text": "Another.", "label": 0.0},
        ROW | {"id": "c", "label": 0.5},
        ROW | {"id": "d", "label": None},
        ROW | {"id": "e", "task": "match"},
        "",
    )
    first, second = found.cases
    assert (first.category, first.group, first.review_type, first.label) == ("style", "gpt · a", "plan", 1)
    assert (second.id, second.document, second.label) == ("2", "From a file.\n", 0)
    assert found.left_out == {BETWEEN: 1, UNLABELLED: 1, OTHER_TASK: 1} and found.basis == "labels"


def test_a_case_without_an_id_is_known_by_what_is_shown_of_it(tmp_path: Path) -> None:
    plain = {key: value for key, value in ROW.items() if key != "id"}
    found = labels(tmp_path, plain, plain | {"text": "Other.", "label": 0})
    assert len({case.id for case in found.cases}) == 2
    with pytest.raises(UsageError, match=r"line 2: \"id\" '\w+' is taken \(first on line 1\)"):
        labels(tmp_path, plain, plain)


def test_of_peoples_labels_all_are_taken_unless_fewer_are_wanted(tmp_path: Path) -> None:
    rows = [ROW | {"id": str(k), "label": int(k % 5 == 0)} for k in range(200)]
    assert len(labels(tmp_path, *rows).cases) == 200
    few = labels(tmp_path, *rows, limit=50)
    assert len(few.cases) == 50 and few == labels(tmp_path, *reversed(rows), limit=50)
    half = labels(tmp_path, *rows, half="holdout")
    assert 70 < len(half.cases) < 130 and all(half_of(case.id) == "holdout" for case in half.cases)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (ROW | {"lable": 1}, r'line 2: "lable" is no field of a case; did you mean label\?'),
        (ROW | {"Group": "x"}, r'"Group" is no field of a case; did you mean group\?'),
        (ROW | {"label": 2}, '"label" is 2; it is 0, 0.5 or 1'),
        (ROW | {"label": True}, '"label" is True'),
        (ROW | {"label": "1"}, "\"label\" is '1'"),
        (ROW | {"document": None}, "both are missing"),
        (ROW | {"document_file": "x.md"}, "both are given"),
        ({"document_file": "x.md", "text": "t", "label": 1}, "there is no such file"),
        (ROW | {"text": " "}, '"text" is a text; it is a text that is not empty'),
        ({"document": "d", "label": 1}, '"text" is missing'),
        (ROW | {"review_type": "desing"}, r"did you mean design\?"),
        (ROW | {"task": "genuin"}, r"did you mean genuine\?"),
        (ROW | {"group": 7}, '"group" is a number'),
        (ROW | {"findings": "one"}, '"findings" is a text; it is a list of texts'),
        ("{", "line 2: not JSON"),
        ("[]", "line 2: a JSON object is expected"),
        ("[" * 100_000, "line 2: not JSON"),
    ],
)
def test_a_row_that_is_wrong_is_named_with_its_line_and_field(tmp_path: Path, row: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        labels(tmp_path, ROW | {"id": "first", "label": 0}, row)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"answer": "C"}, "\"answer\" is 'C'.*it is one of A, B"),
        ({}, '"answer" is missing'),
        ({"label": 0, "answer": "A"}, "a reply without an answer has none"),
        ({"options": [], "answer": "many"}, 'without "options" it is a number'),
        ({"options": [], "answer": True}, 'without "options" it is a number'),
    ],
)
def test_the_answer_of_a_reply_fits_the_question(tmp_path: Path, row: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        labels(tmp_path, ROW | {"options": ["A", "B"]} | row, task="read")


def test_a_match_needs_a_list_and_a_number_from_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match='"findings" is missing'):
        labels(tmp_path, ROW, task="match")
    with pytest.raises(UsageError, match='"finding" is 3; it is a number from the list of findings, 1 to 2'):
        labels(tmp_path, ROW | {"findings": ["a", "b"], "finding": 3}, task="match")


def test_labels_of_one_kind_alone_are_no_set(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="only cases with the label 1; both labels are needed"):
        labels(tmp_path, ROW)
    with pytest.raises(UsageError, match=r"no case of the task genuine .*1 labelled 0\.5"):
        labels(tmp_path, ROW | {"label": 0.5})
    with pytest.raises(UsageError, match="the file is empty"):
        labels(tmp_path)


@pytest.mark.parametrize(
    ("votes", "label"),
    [
        ([], UNLABELLED),
        ([1.0], 1),
        ([0.0, 0.0, 1.0], 0),
        ([0.0, 1.0], TIED),
        ([1.0, 1.0, 0.0, 0.5], TIED),
        ([0.5, 0.5, 1.0], BETWEEN),
        ([1.0, 1.0, 0.0], 1),
    ],
)
def test_raters_decide_by_strict_majority(votes: list[float], label: int | str) -> None:
    assert majority(votes) == label


# --- of a run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A review of one document, twice, with two of three findings in both."""
    subject = Scripted(as_output(), as_output(FINDINGS[:2]))
    review(tmp_path / "r.db", make_dataset(tmp_path / "d"), subject, Judging(), runs=2)
    return tmp_path / "r.db"


def rated(run: Path, **by_rater: list[float | None]) -> list[LabelCase]:
    cases = run_cases(run)
    for rater, said in by_rater.items():
        for case, label in zip(cases, said, strict=True):
            if label is not None:
                append_label(run.parent / "d", case=case.id, rater=rater, label=label)
    return cases


def test_findings_of_a_run_have_the_labels_that_most_raters_gave_them(run: Path) -> None:
    cases = rated(run, ada=[1.0, 0.0, 1.0], bob=[1.0, 0.0, 0.0], cid=[0.0, None, None])
    found = load_set("genuine", f"labels:{run}")
    assert {case.text: case.label for case in found.cases} == {cases[0].claim: 1, cases[1].claim: 0}
    assert found.left_out == {TIED: 1}
    assert {case.group for case in found.cases} == {"py/reviewer · probe"}
    assert {case.document for case in found.cases} == {cases[0].document}


def test_a_rater_who_changes_their_mind_counts_as_they_think_now(run: Path) -> None:
    cases = rated(run, ada=[1.0, 1.0, 0.5])
    append_label(run.parent / "d", case=cases[0].id, rater="ada", label=0.0)
    found = load_set("genuine", f"labels:{run}")
    assert {case.text: case.label for case in found.cases} == {cases[0].claim: 0, cases[1].claim: 1}
    assert found.left_out == {BETWEEN: 1}


def test_a_run_that_nobody_has_labelled_says_how_to(run: Path) -> None:
    with pytest.raises(UsageError, match=r"none of its findings has a label.*fiducial judge label"):
        load_set("genuine", f"labels:{run}")


def test_labels_of_a_run_say_nothing_about_other_tasks(run: Path) -> None:
    rated(run, ada=[1.0, 0.0, 0.0])
    with pytest.raises(UsageError, match="nothing about the task match"):
        load_set("match", f"labels:{run}")
