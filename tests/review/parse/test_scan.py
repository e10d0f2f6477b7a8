from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiducial.review.parse.nodes import Arr, Json, Obj
from fiducial.review.parse.scan import DEPTH, Scanner


def plain(node: Json) -> Any:
    if isinstance(node, Obj):
        return {key: plain(value) for key, value in node.pairs}
    return [plain(item) for item in node.items] if isinstance(node, Arr) else node


def scanned(text: str) -> list[tuple[Any, str]]:
    return [(plain(value.node), value.state) for value in Scanner(text).values()]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=15,
)


@settings(max_examples=300)
@given(value=JSON, indent=st.sampled_from([None, 2]), ascii_only=st.booleans())
def test_valid_json_is_read_as_the_standard_library_reads_it(
    value: Any, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps({"first": value, "last": [value]}, indent=indent, ensure_ascii=ascii_only)
    assert scanned(text) == [(json.loads(text), "whole")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, "b": [1, 2,],}', {"a": 1, "b": [1, 2]}),
        ("{'a': 'it is', 'b': \"it's\", 'c': 'don't'}", {"a": "it is", "b": "it's", "c": "don't"}),
        ("{'a': True, 'b': None, 'c': False}", {"a": True, "b": None, "c": False}),
        ('{a: 1, b_c: "x", d: high}', {"a": 1, "b_c": "x", "d": "high"}),
        ('{"a": "the "fast" path", "b": 2}', {"a": 'the "fast" path', "b": 2}),
        ('{"a": "one\ntwo", "b": "\n\n"}', {"a": "one\ntwo", "b": "\n\n"}),
        ('{"a": 1, // note\n "b": 2 /* more */, # last\n "c": 3}', {"a": 1, "b": 2, "c": 3}),
        ('{"a": "http://x.y/#z"}', {"a": "http://x.y/#z"}),
        ('{"title": "x, "issue": "y"}', {"title": "x", "issue": "y"}),
        ('{"title": "x\n  "issue": "y"}', {"title": "x", "issue": "y"}),
        ('{"title": "x" "issue": "y"}', {"title": "x", "issue": "y"}),
        ("{“a”: “b”, “c”: 'd'}", {"a": "b", "c": "d"}),
        ('{"a": 85%, "b": 3/4, "c": }', {"a": "85%", "b": "3/4", "c": None}),
        (r'{"a": "\d+\x41A\/", "b": "\ud83d\ude00\ud83d"}', {"a": "\\d+AA/", "b": "😀\ufffd"}),
        ('{"a": [1, 2, ...], ...}', {"a": [1, 2]}),
        ('{"a": {"b": [1, 2}}', {"a": {"b": [1, 2]}}),
        ('{"fix": "Use\n```sql\nSELECT 1\n```\nplease", "b": 1}', {"fix": "Use\n```sql\nSELECT 1\n```\nplease", "b": 1}),
        ('{"a": "both "x", "y" and "z", as said", "b": 1}', {"a": 'both "x", "y" and "z", as said', "b": 1}),
    ],
)  # fmt: skip
def test_what_models_write_in_place_of_json_is_read_as_meant(text: str, value: Any) -> None:
    assert scanned(text) == [(value, "whole")]


def test_a_value_that_the_text_ends_in_is_cut_and_keeps_what_was_complete() -> None:
    assert scanned('[{"a": 1}, {"b": "x", "c": "half') == [([{"a": 1}, {"b": "x", "c": None}], "cut")]
    assert scanned('{"a": 12') == [({"a": None}, "cut")]  # half a number is another number


def test_a_broken_value_costs_itself_and_not_its_neighbours() -> None:
    text = '[{"a": 1}, {"b" ? 2}, {"c": 3}] and {"d": 4}'
    assert scanned(text) == [([{"a": 1}, {}], "broken"), ({"c": 3}, "whole"), ({"d": 4}, "whole")]


def test_a_list_that_is_never_closed_does_not_swallow_the_prose_after_it() -> None:
    assert scanned('[{"a": 1}\n\nI hope this helps. {"b": 2}') == [([{"a": 1}], "broken"), ({"b": 2}, "whole")]


def test_the_end_of_its_block_ends_a_string_that_was_never_closed() -> None:
    assert scanned('```json\n{"a": "half\n```\n\n{"b": 1}') == [({"a": None}, "broken"), ({"b": 1}, "whole")]


def test_brackets_in_prose_are_not_values() -> None:
    assert scanned("see [1], [the link](x), {placeholder} and f(x) = {x | x > 0}") == []


def test_nesting_without_end_is_given_up_and_costs_no_recursion() -> None:
    values = Scanner("[" * 100_000).values()
    assert all(value.state in ("broken", "cut") for value in values)
    assert all(value.end - value.start <= DEPTH for value in values)


HOSTILE = [
    "[", "{", '{"a":', '{"title":"', "[{", '"a":"b",', '{"x":"\n', '/*{"/*', '{"title":1,', "{ ", '{"a":"b","', "{'",
    '{"a": "b" "c", "d', '[" ', '\\"{"', "[1,", '{"a":b,', '{"title":"\n\n  "x', "{“", "{//\n", "{#\n", '{"\\', "[“",
    "[]", "{}", '{"a" :', '{"a":"b",\n', '", "', '{"issue":"x, "issue":"', "```json\n[\n```\n", '{"a":"\n```\n',
    "{'a':\"", ' "" ', '{"a":   ',
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_work_grows_with_the_text_and_not_with_its_square(unit: str) -> None:
    def steps(size: int) -> int:
        scanner = Scanner(unit * (size // len(unit)))
        scanner.values()
        return scanner.steps

    small, large = steps(8_000), steps(64_000)
    assert large <= 9 * small  # 64 times as much, were it the square
    assert large <= 64 * 64_000
