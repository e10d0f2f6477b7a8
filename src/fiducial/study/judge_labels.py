"""Cases that people have labelled: a file of cases, or the findings of a review run with the labels of its dataset.

What lies between yes and no (0.5), what nobody has labelled and what raters disagree on says nothing about a judge's
errors: it is left out, and counted.
"""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError, command
from fiducial.judge.applied import group_name
from fiducial.judge.case import TASKS, Answer, Case, Task
from fiducial.judge.genuine import ReviewType
from fiducial.review.files import Row, kind_of, near, read_rows, read_text
from fiducial.review.labelling import label_folders, run_cases, standing
from fiducial.review.labels import settled
from fiducial.run.store import find_run
from fiducial.study.judge_planted import case_id

FIELDS = (*Case.__struct_fields__, "document_file")

BETWEEN = "labelled 0.5"
UNLABELLED = "without a label"
OTHER_TASK = "of another task"
TIED = "on which the raters disagree"

MISSPELT = 0.75  # so like a field's name that it is meant
_SQLITE = b"SQLite format 3\0"


class Labelled(Struct, frozen=True, kw_only=True):
    """The cases that have a label of 0 or 1, and how many have none, by reason."""

    cases: tuple[Case, ...]
    left_out: dict[str, int]


def labelled(task: Task, name: str) -> Labelled:
    """The labelled cases of a file, or of a run given by its file or name."""
    path = Path(name)
    if path.is_dir():
        raise UsageError(f"labels:{name}: a folder; name a file of cases (JSON Lines), or a review run")
    if not path.is_file():
        try:
            path = find_run(name)
        except UsageError as error:
            raise UsageError(f"labels:{name}: there is no such file, and {error}") from None
    with path.open("rb") as file:
        is_run = file.read(len(_SQLITE)) == _SQLITE
    return of_run(task, path) if is_run else of_file(task, path)


def of_run(task: Task, path: Path) -> Labelled:
    """The findings of a review run under the strict majority of its raters. The group is who wrote them."""
    if task != "genuine":
        raise UsageError(
            f"{path}: the labels of a review run say whether findings are genuine, and nothing about the task {task}. "
            "Give a file of cases: labels:FILE.jsonl"
        )
    cases = run_cases(path)
    by_rater = standing(cases, label_folders(path))
    found, left_out = [], Counter[str]()
    for one in cases:
        votes = [labels[one.key] for labels in by_rater.values() if one.key in labels]
        label = majority(votes)
        if isinstance(label, str):
            left_out[label] += 1
            continue
        made = Case(
            id="",
            task="genuine",
            document=one.document,
            text=one.claim,
            label=label,
            group=group_name(one.model, one.reviewers[0]),  # of several that say the same, the first
            review_type=one.review_type,
        )
        found.append(msgspec.structs.replace(made, id=case_id(made)))
    if not found:
        raise UsageError(
            f"{path}: none of its findings has a label of 0 or 1; `{command('judge', 'label', path)}` asks for them"
        )
    return Labelled(cases=tuple(found), left_out=dict(left_out))


def majority(votes: Sequence[float]) -> int | str:
    """What more than half of the raters say: 0 or 1; or why there is no such label."""
    if not votes:
        return UNLABELLED
    label = settled(votes)
    if label is None:
        return TIED
    return BETWEEN if label == 0.5 else int(label)


def of_file(task: Task, path: Path) -> Labelled:
    """The cases of a JSON Lines file: the fields of `Case`, `document_file` (from the file's folder) for `document`."""
    found: dict[str, Case] = {}
    first: dict[str, str] = {}
    left_out = Counter[str]()
    documents: dict[Path, str] = {}
    for row in read_rows(path):
        where = row[0]
        _known_fields(row)
        if _choice(row, "task", TASKS, task) != task:
            left_out[OTHER_TASK] += 1
            continue
        label = _label(row)
        if isinstance(label, str):
            left_out[label] += 1
            continue
        case = _case(row, task, label, _document(row, path.parent, documents))
        if case.id in first:
            raise UsageError(f'{where}: "id" {case.id!r} is taken (first on {first[case.id].rpartition(", ")[2]})')
        first[case.id], found[case.id] = where, case
    if not found:
        why = "; ".join(f"{n} {reason}" for reason, n in left_out.items()) or "the file is empty"
        raise UsageError(f"{path}: no case of the task {task} with a label of 0 or 1 ({why})")
    return Labelled(cases=tuple(found.values()), left_out=dict(left_out))


