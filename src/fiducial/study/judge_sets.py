"""The cases that a judge is tried on: `planted:` ones, whose label is known by construction, and `labels:` of people.

A case belongs to one half, `dev` or `holdout`, by the hash of its id: whatever the settings, it is always the same one.
A prompt that was tuned on one half is judged on the other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.judge.calibration import Basis, Half
from fiducial.judge.case import Case, Task
from fiducial.review.dataset import Dataset, load_dataset, shipped_datasets
from fiducial.review.files import near
from fiducial.study.judge_families import families
from fiducial.study.judge_labels import labelled
from fiducial.study.judge_planted import planted_cases
from fiducial.study.judge_replies import battery_part, reply_cases

KINDS: tuple[Basis, ...] = ("planted", "labels")
CASES = 120  # of a planted set, unless told otherwise


class CaseSet(Struct, frozen=True, kw_only=True):
    """Cases with labels, where they come from, and what had to be left out, by reason."""

    cases: tuple[Case, ...]
    basis: Basis
    left_out: dict[str, int] = {}


def load_set(task: Task, text: str, *, seed: int = 1, half: Half = "all", limit: int | None = None) -> CaseSet:
    """The set that `planted:DATASET`, `planted:TIER or BIASES` (of the task `read`) or `labels:FILE` names.

    Of a planted set at most `limit` cases (120 unless told otherwise), as many of one label as of the other, spread
    over categories. Of people's labels all, or `limit` at random.
    """
    kind, name = _parsed(text)
    if kind == "labels":
        found = labelled(task, name)
        kept = in_half(found.cases, half)
        if limit is not None:
            kept = sorted(kept, key=lambda case: _rank(seed, case.id))[:limit]
        return _some(CaseSet(cases=tuple(kept), basis="labels", left_out=found.left_out), text, half)
    wanted = limit or CASES
    if task == "read":
        made: Iterable[Case] = reply_cases(battery_part(name), seed=seed)
    else:
        flaws = wanted if half == "all" else 3 * wanted  # about half of them are true, and of those half in a half
        datasets = _datasets(name)
        share = -(-flaws // (len(datasets) if task == "match" else 2 * len(datasets)))
        made = (
            case for dataset in datasets for case in planted_cases(task, families(dataset, seed=seed, flaws=share))
        )
    chosen = balanced(in_half(made, half), wanted, seed=seed)
    return _some(CaseSet(cases=tuple(chosen), basis="planted"), text, half)


def half_of(case_id: str) -> Literal["dev", "holdout"]:
    """The half that a case belongs to, for ever."""
    return (
        "dev" if hashlib.sha256(f"half\0{case_id}".encode("utf-8", "surrogatepass")).digest()[0] % 2 else "holdout"
    )


def in_half(cases: Iterable[Case], half: Half) -> list[Case]:
    """The cases of a half; without two of the same id."""
    distinct = {case.id: case for case in cases}
    return [case for case in distinct.values() if half in ("all", half_of(case.id))]


def balanced(cases: Sequence[Case], limit: int, *, seed: int) -> list[Case]:
    """At most so many cases, half of each label as far as there are, the categories of a label in turns."""
    by_label = {label: _in_turns([c for c in cases if c.label == label], seed) for label in (1, 0)}
    each = min(limit // 2 or 1, *map(len, by_label.values()))
    return [case for own in by_label.values() for case in own[:each]]


def _in_turns(cases: Sequence[Case], seed: int) -> list[Case]:
    queues: dict[str, list[Case]] = {}
    for case in sorted(cases, key=lambda case: _rank(seed, case.id)):
        queues.setdefault(case.category or "", []).append(case)
    turns = [(k, category, case) for category, queue in queues.items() for k, case in enumerate(queue)]
    return [case for *_, case in sorted(turns, key=lambda turn: turn[:2])]


def _parsed(text: str) -> tuple[Basis, str]:
    kind, colon, name = text.partition(":")
    for known in KINDS:
        if kind == known and name.strip():
            return known, name.strip()
    what = f"{kind!r} is no kind of set{near(kind, KINDS)}"
    if colon and kind in KINDS:
        what = "what follows the colon is missing"
    raise UsageError(f"--set {text}: {what}. Write planted:DATASET or labels:FILE")


def _datasets(name: str) -> list[Dataset]:
    """The dataset of that name, or several with commas between."""
    names = [name]
    if "," in name and not Path(name).exists() and name not in shipped_datasets():
        names = [part.strip() for part in name.split(",") if part.strip()]
    return [load_dataset(Path(one)) for one in dict.fromkeys(names)]


def _some(found: CaseSet, text: str, half: Half) -> CaseSet:
    labels = {case.label for case in found.cases}
    if len(labels) == 2:
        return found
    where = "" if half == "all" else f", half {half}"
    if found.basis == "planted":
        raise UsageError(
            f"--set {text}{where}: no flaw can be planted there, or none that does not stand everywhere; "
            "`fiducial review plant FILE` says what a document lacks"
        )
    there = "no case" if not labels else f"only cases with the label {labels.pop()}"
    raise UsageError(f"--set {text}{where}: {there}; both labels are needed")


def _rank(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{name}".encode("utf-8", "surrogatepass")).digest()
