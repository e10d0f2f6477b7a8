from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gnomon.errors import UsageError
from gnomon.review.labels import agreement, append_label, by_rater, load_labels
from gnomon.stats.estimate import Estimate, Withheld
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
