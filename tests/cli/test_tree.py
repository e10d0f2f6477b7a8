"""Every command and every protocol once with what it does by default, as a person types it: real processes, output for
people, simulated subjects. What the commands print as JSON is in test_contracts.py, wrong commands are in test_commands.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from fiducial.bias.protocols.registry import NAMES
from fiducial.cli.main import fiducial as command_line
from tests.cli.support import fiducial
from tests.review.standins import DOCUMENT, FINDINGS, as_output, make_dataset

STAND_INS = f"""
import json

class Reviewer:
    async def generate(self, request):
        return {as_output()!r}

class Letter:
    async def generate(self, request):
        return "Answer: A"

class Judge:
    async def generate(self, request):
        if "Task: zero_shot" in request.messages[-1].text:
            return json.dumps({{"quotation": "Complaints are answered", "reason": "r", "found": True}})
        return json.dumps({{"evidence": "Complaints are answered", "reason": "r", "category": None, "verdict": "genuine",
                           "confidence": 0.9}})
"""
SIM_JUDGE = "sim/judge:sensitivity=.8,specificity=.9"
CASES = f"--judge {SIM_JUDGE} --task genuine --set labels:cases.jsonl"
BIAS = "--bias gain_loss_framing"

# In this order: later commands look at what earlier ones left. The number is the exit code where it is not 0.
COMMANDS: tuple[tuple[str, str] | tuple[str, str, int], ...] = (
    ("models", ""),
    ("models try", "py/standing:Reviewer"),
    ("bias list", ""),
    ("bias show", "anchoring_effect"),
    ("bias run", f"--model sim/coin {BIAS} --out runs/a.db"),
    ("bias run", f"--model sim/planted:effect=.5 {BIAS} --out runs/b.db"),
    ("bias items", "a"),
    ("bias new", "my_own --out my_own.yaml"),
    ("bias lint", "my_own.yaml --seeds 1", 1),
    ("bias read", "reply.txt --kind yesno"),
    ("bias score", "rows.jsonl"),
    ("bias calibrate", f"--runs 1 --subject coin {BIAS}"),
    ("bias validate", f"--model py/standing:Letter {BIAS}"),
    ("runs", ""),
    ("audit", "a"),
    ("rescore", "a"),
    ("compare", "a b"),
    ("export", "a"),
    ("review plant", "document.md --count 1 --out planted"),
    ("review init", "document.md --out begun"),
    ("review check", "d"),
    ("review parse", "output.txt"),
    ("review run", "d --reviewer probe.md --model py/standing:Reviewer --judge py/standing:Judge --out runs/r.db"),
    ("review rejudge", "r --judge py/standing:Judge"),
    ("review status", "d"),
    ("review propose", "r --write --min-runs 1"),
    ("review confirm", "d one --judge py/standing:Judge --as must-find"),
    ("review reject", "d two --why known"),
    ("judge label", "r --list"),
    ("judge calibrate", f"{CASES} --repeats 1"),
    ("judge show", ""),
    ("judge ablate", f"{CASES} --factor order"),
    ("judge attack", f"{CASES} --cases 8 --per-injection 1 --kind order"),
    ("judge correct", "verdicts.jsonl"),
)
# What takes seconds, and is run as a command in a test of its own.
ELSEWHERE = {
    "serve": "web/test_serve.py",
    "report": "cli/test_commands.py",
    "bias generate": "cli/test_generate.py",
    "import": "inspect/test_logs.py",
}


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The commands of the tree that can be run."""
    if not isinstance(command, click.Group) or command.invoke_without_command:
        yield " ".join(path)
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from commands(inner, (*path, name))


def test_every_command_is_in_the_table() -> None:
    assert set(commands(command_line)) == {row[0] for row in COMMANDS} | set(ELSEWHERE)
    for name, file in ELSEWHERE.items():
        words = ", ".join(f'"{word}"' for word in name.split())
        assert words in (Path(__file__).parents[1] / file).read_text(encoding="utf-8"), name


def _files(place: Path) -> None:
    def lines(name: str, rows: list[dict[str, object]]) -> None:
        (place / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    (place / "standing.py").write_text(STAND_INS, encoding="utf-8")
    (place / "probe.md").write_text("---\nname: probe\n---\nYou look for gaps.\n", encoding="utf-8")
    (place / "output.txt").write_text(as_output(), encoding="utf-8")
    (place / "reply.txt").write_text("Answer: yes", encoding="utf-8")
    (place / "document.md").write_text(DOCUMENT, encoding="utf-8")
    make_dataset(place / "d")
    lines(
        "rows.jsonl",
        [
            {
                "bias": "b",
                "item": f"{k}",
                "arm": arm,
                "kind": "yesno",
                "biased": "yes",
                "response": f"Answer: {said}",
            }
            for k in range(4)
            for arm, said in (("control", "no"), ("treatment", "yes"))
        ],
    )
    lines(
        "cases.jsonl",
        [{"id": k, "document": DOCUMENT, "text": f"Statement {k} is wrong.", "label": k % 2} for k in range(8)],
    )
    lines(
        "verdicts.jsonl", [{"id": k, "verdict": k % 2, "label": k % 3 % 2 if k < 40 else None} for k in range(80)]
    )
    lines(
        "d/candidates.jsonl",
        [
            {"id": name, "title": title, "issue": issue, "evidence": [], "state": "proposed"}
            for name, (title, issue) in zip(("one", "two"), FINDINGS, strict=False)
        ],
    )


def test_every_command_runs_with_its_defaults(tmp_path: Path) -> None:
    _files(tmp_path)
    for name, arguments, *code in COMMANDS:
        done = fiducial(*name.split(), *arguments.split(), cwd=tmp_path)
        assert [done.returncode] == (code or [0]), (name, arguments, done.stderr[-2000:])
        assert done.stdout + done.stderr and "Traceback" not in done.stderr, name


@pytest.mark.parametrize("protocol", NAMES)
def test_every_protocol_is_run_and_reported(tmp_path: Path, protocol: str) -> None:
    done = fiducial(
        *("bias", "run", "--model", "sim/coin", "--protocol", protocol, "--trials", 1, "--rounds", 2),
        *("--bias", "gain_loss_framing", "--out", "r.db"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "Bias report sim/coin, run r, complete" in done.stdout
