"""A rater's way through the cases: what is on disk after every step, and what comes next."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fiducial.errors import UsageError
from fiducial.review import labels
from fiducial.review.label_round import Round, Skip
from fiducial.review.labelling import in_order, standing
from tests.review.folders import read_lines, write_lines
from tests.review.test_labelling import cases

MADE = cases(5)
ORDER = [case.id for case in in_order(MADE, "ann", 1)]
MADE_BY_ID = {case.id: case for case in MADE}


def begin(folder: Path, rater: str = "ann", limit: int | None = None) -> Round:
    return Round(MADE, {"d": folder}, rater, seed=1, limit=limit)


def current(sheet: Round) -> str:
    assert sheet.current is not None
    return sheet.current.id


def lines(folder: Path, rater: str = "ann") -> list[tuple[str, float | None]]:
    return [(line["case"], line["label"]) for line in read_lines(folder / "labels" / f"{rater}.jsonl")]


def test_every_label_is_on_disk_before_the_next_case_comes_up(tmp_path: Path) -> None:
    sheet = begin(tmp_path)
    for k, value in enumerate((1.0, 0.0, 0.5)):
        assert current(sheet) == ORDER[k]
        sheet.label(value, "because" if k == 1 else None)
        assert lines(tmp_path)[-1] == (ORDER[k], value)
    assert [line["note"] for line in read_lines(tmp_path / "labels" / "ann.jsonl")] == [None, "because", None]


def test_a_new_session_goes_on_in_the_same_order_with_what_is_not_labelled(tmp_path: Path) -> None:
    first = begin(tmp_path)
    first.label(1.0)
    first.skip()
    first.label(0.0)
    again = begin(tmp_path)
    assert (again.labelled, again.total, again.saved, again.skipped) == (2, 5, 0, 0)
    seen = []
    while again.current is not None:
        seen.append(current(again))
        again.label(0.5)
    assert seen == [ORDER[1], *ORDER[3:]] and again.labelled == 5 and again.saved == 3


def test_raters_do_not_see_each_other(tmp_path: Path) -> None:
    begin(tmp_path).label(1.0)
    other = begin(tmp_path, "bob")
    assert other.labelled == 0 and other.left == 5


def test_a_limit_bounds_one_session_and_the_next_goes_on_behind_it(tmp_path: Path) -> None:
    first = begin(tmp_path, limit=2)
    first.label(1.0)
    first.label(1.0)
    assert first.current is None and first.labelled == 2
    assert current(begin(tmp_path, limit=2)) == ORDER[2]


def test_undo_takes_the_label_back_and_shows_the_case_again(tmp_path: Path) -> None:
    sheet = begin(tmp_path)
    sheet.label(1.0)
    sheet.label(0.0)
    assert sheet.undo() == 0.0 and current(sheet) == ORDER[1] and sheet.labelled == sheet.saved == 1
    assert lines(tmp_path) == [(ORDER[0], 1), (ORDER[1], 0), (ORDER[1], None)]
    assert standing(MADE, {"d": tmp_path}) == {"ann": {("d", ORDER[0]): 1.0}}
    sheet.label(0.5)
    assert current(sheet) == ORDER[2]
    assert standing(MADE, {"d": tmp_path})["ann"]["d", ORDER[1]] == 0.5


def test_undo_reaches_back_over_skips_and_into_earlier_sessions(tmp_path: Path) -> None:
    before = begin(tmp_path)
    before.label(1.0)
    before.label(0.0)
    sheet = begin(tmp_path)
    sheet.skip()
    assert sheet.undo() is None and current(sheet) == ORDER[2] and len(lines(tmp_path)) == 2
    assert sheet.undo() in (0.0, 1.0)
    sheet.undo()
    assert not sheet.can_undo and sheet.labelled == 0 and standing(MADE, {"d": tmp_path}) == {}


def test_the_last_line_is_undone_first_also_of_labels_of_one_second(tmp_path: Path) -> None:
    given = [{"case": ORDER[k], "rater": "ann", "label": 1, "at": "2026-01-01"} for k in (0, 3, 1, 0)]
    write_lines(tmp_path / "labels" / "ann.jsonl", *given)
    sheet = begin(tmp_path)
    undone = []
    while sheet.can_undo:
        sheet.undo()
        undone.append(current(sheet))
    assert undone == [ORDER[0], ORDER[1], ORDER[3]]


def test_a_clock_that_is_set_back_does_not_make_an_older_label_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet = begin(tmp_path)
    monkeypatch.setattr(labels, "now", lambda: "2030-01-01T00:00:00+00:00")
    sheet.label(1.0)
    monkeypatch.setattr(labels, "now", lambda: "2029-01-01T00:00:00+00:00")
    sheet.undo()
    sheet.label(0.0)
    assert standing(MADE, {"d": tmp_path}) == {"ann": {("d", ORDER[0]): 0.0}}


def test_a_disk_that_is_full_loses_nothing_and_leaves_the_case_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet = begin(tmp_path)
    sheet.label(1.0)

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", full)
        with pytest.raises(UsageError, match=r"ann\.jsonl: this label could not be saved: No space left on device"):
            sheet.label(0.0)
        with pytest.raises(UsageError, match="could not be saved"):
            sheet.undo()
    assert lines(tmp_path) == [(ORDER[0], 1)]
    assert current(sheet) == ORDER[1] and sheet.labelled == sheet.saved == 1
    sheet.label(0.0)
    assert lines(tmp_path) == [(ORDER[0], 1), (ORDER[1], 0)]


def test_a_folder_that_may_not_be_written_to_is_refused_before_the_first_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda place, mode: False)
    with pytest.raises(UsageError, match="labels cannot be saved there"):
        begin(tmp_path)
    assert not (tmp_path / "labels").exists()


def test_a_round_that_is_made_anew_for_every_step_goes_the_same_way(tmp_path: Path) -> None:
    """As on a page: what is not on disk is handed on from step to step."""
    kept, fresh = tmp_path / "kept", tmp_path / "fresh"
    kept.mkdir()
    fresh.mkdir()
    sheet = begin(kept)
    skips: list[Skip] = []
    again = ""
    for key in "gsngsuuuugnsug":
        anew = Round(MADE, {"d": fresh}, "ann", seed=1, skipped=skips, again=again)
        assert (anew.current, anew.left, anew.labelled, anew.skipped) == (
            sheet.current, sheet.left, sheet.labelled, sheet.skipped,
        )  # fmt: skip
        assert anew.last == sheet.last
        again = ""
        for one in (sheet, anew):
            if key == "s":
                one.skip()
            elif key == "u":
                one.undo()
            else:
                one.label(1.0 if key == "g" else 0.0)
        if key == "u":
            again = current(anew)
        skips = anew.skips
    assert lines(kept) == lines(fresh)


def test_of_labels_of_one_second_on_two_documents_the_latest_is_undone_first(tmp_path: Path) -> None:
    made = [*cases(1, "a"), *cases(1, "b")]
    folders = {name: tmp_path / name for name in "ab"}
    for case in made:
        write_lines(
            folders[case.document_id] / "labels" / "ann.jsonl",
            {"case": case.id, "rater": "ann", "label": 1, "at": "2026-01-01"},
        )
    for case in made:
        assert Round(made, folders, "ann", seed=1, latest=case.mark).last == case


def test_what_was_skipped_and_labelled_elsewhere_since_is_skipped_no_more(tmp_path: Path) -> None:
    first = begin(tmp_path)
    first.skip()
    elsewhere = begin(tmp_path)
    elsewhere.label(1.0)
    anew = Round(MADE, {"d": tmp_path}, "ann", seed=1, skipped=[*first.skips, Skip("nothing", 99)])
    assert anew.skipped == 0 and anew.labelled == 1 and anew.left == 4
    assert anew.has(elsewhere_mark := MADE_BY_ID[ORDER[0]].mark) and not anew.has(elsewhere_mark[::-1])


@pytest.mark.parametrize("rater", ["", "../ann", "a b", "x" * 200])
def test_a_rater_whose_name_is_no_file_name_is_refused(tmp_path: Path, rater: str) -> None:
    with pytest.raises(UsageError, match="a short name"):
        begin(tmp_path, rater)
