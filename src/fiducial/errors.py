"""Errors a person can act on. Each carries the exit code that the command line ends with."""

from __future__ import annotations

import shlex
from pathlib import Path


class FiducialError(Exception):
    """Something the user can mend: the message says what was wrong, where, and what to do."""

    exit_code = 2


def install_hint(extra: str) -> str:
    """How to install an extra. From a clone, because there is no release on a package index yet."""
    return f"in a clone of Fiducial, pip install '.[{extra}]'"


FAULT = "fault:"


def fault(error: Exception) -> str:
    """How a reply is marked that made a reader raise: the name of the exception behind `fault:`.

    One reply must not end the reading of all others, so it counts as not read, and the audit counts these marks.
    """
    return f"{FAULT}{type(error).__name__}"


def command(*words: object) -> str:
    """A command of Fiducial's to be copied into a shell: every word is quoted where it has to be.

    Characters that cannot be seen are left out first: a terminal could take a quotation mark for a part of an escape
    sequence.
    """
    return shlex.join(["fiducial", *("".join(c for c in str(word) if c.isprintable()) for word in words)])


class UsageError(FiducialError):
    """The command, or a file given to it, is wrong."""


class DamagedFile(FiducialError):
    """A run file that is broken, or that another program has changed."""

    exit_code = 4

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(
            f"{path}: this run file is damaged, or was changed by another program: {' '.join(what.split())[:300]}. "
            "Use a backup copy of it, or make the run again."
        )


class Incomplete(FiducialError):
    """The run stopped before its end; repeating the command, or the call, continues it.

    `path` is the run file with what was answered, where there is one; `stopped` why nothing more was asked, None where
    calls failed.
    """

    exit_code = 3

    def __init__(self, message: str, *, path: Path | None = None, stopped: str | None = None) -> None:
        super().__init__(message)
        self.path, self.stopped = path, stopped


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run in good order. Everything that was answered is in the run file at `path`."""

    def __init__(self, path: Path | None = None) -> None:
        said = (
            f"; {path} holds what was answered, and the same call continues it"
            if path
            else " before anything was asked"
        )
        super().__init__(f"interrupted{said}")
        self.path = path
