"""Commands that are printed for a person to copy: a name from outside is one word of them, whatever is in it."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

from tests.cli.support import fiducial
from tests.cli.test_review_run import ITEMS, STAND_INS
from tests.review.standins import as_output, make_dataset

NAME = """a 'b'  $(touch owned) ; "c\""""
PRINTED = re.compile(r"fiducial (?:bias|review|report|judge) [^`\n]*")


def names_in(done: Any, *, exit_code: int = 0) -> set[str]:
    """The words with the name in them, of every command with the name that was printed, in JSON or as it is."""
    assert done.returncode == exit_code, done.stderr
    said = done.stdout + done.stderr
    if done.stdout.startswith("{"):
        said = "\n".join(map(json.loads, re.findall(r'"(?:[^"\\]|\\.)*"', done.stdout)))
    printed = [text for text in PRINTED.findall(said) if "touch" in text]
    found = [{word for word in shlex.split(text) if "touch" in word} for text in printed]
    assert found and all(found), said
    return set().union(*found)


def test_a_name_from_outside_is_one_word_of_every_command_that_is_printed(tmp_path: Path) -> None:
    (tmp_path / "standing.py").write_text(STAND_INS, encoding="utf-8")
    (tmp_path / "output.txt").write_text(as_output(), encoding="utf-8")
    (tmp_path / "probe.md").write_text("---\nname: probe\n---\nYou look for gaps.\n", encoding="utf-8")
    make_dataset(tmp_path / NAME, [ITEMS[0] | {"zero_shot": None}])
    run = f"{NAME}.db"

    def say(*words: object) -> Any:
        return fiducial(*words, cwd=tmp_path)

    models = ("--model", "py/standing:reviewer", "--judge", "py/standing:judge")
    asked = ("review", "run", NAME, "--reviewer", "probe.md", *models, "--out", run)
    assert names_in(say(*asked, "--budget", "calls=1"), exit_code=3) == {NAME, run}
    assert run in names_in(say(*asked))
    assert names_in(say("review", "status", NAME, "--reviewer", "probe.md")) == {NAME}
    assert names_in(say("review", "propose", run, "--min-runs", 1, "--write")) == {str(tmp_path / NAME)}
    assert names_in(say("review", "check", NAME, "--json")) == {NAME}
    labels = ("judge", "calibrate", "--judge", "py/standing:judge", "--task", "genuine", "--set", f"labels:{run}")
    assert names_in(say(*labels), exit_code=2) == {run}
    (tmp_path / "one.md").write_text("# One\n\nA document.\n", encoding="utf-8")
    assert names_in(say("review", "init", "one.md", "--out", f"{NAME}2")) == {f"{NAME}2"}
    (tmp_path / f"{NAME}.md").write_text("# Two\n", encoding="utf-8")
    assert f"{NAME}.md" in names_in(say("review", "status", f"{NAME}.md"), exit_code=2)
    mine = str(Path(NAME, "mine.yaml"))
    assert names_in(say("bias", "new", "mine", "--paradigm", "anchor", "--out", NAME)) == {mine}
    assert names_in(say("bias", "new", "other", "--paradigm", "anchor", "--out", NAME, "--json"))
    (tmp_path / f"{NAME}3").mkdir()
    empty = say("bias", "run", "--model", "sim/rational", "--battery", f"{NAME}3")
    assert names_in(empty, exit_code=2) == {f"{NAME}3"}
    assert not (tmp_path / "owned").exists()
