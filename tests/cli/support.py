"""Running the real command in a process of its own, as a user does.

Importing takes most of a second, so processes are forked from one that has imported everything already. Nothing else
is shared: arguments, environment, folder and streams are the command's own. tests/cli/test_commands.py starts `fiducial`
itself, from nothing.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

SECONDS = 120
IMPORTED = (
    "fiducial.cli.main",
    "fiducial.bias.conduct",
    "fiducial.report.terminal",
    "fiducial.report.write",
    "fiducial.review.run",
    "fiducial.study.compare",
    "fiducial.study.judge_calibrate",
)

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(list(IMPORTED))


def fiducial(
    *arguments: object, cwd: Path, env: Mapping[str, str] | None = None, stdin: str = "", killed_at: int = 0
) -> Any:
    """The completed process. No provider key of the machine reaches it.

    With `killed_at`, it is ended by SIGKILL when it comes to that commit point (`fiducial.run.files.commit_point`).
    """
    clean = {k: v for k, v in os.environ.items() if not k.endswith(("_API_KEY", "_BASE_URL"))}
    words = [str(argument) for argument in arguments]
    with tempfile.TemporaryDirectory() as folder:
        streams = [Path(folder, name) for name in ("in", "out", "err")]
        streams[0].write_text(stdin, encoding="utf-8")
        process = _processes.Process(
            target=_command, args=(words, str(cwd), {**clean, **(env or {})}, streams, killed_at)
        )
        process.start()
        process.join(SECONDS)
        if process.is_alive():
            process.kill()
            raise subprocess.TimeoutExpired(words, SECONDS)
        said = [stream.read_text(encoding="utf-8") if stream.exists() else "" for stream in streams[1:]]
        return subprocess.CompletedProcess(words, process.exitcode or 0, *said)


def _command(words: list[str], cwd: str, env: dict[str, str], streams: list[Path], killed_at: int) -> None:
    os.environ.clear()
    os.environ.update(env)
    for number, path in enumerate(streams):
        os.dup2(os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT), number)
    sys.stdin = _stream(0, "r", "<stdin>")
    sys.stdout = _stream(1, "w", "<stdout>")
    sys.stderr = _stream(2, "w", "<stderr>")
    os.chdir(cwd)
    sys.path[0:0] = [cwd]  # as `python -m` does
    sys.argv = ["fiducial", *words]
    from fiducial.cli.main import main
    from fiducial.run import files

    points = itertools.count(1)

    def commit_point() -> None:
        if next(points) == killed_at:
            os.kill(os.getpid(), signal.SIGKILL)

    files.commit_point = commit_point
    main()


def _stream(number: int, mode: str, name: str) -> Any:
    stream: Any = os.fdopen(number, mode, encoding="utf-8", closefd=False)
    stream.buffer.raw.name = name
    return stream


def result(done: Any) -> Any:
    """The one JSON document on standard output."""
    return msgspec.json.decode(done.stdout)
