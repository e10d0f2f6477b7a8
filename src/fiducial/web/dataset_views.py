"""The datasets of the served folder, and the runs in it that used them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.errors import FiducialError, UsageError
from fiducial.judge.calibration import Calibration, load_all
from fiducial.report.readiness_graph import Graph, graph_of
from fiducial.review.dataset import Dataset, load_dataset
from fiducial.review.overview import Overview, overview
from fiducial.review.run import look
from fiducial.review.status import Stored, dataset_readiness
from fiducial.study.about import About, about
from fiducial.web.desk import OUTSIDE, Desk
from fiducial.web.folder import MOST, Served, changed


class Shelved(Struct, frozen=True, kw_only=True):
    """A dataset in the list. Of one that cannot be read, `problem` says why."""

    served: Served
    seen: Overview | None = None
    problem: str = ""


class Used(Struct, frozen=True, kw_only=True):
    """A run that used a dataset. `today` counts its documents that are the dataset's text of today."""

    served: Served
    about: About
    today: int


def shelved(desk: Desk, served: Served) -> Shelved:
    """One dataset, looked over."""
    if desk.folder.stray(served.path) is not None:
        return Shelved(served=served, problem=OUTSIDE)
    try:
        return Shelved(served=served, seen=overview(nearby(served.path)))
    except (UsageError, OSError) as error:
        return Shelved(served=served, problem=str(error))


def nearby(path: Path) -> Path:
    """The path as people would type it here: commands that are copied should be short."""
    try:
        return path.relative_to(Path.cwd())
    except ValueError:
        return path


def review_runs(desk: Desk) -> list[tuple[Served, About]]:
    """The review runs of the folder, the one that changed last first."""
    seen = ((one, desk.results.once(one.path, about, kept=MOST)) for one in desk.folder.runs())
    return [(one, known) for one, known in seen if known.instrument == "review"]


def runs_on(runs: list[tuple[Served, About]], dataset: Overview) -> list[Used]:
    """The runs that used the dataset: by its name, or by the text of a document."""
    texts = {one.document.hash for one in dataset.documents}
    found = []
    for served, known in runs:
        today = sum(digest in texts for digest in known.hashes.values())
        if today or known.dataset == dataset.name:
            found.append(Used(served=served, about=known, today=today))
    return found


class Ready(Struct, frozen=True, kw_only=True):
    """The graphs of a dataset, and the files that had to be passed over."""

    graphs: list[Graph]
    passed_over: dict[str, str]


def ready(desk: Desk, served: Served) -> Ready:
    """The way to a gate, for every reviewer that was run on the dataset and for the dataset alone."""
    dataset: Dataset = load_dataset(nearby(served.path))
    stored: list[tuple[float, Stored]] = []
    passed_over: dict[str, str] = {}
    for one, known in review_runs(desk):
        if known.dataset != dataset.name:
            continue
        try:
            result = desk.results.once(one.path, look, kept=MOST)
        except (FiducialError, sqlite3.Error, msgspec.MsgspecError, OSError) as error:
            passed_over[one.name] = str(error)
        else:
            stored.append((changed(one.path), Stored(nearby(one.path), result)))
    loaded = load_all(desk.folder.calibrations())
    passed_over |= {path.name: why for path, why in loaded.unreadable.items()}
    known_judges: list[Calibration] = list(loaded.found.values())
    in_time = [one for _, one in sorted(stored, key=lambda pair: (pair[0], pair[1].result.run))]
    found = dataset_readiness(dataset, in_time, calibrations=known_judges)
    return Ready(graphs=[graph_of(one) for one in found], passed_over=passed_over)
