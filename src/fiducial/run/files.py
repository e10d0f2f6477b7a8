"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def commit_point() -> None:
    """Called just before and just after anything becomes lasting. Tests replace it, to end the process there."""


def write_whole(path: Path, content: bytes) -> None:
    """Write a file by way of a draft that is renamed into place: a full disk leaves what was there.

    An error names the file, which the system does not do for a write that fails.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.draft")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        commit_point()
        draft.replace(path)
        commit_point()
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        draft.unlink(missing_ok=True)
