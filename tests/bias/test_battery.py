from __future__ import annotations

import string
from pathlib import Path

import msgspec
import pytest

from fiducial.bias import load
from fiducial.bias.block import ChoiceKey, ScaleKey, contract, make_block, render, truth
from fiducial.bias.item import METHODS, Bias
from fiducial.bias.lint import lint
from fiducial.bias.load import Battery, Shelf, load_bias, packaged_battery, packaged_files
from fiducial.bias.source import battery_source
from fiducial.errors import UsageError
from tests.bias.made import made, text_of


def load_text(folder: Path, text: str) -> object:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return load_bias(path)


def test_the_core_biases_pass_their_linter() -> None:
    """`make lint` does it for all of them, and 200 seeds."""
    core = [bias for bias in packaged_battery().biases.values() if bias.tier == "core"]
    assert [str(p) for p in lint(core, seeds=1)] == []


def test_every_packaged_bias_has_an_item_in_every_domain() -> None:
    for bias in packaged_battery().biases.values():
        assert {i.domain for i in bias.items} == {"individual", "professional", "social", "temporal", "risk"}, (
            bias.id
        )


def test_the_same_seed_gives_the_same_block_and_another_a_fresh_one(tmp_path: Path) -> None:
    bias = made(tmp_path, "anchor")
    assert make_block(bias, bias.items[0], seed=3) == make_block(bias, bias.items[0], seed=3)
    assert len({make_block(bias, bias.items[0], seed=s).hash for s in range(20)}) > 5


def test_arms_of_a_block_differ_in_the_marked_span_and_nowhere_else() -> None:
    """Long places are taken out as they stand; a place of a word or two, such as a number, may stand elsewhere too, so its
    words are taken out of all arms."""
    for bias in packaged_battery().biases.values():
        for item in bias.items:
            block = make_block(bias, item, seed=5)
            arms = [arm for arm in block.arms.values() if arm.column not in METHODS]
            short = {
                word for arm in arms for place in arm.marked if len(place.split()) < 3 for word in _words(place)
            }
            left = set()
            for arm in arms:
                text = render(block, arm, 0).text
                for place in sorted(arm.marked, key=len, reverse=True):
                    if len(place.split()) >= 3:
                        text = text.replace(place, " ")
                left.add(tuple(word for word in _words(text) if word not in short))
            assert len(left) == 1, block.id


def _words(text: str) -> list[str]:
    return text.translate(str.maketrans("", "", string.punctuation)).split()


def test_every_option_stands_in_every_place_once(tmp_path: Path) -> None:
    for bias in (made(tmp_path, "norm"), packaged_battery().biases["gain_loss_framing"]):
        block = make_block(bias, bias.items[0], seed=1)
        arm = next(iter(block.arms.values()))
        layouts = [[c.role for c in render(block, arm, o).choices] for o in range(block.orders())]
        for place in zip(*layouts, strict=True):
            assert sorted(place) == sorted(layouts[0])


def test_the_key_belongs_to_the_arm_and_follows_roles_not_letters(tmp_path: Path) -> None:
    bias = made(tmp_path, "norm")
    block = make_block(bias, bias.items[0], seed=1)
    for order in range(2):
        prompt = render(block, block.arms["weak"], order)
        told = truth(block, block.arms["weak"], prompt, 0)
        (counted,) = [c for c in told.choices if c.role == told.biased]
        assert "writes" in counted.text
    assert block.arms["control"].sign == -1 and block.arms["weak"].sign == 1
    assert isinstance(block.arms["weak"].key, ChoiceKey)


def test_anchors_pull_from_both_sides_of_a_baseline(tmp_path: Path) -> None:
    bias = made(tmp_path, "anchor")
    block = make_block(bias, bias.items[0], seed=1)
    assert {a.name: a.sign for a in block.arms.values() if a.column in ("control", "strong")} == {
        "control": 0,
        "strong/high": 1,
        "strong/low": -1,
    }
    key = block.arms["strong/high"].key
    assert isinstance(key, ScaleKey)
    assert f"says {key.toward:g}" in block.arms["strong/high"].text
    assert f"says {key.away:g}" in block.arms["strong/low"].text
    assert "says" not in block.arms["control"].text


def test_all_prompts_end_with_the_one_contract_of_their_kind(tmp_path: Path) -> None:
    source = battery_source([made(tmp_path, "norm"), made(tmp_path, "anchor")], seed=1)
    for trial in source.trials(repetitions=1):
        block, _ = source.arm(trial)
        said = source.request(trial).messages[-1].text
        assert said.endswith(contract(block.kind).replace("{unit}", block.unit))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("domain: social", "domain: sociable"), r"made.yaml, item item2: Invalid enum value 'sociable'"),
        (("  - id: item1", "  - id: item1\n    extra: 1"), r"item item1: Object contains unknown field `extra`"),
        (("paradigm: provable_norm", "paradigm: provable"), r"paradigm 'provable' is not known"),
        (('    control: "{who} is quiet."\n', ""), r"item item0: control: missing"),
        (("{role: rational", "{role: biased"), r"item item0: options"),
        (("kind: set_inclusion", "kind: wishful"), r"item item0: Invalid enum value 'wishful'"),
        (("id: made_norm", "id: made_norm\nid: twice"), r"mine.yaml.*id"),
        (("items:", "items: ["), r"mine.yaml"),
    ],
)
def test_an_error_in_a_file_names_file_item_field_and_reason(
    tmp_path: Path, change: tuple[str, str], complaint: str
) -> None:
    text = text_of("norm").replace(*change)
    with pytest.raises(UsageError, match=complaint.replace("made.yaml", "mine.yaml")):
        load_text(tmp_path, text)


