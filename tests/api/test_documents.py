"""What the pages and the examples show is run as it stands."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from fiducial.frames import TABLES
from fiducial.run.columns import polars_schema

ROOT = Path(__file__).parents[2]


def blocks(page: str, language: str = "python") -> list[str]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("ferry.md", "plain-reader.md"):
        shutil.copy(ROOT / "examples" / name, tmp_path)
    return tmp_path


def run_page(page: str) -> dict[str, Any]:
    """The blocks of a page, one after the other, as in one session; an error names the block."""
    found: dict[str, Any] = {"__name__": "page"}
    for k, block in enumerate(blocks(page), 1):
        exec(compile(block, f"{page}, block {k}", "exec"), found)
    return found


def test_the_page_on_python_runs(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run_page("python.md")
    assert (place / "report.html").exists()
    assert pl.read_parquet("effects.parquet").schema == polars_schema(TABLES["effects"].columns)
    assert found["own"].result.subject == "py/agent-7"
    assert found["review"].frames.findings.height == 4
    assert found["difference"].biases
    assert found["moved"].file == "must_find.jsonl" and found["checked"].sound
    assert (found["done"].saved, found["done"].total) == (1, 1)
    assert (place / "battery" / "queue_aversion.yaml").exists()
    assert {path.stem for path in place.glob("ferry/labels/*.jsonl")} == {"ann", "ben"}
    said = capsys.readouterr().out
    assert "budget reached (calls=5)" in said and "False 5" in said


def test_the_page_on_data_runs(place: Path) -> None:
    found = run_page("data.md")
    assert found["effects"].height == 1 and found["by_domain"].height > 1
    assert found["rows"]["text"].null_count() == found["rows"].height > 0


def test_the_notebook_sees_the_planted_effect_and_nothing_in_the_coin(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = runpy.run_path(str(ROOT / "examples" / "notebook.py"))
    effects = found["effects"]
    assert (
        effects.filter(subject="planted")["flagged"].all() and not effects.filter(subject="coin")["flagged"].any()
    )
    assert set(found["compared"].higher()) == set(found["BIASES"])
    assert (place / "effects.svg").read_text().count("<path") > 6
    assert pl.read_parquet("planted-effects.parquet").height > 3
