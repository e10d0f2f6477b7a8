"""Choosing, applying and checking flaws: on the documents that ship, for many seeds."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.errors import UsageError
from fiducial.review.plant.markdown import read
from fiducial.review.plant.operators import OPERATORS
from fiducial.review.plant.variant import Variant, plant, plant_many
from tests.review.plant.support import DATASETS, LENDING, undo

IDS = [path.parent.name for path in DATASETS]


def check(original: str, variant: Variant) -> None:
    """Everything that is promised of a variant."""
    assert undo(variant) == original
    before, after = read(original), read(variant.text)
    rest = iter(after.kept)
    assert all(any(part == kept for kept in rest) for part in before.kept)
    assert [table.header for table in after.tables] == [table.header for table in before.tables]
    for first, second in zip(variant.flaws, variant.flaws[1:], strict=False):
        assert first.original_place.end <= second.original_place.start
        assert first.place.end <= second.place.start
    for flaw in variant.flaws:
        assert OPERATORS[flaw.operator].verify(variant.text, flaw)
        assert not OPERATORS[flaw.operator].verify(original, flaw)
        assert all(quotation in variant.text for quotation in flaw.evidence)
        for text, place, words in (
            (variant.text, flaw.place, flaw.changed),
            (original, flaw.original_place, flaw.original),
        ):
            assert text[place.start : place.end] == words
            line = text.replace("\r\n", " \n").split("\n")[place.line - 1]
            assert line[place.column - 1 :].startswith(words.partition("\n")[0].rstrip("\r"))


def test_three_documents_ship() -> None:
    assert len(DATASETS) >= 3


@pytest.mark.parametrize("path", DATASETS, ids=IDS)
@pytest.mark.parametrize("seed", range(20))
def test_every_flaw_is_in_the_variant_and_not_in_the_original(path: Path, seed: int) -> None:
    original = path.read_bytes().decode("utf-8")
    variant = plant(original, seed=seed, count=8)
    assert len(variant.flaws) == 8
    assert len({flaw.operator for flaw in variant.flaws}) == 8
    check(original, variant)


@pytest.mark.parametrize("path", DATASETS, ids=IDS)
def test_as_many_flaws_as_there_is_room_for_do_not_undo_each_other(path: Path) -> None:
    original = path.read_bytes().decode("utf-8")
    variant = plant(original, seed=1, count=1_000)
    assert len(variant.flaws) >= 30
    check(original, variant)


@pytest.mark.parametrize("path", DATASETS, ids=IDS)
def test_line_breaks_stay_as_they_are(path: Path) -> None:
    original = path.read_bytes().decode("utf-8").rstrip("\n").replace("\n", "\r\n")
    variant = plant(original, seed=3, count=16)
    check(original, variant)
    assert variant.text.count("\n") == variant.text.count("\r\n")
    assert not variant.text.endswith("\n")


def test_the_same_seed_gives_the_same_bytes_and_another_seed_another_variant() -> None:
    first, again, other = (plant(LENDING, seed=seed, count=4) for seed in (7, 7, 8))
    assert first == again
    assert first.text != other.text


def test_a_variant_is_fixed_for_good() -> None:
    # Planted sets are cited by seed: a change of these bytes is a change that users must be told of.
    (flaw,) = plant(LENDING, seed=1, count=1, operators=["broken-reference"]).flaws
    assert (flaw.id, flaw.changed, flaw.place.line) == ("broken-reference-c726ae99", "S-8", 60)


def test_one_flaw_in_a_variant() -> None:
    variant = plant(LENDING, seed=1, count=1)
    assert len(variant.flaws) == 1
    check(LENDING, variant)


def test_kinds_are_spread_before_one_is_used_twice() -> None:
    variant = plant(LENDING, seed=1, count=10)
    assert len({flaw.operator for flaw in variant.flaws}) == len(variant.flaws)


def test_several_variants_differ_while_there_is_material() -> None:
    made = plant_many(LENDING, seed=1, count=2, variants=4, operators=["two-owners", "broken-reference"])
    places = [(flaw.operator, flaw.original_place.start) for variant in made for flaw in variant.flaws]
    broken = [place for operator, place in places if operator == "broken-reference"]
    assert len(broken) == len(set(broken))
    assert made[0] == plant(LENDING, seed=1, count=2, operators=["two-owners", "broken-reference"])


def test_ids_are_unique_within_a_variant() -> None:
    flaws = plant(LENDING, seed=1, count=100).flaws
    assert len({flaw.id for flaw in flaws}) == len(flaws)


def test_what_cannot_be_shown_is_dropped_and_said() -> None:
    # Two tables with the same steps: a row missing from one is still defined by the other.
    table = "| Id | Step | Needs |\n|---|---|---|\n" + "".join(f"| S-{k} | do | S-{k - 1} |\n" for k in range(1, 6))
    variant = plant(f"{table}\n{table}", seed=1, count=5, operators=["missing-requirement"])
    assert variant.flaws == ()
    assert {dropped.reason for dropped in variant.dropped} == {"it cannot be shown in the variant"}


def test_an_unknown_operator_is_refused_with_the_names_of_those_there_are() -> None:
    with pytest.raises(UsageError, match="no operator is called 'typo'; there are number-conflict, "):
        plant(LENDING, seed=1, count=1, operators=["typo"])


@pytest.mark.parametrize("text", ["", "\n", "x", "# \n", "R-01", "|", "```", "---\n", "\ufeff"])
def test_a_tiny_document_is_returned_as_it_is(text: str) -> None:
    variant = plant(text, seed=1, count=5)
    assert variant.text == text
    assert variant.flaws == ()
    assert variant.without_place == tuple(OPERATORS)
