"""Findings in lists, and records of labelled lines that follow each other without headings."""

from __future__ import annotations

import re

from msgspec import Struct, structs

from fiducial.review.finding import Finding
from fiducial.review.parse.body import Body, read_body
from fiducial.review.parse.draft import (
    CERTAIN,
    GROUPED,
    LIKELY,
    POSSIBLE,
    Draft,
    Form,
    Read,
    build,
    first_sentence,
    substance,
)
from fiducial.review.parse.kinds import heading_kind
from fiducial.review.parse.labels import read_label
from fiducial.review.parse.lines import Line
from fiducial.review.parse.objects import CUT
from fiducial.review.parse.statements import says_none
from fiducial.review.parse.titles import Title, plain, read_title

_BOLD = re.compile(r"([^\w*]{0,6})(?:\*\*|__)(.{1,400}?)(?:\*\*|__)\s*")
_SEPARATED = re.compile(r"(.{3,110}?)(?::\s+|\s+[–—]\s+|\s+-\s+)(?=\S)")
_PLACE = re.compile(
    r"(?:section|sec\.?|§+|lines?|page|p\.|requirement|req|fr|nfr|chapter|paragraph|table|figure|appendix)"
    r"[\s#-]*[\w.,§ -]{1,24}$",
    re.I,
)
_ASIDE = re.compile(r"[(\[]([^()\[\]]{1,80})[)\]]\s*[:.–—-]*\s*")
_TITLE = 300  # characters of a title that may go on
_WORDS = 3  # of an item without any mark that may be a finding


class Within(Struct, frozen=True, kw_only=True):
    """What surrounds a list: a group of findings, the summary of a review, or nothing that says what it is."""

    group: bool = False
    summary: bool = False
    alone: bool = False  # the list is most of the output
    known: dict[str, str] = {}


class Item(Struct, frozen=True):
    """A list item with the lines below it."""

    head: Line
    lines: list[Line]


def read_items(lines: list[Line], within: Within, block: int) -> Read:
    """The findings among lines that stand under no finding's title."""
    read = Read.nothing()
    items = split_items(lines)
    labels = [read_label(item.head.text) for item in items]
    known = sum(1 for label in labels if label is not None and label.field is not None)
    if 2 * known > len(items) or (not items and _labelled_lines(lines) > 1):
        _records(read, lines, within, block)
        return read
    for item in items:
        _item(read, item, within, block)
    if any(draft.tier == CERTAIN for draft in read.drafts):  # what stands in one list is of one kind
        read.drafts = [structs.replace(d, tier=max(d.tier, GROUPED)) for d in read.drafts]
    return read


def split_items(lines: list[Line]) -> list[Item]:
    """The items of the outermost list, with what belongs to each.

    Numbers go before bullets: under `1. **Title**` bullets at the margin are its fields. A paragraph at the margin
    belongs to the item before it only if some item but the last has one, otherwise it is what follows the list.
    """
    listed = [line for line in lines if line.kind in ("number", "bullet")]
    if not listed:
        return []
    margin = min(line.indent for line in listed)
    numbers = [line for line in listed if line.kind == "number" and line.indent <= margin + 1]
    kind = "number" if numbers else "bullet"
    items: list[Item] = []
    for line in lines:
        if line.kind == kind and line.indent <= margin + 1:
            items.append(Item(line, []))
        elif items and line.kind == "text" and _half_title(items[-1]):
            items[-1] = Item(structs.replace(items[-1].head, text=f"{items[-1].head.text} {line.text}"), [])
        elif items:
            items[-1].lines.append(line)
    loose = any(_margin_text(item, margin) is not None for item in items[:-1])
    if items and not loose and (end := _margin_text(items[-1], margin)) is not None:
        del items[-1].lines[end:]
    for item in items:
        rule = next((n for n, line in enumerate(item.lines) if line.kind == "rule"), None)
        if rule is not None:
            del item.lines[rule:]
    return items


def _half_title(item: Item) -> bool:
    """Whether the title in bold goes on in the next line."""
    return not item.lines and len(item.head.text) < _TITLE and item.head.text.count("**") % 2 == 1


def _margin_text(item: Item, margin: int) -> int | None:
    for number, line in enumerate(item.lines):
        if (
            line.kind in ("text", "row")
            and line.indent <= margin
            and line.after_blank
            and read_label(line.text) is None
        ):
            return number
    return None


def _item(read: Read, item: Item, within: Within, block: int) -> None:
    if not item.lines and item.head.text.count("**") % 2 == 1:
        read.drop(item.head.start, CUT, item.head.text)
        read.cut = True
        return
    title, rest, bold = _head(item.head)
    if heading_kind(title.words).kind == "meta" and not title.numbered:
        return
    indent = min((line.indent for line in item.lines if line.kind in ("bullet", "text")), default=item.head.indent)
    first = [Line("text", rest, item.head.start, indent)] if rest else []
    body = read_body([*first, *item.lines])
    if says_none(plain(item.head.text)) or (title.words and says_none(title.words)):
        read.none = True
        return
    words, section = title.words, None
    if not bold and words:
        words, body, section = _plain_item(words, body)
    known = {
        **within.known,
        **{k: v for k, v in (("severity", title.severity), ("confidence", title.confidence)) if v},
        **({"section": section} if section else {}),
    }
    built = build(body.pairs(), title=words or None, body=body.issue(), id=title.id, **known)
    if built is None:
        if title.marked:
            read.drop(item.head.start, "a number without a title or a text", item.head.text)
        return
    tier = _tier(item, title, built, within, bold=bold)
    if tier:
        read.drafts.append(_draft(built, item.head.start, "list", block, tier))


