"""People's own biases: files and folders that run beside the packaged battery, linted the same way."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from fiducial.bias.item import Bias
from fiducial.bias.lint import Problem, lint
from fiducial.bias.load import Battery, OwnFile, Shelf, load_bias, packaged_battery, packaged_files
from fiducial.errors import UsageError, command

ENDINGS = (".yaml", ".yml")
SEEDS = 20
"""Before a run: enough to find what is wrong with most draws, in a moment. `fiducial bias lint` tries 200."""
LISTED = 20


class Found(Struct, frozen=True):
    """A bias and the file that it was found in, under the name that errors give it."""

    bias: Bias
    file: OwnFile


def with_own(places: Sequence[Path]) -> Battery:
    """The packaged battery, and the biases in these files and folders beside it.

    An id that is taken is refused with both files: effects of two different things under one name could not be told
    apart in a report or a comparison.
    """
    packaged = packaged_battery()
    if not places:
        return packaged
    own = own_battery(places)
    for id, file in own.own.items():
        if id in packaged.biases:
            raise UsageError(
                f"{file.name}: the bias {id!r} is in the packaged battery already ({id}.yaml). Give yours an id of its own."
            )
    return Battery(Shelf({**packaged_files(), **own.biases}), own.own, packaged.tiers)


def own_battery(places: Sequence[Path]) -> Battery:
    """The biases in these files and folders alone."""
    found = own_biases(places)
    return Battery({f.bias.id: f.bias for f in found}, {f.bias.id: f.file for f in found})


def own_biases(places: Sequence[Path]) -> list[Found]:
    """Every bias file of the places, folders searched through, in order of their names."""
    found: dict[str, Found] = {}
    for path, name in _files(places):
        bias = load_bias(path, name=name)
        if bias.id in found:
            raise UsageError(f"{name}: the bias {bias.id!r} is in {found[bias.id].file.name} already")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        found[bias.id] = Found(bias, OwnFile(name=name, sha256=digest))
    return list(found.values())


def _files(places: Sequence[Path]) -> list[tuple[Path, str]]:
    """Each file once, with its name inside the folder that was given."""
    listed: dict[Path, tuple[Path, str]] = {}
    for place in places:
        if place.is_dir():
            inside = sorted(p for p in place.rglob("*") if p.suffix in ENDINGS and p.is_file())
            if not inside:
                raise UsageError(
                    f"{place}: no bias file (*.yaml) in it. `{command('bias', 'new', 'ID', '--out', place)}` makes one."
                )
            named = [(p, p.relative_to(place).as_posix()) for p in inside]
        elif place.is_file():
            named = [(place, place.name)]
        else:
            raise UsageError(f"{place}: there is no such file or folder")
        for path, name in named:
            listed.setdefault(path.resolve(), (path, name))
    return list(listed.values())


class Linted(Struct, frozen=True):
    """What was looked at, and what is wrong with it."""

    battery: Battery
    problems: list[Problem]


def lint_files(files: Sequence[Path], places: Sequence[Path] = (), *, seeds: int) -> Linted:
    """Lint these files and folders, or the packaged battery where none are given.

    In `places`, an id that is taken is refused as in a run; one of `files` may be a packaged one.
    """
    with_own(places)
    given = (*files, *places)
    battery = own_battery(given) if given else packaged_battery()
    return Linted(battery, lint(battery.biases.values(), seeds=seeds, workers=os.cpu_count() or 1))


def check_own(battery: Battery, biases: Sequence[Bias]) -> None:
    """Refuse a run with own biases that the linter rejects, before anything is paid for."""
    own = [bias for bias in biases if bias.id in battery.own]
    problems = lint(own, seeds=SEEDS) if own else []
    if problems:
        lines = [located(problem, battery) for problem in problems[:LISTED]]
        more = [f"and {len(problems) - LISTED} more"] if len(problems) > LISTED else []
        raise UsageError(
            "the linter rejects items of your own; nothing was run:\n  "
            + "\n  ".join((*lines, *more))
            + "\n`fiducial bias lint FILE` tries them with 200 seeds; docs/authoring.md says how to mend each."
        )


def located(problem: Problem, battery: Battery) -> str:
    """The problem with its file, where the bias is somebody's own."""
    file = battery.own.get(problem.bias)
    if file is None:
        return str(problem)
    where = f"{file.name}, item {problem.item}" if problem.item else file.name
    return f"{where}: {problem.problem}"
