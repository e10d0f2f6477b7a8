"""Verdicts and labels that were recorded elsewhere, one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.judge.correct import Correction, Verdict, correct
from fiducial.review.files import kind_of, near

_FIELDS = ("id", "verdict", "label", "group")


class Recorded(Struct, frozen=True):
    """The rows of a file. `invalid` have no verdict: they are counted and left out."""

    rows: tuple[Verdict, ...]
    invalid: int


def read_verdicts(lines: Iterable[str], *, file: str) -> Recorded:
    """The rows; an error names the file, the line and the field."""
    rows: list[Verdict] = []
    invalid = 0
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{file}, line {number}"
        fields = _fields(line, where)
        name = fields["id"]
        if isinstance(name, str):
            if name in seen:
                raise UsageError(f'{where}: the "id" {name!r} stands in line {seen[name]} already')
            seen[name] = number
        verdict, label, group = fields["verdict"], fields.get("label"), fields.get("group")
        if label is not None and (isinstance(label, bool) or label not in (0, 1)):
            raise UsageError(f'{where}: "label" is {label!r}; it is 0, 1 or null')
        if group is not None and not isinstance(group, str):
            raise UsageError(f'{where}: "group" is {kind_of(group)}; it is a text or null')
        if verdict is None:
            invalid += 1
            continue
        if isinstance(verdict, bool) or verdict not in (0, 0.5, 1):
            raise UsageError(
                f'{where}: "verdict" is {verdict!r}; it is 0, 0.5 or 1, or null where the judge gave none'
            )
        rows.append(Verdict(verdict=float(verdict), label=None if label is None else int(label), group=group))
    if not rows:
        raise UsageError(f"{file}: there is no row with a verdict in it")
    return Recorded(tuple(rows), invalid)


def correct_recorded(recorded: Recorded, *, group: str | None, file: str) -> Correction:
    """The correction of the rows; an unknown group is an error that names the nearest."""
    if group is not None and all(row.group != group for row in recorded.rows):
        known = list(dict.fromkeys(row.group for row in recorded.rows if row.group is not None))
        listed = f" (there are: {', '.join(known[:12])}{' …' if len(known) > 12 else ''})" if known else ""
        raise UsageError(f'{file}: no row is of the group "{group}"{near(group, known)}{listed}')
    return correct(recorded.rows, group=group)


def _fields(line: str, where: str) -> dict[str, object]:
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        raise UsageError(f"{where}: not JSON ({error}); mend it, or take it out") from error
    if not isinstance(found, dict):
        raise UsageError(f'{where}: a JSON object is expected, as in {{"verdict": 1}}; this is {kind_of(found)}')
    if "verdict" not in found:
        wrong = next((name for name in found if name not in _FIELDS), None)
        hint = f'; "{wrong}" is no field of it{near(wrong, _FIELDS)}' if wrong else ""
        raise UsageError(f'{where}: "verdict" is missing{hint}')
    name = found.get("id")
    return {**found, "id": None if name is None else str(name)}
