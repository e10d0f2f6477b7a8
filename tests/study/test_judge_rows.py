from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.errors import UsageError
from fiducial.study.judge_rows import correct_recorded, read_verdicts


def lines(*rows: object) -> list[str]:
    return [json.dumps(row) for row in rows]


def test_rows_are_read_with_what_may_be_missing() -> None:
    found = read_verdicts(
        [*lines({"id": "a", "verdict": 1, "label": 0, "group": "g"}, {"verdict": 0.5}, {"verdict": None}), " "],
        file="f",
    )
    assert [(r.verdict, r.label, r.group) for r in found.rows] == [(1.0, 0, "g"), (0.5, None, None)]
    assert found.invalid == 1


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"id": "a", "verdict": 2}, 'f, line 2: "verdict" is 2'),
        ({"id": "a", "verdict": True}, '"verdict" is True'),
        ({"id": "a", "verdict": "1"}, "\"verdict\" is '1'"),
        ({"id": "a", "verdict": 1, "label": 0.5}, '"label" is 0.5; it is 0, 1 or null'),
        ({"id": "a", "verdict": 1, "group": 3}, '"group" is a number'),
        ({"id": "a", "verdct": 1}, '"verdct" is no field of it; did you mean verdict?'),
        ([1], "a JSON object is expected"),
        ({"id": "x", "verdict": 1}, "the \"id\" 'x' stands in line 1 already"),
    ],
)
def test_an_error_names_the_file_the_line_and_the_field(row: object, said: str) -> None:
    with pytest.raises(UsageError) as error:
        read_verdicts(lines({"id": "x", "verdict": 1}, row), file="f")
    assert said in str(error.value)


def test_a_file_without_a_row_is_an_error() -> None:
    with pytest.raises(UsageError, match="there is no row"):
        read_verdicts(["", "  "], file="f")


def test_an_unknown_group_names_the_nearest() -> None:
    found = read_verdicts(lines({"verdict": 1, "group": "gpt-a"}, {"verdict": 0, "group": "other"}), file="f")
    with pytest.raises(UsageError, match="did you mean gpt-a"):
        correct_recorded(found, group="gpt-b", file="f")


@given(st.lists(st.text(max_size=40), max_size=5))
def test_any_text_gives_rows_or_a_sentence(texts: list[str]) -> None:
    try:
        read_verdicts(texts, file="f")
    except UsageError as error:
        assert str(error).startswith("f")
