"""The tutorials' commands, run as the pages have them.

A ```console block holds commands (lines that begin with `$ `, continued by a backslash) and what they print. All blocks
of a page are run in order in one folder that has nothing but `examples/`, as a reader would in a checkout. `fiducial …` runs
in this process, with `> FILE` and `2> FILE` as the shell has them; what follows a ` | `, and any other command, is given to
the shell.

Compared is what a terminal of 96 columns would show, standard error included, with three exceptions: lines of progress are
left out, blanks at the end of lines too, and what differs from run to run (times, dates) is masked on both sides.

    python -m tests.project.tutorials                writes what is printed today into the pages
    python -m tests.project.tutorials pictures       makes their pictures anew (needs Chromium)
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

from msgspec import Struct

from fiducial.cli.main import main as fiducial_main

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = ("tutorial-bias.md", "tutorial-review.md", "tutorial-judge.md")
WIDTH = 96
SETTINGS = {"COLUMNS": str(WIDTH), "TERM": "dumb", "NO_COLOR": "1", "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1"}
_BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
_PROGRESS = re.compile(r"^.*: \d+/\d+ done(, .*)?$")
_REDIRECTED = re.compile(r" (2?)> ?(\S+)")
_MASKED = (
    (re.compile(r"\b\d+ min \d+ s\b|\b\d+(\.\d+)? s\b"), "0.0 s"),
    (re.compile(r"\b20\d\d-\d\d-\d\d\b"), "2026-01-01"),
)


class Step(Struct, frozen=True):
    """One command with what it prints."""

    command: str  # as it stands in the page, without the `$ `
    printed: str


def steps(block: str) -> list[Step]:
    """The commands of a block."""
    found: list[list[str]] = []
    open_command = False
    for line in block.splitlines():
        if open_command:
            found[-1][0] += "\n" + line
        elif line.startswith("$ "):
            found.append([line.removeprefix("$ ")])
        else:
            assert found, f"a console block begins with a command, not with {line!r}"
            found[-1].append(line)
        open_command = (open_command or line.startswith("$ ")) and line.endswith("\\")
    return [Step(command=command, printed="\n".join(printed)) for command, *printed in found]


def blocks(text: str) -> list[str]:
    """The console blocks of a page."""
    return _BLOCK.findall(text)


def masked(text: str) -> str:
    """The same text for every run that came to the same."""
    for pattern, instead in _MASKED:
        text = pattern.sub(instead, text)
    return text


class Terminal:
    """Runs one command after the other; the folder that it is in is the reader's."""

    def __init__(self) -> None:
        self.exit_code = 0

    def run(self, command: str) -> str:
        """What the command prints, as the pages show it; of a pipeline, standard error first."""
        plain = command.replace("\\\n", " ")
        first, bar, rest = plain.partition(" | ")
        if not first.startswith("fiducial "):
            return shown(self._shell(plain))
        kept = dict(_REDIRECTED.findall(first))  # by stream: "" or "2"
        first = _REDIRECTED.sub("", first)
        out, err = io.StringIO(), io.StringIO()
        together = not bar and not kept
        self._fiducial(shlex.split(first)[1:], out, out if together else err)
        for stream, said in (("", out), ("2", err)):
            if stream in kept:
                Path(kept[stream]).write_text(said.getvalue(), encoding="utf-8")
                said.truncate(said.seek(0))
        return shown(err.getvalue() + (self._shell(rest, out.getvalue()) if bar else out.getvalue()))

    def _fiducial(self, arguments: list[str], out: io.StringIO, err: io.StringIO) -> None:
        before, sys.argv = sys.argv, ["fiducial", *arguments]
        try:
            with redirect_stdout(out), redirect_stderr(err):
                fiducial_main()
        except SystemExit as stop:
            self.exit_code = int(stop.code or 0)
        finally:
            sys.argv = before

    def _shell(self, command: str, given: str = "") -> str:
        script = f"(exit {self.exit_code}); {command}"  # so that `echo $?` says what it would
        done = subprocess.run(["sh", "-c", script], input=given, capture_output=True, text=True, check=False)
        self.exit_code = done.returncode
        return done.stdout + done.stderr


def shown(said: str) -> str:
    """Output as a page has it: no lines of progress, no blanks at the end of lines."""
    lines = (line.rstrip() for line in said.splitlines())
    return "\n".join(line for line in lines if not _PROGRESS.match(line)).strip("\n")


def ran(text: str, folder: Path) -> Iterator[tuple[Step, str]]:
    """Every command of a page, with what it prints in that folder."""
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    python = folder / ".bin"
    python.mkdir()
    (python / "python").symlink_to(sys.executable)
    before = dict(os.environ)
    os.environ.update(SETTINGS, PATH=f"{python}:{before.get('PATH', '')}")
    terminal, path = Terminal(), list(sys.path)
    try:
        with chdir(folder):
            for block in blocks(text):
                for step in steps(block):
                    yield step, terminal.run(step.command)
    finally:
        os.environ.clear()
        os.environ.update(before)
        sys.path[:] = path
        sys.modules.pop("standin", None)


def renewed(text: str, folder: Path) -> str:
    """The page with what its commands print today; where that is the same but for times and dates, as it was."""
    results = ran(text, folder)

    def block(found: re.Match[str]) -> str:
        lines: list[str] = []
        for step in steps(found[0]):
            _, printed = next(results)
            same = masked(printed) == masked(step.printed.strip("\n"))
            lines += ["$ " + step.command, *([step.printed.rstrip("\n") if same else printed] if printed else [])]
            lines += [""] if printed else []  # commands that print nothing stand close to the next
        return "\n".join(lines).strip("\n") + "\n"

    made = _BLOCK.sub(block, text)
    assert next(results, None) is None
    return made


def main() -> None:
    """Rewrite the pages, or their pictures."""
    if sys.argv[1:] == ["pictures"]:
        from tests.project.pictures import make  # needs a browser

        make()
        return
    for name in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            page = DOCS / name
            text = page.read_text(encoding="utf-8")
            made = renewed(text, Path(folder))
        page.write_text(made, encoding="utf-8")
        print(name, "as it was" if made == text else "written anew")


if __name__ == "__main__":
    main()
