from __future__ import annotations

import csv
import json
from pathlib import Path

import polars as pl
import pytest

from fiducial.errors import UsageError
from fiducial.model.reply import Reply
from fiducial.model.request import Request
from fiducial.run import schema
from fiducial.run.export import export
from fiducial.run.store import Store
from tests.run.support import Echo, plan_of, run

HOSTILE = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "plain",
    'with "quotes", commas\nand lines',
    "ünï \x00 nul",
]


class Hostile(Echo):
    async def call(self, request: Request) -> Reply:
        item = int(request.messages[-1].text.split()[1].split("/")[0])
        return Reply(text=HOSTILE[item], sent=self.encode(request))


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "r.db"
    run(path, plan_of(len(HOSTILE)), Hostile())
    return path


def write(stored: Path, kind: str, *, texts: bool = True) -> Path:
    target = stored.with_suffix(f".{kind}")
    with Store(stored) as store:
        assert export(store, target, kind, texts=texts) == len(HOSTILE)
    return target


def test_json_lines_hold_everything_as_it_was(stored: Path) -> None:
    rows = [json.loads(line) for line in write(stored, "jsonl").read_text().splitlines()]
    assert {r["item"]: r["text"] for r in rows} == {str(i): t for i, t in enumerate(HOSTILE)}
    assert {r["item"]: r["sent"] for r in rows} == {str(i): f"question {i}/a" for i in range(len(HOSTILE))}
    assert all(r["asked"]["temperature"] == 1.0 for r in rows)


def test_parquet_holds_the_same(stored: Path) -> None:
    frame = pl.read_parquet(write(stored, "parquet"))
    assert dict(zip(frame["item"], frame["text"], strict=True)) == {str(i): t for i, t in enumerate(HOSTILE)}
    assert frame.schema["seconds"] == pl.Float64
    assert frame.schema["failure"] == pl.String


def test_a_spreadsheet_finds_no_formula(stored: Path) -> None:
    with write(stored, "csv").open(newline="", encoding="utf-8") as file:
        found = {row["item"]: row["text"] for row in csv.DictReader(file)}
    for item, text in enumerate(HOSTILE):
        formula = text[0] in "=+-@"
        assert found[str(item)] == (f"'{text}" if formula else text)


def test_texts_are_left_out_for_sharing(stored: Path) -> None:
    for kind in ("jsonl", "csv"):
        content = write(stored, kind, texts=False).read_text(encoding="utf-8")
        assert "question" not in content and "calc" not in content and "plain" not in content


def test_an_empty_run_and_an_unknown_format(tmp_path: Path) -> None:
    schema.create(tmp_path / "empty.db")
    with Store(tmp_path / "empty.db") as store:
        assert export(store, tmp_path / "e.parquet", "parquet") == 0
        assert pl.read_parquet(tmp_path / "e.parquet").height == 0
        with pytest.raises(UsageError, match="jsonl, csv, parquet"):
            export(store, tmp_path / "e.xml", "xml")
    assert sorted(p.name for p in tmp_path.glob("e.*")) == ["e.parquet"]
