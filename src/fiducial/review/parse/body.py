"""What stands under a finding's title: labelled fields with their continuation lines, and text without a label."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct, field

from fiducial.review.parse.labels import fields_of, read_label
from fiducial.review.parse.lines import Line
from fiducial.review.parse.names import SHORT, field_of
from fiducial.review.parse.patterns import any_of
from fiducial.review.parse.tables import cells_of, is_separator
from fiducial.review.parse.titles import plain

_CLOSING = re.compile(
    any_of(
        "overall, in (?:summary|conclusion|short|closing), to (?:summari[sz]e|conclude|sum up), let me know, please let",
        r"i hope (?:this|these), these (?:findings|issues), if you (?:would|'d) like, would you like, conclusion\b",
        r"end of (?:review|findings|report), summary\b",
    ),
    re.I,
)
_BREAK = re.compile(r"<br\s*/?>", re.I)


class Body(Struct):
    """A finding's body, read. `rest` is what has no label, or one that we do not know."""

    labelled: list[tuple[str, str]] = field(default_factory=list)
    text: str = ""
    rest: str = ""
    open_label: bool = False  # the last line is a label without a value

    def pairs(self) -> list[tuple[str, object]]:
        """The labelled fields, for building a finding."""
        return [(name, value) for name, value in self.labelled if value.strip()]

    def issue(self) -> str | None:
        """The text for the issue: what has no label; and, where no field is the issue, what has an unknown one."""
        stated = any(field_of(name) == "issue" for name, value in self.labelled if value.strip())
        parts = [self.text] if stated else [self.text, self.rest]
        return "\n\n".join(part for part in parts if part) or None


class _Reader:
    """Collects lines into the field they belong to."""

    def __init__(self) -> None:
        self.fields: list[tuple[str, list[str]]] = []
        self.text: list[str] = []
        self.unknown: list[str] = []
        self.after: list[str] = []
        self.into = self.text
        self.base: int | None = None  # the indent of the first label: deeper labels are text
        self.field: str | None = None
        self.bulleted = False
        self.ruled = False

    def line(self, line: Line) -> None:
        if line.kind == "blank":
            self.into.append("")
        elif line.kind == "rule":
            self.ruled, self.into, self.field = True, self.after, None  # what follows a rule belongs to no finding
        elif line.kind in ("code", "quote") or not self._label(line):
            self._continue(line)

    def _label(self, line: Line) -> bool:
        text = line.text
        if line.kind == "row":
            cells = cells_of(text)
            if is_separator(cells):
                return True
            if len(cells) == 2 and field_of(plain(cells[0])) is not None and text.startswith("|"):
                self._open(plain(cells[0]), _BREAK.sub("\n", cells[1]), line)
                return True
        if self.base is not None and line.indent > self.base + 1:
            return False
        label = read_label(text)
        if label is None:
            return False
        if label.field is None:
            if self.field not in SHORT and self.base is not None and line.kind == "number":
                return False  # steps in bold, inside a suggestion
            self.into, self.field = self.unknown, None
            self.unknown.append(f"{label.name}: {label.value}" if label.value else label.name)
            return True
        if self.field == label.field and line.kind == "bullet" and label.field == "issue" and not label.strong:
            return False
        for name, value in fields_of(label):
            self._open(name, value, line)
        return True

    def _open(self, name: str, value: str, line: Line) -> None:
        self.base = line.indent if self.base is None else min(self.base, line.indent)
        self.bulleted = line.kind in ("bullet", "number")
        self.ruled = False
        self.field = field_of(name)
        self.fields.append((name, [value] if value else []))
        self.into = self.fields[-1][1]

    def _continue(self, line: Line) -> None:
        inside = self.base is not None and line.indent > self.base
        prose = line.kind == "text" and line.after_blank and not inside
        if prose and self.field is not None and (_CLOSING.match(line.text) or (self.bulleted and self.field)):
            # below a list of fields, a paragraph at the margin is no part of the last field
            self.into, self.field = self.after, None
        elif self.field in SHORT and self.into and not inside:
            self.into, self.field = self.text, None
        self.into.append(shown(line))


def read_body(lines: Iterable[Line]) -> Body:
    """Read the lines under a title."""
    reader = _Reader()
    for line in lines:
        reader.line(line)
    labelled = [(name, _joined(texts)) for name, texts in reader.fields]
    text = _joined(reader.text)
    rest = _joined(reader.unknown)
    has_issue = text or rest or any(field_of(name) in ("issue", "other") and value for name, value in labelled)
    if not has_issue:
        rest = _joined(reader.after)
    last = bool(labelled) and not labelled[-1][1] and reader.into is reader.fields[-1][1]
    return Body(labelled, text, rest, last)


def shown(line: Line) -> str:
    """A line as text again, with its list mark."""
    if line.kind == "bullet":
        return f"- {line.text}"
    return f"{line.number}. {line.text}" if line.kind == "number" else line.text


def _joined(lines: list[str]) -> str:
    return "\n".join(lines).strip()
