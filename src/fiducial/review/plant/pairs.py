"""Two places that state the same quantity, or the same date.

Equal values are not enough: most documents say "2 hours" of several things. Two mentions count as one statement when
one cites the other's id beside the value ("the 35 min of R-06"), when one is the test of the other, or when the value
is rare, in each case only if the words around them agree; and, without any of that, when those words agree closely.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache
from itertools import combinations
from typing import Protocol, TypeVar

from msgspec import Struct

from fiducial.review.plant.blocks import Block, Document
from fiducial.review.plant.ids import ID, in_history, names
from fiducial.review.plant.relations import NEEDS, OWNER
from fiducial.review.plant.sentences import sentence_at, stems

MOST = 12  # a value that stands in more places than this is too common to be one statement
_NEAR = 80  # characters of a sentence on each side of a value that say what it is a value of
_ONLY_IDS = re.compile(r"[\s(),;&]*(?:(?:[A-Z]{1,8}[-_]?\d{1,5}|and|to|–|sections?|\d[\d.]*)[\s(),;&]*)+")
_HEAD = re.compile(r"\s*\(([^()]{1,120})\)")
_CITED = re.compile(
    r"\s*(?:\(\s*|(?:of|in|by|under|from|per|to|required by|allowed by)\s+)([A-Z]{1,8}[-_]?\d{1,5})(?!\w)"
)

_UNIT = re.compile(r"(?:\s?%|\s[^\W\d_]+(?:/[a-z]+)?)?(?:\s\((?![A-Z]{1,8}[-_]?\d)[^()]{1,20}\))?")
_BEFORE = re.compile(r"(?<![\w-])(?<!to )([A-Z]{1,8}[-_]?\d{1,5})\s+[a-z][^.;:,()\d]{0,28}$")
_TESTED = 2.0
_FEWEST = 100  # blocks: in a short document, words that stand in two places are no less telling


class Stated(Protocol):
    """A value at a place of a block's flow."""

    @property
    def block(self) -> Block:
        """Where it stands."""

    @property
    def start(self) -> int:
        """Of the value alone."""

    @property
    def end(self) -> int:
        """Of the value alone, its unit left out."""


Mention = TypeVar("Mention", bound=Stated)


class Words(Struct, frozen=True, eq=False):
    """How many blocks each stem stands in: a stem that is everywhere tells nothing."""

    blocks: int
    of: dict[str, int]

    def weight(self, shared: Iterable[str]) -> float:
        """How much it tells that two places share these stems."""
        return sum(max(0.0, math.log(self.blocks / (3 * self.of.get(word, 1)))) for word in shared)


@lru_cache(maxsize=8)
def words(document: Document) -> Words:
    """The stems of a document; a row of a table counts as one block."""
    counts: Counter[str] = Counter()
    units = 0
    for block in document.blocks:
        if block.kind == "cell":
            if block.column == 0:
                counts.update(stems(" ".join(cell.plain for cell in document.row_of(block))))
                units += 1
        else:
            counts.update(stems(block.plain))
            units += 1
    return Words(max(units, _FEWEST), dict(counts))


@lru_cache(maxsize=32768)
def about(document: Document, block: Block, start: int, end: int) -> frozenset[str]:
    """The stems that say what a value is a value of: those near it, or in its row, column and caption."""
    if block.kind == "cell":
        row = document.row_of(block)
        header = document.tables[block.table].header
        label = " ".join(cell.plain for cell in row if not OWNER.fullmatch(header[cell.column]))
        return stems(f"{label} {header[block.column]} {document.sections[block.section].title}")
    a, b = sentence_at(block, start)
    before, after = block.plain[max(a, start - _NEAR) : start], block.plain[end : min(b, end + _NEAR)]
    return stems(f"{before} {after}")


def tested(document: Document, block: Block) -> frozenset[str]:
    """The ids that a block with an id of its own says it is for: "(R-08, R-09)" after its id, or a cell of ids."""
    if block.kind == "cell":
        header = document.tables[block.table].header
        cells = [
            cell.plain
            for cell in document.row_of(block)[1:]
            if _ONLY_IDS.fullmatch(cell.plain) and not NEEDS.fullmatch(header[cell.column])
        ]
        return frozenset(found for cell in cells for found in ID.findall(cell))
    own = ID.search(block.plain)
    if own is None or names(document).owner.get(id(block)) != own[0]:
        return frozenset()
    head = _HEAD.match(block.plain, own.end())
    if head is None or not _ONLY_IDS.fullmatch(head[1]):
        return frozenset()
    return frozenset(ID.findall(head[1]))


def same_statement(
    document: Document,
    mentions: Iterable[Mention],
    key: Callable[[Mention], Hashable],
    least: Callable[[Mention, Mention, int], float],
) -> list[tuple[Mention, Mention]]:
    """Pairs of mentions that state one thing, in order of the document.

    `least` says how much the words around two mentions must agree (see `Words.weight`) when neither cites or tests
    the other, given how many places have that value.
    """
    groups: dict[Hashable, list[Mention]] = defaultdict(list)
    for mention in mentions:
        if not in_history(document, mention.block):
            groups[key(mention)].append(mention)
    found = []
    for group in groups.values():
        if 2 <= len(group) <= MOST:
            apart = [(a, b) for a, b in combinations(group, 2) if _apart(document, a.block, b.block)]
            found += [(a, b) for a, b in apart if _alike(document, a, b, group, least)]
    return found


def _apart(document: Document, a: Block, b: Block) -> bool:
    """Two rows of one table, or two clauses of one requirement, speak of different things."""
    owner = names(document).owner
    if a is b or (a.kind == b.kind == "cell" and a.table == b.table):
        return False
    return id(a) not in owner or owner[id(a)] != owner.get(id(b))


def _alike(
    document: Document,
    a: Mention,
    b: Mention,
    group: list[Mention],
    least: Callable[[Mention, Mention, int], float],
) -> bool:
    if _cites(document, a, b, group) or _cites(document, b, a, group):
        return True
    weight = words(document).weight(
        about(document, a.block, a.start, a.end) & about(document, b.block, b.start, b.end)
    )
    owner = names(document).owner
    one, other = owner.get(id(a.block), ""), owner.get(id(b.block), "")
    if one in tested(document, b.block) or other in tested(document, a.block):
        return weight >= _TESTED
    if a.block.kind == b.block.kind == "cell":
        return weight >= _TESTED and (one in _named(document, b.block) or other in _named(document, a.block))
    return weight >= least(a, b, len(group))


def _named(document: Document, cell: Block) -> set[str]:
    """The ids that a row names outside its column of needs."""
    header = document.tables[cell.table].header
    row = [other.plain for other in document.row_of(cell) if not NEEDS.fullmatch(header[other.column])]
    return set(ID.findall(" ".join(row)))


def _cites(document: Document, a: Mention, b: Mention, group: list[Mention]) -> bool:
    """Whether `a` names the id of `b` right beside its value, and `b` is the only such value in its text."""
    owner = names(document).owner
    name = owner.get(id(b.block))
    if name is None or owner.get(id(a.block)) == name:
        return False
    if b.block.kind != "cell" and sum(owner.get(id(other.block)) == name for other in group) > 1:
        return False
    behind = a.block.plain[a.end : a.end + 60]
    unit = _UNIT.match(behind)
    cited = _CITED.match(behind, unit.end() if unit else 0)
    if cited is not None:
        return cited[1] == name
    before = _BEFORE.search(a.block.plain[max(0, a.start - 45) : a.start])
    return before is not None and before[1] == name
