"""Folders with runs and datasets for the workbench to serve: simulated subjects, stand-ins for reviewers."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from fiducial.bias.load import packaged_battery
from fiducial.bias.run import BiasOptions, collect_run, prepare_run
from fiducial.model.names import open_model
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from tests.review.standins import Judging, Scripted, as_output, make_dataset, review, verdict

T = TypeVar("T")
BIASES = ("anchoring_effect", "gain_loss_framing")


def apart(work: Callable[[], T]) -> T:
    """Done in a thread of its own: the browser's driver keeps an event loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def bias_run(
    path: Path, model: str = "sim/planted:effect=.4", *, biases: tuple[str, ...] = BIASES, calls: int | None = None
) -> Path:
    """A small bias run; `calls` ends it early."""
    options = BiasOptions(model=model, tier="quick", biases=biases, trials=1)
    prepared = prepare_run(packaged_battery(), options, out=path)
    apart(
        lambda: collect_run(
            prepared, open_model(model), options, limits=Limits(), budget=Budget(calls=calls), progress=Silent()
        )
    )
    return path


def review_run(root: Path, name: str = "night", *, titles: tuple[str, ...] = (), runs: int = 2) -> Path:
    """A review by stand-ins of the document in `root/name`, in `root/runs/name.db`; `titles` are of more findings."""
    folder = root / name
    if not folder.exists():
        item: dict[str, object] = {
            "id": "last-bus",
            "title": "The last bus",
            "issue": "Two times for the last bus.",
            "evidence": ["The last bus leaves the station at 04:30."],
        }
        make_dataset(folder, [item])
    output = as_output() + "".join("\n" + as_output([(title, f"Issue: {title}")]) for title in titles)
    judge = Judging(lambda about, before: verdict("genuine" if "owner" in about else "not_genuine"))
    path = root / "runs" / f"{name}.db"
    apart(lambda: review(path, folder, Scripted(output), judge, runs=runs))
    return path
