from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fiducial.errors import UsageError
from fiducial.review.labels import (
    agreement,
    append_label,
    by_rater,
    disagreements,
    load_labels,
    pairs,
    torn_label,
)
from fiducial.stats.estimate import Estimate, Withheld
from tests.review.folders import read_lines, write_lines

GOOD = {"case": "abc", "rater": "ann", "label": 1, "at": "2026-01-01T00:00:00+00:00", "note": None}


def test_a_label_is_added_to_the_raters_own_file_and_nothing_is_ever_taken_out(tmp_path: Path) -> None:
    append_label(tmp_path, case="abc", rater="ann", label=1)
    append_label(tmp_path, case="abc", rater="ann", label=0.5, note="on second thoughts")
    assert [line["label"] for line in read_lines(tmp_path / "labels" / "ann.jsonl")] == [1, 0.5]
    assert by_rater(load_labels(tmp_path)) == {"ann": {"abc": 0.5}}


def test_the_newest_label_counts_wherever_it_stands(tmp_path: Path) -> None:
    write_lines(tmp_path / "labels" / "a.jsonl", GOOD | {"at": "2026-02-01", "label": 0})
    write_lines(tmp_path / "labels" / "b.jsonl", GOOD)
    assert by_rater(load_labels(tmp_path)) == {"ann": {"abc": 0.0}}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"label": 2}, '"label" is 2; it is 0, 0.5 or 1'),
        ({"label": True}, '"label" is True; it is 0, 0.5 or 1'),
        ({"label": [1]}, "it is 0, 0.5 or 1"),
        ({"label": None}, "it is 0, 0.5 or 1"),
        ({"case": " "}, '"case" is a text; it is a text that is not empty'),
        ({"rater": None}, '"rater" is null'),
        ({"at": 5}, '"at" is a number'),
        ({"note": 5}, '"note" is a number; it is a text or null'),
        ({"withdrawn": True}, '"label" is 1, and "withdrawn" is true; a withdrawn label is null'),
        ({"label": None, "withdrawn": "yes"}, '"withdrawn" is a text; it is true or false'),
        ({"label": None, "withdrawn": False}, "it is 0, 0.5 or 1"),
    ],
)
def test_a_wrong_label_names_file_line_and_field(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    write_lines(tmp_path / "labels" / "ann.jsonl", GOOD, GOOD | changes)
    with pytest.raises(UsageError) as error:
        load_labels(tmp_path)
    assert "ann.jsonl, line 2: " in str(error.value) and said in str(error.value)


@pytest.mark.parametrize("rater", ["", "../ann", "a b", "..", "a/b"])
def test_a_rater_whose_name_is_no_file_name_is_refused(tmp_path: Path, rater: str) -> None:
    with pytest.raises(UsageError, match="a short name"):
        append_label(tmp_path, case="abc", rater=rater, label=1)
    assert not (tmp_path / "labels").exists()


def test_a_wrong_label_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"it is 0, 0\.5 or 1"):
        append_label(tmp_path, case="abc", rater="ann", label=0.7)
    assert not (tmp_path / "labels").exists()


def test_a_withdrawal_takes_back_what_stands_and_a_newer_label_stands_again(tmp_path: Path) -> None:
    append_label(tmp_path, case="abc", rater="ann", label=1)
    append_label(tmp_path, case="abc", rater="ann", label=None)
    assert by_rater(load_labels(tmp_path)) == {}
    append_label(tmp_path, case="abc", rater="ann", label=0)
    assert by_rater(load_labels(tmp_path)) == {"ann": {"abc": 0.0}}
    assert [line.get("withdrawn") for line in read_lines(tmp_path / "labels" / "ann.jsonl")] == [None, True, None]


def test_disagreements_are_told_case_by_case_the_widest_apart_first() -> None:
    said = {"ann": {"a": 1.0, "b": 0.0, "c": 1.0}, "bob": {"a": 0.5, "b": 0.0, "c": 0.0}, "eve": {"a": 1.0}}
    assert disagreements(said) == {"c": {"ann": 1.0, "bob": 0.0}, "a": {"ann": 1.0, "bob": 0.5, "eve": 1.0}}
    assert list(disagreements(said)) == ["c", "a"]


