"""Names that a document gives to its parts (R-12, AC-03, section 5.4): where each is defined and where it is used."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from fiducial.review.plant.blocks import Block, Document, Span

_ID = r"[A-Z]{1,8}[-_]?\d{1,5}"
ID = re.compile(rf"(?<![\w./#-]){_ID}(?![\w/]|-\w|\.\d)")
_BEGINS = re.compile(rf"\s*(?:\[\s*)?({_ID})(?![\w/]|-\w|\.\d)")
_MARKED = re.compile(rf"\s*(?:\*\*|__)\s*\[?{_ID}")
_SECTION = re.compile(
    r"\b(?:sections?|chapters?|clauses?)\s+(\d{1,3}(?:\.\d{1,3}){0,5})(?![\d.]*\d)|§\s?(\d[\d.]*\d|\d)", re.I
)
_ELSEWHERE = re.compile(r"\s+of\s+(?:the\s+)?(?:[A-Z]{2,}|[A-Z][a-z]+ (?:Act|Standard|Code|Directive|Regulation))")
_JOINED = re.compile(r"\s*(?:to|–|—|-|through|until|\.\.\.?|…)\s*$")
_JOINS = re.compile(r"\s*(?:to|–|—|-|through|until|\.\.\.?|…)\s*(?:[A-Z]{1,8}[-_]?)?\d")
HISTORY = re.compile(
    r"\b(?:change|revision|version|document|release)s?\s+(?:history|log|record|notes)|changelog", re.I
)


class Use(Struct, frozen=True, eq=False):
    """A place where an id, or a section, is pointed to."""

    name: str
    block: Block
    start: int  # in the flow, of the name alone
    end: int
    ranged: bool  # one end of "M-01 to M-05"


class Names(Struct, frozen=True, eq=False):
    """Definitions and uses. An id that is defined more than once is in `repeated` and not in `defined`."""

    defined: dict[str, Block]
    repeated: frozenset[str]
    uses: dict[str, list[Use]]
    owner: dict[int, str]  # id() of a block that lies in a definition -> the id; for rows, of each cell
    bodies: dict[str, list[Block]]  # the paragraphs and list items that an id stands for, in order
    families: dict[str, list[str]]  # by their letters, the defined ids in order of their number
    before: dict[str, str]  # the one of its kind that comes before an id
    after: dict[str, str]

    def family(self, name: str) -> list[str]:
        """All defined ids of the same kind."""
        return self.families.get(name.rstrip("0123456789"), [])


def in_history(document: Document, block: Block) -> bool:
    """Whether a block belongs to a list of past changes, where nothing is a requirement any more."""
    return any(HISTORY.search(section.title) for section in document.path(block.section))


@lru_cache(maxsize=8)
def names(document: Document) -> Names:
    """The ids of a document. Text beats tables: a table that lists ids defined in text only refers to them."""
    in_text: dict[str, list[Block]] = {}
    in_rows: dict[str, list[Block]] = {}
    heads: dict[int, Span] = {}
    for block in document.blocks:
        found = _defines(block)
        if found is not None:
            name, span = found
            heads[id(block)] = span
            (in_rows if block.kind == "cell" else in_text).setdefault(name, []).append(block)
    defined = {name: blocks[0] for name, blocks in in_rows.items()}
    defined |= {name: blocks[0] for name, blocks in in_text.items()}
    repeated = frozenset(name for name, blocks in in_text.items() if len(blocks) > 1)
    defined = {name: block for name, block in defined.items() if name not in repeated}
    homes = {id(block): name for name, block in defined.items()}
    uses: dict[str, list[Use]] = {}
    for block in document.blocks:
        home = heads.get(id(block)) if id(block) in homes else None
        for found_id in ID.finditer(block.plain):
            if found_id.span() == home:
                continue
            before, after = block.plain[: found_id.start()][-12:], block.plain[found_id.end() : found_id.end() + 20]
            ranged = bool(_JOINED.search(before) or _JOINS.match(after))
            use = Use(found_id[0], block, found_id.start(), found_id.end(), ranged)
            uses.setdefault(use.name, []).append(use)
    families = _families(defined)
    owner = _owners(document, defined)
    bodies: dict[str, list[Block]] = {}
    for block in document.blocks:
        if block.kind in ("item", "paragraph") and id(block) in owner:
            bodies.setdefault(owner[id(block)], []).append(block)
    return Names(
        defined=defined,
        repeated=repeated,
        uses=uses,
        owner=owner,
        bodies=bodies,
        families=families,
        before={b: a for family in families.values() for a, b in pairwise(family)},
        after={a: b for family in families.values() for a, b in pairwise(family)},
    )


def _families(defined: dict[str, Block]) -> dict[str, list[str]]:
    families: dict[str, list[str]] = {}
    for name in defined:
        families.setdefault(name.rstrip("0123456789"), []).append(name)
    for prefix, family in families.items():
        family.sort(key=lambda name: (int(name[len(prefix) :]), name))
    return families


def _defines(block: Block) -> tuple[str, Span] | None:
    found = _BEGINS.match(block.plain)
    if found is None:
        return None
    rest = block.plain[found.end() :]
    if block.kind == "cell":
        good = block.column == 0 and block.row > 0 and not rest.strip()
    elif block.kind == "heading":
        good = True
    else:
        good = bool(_MARKED.match(block.flow)) or rest.lstrip().startswith((":", "–", "—", "]", "."))
        good = good or (block.kind == "item" and bool(re.match(r"\s+[A-Z]", rest)))
    return (found[1], found.span(1)) if good else None


def _owners(document: Document, defined: dict[str, Block]) -> dict[int, str]:
    """Which id each block speaks for: its row's, its list item's, or its own section's."""
    owner: dict[int, str] = {}
    items: dict[int, str] = {}
    sections: dict[int, str] = {}
    for name, block in defined.items():
        if block.kind == "cell":
            owner |= {id(cell): name for cell in document.row_of(block)}
        elif block.kind == "heading":
            sections[block.section] = name
        elif block.kind == "item" and block.item:
            items |= dict.fromkeys(range(*block.item), name)
        owner[id(block)] = name
    for block in document.blocks:
        inside = items.get(block.first_line) or sections.get(block.section)
        if inside and id(block) not in owner:
            owner[id(block)] = inside
    return owner


@lru_cache(maxsize=8)
def all_ids(document: Document) -> frozenset[str]:
    """Everything in the file that looks like an id, wherever it stands."""
    return frozenset(re.findall(_ID, document.text))


def section_uses(document: Document) -> list[Use]:
    """Places that point to a section by its number; those of other works are left out."""
    found: list[Use] = []
    for block in document.blocks:
        if block.kind == "heading":
            continue
        for use in _SECTION.finditer(block.plain):
            group = 1 if use[1] else 2
            if not _ELSEWHERE.match(block.plain, use.end()):
                found.append(Use(use[group], block, use.start(group), use.end(group), False))
    return found


def where(document: Document, block: Block) -> str:
    """A block's place as a reviewer would name it: "section 5.3 (Booking), R-10"."""
    name = names(document).owner.get(id(block))
    section = document.sections[block.section]
    return f"{section.name}, {name}" if name and name not in section.title else section.name


def short(document: Document, block: Block) -> str:
    """The shortest name of a block: its id, or its section."""
    return names(document).owner.get(id(block)) or document.sections[block.section].name
