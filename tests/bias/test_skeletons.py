from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from fiducial.bias.item import Bias, ItemSpec
from fiducial.bias.lint import lint
from fiducial.bias.load import load_bias, packaged_battery
from fiducial.bias.skeletons import SAME, Vocabulary, base_words, shared_skeletons, similarity
from tests.bias.made import made, text_of


def all_items() -> Iterator[ItemSpec]:
    for bias in packaged_battery().biases.values():
        yield from bias.items


def exchanged(item: ItemSpec, words: dict[str, str], **changes: str) -> ItemSpec:
    """The item with other words in its text, its control and its options."""

    def put(text: str) -> str:
        return re.sub(r"\b\w+\b", lambda m: words.get(m.group(), m.group()), text)

    assert isinstance(item.control, str)
    options = [msgspec.structs.replace(option, text=put(option.text)) for option in item.options]
    text, control = put(item.text), put(item.control)
    return msgspec.structs.replace(item, text=text, control=control, options=options, **changes)


BLANKET = {
    "knitted": "wooden",
    "blanket": "shelf",
    "sofa": "hall",
    "half": "nearly",
    "pattern": "row",
    "squares": "hooks",
    "basket": "garage",
    "evenings": "mornings",
    "wool": "timber",
    "striped": "painted",
    "stripes": "paint",
    "tonight": "today",
    "warm": "solid",
    "knit": "build",
    "neighbour": "cousin",
    "evening": "morning",
}


def blanket() -> tuple[Bias, ItemSpec]:
    bias = packaged_battery().biases["sunk_cost_fallacy"]
    return bias, next(item for item in bias.items if item.id == "knitted-blanket")


def test_slots_numbers_and_names_are_masked_and_structure_stays(tmp_path: Path) -> None:
    path = tmp_path / "made.yaml"
    path.write_text(text_of("norm", 1).replace("near stop 0", "near Otter Street 14.5"), encoding="utf-8")
    words = " ".join(base_words(load_bias(path).items[0]))
    assert (
        words == "# lives near # # # . # is quiet . which is more probable . . # rents . . # rents and writes . ."
    )


def test_words_that_few_items_use_are_masked_and_runs_of_them_are_one() -> None:
    vocabulary = Vocabulary(all_items())
    assert vocabulary.masked(("the", "zither", "xylophone", "of", "the", "#", ".")) == (
        "the",
        "_",
        "of",
        "the",
        "#",
        ".",
    )


def test_similarity_counts_words_not_masks_and_does_not_depend_on_the_order() -> None:
    first, second = ("the", "_", "of", "#", "."), ("a", "_", "in", "#", ".")
    assert similarity(first, first) == 1.0
    assert similarity(first, second) == similarity(second, first) == 0.0
    half = ("the", "_", "in", "#", ".")
    assert similarity(first, half) == similarity(half, first) == pytest.approx(0.5)
    assert similarity((), ("the",)) == 0.0


def test_no_two_packaged_items_of_a_bias_share_a_skeleton() -> None:
    vocabulary = Vocabulary(all_items())
    for bias in packaged_battery().biases.values():
        assert list(shared_skeletons(bias, vocabulary)) == []


def test_the_same_skeleton_with_other_nouns_is_found_however_many_items_stand_between() -> None:
    bias, item = blanket()
    copy = exchanged(item, BLANKET, id="wooden-shelf", domain="risk")
    assert "{who} would like a wooden shelf for the hall" in copy.text
    copied = msgspec.structs.replace(bias, items=[*bias.items, copy])
    (found,) = shared_skeletons(copied, Vocabulary([*all_items(), copy]))
    assert (found.item, found.other) == ("wooden-shelf", "knitted-blanket")
    assert SAME <= found.similarity <= 1


def test_a_copy_passes_where_both_items_declare_the_skeleton_and_not_where_one_does() -> None:
    bias, item = blanket()
    copy = exchanged(item, BLANKET, id="wooden-shelf", skeleton="two-works")
    vocabulary = Vocabulary([*all_items(), copy])
    one = msgspec.structs.replace(bias, items=[item, copy])
    both = msgspec.structs.replace(bias, items=[msgspec.structs.replace(item, skeleton="two-works"), copy])
    assert [s.item for s in shared_skeletons(one, vocabulary)] == ["wooden-shelf"]
    assert list(shared_skeletons(both, vocabulary)) == []


def test_two_honest_items_in_a_file_of_their_own_are_not_mistaken_for_copies() -> None:
    bias, _ = blanket()
    small = msgspec.structs.replace(bias, id="mine", tier="own", items=bias.items[:2])
    assert lint([small], seeds=1) == []


@pytest.mark.parametrize("kind", ["norm", "anchor"])
def test_a_text_that_equals_another_but_for_its_slots_is_reported_once_an_item(tmp_path: Path, kind: str) -> None:
    said = [str(p) for p in lint([made(tmp_path, kind)], seeds=2)]
    shared = [line for line in said if "shares a skeleton" in line]
    assert len(shared) == 4
    assert shared[0] == (
        f"made_{kind}/item1: shares a skeleton with 'item0' (similarity 1.00): rewrite it or declare skeleton"
    )
