from __future__ import annotations

import json
from pathlib import Path

from tests.cli.support import fiducial, result


def recorded(bias: str = "framing", *, treated: str = "A") -> str:
    lines = [
        {"bias": bias, "item": f"item {k}", "arm": arm, "kind": "option", "options": ["A", "B"], "prompt": None,
         "biased": "A", "response": f"The answer is {answer}."}
        for k in range(12)
        for arm, answer in (("control", "B"), ("treatment", treated))
    ]  # fmt: skip
    return "\n".join(json.dumps(line) for line in lines) + "\n"


def test_recorded_replies_give_the_json_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "old.jsonl").write_text("\ufeff" + recorded(), encoding="utf-8")
    done = fiducial("bias", "score", "old.jsonl", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = result(done)
    assert {
        "run", "subject", "complete", "biases", "subject_metrics", "position", "unread", "protocols",
        "audit", "calls", "cost",
    } <= set(found)  # fmt: skip
    assert (found["run"], found["complete"], found["calls"], found["cost"]) == ("old", True, 0, None)
    (bias,) = found["biases"]
    assert {"value", "low", "high", "n", "method", "p", "q"} == set(bias["effect"])
    assert set(bias["metrics"]) == {"bms", "bci", "bmp", "has", "rci"}
    assert bias["effect"]["value"] == 1.0 and bias["flagged"] is True
    assert bias["unread"] == {"control": {}, "treatment": {}}
    assert list(tmp_path.iterdir()) == [tmp_path / "old.jsonl"]


def test_recorded_replies_from_standard_input_give_a_table_of_plain_text(tmp_path: Path) -> None:
    done = fiducial(
        "bias", "score", "-", cwd=tmp_path, stdin=recorded("[red]\x1b[31mloud") + recorded("none", treated="B")
    )
    assert done.returncode == 0, done.stderr
    assert "[red]loud" in done.stdout and "\x1b" not in done.stdout
    assert "flagged" in done.stdout and "+1.00" in done.stdout
    wrong = fiducial("bias", "score", "-", cwd=tmp_path, stdin=recorded() + '{"bias": "x"}\n')
    assert wrong.returncode == 2
    assert 'standard input, line 25: "item" is missing' in wrong.stderr
    assert fiducial("bias", "score", "-", cwd=tmp_path, stdin="").returncode == 2
