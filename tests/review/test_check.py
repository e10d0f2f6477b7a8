"""What `check` finds in a dataset, and what a repeated test makes of it."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from fiducial.errors import UsageError
from fiducial.review.again import look_again, note_test, overdue
from fiducial.review.check import Problem, check
from fiducial.review.curate import Choice, Moved, confirm, find_candidate
from fiducial.review.dataset import candidates, context_dependent, load_dataset
from fiducial.review.zero_shot import zero_shot_judge
from tests.review.folders import (
    FOUND,
    ITEM,
    JUDGE,
    NOT_FOUND,
    TEXT,
    Zero,
    calibrated,
    make,
    only,
    read_lines,
    write_lines,
    zero_shot_run,
)

DAY = date(2026, 6, 1)
SEEN = {"model": "m", "prompt_hash": "p", "calls": 3, "found": True, "quotation": "q", "at": "2026-01-01"}
UNSEEN = SEEN | {"found": False, "quotation": None, "calibration": "good"}
GOOD = ITEM | {"zero_shot": SEEN}
OTHER = {"id": "dropped", "title": "Readings are lost in silence", "issue": "R-2 tells nobody.", "zero_shot": SEEN}
CONTEXT: dict[str, Any] = {
    "id": "law",
    "title": "The act asks for two years",
    "required_context": "The retention act",
    "reviewer": None,
    "zero_shot": UNSEEN,
    "review_after": "2026-07-01",
}


def found(folder: Path) -> list[Problem]:
    return check(folder, day=DAY)


def one(folder: Path, level: str, where: str, what: str, do: str = "") -> None:
    """Exactly one problem, and this one."""
    (problem,) = found(folder)
    assert problem.level == level and where in problem.where and what in problem.what and do in problem.do
    assert problem.do


def test_a_sound_dataset_has_no_problem(tmp_path: Path) -> None:
    folder = make(tmp_path / "d", must_find=[GOOD, OTHER])
    write_lines(folder / "context_dependent_findings.jsonl", CONTEXT)
    write_lines(folder / "candidates.jsonl", OTHER, OTHER | {"state": "rejected"})
    write_lines(folder / "labels" / "ann.jsonl", {"case": "c", "rater": "ann", "label": 1, "at": "2026-01-01"})
    assert found(folder) == []


def test_a_changed_document_comes_with_the_must_finds_whose_evidence_is_gone(tmp_path: Path) -> None:
    folder = make(tmp_path / "d", must_find=[GOOD, OTHER])
    (folder / "document.md").write_text(TEXT.replace("30 days", "31 days"))
    changed, evidence = found(folder)
    assert (changed.level, evidence.level) == ("fail", "fail")
    assert "changed since it was frozen; of these must-finds the evidence is gone: kept" in changed.what
    assert "--freeze" in changed.do
    assert evidence.where.endswith("must_find.jsonl, kept") and "A reading is kept for 30 days." in evidence.what
    (folder / "document.md").write_text(TEXT + "More.\n")
    one(folder, "fail", "document.md", "all evidence is still there", "--freeze")


def test_a_document_that_is_not_frozen_is_a_warning(tmp_path: Path) -> None:
    one(make(tmp_path / "d", must_find=[GOOD], hash=None), "warn", "metadata.json", "not frozen", "--freeze")


@pytest.mark.parametrize(("items", "what"), [(None, "no list of must-finds"), ([], "has no record")])
def test_without_must_finds_there_is_no_recall(tmp_path: Path, items: list[Any] | None, what: str) -> None:
    one(make(tmp_path / "d", must_find=items), "warn", "must_find.jsonl", what, "fiducial review propose")


def test_every_wrong_record_is_named_and_not_only_the_first(tmp_path: Path) -> None:
    folder = make(tmp_path / "d", must_find=[GOOD, "{", GOOD, OTHER | {"id": "x", "min_recall": 90}, {"id": "y"}])
    write_lines(folder / "candidates.jsonl", {"id": "z", "title": "t", "state": "?"})
    write_lines(folder / "labels" / "a.jsonl", {"case": "c", "rater": "a", "label": 3, "at": "2026-01-01"})
    write_lines(folder / "critical_findings.jsonl", {"title": "no id"})
    problems = found(folder)
    assert {p.level for p in problems} == {"fail"}
    assert [(p.where.removeprefix(f"{folder}/"), p.what[:16]) for p in problems] == [
        ("must_find.jsonl, line 2", "not JSON (Input "),
        ("must_find.jsonl, line 3", "\"id\" 'kept' is t"),
        ("must_find.jsonl, line 4", '"min_recall" is '),
        ("must_find.jsonl, line 5", '"title" and "iss'),
        ("critical_findings.jsonl, line 1", '"id" is missing'),
        ("candidates.jsonl, line 1", "\"state\" is '?'"),
        ("labels/a.jsonl, line 1", '"label" is 3'),
    ]
    assert "did you mean 0.90?" in problems[2].do


def test_a_broken_document_does_not_hide_what_else_is_wrong(tmp_path: Path) -> None:
    folder = make(tmp_path / "d", must_find=["{"], document="gone.md")
    assert [p.where.removeprefix(f"{folder}/") for p in found(folder)] == [
        "metadata.json",
        "must_find.jsonl, line 1",
    ]


def test_must_finds_that_say_the_same_are_a_warning(tmp_path: Path) -> None:
    folder = make(tmp_path / "d", must_find=[GOOD, GOOD | {"id": "again"}])
    one(folder, "warn", "must_find.jsonl", "the same flaw, counted more than once: kept, again", "keep one")


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"zero_shot": None}, "no zero-shot result for kept"),
        ({"zero_shot": UNSEEN}, "m did not find it in the document"),
        ({"min_recall": 0}, '"min_recall" is 0, so nothing is asked'),
    ],
)
def test_a_must_find_of_little_use_is_a_warning(tmp_path: Path, changes: dict[str, Any], what: str) -> None:
    one(make(tmp_path / "d", must_find=[GOOD | changes]), "warn", "must_find.jsonl", what)


@pytest.mark.parametrize(
    ("changes", "level", "what"),
    [
        ({"zero_shot": None}, "fail", "never tested"),
        ({"zero_shot": SEEN}, "fail", "m found it in the document"),
        ({"zero_shot": UNSEEN | {"calibration": None}}, "fail", '"not found" proves nothing'),
        ({"id": "kept"}, "fail", "among the must-finds too"),
        ({"required_context": ""}, "warn", '"required_context" is missing'),
        ({"review_after": "2026-05-31"}, "warn", "due to be looked for again since 2026-05-31"),
        ({"review_after": None}, "warn", 'due to be looked for again ("review_after" is missing)'),
    ],
)
def test_a_context_dependent_record_is_checked(
    tmp_path: Path, changes: dict[str, Any], level: str, what: str
) -> None:
    folder = make(tmp_path / "d", must_find=[GOOD])
    write_lines(folder / "context_dependent_findings.jsonl", CONTEXT | changes)
    one(folder, level, "context_dependent_findings.jsonl", what)


def test_several_documents_are_all_looked_at(tmp_path: Path) -> None:
    make(tmp_path / "a", must_find=[GOOD])
    make(tmp_path / "b", must_find=[])
    one(tmp_path, "warn", "b/must_find.jsonl", "has no record")


def test_what_is_no_dataset_is_an_error_and_no_problem(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no metadata\.json"):
        found(tmp_path)


def again(folder: Path, judge: Zero, **options: Any) -> Moved:
    write_lines(folder / "context_dependent_findings.jsonl", OTHER, CONTEXT | {"review_after": "2026-01-01"})
    document = only(folder)
    (record,) = [r for r in overdue(context_dependent(folder) or (), DAY) if r.id == "law"]
    run = zero_shot_run(folder.parent / "z.db", document, record, judge)
    where = calibrated(folder.parent / "cal") if options.pop("calibrated", True) else folder.parent / "none"
    return look_again(document, record, run=run, judge=zero_shot_judge(JUDGE), calibrations=where)


def test_what_can_be_seen_by_now_is_proposed_for_promotion_and_a_person_confirms_it(tmp_path: Path) -> None:
    folder = make(tmp_path / "d", must_find=[])
    assert again(folder, Zero(FOUND)).state == "proposed"
    waiting = candidates(folder)["law"]
    assert waiting.evidence == ("A reading is kept for 30 days.",) and "confirm it --as must-find" in (
        waiting.why or ""
    )
    assert [r["id"] for r in read_lines(folder / "context_dependent_findings.jsonl")] == ["dropped", "law"]
    document, candidate = find_candidate(load_dataset(folder), "law")
    confirm(document, candidate, Choice(target="must-find"), run=tmp_path / "z.db", judge=zero_shot_judge(JUDGE))
    assert [item.id for item in only(folder).must_find or ()] == ["law"]
    assert read_lines(folder / "context_dependent_findings.jsonl") == [OTHER]


def test_what_is_still_not_found_gets_a_new_day_from_a_calibrated_model(tmp_path: Path) -> None:
    folder = make(tmp_path / "d", must_find=[])
    assert again(folder, Zero(NOT_FOUND)).file == "context_dependent_findings.jsonl"
    other, record = read_lines(folder / "context_dependent_findings.jsonl")
    assert other == OTHER
    assert record["zero_shot"]["model"] == JUDGE and record["review_after"] > "2026-01-01"
    assert record["required_context"] == "The retention act"


def test_a_model_without_a_calibration_moves_nothing(tmp_path: Path) -> None:
    folder = make(tmp_path / "d", must_find=[])
    said = again(folder, Zero(NOT_FOUND), calibrated=False)
    assert said.file is None and "proves nothing" in said.why
    assert read_lines(folder / "context_dependent_findings.jsonl")[1] == CONTEXT | {"review_after": "2026-01-01"}


@pytest.mark.parametrize(("answer", "seen"), [(FOUND, True), (NOT_FOUND, False)])
def test_the_test_of_a_must_find_is_written_into_its_record(tmp_path: Path, answer: str, seen: bool) -> None:
    folder = make(tmp_path / "d", must_find=[OTHER, ITEM | {"mine": [1]}])
    document = only(folder)
    item = (document.must_find or ())[1]
    run = zero_shot_run(tmp_path / "z.db", document, item, Zero(answer))
    note_test(document, item, run=run, judge=zero_shot_judge(JUDGE), calibrations=tmp_path)
    other, record = read_lines(folder / "must_find.jsonl")
    assert other == OTHER and record["mine"] == [1] and record["zero_shot"]["found"] is seen


def test_a_test_without_a_verdict_leaves_the_record_as_it_was(tmp_path: Path) -> None:
    folder = make(tmp_path / "d", must_find=[ITEM])
    document = only(folder)
    (item,) = document.must_find or ()
    run = zero_shot_run(tmp_path / "z.db", document, item, Zero("Hm."))
    said = note_test(document, item, run=run, judge=zero_shot_judge(JUDGE), calibrations=tmp_path)
    assert said.file is None and read_lines(folder / "must_find.jsonl") == [ITEM]
