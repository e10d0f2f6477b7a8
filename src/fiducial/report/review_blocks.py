"""A document as blocks to show: headings, paragraphs, items of lists, tables, code; never as HTML.

Markdown is read for its block structure only. A block keeps the places of its characters in the document's own text,
because that is what the evidence of a verdict points into. Every line that is not blank belongs to exactly one block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec import Struct

from fiducial.judge.document import Span

Kind = Literal["heading", "paragraph", "table", "code"]
Lines = Sequence[Span]

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+\Z")
_QUOTED = re.compile(r"[ \t]*(?:>[ \t]?)+")
_MARKER = re.compile(r"[ \t]*(?:[-+*]|\d{1,9}[.)])(?=[ \t]|\Z)[ \t]*")
_HASHES = re.compile(r"[ \t]*#{1,6}(?=[ \t]|\Z)[ \t]*")
_UNDERLINE = re.compile(r"[ \t]*(?:=+|-+)[ \t]*\Z")
_CELL_END = re.compile(r"(?<!\\)\|")
_LEAVES = frozenset({"heading_open", "paragraph_open", "fence", "code_block", "html_block", "hr", "table_open"})


class Block(Struct, frozen=True, kw_only=True):
    """`lines` are what is shown, without the signs that made the block what it is; `rows` are the cells of a table."""

    kind: Kind
    span: Span
    lines: tuple[Span, ...] = ()
    rows: tuple[tuple[Span, ...], ...] = ()
    level: int = 0  # of a heading, or how deep in lists
    marker: str = ""  # `•` or a number, where an item of a list begins
    quoted: bool = False


def blocks(text: str) -> list[Block]:
    """The blocks in the order of the text."""
    lines = [found.span() for found in _LINE.finditer(text)]
    made: list[Block] = []
    at = depth = quotes = 0
    first_of_item = False
    for token in _parser().parse(text):
        if token.type in {"bullet_list_open", "ordered_list_open", "bullet_list_close", "ordered_list_close"}:
            depth += token.nesting
        elif token.type in {"blockquote_open", "blockquote_close"}:
            quotes += token.nesting
        elif token.type == "list_item_open":
            first_of_item = True
        if token.type not in _LEAVES or token.map is None or token.map[0] < at:
            continue
        start, end = token.map
        made += _loose(text, lines[at:start])
        own = [_inner(text, line, quoted=quotes > 0) for line in lines[start:end]]
        marker = ""
        if own and depth and first_of_item and (found := _MARKER.match(text, *own[0])):
            sign = found[0].strip()
            marker = sign if sign[0].isdigit() else "•"
            own[0] = (found.end(), own[0][1])
        first_of_item = False
        made.append(_block(token, text, own, depth=depth, marker=marker, quoted=quotes > 0))
        at = end
    return [*made, *_loose(text, lines[at:])]


@lru_cache
def _parser() -> MarkdownIt:
    md = MarkdownIt("commonmark").enable("table")
    md.core.ruler.disable("inline")  # nothing inside a block is interpreted
    return md


def _loose(text: str, lines: Lines) -> Iterator[Block]:
    """Lines that belong to no block, such as definitions of links: shown as they stand."""
    kept = [_inner(text, line, quoted=False) for line in lines if text[slice(*line)].strip(" \t\r\n>")]
    if kept:
        yield Block(kind="code", span=(kept[0][0], kept[-1][1]), lines=tuple(kept))


def _inner(text: str, line: Span, *, quoted: bool) -> Span:
    """A line without the signs of a quotation around it and without its end."""
    start, end = line
    if quoted and (found := _QUOTED.match(text, start, end)):
        start = found.end()
    return start, max(start, start + len(text[start:end].rstrip("\r\n")))


def _block(token: Token, text: str, lines: list[Span], *, depth: int, marker: str, quoted: bool) -> Block:
    span = (lines[0][0], lines[-1][1])
    if token.type == "table_open":
        rows = tuple(_cells(text, line) for k, line in enumerate(lines) if k != 1)
        return Block(kind="table", span=span, rows=rows, level=depth, quoted=quoted)
    if token.type == "heading_open":
        if len(lines) > 1 and _UNDERLINE.match(text, *lines[-1]):
            lines = lines[:-1]
        elif found := _HASHES.match(text, *lines[0]):
            lines = [(found.end(), lines[0][1])]
        return Block(kind="heading", span=span, lines=tuple(lines), level=int(token.tag[1]), quoted=quoted)
    if token.type == "fence":
        last = text[slice(*lines[-1])].strip()
        closed = len(lines) > 1 and len(last) >= 3 and not last.strip(token.markup[0])
        lines = lines[1 : -1 if closed else None] or lines
    kind: Kind = "paragraph" if token.type == "paragraph_open" else "code"
    return Block(kind=kind, span=span, lines=tuple(lines), level=depth, marker=marker, quoted=quoted)


def _cells(text: str, line: Span) -> tuple[Span, ...]:
    """The cells of a row, without the bars between them and the blanks around them."""
    start, end = line
    edges = [start, *(found.end() for found in _CELL_END.finditer(text, start, end)), end + 1]
    found = [_stripped(text, (a, b - 1)) for a, b in pairwise(edges)]
    if found and found[0][0] >= found[0][1]:
        found = found[1:]
    if found and found[-1][0] >= found[-1][1]:
        found = found[:-1]
    return tuple(found)


def _stripped(text: str, span: Span) -> Span:
    inside = text[slice(*span)]
    start = span[0] + len(inside) - len(inside.lstrip())
    return start, max(start, span[0] + len(inside.rstrip()))