def lint_text(folder: Path, kind: str, *changes: tuple[str, str]) -> str:
    """The made items are few and alike: here they say so, and only what was changed is wrong with them."""
    text = text_of(kind).replace("tier: core", "tier: own").replace("  - id:", "  - skeleton: made\n    id:")
    for change in changes:
        assert change[0] in text
        text = text.replace(*change)
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return "\n".join(str(p) for p in lint([load_bias(path)], seeds=40))


@pytest.mark.parametrize(
    ("kind", "change", "complaint"),
    [
        ("norm", ("{who} is quiet", "{whom} is quiet"), "slot 'whom' is never filled"),
        ("norm", ("reads very much", "reads much"), "'moderate' and 'strong' are the same text"),
        ("norm", ("reads all day", "shows a bias"), "says 'bias'"),
        ("norm", ("reads all day", "writes all day"), "states the extra event 'writes' itself"),
        ("norm", ("rents and writes", "rents and reads"), "does not say 'writes'"),
        ("norm", ("biased: [rents, writes]", "biased: [writes]"), "not a proper part"),
        ("norm", ("{who} lives", "Linda and {who} live"), "textbook story"),
        ("norm", ("id: item1", "id: item0"), "used twice"),
        ("norm", ("skeleton: made\n    id: item1", "id: item1"), "item1: shares a skeleton with 'item0'"),
        ("norm", ("{who} is quiet", "Remember, {who} is quiet"), "the control says 'remember'"),
        ("anchor", ('control: ""', 'control: "Cars are\\n many on  average."'), "the control says 'on average'"),
        ("norm", ("tier: own", "tier: core"), "made_norm: the core tier needs at least 15 items; there are 5"),
        ("norm", ("tier: own", "tier: core"), "at least 3 items in domain social; there are 1"),
        ("anchor", ('{calc: "low * 5"}', "{int: [15, 600]}"), "not inside"),
        ("anchor", ('{calc: "low * 5"}', '{calc: "low / 7"}'), "cannot be written"),
        ("anchor", ('{calc: "low * 5"}', '{calc: "lo * 5"}'), "'lo' is not a number slot"),
    ],
)
def test_the_linter_rejects(tmp_path: Path, kind: str, change: tuple[str, str], complaint: str) -> None:
    assert complaint in lint_text(tmp_path, kind, change)


def test_made_batteries_are_clean(tmp_path: Path) -> None:
    for kind in ("norm", "anchor"):
        assert lint_text(tmp_path, kind) == ""


def test_a_hint_that_stands_in_every_arm_is_none(tmp_path: Path) -> None:
    assert lint_text(tmp_path, "norm", ("{who} lives", "Remember that {who} lives")) == ""


def test_core_calibration_needs_sixty_questions_twelve_a_stratum() -> None:
    bias = packaged_battery().biases["overconfidence_effect"]
    items = [item for item in bias.items if item.stratum != 2][:40]
    said = {str(p) for p in lint([msgspec.structs.replace(bias, items=items)], seeds=1)}
    assert "overconfidence_effect: the core tier needs at least 60 items; there are 40" in said
    assert "overconfidence_effect: the core tier needs at least 12 items in stratum 2; there are 0" in said
    assert not any("domain" in line for line in said)


def test_an_unknown_bias_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="anchoring_effect"):
        packaged_battery().select(["anchoring"])


def test_every_packaged_file_is_named_after_its_bias_in_the_folder_of_its_tier() -> None:
    battery = packaged_battery()
    assert {(bias.id, bias.tier) for bias in battery.biases.values()} == set(battery.tiers.items())


def test_a_file_of_the_battery_with_another_name_is_refused(tmp_path: Path) -> None:
    made(tmp_path, "norm")
    (tmp_path / "other.yaml").write_text(text_of("norm"))
    with pytest.raises(UsageError, match=r"other\.yaml: its id is 'made_norm'"):
        Shelf({"other": tmp_path / "other.yaml"})["other"]


def test_one_bias_is_read_without_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def noted(path: Path) -> Bias:
        read.append(path.stem)
        return load_bias(path)

    monkeypatch.setattr(load, "load_bias", noted)
    battery = Battery(Shelf(packaged_files()), tiers=packaged_battery().tiers)
    assert [bias.id for bias in battery.select(["anchoring_effect"])] == ["anchoring_effect"]
    assert read == ["anchoring_effect"]
    assert len(battery.select(tier="core")) == len(read) == 15
