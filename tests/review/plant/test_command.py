"""`fiducial review plant` as a user types it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from fiducial.cli.review_plant import plant_flaws
from fiducial.errors import UsageError
from fiducial.review.plant.operators import OPERATORS
from tests.review.plant.support import LENDING


@pytest.fixture
def document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "lending.md"
    path.write_text(LENDING)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(plant_flaws, [str(argument) for argument in arguments])


def as_json(done: Result) -> Any:
    assert done.exit_code == 0, done.output
    return msgspec.json.decode(done.stdout)


def test_the_summary_names_file_line_kind_and_flaw(document: Path, tmp_path: Path) -> None:
    done = run(document, "--count", 2, "--operator", "two-owners", "--operator", "wrong-total")
    assert done.exit_code == 0
    assert "lending-planted/variant-01/document.md: 2 of 2 flaws" in done.stdout
    assert "two-owners" in done.stdout
    assert "wrong-total" in done.stdout
    assert (tmp_path / "lending-planted" / "variant-01" / "must_find.jsonl").is_file()


def test_json_is_one_document_and_agrees_with_the_files(document: Path, tmp_path: Path) -> None:
    found = as_json(run(document, "--variants", 2, "--seed", 5, "--out", tmp_path / "out", "--json"))
    assert found["seed"] == 5
    assert len(found["variants"]) == 2
    for variant in found["variants"]:
        rows = Path(variant["flaws_file"]).read_bytes().splitlines()
        assert [msgspec.json.decode(row) for row in rows] == variant["flaws"]
        text = Path(variant["file"]).read_text()
        assert all(text[f["place"]["start"] : f["place"]["end"]] == f["changed"] for f in variant["flaws"])
    assert set(found["places"]) == set(OPERATORS)


def test_the_same_command_writes_the_same_bytes(document: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert run(document, "--count", 6, "--out", tmp_path / name).exit_code == 0
    for path in (tmp_path / "a" / "variant-01").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / "variant-01" / path.name).read_bytes()


def test_a_folder_in_use_needs_force(document: Path, tmp_path: Path) -> None:
    assert run(document, "--out", tmp_path / "out").exit_code == 0
    assert isinstance(run(document, "--out", tmp_path / "out").exception, UsageError)
    assert run(document, "--out", tmp_path / "out", "--force").exit_code == 0


def test_operators_without_a_place_are_named_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "letter.md"
    path.write_text("Dear all, thank you.\n")
    done = run(path, "--out", tmp_path / "out")
    assert done.exit_code == 0
    assert "no place found in" in done.stderr
    assert "nothing was written" in done.stderr
    assert not (tmp_path / "out").exists()


def test_fewer_flaws_than_asked_for_are_said_to_be_so(document: Path) -> None:
    done = run(document, "--operator", "table-disagrees", "--count", 9)
    assert "1 of 9 flaws" in done.stdout
    assert "no more material" in done.stderr


def test_the_kinds_of_flaws_can_be_listed_without_a_document() -> None:
    done = run("--list")
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(OPERATORS)


def test_a_document_cannot_write_to_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "evil.md"
    path.write_text(
        LENDING.replace("Fees, budget", "Fees\x1b[31m, budget").replace("director |", "dir\x1b]0;x\x07 |")
    )
    done = run(path, "--out", tmp_path / "out", "--count", 40)
    assert done.exit_code == 0
    assert "\x1b" not in done.stdout + done.stderr
