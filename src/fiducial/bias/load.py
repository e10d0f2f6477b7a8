"""Loading the battery: every file is checked before any call is paid for."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.bias.chains import misshapen_chain
from fiducial.bias.item import INTENSITIES, Bias, ItemSpec
from fiducial.bias.paradigms import paradigm
from fiducial.errors import UsageError
from fiducial.model.yaml import load_yaml

MOST_OPTIONS = 26  # one letter each
ID = re.compile(r"[a-z][a-z0-9_]{0,79}")
"""What a bias may be called by."""


class OwnFile(Struct, frozen=True, kw_only=True):
    """A file of somebody's own: its name below the folder that was given, and what was in it."""

    name: str
    sha256: str


class Shelf(Mapping[str, Bias]):
    """Biases by id. Those given as a file are read when they are asked for: all of the battery take half a second."""

    def __init__(self, there: Mapping[str, Bias | Path]) -> None:
        self._there = dict(there)

    def __getitem__(self, id: str) -> Bias:
        found = self._there[id]
        if isinstance(found, Path):
            where, found = found, load_bias(found)
            if found.id != id:
                raise UsageError(f"{where.name}: its id is {found.id!r}; a file of the battery is named after it")
            self._there[id] = found
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._there)

    def __len__(self) -> int:
        return len(self._there)


class Battery(Struct, frozen=True):
    """All biases that are there, by id; of those that are somebody's own, the files too.

    `tiers` spares reading a bias for its tier; it need not name every one.
    """

    biases: Mapping[str, Bias]
    own: dict[str, OwnFile] = {}
    tiers: dict[str, str] = {}

    def select(self, ids: Sequence[str] = (), *, tier: str | None = None) -> list[Bias]:
        """The biases asked for, or all; an unknown id names the nearest ones."""
        for wanted in ids:
            if wanted not in self.biases:
                near = difflib.get_close_matches(wanted, self.biases, n=3, cutoff=0.4)
                raise UsageError(
                    f"there is no bias {wanted!r}. Nearest: {', '.join(near or sorted(self.biases))}. "
                    "`fiducial bias list` shows them all."
                )
        chosen = dict.fromkeys(ids) or self.biases
        return [self.biases[id] for id in chosen if tier is None or self.tier(id) == tier]

    def tier(self, id: str) -> str:
        """The tier of a bias that is there."""
        return self.tiers.get(id) or self.biases[id].tier


@lru_cache
def packaged_files() -> dict[str, Path]:
    """The files that ship with Fiducial, each named after its bias, in a folder for each tier."""
    return {path.stem: path for path in sorted(Path(str(files("fiducial.bias") / "battery")).rglob("*.yaml"))}


@lru_cache
def packaged_battery() -> Battery:
    """The battery that ships with Fiducial."""
    return Battery(Shelf(packaged_files()), tiers={id: path.parent.name for id, path in packaged_files().items()})


def load_bias(path: Path, *, name: str | None = None) -> Bias:
    """One bias file, its shape checked. `name` is what errors call it."""
    where = name or path.name
    raw = load_yaml(path, name=where)
    try:
        bias = msgspec.convert(raw, Bias)
    except msgspec.ValidationError as error:
        raise UsageError(f"{where}{_place(raw, str(error))}: {error}") from error
    if not ID.fullmatch(bias.id):
        raise UsageError(f"{where}: id {bias.id[:60]!r}: small letters, digits and _, a letter first")
    if bias.human and bias.human_none:
        raise UsageError(f"{where}: human and human_none: give one of them")
    if bias.human and (problem := bias.human.problem(paradigm(bias.paradigm).name)):
        raise UsageError(f"{where}: human.{problem}")
    for item in bias.items:
        if problem := _shape(bias, item):
            raise UsageError(f"{where}, item {item.id}: {problem}")
    return bias


def read_item(raw: object, bias: Bias) -> ItemSpec:
    """One item of the bias out of what a file or a model said; a UsageError says what is wrong with it."""
    try:
        item = msgspec.convert(raw, ItemSpec)
    except msgspec.ValidationError as error:
        raise UsageError(str(error)) from error
    if problem := _shape(bias, item):
        raise UsageError(problem)
    return item


def _place(raw: object, message: str) -> str:
    """The id of the item that a validation error points at, which says more than its number."""
    if isinstance(raw, dict) and isinstance(raw.get("items"), list) and "$.items[" in message:
        index = int(message.split("$.items[", 1)[1].split("]", 1)[0])
        item = raw["items"][index]
        if isinstance(item, dict) and isinstance(item.get("id"), str):
            return f", item {item['id']}"
    return ""


def _shape(bias: Bias, item: ItemSpec) -> str | None:
    """What makes the item unusable under its paradigm, or None."""
    how = paradigm(bias.paradigm)
    roles = [option.role for option in item.options]
    checks = {
        f"answer.kind is {item.answer.kind!r}; the paradigm {how.name} needs {how.kind!r}": (
            item.answer.kind != how.kind
        ),
        "control: missing": how.control and item.control is None,
        "answer.kind: confident needs options, one of them with the role rational": (
            how.kind == "confident" and "rational" not in roles
        ),
        "stratum: a calibration question has one, from 1 to 5": (
            how.contrast == "single" and item.stratum not in range(1, 6)
        ),
        "sides: give exactly two, the one that pulls toward the bias first": (
            how.sides and len(item.sides or {}) != 2
        ),
        f"sides: the paradigm {how.name} has none": not how.sides and item.sides is not None,
        f"intensities: give all of {', '.join(INTENSITIES)}": (
            how.intensities and set(item.intensities) != set(INTENSITIES)
        ),
        f"intensities: the paradigm {how.name} has none": not how.intensities and bool(item.intensities),
        "pair: the texts of the two sides are missing, or are not named as the sides are": (
            how.sides and not how.intensities and set(item.pair or {}) != set(item.sides or {})
        ),
        f"pair: the paradigm {how.name} has none": item.pair is not None and (how.intensities or not how.sides),
        "options: at least two are needed, each with a role of its own": (
            how.kind != "numeric" and (len(roles) < 2 or len(set(roles)) < len(roles))
        ),
        f"options: at most {MOST_OPTIONS}": len(roles) > MOST_OPTIONS,
        f"target: {item.target!r} is not the role of an option": (
            how.kind == "option" and (item.target or "biased") not in roles
        ),
        "answer.range: a numeric item needs one": how.kind == "numeric" and item.answer.range is None,
        "scale: the two ends that an effect is a share of are missing": (
            how.kind == "numeric" and how.contrast == "difference" and item.scale is None
        ),
        "answer.unit: missing": how.kind == "numeric" and not item.answer.unit,
        f"proof: the paradigm {how.name} needs one of {', '.join(how.proof)}": (
            bool(how.proof) and (item.proof is None or item.proof.kind not in how.proof)
        ),
    }
    return next((problem for problem, wrong in checks.items() if wrong), None) or misshapen_chain(item)
