from __future__ import annotations

from pathlib import Path

from tests.cli.support import fiducial, result

RUN = ("bias", "run", "--tier", "core", "--bias", "sunk_cost_fallacy", "--trials", "2", "--arms", "control,strong")


def test_items_of_a_run_are_shown_and_printed_as_json_without_a_call(tmp_path: Path) -> None:
    for k in range(2):
        done = fiducial(*RUN, "--model", f"sim/planted:effect=.{2 * k + 3}", "--out", f"run{k}.db", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    one = fiducial("bias", "items", "run1.db", cwd=tmp_path)
    assert one.returncode == 0, one.stderr
    assert "knitted-blanket" in one.stdout and "withheld, it is over runs" in one.stdout
    assert "No item drifts" in " ".join(one.stdout.split())
    found = result(fiducial("bias", "items", "run1.db", "--json", cwd=tmp_path))
    assert found["complete"] and len(found["items"]) == 15
    item = found["items"][0]
    assert {"base", "pulled", "value", "effect", "drift", "edge", "discrimination", "replies", "read"} <= set(item)
    assert {"value", "low", "high", "n", "method"} == set(item["effect"])
    assert {"expected", "residual", "p", "q", "drifts"} == set(item["drift"])
    several = fiducial("bias", "items", *(f"run{k}.db" for k in range(2)), cwd=tmp_path)
    assert several.returncode == 0 and "discrimination" in several.stdout


def test_runs_that_are_not_there_are_refused(tmp_path: Path) -> None:
    missing = fiducial("bias", "items", "nothing", cwd=tmp_path)
    assert missing.returncode == 2 and "there is no run 'nothing'" in missing.stderr
