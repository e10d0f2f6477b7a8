"""A reviewer's findings, as far as they could be recovered from what it wrote.

`Parsed` encodes to the JSON that `fiducial review parse --json` prints: its field names are a contract.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Literal

from msgspec import Struct

Severity = Literal["Critical", "Important", "Minor"]
Status = Literal["findings", "explicit_none", "empty", "malformed", "refused"]

_WORD = re.compile(r"\w+")


def fold(text: str) -> str:
    """The text as identity sees it: its words in lower case, without markup, punctuation or line breaks.

    A text without a single word (an emoji, a row of dashes) is its own fold, so that two such texts differ.
    """
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return " ".join(words) or text.strip()


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that a reviewer says is wrong with the document.

    `id` is the reviewer's own and good for display only: reviewers number from 1 in every output.
    """

    id: str | None = None
    title: str
    severity: Severity | None = None
    confidence: float | None = None  # 0..1, as stated
    phase: str | None = None
    section: str | None = None
    issue: str | None = None
    why_it_matters: str | None = None
    suggestion: str | None = None

    @property
    def content_hash(self) -> str:
        """What the finding is known by: 16 hex digits over its folded title and issue."""
        content = f"{fold(self.title)}\x1f{fold(self.issue or '')}"
        return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:16]


class Meta(Struct, frozen=True, kw_only=True):
    """What a reviewer says about its own review: blind spots, strengths, summaries. Never counted as a finding."""

    type: str
    title: str | None = None
    text: str
    fields: dict[str, str] = {}  # a record's own fields, flattened to text; none for a section of prose


class Dropped(Struct, frozen=True, kw_only=True):
    """A record that should have been a finding and could not be recovered."""

    reason: str
    excerpt: str


class Parsed(Struct, frozen=True, kw_only=True):
    """One output, read. Exactly one status; `findings` is empty unless the status is `findings`."""

    status: Status
    findings: tuple[Finding, ...] = ()
    meta: tuple[Meta, ...] = ()
    dropped: int = 0
    truncated: bool = False
    dropped_reasons: tuple[Dropped, ...] = ()
