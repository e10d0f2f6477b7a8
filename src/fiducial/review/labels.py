"""What people say of findings: genuine (1), not (0), or between (0.5). Files that only ever grow.

A case is one claim about one document: its id is the hash under which a judge is asked about it too (`genuine_arm`), and its
labels lie in the folder of that document. A rater who changes their mind adds a line: the newest label of a rater on a
case counts, and the older ones stay. A line with `"label": null, "withdrawn": true` takes the label back: the rater
then has none on that case. Half a line at the end of a file, which a power cut may leave, counts for nothing, and is set
aside when the next label is added; any other line that is damaged is an error.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.review.files import Row, append_rows, kind_of, read_bytes, read_rows, untorn
from fiducial.review.frozen import now
from fiducial.stats.estimate import Measured, Withheld
from fiducial.stats.kappa import cohens_kappa
from fiducial.stats.proportion import wilson

LABELS = (0.0, 0.5, 1.0)
FOLDER = "labels"

_RATER = re.compile(r"[\w@+.-]*\w[\w@+.-]*")
_LONGEST = 100  # characters of a name, which becomes a file's
K = TypeVar("K", bound=Hashable)


class Label(Struct, frozen=True, kw_only=True):
    """One rater's label of one case. None: the rater has taken back what they said."""

    case: str
    rater: str
    label: float | None
    at: str
    note: str | None = None


class Pair(Struct, frozen=True, kw_only=True):
    """How far two raters agree, on the cases that both have labelled."""

    raters: tuple[str, str]
    n: int
    agreement: Measured  # share of cases with the same label
    kappa: Measured


def load_labels(folder: Path) -> list[Label]:
    """Every line of `labels/*.jsonl` in a document's folder, file by file, withdrawals included."""
    return [
        read_label(row)
        for path in sorted((folder / FOLDER).glob("*.jsonl"))
        for row in read_rows(path, growing=True)
    ]


def torn_label(folder: Path, rater: str) -> str:
    """What to tell a rater whose file ends in half a line; empty where it does not."""
    path = folder / FOLDER / f"{rater}.jsonl"
    raw = read_bytes(path) if path.exists() else b""
    if untorn(raw) == raw:
        return ""
    return (
        f"the last line of {path.name} is cut off, as a power cut leaves it. It counts for nothing, so its case comes up "
        f"again; the next label moves it to {path}.torn"
    )


def append_label(
    folder: Path, *, case: str, rater: str, label: float | None, note: str | None = None, after: str = ""
) -> Label:
    """Add a label to the rater's own file, on disk when this returns; without a label, take back the one that stands.

    `after` is the time of the label that this one replaces: a clock that was set back must not make the older one count.
    """
    check_rater(rater)
    fields: dict[str, object] = {
        "case": case,
        "rater": rater,
        "label": label,
        "at": max(now(), after),
        "note": note,
    }
    if label is None:
        fields["withdrawn"] = True
    made = read_label(("the label", fields))
    path = folder / FOLDER / f"{rater}.jsonl"
    try:
        append_rows(path, [fields if label is None else made], growing=True)
    except OSError as error:
        raise UsageError(
            f"{path}: this label could not be saved: {error.strerror or error}. "
            "What was saved before is still there; make room or give the right to write, then try again"
        ) from error
    return made


def check_rater(rater: str) -> None:
    """Refuse a name that cannot name a file."""
    if not _RATER.fullmatch(rater) or len(rater) > _LONGEST:
        raise UsageError(
            f"rater {rater[:_LONGEST]!r}: a short name of letters, digits and . _ @ + -, because a file is named so"
        )


def check_writable(folder: Path, rater: str) -> None:
    """Refuse before a rater has begun, where their labels could not be saved."""
    path = folder / FOLDER / f"{rater}.jsonl"
    there = next(place for place in (path, path.parent, folder) if place.exists() or place == folder)
    if not os.access(there, os.W_OK if there == path else os.W_OK | os.X_OK):
        raise UsageError(
            f"{there}: labels cannot be saved there, it may not be written to; give the right to write"
        )


