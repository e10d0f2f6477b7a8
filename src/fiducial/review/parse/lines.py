"""An output as lines: what each is in Markdown, and where it stands.

Only what a line is by itself; what it belongs to is decided later. Lines of code, and lines that were read as
JSON, are `code`: they are part of a text but never open anything, so a heading in a quoted file is no heading.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

LineKind = Literal["blank", "heading", "bullet", "number", "row", "rule", "quote", "code", "text"]

_BULLET = re.compile(r"[-*+•‣◦▪●○·–—]\s+(?:\[[ xX]\]\s+)?|[•●▪]")
_NUMBER = re.compile(r"(?:\(?(\d{1,3}(?:\.\d{1,3}){0,3})\\?[.):]|\(([a-zA-Z]|[ivx]{1,4})\)|#(\d{1,3})[.):]?)\s+")
_FENCE = re.compile(r"(`{3,}|~{3,})\s*([^\s`]*)")
_JSON = re.compile(
    r"""[{}\[\],]+$|[{\[]\s*["'{]|[{\[,\s]*["'][\w -]{1,40}["']\s*:"""
)  # what is left of JSON that was no record
_PROSE_FENCES = frozenset(("markdown", "md", "mdx"))
_MAYBE_PROSE = frozenset(("", "text", "txt", "plaintext", "plain", "yaml", "yml", "output"))


class Line(Struct, frozen=True):
    """One line. `text` is what follows its marks: the heading's words, the item's words, the row."""

    kind: LineKind
    text: str
    start: int  # offset in the prepared text
    indent: int = 0
    level: int = 0  # of a heading
    number: str = ""  # of a numbered item
    after_blank: bool = False


class Fences(Struct, frozen=True):
    """Which lines are inside code blocks, which only open or close one, and whether the last was left open."""

    inside: set[int]
    marks: set[int]
    open_at_end: bool


def split_lines(text: str) -> tuple[list[Line], bool]:
    """The lines of a text, without runs of blank ones; and whether a code block was left open at the end."""
    raw = text.split("\n")
    quoted = _all_quoted(raw)
    if quoted:
        raw = [line.lstrip().removeprefix(">").removeprefix(" ") for line in raw]
    fences = _fences(raw)
    lines: list[Line] = []
    at, blank = 0, True
    for number, line in enumerate(raw):
        start, at = at, at + len(line) + 1
        if "<" in line[:40] and number not in fences.inside:
            line = _without_tags(line)  # noqa: PLW2901
        stripped = line.strip()
        if number in fences.marks:
            continue
        if not stripped or stripped in "-*+#>":  # nothing, or the mark of something that was never written
            if not blank:
                lines.append(Line("blank", "", start))
            blank = True
            continue
        code = number in fences.inside or _JSON.match(stripped) is not None
        defines = not blank and lines[-1].kind in ("text", "bullet")
        lines.append(_line(line, stripped, start, blank, code=code, defines=defines))
        blank = False
    return _underlined(lines), fences.open_at_end


_SUMMARY = re.compile(r"\s*(?:<details[^<>]{0,40}>\s*)?<summary>(.{1,400})</summary>\s*$", re.I)
_HEADING = re.compile(r"\s*<h([1-6])[^<>]{0,40}>(.{1,400})</h\1>\s*$", re.I)
_ITEM = re.compile(r"\s*<li(?:\s[^<>]{0,40})?>\s*", re.I)
_STRONG = re.compile(r"</?(?:b|strong)>", re.I)
_TAG = re.compile(r"</?(?:b|strong|i|em|details|summary|div|p|span|ul|ol)(?:\s[^<>]{0,80})?>", re.I)


def _without_tags(line: str) -> str:
    """A line of HTML as Markdown: folded details and headings; other tags are left to the text."""
    if found := _SUMMARY.match(line[:600]):
        return f"**{_TAG.sub('', found[1]).strip()}**"
    if found := _HEADING.match(line[:600]):
        return f"{'#' * int(found[1])} {_TAG.sub('', found[2]).strip()}"
    if not _TAG.sub("", line).strip():
        return ""
    if _ITEM.match(line):
        return _TAG.sub("", _STRONG.sub("**", _ITEM.sub("- ", line)).replace("</li>", ""))
    return line


def _line(line: str, stripped: str, start: int, blank: bool, *, code: bool, defines: bool) -> Line:
    body = line.expandtabs(4) if "\t" in line[:40] else line
    indent = len(body) - len(body.lstrip())
    if code:
        return Line("code", line.rstrip(), start, indent, after_blank=blank)
    first = stripped[0]
    if first == "#":
        level = len(stripped) - len(stripped.lstrip("#"))
        rest = stripped[level:]
        if level <= 6 and (rest[:1].isspace() or (level > 1 and rest)):
            return Line("heading", rest.strip().rstrip("#").strip(), start, indent, level, after_blank=blank)
    if first == ":" and defines and stripped[1:2].isspace():  # what a definition list says of the line above
        return Line("bullet", stripped[1:].strip(), start, indent + 2, number=":", after_blank=blank)
    if first == ">":
        return Line("quote", stripped, start, indent, after_blank=blank)
    if first in "-*_=" and len(stripped) >= 3 and not stripped.strip(f"{first} "):
        return Line("rule", stripped, start, indent, after_blank=blank)
    if first == "|":
        return Line("row", stripped, start, indent, after_blank=blank)
    if found := _NUMBER.match(stripped):
        number = found[1] or found[2] or found[3]
        return Line("number", stripped[found.end() :], start, indent, number=number, after_blank=blank)
    if (found := _BULLET.match(stripped)) and found.end() < len(stripped):
        return Line("bullet", stripped[found.end() :], start, indent, after_blank=blank)
    kind: LineKind = "row" if "|" in stripped and "||" not in stripped else "text"
    return Line(kind, stripped, start, indent, after_blank=blank)


def _all_quoted(raw: list[str]) -> bool:
    """Whether the whole output stands in a block quote: then the marks say nothing."""
    seen = False
    for line in raw:
        stripped = line.lstrip()
        if stripped:
            if stripped[0] != ">":
                return False
            seen = True
    return seen


def _fences(raw: list[str]) -> Fences:
    """Pair the fences. Blocks of prose (Markdown, or a block around most of the output) are not code.

    A fence that names a language opens a block even inside another one, since a model that puts Markdown in a
    fence does not lengthen the outer fence.
    """
    inside, marks, stack = set[int](), set[int](), list[tuple[int, str]]()
    prose = sum(1 for line in raw if line.strip())
    closed: list[tuple[int, int, str]] = []
    for number, line in enumerate(raw):
        stripped = line.lstrip()
        if stripped[:1] not in "`~" or not (found := _FENCE.match(stripped)):
            continue
        if stripped.count("`", found.end()):  # ```inline```
            continue
        if stack and not found[2]:
            start, language = stack.pop()
            closed.append((start, number, language))
        elif len(stack) < 8:
            stack.append((number, found[2].casefold()))
    for start, end, language in closed:
        marks |= {start, end}
        large = 2 * (end - start) > prose
        if language in _PROSE_FENCES or (language in _MAYBE_PROSE and large):
            continue
        inside.update(range(start + 1, end))
    left = [start for start, language in stack]
    marks.update(left)
    return Fences(inside, marks, bool(left))


def _underlined(lines: list[Line]) -> list[Line]:
    """Headings underlined with `===` or `---` become headings."""
    made: list[Line] = []
    for line in lines:
        above = made[-1] if made else None
        solid = line.kind == "rule" and line.text[0] in "=-" and " " not in line.text
        if solid and above and above.kind == "text" and not line.after_blank and above.after_blank:
            made[-1] = Line(
                "heading", above.text, above.start, 0, 1 if line.text[0] == "=" else 2, after_blank=True
            )
        else:
            made.append(line)
    return made
