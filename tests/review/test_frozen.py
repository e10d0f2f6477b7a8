"""Freezing, what is gone from a changed document, and files that are written whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from fiducial.errors import UsageError
from fiducial.review.create import create_dataset
from fiducial.review.files import append_rows
from fiducial.review.frozen import content_hash, freeze, gone
from fiducial.review.records import MustFind
from fiducial.run.files import write_whole
from tests.review.folders import ITEM, TEXT, make, only, read_lines


def item(name: str, *evidence: str) -> MustFind:
    return MustFind(id=name, title="t", issue="i", evidence=evidence)


def test_a_hash_does_not_depend_on_line_ends() -> None:
    assert content_hash("a\r\nb\rc\n") == content_hash("a\nb\nc\n") != content_hash("a\nb\nc")


def test_what_is_gone_is_told_quotation_by_quotation() -> None:
    items = [
        item("a", "A reading is kept for 30 days.", "kept for ever"),
        item("b", "“A  *late* reading is dropped” … kept for a year"),
        item("c", "absent: what happens to the dropped ones"),
    ]
    assert [(one.item.id, one.quotation) for one in gone(items, TEXT)] == [("a", "kept for ever")]


def test_freezing_again_keeps_what_else_the_metadata_holds(tmp_path: Path) -> None:
    folder = make(tmp_path / "d", must_find=[ITEM], name="N", more=[1])
    (folder / "document.md").write_text(TEXT + "More.\n")
    assert only(folder).changed
    freeze(folder, folder / "document.md")
    fields = json.loads((folder / "metadata.json").read_text())
    assert not only(folder).changed and fields["name"] == "N" and fields["more"] == [1] and fields["frozen_at"]


def test_freezing_the_older_layout_writes_the_hash_where_it_stood(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text(TEXT)
    (tmp_path / "metadata.json").write_text('{"design_doc_path": "x.md", "design_doc_hash": ""}')
    assert only(tmp_path).frozen_hash is None
    freeze(tmp_path, tmp_path / "x.md")
    fields = json.loads((tmp_path / "metadata.json").read_text())
    assert fields["design_doc_hash"] == content_hash(TEXT) and "hash" not in fields and not only(tmp_path).changed


def test_a_dataset_is_made_of_a_document_to_the_byte(tmp_path: Path) -> None:
    raw = TEXT.replace("\n", "\r\n").encode()
    (tmp_path / "My doc.md").write_bytes(raw)
    folder = create_dataset(tmp_path / "My doc.md", out=tmp_path / "sets" / "d", review_type="plan", name="Mine")
    document = only(folder)
    assert document.path.read_bytes() == raw
    assert document.must_find == () and document.frozen_hash == document.hash and document.review_type == "plan"
    assert not [p for p in folder.parent.iterdir() if p.name.startswith(".")]


def test_a_dataset_is_never_made_over_something(tmp_path: Path) -> None:
    (tmp_path / "doc.md").write_text(TEXT)
    make(tmp_path / "d")
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "d", tmp_path / "file"):
        with pytest.raises(UsageError, match="something of that name already; choose another folder with --out"):
            create_dataset(tmp_path / "doc.md", out=out)
    (tmp_path / "empty").mkdir()
    assert only(create_dataset(tmp_path / "doc.md", out=tmp_path / "empty")).text == TEXT


def test_a_dataset_that_cannot_be_finished_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "doc.md").write_text(TEXT)
    monkeypatch.setattr("fiducial.review.create.freeze", full_disk)
    with pytest.raises(OSError, match="No space"):
        create_dataset(tmp_path / "doc.md", out=tmp_path / "d")
    assert [p.name for p in tmp_path.iterdir()] == ["doc.md"]


def full_disk(*_: Any, **__: Any) -> None:
    raise OSError(28, "No space left on device")


def test_records_that_cannot_be_written_whole_are_not_there_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jsonl"
    append_rows(path, [{"a": 1}])
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space"):
        append_rows(path, [{"a": 2}, {"a": 3}])
    assert path.read_bytes() == b'{"a":1}\n'
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"new")
    assert path.read_bytes() == b'{"a":1}\n' and sorted(p.name for p in tmp_path.iterdir()) == [".lock", "a.jsonl"]


def test_a_last_line_that_was_left_open_is_closed_first(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a":1}')
    append_rows(path, [{"a": 2}])
    assert read_lines(path) == [{"a": 1}, {"a": 2}]
