"""Findings between tags: `<finding severity="high"><title>…</title>…</finding>`, well-formed or not."""

from __future__ import annotations

import html
import re
from collections.abc import Set

from msgspec import Struct

from fiducial.review.finding import Meta
from fiducial.review.parse.draft import CERTAIN, Draft, Labelled, Read, build
from fiducial.review.parse.kinds import heading_kind, type_kind
from fiducial.review.parse.names import field_of
from fiducial.review.parse.objects import BLANK, CUT
from fiducial.review.parse.statements import says_none

_TAG = re.compile(r"<(/?)([A-Za-z][\w.-]{0,40})((?:\s[^<>]{0,400})?)(/?)>")
_ATTRIBUTE = re.compile(r"([\w-]{1,40})\s*=\s*(?:\"([^\"<>]*)\"|'([^'<>]*)')")
_CDATA = re.compile(r"<!\[CDATA\[|\]\]>")
_RECORDS = frozenset(
    ("finding", "issue", "problem", "defect", "concern", "observation", "risk", "gap", "item", "record")
)
_HOLDERS = frozenset(("findings", "issues", "problems", "defects", "concerns", "observations", "risks", "gaps"))


class Tag(Struct, frozen=True):
    """A tag at `text[start:end]`."""

    name: str
    closing: bool
    empty: bool
    attributes: str
    start: int
    end: int


class Tagged(Struct, frozen=True):
    """What was read from tags, and the spans of text that it came from."""

    read: Read
    spans: list[tuple[int, int]]


def read_tags(text: str, block: int) -> Tagged:
    """Every tagged finding. One pass over the tags: a record is closed by its tag, the next one, or the end."""
    tags = [
        Tag(m[2].casefold(), bool(m[1]), bool(m[4]) or m[3].endswith("/"), m[3], m.start(), m.end())
        for m in _TAG.finditer(text)
    ]
    names = {tag.name for tag in tags if not tag.closing}
    holder = next((tag for tag in tags if tag.name in _HOLDERS), None)
    records = _RECORDS & names if holder else {"finding"} & names or _whole_records(tags)
    reader = _Tags(text, tags, records, block)
    if records:
        reader.run()
    elif holder is not None:
        reader.holder(holder)
    return Tagged(reader.read, reader.spans)


def _whole_records(tags: list[Tag]) -> set[str]:
    """Tags that hold a title and are closed, where nothing is called a finding."""
    opened: str | None = None
    titled, found = False, set[str]()
    for tag in tags:
        if opened is None and not tag.closing and tag.name in _RECORDS:
            opened, titled = tag.name, False
        elif opened == tag.name and tag.closing:
            found |= {opened} if titled else set()
            opened = None
        elif not tag.closing and field_of(tag.name) == "title":
            titled = True
    return found


class _Tags:
    def __init__(self, text: str, tags: list[Tag], records: Set[str], block: int) -> None:
        self.text, self.tags, self.records, self.block = text, tags, records, block
        self.read = Read.nothing()
        self.spans: list[tuple[int, int]] = []
        self.closing = self._closings()

    def run(self) -> None:
        at = 0
        while at < len(self.tags):
            tag = self.tags[at]
            if tag.closing or tag.empty:
                at += 1
            elif tag.name in self.records:
                at = self._record(at)
            elif heading_kind(tag.name.replace("_", " ")).kind == "meta" or type_kind(tag.name) == "meta":
                at = self._told(at)
            else:
                at += 1

    def holder(self, tag: Tag) -> None:
        """`<findings></findings>`, or one that says that there are none."""
        close = next((t for t in self.tags if t.name == tag.name and t.closing and t.start >= tag.end), None)
        inner = "" if tag.empty else self.text[tag.end : close.start] if close else None
        if inner is not None and (not inner.strip() or says_none(inner)):
            self.read.none = True

    def _told(self, at: int) -> int:
        """Something said of the review; if its tag is not closed before the next record, a tag like any other."""
        tag, close = self.tags[at], self.closing[at]
        if close is None:
            return at + 1
        text = _plain(_TAG.sub(" ", self.text[tag.end : self.tags[close].start]))
        if text:
            self.read.meta.append((tag.start, Meta(type=tag.name, text=text)))
            self.spans.append((tag.start, self.tags[close].end))
        return close + 1

    def _closings(self) -> list[int | None]:
        """For each tag, the number of the tag that closes it before the next record begins; one pass from the end."""
        nearest: dict[str, int] = {}
        closing: list[int | None] = [None] * len(self.tags)
        for number in range(len(self.tags) - 1, -1, -1):
            tag = self.tags[number]
            if tag.closing:
                nearest[tag.name] = number
            elif tag.name in self.records:
                nearest = {}
            else:
                closing[number] = nearest.get(tag.name)
        return closing

    def _record(self, at: int) -> int:
        """Read the record that opens at a tag; the number of the tag to go on with."""
        tag, text = self.tags[at], self.text
        labelled: list[Labelled] = [(m[1], m[2] or m[3] or "") for m in _ATTRIBUTE.finditer(tag.attributes)]
        field: Tag | None = None
        body, done, number = [], tag.end, at + 1
        whole = False
        while number < len(self.tags):
            other = self.tags[number]
            if field is not None:
                if other.closing and other.name == field.name:
                    labelled.append((field.name, _plain(text[field.end : other.start])))
                    field, done = None, other.end
            elif other.closing and other.name == tag.name:
                whole, number = True, number + 1
                break
            elif not other.closing and other.name in self.records and field_of(other.name) in (None, "title"):
                break  # the tag that closes this one was forgotten
            elif not other.closing and not other.empty and field_of(other.name) is not None:
                body.append(text[done : other.start])
                field = other
            number += 1
        end = (
            self.tags[number - 1].end
            if whole
            else len(text)
            if number >= len(self.tags)
            else self.tags[number].start
        )
        if field is None:
            body.append(text[done : self.tags[number - 1].start if whole else end])
        rest = _plain(_TAG.sub(" ", " ".join(body)))
        self._keep(tag, labelled, rest, end, whole=whole)
        return number

    def _keep(self, tag: Tag, labelled: list[Labelled], rest: str, end: int, *, whole: bool) -> None:
        self.spans.append((tag.start, end))
        at_end = not whole and end >= len(self.text)
        self.read.cut = self.read.cut or at_end
        built = build(labelled, body=rest or None)
        excerpt = self.text[tag.start : end]
        if built is None:
            self.read.drop(tag.start, CUT if at_end else BLANK, excerpt)
        elif at_end and (built[0].issue is None or "title" not in built[1]):
            self.read.drop(tag.start, CUT, excerpt)
        elif says_none(built[0].title):
            self.read.none = True
        else:
            draft = Draft(
                finding=built[0], at=tag.start, form="tags", block=self.block, tier=CERTAIN, fields=len(built[1])
            )
            self.read.drafts.append(draft)


def _plain(text: str) -> str:
    return html.unescape(_CDATA.sub("", text)).strip()
