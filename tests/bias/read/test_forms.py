"""What the reader makes of the form of a reply: markup, forms left empty, signatures, words asked for at once."""

from __future__ import annotations

import pytest

from fiducial.bias.read import Option, read
from fiducial.bias.read.described import described
from fiducial.bias.read.echoes import repeats, unfilled
from fiducial.bias.read.lexicon import lexicon
from fiducial.bias.read.returns import first_said
from fiducial.bias.read.text import own_turn, vocabulary, without_markup

PLANS = [
    Option("A", "Basic plan, 8 euros"),
    Option("B", "Family plan, 14 euros"),
    Option("C", "Gold plan, 21 euros, with insurance"),
]


@pytest.mark.parametrize("text", ["<p>Not <b>A</b>.</p><br/>B", "a < b and b > c", "<answer>B</answer>", "<i>x"])
def test_markup_is_blanked_without_moving_a_letter(text: str) -> None:
    plain = without_markup(text)
    assert len(plain) == len(text)
    for before, after in zip(text, plain, strict=True):
        assert after in (before, " ", "\n")


def test_the_tags_of_an_answer_stay() -> None:
    assert without_markup("<answer>B</answer>") == "<answer>B</answer>"


@pytest.mark.parametrize("line", ["Answer: <number>", "**Answer:** [your answer]", "Answer: ___", "Answer: …"])
def test_a_form_that_was_left_empty_is_no_answer(line: str) -> None:
    assert unfilled(f"About 40 to 60.\n{line}") == len("About 40 to 60.\n")
    assert read(f"It could be 40, it could be 60.\n{line}", "numeric").answer is None


@pytest.mark.parametrize("line", ["Answer: 40", "Answer: B", "Answer: <B>", "Answer: [X]", "Answer: (option B)"])
def test_a_form_that_was_filled_in_is_one(line: str) -> None:
    assert unfilled(line) is None


def test_only_the_instruction_itself_is_an_echo() -> None:
    prompt = "Is it raining? Finish with Answer: yes or Answer: no."
    assert repeats("Finish with Answer: yes or Answer: no.", prompt)
    assert not repeats("Finish the roof first.", prompt)
    assert not repeats("Answer: yes", prompt)
    assert not repeats("Give the money back now", "What do you do? (A) Give the money back now, (B) Keep it.")


def test_a_reply_that_comes_back_is_read_from_its_beginnings() -> None:
    reply = "B. Hmm, or A? No, my first answer was right."
    assert next(iter(first_said(reply))) == "B."
    assert not list(first_said("B. My first answer was wrong."))


def test_a_name_under_a_letter_is_no_option() -> None:
    assert own_turn("I'd take the first.\n\nBest regards,\nB. Mori") == "I'd take the first.\n"
    assert own_turn("Best of all,\nB") == "Best of all,\nB"


def test_the_vocabulary_has_every_run_of_letters_once() -> None:
    assert vocabulary("don't (go), 2 go") == {"don", "t", "go", "2"}
    assert "größe" in vocabulary("die größe, bitte")


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("the cheapest", "A"),
        ("the most expensive one", "C"),
        ("the one without insurance", None),
        ("the cheaper one", None),
    ],
)
def test_an_option_is_described_only_where_that_is_plain(said: str, label: str | None) -> None:
    found = described(f"i'd take {said}.", [], lexicon(PLANS, None))
    assert [m.label for m in found] == ([label] if label else [])
