"""The GitHub Action: its shell steps as they stand, in bash, with the variables that a runner sets."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from tests.review.standins import as_output, make_dataset

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
MEASURE = next(step for step in STEPS if step.get("id") == "gate")

STAND_INS = """
import json, os, re

class Reviewer:
    remote = False
    async def generate(self, request):
        return open("output.txt", encoding="utf-8").read()

class Judge:
    remote = False
    async def generate(self, request):
        if "Task: genuine" in request.messages[-1].text:
            return json.dumps({"evidence": "Complaints are answered", "reason": "r", "category": None,
                               "verdict": "genuine", "confidence": 0.9})
        text = request.messages[0].text
        wanted = re.findall(r"<<<issue \\w+>>>\\n(.*?)\\n", text)[-1]
        for number, title in re.findall(r"<<<finding (\\d+) \\w+>>>\\n(.*?)\\n", text):
            if title == wanted:
                return json.dumps({"finding": int(number), "quotation": title, "verdict": "found"})
        return json.dumps({"finding": None, "quotation": None, "verdict": "not_found"})
"""
ITEMS: list[dict[str, object]] = [
    {
        "id": f"M{k}",
        "title": title,
        "issue": f"{title}.",
        "min_recall": 0.8,
        "zero_shot": {"model": "m", "prompt_hash": "h", "calls": 3, "found": True, "quotation": "Complaints"},
    }
    for k, title in enumerate(
        ("No owner for complaints", "Timetable contradicts itself", "Ticket price for children")
    )
]


def evaluated(text: str, inputs: dict[str, str]) -> str:
    """`${{ inputs.x }}`, which is all that the environment of the step is made of."""

    def value(match: re.Match[str]) -> str:
        name = re.fullmatch(r"inputs\.([\w-]+)", match.group(1))
        assert name, f"an expression that this test does not know: {match.group(1)}"
        return inputs[name.group(1)]

    return re.sub(r"\$\{\{ (.*?) \}\}", value, text)


def measure(place: Path, attempt: int = 1, **given: str) -> tuple[Any, dict[str, str]]:
    """The step with these inputs; the process, and the step's outputs."""
    inputs = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()}
    inputs |= {"dataset": "night", "reviewers": "probe.md\n", "model": "py/standing:Reviewer"}
    inputs |= {"judges": "py/standing:Judge", "arguments": "--identical-gap\n0", **given}
    env = {name: evaluated(text, inputs) for name, text in MEASURE["env"].items()}
    output, summary = place / "output", place / "summary"
    output.write_text("")
    summary.write_text("")
    runner = {
        "GITHUB_RUN_ID": "77",
        "GITHUB_RUN_ATTEMPT": str(attempt),
        "GITHUB_ACTION": "__self",
        "GITHUB_OUTPUT": str(output),
        "GITHUB_STEP_SUMMARY": str(summary),
        "PATH": f"{place / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "HOME": str(place),
    }
    script = place / "step.sh"
    script.write_text(MEASURE["run"])
    shell = [
        "bash",
        "--noprofile",
        "--norc",
        "-e",
        "-o",
        "pipefail",
        str(script),
    ]  # as a runner starts `shell: bash`
    done = subprocess.run(
        shell, cwd=place, env={**runner, **env}, capture_output=True, text=True, timeout=120, check=False
    )
    return done, dict(line.split("=", 1) for line in output.read_text().splitlines())


@pytest.fixture
def place(tmp_path: Path) -> Path:
    make_dataset(tmp_path / "night", ITEMS)
    (tmp_path / "standing.py").write_text(STAND_INS, encoding="utf-8")
    (tmp_path / "output.txt").write_text(as_output(), encoding="utf-8")
    (tmp_path / "probe.md").write_text("---\nname: probe\n---\nYou look for gaps.\n", encoding="utf-8")
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "fiducial"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m fiducial.cli.main "$@"\n')
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    return tmp_path


def test_inputs_reach_the_shell_as_variables_and_never_as_script() -> None:
    for step in STEPS:
        assert "${{" not in step.get("run", "")
    assert {"dataset", "reviewers", "model", "judges"} == {
        k for k, v in ACTION["inputs"].items() if v.get("required")
    }


def test_other_actions_are_pinned_by_commit() -> None:
    pages = [
        (ROOT / name).read_text(encoding="utf-8") for name in ("action.yml", "docs/ci.md", "docs/reviewing.md")
    ]
    used = [name for page in pages for name in re.findall(r"uses: (actions/[^\s,]+)", page)]
    assert used and all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name) for name in used)


def test_fiducial_is_installed_with_the_constraints_unless_a_package_is_named(place: Path) -> None:
    (install,) = (step for step in STEPS if step.get("name") == "Install Fiducial")
    python = place / "bin" / "python"
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    python.chmod(0o755)
    for package, tail in (("", ["/a b", "--constraint", "/a b/constraints.txt"]), ("one.whl", ["one.whl"])):
        env = {
            "PATH": f"{python.parent}:{os.environ['PATH']}",
            "FIDUCIAL_PACKAGE": package,
            "FIDUCIAL_ACTION": "/a b",
        }
        done = subprocess.run(
            ["bash", "-e", "-c", install["run"]], env=env, capture_output=True, text=True, check=True
        )
        words = done.stdout.splitlines()
        assert words[:4] == ["-P", "-m", "pip", "install"] and words[-len(tail) :] == tail


def test_a_gate_is_refused_then_passed_then_failed_and_leaves_its_files(place: Path) -> None:
    refused, outputs = measure(place)
    assert refused.returncode == 2 and outputs["exit-code"] == "2", refused.stderr
    assert "refused" in (place / outputs["junit"]).read_text() and not (place / outputs["run"]).exists()

    earlier, outputs = measure(place, gate="off")
    assert earlier.returncode == 0, earlier.stderr
    assert (place / outputs["run"]).exists() and (place / outputs["report"]).read_text().startswith(
        "<!doctype html>"
    )

    passed, outputs = measure(place, attempt=2)
    assert passed.returncode == 0, passed.stderr
    assert outputs["run"] == "runs/ci-77-2-__self.db" and "no gate failed" in (place / "summary").read_text()
    assert ET.parse(place / outputs["junit"]).getroot().get("failures") == "0"

    (place / "output.txt").write_text(as_output([("Something else", "Nothing of the list.")]), encoding="utf-8")
    failed, outputs = measure(place, attempt=3)
    assert failed.returncode == 1 and outputs["exit-code"] == "1", failed.stderr
    assert "The gate failed" in (place / "summary").read_text()


def test_hostile_inputs_are_words_and_a_wrong_gate_is_an_error(place: Path) -> None:
    done, outputs = measure(place, gate="off", dataset='night"; touch owned; echo "$(touch owned)', judges="none")
    assert done.returncode == 2 and not (place / "owned").exists() and outputs["exit-code"] == "2"
    done, _ = measure(place, gate="maybe")
    assert done.returncode == 2 and "::error::" in done.stdout


def test_the_documented_workflow_gives_inputs_that_there_are() -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    (workflow,) = (
        yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "jobs:" in block
    )
    (job,) = workflow["jobs"].values()
    (step,) = (step for step in job["steps"] if "fiducial" in step["uses"])
    assert set(step["with"]) <= set(ACTION["inputs"])
    assert {name for name, one in ACTION["inputs"].items() if one.get("required")} <= set(step["with"])
    assert json.dumps(step["with"]["gate"]) == '"on"'
