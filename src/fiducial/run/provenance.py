"""Where a run came from: versions, commit, platform. No machine paths, no user names, no secrets."""

from __future__ import annotations

import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import fiducial

_PACKAGES = ("aiohttp", "msgspec", "numpy", "scipy", "xllamacpp", "inspect-ai", "uvloop")


def provenance() -> dict[str, object]:
    """What to store with a run so that it can be traced."""
    packages: dict[str, str] = {}
    for name in _PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            continue
    return {
        "fiducial": fiducial.__version__,
        "commit": _commit(),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": packages,
    }


def _commit() -> str | None:
    """The commit of Fiducial's own checkout, `+` appended where it has changes; None for an installed copy."""
    home = Path(fiducial.__file__).resolve().parents[2]
    if not (home / ".git").exists():
        return None
    try:
        found = subprocess.run(
            ["git", "-C", str(home), "describe", "--always", "--dirty=+", "--abbrev=12"],  # noqa: S607
            capture_output=True,
            text=True,
            timeout=5,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() or None
