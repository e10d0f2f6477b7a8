"""From labelled values to a finding, whatever form they were written in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from fiducial.review.finding import Dropped, Finding, Meta
from fiducial.review.parse.names import SUBSTANCE, field_of, rank_of
from fiducial.review.parse.nodes import Obj
from fiducial.review.parse.values import confidence_of, said, severity_of, severity_word, text_of

Form = Literal["json", "tags", "heading", "list", "lines", "table"]
Labelled = tuple[str, object]
"""A label as it was written, and its value."""

CERTAIN, GROUPED, LIKELY, POSSIBLE = 4, 3, 2, 1
"""How sure the form makes us that a record is a finding. The first two count always; the others only where the
output has nothing surer, because there the same form is more often a summary, an outline or a quotation."""

TITLE = 160  # characters of a title that had to be taken from the issue
EXCERPT = 120
_BRIEF = ("id", "phase", "section")
_SENTENCE = re.compile(r"[.!?](?=\s)|\n")
_SPACES = re.compile(r"\s+")


class Draft(Struct, frozen=True, kw_only=True):
    """A finding, with what is needed to decide whether it is counted."""

    finding: Finding
    at: int  # where it stands in the text
    form: Form
    block: int = 0  # records of one form that stand together share a block
    tier: int
    fields: int = 0  # how many fields were filled


class Read(Struct):
    """What one pass has found."""

    drafts: list[Draft]
    meta: list[tuple[int, Meta]]
    dropped: list[tuple[int, Dropped]]
    none: bool = False  # said in so many words, or by an empty list
    cut: bool = False

    @classmethod
    def nothing(cls) -> Read:
        """A pass that found nothing yet."""
        return cls([], [], [])

    def add(self, other: Read) -> None:
        """Take over what another pass found."""
        self.drafts += other.drafts
        self.meta += other.meta
        self.dropped += other.dropped
        self.none = self.none or other.none
        self.cut = self.cut or other.cut

    def drop(self, at: int, reason: str, excerpt: str) -> None:
        """Count a record that is lost, with why."""
        self.dropped.append((at, Dropped(reason=reason, excerpt=shorten(excerpt, EXCERPT))))


def build(labelled: Iterable[Labelled], **known: str | None) -> tuple[Finding, frozenset[str]] | None:
    """The finding that labelled values make, and the fields that were stated; None if no field says anything.

    `known` holds what the surroundings say (a heading's title, a group's severity). A stated field goes before a
    severity or a section of the surroundings; a heading's title goes before a stated one.
    """
    texts: dict[str, list[tuple[int, str]]] = {}
    severity, confidence, stated = None, None, set[str]()
    impact = ""
    for label, value in labelled:
        field = field_of(label)
        if field is None:
            continue
        if field == "severity" and severity is None:
            severity = severity_of(value if isinstance(value, str) else text_of(value, short=True))
        if field == "confidence" and confidence is None:
            confidence = confidence_of(value)
        text = None if field == "title" and isinstance(value, Obj) else said(text_of(value, short=field in _BRIEF))
        if text is None:
            continue
        if field == "why_it_matters" and severity_word(text):
            impact = impact or text  # "Impact: High" is a severity, if there is no other
            continue
        stated.add(field)
        texts.setdefault(field, []).append((rank_of(label), text))
    severity = severity or severity_of(impact)
    if severity is not None:
        stated.add("severity")
    title, issue = _title_and_issue(texts, known.get("title"), known.get("body"))
    if title is None:
        return None
    phase, section = _primary(_first(texts, "phase")), _first(texts, "section")
    finding = Finding(
        id=known.get("id") or _first(texts, "id"),
        title=title,
        severity=severity or severity_of(known.get("severity")),
        confidence=confidence if confidence is not None else confidence_of(known.get("confidence")),
        phase=phase or known.get("phase"),
        section=section or known.get("section"),
        issue=issue,
        why_it_matters=_all(texts, "why_it_matters"),
        suggestion=_all(texts, "suggestion"),
    )
    return finding, frozenset(stated)


def substance(stated: frozenset[str]) -> int:
    """How many of the fields are there that only findings have."""
    return len(stated & SUBSTANCE)


def _title_and_issue(
    texts: dict[str, list[tuple[int, str]]], title: str | None, body: str | None
) -> tuple[str | None, str | None]:
    titles = sorted(texts.get("title", ()), key=lambda ranked: ranked[0])
    issues = list(texts.get("issue", ()))
    if body and body.strip():
        issues.insert(0, (-1, body.strip()))
    if title is None and titles:
        title = titles.pop(0)[1]
    if title is None and len(issues) > 1:  # a column "Issue" beside a column "Description"
        first = min(issues, key=lambda ranked: ranked[0])
        if len(first[1]) <= TITLE and "\n" not in first[1]:
            issues.remove(first)
            title = first[1]
    issues = issues or titles or sorted(texts.get("other", ()))[:1]
    issue = "\n\n".join(dict.fromkeys(text for _, text in issues)) or None
    if title is None:
        source = issue or _first(texts, "why_it_matters") or _first(texts, "suggestion")
        title = first_sentence(source) if source else None
    title = one_line(title) if title else None
    return title or None, issue


def _first(texts: dict[str, list[tuple[int, str]]], field: str) -> str | None:
    return min(texts[field])[1] if field in texts else None


_PRIMARY = re.compile(
    r"\bprimary\b\W{1,6}([\w-]+)|([\w-]+)\W{1,4}primary\b|^(\w[\w -]{1,40}?)\W{1,4}(?:contributing|secondary)\b",
    re.I,
)


def _primary(phase: str | None) -> str | None:
    """`primary: design, contributing: plan` and `design (contributing: plan)` are the phase design."""
    found = _PRIMARY.search(phase) if phase else None
    return (found[1] or found[2] or found[3]) if found else phase


def _all(texts: dict[str, list[tuple[int, str]]], field: str) -> str | None:
    return "\n\n".join(dict.fromkeys(text for _, text in texts.get(field, ()))) or None


def one_line(text: str) -> str:
    """The text without line breaks."""
    return _SPACES.sub(" ", text).strip()


def first_sentence(text: str) -> str:
    """The beginning of a text, at most as long as a title; whole words only, and no mark where it was cut."""
    head = text.strip()[: 4 * TITLE]
    end = _SENTENCE.search(head, 8)
    line = one_line(head[: end.start()] if end else head).rstrip(".")
    return line if len(line) <= TITLE else line[:TITLE].rsplit(" ", 1)[0]


def shorten(text: str, limit: int) -> str:
    """At most so many characters, on one line, with an ellipsis where something was left out."""
    line = one_line(text[: 4 * limit])
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
