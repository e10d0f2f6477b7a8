"""Errors a person can act on. Each carries the exit code that the command line ends with."""

from __future__ import annotations


class GnomonError(Exception):
    """Something the user can mend: the message says what was wrong, where, and what to do."""

    exit_code = 2


class UsageError(GnomonError):
    """The command, or a file given to it, is wrong."""


class Incomplete(GnomonError):
    """The run stopped before its end; repeating the command continues it."""

    exit_code = 3
