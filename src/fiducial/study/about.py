"""What a run file is about, without a result: its instrument, its documents, and who decides in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.errors import FiducialError
from fiducial.judge.asking import Judge, appointed, ever_appointed
from fiducial.judge.panel import panel_name
from fiducial.run.store import Store


class About(Struct, frozen=True, kw_only=True):
    """A run in a few words. Of a file that cannot be read, `problem` says why and the rest is empty."""

    instrument: str = ""
    model: str = ""
    dataset: str = ""
    folder: str = ""  # of the dataset, when it was run
    hashes: dict[str, str] = {}  # of its documents
    reviewers: tuple[str, ...] = ()
    judges: tuple[Judge, ...] = ()  # who decides in it, a panel as the one judge that it is
    before: tuple[Judge, ...] = ()  # who decided in it earlier, seat by seat
    problem: str | None = None


def about(path: Path) -> About:
    """What a run file says of itself."""
    try:
        with Store(path, check=False) as store:
            settings, folder = store.meta("settings"), store.meta("folder")
            now, ever = appointed(store), ever_appointed(store)
    except (FiducialError, sqlite3.Error, msgspec.MsgspecError) as error:
        return About(problem=str(error))
    said: Mapping[str, object] = settings if isinstance(settings, Mapping) else {}
    hashes, reviewers = said.get("document_hashes"), said.get("reviewers")
    return About(
        instrument=str(said.get("instrument", "")),
        model=str(said.get("model", "")),
        dataset=str(said.get("dataset", "")),
        folder=str(folder or ""),
        hashes={str(k): str(v) for k, v in hashes.items()} if isinstance(hashes, dict) else {},
        reviewers=tuple(map(str, reviewers)) if isinstance(reviewers, list) else (),
        judges=tuple(deciding(now)),
        before=tuple(judge for judge in ever if judge.role not in {one.role for one in now}),
    )


def deciding(judges: Iterable[Judge]) -> list[Judge]:
    """Seats as the judges that decide: those that are asked the same, in the same words, are one panel."""
    seats: dict[tuple[str, str, str], list[Judge]] = {}
    for judge in judges:
        seats.setdefault((judge.task, judge.about, judge.prompt), []).append(judge)
    return [
        msgspec.structs.replace(own[0], model=panel_name({judge.model for judge in own})) for own in seats.values()
    ]
