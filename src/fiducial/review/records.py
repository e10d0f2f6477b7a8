"""The records of a dataset: must-finds, context-dependent findings, candidates.

What a record has beyond the fields we know is left alone. Other names that older files use for a field are read; a
value that cannot be meant is an error that names the file, the line and the field.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.review.files import Row, kind_of, read_bytes, read_rows
from fiducial.review.finding import Severity
from fiducial.review.parse.values import severity_of
from fiducial.review.plant.flaw import Flaw

MIN_RECALL = 0.8  # where a record does not say
TITLE = 100  # characters; a title made from an issue is cut there

State = Literal["proposed", "unvalidated", "must_find", "context_dependent", "rejected"]
STATES: tuple[State, ...] = ("proposed", "unvalidated", "must_find", "context_dependent", "rejected")
OPEN: tuple[State, ...] = ("proposed", "unvalidated")

_ID = ("id", "finding_id", "issue_id", "key")
_TITLE = ("title", "name", "summary")
_ISSUE = ("issue", "description", "finding", "detail", "details")
_REVIEWER = ("reviewer", "agent", "owner")
_EVIDENCE = ("evidence", "quotation", "quotations", "quote")

T = TypeVar("T")


class ZeroShotRecord(Struct, frozen=True, kw_only=True):
    """What came of giving a model the document alone and asking for this very issue.

    `found` means: with a quotation that is in the document, in at least one of the calls. `calibration` names the
    artefact that says what "not found" is worth from this model; None where there is none.
    """

    model: str
    prompt_hash: str
    calls: int
    found: bool
    quotation: str | None = None
    calibration: str | None = None
    at: str = ""


class MustFind(Struct, frozen=True, kw_only=True):
    """A flaw that can be seen in the document, and the share of runs in which a reviewer has to find it.

    `reviewer` is the one that owns it; without one, it is asked of all. `evidence` are quotations from the document.
    """

    id: str
    title: str
    issue: str
    severity: Severity | None = None
    min_recall: float = MIN_RECALL
    reviewer: str | None = None
    evidence: tuple[str, ...] = ()
    zero_shot: ZeroShotRecord | None = None
    planted: Flaw | None = None  # how it came into the document, where it was planted


class ContextDependent(Struct, frozen=True, kw_only=True):
    """A finding that cannot be made from the document alone, and what one would have to know.

    After the day `review_after` it is tested again: models get better at seeing what was there all along.
    """

    id: str
    title: str
    issue: str
    required_context: str
    reviewer: str | None = None
    severity: Severity | None = None
    zero_shot: ZeroShotRecord | None = None
    review_after: str | None = None


class Candidate(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A finding on its way into a list. The newest record of an id says where it stands.

    `evidence` are quotations from the document; where something is missing from it, `missing` says what. A record that
    `undoes` puts back what stood before the last decision. `min_recall` and `required_context` are for the list that
    it goes to.
    """

    id: str
    title: str
    issue: str
    state: State = "proposed"
    severity: Severity | None = None
    reviewer: str | None = None
    evidence: tuple[str, ...] = ()
    missing: str | None = None
    why: str | None = None
    found_in: int | None = None  # runs in which it was found and judged genuine
    runs: int | None = None
    source: str | None = None  # the run it was proposed from
    min_recall: float | None = None
    required_context: str | None = None
    zero_shot: ZeroShotRecord | None = None
    at: str | None = None
    by: str | None = None  # who decided, where they said so
    undoes: bool = False


def fingerprint(record: Candidate) -> str:
    """What tells whether a candidate still is as somebody saw it: a hash of its record."""
    return hashlib.sha256(msgspec.json.encode(record)).hexdigest()[:16]


def items_of(items: Sequence[MustFind] | None, reviewer: str) -> tuple[MustFind, ...]:
    """Those that a reviewer is scored for: its own, and those that nobody owns."""
    return tuple(item for item in items or () if item.reviewer in (None, reviewer))


def must_find(row: Row) -> MustFind:
    """A line of `must_find.jsonl`."""
    title, issue = _said(row)
    return MustFind(
        id=id_of(row),
        title=title,
        issue=issue,
        severity=_severity(row),
        min_recall=_min_recall(row),
        reviewer=_text(row, *_REVIEWER),
        evidence=_texts(row, *_EVIDENCE),
        zero_shot=_zero_shot(row),
        planted=_planted(row),
    )


def _planted(row: Row) -> Flaw | None:
    """The proof of a planted flaw. A record that has part of it is no such flaw, and no error either."""
    try:
        return msgspec.convert(row[1], Flaw)
    except msgspec.ValidationError:
        return None


def context_dependent(row: Row) -> ContextDependent:
    """A line of `context_dependent_findings.jsonl`."""
    title, issue = _said(row)
    after = _text(row, "review_after")
    if after is not None:
        day_of(after, f'{row[0]}: "review_after"')
    return ContextDependent(
        id=id_of(row),
        title=title,
        issue=issue,
        required_context=_text(row, "required_context", "context", "reason") or "",
        reviewer=_text(row, *_REVIEWER),
        severity=_severity(row),
        zero_shot=_zero_shot(row),
        review_after=after,
    )


