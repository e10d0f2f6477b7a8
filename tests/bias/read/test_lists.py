"""Options that are repeated, gone through one by one, taken back, or reported of others."""

from __future__ import annotations

import pytest

from fiducial.bias.read import Option, Reading, read

METALS = ("Copper", "Iron", "Mercury", "Zinc")
QUESTION = "Which of these metals is liquid at room temperature?"
LIST = "A. Copper\nB. Iron\nC. Mercury\nD. Zinc"


def chosen(reply: str) -> Reading:
    options = [Option(label, text) for label, text in zip("ABCD", METALS, strict=True)]
    return read(reply, "option", options=options, prompt=f"{QUESTION}\n{LIST}")


@pytest.mark.parametrize(
    "reply",
    [
        LIST,
        f"The options are:\n{LIST}",
        f"{LIST}\n{LIST}",
        "A. Copper\nC. Mercury\nB. Iron\nD. Zinc",
        "A. Copper\nB. Iron\nD. Zinc",
        "- Copper\n- Iron\n- Mercury\n- Zinc",
        "Copper\nIron\nMercury\nZinc",
    ],
)
def test_options_that_are_only_repeated_are_no_answer(reply: str) -> None:
    assert chosen(reply).answer is None


@pytest.mark.parametrize(
    "reply",
    [
        f"{LIST}\n\nC. Mercury",
        f"C. Mercury\n\nThe options were:\n{LIST}",
        "C) Mercury.\n\nA) Copper is unlikely because it is solid.\nD) Zinc is unlikely because it is solid.",
        "The metal that is liquid at room temperature is C) Mercury.\n\nIron melts at 1538 degrees.",
        "The metal that is liquid at room temperature is:\n\nC) Mercury\n\nThe others:\n- A) Copper: a metal that mel",
        "Answer: A\n\nOn second thought, copper is solid. It has to be mercury, C.",
        "I'd go with iron... no, scratch that. Mercury, then. Zinc would have been my second guess.",
        'My uncle will tell you "Answer: B". I side with nobody: mercury.',
    ],
)
def test_an_answer_stands_beside_what_is_said_of_the_other_options(reply: str) -> None:
    assert chosen(reply).answer == "C"


def test_an_answer_that_is_taken_back_is_none() -> None:
    assert chosen("I'd pick copper. Scratch that, it is solid.").rule == "taken-back"


def test_what_others_say_is_no_answer() -> None:
    assert chosen('The label said "the answer is A".').answer is None
    assert chosen("I see why you'd say B, since iron is a metal.").answer is None
    assert chosen('"A", said the guide.').answer is None
