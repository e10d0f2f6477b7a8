"""Reading the block structure of Markdown, with the place of every piece of prose.

CommonMark with tables; what is not a paragraph, a heading or a table cell (fenced and indented code, HTML, link
definitions, front matter) gives no block, so nothing can be planted there. Never raises, and is linear in the text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from fiducial.review.plant.blocks import Block, Document, Kind, Section, Span, Table
from fiducial.review.plant.inline import scan

LONGEST_BLOCK = 20_000  # a longer stretch of prose is no paragraph that anybody would review

_BREAK = re.compile(r"\r\n|\r|\n")
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,5})[.)]?\s+(?=\S)")
_PARSER = MarkdownIt("commonmark").enable("table")


@lru_cache(maxsize=8)
def read(text: str) -> Document:
    """The structure of a document."""
    lines = _lines(text)
    source = [text[start:end] for start, end in lines]
    if source and source[0].startswith("\ufeff"):
        source[0] = source[0][1:]
    for k in range(_front_matter(source)):
        source[k] = ""
    tokens: list[Token] = []
    _PARSER.block.parse("\n".join(source), _PARSER, {}, tokens)
    return _Reader(text, lines, tokens).document()


def _lines(text: str) -> tuple[Span, ...]:
    spans = []
    start = 0
    for found in _BREAK.finditer(text):
        spans.append((start, found.start()))
        start = found.end()
    return (*spans, (start, len(text)))


def _front_matter(source: list[str]) -> int:
    """How many lines the front matter has: YAML between `---`, or TOML between `+++`."""
    mark = source[0].rstrip() if source else ""
    if mark not in ("---", "+++"):
        return 0
    closing = {mark, "..."} if mark == "---" else {mark}
    for k in range(1, len(source)):
        if source[k].rstrip() in closing:
            return k + 1
    return 0


class _Reader:
    def __init__(self, text: str, lines: tuple[Span, ...], tokens: list[Token]) -> None:
        self.text, self.lines, self.tokens = text, lines, tokens
        self.blocks: list[Block] = []
        self.tables: list[Table] = []
        self.headings: list[tuple[int, int, str]] = []  # level, line, flow
        self.kept: list[tuple[int, str]] = []

    def document(self) -> Document:
        items: list[Span] = []  # the list items around the token, innermost last
        fresh = False  # whether the next paragraph is the first thing in its item
        k = 0
        while k < len(self.tokens):
            token = self.tokens[k]
            if token.type == "list_item_open" and token.map:
                items.append(self._trimmed(token.map[0], token.map[1]))
                fresh = True
            elif token.type == "list_item_close":
                items.pop()
            elif token.type == "heading_open" and token.map:
                self._heading(token, self.tokens[k + 1])
            elif token.type == "inline" and token.map:
                before = self.tokens[k - 1].type
                if before == "paragraph_open":
                    kind: Kind = "item" if fresh and items else "paragraph"
                    self._prose(kind, token, items[-1] if items else None)
                fresh = False
            elif token.type == "table_open" and token.map:
                k = self._table(k)
                fresh = False
            elif token.type in ("fence", "code_block", "html_block") and token.map:
                first, last = token.map
                span = self.lines[first][0], self.lines[max(first, min(last, len(self.lines)) - 1)][1]
                self.kept.append((first, self.text[span[0] : span[1]].rstrip()))
                fresh = False
            k += 1
        self.kept.sort(key=lambda entry: entry[0])
        return Document(
            text=self.text,
            lines=self.lines,
            blocks=tuple(self.blocks),
            sections=self._sections(),
            tables=tuple(self.tables),
            kept=tuple(words for _, words in self.kept),
        )

    def _trimmed(self, first: int, last: int) -> Span:
        last = min(last, len(self.lines))
        while last > first + 1 and not self.text[self.lines[last - 1][0] : self.lines[last - 1][1]].strip(" \t>"):
            last -= 1
        return first, last

    def _heading(self, token: Token, inline: Token) -> None:
        assert token.map is not None
        flow = " ".join(inline.content.split())
        self.headings.append((int(token.tag[1:]), token.map[0], flow))
        if "\n" not in inline.content:
            self._prose("heading", inline, None)

    def _prose(self, kind: Kind, token: Token, item: Span | None) -> None:
        """A block whose lines all end as the parser says they do; anything else is left alone."""
        assert token.map is not None
        first = token.map[0]
        contents = [line.strip() for line in token.content.split("\n")]
        pieces: list[Span] = []
        flow: list[str] = []
        at = 0
        for k, content in enumerate(contents):
            if first + k >= len(self.lines):
                return
            start, end = self.lines[first + k]
            raw = self.text[start:end]
            place = raw.rfind(content) if kind == "heading" else len(raw.rstrip()) - len(content)
            if place < 0 or not raw.startswith(content, place):
                return
            if k:
                pieces.append((at, pieces[-1][1] + len(contents[k - 1])))  # the line break, as a space
                at += 1
            pieces.append((at, start + place))
            flow.append(content)
            at += len(content)
        self._add(kind, " ".join(flow), pieces, (first, first + len(contents)), item=item)

    def _add(
        self,
        kind: Kind,
        flow: str,
        pieces: list[Span],
        lines: Span,
        *,
        item: Span | None = None,
        cell: tuple[int, int, int] = (-1, -1, -1),
    ) -> Block | None:
        if len(flow) > LONGEST_BLOCK:
            return None
        plain, locked = scan(flow)
        self.kept += [(lines[0], flow[start:end]) for start, end in locked]
        block = Block(
            kind=kind,
            flow=flow,
            plain=plain,
            locked=locked,
            pieces=tuple(pieces),
            section=len(self.headings),
            first_line=lines[0],
            last_line=lines[1],
            item=item,
            table=cell[0],
            row=cell[1],
            column=cell[2],
        )
        self.blocks.append(block)
        return block

    def _table(self, opened: int) -> int:
        """Reads the table that opens at a token, and returns the token that closes it."""
        closed = opened
        rows: list[tuple[int, list[str]]] = []
        while self.tokens[closed].type != "table_close":
            token = self.tokens[closed]
            if token.type == "tr_open" and token.map:
                rows.append((token.map[0], []))
            elif token.type == "inline" and rows:
                rows[-1][1].append(token.content)
            closed += 1
        split = [self._cells(line) for line, _ in rows]
        readable = all(
            len(cells) == len(texts)
            and all(self.text[a:b].replace("\\|", "|") == t for (a, b), t in zip(cells, texts, strict=True))
            for cells, (_, texts) in zip(split, rows, strict=True)
        )
        if not readable or any(b - a > LONGEST_BLOCK for cells in split for a, b in cells):
            return closed
        table = len(self.tables)
        blocks: list[tuple[Block, ...]] = []
        for row, ((line, _), cells) in enumerate(zip(rows, split, strict=True)):
            made = [
                self._add("cell", self.text[a:b], [(0, a)], (line, line + 1), cell=(table, row, column))
                for column, (a, b) in enumerate(cells)
            ]
            blocks.append(tuple(block for block in made if block is not None))
        lines = tuple(line for line, _ in rows)
        self.tables.append(Table(rows=tuple(blocks), lines=lines, section=len(self.headings)))
        return closed

    def _cells(self, line: int) -> list[Span]:
        """The cells of a row: what lies between bars that are not escaped."""
        start, end = self.lines[line]
        raw = self.text[start:end]
        begin = len(raw) - len(raw.lstrip(" \t>"))
        stop = len(raw.rstrip())
        bars = [k for k in range(begin, stop) if raw[k] == "|" and (k == 0 or raw[k - 1] != "\\")]
        edges = [begin - 1, *bars, stop]
        spans = []
        for left, right in pairwise(edges):
            text = raw[left + 1 : right]
            inner = text.strip()
            place = start + left + 1 + (len(text) - len(text.lstrip()) if inner else len(text) // 2)
            spans.append((place, place + len(inner)))
        if bars and bars[0] == begin:
            spans.pop(0)
        if bars and bars[-1] == stop - 1 and spans:
            spans.pop()
        return spans

    def _sections(self) -> tuple[Section, ...]:
        total = len(self.lines)
        first = self.headings[0][1] if self.headings else total
        sections = [Section(level=0, number=None, title="", first_line=0, last_line=first, parent=0)]
        ends = [total] * len(self.headings)
        open_: list[int] = []
        parents = []
        for k, (level, line, _) in enumerate(self.headings):
            while open_ and self.headings[open_[-1]][0] >= level:
                ends[open_.pop()] = line
            parents.append(open_[-1] + 1 if open_ else 0)
            open_.append(k)
        for k, (level, line, flow) in enumerate(self.headings):
            number = _NUMBERED.match(flow)
            sections.append(
                Section(
                    level=level,
                    number=number[1] if number else None,
                    title=flow[number.end() :] if number else flow,
                    first_line=line,
                    last_line=ends[k],
                    parent=parents[k],
                )
            )
        return tuple(sections)