def _tier(item: Item, title: Title, built: tuple[Finding, frozenset[str]], within: Within, *, bold: bool) -> int:
    weight = substance(built[1])
    if within.summary:
        return LIKELY if weight or bold else 0
    if weight or title.marked or title.severity:
        return CERTAIN
    words = len(built[0].title.split()) + len((built[0].issue or "").split())
    if within.group:
        return GROUPED if bold or words >= _WORDS else 0
    if bold:
        return LIKELY if item.head.kind == "number" else POSSIBLE
    return POSSIBLE if within.alone and words > _WORDS else 0


def _head(line: Line) -> tuple[Title, str, bool]:
    """The title of an item, the text behind it, and whether it was in bold."""
    text, number = line.text, line.number
    found = _BOLD.match(text)
    if found is None:
        return read_title(text, number=number), "", False
    title = read_title(found[1] + found[2], number=number)
    rest = text[found.end() :].strip()
    if not title.words or _only_severity(title):  # "**[Critical]** The words: …", "**Critical** – **The words**"
        severity = title.severity or title.words
        again, rest, bold = _head(Line(line.kind, rest.lstrip(" :–—-|"), line.start))
        return _with(again, title, severity or None), rest, bold
    if aside := _ASIDE.match(rest):
        tagged = read_title(f"{title.words} ({aside[1]})")
        if tagged.words == title.words:
            title, rest = _with(title, tagged, tagged.severity), rest[aside.end() :]
    return title, rest.lstrip(":–—- ").strip() if not rest.startswith("--") else rest, True


def _only_severity(title: Title) -> bool:
    return read_title(f"x ({title.words})").words == "x"


def _with(title: Title, other: Title, severity: str | None) -> Title:
    return Title(
        title.words,
        title.id or other.id,
        title.severity or severity,
        title.confidence or other.confidence,
        title.marked or other.marked,
        title.numbered or other.numbered,
    )


def _plain_item(words: str, body: Body) -> tuple[str, Body, str | None]:
    """Title, body and section of an item without emphasis: `Section 3: the words`, `The words: and what is wrong`."""
    section, text = None, words
    found = _SEPARATED.match(text)
    if found and _PLACE.fullmatch(found[1].strip()):
        section, text = found[1].strip(), text[found.end() :]
        found = _SEPARATED.match(text)
    if found and len(found[1].split()) <= 12 and len(text) - found.end() > 12:
        title, said = found[1].strip(), text[found.end() :]
    else:
        title, said = first_sentence(text), text
    if title == text.strip(" ."):
        said = ""
    body.text = "\n".join(part for part in (said, body.text) if part)
    return title, body, section


def _labelled_lines(lines: list[Line]) -> int:
    count = 0
    for line in lines:
        if line.kind in ("text", "row") and (label := read_label(line.text)) and label.field is not None:
            count += 1
    return count


def _records(read: Read, lines: list[Line], within: Within, block: int) -> None:
    """Labelled lines one after another: a record ends where its first label comes again."""
    chunk: list[Line] = []
    first, seen = None, set[str]()
    margin = min((line.indent for line in lines if line.kind not in ("blank", "code")), default=0)
    for line in lines:
        label = read_label(line.text) if line.kind in ("text", "bullet", "number", "row") else None
        field = label.field if label is not None and line.indent <= margin + 6 else None
        new = field is not None and (field in (first, "title") and field in seen)
        if line.kind == "rule" or new:
            _record(read, chunk, within, block)
            chunk, seen, first = [], set(), first if new else None
        if field is not None:
            first = first or field
            seen.add(field)
        if field is not None or (chunk and line.kind != "rule"):
            chunk.append(line)
    _record(read, chunk, within, block)


def _record(read: Read, chunk: list[Line], within: Within, block: int) -> None:
    if not chunk:
        return
    margin = chunk[0].indent
    # in YAML the first field carries the list's mark and the others stand two columns to its right
    level = [line if line.indent > margin + 4 or line.kind == "code" else _moved(line, margin) for line in chunk]
    body = read_body(level)
    built = build(body.pairs(), body=body.issue(), **within.known)
    if built is None or not {"title", "issue"} & built[1]:
        return
    if says_none(built[0].title):
        read.none = True
        return
    if substance(built[1]) >= 1 and len(built[1]) >= 2:
        tier = LIKELY if within.summary else CERTAIN
        read.drafts.append(_draft(built, chunk[0].start, "lines", block, tier))


def _moved(line: Line, indent: int) -> Line:
    label = read_label(line.text) if line.kind != "blank" else None
    if label is None or label.field is None:
        return line
    return Line(line.kind, line.text, line.start, indent, line.level, line.number, line.after_blank)


def _draft(built: tuple[Finding, frozenset[str]], at: int, form: Form, block: int, tier: int) -> Draft:
    return Draft(finding=built[0], at=at, form=form, block=block, tier=tier, fields=len(built[1]))
