"""What runs there are."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from fiducial.errors import FiducialError
from fiducial.run.store import Store


class Listed(Struct, frozen=True, kw_only=True):
    """A line of `fiducial runs`. A file that cannot be read says why in `problem`."""

    name: str
    instrument: str = ""
    subject: str = ""
    trials: int = 0
    answered: int = 0
    failed: int = 0
    calls: int = 0
    cost: float | None = None
    changed: str = ""
    problem: str | None = None


def list_runs(folder: Path) -> list[Listed]:
    """The run files in a folder, the one that changed last first."""
    paths = sorted(folder.glob("*.db"), key=lambda p: p.stat().st_mtime, reverse=True)
    return [listed(path) for path in paths]


def listed(path: Path) -> Listed:
    """One run file, counted."""
    try:
        with Store(path, check=False) as store:
            seen, settings = store.progressed(), store.meta("settings") or {}
        changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except FiducialError as error:
        return Listed(name=path.stem, problem=str(error))
    return Listed(
        name=path.stem,
        instrument=str(settings.get("instrument", "")),
        subject=str(settings.get("model", "")),
        trials=seen.trials,
        answered=seen.answered,
        failed=seen.failed,
        calls=seen.calls,
        cost=None if seen.unpriced else seen.cost,
        changed=changed.strftime("%Y-%m-%d %H:%M"),
    )
