"""What the linter says of a paraphrase that is none."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from fiducial.bias.block import make_block
from fiducial.bias.item import DOMAINS
from fiducial.bias.lint import lint
from fiducial.bias.load import load_bias, packaged_battery
from fiducial.bias.paraphrases import ALIKE, similarity
from fiducial.bias.run import BiasOptions, choose
from tests.bias.made import text_of

CONTROL = '    control: "{who} is quiet."\n'
OTHER = """    paraphrase: |
      Think of somebody whose home is close to stop 0, 1, 2, 3 or 4. {span} The name is {who}. What is likelier?
"""


def linted(folder: Path, *changes: tuple[str, str], paraphrase: str = OTHER) -> list[str]:
    """The problems of a made bias whose first item has a paraphrase."""
    text = text_of("norm", items=1).replace("tier: core", "tier: own").replace(CONTROL, paraphrase + CONTROL)
    text = text.replace("lives near stop 0", "lives near stop 0, 1, 2, 3 or 4")
    for change in changes:
        assert change[0] in text
        text = text.replace(*change)
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return [str(p) for p in lint([load_bias(path)], seeds=3)]


def test_a_good_paraphrase_is_clean(tmp_path: Path) -> None:
    assert linted(tmp_path) == []


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ((". {span} The", ". The"), "has {span} not at all, the text has it once"),
        ((". {span} The", ". {span} {span} The"), "has {span} 2 times, the text has it once"),
        (("The name is {who}.", "There is a name."), "leaves out {who}, which the text has"),
        (("close to stop 0, 1, 2, 3 or 4", "close to stop 0, 1, 2 or 4"), "leaves out 3, which the text has"),
        (("The name is {who}.", "The name is {who}, of 30."), "adds 30, which the text does not have"),
        (("The name is {who}.", "The name is {who}, of seven."), "adds 7, which the text does not have"),
        (("The name is {who}.", "The name is {who}, not {whom}."), "the slot 'whom' is never filled"),
        (("The name is {who}.", "Remember {who}."), "says 'remember', which the text does not"),
        (("The name is {who}.", "The cognitive {who}."), "paraphrase: arm 'weak' says 'cognitive'"),
        (("What is likelier?", "{who} writes. What is likelier?"), "paraphrase: proof fails (first at seed 0)"),
    ],
)
def test_the_linter_rejects(tmp_path: Path, change: tuple[str, str], complaint: str) -> None:
    problems = linted(tmp_path, change)
    assert any(complaint in problem for problem in problems), problems
    assert all(problem.startswith("made_norm/item0: ") for problem in problems)


def test_numbers_may_be_spelt_another_way(tmp_path: Path) -> None:
    assert linted(tmp_path, ("close to stop 0, 1, 2, 3 or 4", "close to stop 0, 1, 2, three or four")) == []


def test_the_text_with_a_word_exchanged_is_no_paraphrase(tmp_path: Path) -> None:
    same = (
        "    paraphrase: |\n      {who} dwells near stop 0, 1, 2, 3 or 4. {span}\n      Which is more probable?\n"
    )
    (problem,) = linted(tmp_path, paraphrase=same)
    assert "is the text over again (similarity 0.9" in problem


def test_similarity_does_not_depend_on_the_order_and_is_one_for_a_text_itself() -> None:
    assert similarity("a b {c} 4", "A b {c} 4") == 1
    assert similarity("one two three", "three two one") == similarity("three two one", "one two three") < ALIKE
    assert similarity("", "") == 1 and similarity("a", "") == 0


def test_the_items_of_the_quick_tier_have_paraphrases_in_every_domain() -> None:
    options = BiasOptions(model="sim/coin", tier="quick")
    for bias in choose(packaged_battery(), options):
        if bias.id != "overconfidence_effect":
            found = Counter(item.domain for item in bias.items if item.paraphrase)
            assert found == dict.fromkeys(DOMAINS, 1), bias.id


def test_a_paraphrase_keeps_what_is_marked_in_every_arm() -> None:
    for bias in packaged_battery().select(tier="core"):
        for item in bias.items:
            block = make_block(bias, item, seed=11)
            for name, text in block.rephrased.items():
                arm = block.arms[name]
                for place in arm.marked:
                    shown = " ".join(place.split())
                    assert (shown in " ".join(text.split())) == (shown in " ".join(arm.text.split())), (
                        block.id,
                        name,
                    )
