from __future__ import annotations

import importlib

import pytest

from fiducial.bias.read import Option, read
from fiducial.bias.read.structure import slots
from fiducial.bias.read.text import clean, clean_numbers, own_turn, without_thinking

OPTIONS = [Option("A", "The hospital"), Option("B", "The small clinic")]


def test_cleaning_keeps_every_offset() -> None:
    text = "**Answer:** \\(\\text{Ｂ}\\) İ “x”\u200b − 5 \\$3"
    assert len(clean(text)) == len(clean_numbers(text)) == len(text) == len(clean(text).lower())


def test_a_span_points_at_the_words_of_the_reply_itself() -> None:
    text = "Let me see.\n\n**Answer:** \\(\\text{B}\\)"
    reading = read(text, "option", options=OPTIONS)
    assert reading.span is not None
    assert text[slice(*reading.span)] == "B"


def test_thinking_is_not_read_and_an_open_block_is_a_cut() -> None:
    assert read("<think>Answer: A</think> Answer: B", "option", options=OPTIONS).answer == "B"
    cut = read("<think>So the answer is A", "option", options=OPTIONS)
    assert (cut.status, cut.rule) == ("unreadable", "cut-off")
    assert without_thinking("a<think>b") == ("a        ", True)


def test_only_the_subjects_own_turn_is_read() -> None:
    assert own_turn("B\nUser: and now?\nA") == "B\n"
    assert own_turn("User: asks\nB").startswith("User")


def test_the_words_beside_a_structured_answer_are_not_searched() -> None:
    text = '{"answer": "B", "why": "the answer is A"}'
    assert read(text, "option", options=OPTIONS).answer == "B"
    (slot,) = slots(text)
    assert text[slot.start : slot.end] == "B"


def test_a_number_of_the_prompt_counts_only_if_the_reply_commits_to_it() -> None:
    prompt = "A dial stopped at 65. What share is it, in percent?"
    assert read("The dial showed 65. It is about 30%.", "numeric", prompt=prompt).answer == 30
    assert read("The dial showed 65.", "numeric", prompt=prompt).answer is None
    assert read("My answer is 65.", "numeric", prompt=prompt).answer == 65


def test_the_unit_asked_for_decides_between_two_measures() -> None:
    prompt = "How tall is it, in metres?"
    assert read("It is 330 metres tall, that is 1,083 feet.", "numeric", prompt=prompt).answer == 330
    assert read("It is 1,083 feet or 330 metres tall.", "numeric", prompt=prompt).answer == 330


def test_percent_is_read_in_points_whatever_the_range() -> None:
    assert read("70%", "numeric", low=0, high=1).answer == 70


def test_the_declared_range_settles_a_notation() -> None:
    assert read("1.500", "numeric", low=100, high=5000).answer == 1500
    assert read("3,5", "numeric", low=1, high=10).answer == 3.5
    assert read("3,5", "numeric").status == "ambiguous"


def test_an_option_outside_the_list_is_no_answer() -> None:
    reading = read("The answer is H.", "option", options=OPTIONS)
    assert (reading.status, reading.rule) == ("unreadable", "not-an-option")


def test_the_readers_version_changes_with_its_source() -> None:
    module = importlib.import_module("fiducial.bias.read")
    assert len(module.READER_VERSION) == 16
    assert module.READER_VERSION == module.READER_VERSION
    with pytest.raises(AttributeError):
        _ = module.NOTHING
