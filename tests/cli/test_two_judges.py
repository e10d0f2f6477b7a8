from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner

from fiducial.cli.main import fiducial

EXAMPLE = Path(__file__).parents[2] / "examples" / "two_judges.py"


def test_two_judges_that_contradict_each_other_agree_once_corrected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    found = {}
    for name in ("strict", "lax"):
        done = CliRunner().invoke(
            fiducial, ["judge", "correct", f"runs/{name}.jsonl", "--group", "these", "--json"]
        )
        found[name] = json.loads(done.output)
    strict, lax = found["strict"], found["lax"]
    assert strict["raw"]["high"] < lax["raw"]["low"]
    assert max(strict["corrected"]["low"], lax["corrected"]["low"]) < min(
        strict["corrected"]["high"], lax["corrected"]["high"]
    )
    for one in found.values():
        assert one["corrected"]["low"] <= 0.5 <= one["corrected"]["high"]
