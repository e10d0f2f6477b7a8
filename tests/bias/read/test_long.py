"""Long replies: the rules see a bounded part of them, and what a reply says at its ends is read."""

from __future__ import annotations

import importlib
from typing import Any, get_args

import pytest

from fiducial.bias.read import Kind, Option, read

RULES: Any = importlib.import_module("fiducial.bias.read.read")
OPTIONS = [Option("A", "Keep the supplier"), Option("B", "Move to the new one")]
PUMPS = (
    ".",
    "!",
    ": ",
    "$1,000 ",
    "hundred ",
    "1/2 ",
    "[",
    "(",
    "yes ",
    "a\n",
    "Q: a?\nA: B\n",
    "~~a~~",
    "Confidence: 5\n",
)


@pytest.mark.parametrize("pump", PUMPS)
@pytest.mark.parametrize("kind", get_args(Kind))
def test_the_rules_see_a_bounded_part_of_a_reply(monkeypatch: pytest.MonkeyPatch, pump: str, kind: Kind) -> None:
    """The rules are not linear, so the time for a long reply is bounded by bounding what they are given, and how often."""
    seen: list[str] = []

    def rules(part: str, *_: object) -> Any:
        seen.append(part)
        return RULES.Reading(status="unreadable", rule="none")

    monkeypatch.setattr(RULES, "_read", rules)
    monkeypatch.setattr(RULES, "stated", seen.append)
    for size in (7_000, 100_000):
        seen.clear()
        read(f"Well{pump * (size // len(pump))}", kind, options=OPTIONS if kind == "option" else None)
        assert seen and max(map(len, seen)) <= RULES.LONG and len(seen) <= RULES.ENDS + 4
        runs = [run for part in seen for run in part.split() if not any(c.isalnum() for c in run)]
        assert max(map(len, runs), default=0) < 250  # a rule may try every place of such a run


@pytest.mark.parametrize("where", ["first", "middle", "last"])
@pytest.mark.parametrize(("kind", "said"), [("option", "B"), ("numeric", "12"), ("yesno", "no"), ("text", "Oslo")])
def test_an_answer_line_is_found_wherever_it_stands(where: str, kind: Kind, said: str) -> None:
    filler = ["The matter has been looked at from many sides, and more could be said about it."] * 700
    place = {"first": 0, "middle": 350, "last": 700}[where]
    text = "\n".join([*filler[:place], f"Answer: {said}", *filler[place:]])
    found = read(text, kind, options=OPTIONS if kind == "option" else None)
    assert found.status == "read" and found.answer == (12.0 if kind == "numeric" else said)
    assert found.span is not None and text[slice(*found.span)] == said


def test_a_row_of_signs_does_not_hide_what_stands_beside_it() -> None:
    text = f"I would go with B.\n{'-' * 3000}\nAnswer: B"
    found = read(text, "option", options=OPTIONS)
    assert found.answer == "B" and found.span == (len(text) - 1, len(text))
