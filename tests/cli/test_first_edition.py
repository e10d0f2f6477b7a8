"""Run files that the first edition wrote, when the program was called Gnomon, still open."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.cli.support import fiducial, result

FILES = Path(__file__).parents[1] / "data" / "first_edition"


@pytest.mark.parametrize("name", ["bias", "review"])
@pytest.mark.parametrize(
    "command",
    [["report", "--json"], ["report", "--out", "page.html"], ["audit", "--json"], ["rescore"], ["export"]],
)
def test_commands_open_files_of_the_first_edition(tmp_path: Path, name: str, command: list[str]) -> None:
    shutil.copy(FILES / f"{name}.db", tmp_path)
    done = fiducial(command[0], f"{name}.db", *command[1:], cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_verdicts_of_the_first_edition_are_not_asked_for_again(tmp_path: Path) -> None:
    """The prompts that got them had fences with other marks."""
    shutil.copy(FILES / "review.db", tmp_path)
    (tmp_path / "standin.py").write_text(
        "class Judge:\n    async def generate(self, request):\n        open('called', 'w')\n        return ''\n"
    )
    before = fiducial("report", "review.db", "--json", cwd=tmp_path)
    done = fiducial("review", "rejudge", "review.db", "--judge", "py/standin:Judge", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "called").exists()
    assert result(done)["reviewers"] == result(before)["reviewers"]


def test_a_file_of_the_first_edition_is_continued_in_its_own_format(tmp_path: Path) -> None:
    path = shutil.copy(FILES / "review.db", tmp_path)
    rows = "SELECT count(*) FROM reply"
    with sqlite3.connect(path) as db:
        before = db.execute(rows).fetchone()[0]
    done = fiducial("review", "rejudge", "review.db", "--judge", "py/tests.run.hostile:Silent", cwd=tmp_path)
    assert done.returncode in (0, 3), done.stderr
    with sqlite3.connect(path) as db:
        assert db.execute(rows).fetchone()[0] > before
        assert db.execute("PRAGMA user_version").fetchone()[0] == 1
    assert fiducial("report", "review.db", "--json", cwd=tmp_path).returncode == 0
