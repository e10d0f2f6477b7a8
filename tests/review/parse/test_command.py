"""`fiducial review parse`: the contract that other programs rely on, and what a person sees."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from fiducial.cli.review_parse import parse_output

FIRST = (
    '{"type": "finding", "id": "a", "title": "No \\u001b[31mrollback", "severity": "HIGH",'
    ' "confidence": "85/100", "issue": "x."}'
)
OUTPUT = FIRST + '\n{"type": "blind_spot_check", "text": "cost"}\n{"type": "finding", "title": "Cut'


def run(*arguments: str, data: bytes = b"") -> Result:
    return CliRunner().invoke(parse_output, arguments, input=data, catch_exceptions=False)


def test_the_json_is_the_contract(tmp_path: Path) -> None:
    path = tmp_path / "output.txt"
    path.write_text(OUTPUT, encoding="utf-8")
    printed = json.loads(run("--json", str(path)).output)
    assert list(printed) == ["status", "findings", "meta", "dropped", "truncated", "dropped_reasons"]
    assert printed["status"] == "findings" and printed["dropped"] == 1 and printed["truncated"] is True
    assert printed["findings"] == [
        {
            "id": "a", "title": "No \u001b[31mrollback", "severity": "Critical", "confidence": 0.85, "phase": None,
            "section": None, "issue": "x.", "why_it_matters": None, "suggestion": None,
        }
    ]  # fmt: skip
    assert printed["meta"][0]["type"] == "blind_spot_check"
    assert set(printed["dropped_reasons"][0]) == {"reason", "excerpt"}


def test_a_person_sees_findings_losses_and_no_escape_sequence() -> None:
    done = run("-", data=OUTPUT.encode())
    assert done.exit_code == 0
    assert "1 finding, 1 note on the review itself, 1 record dropped, cut off at the end" in done.output
    assert "No rollback" in done.output and "\x1b[31m" not in done.output


def test_bytes_that_are_no_text_and_utf_16_are_read_all_the_same() -> None:
    bad = b'{"title": "One b\xffad byte", "severity": "low", "issue": "x"}'
    assert json.loads(run("--json", data=bad).output)["findings"][0]["title"] == "One b\ufffdad byte"
    wide = '{"title": "Wide", "severity": "low", "issue": "x"}'.encode("utf-16")
    assert json.loads(run("--json", data=wide).output)["findings"][0]["title"] == "Wide"


def test_nothing_at_all_is_a_result_too() -> None:
    assert json.loads(run("--json", data=b"").output)["status"] == "empty"
    assert run(data=b"").output.strip() == "empty"