def test_raters_without_a_case_in_common_have_no_agreement() -> None:
    (pair,) = pairs({"ann": {"a": 1.0}, "bob": {"b": 1.0}})
    assert pair.n == 0 and isinstance(pair.agreement, Withheld) and isinstance(pair.kappa, Withheld)


def test_agreement_is_computed_on_the_cases_that_both_have_labelled(tmp_path: Path) -> None:
    given: dict[str, list[float]] = {"ann": [1, 1, 0, 0, 0.5], "bob": [1, 1, 0, 1]}
    for rater, labels in given.items():
        for case, label in enumerate(labels):
            append_label(tmp_path, case=str(case), rater=rater, label=label)
    append_label(tmp_path, case="other", rater="eve", label=1)
    found = agreement(load_labels(tmp_path))
    both = found["ann", "bob"]
    assert isinstance(both, Estimate) and both.n == 4 and both.value == pytest.approx(0.5)
    assert isinstance(found["ann", "eve"], Withheld)


def test_half_a_last_line_counts_for_nothing_wherever_it_was_cut(tmp_path: Path) -> None:
    append_label(tmp_path, case="one", rater="ann", label=1)
    append_label(tmp_path, case="two", rater="ann", label=0, note="größer als 30 \U0001f600")
    path = tmp_path / "labels" / "ann.jsonl"
    raw = path.read_bytes()
    second = raw.index(b"\n") + 1
    for cut in range(second + 1, len(raw) - 1):
        path.write_bytes(raw[:cut])
        assert by_rater(load_labels(tmp_path)) == {"ann": {"one": 1.0}}, raw[second:cut]
        assert "cut off" in torn_label(tmp_path, "ann")
    path.write_bytes(raw[:second] + b"\0" * 40)  # what some file systems leave after a power cut
    assert by_rater(load_labels(tmp_path)) == {"ann": {"one": 1.0}}
    path.write_bytes(raw[:-1])  # all but the newline: that is whole
    assert by_rater(load_labels(tmp_path)) == {"ann": {"one": 1.0, "two": 0.0}}
    assert torn_label(tmp_path, "ann") == torn_label(tmp_path, "eve") == ""


def test_the_next_label_sets_half_a_line_aside_and_loses_nothing(tmp_path: Path) -> None:
    append_label(tmp_path, case="one", rater="ann", label=1)
    path = tmp_path / "labels" / "ann.jsonl"
    with path.open("ab") as file:
        file.write(b'{"case":"two","ra')
    append_label(tmp_path, case="three", rater="ann", label=0)
    assert [line["case"] for line in read_lines(path)] == ["one", "three"]
    assert (tmp_path / "labels" / "ann.jsonl.torn").read_bytes() == b'{"case":"two","ra\n'
    assert by_rater(load_labels(tmp_path)) == {"ann": {"one": 1.0, "three": 0.0}}


def test_a_last_line_that_an_editor_left_open_is_kept(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "labels" / "ann.jsonl", GOOD)
    for raw in (path.read_bytes()[:-1], b"\xef\xbb\xbf" + path.read_bytes()[:-1]):
        path.write_bytes(raw)
        append_label(tmp_path, case="two", rater="ann", label=0)
        assert by_rater(load_labels(tmp_path)) == {"ann": {"abc": 1.0, "two": 0.0}}
    assert not (tmp_path / "labels" / "ann.jsonl.torn").exists()


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_damaged_line_that_was_ended_is_an_error_and_stays_where_it_is(tmp_path: Path, end: bytes) -> None:
    path = write_lines(tmp_path / "labels" / "ann.jsonl", GOOD)
    whole = path.read_bytes()[:-1]
    path.write_bytes(whole + end + b'{"case"' + end)
    with pytest.raises(UsageError, match=r"ann\.jsonl, line 2: not JSON"):
        load_labels(tmp_path)
    append_label(tmp_path, case="two", rater="ann", label=0)
    assert path.read_bytes().startswith(whole + end + b'{"case"' + end)
