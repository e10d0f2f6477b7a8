"""Where recorded outputs are looked for in a folder, and whose they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from fiducial.errors import UsageError
from fiducial.review.recorded import find_outputs


def made(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("[]", encoding="utf-8")
    return folder


def files_of(folder: Path, reviewers: Sequence[str] = (), documents: Sequence[str] = ("d",)) -> list[str]:
    return [found.file for found in find_outputs(folder, documents, reviewers)]


def test_a_run_beside_the_reviewers_folder_is_a_run_like_those_in_it(tmp_path: Path) -> None:
    made(tmp_path, "probe/1.md", "probe/10.md", "probe/2.md", "probe-7.md")
    assert files_of(tmp_path) == ["probe/1.md", "probe/2.md", "probe/10.md", "probe-7.md"]


@pytest.mark.parametrize("names", [("1.md", "2.md"), ("run1.json",), ("output-3.txt",), ("Run_2.md", "probe-1.md")])
def test_a_number_is_no_reviewer_and_the_name_is_asked_for(tmp_path: Path, names: Sequence[str]) -> None:
    made(tmp_path, *names)
    with pytest.raises(UsageError, match="--reviewer"):
        files_of(tmp_path)


def test_numbered_files_are_the_runs_of_the_one_reviewer_that_is_named(tmp_path: Path) -> None:
    made(tmp_path, "1.md", "2.md")
    assert files_of(tmp_path, ["probe"]) == ["1.md", "2.md"]


def test_where_no_file_can_be_an_output_the_endings_are_named(tmp_path: Path) -> None:
    made(tmp_path, "probe/1.pdf")
    with pytest.raises(UsageError, match=r"\.jsonl"):
        files_of(tmp_path)
