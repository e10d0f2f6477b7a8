"""Variants as files."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from fiducial.errors import UsageError
from fiducial.review.dataset import MUST_FIND, load_dataset
from fiducial.review.frozen import gone
from fiducial.review.plant.flaw import Flaw
from fiducial.review.plant.variant import plant_many
from fiducial.review.plant.write import read_document, write_variants
from tests.review.plant.support import LENDING


def test_each_variant_stands_beside_its_flaws_byte_for_byte(tmp_path: Path) -> None:
    made = plant_many(LENDING.replace("\n", "\r\n"), seed=1, count=3, variants=2)
    files = write_variants(made, tmp_path / "deep" / "out")
    assert [file.parent.name for file in files] == ["variant-01", "variant-02"]
    for file, variant in zip(files, made, strict=True):
        assert file.read_bytes().decode() == variant.text
        lines = file.with_name(MUST_FIND).read_bytes().splitlines()
        assert tuple(msgspec.json.decode(line, type=Flaw) for line in lines) == variant.flaws
    assert sorted(p.name for p in (tmp_path / "deep" / "out").iterdir()) == ["variant-01", "variant-02"]


def test_what_is_written_is_a_dataset_whose_must_finds_are_there_by_construction(tmp_path: Path) -> None:
    made = plant_many(LENDING, seed=1, count=3, variants=2)
    write_variants(made, tmp_path / "out", review_type="requirements")
    dataset = load_dataset(tmp_path / "out")
    assert [d.id for d in dataset.documents] == ["variant-01", "variant-02"]
    for document, variant in zip(dataset.documents, made, strict=True):
        assert document.frozen_hash and not document.changed and document.review_type == "requirements"
        assert [item.id for item in document.must_find or ()] == [flaw.id for flaw in variant.flaws]
        assert all(item.planted for item in document.must_find or ())
        assert gone(document.must_find or (), document.text) == []


def test_a_record_can_be_used_as_a_must_find(tmp_path: Path) -> None:
    (file,) = write_variants(plant_many(LENDING, seed=1, count=4, variants=1), tmp_path / "out")
    for line in file.with_name(MUST_FIND).read_bytes().splitlines():
        row = msgspec.json.decode(line)
        assert {"id", "title", "issue", "severity", "min_recall", "evidence"} <= set(row)
        assert row["severity"] in ("Critical", "Important", "Minor")
        assert 0 < row["min_recall"] < 1
        assert all(isinstance(quotation, str) for quotation in row["evidence"])


def test_a_folder_with_something_in_it_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match="not empty; name another one, or write into it with --force"):
        write_variants(plant_many(LENDING, seed=1, count=1, variants=1), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_force_replaces_an_earlier_series_and_nothing_else(tmp_path: Path) -> None:
    write_variants(plant_many(LENDING, seed=1, count=1, variants=3), tmp_path)
    (tmp_path / "variant-notes.md").write_text("mine")
    made = plant_many(LENDING, seed=2, count=1, variants=1)
    write_variants(made, tmp_path, force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "variant-01",
        "variant-notes.md",
    ]
    assert (tmp_path / "variant-01" / "document.md").read_text() == made[0].text


def test_a_write_that_fails_leaves_no_drafts_and_no_half_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.write_bytes

    def full(self: Path, data: bytes) -> int:
        if "variant-02" in self.parent.name:
            raise OSError(28, "No space left on device")
        return real(self, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space"):
        write_variants(plant_many(LENDING, seed=1, count=1, variants=2), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_way_and_a_file_that_is_not_utf8_are_said_to_be_so(tmp_path: Path) -> None:
    path = tmp_path / "name"
    path.write_bytes(b"caf\xe9")
    with pytest.raises(UsageError, match="there is a file of that name"):
        write_variants(plant_many(LENDING, seed=1, count=1, variants=1), path)
    with pytest.raises(UsageError, match="not UTF-8 at byte 3"):
        read_document(path)
