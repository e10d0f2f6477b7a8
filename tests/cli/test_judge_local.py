"""A real small model as a judge on trial."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from fiducial.cli.main import fiducial

pytestmark = pytest.mark.local
pytest.importorskip("xllamacpp")


def test_a_real_model_is_calibrated_as_a_reader_and_a_second_command_asks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = [
        "judge",
        "calibrate",
        "--judge",
        "local/smollm2",
        "--task",
        "read",
        "--set",
        "planted:anchoring_effect",
    ]
    command += ["--cases", "4", "--repeats", "1", "--max-tokens", "60", "--json"]
    done = CliRunner().invoke(fiducial, command)
    assert done.exit_code == 0, done.output
    (found,) = json.loads(done.stdout)["calibrations"]
    assert found["model"] == "local/smollm2" and found["exploratory"]
    assert found["positives"] + found["negatives"] + round(found["invalid"]["value"] * 4) == 4
    again = CliRunner().invoke(fiducial, command)
    assert json.loads(again.stdout)["calibrations"] == [found]
    assert "4/4" not in again.stderr  # nothing was collected
