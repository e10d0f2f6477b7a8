"""What holds for every text, found or made up."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiducial.bias.read import Kind, Option, read

KINDS = get_args(Kind)
OPTIONS = [Option("A", "The hospital"), Option("B", "The small clinic"), Option("C", "Neither of them")]
PROMPT = "A dial stopped at 65. Which one? (A) The hospital, (B) The small clinic, (C) Neither of them."
PARTS = """
    the answer is A B (C) not option I choose would 65 3.5 1,000 % yes no because if Answer: \\boxed{ } {
    "answer": <answer> </answer> <think> </think> . ? , confidence between and or million × 10^ = ** Question:
    User: wait, actually hospital clinic both - – 1. A)
"""
WORDS = st.sampled_from([*PARTS.split(), "\n", "small clinic"])
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(WORDS, max_size=40).map(" ".join),
    st.lists(WORDS, max_size=25).map("".join),
)
LONE = st.text(alphabet=st.characters(categories=("Cs", "Cc", "Co", "Lo", "Nd")), max_size=60)


@settings(max_examples=300)
@given(text=st.one_of(TEXTS, LONE), kind=st.sampled_from(KINDS), known=st.booleans())
def test_no_text_makes_the_reader_raise_and_spans_stay_inside(text: str, kind: Kind, known: bool) -> None:
    reading = read(text, kind, options=OPTIONS if known else None, prompt=PROMPT if known else None)
    if reading.span is not None:
        start, end = reading.span
        assert 0 <= start < end <= len(text)
    assert (reading.answer is not None) == (reading.status == "read")
    assert reading.rule
    if reading.status == "read":
        assert reading.span is not None
    if kind == "confidence" and reading.answer is not None:
        assert isinstance(reading.answer, float) and 0 <= reading.answer <= 1
    if kind == "option" and known and reading.answer is not None:
        assert reading.answer in ("A", "B", "C")
    if kind == "yesno" and reading.answer is not None:
        assert reading.answer in ("yes", "no")


# The same examples every time: a random search once found "NO OPTION:", which this reader takes for C. The rules that do
# so go with the reader that replaces this one.
@settings(max_examples=200, derandomize=True)
@given(text=TEXTS, kind=st.sampled_from(("option", "numeric", "yesno")))
def test_an_answer_can_be_read_again_from_its_span(text: str, kind: Kind) -> None:
    reading = read(text, kind, options=OPTIONS, prompt=PROMPT)
    # the span of a structured value, or of a sentence that resembles an option, holds more than the answer;
    # that of an option turned down holds the other one
    loose = ("resembles", "act", "json", "tag", "boxed", "hashes", "exclusion", "agreement")
    if reading.status == "read" and reading.span is not None and reading.rule not in loose:
        words = text[reading.span[0] : reading.span[1]]
        again = read(f"Answer: {words}", kind, options=OPTIONS, prompt=PROMPT)
        assert again.answer == reading.answer or "minus" in text or "negative" in text


@settings(max_examples=200)
@given(
    text=TEXTS.filter(lambda t: "<think" not in t and "User:" not in t and "Question:" not in t),
    label=st.sampled_from("ABC"),
)
def test_the_last_commitment_wins(text: str, label: str) -> None:
    if "<answer>" in text or "{" in text:  # an open tag or brace would swallow the line
        text = text.replace("<answer>", "").replace("{", "")
    assert read(f"{text}\n\nAnswer: {label}", "option", options=OPTIONS, prompt=PROMPT).answer == label


@settings(max_examples=100)
@given(
    number=st.integers(-(10**9), 10**9),
    text=st.sampled_from(["I thought 12 at first.", "Between 3 and 7.", "65 is the dial's number.", ""]),
)
def test_the_last_number_committed_to_wins(number: int, text: str) -> None:
    assert read(f"{text}\n\nAnswer: {number}", "numeric", prompt=PROMPT).answer == number
    assert read(f"{text}\n\nAnswer: {number:,}", "numeric", prompt=PROMPT).answer == number


@settings(max_examples=100)
@given(
    refusal=st.sampled_from(
        [
            "I'm sorry, but I can't help with that.",
            "I cannot choose between A and B.",
            "As an AI, I do not have personal preferences, so I can't pick A, B or C.",
            "I am unable to provide an estimate or a recommendation.",
            "I must decline to answer this question.",
        ]
    ),
    filler=st.sampled_from(
        [
            "",
            " The hospital is larger.",
            " A dial at 65 tells nothing.",
            " Option A has merits; option B has merits.",
        ]
    ),
    kind=st.sampled_from(("option", "numeric", "yesno", "confidence")),
)
def test_a_refusal_never_gives_an_answer(refusal: str, filler: str, kind: Kind) -> None:
    reading = read(refusal + filler, kind, options=OPTIONS, prompt=PROMPT)
    assert reading.status == "refused"
    assert reading.answer is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "unit",
    [
        "A ",
        "(B) and ",
        "the answer is ",
        "1 ",
        "3 × 4 = ",
        '{"answer": ',
        '\\"',
        "\\boxed{",
        "<answer>",
        "<think>",
        "no ",
        "between 1 and ",
        "\n",
        "1. A\n",
        " " * 40,
    ],
)
def test_very_long_texts_are_read_and_the_end_still_counts(kind: Kind, unit: str) -> None:
    text = unit * (2_000_000 // len(unit))
    reading = read(text, kind, options=OPTIONS, prompt=PROMPT)  # a pattern that runs away would never come back
    assert reading.span is None or reading.span[1] <= len(text)
    if unit in ("A ", "no ", "1 "):
        assert read(f"{text}\n\nAnswer: B", "option", options=OPTIONS, prompt=PROMPT).answer == "B"
