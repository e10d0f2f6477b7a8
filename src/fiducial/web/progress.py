"""How far a run is, and whether anybody is at it: seen in the run file alone, which may be read while it is written."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from msgspec import Struct

from fiducial.errors import FiducialError
from fiducial.run.listing import Listed
from fiducial.run.store import Store
from fiducial.web.folder import Served, changed

ACTIVE = 90.0  # seconds without a reply, after which nobody is taken to be at it any more
WINDOW = 60.0  # seconds over which the pace is counted

State = Literal["running", "complete", "incomplete", "unreadable"]


class Standing(Struct, frozen=True, kw_only=True):
    """A run in the list. `share` is of its trials, `pace` in replies a minute."""

    id: str
    name: str
    state: State
    run: Listed
    share: float
    pace: float | None = None
    left: float | None = None  # seconds, at this pace
    quiet: float | None = None  # seconds since the last reply
    changed: str = ""


def standing(served: Served, seen: Listed, *, now: float | None = None) -> Standing:
    """Where a run stands; `seen` are its counts."""
    now = time.time() if now is None else now
    when = datetime.fromtimestamp(changed(served.path), UTC).strftime("%Y-%m-%d %H:%M")
    if seen.problem:
        return Standing(id=served.id, name=served.name, state="unreadable", run=seen, share=0.0, changed=when)
    share = seen.answered / seen.trials if seen.trials else 1.0
    if share == 1.0 or now - changed(served.path) > ACTIVE:
        state: State = "complete" if share == 1.0 else "incomplete"
        return Standing(id=served.id, name=served.name, state=state, run=seen, share=share, changed=when)
    last, lately = _lately(served.path, now)
    quiet = None if last is None else max(0.0, now - last)
    pace = lately * 60 / WINDOW
    return Standing(
        id=served.id,
        name=served.name,
        state="running",
        run=seen,
        share=share,
        pace=pace,
        left=(seen.trials - seen.answered) / pace * 60 if pace else None,
        quiet=quiet,
        changed=when,
    )


def _lately(path: Path, now: float) -> tuple[float | None, int]:
    """When the last reply came, and how many came within the window."""
    try:
        with Store(path) as store:
            row = store.db.execute(
                "SELECT max(started + seconds), total(started + seconds > ?) FROM reply WHERE reused IS NULL",
                (now - WINDOW,),
            ).fetchone()
    except FiducialError:
        return None, 0
    return row[0], int(row[1])


def spell(seconds: float | None) -> str:
    """A time span in words, as far as it matters."""
    if seconds is None:
        return ""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
