from __future__ import annotations

import json
import random
from pathlib import Path

from click.testing import CliRunner

from fiducial.cli.main import fiducial


def write(path: Path, *, labels: int = 60) -> Path:
    draw = random.Random(3)
    rows = []
    for group in ("a", "b", "c"):
        for k in range(200):
            truth = draw.random() < 0.6
            rows.append(
                {
                    "id": f"{group}{k}",
                    "verdict": float(draw.random() < (0.9 if truth else 0.2)),
                    "label": int(truth) if k < labels and group != "c" else None,
                    "group": group,
                }
            )
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def run(*args: str, stdin: str | None = None) -> tuple[int, str]:
    result = CliRunner().invoke(fiducial, ["judge", "correct", *args], input=stdin)
    return result.exit_code, result.output


def test_the_json_has_every_estimate_of_the_contract(tmp_path: Path) -> None:
    code, out = run(str(write(tmp_path / "v.jsonl")), "--group", "a", "--json")
    found = json.loads(out)
    assert code == 0
    for name in ("raw", "labels_only", "corrected", "sensitivity", "specificity"):
        assert set(found[name]) == {"value", "low", "high", "n", "method"}
        assert found[name]["low"] <= found[name]["value"] <= found[name]["high"]
    assert found["shift"]["basis"] == "own labels" and found["shift"]["own_labels"] == 60


def test_labels_from_other_groups_are_named_in_the_json(tmp_path: Path) -> None:
    _, out = run(str(write(tmp_path / "v.jsonl")), "--group", "c", "--json")
    found = json.loads(out)
    assert "withheld" in found["labels_only"]
    assert found["shift"]["basis"] == "labels of other groups" and found["shift"]["groups"] == 2
    assert found["corrected"]["high"] - found["corrected"]["low"] > 0.05


def test_a_person_sees_the_table_and_what_it_rests_on(tmp_path: Path) -> None:
    code, out = run(str(write(tmp_path / "v.jsonl")), "--group", "c")
    assert code == 0
    assert "corrected" in out and "raw" in out
    assert "other groups" in " ".join(out.split())


def test_standard_input_is_read_and_hostile_names_are_inert() -> None:
    row = json.dumps({"id": "1", "verdict": 1, "label": None, "group": "\x1b[31mred[/]"})
    code, out = run("-", "--group", "\x1b[31mred[/]", stdin=row + "\n")
    assert code == 0 and "\x1b[31m" not in out


def test_a_wrong_file_is_an_error_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    path.write_text("{")
    result = CliRunner().invoke(fiducial, ["judge", "correct", str(path)])
    assert result.exit_code != 0 and "line 1" in str(result.exception)
