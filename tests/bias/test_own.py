from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from fiducial.bias.load import packaged_battery
from fiducial.bias.own import check_own, own_battery, with_own
from fiducial.bias.run import BiasOptions, choose, prepare_run
from fiducial.errors import UsageError
from tests.bias.made import text_of


def own(folder: Path, kind: str = "norm", name: str = "mine.yaml", **changes: str) -> Path:
    """A file of one's own: five items that are alike and say so."""
    text = text_of(kind).replace("tier: core", "tier: own").replace("  - id:", "  - skeleton: made\n    id:")
    for before, after in changes.items():
        assert before in text
        text = text.replace(before, after)
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_own_biases_stand_beside_the_packaged_ones_with_the_hash_of_their_files(tmp_path: Path) -> None:
    path = own(tmp_path / "mine", name="deep/er.yml")
    battery = with_own([tmp_path / "mine"])
    assert set(battery.biases) == {*packaged_battery().biases, "made_norm"}
    assert battery.own["made_norm"].name == "deep/er.yml"
    assert battery.own["made_norm"].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert with_own([]) is packaged_battery()
    assert list(with_own([path, tmp_path / "mine"]).own) == ["made_norm"]


def test_a_taken_id_is_refused_with_both_files(tmp_path: Path) -> None:
    own(tmp_path, name="a.yaml", made_norm="anchoring_effect")
    with pytest.raises(UsageError, match=r"a\.yaml: .*'anchoring_effect'.*packaged.*\(anchoring_effect\.yaml\)"):
        with_own([tmp_path])
    assert list(own_battery([tmp_path]).biases) == ["anchoring_effect"]
    own(tmp_path, name="b.yaml", made_norm="anchoring_effect")
    with pytest.raises(UsageError, match=r"b\.yaml: .* is in a\.yaml already"):
        own_battery([tmp_path])


def test_places_without_a_bias_file_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no bias file"):
        with_own([tmp_path])
    with pytest.raises(UsageError, match="no such file or folder"):
        with_own([tmp_path / "nowhere"])
    (tmp_path / "x.yaml").write_text("id: Not An Id\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"x\.yaml"):
        with_own([tmp_path])


def test_a_run_with_items_that_the_linter_rejects_is_refused_with_file_item_and_reason(tmp_path: Path) -> None:
    own(tmp_path, name="mine.yaml", **{"reads very much": "reads much"})
    battery = with_own([tmp_path])
    with pytest.raises(UsageError, match=r"mine\.yaml, item item0: the intensities 'moderate' and 'strong'"):
        prepare_run(battery, BiasOptions(model="sim/coin"))
    check_own(battery, battery.select(["anchoring_effect"]))  # what is not run is not asked about


def test_own_biases_run_with_the_tiers_ones_and_whole(tmp_path: Path) -> None:
    own(tmp_path)
    battery = with_own([tmp_path])
    core = {bias.id for bias in packaged_battery().biases.values() if bias.tier == "core"}
    for tier, packaged in (("quick", core), ("core", core), ("own", set())):
        chosen = choose(battery, BiasOptions(model="sim/coin", tier=tier))
        assert {bias.id for bias in chosen} == {*packaged, "made_norm"}
        assert len(next(bias for bias in chosen if bias.id == "made_norm").items) == 5
    only = choose(battery, BiasOptions(model="sim/coin", biases=("anchoring_effect",)))
    assert [bias.id for bias in only] == ["anchoring_effect"]
    with pytest.raises(UsageError, match="--tier own: there are none"):
        choose(packaged_battery(), BiasOptions(model="sim/coin", tier="own"))


def test_the_run_says_what_it_was_made_of(tmp_path: Path) -> None:
    path = own(tmp_path)
    options = BiasOptions(model="sim/coin", tier="own", trials=1)
    prepared = prepare_run(with_own([tmp_path]), options, out=tmp_path / "run.db")
    made_of = prepared.meta["provenance"]["battery"]  # type: ignore[index]
    assert made_of["made_norm"].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    plain = prepare_run(packaged_battery(), BiasOptions(model="sim/coin"), out=tmp_path / "other.db")
    assert "battery" not in plain.meta["provenance"]  # type: ignore[operator]
