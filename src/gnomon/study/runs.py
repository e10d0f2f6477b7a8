"""Runs of any instrument: which one made a run file, and what it makes of it."""

from __future__ import annotations

from pathlib import Path

from gnomon.bias import run as bias
from gnomon.bias.result import RunResult
from gnomon.errors import UsageError
from gnomon.review import run as review
from gnomon.review.result import ReviewResult
from gnomon.run.store import Store

INSTRUMENTS = ("bias", "review")


def instrument(path: Path) -> str:
    """The instrument that made the run."""
    with Store(path) as store:
        made = str((store.meta("settings") or {}).get("instrument", "an unknown instrument"))
    if made not in INSTRUMENTS:
        raise UsageError(f"{path}: a run of {made}, which this command does not know.")
    return made


def look(path: Path) -> RunResult | ReviewResult:
    """The result as it stands, without writing anything."""
    return bias.look(path) if instrument(path) == "bias" else review.look(path)
