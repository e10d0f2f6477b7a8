"""The file that a review run is kept in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fiducial.review.dataset import load_dataset
from fiducial.review.run import ReviewOptions, prepare_run
from fiducial.run.store import DEFAULT_FOLDER
from tests.review.standins import make_dataset, reviewer


@pytest.mark.parametrize(
    "name",
    ["../../somewhere/else", "a/b", "back\\slash", "\x1b[31mred", "ünï côdé", "n" * 300, "...", "夜間バス" * 40],
)
def test_whatever_a_dataset_is_called_its_runs_lie_in_the_folder_of_runs(tmp_path: Path, name: str) -> None:
    folder = make_dataset(tmp_path / "d")
    metadata = folder / "metadata.json"
    metadata.write_text(json.dumps({**json.loads(metadata.read_text("utf-8")), "name": name}), "utf-8")
    dataset = load_dataset(folder)
    path = prepare_run(dataset, [reviewer()], ReviewOptions(model="py/reviewer")).path
    assert dataset.name == name  # the result says it as it is
    assert path.parent == DEFAULT_FOLDER and path.name.isprintable() and ".." not in path.name
    assert len(path.name.encode()) < 255
