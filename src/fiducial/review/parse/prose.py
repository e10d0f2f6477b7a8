"""Findings in Markdown and plain text: which sections are findings, which hold them, and which are about the review."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from msgspec import Struct, structs

from fiducial.review.finding import Meta
from fiducial.review.parse.body import Body, read_body
from fiducial.review.parse.draft import CERTAIN, GROUPED, LIKELY, Draft, Read, build, substance
from fiducial.review.parse.items import Within, read_items, split_items
from fiducial.review.parse.kinds import Heading, announces_findings, heading_kind, looked_at, plain_words
from fiducial.review.parse.labels import read_label
from fiducial.review.parse.lines import Line, split_lines
from fiducial.review.parse.names import field_of
from fiducial.review.parse.objects import CUT
from fiducial.review.parse.outline import Section, outline
from fiducial.review.parse.statements import says_none
from fiducial.review.parse.tables import read_table, tables_in

_GENERIC = re.compile(
    r"^(?:(?:key|main|detailed|critical|major|minor|important|other|additional|potential|identified|all|top|specific"
    r"|review|reviewer|design|document|individual|significant|notable|general|list|the|my|our|new|high|medium|low|of|and"
    r"|priority|severity|full)[ -]){0,4}(?:findings|issues|problems|concerns|gaps|flaws|defects|risks|weaknesses"
    r"|observations|results|feedback|comments|items|points|review)(?: (?:found|identified|list|table|details?))?$"
)
_STOPS = (".", "!", "?", ")", '"', "'", "”", "`", "*", "…", ":", ";", "]", "|", "。", "」")
_SENTENCE = 40  # characters of a last line that must have been meant to go on
_MANY = 10**9
_WORD = re.compile(r"\w")
_MARGIN = 0.6  # share of an output's lines that a list without any mark has to be


class Context(Struct, frozen=True, kw_only=True):
    """What the sections around say."""

    kind: str = "plain"
    level: int = 0
    known: dict[str, str] = {}

    @property
    def group(self) -> bool:
        """Whether what stands here is announced as findings."""
        return self.kind in ("findings", "severity")


def read_prose(text: str, taken: Sequence[int], block: int) -> Read:
    """The findings in what is left of an output when JSON and tags are taken out; `taken` is where those stood."""
    lines, open_block = split_lines(text)
    root = outline(lines)
    reader = _Prose(lines, taken, block)
    reader.section(root, Context())
    emphasis = bool(lines) and lines[-1].kind != "code" and lines[-1].text.count("**") % 2 == 1
    if reader.read.drafts and (open_block or emphasis or reader.unfinished):
        reader.read.cut = True
    return reader.read


class _Prose:
    def __init__(self, lines: list[Line], taken: Sequence[int], block: int) -> None:
        self.read = Read.nothing()
        self.taken = taken
        self.block = block
        self.unfinished = False
        self.full = 0  # findings that ended with a full sentence; far below 0 once one did not
        self.last = next((line.start for line in reversed(lines) if line.kind != "blank"), 0)
        self.size = sum(1 for line in lines if line.kind != "blank")

    def section(self, section: Section, context: Context) -> None:
        head = _announced(section, context)
        if section.opened in ("bold", "aside") and head.kind in ("meta", "summary"):
            self._told(section, head, structs.replace(context, kind="summary"), deep=False)
            for child in section.children:  # nothing stands below a line in bold
                self.section(child, context)
            return
        if tier := self._is_finding(section, head, context):
            self._finding(section, context, tier)
            return
        if head.kind in ("meta", "summary"):
            self._told(section, head, Context(kind="summary", level=section.level), deep=True)
            return
        inner = _inner(section, head, context)
        self._lists(section.lines, inner)
        first = len(self.read.drafts)
        for child in section.children:
            self.section(child, inner)
        self.read.drafts[first:] = _alike(self.read.drafts[first:])

    def _told(self, section: Section, head: Heading, inner: Context, *, deep: bool) -> None:
        """Something said of the review. A summary may be all there is, so what it lists is kept in reserve."""
        counts = _stands_alone if head.kind == "summary" else _marked
        deep_text = deep and not any(counts(child) for child in section.children)
        text = section.text() if deep_text else "\n".join(line.text for line in section.lines).strip()
        if text:
            self.read.meta.append(
                (section.start, Meta(type=head.name, title=section.title.words or None, text=text))
            )
        if head.kind == "summary":
            self._lists(section.lines, inner)
        if deep:
            for child in section.children:
                if head.kind == "summary" or _marked(child):
                    self.section(child, inner)

    def _is_finding(self, section: Section, head: Heading, context: Context) -> int:
        """How surely a section is one finding; 0 if it is none."""
        title = section.title
        if section.opened in ("root", "intro", "aside"):
            return 0
        body = read_body(_stream(section))
        fields = frozenset(f for name, value in body.labelled if value and (f := field_of(name)))
        weight = substance(fields - {"confidence"})
        repeated = _repeats(section.lines)
        empty = not _says_anything(section)
        if not weight and self._taken_in(section):
            return 0
        if title.marked and not repeated and (title.id is not None or not empty):
            return CERTAIN
        if head.kind == "meta" or repeated or any(_stands_alone(child) for child in section.children):
            return 0
        generic = bool(_GENERIC.match(plain_words(title.words))) or (head.kind == "severity" and not title.numbered)
        if weight and not generic and (head.kind != "summary" or (title.numbered and "severity" in fields)):
            return 0 if "title" in fields and not title.numbered else CERTAIN
        if head.kind == "summary" or generic or empty or not title.words:
            return 0
        if title.severity and body.text:
            return CERTAIN
        if _bold_items(section.lines):
            return 0
        if context.group and section.level > context.level:
            return GROUPED
        return LIKELY if title.numbered and context.kind == "plain" and section.opened != "marker" else 0

    def _finding(self, section: Section, context: Context, tier: int) -> None:
        title, children = section.title, section.children
        words = title.words
        if not words and children and children[0].opened == "bold" and field_of(children[0].title.words) is None:
            words = children[0].title.words
            section = structs.replace(section, lines=section.lines + children[0].lines, children=children[1:])
        if not words and not _says_anything(section):
            cut = _end(section) >= self.last
            self.unfinished = self.unfinished or cut
            self.read.drop(section.start, CUT if cut else "a heading without a title or a text", section.heading)
            return
        body = read_body(_stream(section))
        known = {k: v for k, v in (("severity", title.severity), ("confidence", title.confidence)) if v}
        built = build(
            body.pairs(), title=words or None, body=body.issue(), id=title.id, **{**context.known, **known}
        )
        if built is None:
            self.read.drop(section.start, "a heading without a title or a text", section.heading)
            return
        finding = built[0]
        if says_none(finding.title):
            self.read.none = True
            return
        if context.kind == "summary" and not title.marked:
            tier = LIKELY
        if self._cut(section, body):
            self.unfinished = True
            if finding.issue is None or not (words or "title" in built[1]):
                self.read.drop(section.start, CUT, section.heading)
                return
        self.read.drafts.append(
            Draft(
                finding=finding,
                at=section.start,
                form="heading",
                block=self._block(context),
                tier=tier,
                fields=len(built[1]) + 1,
            )
        )

    def _lists(self, lines: list[Line], context: Context) -> None:
        """Tables, lists and labelled lines directly under a heading that is no finding."""
        summary = context.kind == "summary"
        for table in tables_in(lines):
            found = read_table(table, self._block(context), summary=summary, known=context.known)
            if found is not None:
                self.read.add(found)
        if context.group and says_none("\n".join(line.text for line in lines)):
            self.read.none = True
        rest = [line for line in lines if line.kind != "row" or not line.text.startswith("|")]
        listed = sum(1 + len(item.lines) for item in split_items(rest)) if not context.group else 0
        within = Within(
            group=context.group, summary=summary, alone=listed > _MARGIN * self.size, known=context.known
        )
        self.read.add(read_items(rest, within, self._block(context)))

    def _block(self, context: Context) -> int:
        """What a summary repeats was not written in one go with what it repeats."""
        return self.block + (context.kind == "summary")

    def _taken_in(self, section: Section) -> bool:
        """Whether a record of another form stands under the heading: then the heading is its label."""
        after = bisect_left(self.taken, section.start)
        return after < len(self.taken) and self.taken[after] < section.end

    def _cut(self, section: Section, body: Body) -> bool:
        """Whether the output ends inside this finding: in an emphasis, behind a label, in its bare heading, or in
        a sentence where every finding before it ended with a full one."""
        if section.children or (section.lines[-1].start if section.lines else section.start) < self.last:
            self.full += 1 if _tail(section).endswith(_STOPS) else -_MANY
            return False
        if not section.lines:
            return bool(self.read.drafts) and all(draft.finding.issue for draft in self.read.drafts)
        text = section.lines[-1].text
        half = self.full > 1 and len(text) >= _SENTENCE and not text.endswith(_STOPS)
        return body.open_label or half or text.count("**") % 2 == 1


def _alike(drafts: list[Draft]) -> list[Draft]:
    """Among headings of which most are findings beyond doubt, those with a number are findings as well."""
    headings = [draft.tier for draft in drafts if draft.form == "heading"]
    if 2 * headings.count(CERTAIN) < len(headings):
        return drafts
    return [
        structs.replace(draft, tier=GROUPED) if draft.form == "heading" and draft.tier == LIKELY else draft
        for draft in drafts
    ]


def _tail(section: Section) -> str:
    while section.children:
        section = section.children[-1]
    return next((line.text for line in reversed(section.lines) if line.kind not in ("blank", "rule")), "")


def _end(section: Section) -> int:
    while section.children:
        section = section.children[-1]
    return section.lines[-1].start + len(section.lines[-1].text) if section.lines else section.start


def _announced(section: Section, context: Context) -> Heading:
    if section.opened == "root":
        return Heading("plain")
    if section.opened != "intro":
        return heading_kind(section.title.words or section.heading)
    head = heading_kind(section.heading)
    if head.kind == "plain" and looked_at(section.heading):
        return Heading("meta", name="coverage")
    return Heading("findings") if head.kind == "plain" and announces_findings(section.heading) else head


def _inner(section: Section, head: Heading, context: Context) -> Context:
    """The context for what a section holds. A plain heading (`Security`) hands its parent's on."""
    if section.opened == "root":
        return context
    if context.kind == "summary" and section.opened != "heading":
        return context
    if head.kind == "severity":
        return Context(
            kind="severity", level=section.level, known={**context.known, "severity": str(head.severity)}
        )
    if head.kind == "findings":
        return Context(kind="findings", level=section.level, known=context.known)
    return structs.replace(context, level=section.level) if context.group else context


