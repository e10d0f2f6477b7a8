"""The outline of an output: sections under headings, and under the lines that serve as headings.

A line in bold alone, `Finding 3: …` on a line of its own and a line that introduces a list (`I found these
problems:`) open sections too, below every real heading. So does what a reviewer says of its own review after the
last finding (`**Blind spots:** …`), which ends the finding before it.
"""

from __future__ import annotations

import re
import sys
from typing import Literal

from msgspec import Struct, field, structs

from fiducial.review.parse.kinds import announces_findings, heading_kind
from fiducial.review.parse.labels import is_aside, read_label, whole_bold
from fiducial.review.parse.lines import Line
from fiducial.review.parse.titles import Title, read_title
from fiducial.review.parse.values import severity_word

Opened = Literal["root", "heading", "bold", "marker", "intro", "aside"]
_LEVEL = {"bold": 7, "marker": 7, "intro": 8}
_RUN_IN = re.compile(r"(?:\*\*|__)(.{3,300}?)(?:\*\*|__)(?=\s+\S|:\s+\S|\s*[–—-]\s+\S)")
_INTRO = 160  # characters of a line that introduces a list


class Section(Struct):
    """A heading and what stands under it, up to the next heading of its rank."""

    opened: Opened
    level: int
    start: int
    heading: str = ""
    title: Title = Title("")
    lines: list[Line] = field(default_factory=list)
    children: list[Section] = field(default_factory=list)
    run_in: bool = False  # the title opens a paragraph
    end: int = sys.maxsize  # where the next section begins, of whatever rank

    def text(self) -> str:
        """Everything under the heading, as it was written."""
        parts = [line.text for line in self.lines]
        for child in self.children:
            parts += [child.heading, child.text()]
        return "\n".join(parts).strip()


def outline(lines: list[Line]) -> Section:
    """The root section, with the others below it."""
    root = Section("root", 0, 0)
    open_sections, last = [root], root
    for number, line in enumerate(lines):
        made = _opens(lines, number, open_sections)
        if made is None:
            open_sections[-1].lines.append(line)
            continue
        while open_sections[-1].level >= made.level:
            open_sections.pop()
        open_sections[-1].children.append(made)
        open_sections.append(made)
        last.end, last = made.start, made
    return root


def _opens(lines: list[Line], number: int, open_sections: list[Section]) -> Section | None:
    line = lines[number]
    if line.kind == "heading":
        return _section("heading", line.level, line)
    if line.kind != "text" or line.indent > 3:
        return None
    label = read_label(line.text)
    if label is not None:
        summary = label.name.casefold() == "summary" and label.strong and not _labelled(lines, number)
        if summary or is_aside(label):
            return _aside(line, label.name, label.value, open_sections)
        if label.field is not None:
            return None
    inner = whole_bold(line.text)
    if inner is not None:
        made = _section("bold", _LEVEL["bold"], line)
        if heading_kind(inner).kind == "meta":
            made.level = _rank(open_sections)
        return made
    if line.after_blank and (run_in := _run_in(line, open_sections)) is not None:
        return run_in
    if number + 1 < len(lines) and lines[number + 1].number == ":":
        return _section("bold", _LEVEL["bold"], line)
    title = read_title(line.text) if len(line.text) <= 250 else None
    if title is not None and title.marked and title.id is not None and (line.after_blank or not title.words):
        return _section("marker", _LEVEL["marker"], line)
    if line.text.endswith(":") and len(line.text) <= _INTRO and line.after_blank and _list_follows(lines, number):
        return _section("intro", _LEVEL["intro"], line)
    return None


def _section(opened: Opened, level: int, line: Line) -> Section:
    return Section(opened, level, line.start, line.text, read_title(line.text))


def _aside(line: Line, name: str, value: str, open_sections: list[Section]) -> Section:
    made = Section("aside", _rank(open_sections), line.start, name, read_title(name))
    if value:
        made.lines.append(Line("text", value, line.start))
    return made


def _rank(open_sections: list[Section]) -> int:
    """The rank of the innermost real heading, so that what opens stands beside it and not inside."""
    return next((s.level for s in reversed(open_sections) if s.opened == "heading"), _LEVEL["bold"])


def _run_in(line: Line, open_sections: list[Section]) -> Section | None:
    """A paragraph that opens with its title in bold: among findings, or with a number, it is a section."""
    found = _RUN_IN.match(line.text)
    if found is None:
        return None
    title = read_title(found[1])
    above = next((s for s in reversed(open_sections) if not s.run_in), open_sections[0])
    group = heading_kind(above.title.words or above.heading).kind in ("findings", "severity")
    if not (title.numbered or group or (above.opened == "intro" and announces_findings(above.heading))):
        return None
    rest = line.text[found.end() :].lstrip(" :–—-")
    if severity_word(rest):
        title = structs.replace(title, severity=rest)
        return Section("bold", _LEVEL["bold"], line.start, line.text, title, run_in=True)
    return Section(
        "bold", _LEVEL["bold"], line.start, found[1], title, [Line("text", rest, line.start)], run_in=True
    )


def _labelled(lines: list[Line], number: int) -> bool:
    """Whether the next line has a label too: then the first one is a field of a record."""
    following = next((line for line in lines[number + 1 : number + 3] if line.kind != "blank"), None)
    return following is not None and read_label(following.text) is not None


def _list_follows(lines: list[Line], number: int) -> bool:
    for line in lines[number + 1 : number + 3]:
        if line.kind != "blank":
            return line.kind in ("bullet", "number", "row")
    return False
