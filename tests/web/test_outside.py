"""Nothing outside the served folder is shown or written, whatever a dataset or a run file says."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from fiducial.web.folder import Folder
from tests.review.folders import ITEM, make, write_lines
from tests.web.made import review_run
from tests.web.support import Bench

SECRET = "The launch code is 0000."


def named(root: Path, field: str, place: str) -> None:
    made = make(root / "set", must_find=[])
    (made / "document.md").unlink()
    (made / "metadata.json").write_text(json.dumps({field: place}))


def linked_document(root: Path, outside: Path) -> None:
    made = make(root / "set", must_find=[])
    (made / "document.md").unlink()
    (made / "document.md").symlink_to(outside / "document.md")


def linked_folder(root: Path, outside: Path) -> None:
    make(root / "set" / "a"), make(root / "set" / "b")
    (root / "set" / "linked").symlink_to(outside, target_is_directory=True)


def linked_file(root: Path, outside: Path, name: str) -> None:
    made = make(root / "set", must_find=[])
    (made / name).parent.mkdir(exist_ok=True)
    (made / name).symlink_to(outside / "candidates.jsonl")


WAYS: dict[str, Callable[[Path, Path], None]] = {
    "an absolute path": lambda root, out: named(root, "document", str(out / "document.md")),
    "a path upward": lambda root, out: named(root, "document", "../../outside/document.md"),
    "the older layout": lambda root, out: named(root, "design_doc_path", "outside/document.md"),
    "a linked document": linked_document,
    "a linked folder": linked_folder,
    "a linked queue": lambda root, out: linked_file(root, out, "candidates.jsonl"),
    "a linked label": lambda root, out: linked_file(root, out, "labels/ann.jsonl"),
    "a pipe": lambda root, out: os.mkfifo(make(root / "set", must_find=[]) / "candidates.jsonl"),
}


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = make(tmp_path / "outside", must_find=[])
    (folder / "document.md").write_text(f"# Plans\n\n{SECRET}\n")
    write_lines(folder / "candidates.jsonl", ITEM | {"title": SECRET, "evidence": [SECRET]})
    return folder


@pytest.mark.parametrize("way", WAYS)
def test_a_dataset_that_reaches_out_of_the_folder_is_refused(
    serving: Callable[..., Bench], tmp_path: Path, outside: Path, way: str
) -> None:
    root = tmp_path / "served"
    WAYS[way](root, outside)
    before = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
    bench = serving(root)
    there = f"/datasets/{bench.dataset_id('set')}"
    for page in (there, f"{there}/curate", f"{there}/readiness"):
        answer = bench.client.get(page)
        assert answer.status == 400 and "outside the folder that is served" in answer.text
        assert SECRET not in answer.text
    answer = bench.client.get("/datasets")
    assert answer.status == 200 and "outside the folder" in answer.text and SECRET not in answer.text
    assert bench.client.post(f"{there}/curate/propose", {"run": "x"}).status == 400
    assert {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()} == before


def test_a_pipe_in_the_folder_keeps_no_page_waiting(serving: Callable[..., Bench], tmp_path: Path) -> None:
    (tmp_path / "calibrations").mkdir()
    for name in ("run.db", "calibrations/one.json", "document.md"):
        os.mkfifo(tmp_path / name)
    bench = serving(tmp_path)
    for page in ("/", "/datasets", "/judges"):
        assert bench.client.get(page).status == 200


def test_a_dataset_that_stays_inside_is_shown(serving: Callable[..., Bench], tmp_path: Path) -> None:
    make(tmp_path / "set", must_find=[])
    (tmp_path / "set" / "also.jsonl").symlink_to(tmp_path / "set" / "must_find.jsonl")
    assert Folder(tmp_path).stray(tmp_path / "set") is None
    bench = serving(tmp_path)
    assert bench.client.get(f"/datasets/{bench.dataset_id('set')}").status == 200


def test_a_run_file_leads_to_no_dataset_outside(
    serving: Callable[..., Bench], tmp_path: Path, outside: Path
) -> None:
    root = tmp_path / "served"
    path = review_run(root)
    bench = serving(root)
    there = f"/runs/{bench.run_id('runs/night')}"
    assert "Steps to a gate" in bench.client.get(there).text
    with sqlite3.connect(path) as db:
        db.execute("UPDATE meta SET value = ? WHERE key = 'folder'", (json.dumps(str(outside)),))
    answer = bench.client.get(there)
    assert answer.status == 200 and "Steps to a gate" not in answer.text
