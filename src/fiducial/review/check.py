"""Looking a dataset over: every file, every record, and whether the lists still fit the document. No calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Literal, TypeVar

from msgspec import Struct

from fiducial.errors import UsageError, command
from fiducial.review import records
from fiducial.review.again import overdue
from fiducial.review.dataset import (
    CANDIDATES,
    CONTEXT,
    MUST_FIND,
    OLDER_QUEUE,
    Document,
    document_folders,
    find_dataset,
    load_document,
)
from fiducial.review.files import Row, each_row
from fiducial.review.finding import Finding
from fiducial.review.frozen import METADATA, gone
from fiducial.review.labels import FOLDER as LABELS
from fiducial.review.labels import read_label
from fiducial.review.plant.operators import stands
from fiducial.review.records import ContextDependent, MustFind
from fiducial.review.similar import near_duplicates

SHOWN = 60  # characters of a quotation in a message

T = TypeVar("T")


class Problem(Struct, frozen=True, kw_only=True):
    """One thing that is wrong (`fail`) or not as good as it could be (`warn`)."""

    level: Literal["fail", "warn"]
    where: str
    what: str
    do: str


def check(folder: Path, *, day: date) -> list[Problem]:
    """Everything that is wrong with a dataset, document by document."""
    found: list[Problem] = []
    for own in document_folders(find_dataset(folder)):
        found += _folder(own, day)
    return found


def _folder(folder: Path, day: date) -> Iterator[Problem]:
    found: list[Problem] = []
    wanted = _read(folder / MUST_FIND, records.must_find, found)
    context = _read(folder / CONTEXT, records.context_dependent, found)
    _read(folder / OLDER_QUEUE, records.candidate, found)
    _read(folder / CANDIDATES, records.candidate, found, growing=True)
    for path in sorted((folder / LABELS).glob("*.jsonl")):
        _read(path, read_label, found, growing=True)
    text = ""
    try:
        document = load_document(folder, lists=False)
    except UsageError as error:
        yield _from(error)
    else:
        text = document.text
        yield from _document(document, wanted or [])
    yield from found
    if wanted or not any(problem.where.startswith(str(folder / MUST_FIND)) for problem in found):
        yield from _must_finds(folder / MUST_FIND, wanted, text)
    yield from _context(folder / CONTEXT, context or [], {item.id for item in wanted or ()}, day)


def _read(path: Path, made: Callable[[Row], T], found: list[Problem], *, growing: bool = False) -> list[T] | None:
    """The good records of a file; what is wrong with the others is added to `found`. None where there is no file.

    In a file that only grows, a later record of an id takes the place of an earlier one; elsewhere that is an error.
    """
    if not path.exists():
        return None
    good: list[T] = []
    ids: dict[str, str] = {}
    for row in _rows(path):
        try:
            if isinstance(row, UsageError):
                raise row
            record = made(row)
        except UsageError as error:
            found.append(_from(error))
            continue
        own = row[0] if growing else records.id_of(row)
        if first := ids.get(own):
            found.append(_fail(row[0], f'"id" {own!r} is taken, first on {first}', "give each record its own"))
            continue
        ids[own] = row[0].rpartition(", ")[2]
        good.append(record)
    return good


def _rows(path: Path) -> Iterator[Row | UsageError]:
    try:
        yield from each_row(path)
    except UsageError as error:  # the file as a whole
        yield error


def _document(document: Document, items: list[MustFind]) -> Iterator[Problem]:
    freeze = command("review", "check", document.folder, "--freeze")
    stale = gone(items, document.text)
    if document.frozen_hash is None:
        where = str(document.folder / METADATA)
        yield _warn(
            where, "the document is not frozen: nobody can tell whether the lists are about this text", freeze
        )
    elif document.changed:
        ids = list(dict.fromkeys(one.item.id for one in stale))
        lost = (
            f"; of these must-finds the evidence is gone: {', '.join(ids)}"
            if ids
            else "; all evidence is still there"
        )
        yield _fail(
            str(document.path),
            f"the document has changed since it was frozen{lost}",
            f"put the old text back, or go through the lists and then: {freeze}",
        )
    for one in stale:
        yield _fail(
            f"{document.folder / MUST_FIND}, {one.item.id}",
            f'the evidence is not in the document: "{_short(one.quotation)}"',
            "quote the document letter by letter, or take the record out if the flaw is gone",
        )


def _must_finds(path: Path, items: list[MustFind] | None, text: str) -> Iterator[Problem]:
    if not items:
        what = "there is no list of must-finds" if items is None else "the list of must-finds has no record"
        yield _warn(
            str(path), f"{what}: recall cannot be measured", "fiducial review propose RUN --write, then confirm"
        )
        return
    untested = [item.id for item in items if item.zero_shot is None and not stands(item.planted, text)]
    if untested:
        yield _warn(
            str(path),
            f"no zero-shot result for {', '.join(untested)}: whether the document alone shows it is not known",
            command("review", "check", path.parent, "--judge", "MODEL"),
        )
    for item in items:
        if item.zero_shot is not None and not item.zero_shot.found:
            what = f"{item.zero_shot.model or 'the zero-shot test'} did not find it in the document"
            yield _warn(f"{path}, {item.id}", what, "see whether it needs context; if so, take it out of this list")
        if item.min_recall == 0:
            yield _warn(f"{path}, {item.id}", '"min_recall" is 0, so nothing is asked', "give it a share above 0")
    findings = [Finding(title=item.title, issue=item.issue) for item in items]
    for cluster in near_duplicates(findings):
        if len(cluster) > 1:
            ids = ", ".join(items[k].id for k in cluster)
            yield _warn(
                str(path), f"these seem to be the same flaw, counted more than once: {ids}", "keep one of them"
            )


def _context(path: Path, found: list[ContextDependent], wanted: set[str], day: date) -> Iterator[Problem]:
    for record in found:
        where = f"{path}, {record.id}"
        tested = record.zero_shot
        retest = command("review", "check", path.parent, "--judge", "MODEL")
        if record.id in wanted:
            yield _fail(where, "it is among the must-finds too", "take it out of one of the two lists")
        if tested is None:
            yield _fail(where, "it was never tested whether the document alone shows it", retest)
        elif tested.found:
            yield _fail(where, f"{tested.model} found it in the document", "move it to the must-finds")
        elif tested.calibration is None:
            what = f'{tested.model} has no calibration for this test, so its "not found" proves nothing'
            yield _fail(where, what, retest)
        if not record.required_context:
            yield _warn(where, '"required_context" is missing', "say what one has to know to see the issue")
    for record in overdue(tuple(found), day):
        since = f"since {record.review_after}" if record.review_after else '("review_after" is missing)'
        do = command("review", "check", path.parent, "--judge", "MODEL")
        yield _warn(f"{path}, {record.id}", f"it is due to be looked for again {since}", do)


def _from(error: UsageError) -> Problem:
    """Our messages are built `where: what; what to do`."""
    where, _, rest = str(error).partition(": ")
    what, _, do = rest.partition("; ")
    return _fail(where, what, do)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"


def _fail(where: str, what: str, do: str) -> Problem:
    return Problem(level="fail", where=where, what=what, do=do)


def _warn(where: str, what: str, do: str) -> Problem:
    return Problem(level="warn", where=where, what=what, do=do)
