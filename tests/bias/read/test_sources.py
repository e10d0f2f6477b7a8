"""Numbers that stand beside an answer: sources, limits, other measures, earlier guesses."""

from __future__ import annotations

import pytest

from fiducial.bias.read import read


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("71.2 [1]\n\n[1] Statistical Yearbook 2016, p. 40", 71.2),
        ("It is 71.2 (Hansen, 2016).", 71.2),
        ("About 71.2 years [3], [4].\n\nSources: UN 2020, pp. 12-15", 71.2),
        ("See page 40. My answer: 71.2.", 71.2),
        ("[12]", 12.0),  # nothing else is there
        ("The range is 60 to 80; my estimate is [71.2]", 71.2),
    ],
)
def test_a_citation_is_no_answer(reply: str, value: float) -> None:
    assert read(reply, "numeric", prompt="What is the life expectancy?").answer == value


def test_a_limit_beside_an_offer_is_no_answer() -> None:
    question = "What would you pay for the boat?"
    assert read("I'd pay 900 and not go over 1,000.", "numeric", prompt=question).answer == 900
    assert read("I'd rather walk away than pay 1,000.", "numeric", prompt=question).answer is None
    assert read("I wouldn't go over 1,000.", "numeric", prompt="What is the most you would pay?").answer == 1000


def test_the_unit_asked_for_decides_between_numbers() -> None:
    question = "How fast is the ferry in km/h?"
    assert read("It does 30 knots, about 56 km/h, and is 90 m long.", "numeric", prompt=question).answer == 56
    assert read("56 km/h, with 400 passengers aboard.", "numeric", prompt=question).answer == 56


def test_what_is_counted_decides_between_numbers() -> None:
    question = "How many pupils does the school have?"
    assert read("There are 410 pupils and 31 teachers.", "numeric", prompt=question).answer == 410
    assert read("410 pupils, of whom 52% are girls.", "numeric", prompt=question).answer == 410


def test_a_score_out_of_a_whole_is_the_score_and_a_chance_is_a_share() -> None:
    assert read("3 out of 5 stars", "numeric", prompt="How many stars out of 5?").answer == 3
    assert read("3 out of 5", "numeric", prompt="What is the chance of drawing red?").answer == pytest.approx(0.6)


def test_a_revised_guess_replaces_the_earlier_one() -> None:
    assert read("I'd raise my earlier 70 to 85.", "numeric", prompt="How many?").answer == 85
    assert read("They raised the fee from 70 to 85.", "numeric", prompt="How many?").status == "ambiguous"


def test_several_values_that_nothing_decides_between_are_ambiguous() -> None:
    assert read("x = 6 or x = -6", "numeric", prompt="Solve x^2 = 36.").status == "ambiguous"
    assert (
        read("One count says 6, the other 9, and nothing tells us which is right.", "numeric").status == "ambiguous"
    )
    assert read("x = 6 or x = -6; as x is a length, x = 6.", "numeric", prompt="Solve x^2 = 36.").answer == 6
