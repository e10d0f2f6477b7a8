"""The contract of `fiducial bias read --jsonl`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fiducial.bias.read import read_lines
from fiducial.errors import UsageError


def line(**changes: Any) -> str:
    record: dict[str, Any] = {
        "id": "t1",
        "response": "I compared both.\n\nAnswer: B\nConfidence: 80%",
        "kind": "option",
        "options": [{"label": "A", "text": "The hospital"}, {"label": "B", "text": "The small clinic"}],
        "prompt": None,
    }
    record.update(changes)
    return json.dumps({k: v for k, v in record.items() if v != "DROP"})


def test_each_line_gives_one_object_in_order_with_exactly_the_promised_keys() -> None:
    out = list(read_lines([line(), line(id=7, kind="numeric", response="3k", options=None)]))
    assert [sorted(o) for o in out] == [["answer", "confidence", "id", "rule", "span", "status"]] * 2
    assert out[0] == {
        "id": "t1",
        "answer": "B",
        "status": "read",
        "confidence": 0.8,
        "span": [26, 27],
        "rule": "answer-line",
    }
    assert (out[1]["id"], out[1]["answer"]) == (7, 3000.0)
    json.dumps(out)  # nothing that JSON cannot say


def test_an_abstention_has_a_null_answer_and_says_why() -> None:
    (out,) = read_lines([line(response="I'm sorry, but I can't help with that.")])
    assert (out["answer"], out["status"], out["rule"]) == (None, "refused", "refusal")


def test_blank_lines_are_passed_over_and_the_numbering_goes_on() -> None:
    with pytest.raises(UsageError, match="line 3"):
        list(read_lines([line(), "\n", "{"]))


def test_a_line_with_half_a_surrogate_pair_or_with_nan_is_read_like_any_other() -> None:
    half = '{"id": 1, "kind": "yesno", "response": "Yes \\ud83d"}'
    nan = '{"id": 2, "kind": "yesno", "response": "No", "score": NaN}'
    assert [o["answer"] for o in read_lines([half, nan])] == ["yes", "no"]


def test_lines_are_read_as_they_come() -> None:
    lines = read_lines(iter([line(), "broken"]))
    assert next(lines)["answer"] == "B"
    with pytest.raises(UsageError, match="line 2: not JSON"):
        next(lines)


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ("[1]", "line 1: not a JSON object"),
        (line(id="DROP"), '"id" is missing'),
        (line(response="DROP"), '"response" is missing'),
        (line(kind="DROP"), '"kind" is missing'),
        (line(response=None), '"response" is null'),
        (line(kind="letter"), '"kind" is "letter"; it is one of option, numeric, yesno, confidence, text'),
        (line(kind=["option"]), '"kind" is'),
        (line(options="AB"), '"options" is a list'),
        (line(options=[{"text": "x"}]), '"options" entry 1 has no "label"'),
        (line(options=[3]), '"options" entry 1 is not an object'),
        (line(options=[{"label": "A", "text": 3}]), '"options" entry 1 has a "text"'),
        (line(prompt=5), '"prompt" is 5'),
        (line(low="1"), '"low" is "1"'),
    ],
)
def test_a_broken_line_is_named_with_its_field(broken: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        list(read_lines([broken]))
    assert str(caught.value).startswith("line 1")
    assert says in str(caught.value)
