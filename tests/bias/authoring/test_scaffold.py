from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from fiducial.bias.authoring.rules import PROOFS, needs
from fiducial.bias.authoring.scaffold import example_item, write_scaffold
from fiducial.bias.authoring.written import bias_yaml, item_yaml
from fiducial.bias.item import DOMAINS
from fiducial.bias.lint import lint, places_to_fill
from fiducial.bias.load import load_bias
from fiducial.bias.own import own_battery
from fiducial.bias.paradigms import PARADIGMS, paradigm
from fiducial.errors import UsageError
from fiducial.model.yaml import load_yaml

EVERY = pytest.mark.parametrize("name", PARADIGMS)


@EVERY
def test_every_scaffold_loads_and_lacks_only_what_is_to_be_filled_in(name: str, tmp_path: Path) -> None:
    path = write_scaffold("my_own", paradigm(name), tmp_path / "mine")
    bias = load_bias(path)
    problems = lint([bias], seeds=200)
    assert [p.problem.split(":")[0] for p in problems] == [
        "name", "family", "about", "mechanism", "override", "positive",
    ]  # fmt: skip
    assert all("to be filled in (TODO" in p.problem and not p.item for p in problems)
    text = path.read_text(encoding="utf-8")
    filled = text.replace("TODO: ", "").replace("TODO", "")
    path.write_text(filled, encoding="utf-8")
    assert lint([load_bias(path)], seeds=5) == []


@EVERY
def test_every_worked_item_explains_its_fields(name: str, tmp_path: Path) -> None:
    text = write_scaffold("my_own", paradigm(name), tmp_path).read_text(encoding="utf-8")
    item = text[text.index("items:") :]
    for field in ("domain", "slots", "text", "answer"):
        (line,) = [line for line in item.splitlines() if line.strip().startswith(f"{field}:")]
        assert "#" in line or field == "answer", line


@EVERY
def test_an_item_written_out_is_the_same_item(name: str) -> None:
    item = example_item(name)
    assert msgspec.convert(load_yaml(item_yaml(item)), type(item)) == item


def test_a_bias_written_out_is_the_same_bias(tmp_path: Path) -> None:
    path = write_scaffold("my_own", paradigm("frame_pair"), tmp_path)
    bias = load_bias(path)
    path.write_text(bias_yaml(bias, "first\nsecond"), encoding="utf-8")
    again = load_bias(path)
    assert again.items == bias.items and again.about == bias.about.strip()
    assert path.read_text(encoding="utf-8").startswith("# first\n# second\n")


def test_nothing_is_overwritten_and_ids_are_checked(tmp_path: Path) -> None:
    path = write_scaffold("my_own", paradigm("anchor"), tmp_path)
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="is there already, and stays as it is"):
        write_scaffold("my_own", paradigm("anchor"), tmp_path)
    assert path.read_text(encoding="utf-8") == "mine"
    for wrong in ("My-Own", "../up", "", "1st", "a" * 81):
        with pytest.raises(UsageError, match="is no id"):
            write_scaffold(wrong, paradigm("anchor"), tmp_path)
    with pytest.raises(UsageError, match="in the packaged battery already"):
        write_scaffold("anchoring_effect", paradigm("anchor"), tmp_path)


def test_every_place_to_fill_is_named_with_the_way_to_it(tmp_path: Path) -> None:
    bias = load_bias(write_scaffold("my_own", paradigm("provable_norm"), tmp_path))
    item = bias.items[0]
    options = [msgspec.structs.replace(item.options[0], text="TODO"), item.options[1]]
    texts = {**item.intensities, "strong": "TODO: say it again"}
    changed = msgspec.structs.replace(item, options=options, intensities=texts)
    found = list(places_to_fill(msgspec.structs.replace(bias, items=[changed])))
    assert [(where, why) for where, why in found if where] == [
        (item.id, "intensities.strong: to be filled in (TODO: say it again)"),
        (item.id, "options[0].text: to be filled in (TODO)"),
    ]


def test_the_rules_name_every_proof_of_every_paradigm() -> None:
    for how in PARADIGMS.values():
        told = "\n".join(needs(how))
        assert how.effect in told and ("intensities" in told) == (
            how.intensities or how.contrast == "single" or how.sides
        )
        assert all(f"{kind}: {PROOFS[kind]}" in told for kind in how.proof)


def test_the_example_that_the_docs_teach_with_passes_the_linter() -> None:
    battery = own_battery([Path(__file__).parents[3] / "examples" / "battery"])
    assert lint(battery.biases.values(), seeds=60) == []
    (bias,) = battery.biases.values()
    assert {item.domain for item in bias.items} == set(DOMAINS)
