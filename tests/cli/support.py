"""Running the real command in a process of its own, as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec


def gnomon(*arguments: object, cwd: Path, env: dict[str, str] | None = None, stdin: str = "") -> Any:
    """The completed process. No provider key of the machine reaches it."""
    clean = {k: v for k, v in os.environ.items() if not k.endswith(("_API_KEY", "_BASE_URL"))}
    return subprocess.run(
        [sys.executable, "-m", "gnomon.cli.main", *map(str, arguments)],
        cwd=cwd,
        env={**clean, **(env or {})},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def result(done: Any) -> Any:
    """The one JSON document on standard output."""
    return msgspec.json.decode(done.stdout)
