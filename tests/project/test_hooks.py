"""The pre-commit hooks: their commands as they stand, with the files that pre-commit would give them."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.support import fiducial
from tests.review.standins import make_dataset

ROOT = Path(__file__).parents[2]
HOOKS: dict[str, dict[str, Any]] = {
    hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
}
CONFIG = next(
    yaml.safe_load(block)
    for block in re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "ci.md").read_text(encoding="utf-8"), re.DOTALL)
    if "repos:" in block
)


def commit(place: Path, hook: str, *changed: str) -> Any:
    """What pre-commit does with changed files: those that fit, at the end of entry and arguments. None: not run."""
    own = {**HOOKS[hook], **next(h for r in CONFIG["repos"] for h in r["hooks"] if h["id"] == hook)}
    fitting = [name for name in changed if re.search(own["files"], name)]
    if own.get("types") == ["yaml"]:
        fitting = [name for name in fitting if name.endswith((".yaml", ".yml"))]
    if not fitting:
        return None
    command, *words = shlex.split(own["entry"])
    assert command == "fiducial"
    files = fitting if own.get("pass_filenames", True) else []
    return fiducial(*words, *own.get("args", []), *files, cwd=place)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "examples" / "battery", tmp_path / "battery")
    make_dataset(tmp_path / "datasets" / "night", [{"id": "a", "title": "A", "issue": "It is not there."}])
    return tmp_path


def test_the_hooks_have_what_the_format_requires() -> None:
    assert set(HOOKS) == {"fiducial-bias-lint", "fiducial-review-check"}
    for hook in HOOKS.values():
        assert {"id", "name", "entry", "language"} <= set(hook) and hook["language"] == "python"


def test_bias_files_are_linted_when_they_change(place: Path) -> None:
    (file,) = (place / "battery").glob("*.yaml")
    assert commit(place, "fiducial-bias-lint", "README.md", "battery/notes.txt") is None
    assert commit(place, "fiducial-bias-lint", f"battery/{file.name}").returncode == 0
    file.write_text(file.read_text(encoding="utf-8").replace("\nfamily:", "\nfamilly:", 1), encoding="utf-8")
    broken = commit(place, "fiducial-bias-lint", f"battery/{file.name}")
    assert broken.returncode == 2 and "familly" in broken.stderr


def test_datasets_are_checked_when_anything_in_them_changes(place: Path) -> None:
    assert commit(place, "fiducial-review-check", "src/main.py") is None
    assert commit(place, "fiducial-review-check", "datasets/night/must_find.jsonl").returncode == 0
    with (place / "datasets" / "night" / "document.md").open("a", encoding="utf-8") as document:
        document.write("\nOne more sentence.\n")
    changed = commit(place, "fiducial-review-check", "datasets/night/document.md")
    assert changed.returncode == 1 and "changed" in changed.stdout