def read_label(row: Row) -> Label:
    """A line, checked."""
    where, fields = row
    texts: dict[str, str] = {}
    for name in ("case", "rater", "at"):
        value = fields.get(name)
        if not isinstance(value, str) or not value.strip():
            raise UsageError(f'{where}: "{name}" is {kind_of(value)}; it is a text that is not empty')
        texts[name] = value.strip()
    label, note, withdrawn = fields.get("label"), fields.get("note"), fields.get("withdrawn", False)
    if not isinstance(withdrawn, bool):
        raise UsageError(f'{where}: "withdrawn" is {kind_of(withdrawn)}; it is true or false')
    if withdrawn and label is not None:
        raise UsageError(f'{where}: "label" is {label!r}, and "withdrawn" is true; a withdrawn label is null')
    if not withdrawn and (isinstance(label, bool) or label not in LABELS):
        raise UsageError(f'{where}: "label" is {label!r}; it is 0, 0.5 or 1')
    if note is not None and not isinstance(note, str):
        raise UsageError(f'{where}: "note" is {kind_of(note)}; it is a text or null')
    said = None if label is None else float(label)
    return Label(case=texts["case"], rater=texts["rater"], label=said, at=texts["at"], note=note)


def newest(labels: Iterable[Label]) -> dict[tuple[str, str], Label]:
    """By rater and case, the line that counts, a withdrawal too: the newest; of equal times the later line.

    They are in the order in which these lines stand.
    """
    found: dict[tuple[str, str], Label] = {}
    for label in labels:
        key = label.rater, label.case
        if key not in found or label.at >= found[key].at:
            found.pop(key, None)
            found[key] = label
    return found


def settled(votes: Sequence[float]) -> float | None:
    """The label that more than half of the raters gave; None where there is none."""
    label, count = Counter(votes).most_common(1)[0]
    return label if 2 * count > len(votes) else None


def by_rater(labels: Iterable[Label]) -> dict[str, dict[str, float]]:
    """Rater -> case -> the label that counts. What was withdrawn is not in it."""
    found: dict[str, dict[str, float]] = {}
    for (rater, case), label in newest(labels).items():
        if label.label is not None:
            found.setdefault(rater, {})[case] = label.label
    return dict(sorted(found.items()))


def agreement(labels: Iterable[Label]) -> dict[tuple[str, str], Measured]:
    """Cohen's kappa of every two raters, on the cases that both have labelled."""
    return {pair.raters: pair.kappa for pair in pairs(by_rater(labels))}


def pairs(raters: Mapping[str, Mapping[K, float]]) -> list[Pair]:
    """Every two raters, held against each other."""
    return [_pair(a, b, raters[a], raters[b]) for a, b in combinations(raters, 2)]


def disagreements(raters: Mapping[str, Mapping[K, float]]) -> dict[K, dict[str, float]]:
    """The cases that got more than one label, with what each rater said; the widest apart first."""
    said: dict[K, dict[str, float]] = {}
    for rater, labels in raters.items():
        for case, label in labels.items():
            said.setdefault(case, {})[rater] = label
    split = {case: own for case, own in said.items() if len(set(own.values())) > 1}
    return dict(sorted(split.items(), key=lambda one: min(one[1].values()) - max(one[1].values())))


def _pair(a: str, b: str, first: Mapping[K, float], second: Mapping[K, float]) -> Pair:
    both = [case for case in first if case in second]
    same = sum(first[case] == second[case] for case in both)
    return Pair(
        raters=(a, b),
        n=len(both),
        agreement=wilson(same, len(both)) if both else Withheld("no case labelled by both"),
        kappa=cohens_kappa([first[c] for c in both], [second[c] for c in both], categories=LABELS),
    )