def _case(row: Row, task: Task, label: int, document: str) -> Case:
    where = row[0]
    text = _text(row, "text")
    if text is None:
        raise UsageError(f'{where}: "text" is missing; it is the finding, issue, must-find or reply that is judged')
    review_type: ReviewType = _choice(row, "review_type", get_args(ReviewType), "design")
    options = _texts(row, "options")
    findings = _texts(row, "findings")
    if task == "match" and not findings:
        raise UsageError(f'{where}: "findings" is missing; a match is looked for in a list of findings')
    made = Case(
        id=_text(row, "id") or "",
        task=task,
        document=document,
        text=text,
        label=label,
        category=_text(row, "category"),
        group=_text(row, "group"),
        review_type=review_type,
        findings=findings,
        finding=_finding(row, len(findings)),
        options=options,
        answer=_answer(row, options, label) if task == "read" else None,
    )
    return made if made.id else msgspec.structs.replace(made, id=case_id(made))


def _known_fields(row: Row) -> None:
    """Refuse what is a field misspelt; other fields are somebody's own, and left alone."""
    where, fields = row
    for name in fields:
        close = difflib.get_close_matches(name.lower().strip(), FIELDS, n=1, cutoff=MISSPELT)
        if name not in FIELDS and close:
            raise UsageError(f'{where}: "{name}" is no field of a case; did you mean {close[0]}?')


def _label(row: Row) -> int | str:
    where, fields = row
    label = fields.get("label")
    if label is None:
        return UNLABELLED
    if isinstance(label, bool) or label not in (0, 0.5, 1):
        raise UsageError(f'{where}: "label" is {label!r}; it is 0, 0.5 or 1')
    return BETWEEN if label == 0.5 else int(label)


def _document(row: Row, folder: Path, read: dict[Path, str]) -> str:
    """The text itself, or that of the file which is named; every file is read once."""
    where = row[0]
    document, file = _text(row, "document"), _text(row, "document_file")
    if (document is None) == (file is None):
        said = "both are given" if document is not None else "both are missing"
        raise UsageError(f'{where}: "document" or "document_file": {said}; give one of them')
    if document is not None:
        return document
    path = folder / str(file)
    if path not in read:
        if not path.is_file():
            raise UsageError(f'{where}: "document_file" is {file!r}, and there is no such file ({path})')
        read[path] = read_text(path)
    return read[path]


def _text(row: Row, name: str) -> str | None:
    where, fields = row
    value = fields.get(name)
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and name == "id":
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f'{where}: "{name}" is {kind_of(value)}; it is a text that is not empty')
    return value


def _texts(row: Row, name: str) -> tuple[str, ...]:
    where, fields = row
    value = fields.get(name)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
        raise UsageError(f'{where}: "{name}" is {kind_of(value)}; it is a list of texts, none of them empty')
    return tuple(value)


def _choice(row: Row, name: str, known: Sequence[Any], otherwise: Any) -> Any:
    where, fields = row
    value = fields.get(name)
    if value is None:
        return otherwise
    if value not in known:
        raise UsageError(
            f'{where}: "{name}" is {value!r}{near(str(value), known)}; it is one of {", ".join(known)}'
        )
    return value


def _finding(row: Row, listed: int) -> int | None:
    where, fields = row
    value = fields.get("finding")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= listed:
        raise UsageError(
            f'{where}: "finding" is {value!r}; it is a number from the list of findings, 1 to {listed}'
        )
    return value


def _answer(row: Row, options: Sequence[str], label: int) -> Answer:
    where, fields = row
    value: Answer = fields.get("answer")
    if label == 0:
        if value is not None:
            raise UsageError(f'{where}: "answer" is {value!r} and "label" is 0; a reply without an answer has none')
        return None
    if options:
        if value not in options:
            said = f"{value!r}{near(str(value), options)}" if value is not None else "missing"
            raise UsageError(f'{where}: "answer" is {said}; it is one of {", ".join(options)}')
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise UsageError(f'{where}: "answer" is {kind_of(value)}; without "options" it is a number')
    return float(value)


def counted_out(left_out: Mapping[str, int]) -> str:
    """What was left out, in words; empty where nothing was."""
    return ", ".join(f"{n} {reason}" for reason, n in left_out.items())
