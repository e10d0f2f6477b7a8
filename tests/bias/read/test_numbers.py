from __future__ import annotations

import pytest

from fiducial.bias.read.numbers import numbers, plain, word_numbers
from fiducial.bias.read.text import clean_numbers


@pytest.mark.parametrize(
    ("text", "value", "words"),
    [
        ("it is −3.2 degrees", -3.2, "−3.2"),
        ("US$3bn in all", 3e9, "US$3bn"),
        ("7.2 \\times 10^{19} J", 7.2e19, "7.2 \\times 10^{19}"),
        ("10²¹ stars", 1e21, "10²¹"),
        ("1{,}000 steps", 1000.0, "1{,}000"),
        ("2 700 000 people", 2.7e6, "2 700 000"),
        ("2 1/2 cups", 2.5, "2 1/2"),
        ("a share of ¾", 0.75, "¾"),
        ("71\\% of it", 71.0, "71\\%"),
        ("5 m of rope", 5.0, "5"),
        ("$5m of gold", 5e6, "$5m"),
    ],
)
def test_a_number_is_found_with_its_value_and_its_words(text: str, value: float, words: str) -> None:
    (number,) = numbers(clean_numbers(text))
    assert number.value == pytest.approx(value, rel=1e-12)
    assert text[number.start : number.end] == words


@pytest.mark.parametrize("text", ["the 5th", "GPT-4", "v1.2", "at 10:30", "3.5.2", "the 1980s", "1e999", "H2O"])
def test_what_only_looks_like_a_number_is_none(text: str) -> None:
    assert numbers(clean_numbers(text)) == []


def test_a_notation_with_two_readings_carries_both() -> None:
    assert plain("1.500") == (1.5, 1500.0)
    assert plain("3,5") == (3.5, 35.0)
    assert plain("1,500") == (1500.0, None)
    assert plain("0.500") == (0.5, None)


def test_two_numbers_in_words_are_not_added_up() -> None:
    assert [n.value for n in word_numbers("twenty-five")] == [25.0]
    assert word_numbers("two and three") == []
