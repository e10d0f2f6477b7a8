"""Findings in JSON: which objects are records, which hold records, and which only quote the document."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct, structs

from fiducial.review.finding import Finding, Meta
from fiducial.review.parse.draft import CERTAIN, LIKELY, POSSIBLE, Draft, Labelled, Read, build, substance
from fiducial.review.parse.kinds import heading_kind, type_kind
from fiducial.review.parse.names import CERTAIN_HOLDERS, HOLDERS, TEXT_HOLDERS, field_of, squeeze
from fiducial.review.parse.nodes import Arr, Json, Obj
from fiducial.review.parse.scan import Value
from fiducial.review.parse.statements import says_none
from fiducial.review.parse.values import is_praise, said, severity_word, text_of

_INHERITED = ("severity", "section", "phase")
_NUMBERED = 3  # words of a text in a list that may be a finding without any field

_MOST = 0.8  # of the text: a list of sentences that is the whole output
_NEAR = 80  # characters of a line that are looked at before a value
_MARK = re.compile(r"[\s,;*>\])}.-]*(?:\d{1,3}[.)])?[\s`]*(?:[A-Za-z_]{1,20}\s*[=:]\s*)?")
_OUTPUT = 4  # characters of the shortest text that may be an output
_FINDING_KEY = re.compile(r"[a-zA-Z]{0,12}[ _-]?\d{1,4}")

CUT = "cut off before its title and issue were complete"
BROKEN = "not readable as JSON beyond its first fields"
BLANK = "neither a title nor a text"


class Place(Struct, frozen=True, kw_only=True):
    """What the surroundings of a value say."""

    block: int
    at: int  # where the innermost list or object begins
    sure: bool = False  # stands in a list that is called findings, or the like
    listed: bool = False
    alone: bool = False  # the value is all there is
    inline: bool = False  # words stand before it on its line: more often a quotation than a record
    known: dict[str, str] = {}


class Objects:
    """Reads the values of one text. `embedded` reads a text found inside one: an output stored in an envelope."""

    def __init__(self, text: str, embedded: Callable[[str], Read] | None) -> None:
        self.text = text
        self.embedded = embedded
        self.read = Read.nothing()
        self.block = -1  # of the last record
        self.found = False  # whether the current value held anything of ours

    def value(self, value: Value, block: int) -> bool:
        """Read a top-level value; whether it held records, so that its text need not be read again."""
        self.found = False
        alone = isinstance(value.node, Arr) and value.end - value.start > _MOST * len(self.text)
        before = self.text[max(0, value.start - _NEAR) : value.start].rpartition("\n")[2]
        inline = _MARK.fullmatch(before) is None
        self._node(value.node, Place(block=block, at=value.start, alone=alone, inline=inline))
        if value.state == "cut" and (self.found or self.block == block):
            if not self.found and isinstance(value.node, Obj):  # it ended before the first field did
                self._lost(value.node)
            self.read.cut = self.found = True
        self.block = block if self.found else self.block
        return self.found

    def _node(self, node: Json, place: Place) -> None:
        if isinstance(node, Arr):
            inside = structs.replace(place, listed=True, at=node.start)
            for item in node.items:
                self._node(item, inside)
        elif isinstance(node, Obj):
            self._object(node, place)
        elif isinstance(node, str) and (place.sure or (place.alone and len(node.split()) >= _NUMBERED)):
            self._sentence(node, place)

    def _object(self, node: Obj, place: Place) -> None:
        if not node.pairs:
            return
        place = structs.replace(place, at=node.start, alone=False)
        kind = type_kind(_word(node, "type"))
        if says_none(_word(node, "type")) and not {field_of(key) for key, _ in node.pairs} & {"title", "issue"}:
            self.read.none = self.found = True
            return
        if kind == "meta" or is_praise(_word(node, "type")) or is_praise(_word(node, "severity")):
            self._meta(_word(node, "type") or "strengths", node, node.start)
            return
        built = build(_labelled(node), **place.known)
        stated = built[1] if built else frozenset[str]()
        if kind == "loose" and not stated & {"severity", "suggestion", "why_it_matters"}:
            self._meta(_word(node, "type"), node, node.start)
        elif _holds(node, itself="title" in stated and substance(stated - {"issue"}) > 0):
            self._holder(node, place)
        elif kind == "data" or not self._record(node, built, place, sure=kind == "finding" or place.sure):
            before = self._count()
            self._inside(node, place)
            if self._count() == before and (kind == "finding" or self._was_record(node, place)):
                self._lost(node)

    def _count(self) -> int:
        return len(self.read.drafts) + len(self.read.dropped) + len(self.read.meta)

    def _was_record(self, node: Obj, place: Place) -> bool:
        """Whether an object without words stands where findings stand; a tally (`severity`, `count`) is none."""
        if place.sure and place.listed:
            return True
        tally = any(isinstance(value, int | float) and field_of(key) is None for key, value in node.pairs)
        ranked = any(field_of(key) == "severity" for key, _ in node.pairs)
        return ranked and not tally and (place.listed or self.block == place.block)

    def _record(self, node: Obj, built: tuple[Finding, frozenset[str]] | None, place: Place, *, sure: bool) -> bool:
        """Take the object as a finding, if it is one, or count it as lost, if it was to be one."""
        if all(isinstance(value, Obj) for _, value in node.pairs):
            return False  # names and what they mean: a schema, or records by name
        stated = built[1] if built else frozenset[str]()
        weight = substance(frozenset(filter(None, (field_of(key) for key, _ in node.pairs))))
        if node.state != "whole" and not {"title", "issue"} <= stated:
            ours = sum(1 for key, _ in node.pairs if field_of(key) not in (None, "other"))
            if not ours or (ours == 1 and node.state == "broken" and not sure and not place.listed):
                return False
            self._lost(node)
            return True
        if built is None or not ({"title", "issue"} & stated or (sure and weight + ("other" in stated))):
            return False
        finding = built[0]
        if says_none(finding.title) and (finding.issue is None or says_none(finding.issue) or weight < 2):
            self.read.none = self.found = True
            return True
        if sure or weight >= 2 or ("title" in stated and "severity" in stated):
            tier = CERTAIN
        elif place.inline:
            return False
        elif weight and ("title" in stated or place.listed):
            tier = LIKELY
        elif place.listed and stated <= {"title", "id"} and len(finding.title.split()) >= _NUMBERED:
            tier = POSSIBLE
        else:
            return False
        self._keep(finding, place, tier, len(stated))
        return True

    def _keep(self, finding: Finding, place: Place, tier: int, fields: int) -> None:
        self.found = True
        self.read.drafts.append(
            Draft(finding=finding, at=place.at, form="json", block=place.block, tier=tier, fields=fields)
        )

    def _lost(self, node: Obj) -> None:
        self.found = True
        reason = CUT if node.state == "cut" else BROKEN if node.state == "broken" else BLANK
        self.read.drop(node.start, reason, self.text[node.start : max(node.end, node.start + 1)])

    def _holder(self, node: Obj, place: Place) -> None:
        """An object around findings. What it says of all of them is handed down."""
        known = dict(place.known)
        for key, value in node.pairs:
            field = field_of(key)
            if field in _INHERITED and isinstance(value, str) and said(value) is not None:
                known[field] = value
        for key, value in node.pairs:
            name = squeeze(key)
            inside = structs.replace(place, known=known, sure=place.sure or name in CERTAIN_HOLDERS)
            if name in HOLDERS or severity_word(key):
                if isinstance(value, Arr | Obj):
                    if severity_word(key):
                        inside = structs.replace(inside, sure=True, known={**known, "severity": key})
                    if value.state == "whole" and not (value.items if isinstance(value, Arr) else value.pairs):
                        self.read.none = self.found = True
                    self._node(value, inside)
                elif value is None or (isinstance(value, str) and says_none(value)):
                    self.read.none = self.found = True
                elif isinstance(value, str):
                    self._text(value, place)
            else:
                self._aside(key, value, inside, named=True)

    def _inside(self, node: Obj, place: Place) -> None:
        """An object that is no record: records may lie deeper, under any name, and a name may be a title."""
        for key, value in node.pairs:
            if isinstance(value, Obj | Arr):
                self._aside(key, value, place, named=False)
            elif isinstance(value, str) and squeeze(key) in TEXT_HOLDERS:
                self._text(value, place)

    def _aside(self, key: str, value: Json, place: Place, *, named: bool) -> None:
        """A field beside the findings: something said of the review, or anything. `named`: findings are beside it,
        so that `summary` and `metadata` are the review's and not the document's."""
        heading = heading_kind(key.replace("_", " ").replace("-", " "))
        told = heading.kind == "meta" or (named and (heading.kind == "summary" or type_kind(key) == "meta"))
        if told:
            for item in value.items if isinstance(value, Arr) else [value]:
                if text_of(item):
                    self._meta(heading.name or key, item, place.at)
        elif isinstance(value, Arr):
            self._node(value, structs.replace(place, sure=False))
        elif isinstance(value, Obj):
            known = place.known
            fields = frozenset(field for name, _ in value.pairs if (field := field_of(name)))
            if substance(fields) and "title" not in fields and len(key.replace("_", " ").split()) > 1:
                known = {**known, "title": key} if not _FINDING_KEY.fullmatch(key) else known
            self._node(value, structs.replace(place, known=known))

    def _meta(self, name: str, value: Json, at: int) -> None:
        self.found = True
        if not isinstance(value, Obj):
            self.read.meta.append((at, Meta(type=name, text=text_of(value) or "")))
            return
        fields = {key: text for key, item in value.pairs if (text := text_of(item))}
        title = text_of(_named(value, "title"), short=True)
        text = "\n".join(text for key, text in fields.items() if field_of(key) not in ("type", "id", "title"))
        self.read.meta.append((value.start, Meta(type=name, title=title, text=text, fields=fields)))

    def _sentence(self, text: str, place: Place) -> None:
        """A finding that is nothing but a text in a list of findings."""
        built = build([("issue", text)], **place.known)
        self.found = True
        if says_none(text):
            self.read.none = True
        elif built is not None:
            self._keep(built[0], place, CERTAIN if place.sure else POSSIBLE, 1)

    def _text(self, text: str, place: Place) -> None:
        """An output inside an envelope: `{"role": "assistant", "content": "…"}`."""
        read = self.embedded(text) if self.embedded is not None and len(text) >= _OUTPUT else None
        if read is None or not (read.drafts or read.meta or read.dropped or read.none):
            return
        self.found = True
        read.drafts = [structs.replace(draft, at=place.at, block=place.at) for draft in read.drafts]
        self.read.add(read)


def _holds(node: Obj, *, itself: bool) -> bool:
    """Whether an object is there for the records it holds. One that is a finding `itself` may have lists of
    whatever it likes, unless they are called findings."""
    for key, value in node.pairs:
        name = squeeze(key)
        records = isinstance(value, Arr) and any(isinstance(item, Obj) for item in value.items)
        none = value is None or (isinstance(value, str) and says_none(value))
        if itself:
            held = records and name in ("findings", "issues", "reviewfindings")
        else:
            held = name in HOLDERS and isinstance(value, Obj | Arr)
            held = held or (name in CERTAIN_HOLDERS and none)
            held = held or (isinstance(value, Arr) and severity_word(key) is not None)
        if held:
            return True
    return False


def _labelled(node: Obj) -> list[Labelled]:
    """The fields of a record, with those of an object inside that only groups them (`details: {…}`)."""
    labelled: list[Labelled] = []
    for key, value in node.pairs:
        known = field_of(key)
        if isinstance(value, Obj) and known in ("issue", "other", "title", None):
            inner = [(k, v) for k, v in value.pairs if field_of(k) not in (None, "type", "other")]
            if known is not None and {"issue", "why_it_matters", "suggestion", "title"} & {
                field_of(k) for k, _ in inner
            }:
                labelled += inner
                continue
        labelled.append((key, value))
    return labelled


def _named(node: Obj, field: str) -> Json:
    return next((value for key, value in node.pairs if field_of(key) == field and value is not None), None)


def _word(node: Obj, field: str) -> str:
    value = _named(node, field)
    return value if isinstance(value, str) else ""