def candidate(row: Row) -> Candidate:
    """A line of `candidates.jsonl`."""
    title, issue = _said(row)
    state = _text(row, "state") or "proposed"
    if state not in STATES:
        raise UsageError(f'{row[0]}: "state" is {state!r}; it is one of {", ".join(STATES)}')
    return Candidate(
        id=id_of(row),
        title=title,
        issue=issue,
        state=state,
        severity=_severity(row),
        reviewer=_text(row, *_REVIEWER),
        evidence=_texts(row, *_EVIDENCE),
        missing=_text(row, "missing"),
        why=_text(row, "why"),
        found_in=_count(row, "found_in"),
        runs=_count(row, "runs"),
        source=_text(row, "source"),
        min_recall=None if row[1].get("min_recall") is None else _min_recall(row),
        required_context=_text(row, "required_context"),
        zero_shot=_zero_shot(row),
        at=_text(row, "at"),
        by=_text(row, "by"),
        undoes=row[1].get("undoes") is True,
    )


def distinct(rows: Iterable[Row], made: Callable[[Row], T]) -> tuple[T, ...]:
    """All records, of which no two may have the same id."""
    found: list[T] = []
    first: dict[str, str] = {}
    for row in rows:
        record = made(row)
        own = id_of(row)
        if own in first:
            line = first[own].rpartition(", ")[2]
            raise UsageError(f'{row[0]}: "id" {own!r} is taken (first on {line}); give each record its own')
        first[own] = row[0]
        found.append(record)
    return tuple(found)


def day_of(text: str, what: str) -> date:
    """The day that an ISO date, or date and time, begins with."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        raise UsageError(f"{what} is {text!r}; it is a date, as in 2026-03-31") from None


def lines_without(path: Path, name: str) -> bytes:
    """The lines of a file of records, as they are, but for the record of that id."""
    if not path.exists():
        return b""
    places = {row[0]: id_of(row) for row in read_rows(path)}
    lines = read_bytes(path).splitlines(keepends=True)
    kept = [line for k, line in enumerate(lines, 1) if places.get(f"{path}, line {k}") != name]
    return b"".join(line if line.endswith((b"\n", b"\r")) else line + b"\n" for line in kept)


def id_of(row: Row) -> str:
    """The name that a record goes by."""
    where, fields = row
    value = _first(fields, _ID)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is None or value == "":
        raise UsageError(f'{where}: "id" is missing; give the record a short name of its own')
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f'{where}: "id" is {kind_of(value)}; it is a short text')
    return value.strip()


def _said(row: Row) -> tuple[str, str]:
    """Title and issue; each stands in for the other where it is missing."""
    title, issue = _text(row, *_TITLE), _text(row, *_ISSUE)
    if title is None and issue is None:
        raise UsageError(f'{row[0]}: "title" and "issue" are missing; say what is wrong with the document')
    if title is None:
        assert issue is not None
        line = " ".join(issue.split())
        title = line if len(line) <= TITLE else line[: TITLE - 1].rstrip() + "…"
    return title, issue or title


def _severity(row: Row) -> Severity | None:
    value = row[1].get("severity")
    if value is None or value == "":
        return None
    found = severity_of(value)
    if found is None:
        raise UsageError(f'{row[0]}: "severity" is {value!r}; it is Critical, Important or Minor')
    return found


def _min_recall(row: Row) -> float:
    where, fields = row
    value = fields.get("min_recall")
    if value is None:
        return MIN_RECALL
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f'{where}: "min_recall" is {kind_of(value)}; it is a share, a number between 0 and 1')
    return share_of(value, f'{where}: "min_recall"')


def share_of(value: float, what: str) -> float:
    """The value, where it is a share; points of a hundred are an error that says what was probably meant."""
    if 0 <= value <= 1:
        return float(value)
    meant = f" (did you mean {value / 100:.2f}?)" if 1 < value <= 100 else ""
    shown = "far outside" if abs(value) > 1e15 else f"{value:g}"  # an integer may be too long to be printed
    raise UsageError(f"{what} is {shown}; it is a share, between 0 and 1{meant}")


def _zero_shot(row: Row) -> ZeroShotRecord | None:
    where, fields = row
    value = fields.get("zero_shot")
    if value is None:
        return None
    at = f'{where}, "zero_shot"'
    if not isinstance(value, dict):
        raise UsageError(
            f"{at}: {kind_of(value)}; it is an object with model, prompt_hash, calls and found, or null"
        )
    found = value.get("found")
    if not isinstance(found, bool | int):
        raise UsageError(f'{at}: "found" is {kind_of(found)}; it is true or false')
    inner = (at, value)
    return ZeroShotRecord(
        model=_text(inner, "model") or "",
        prompt_hash=_text(inner, "prompt_hash") or "",
        calls=_count(inner, "calls") or 0,
        found=bool(found),
        quotation=_text(inner, "quotation"),
        calibration=_text(inner, "calibration"),
        at=_text(inner, "at") or "",
    )


def _count(row: Row, name: str) -> int | None:
    value = row[1].get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise UsageError(f'{row[0]}: "{name}" is {value!r}; it is a whole number')
    return value


def _text(row: Row, *names: str) -> str | None:
    value = _first(row[1], names)
    if value is None:
        return None
    if not isinstance(value, str):
        name = next(n for n in names if n in row[1])
        raise UsageError(f'{row[0]}: "{name}" is {kind_of(value)}; it is a text')
    return value.strip() or None


def _texts(row: Row, *names: str) -> tuple[str, ...]:
    value = _first(row[1], names)
    if value is None or isinstance(value, str):
        return (value,) if value and value.strip() else ()
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return tuple(part for part in value if part.strip())
    name = next(n for n in names if row[1].get(n) is not None)
    raise UsageError(
        f'{row[0]}: "{name}" is {kind_of(value)}; it is a quotation from the document, or a list of them'
    )


def _first(fields: dict[str, Any], names: Iterable[str]) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)
