"""What would make more of a judge known: the commands to copy, with names from outside made inert and quoted."""

from __future__ import annotations

from msgspec import Struct

from fiducial.errors import command
from fiducial.judge.panel import JOINED
from fiducial.judge.trust import Trust
from fiducial.report.inert import inert, shorten


class Remedy(Struct, frozen=True):
    """What would make more of the judge known, and the commands that do it."""

    words: str
    commands: tuple[str, ...]


def remedies(trust: Trust, *, run: str = "", dataset: str = "") -> list[Remedy]:
    """What would make more known of the judge; nothing where enough is."""
    found, task = trust.calibration, trust.task
    if trust.state == "expired" and found is not None:
        return [Remedy("Make it again:", (_calibrate(trust, found.set),))]
    if trust.state == "calibrated":
        return []
    made = []
    if trust.state == "unknown":
        name, where = _planted(task, dataset)
        made.append(Remedy(f"A first answer, from planted cases{where}:", (_calibrate(trust, f"planted:{name}"),)))
    people = "With more labels by people:" if trust.state == "exploratory" else "From labels by people:"
    if task == "genuine" and run:
        label = command("judge", "label", _plain(run))
        made.append(Remedy(people, (label, _calibrate(trust, f"labels:{run}"))))
    else:
        made.append(Remedy(people, (_calibrate(trust, "labels:FILE.jsonl"),)))
    return made


def _planted(task: str, dataset: str) -> tuple[str, str]:
    """What to plant in, and what has to be said of it. A result has the name of its dataset, not the folder."""
    from fiducial.review.dataset import shipped_datasets  # noqa: PLC0415 - bias runs print cards too, and read no dataset

    if task == "read":
        return "quick", ""
    if dataset in shipped_datasets():
        return dataset, ""
    return "DATASET", f" (DATASET is the folder of {_plain(dataset)})" if dataset else ""


def _calibrate(trust: Trust, case_set: str) -> str:
    seats = trust.model.split(JOINED)
    models = seats if all("/" in seat for seat in seats) else [trust.model]
    judges = [part for name in models for part in ("--judge", _plain(name))]
    return command("judge", "calibrate", *judges, "--task", _plain(trust.task), "--set", _plain(case_set))


def _plain(text: str) -> str:
    return shorten(text if text.isprintable() else inert(text), 200)
