"""The cheap tests before slow patterns: they may let a window through for nothing, never keep a match from being found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiducial.bias.read import Option, around, cues, numbers, read, touch
from fiducial.bias.read.text import any_of, clean, clean_numbers

REPLIES = [
    json.loads(line)["response"]
    for line in (Path(__file__).parent / "hard.jsonl").read_text(encoding="utf-8").splitlines()
]


def windows(of_numbers: bool) -> Iterator[str]:
    """The text before each capital letter, or before each number, of the hard set."""
    pattern = re.compile(r"\d+" if of_numbers else r"\b[A-J1-5]\b")
    for reply in REPLIES:
        text = clean_numbers(reply) if of_numbers else clean(reply)
        low = text.lower()
        for match in list(pattern.finditer(text))[-12:]:
            yield low[max(0, match.start() - 130) : match.start()]


@given(
    phrases=st.sets(st.text(alphabet="abcé -.", min_size=1, max_size=6), min_size=1, max_size=12),
    text=st.text("abcé -."),
)
def test_a_branching_pattern_matches_the_phrases_and_nothing_else(phrases: set[str], text: str) -> None:
    pattern = re.compile(any_of(phrases))
    for phrase in phrases:
        assert pattern.fullmatch(phrase)
    assert (pattern.fullmatch(text) is not None) == (text in phrases)


@settings(max_examples=300)
@given(
    st.one_of(
        st.text(alphabet="0123456789.,-+$€ ekM%/x×^{}()A\\n", max_size=40),
        st.lists(
            st.sampled_from(
                [
                    "5",
                    "1,000",
                    "US$3",
                    "-2",
                    "EUR",
                    "7",
                    ".5",
                    "A5",
                    "3.5.2",
                    "10^3",
                    "½",
                    "million",
                    "%",
                    "\n",
                    "x",
                ]
            ),
            max_size=12,
        ).map(" ".join),
    )
)
def test_numbers_found_from_their_digits_are_those_of_a_full_search(text: str) -> None:
    assert [m.span() for m in numbers._tokens(text)] == [m.span() for m in numbers._TOKEN.finditer(text)]


def test_no_window_that_commits_is_passed_over() -> None:
    seen = 0
    for left in windows(of_numbers=False):
        if "<" in left[-20:]:  # tags are read as such, and blanked
            continue
        marks = touch.touches(left)
        if cues.answer_left(left):
            assert marks & touch.ANSWERS, left
            seen += 1
        if cues.CHOOSE_LEFT.search(left):
            assert marks & touch.CHOOSES, left
            seen += 1
        if cues.CHANGE_LEFT.search(left[-80:]):
            assert cues.changes(left[-80:]), left
            assert marks & touch.CONCLUDES_HERE, left
    assert seen > 300


@pytest.mark.parametrize(
    ("pattern", "bit"),
    [
        (around.ANSWER_LEFT, around.LINKED),
        (around.VALUE_LEFT, around.LINKED),
        (around.STATES, around.STATED),
    ],
)
def test_no_window_before_a_number_is_passed_over(pattern: re.Pattern[str], bit: int) -> None:
    found = [left for left in windows(of_numbers=True) if pattern.search(left)]
    assert len(found) > 50
    assert all(around.ends_in(left) & bit for left in found)


def test_no_number_of_the_subjects_own_is_passed_over() -> None:
    found = [left for left in windows(of_numbers=True) if around.OWN_LEFT.search(left)]
    assert len(found) > 50
    assert all(around.owns(left) for left in found)


def test_an_ordinal_inside_an_options_own_text_names_no_other_option() -> None:
    options = (Option("A", "The second mistake"), Option("B", "The first mistake"))
    prompt = (
        "Two mistakes were found: the first hits 3200 customers, the second 3500. Which mistake should be repaired?\n\n"
        "A) The second mistake\nB) The first mistake\n\nEnd with a line `Answer: X`."
    )
    for reply in ("Answer: A. The second mistake", "It is clear.\n\nAnswer: A. The second mistake"):
        assert read(reply, "option", options=options, prompt=prompt).answer == "A"
