"""What was planted: where, what stood there, what stands there now, and how a reviewer would say it."""

from __future__ import annotations

import hashlib

from msgspec import Struct

from fiducial.review.finding import Severity
from fiducial.review.plant.blocks import Document, Span

# The share of runs in which a reviewer is asked to find a flaw of each severity, when a list of flaws is used as
# must-finds. People who curate a list set their own.
MIN_RECALL: dict[Severity, float] = {"Critical": 0.8, "Important": 0.6, "Minor": 0.4}


class Place(Struct, frozen=True, kw_only=True):
    """A span of a file: characters from 0, end exclusive; line and column of the first one from 1."""

    start: int
    end: int
    line: int
    column: int

    @classmethod
    def of(cls, document: Document, start: int, end: int) -> Place:
        """The place of a span of a document."""
        line = document.line_of(start)
        return cls(start=start, end=end, line=line + 1, column=start - document.lines[line][0] + 1)


class Flaw(Struct, frozen=True, kw_only=True):
    """One planted flaw. `id` to `evidence` are what a list of must-finds holds; the rest is the proof.

    `evidence` are exact quotations from the variant. Where the flaw is an absence, `missing` says of what, and the
    evidence is what still speaks of it.
    """

    id: str
    title: str
    issue: str
    severity: Severity
    min_recall: float
    evidence: tuple[str, ...]
    missing: str | None
    operator: str
    category: str
    place: Place  # in the variant
    original_place: Place
    original: str
    changed: str
    facts: dict[str, str]  # what `verify` looks for


class Candidate(Struct, frozen=True, kw_only=True):
    """A flaw that could be planted. All spans are of the original file."""

    start: int
    end: int
    new: str
    shown: tuple[Span, ...]  # to be quoted; a span around the edit is quoted as it reads after the edit
    subject: str  # two flaws about one subject could undo each other, so a variant has one
    title: str
    issue: str
    facts: dict[str, str]
    missing: str | None = None
    guarded: tuple[
        Span, ...
    ] = ()  # not quoted, but what is said of the flaw holds only while they stay as they are

    def name(self, operator: str) -> str:
        """The flaw's id: the same edit of a document always has the same one."""
        said = "\x1f".join([operator, str(self.start), str(self.end), self.new])
        return f"{operator}-{hashlib.sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
