"""Better words for a candidate, decisions that are taken back, and two people at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fiducial.errors import UsageError
from fiducial.review import curate
from fiducial.review.again import look_again, note_test
from fiducial.review.curate import Changed, Choice, Moved, as_shown, confirm, find_candidate, note_outcome, reject
from fiducial.review.dataset import candidates, context_dependent, load_dataset, queue_log
from fiducial.review.edit import Edit, edit
from fiducial.review.files import append_rows
from fiducial.review.propose import add_candidates
from fiducial.review.records import Candidate, fingerprint
from fiducial.review.undo import decisions, undo
from fiducial.review.zero_shot import zero_shot_judge
from tests.review.folders import (
    FOUND,
    ITEM,
    JUDGE,
    NOT_FOUND,
    Zero,
    calibrated,
    make,
    only,
    read_lines,
    write_lines,
    zero_shot_run,
)

MUST, CONTEXT = Choice(target="must-find"), Choice(target="context", required_context="The retention act.")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = make(tmp_path / "d", must_find=[])
    write_lines(made / "candidates.jsonl", {k: v for k, v in ITEM.items() if k != "min_recall"})
    return made


def now(folder: Path) -> Candidate:
    return candidates(folder)["kept"]


def moved(folder: Path, answer: str, choice: Choice) -> Moved:
    document, candidate = find_candidate(load_dataset(folder), "kept")
    run = zero_shot_run(folder.parent / f"{fingerprint(candidate)}.db", document, candidate, Zero(answer))
    where = calibrated(folder.parent / "cal")
    return confirm(document, candidate, choice, run=run, judge=zero_shot_judge(JUDGE), calibrations=where)


def wanted(folder: Path, **changes: Any) -> Edit:
    one = now(folder)
    fields = {name: getattr(one, name) for name in Edit.__struct_fields__}
    return Edit(**fields | changes)


def edited(folder: Path, **changes: Any) -> Candidate:
    edit(only(folder), now(folder), wanted(folder, **changes))
    return now(folder)


def undone(folder: Path) -> Candidate:
    undo(only(folder), now(folder))
    return now(folder)


def test_other_words_drop_the_result_of_the_test(folder: Path) -> None:
    moved(folder, NOT_FOUND, MUST)
    assert now(folder).state == "unvalidated" and now(folder).zero_shot is not None
    severe = edited(folder, severity="Minor", reviewer="x", min_recall=0.5)
    assert (severe.severity, severe.reviewer, severe.min_recall) == ("Minor", "x", 0.5)
    assert severe.zero_shot is not None and severe.state == "unvalidated"
    for changes in ({"title": "Other"}, {"issue": "Other words."}):
        reworded = edited(folder, **changes)
        assert reworded.zero_shot is None and reworded.state == "proposed"
        assert changes == {"title": "Other"} or reworded.why is None
    assert len(read_lines(folder / "candidates.jsonl")) == 5


def test_what_was_edited_is_what_goes_into_the_list(folder: Path) -> None:
    edited(folder, min_recall=0.5, reviewer=None, evidence=("A reading is kept for a year.",))
    moved(folder, FOUND, MUST)
    (item,) = only(folder).must_find or ()
    assert (item.min_recall, item.reviewer, item.evidence) == (0.5, None, ("A reading is kept for a year.",))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"title": " "}, "the title is empty"),
        ({"issue": ""}, "the issue is empty"),
        ({"min_recall": 90.0}, r"did you mean 0.90\?"),
        ({"evidence": ("Readings are kept for ever.",)}, 'not in the document d: "Readings are kept for ever."'),
        ({"evidence": ()}, "without evidence nobody can check it"),
    ],
)
def test_words_that_cannot_be_meant_are_refused(folder: Path, changes: dict[str, Any], said: str) -> None:
    before = (folder / "candidates.jsonl").read_bytes()
    with pytest.raises(UsageError, match=said):
        edited(folder, **changes)
    assert (folder / "candidates.jsonl").read_bytes() == before


def test_the_same_words_write_nothing(folder: Path) -> None:
    assert edit(only(folder), now(folder), wanted(folder)) is None
    assert len(read_lines(folder / "candidates.jsonl")) == 1


def test_only_what_is_open_is_edited(folder: Path) -> None:
    reject(only(folder), now(folder), "no")
    with pytest.raises(UsageError, match="no longer in the queue"):
        edited(folder, title="Other")


def test_undo_goes_back_step_by_step_and_deletes_nothing(folder: Path) -> None:
    edited(folder, title="Better")
    reject(only(folder), now(folder), "no", by="ann")
    back = undone(folder)
    assert (back.title, back.state, back.why, back.by) == ("Better", "proposed", None, None)
    first = undone(folder)
    assert first.title == ITEM["title"]
    with pytest.raises(UsageError, match="nothing has been decided"):
        undone(folder)
    assert len(read_lines(folder / "candidates.jsonl")) == 5
    assert [one.title for one in decisions(queue_log(folder))] == [ITEM["title"]]
    reject(only(folder), now(folder), "after all")
    assert undone(folder).state == "proposed"


def test_a_must_find_that_is_undone_leaves_the_list_and_keeps_its_test(folder: Path) -> None:
    write_lines(folder / "must_find.jsonl", ITEM | {"id": "other"})
    others = (folder / "must_find.jsonl").read_bytes()
    moved(folder, FOUND, MUST)
    assert len(only(folder).must_find or ()) == 2
    back = undone(folder)
    assert back.state == "proposed" and back.zero_shot is not None and back.zero_shot.found
    assert (folder / "must_find.jsonl").read_bytes() == others
    moved(folder, FOUND, MUST)  # and it can be confirmed again
    assert len(only(folder).must_find or ()) == 2


@pytest.mark.parametrize("change", [{"title": "By hand"}, {"own": "field"}, {"min_recall": 0.1}])
def test_a_must_find_that_somebody_has_changed_stays(folder: Path, change: dict[str, Any]) -> None:
    moved(folder, FOUND, MUST)
    path = folder / "must_find.jsonl"
    write_lines(path, read_lines(path)[0] | change)
    before = path.read_bytes(), (folder / "candidates.jsonl").read_bytes()
    with pytest.raises(UsageError, match=r"must_find.jsonl, line 1: changed since it was confirmed"):
        undone(folder)
    assert (path.read_bytes(), (folder / "candidates.jsonl").read_bytes()) == before


def test_a_must_find_that_somebody_has_taken_out_is_undone_in_the_queue(folder: Path) -> None:
    moved(folder, FOUND, MUST)
    write_lines(folder / "must_find.jsonl")
    assert undone(folder).state == "proposed"


def test_a_context_dependent_finding_is_withdrawn(folder: Path) -> None:
    moved(folder, NOT_FOUND, CONTEXT)
    assert len(context_dependent(folder) or ()) == 1
    back = undone(folder)
    assert back.state == "proposed" and context_dependent(folder) == ()
    moved(folder, NOT_FOUND, CONTEXT)
    path = folder / "context_dependent_findings.jsonl"
    write_lines(path, read_lines(path)[0] | {"required_context": "By hand."})
    with pytest.raises(UsageError, match="changed since it was confirmed"):
        undone(folder)
    assert len(context_dependent(folder) or ()) == 1


def test_a_promotion_that_is_undone_does_not_write_around_the_test(folder: Path) -> None:
    moved(folder, NOT_FOUND, CONTEXT)
    (record,) = context_dependent(folder) or ()
    run = zero_shot_run(folder.parent / "again.db", only(folder), record, Zero(FOUND))
    look_again(only(folder), record, run=run, judge=zero_shot_judge(JUDGE), calibrations=folder.parent / "cal")
    assert now(folder).state == "proposed" and len(context_dependent(folder) or ()) == 1
    moved(folder, FOUND, MUST)
    assert context_dependent(folder) == ()
    assert undone(folder).state == "proposed"
    with pytest.raises(UsageError, match=r"is in context_dependent_findings\.jsonl no longer: confirm it again"):
        undone(folder)


def test_a_test_is_written_down_and_is_no_decision(folder: Path) -> None:
    edited(folder, title="Better")
    document, candidate = only(folder), now(folder)
    judge, none = zero_shot_judge(JUDGE), folder / "none"
    run = zero_shot_run(folder.parent / "a.db", document, candidate, Zero(NOT_FOUND))
    assert note_outcome(document, candidate, run=run, judge=judge, calibrations=none).state == "unvalidated"
    cal = calibrated(folder.parent / "cal")
    assert (
        "may be context-dependent" in note_outcome(document, candidate, run=run, judge=judge, calibrations=cal).why
    )
    assert len(decisions(queue_log(folder))) == 2
    assert undone(folder).title == ITEM["title"]
    with pytest.raises(UsageError, match="was reworded while it was tested"):
        note_outcome(document, candidate, run=run, judge=judge, calibrations=cal)
    reject(document, now(folder), "no")
    with pytest.raises(UsageError, match="no longer in the queue"):
        note_outcome(document, candidate, run=run, judge=judge, calibrations=cal)


def test_whoever_comes_second_is_told_and_writes_nothing(folder: Path) -> None:
    document, seen = only(folder), now(folder)
    reject(document, seen, "mine", by="ann")
    lines = (folder / "candidates.jsonl").read_bytes()
    run = zero_shot_run(folder.parent / "a.db", document, seen, Zero(FOUND))
    late: list[Callable[[], object]] = [
        lambda: reject(document, seen, "no, mine"),
        lambda: edit(document, seen, Edit(title="Mine", issue="Mine.", evidence=seen.evidence)),
        lambda: undo(document, seen),
        lambda: confirm(document, seen, MUST, run=run, judge=zero_shot_judge(JUDGE)),
    ]
    for act in late:
        with pytest.raises(
            Changed, match=r"changed by ann at .* it is rejected now\. Nothing was written"
        ) as found:
            act()
        assert found.value.now.why == "mine"
    assert (folder / "candidates.jsonl").read_bytes() == lines and only(folder).must_find == ()
    with pytest.raises(Changed) as found:
        as_shown(document, "kept", fingerprint(seen))
    assert found.value.shown == seen


def test_a_full_disk_between_list_and_queue_is_said_and_made_good(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = append_rows

    def full(path: Path, records: list[object], *, growing: bool = False) -> None:
        if path.name == "candidates.jsonl":
            raise OSError(28, "No space left on device")
        append(path, records, growing=growing)

    monkeypatch.setattr(curate, "append_rows", full)
    with pytest.raises(UsageError, match=r"was written to must_find\.jsonl, but the queue could not be saved"):
        moved(folder, FOUND, MUST)
    assert now(folder).state == "proposed"
    monkeypatch.setattr(curate, "append_rows", append)
    moved(folder, FOUND, MUST)
    assert len(only(folder).must_find or ()) == 1 and now(folder).state == "must_find"
    monkeypatch.setattr(curate, "append_rows", full)
    with pytest.raises(UsageError, match="undo it again"):
        undone(folder)
    monkeypatch.setattr(curate, "append_rows", append)
    assert undone(folder).state == "proposed" and only(folder).must_find == ()


def test_a_must_find_whose_test_was_added_later_is_not_taken_for_ours(folder: Path) -> None:
    moved(folder, FOUND, MUST)
    (item,) = only(folder).must_find or ()
    run = zero_shot_run(folder.parent / "b.db", only(folder), item, Zero(NOT_FOUND))
    note_test(only(folder), item, run=run, judge=zero_shot_judge(JUDGE), calibrations=folder / "none")
    with pytest.raises(UsageError, match="changed since it was confirmed"):
        undone(folder)


def test_what_was_decided_on_is_not_proposed_again_by_somebody_who_looked_earlier(folder: Path) -> None:
    assert add_candidates([], only(folder)).candidates == ()
    assert len(read_lines(folder / "candidates.jsonl")) == 1


def test_records_of_the_queue_read_back_as_they_were_written(folder: Path) -> None:
    moved(folder, FOUND, Choice(target="must-find", min_recall=0.25, reviewer="all", by="ann"))
    one = now(folder)
    assert (one.min_recall, one.reviewer, one.by, one.undoes) == (0.25, None, "ann", False)
    line = (folder / "candidates.jsonl").read_text().splitlines()[-1]
    assert (
        msgspec.json.encode(one) == json.dumps(json.loads(line), separators=(",", ":"), ensure_ascii=False).encode()
    )
