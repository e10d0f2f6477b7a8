"""What the loader and the linter say of a chain that is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.bias.lint import lint
from fiducial.bias.load import load_bias
from fiducial.errors import UsageError
from tests.bias.made import text_of

ANSWER = "    answer: {kind: option}\n"
CHAIN = """    chain:
      - follows:
          rational: "You said that {who} rents. A month went by."
          biased: "You said that {who} rents, with pen and paper. A month went by."
          "": "A month went by."
        text: "Now {who} wants a desk. Which one?"
        options:
          - {role: rational, text: "A bare one"}
          - {role: biased, text: "One with ink on it"}
"""


def made_chain(folder: Path, *changes: tuple[str, str], kind: str = "norm") -> Path:
    """A made bias whose items all have a chain of one further decision, changed here and there."""
    text = text_of(kind).replace("tier: core", "tier: own").replace("  - id:", "  - skeleton: made\n    id:")
    text = text.replace(ANSWER, ANSWER + CHAIN)
    for change in changes:
        assert change[0] in text
        text = text.replace(*change)
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def linted(folder: Path, *changes: tuple[str, str]) -> list[str]:
    return [str(p) for p in lint([load_bias(made_chain(folder, *changes))], seeds=3)]


def test_a_good_chain_is_clean(tmp_path: Path) -> None:
    assert linted(tmp_path) == []


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            ('{role: biased, text: "One with', '{role: bias, text: "One with'),
            r"item item0: chain\[0\].options: give exactly the roles of the item's options, biased, rational",
        ),
        (
            ('          - {role: biased, text: "One with ink on it"}\n', ""),
            r"item item0: chain\[0\].options",
        ),
        (
            ('          "": "A month went by."\n', ""),
            r'item item0: chain\[0\].follows: .* and one for "", the answer that could not be read',
        ),
        (
            ('          biased: "You said', '          other: "You said'),
            r"item item0: chain\[0\].follows: give a text for each of the roles biased, rational",
        ),
        (('        text: "Now', '        words: "Now'), r"item item0: .*unknown field `words`"),
    ],
)
def test_the_loader_refuses_a_chain_that_cannot_be_asked(
    tmp_path: Path, change: tuple[str, str], complaint: str
) -> None:
    with pytest.raises(UsageError, match=complaint):
        load_bias(made_chain(tmp_path, change))


def test_nothing_can_follow_from_a_number(tmp_path: Path) -> None:
    path = made_chain(tmp_path, ("    scale: [low, high]\n", "    scale: [low, high]\n" + CHAIN), kind="anchor")
    with pytest.raises(UsageError, match=r"item item0: chain: what follows hangs on the option chosen"):
        load_bias(path)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("wants a desk", "wants {what}"), "the slot 'what' is never filled"),
        (('A month went by."\n        text', '{span}"\n        text'), "the slot 'span' is never filled"),
        (("wants a desk", "reads at a desk"), "chain[0]: says 'reads', which is a word of the trigger"),
        (("A bare one", "A day bed"), "chain[0]: says 'day', which is a word of the trigger"),
        (("wants a desk", "has a fallacy"), "chain[0] says 'fallacy'"),
        (("wants a desk", "wants a desk ,  too"), "chain[0] has ' , ' left in its text"),
        (('"": "A month', '"": "With a pen, a month'), "the text for an unread answer says 'pen'"),
        (('"": "A month went by."', '"": "You said that {who} rents. A month went by."'), "the same text"),
        (("One with ink on it", "One with ink on it" + " and on the floor" * 6), "far longer than another"),
    ],
)
def test_the_linter_rejects(tmp_path: Path, change: tuple[str, str], complaint: str) -> None:
    problems = linted(tmp_path, change)
    assert any(complaint in problem for problem in problems), problems
    assert all(problem.startswith("made_norm/item") for problem in problems)


def test_a_word_of_both_texts_gives_nothing_away(tmp_path: Path) -> None:
    assert linted(tmp_path, ('"": "A month', '"": "You said something. A month')) == []


def test_a_word_of_each_of_two_sides_is_neutral_and_a_word_of_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "sides.yaml"
    head = (
        text_of("norm").split("items:")[0].replace("provable_norm", "label_swap").replace("tier: core", "tier: own")
    )
    texts = {"weak": "may be", "moderate": "are", "strong": "are all", "adversarial": "are all, all"}
    spans = "\n".join(f'      {name}: {{up: "{how} kept", down: "{how} lost"}}' for name, how in texts.items())
    item = f"""items:
  - id: boxes
    domain: risk
    text: "Of twelve boxes some {{span}}. What do you do?"
    sides: {{up: {{}}, down: {{}}}}
    intensities:
{spans}
    options: [{{role: go, text: "Go."}}, {{role: stay, text: "Stay."}}]
    target: go
    answer: {{kind: option}}
    chain:
      - follows: {{go: "You went.", stay: "You stayed.", "": "An hour passed."}}
        text: "Of six more boxes four are kept and two are lost. What do you do?"
        options: [{{role: go, text: "Go."}}, {{role: stay, text: "Stay."}}]
"""
    path.write_text(head + item, encoding="utf-8")
    assert lint([load_bias(path)], seeds=2) == []
    path.write_text(head + item.replace("four are kept and two are lost", "four are kept"), encoding="utf-8")
    (problem,) = lint([load_bias(path)], seeds=2)
    assert str(problem) == "made_norm/boxes: chain[0]: says 'kept', which is a word of the trigger"


def test_words_of_the_trigger_in_a_row_are_a_quotation(tmp_path: Path) -> None:
    label = ("{who} is quiet.", "{who} is not the one that is on it.")
    strong = ("{who} reads very much.", "{who} is the one that is on it.")
    repeated = ("Now {who} wants a desk.", "Now {who} is the one that wants a desk.")
    (problem, *_) = linted(tmp_path, label, strong, repeated)
    assert "chain[0]: repeats the trigger: '{who} is the one that'" in problem