def _says_anything(section: Section) -> bool:
    """Whether any words stand under a heading, other than code and the ruins of JSON."""
    own = any(line.kind not in ("blank", "code", "rule") and _WORD.search(line.text) for line in section.lines)
    return own or any(child.title.words or _says_anything(child) for child in section.children)


def _marked(section: Section) -> bool:
    return section.title.marked and section.title.id is not None


def _stands_alone(section: Section) -> bool:
    """Whether a section would be a finding wherever it stood."""
    if _marked(section):
        return True
    if section.opened in ("intro", "aside") or field_of(section.title.words or section.heading) is not None:
        return any(_stands_alone(child) for child in section.children)
    fields = {label.field for line in section.lines if (label := read_label(line.text)) and label.field}
    if substance(frozenset(fields) - {"confidence"}) or (section.title.severity and section.lines):
        return True
    return any(_stands_alone(child) for child in section.children)


def _stream(section: Section) -> list[Line]:
    """The lines of a finding: its own, and those of the headings inside it, which become labels or text."""
    lines = list(section.lines)
    for child in section.children:
        name = child.title.words or child.heading
        lines.append(Line("blank", "", child.start))
        mark = f"**{name}:**" if field_of(name) is not None else child.heading
        lines.append(Line("text", mark, child.start, 0, after_blank=True))
        lines += _stream(child)
    return lines


def _repeats(lines: list[Line]) -> bool:
    """Whether the lines hold several records: a title, or whatever comes first, is named twice at the margin."""
    first, seen = None, 0
    for line in lines:
        label = read_label(line.text) if line.kind in ("text", "bullet", "number") else None
        if label is None or label.field is None:
            continue
        if first is None:
            first, margin, seen = label.field, line.indent, 1
        elif line.indent <= margin and label.field == first:
            seen += 1
    return seen > 1 and first in ("title", "issue", "severity", "id")


def _bold_items(lines: list[Line]) -> bool:
    """Whether a section lists things with titles of their own, none of which is a field."""
    heads = [item.head.text for item in split_items(lines)]
    return bool(heads) and all(text.startswith(("**", "__")) for text in heads)
