"""A folder with a file of labelled cases, for commands that put them to a judge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

DOCUMENT = "The gateway keeps readings for 30 days.\nAudit logs name the operator."


def labelled_cases(place: Path, monkeypatch: pytest.MonkeyPatch, *, n: int) -> None:
    """Be there, in a terminal of 120 columns, with `labels.jsonl`: every second case is true."""
    monkeypatch.chdir(place)
    monkeypatch.setenv("COLUMNS", "120")
    rows = [
        {"id": f"c{k}", "task": "genuine", "document": DOCUMENT, "text": f"Statement {k} is wrong.", "label": k % 2}
        for k in range(n)
    ]
    (place / "labels.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
