"""The document first, what is asked about it last."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.judge.document import document_first, mended, object_schema, or_null, place_of
from fiducial.judge.fence import mark
from fiducial.judge.prompt import prompt_version
from fiducial.judge.wording import SHIPPED

TEMPLATE = 'Read {document}.\n\nThe question:\n<{question_mark}> {question}\nReply {"with": "this"}'


def test_the_prefix_ends_before_the_first_line_that_belongs_to_one_question() -> None:
    message = document_first(TEMPLATE, {"document": "D"}, {"question": "Q", "question_mark": "7"})
    assert message.text == 'Read D.\n\nThe question:\n<7> Q\nReply {"with": "this"}'
    assert message.text[: message.prefix] == "Read D.\n\nThe question:\n"


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_the_prefix_is_the_same_to_the_byte_whatever_is_asked(document: str, one: str, other: str) -> None:
    first, second = (
        document_first(TEMPLATE, {"document": document}, {"question": question, "question_mark": "7"})
        for question in (one, other)
    )
    assert first.prefix == second.prefix
    assert first.text[: first.prefix] == second.text[: second.prefix]
    assert document in first.text[: first.prefix]
    assert one in first.text[first.prefix :]


def test_braces_in_a_value_are_text_and_no_places() -> None:
    message = document_first(
        TEMPLATE,
        {"document": "{question} {document} {{0}} {question_mark}"},
        {"question": "{document}{x}", "question_mark": "7"},
    )
    assert message.text.startswith("Read {question} {document} {{0}} {question_mark}.\n")
    assert "<7> {document}{x}\n" in message.text


@given(st.text(max_size=32), st.text(max_size=60))
def test_a_fence_holds_its_text_untouched(secret: str, text: str) -> None:
    own = mark(secret, text)
    assert SHIPPED.around("finding 3", text, secret=secret) == f"<<<finding 3 {own}>>>\n{text}\n<<<end {own}>>>"


@pytest.mark.parametrize(
    "quotation",
    [
        "is kept for 30 days",
        '"is kept for 30 days"',
        " “is kept for 30 days” ",
        "'is kept' ... 'for 30 days'",
        '"is kept" […] "30 days"',
    ],
)
def test_quotation_marks_that_a_judge_adds_do_not_count(quotation: str) -> None:
    text = "Every record is kept for 30 days."
    span = place_of(quotation, text)
    assert span is not None and text[slice(*span)] == "is kept for 30 days"


def test_quotation_marks_of_the_text_itself_are_part_of_the_quotation() -> None:
    text = 'The state "open" ends.'
    span = place_of('"open"', text)
    assert span is not None and text[slice(*span)] == '"open"'


@pytest.mark.parametrize("quotation", ["", '""', '"', "...", '"never there"', "days 30", "'30 days' ... 'is kept'"])
def test_what_is_not_in_the_text_is_not_found_with_or_without_marks(quotation: str) -> None:
    assert place_of(quotation, "Every record is kept for 30 days.") is None


def test_a_sentence_put_together_from_single_words_is_no_quotation() -> None:
    text = "The clerk files the letter. Only the keeper may open the vault. Every letter must be read."
    assert place_of("clerk files ... may open the vault ... Every letter", text) is not None
    assert place_of("The ... clerk ... may ... open ... Every letter", text) is None
    assert place_of("T ... h", text) is None
    assert place_of("e", text) is None


@given(st.text(max_size=120), st.text(max_size=40))
def test_any_text_is_taken(text: str, quotation: str) -> None:
    span = place_of(quotation, text)
    assert span is None or 0 <= span[0] < span[1] <= len(text)


def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_is_kept() -> None:
    assert mended("a\ud800b") == "a\ufffdb"
    assert mended("\U0001f600 ok") == "\U0001f600 ok"
    assert msgspec.json.decode(msgspec.json.encode(mended("\udfff"))) == "\ufffd"


def test_a_schema_has_its_fields_in_the_order_given_and_allows_no_others() -> None:
    schema = object_schema(b={"type": "string"}, a=or_null("integer"))
    assert list(schema["properties"]) == schema["required"] == ["b", "a"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["a"] == {"anyOf": [{"type": "integer"}, {"type": "null"}]}


def test_a_version_changes_with_each_of_the_texts() -> None:
    versions = {prompt_version("genuine"), prompt_version("match"), prompt_version("genuine", "not_genuine_plan")}
    assert len(versions) == 3 and all(len(version) == 16 for version in versions)
