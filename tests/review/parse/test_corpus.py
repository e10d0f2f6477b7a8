"""Outputs as reviewers write them, each with what a careful person finds in it.

`corpus/NAME.txt` is the output, `corpus/NAME.json` the status, the findings, and how many records were said of the
review itself, were lost, or were cut off.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fiducial.review.parse import parse

CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.txt"))


def output(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def expected(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    return loaded


@pytest.mark.parametrize("path", CORPUS, ids=[path.stem for path in CORPUS])
def test_an_output_is_read_as_a_person_reads_it(path: Path) -> None:
    parsed = parse(output(path))
    assert {
        "status": parsed.status,
        "findings": [
            {"title": f.title, "severity": f.severity, "confidence": f.confidence} for f in parsed.findings
        ],
        "meta": len(parsed.meta),
        "dropped": parsed.dropped,
        "truncated": parsed.truncated,
    } == expected(path)


@pytest.mark.parametrize("path", CORPUS, ids=[path.stem for path in CORPUS])
@pytest.mark.parametrize("ending", ["\r\n", "\r", "\u2028"], ids=["crlf", "cr", "u2028"])
def test_line_ends_make_no_difference(path: Path, ending: str) -> None:
    text = output(path)
    assert parse("\ufeff" + text.replace("\n", ending)) == parse(text)


def test_the_corpus_covers_every_status_and_enough_outputs() -> None:
    cases = [expected(path) for path in CORPUS]
    statuses = [case["status"] for case in cases]
    assert len(cases) >= 150
    assert sum(len(case["findings"]) for case in cases) >= 250
    assert all(
        statuses.count(status) >= 2 for status in ("findings", "explicit_none", "empty", "malformed", "refused")
    )
    assert sum(case["truncated"] for case in cases) >= 8
    assert sum(case["meta"] > 0 for case in cases) >= 15
    assert sum(case["dropped"] > 0 for case in cases) >= 6
