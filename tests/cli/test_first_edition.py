"""Run files that the first edition wrote, when the program was called Gnomon, still open."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.support import fiducial

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
