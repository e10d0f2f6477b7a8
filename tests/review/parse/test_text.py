"""What surrounds an output: marks, line ends, thinking, and the ways in which outputs are stored."""

from __future__ import annotations

import json

import pytest

from fiducial.review.parse import parse
from fiducial.review.parse.text import prepare

RECORD = '{"title": "No rollback", "severity": "Critical", "issue": "There is none."}'


def titles(text: str) -> list[str]:
    return [finding.title for finding in parse(text).findings]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + RECORD,
        f"\ufeff{RECORD}\r\n",
        "\x00".join(RECORD) + "\x00",  # UTF-16 read as Latin-1
        "\u200b\u2060" + RECORD,
        f"\u2028{RECORD}\u2029",
        f"\n\n   {RECORD}   \n\n",
        f"<think>perhaps {RECORD.replace('rollback', 'plan')}?</think>{RECORD}",
        f"Let me see. {{}} hm.</think>\n{RECORD}",
        f"<thinking>\n# Finding 1: no\n</thinking>\n{RECORD}",
        json.dumps(RECORD),
        RECORD.replace('"', '\\"'),
        json.dumps({"content": RECORD}),
        json.dumps({"choices": [{"message": {"role": "assistant", "content": f"Here:\n```json\n{RECORD}\n```"}}]}),
        json.dumps({"candidates": [{"content": {"parts": [{"text": RECORD}]}}]}),
        json.dumps({"type": "result", "subtype": "success", "result": f"[{RECORD}]"}),
        json.dumps({"a": json.dumps({"text": json.dumps({"text": RECORD})})}).replace('"a"', '"output"'),
    ],
)
def test_what_surrounds_an_output_does_not_hide_its_findings(text: str) -> None:
    assert titles(text) == ["No rollback"]


def test_an_answer_that_is_streamed_and_then_repeated_is_counted_once() -> None:
    streamed = json.dumps({"type": "assistant", "message": {"content": [{"type": "text", "text": RECORD}]}})
    assert titles(streamed + "\n" + json.dumps({"type": "result", "result": RECORD})) == ["No rollback"]


def test_half_characters_are_replaced_so_that_every_text_can_be_written() -> None:
    assert titles('{"title": "Half \ud800 a sign", "severity": "low", "issue": "x"}') == ["Half \ufffd a sign"]
    assert titles(r'{"title": "Half \ud800 a sign", "severity": "low", "issue": "x"}') == ["Half \ufffd a sign"]


def test_thinking_that_never_ends_is_no_answer() -> None:
    parsed = parse(f"<think>\nFirst, {RECORD}")
    assert (parsed.status, parsed.truncated, parsed.findings) == ("empty", True, ())


def test_a_thinking_tag_inside_the_answer_is_part_of_it() -> None:
    assert titles('{"title": "The tag <think> is not closed", "severity": "low", "issue": "a </think> b"}') == [
        "The tag <think> is not closed"
    ]


def test_a_string_is_unquoted_only_if_it_is_the_whole_output() -> None:
    assert prepare('"a" and "b\\n"')[0] == '"a" and "b\\n"'
    assert prepare('"a\\nb"')[0] == "a\nb"
