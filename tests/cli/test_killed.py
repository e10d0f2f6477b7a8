"""Commands that are killed at each of their commit points, then repeated: nothing is lost, and nothing is paid twice."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fiducial.run import schema
from fiducial.study.runs import look
from tests.cli.support import fiducial
from tests.review.standins import as_output, make_dataset

FIRST_EDITION = Path(__file__).parents[1] / "data" / "first_edition"
IN_FLIGHT = 2
MODELS = f'''
import json, re

def paid(request):
    """Every call leaves a line, which no kill takes back."""
    with open("calls.jsonl", "a") as file:
        file.write(json.dumps([message.text for message in request.messages]) + "\\n")

class Reviewer:
    async def generate(self, request):
        paid(request)
        return {as_output()!r}

class Judge:
    async def generate(self, request):
        paid(request)
        text = request.messages[-1].text
        if "Task: match" in text:
            return json.dumps({{"finding": None, "quotation": None, "verdict": "not_found"}})
        if "Task: genuine" in text:
            return json.dumps({{"evidence": "Complaints are answered", "reason": "r", "category": None,
                               "verdict": "genuine", "confidence": 0.9}})
        return json.dumps({{"quotation": "Complaints are answered", "reason": "There.", "found": True}})

reviewer, judge = Reviewer(), Judge()
'''
MUST_FIND = {"id": "M1", "title": "Price of a dog", "issue": "Nothing is said about dogs.", "min_recall": 0.5}
REVIEW = (
    *(
        "review",
        "run",
        "d",
        "--reviewer",
        "probe.md",
        "--model",
        "py/standing:reviewer",
        "--judge",
        "py/standing:judge",
    ),
    *("--runs", "1", "--max-connections", str(IN_FLIGHT), "--out", "r.db", "--json"),
)
CALIBRATE = (
    *("judge", "calibrate", "--judge", "py/standing:judge", "--task", "genuine", "--set", "labels:r.db"),
    *("--repeats", "1", "--max-connections", str(IN_FLIGHT), "--out", "c.db", "--json"),
)


PROPOSE = ("review", "propose", "r.db", "--dataset", "d", "--write")
CANDIDATE = "(the first)"
CONFIRM = (
    *("review", "confirm", "d", CANDIDATE, "--as", "must-find", "--judge", "py/standing:judge", "--out", "z.db"),
    *("--max-connections", str(IN_FLIGHT)),
)
LABEL = ("judge", "label", "r.db", "--dataset", "d", "--rater", "ann")


def told(folder: Path, *words: str, stdin: str = "", killed_at: int = 0) -> Any:
    return fiducial(*words, cwd=folder, env={"PYTHONPATH": "."}, stdin=stdin, killed_at=killed_at)


def dataset(folder: Path) -> None:
    make_dataset(folder / "d", [MUST_FIND])
    (folder / "standing.py").write_text(MODELS, encoding="utf-8")
    (folder / "probe.md").write_text("---\nname: probe\n---\nYou look for gaps.\n", encoding="utf-8")


def reviewed(folder: Path) -> None:
    dataset(folder)
    assert told(folder, *REVIEW).returncode == 0


def proposed(folder: Path) -> None:
    reviewed(folder)
    assert told(folder, *PROPOSE).returncode == 0


def labelled(folder: Path) -> None:
    reviewed(folder)
    assert told(folder, *LABEL, stdin="g\nn\ng\n").returncode == 0


def first_edition(folder: Path) -> None:
    shutil.copy(FIRST_EDITION / "bias.db", folder / "r.db")


def without(value: Any, names: tuple[str, ...]) -> Any:
    if isinstance(value, dict):
        return {key: without(one, names) for key, one in value.items() if key not in names}
    return [without(one, names) for one in value] if isinstance(value, list) else value


def report(folder: Path) -> Any:
    spent = ("calls", "seconds", "input_tokens", "output_tokens", "judge_tokens")
    schema._checked.clear()
    return without(msgspec.to_builtins(look(folder / "r.db")), spent)


def lists(folder: Path) -> dict[str, list[str]]:
    """What people and commands decided, file by file."""
    return {
        path.name: [json.loads(line)["title"] for line in path.read_text().splitlines()]
        for path in sorted(folder.glob("d/*.jsonl"))
        if path.read_text()
    }


def labels(folder: Path) -> list[tuple[str, str]]:
    rows = [json.loads(line) for line in (folder / "d/labels/ann.jsonl").read_text().splitlines()]
    return [(row["case"], row["label"]) for row in rows]


def calibrations(folder: Path) -> list[Any]:
    return [without(json.loads(path.read_text()), ("date", "expires")) for path in folder.glob("calibrations/*")]


@pytest.mark.parametrize(
    ("prepare", "words", "stdin", "state"),
    [
        pytest.param(dataset, REVIEW, "", report, id="collecting and judging"),
        pytest.param(first_edition, ("rescore", "r.db", "--json"), "", report, id="rescoring"),
        pytest.param(reviewed, PROPOSE, "", lists, id="proposing"),
        pytest.param(proposed, CONFIRM, "", lists, id="confirming"),
        pytest.param(proposed, ("review", "reject", "d", CANDIDATE, "--why", "x"), "", lists, id="rejecting"),
        pytest.param(reviewed, LABEL, "g\ng\ng\n", labels, id="labelling"),
        pytest.param(labelled, CALIBRATE, "", calibrations, id="calibrating"),
    ],
)
def test_a_command_that_is_killed_at_any_commit_point_ends_as_if_it_had_not_been(
    tmp_path: Path,
    prepare: Callable[[Path], None],
    words: tuple[str, ...],
    stdin: str,
    state: Callable[[Path], Any],
) -> None:
    before = tmp_path / "before"
    before.mkdir()
    prepare(before)
    (before / "calls.jsonl").unlink(missing_ok=True)
    if CANDIDATE in words:
        first = json.loads((before / "d/candidates.jsonl").read_text().splitlines()[0])["id"]
        words = tuple(first if word == CANDIDATE else word for word in words)
    undisturbed = shutil.copytree(before, tmp_path / "undisturbed")
    assert told(undisturbed, *words, stdin=stdin).returncode == 0
    expected = state(undisturbed)
    for point in itertools.count(1):
        folder = shutil.copytree(before, tmp_path / str(point))
        killed = told(folder, *words, stdin=stdin, killed_at=point)
        if killed.returncode != -signal.SIGKILL:
            assert killed.returncode == 0 and point > 1, killed.stderr
            break
        again = told(folder, *words, stdin=stdin)
        assert "Traceback" not in again.stderr
        assert again.returncode == (2 if "is no longer in the queue" in again.stderr else 0), (point, again.stderr)
        assert state(folder) == expected, point
        paid, once = (_calls(place) for place in (folder, undisturbed))
        assert paid.keys() == once.keys() and (paid - once).total() <= 2 * IN_FLIGHT, point


def _calls(folder: Path) -> Counter[str]:
    """What was asked, and how often. Each run has marks of its own around what it quotes."""
    path = folder / "calls.jsonl"
    asked = path.read_text().splitlines() if path.exists() else ()
    return Counter(re.sub(r"\b[0-9a-f]{16}\b", "MARK", line) for line in asked)
