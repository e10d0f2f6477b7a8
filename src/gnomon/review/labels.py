"""What people say of findings: genuine (1), not (0), or between (0.5). Files that only ever grow.

A rater who changes their mind adds a line: the newest label of a rater on a case counts, and the older ones stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path

from msgspec import Struct

from gnomon.errors import UsageError
from gnomon.review.files import Row, append_rows, kind_of, read_rows
from gnomon.review.frozen import now
from gnomon.stats.estimate import Measured
from gnomon.stats.kappa import cohens_kappa

LABELS = (0.0, 0.5, 1.0)
FOLDER = "labels"

_RATER = re.compile(r"[\w@+.-]*\w[\w@+.-]*")


class Label(Struct, frozen=True, kw_only=True):
    """One rater's label of one case; the case is the content hash of a finding."""

    case: str
    rater: str
    label: float
    at: str
    note: str | None = None


def load_labels(folder: Path) -> list[Label]:
    """Every line of `labels/*.jsonl` in a dataset's folder, file by file."""
    return [read_label(row) for path in sorted((folder / FOLDER).glob("*.jsonl")) for row in read_rows(path)]


def append_label(folder: Path, *, case: str, rater: str, label: float, note: str | None = None) -> Label:
    """Add a label to the rater's own file."""
    if not _RATER.fullmatch(rater):
        raise UsageError(
            f"rater {rater!r}: a short name of letters, digits and . _ @ + -, because a file is named so"
        )
    fields = {"case": case, "rater": rater, "label": label, "at": now(), "note": note}
    made = read_label(("the label", fields))
    append_rows(folder / FOLDER / f"{rater}.jsonl", [made])
    return made


def read_label(row: Row) -> Label:
    """A line, checked."""
    where, fields = row
    texts: dict[str, str] = {}
    for name in ("case", "rater", "at"):
        value = fields.get(name)
        if not isinstance(value, str) or not value.strip():
            raise UsageError(f'{where}: "{name}" is {kind_of(value)}; it is a text that is not empty')
        texts[name] = value.strip()
    label, note = fields.get("label"), fields.get("note")
    if isinstance(label, bool) or label not in LABELS:
        raise UsageError(f'{where}: "label" is {label!r}; it is 0, 0.5 or 1')
    if note is not None and not isinstance(note, str):
        raise UsageError(f'{where}: "note" is {kind_of(note)}; it is a text or null')
    return Label(case=texts["case"], rater=texts["rater"], label=float(label), at=texts["at"], note=note)


def by_rater(labels: Iterable[Label]) -> dict[str, dict[str, float]]:
    """Rater -> case -> the label that counts: the one with the newest time, of equal times the later line."""
    newest: dict[tuple[str, str], Label] = {}
    for label in labels:
        key = label.rater, label.case
        if key not in newest or label.at >= newest[key].at:
            newest[key] = label
    found: dict[str, dict[str, float]] = {}
    for (rater, case), label in newest.items():
        found.setdefault(rater, {})[case] = label.label
    return dict(sorted(found.items()))


def agreement(labels: Iterable[Label]) -> dict[tuple[str, str], Measured]:
    """Cohen's kappa of every two raters, on the cases that both have labelled."""
    raters = by_rater(labels)
    return {(a, b): _kappa(raters[a], raters[b]) for a, b in combinations(raters, 2)}


def _kappa(first: Mapping[str, float], second: Mapping[str, float]) -> Measured:
    both = sorted(first.keys() & second.keys())
    return cohens_kappa([first[case] for case in both], [second[case] for case in both], categories=LABELS)
