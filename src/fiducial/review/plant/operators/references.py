"""Pointers that lead nowhere: a part removed that others refer to, and a reference to a part that never was."""

from __future__ import annotations

from typing import ClassVar

from fiducial.review.finding import Severity
from fiducial.review.plant.blocks import Block, Document, Span
from fiducial.review.plant.draw import Draw
from fiducial.review.plant.flaw import Candidate, Flaw
from fiducial.review.plant.ids import Use, all_ids, in_history, names, section_uses, short, where
from fiducial.review.plant.lines import removal
from fiducial.review.plant.markdown import read
from fiducial.review.plant.operators.base import Category, Operator, capital, has, said, shown
from fiducial.review.plant.quantities import has_total

_FEWEST_ROWS = 3
_FARTHEST = 99
_FEWEST_OF_A_KIND = 3  # so that a gap in their numbers, or a number beyond them, can be seen


class MissingRequirement(Operator):
    """A requirement, step or criterion taken out, while others still refer to it by its id."""

    name: ClassVar[str] = "missing-requirement"
    category: ClassVar[Category] = "missing"
    severity: ClassVar[Severity] = "Critical"
    says: ClassVar[str] = "a requirement that others refer to and that is not there"

    def places(self, document: Document, draw: Draw) -> list[Candidate]:
        """Ids with a definition that can be cut out cleanly and a use elsewhere."""
        known = names(document)
        found = []
        for name, block in known.defined.items():
            family = known.family(name)
            span = _cut(document, block)
            if span is None or len(family) < _FEWEST_OF_A_KIND or in_history(document, block):
                continue
            uses = [
                use
                for use in known.uses.get(name, [])
                if not span[0] <= use.block.at(use.start) < span[1] and not in_history(document, use.block)
            ]
            if uses:
                found.append(self._removed(document, name, span, block, uses))
        return found

    def _removed(self, document: Document, name: str, span: Span, block: Block, uses: list[Use]) -> Candidate:
        known = names(document)
        near = [other for other in (known.before.get(name), known.after.get(name)) if other]
        places = list(dict.fromkeys(short(document, use.block) for use in uses))
        gap = (
            f"{near[1]} follows {near[0]}" if len(near) == 2 else f"the list {_edge(known.before, name)} {near[0]}"
        )
        home = document.sections[block.section]
        if block.kind == "heading":
            home = document.sections[home.parent]
        quoted = shown(document, uses[0].block, uses[0].start)
        count = "1 place" if len(places) == 1 else f"{len(places)} places"
        return Candidate(
            start=span[0],
            end=span[1],
            new="",
            shown=tuple(dict.fromkeys(shown(document, use.block, use.start) for use in uses[:3])),
            subject=f"id {name}",
            title=f"{name} is referred to but not defined",
            issue=f"{name} is not stated anywhere: in {home.name}, {gap}. It is still "
            f"relied on in {count} ({', '.join(places[:4])}), for example “{said(document, quoted)}”, so what is meant "
            f"there is undefined.",
            facts={"name": name},
            missing=f"the definition of {name}",
            guarded=tuple(known.defined[other].whole for other in near),
        )

    def verify(self, text: str, flaw: Flaw) -> bool:
        """The id is used and not defined."""
        known = names(read(text))
        name = flaw.facts["name"]
        return has(text, flaw) and name in known.uses and name not in known.defined and name not in known.repeated


def _edge(before: dict[str, str], name: str) -> str:
    return "ends with" if name in before else "begins with"


def _cut(document: Document, block: Block) -> Span | None:
    """The span that takes out a definition and nothing else, or None where it cannot be done cleanly."""
    if block.kind == "cell":
        table = document.tables[block.table]
        if has_total(table) or len(table.rows) <= _FEWEST_ROWS + 1:
            return None
        return removal(document, block.first_line, block.first_line + 1)
    if block.kind == "heading":
        section = document.sections[block.section]
        return removal(document, section.first_line, section.last_line)
    if block.kind == "item" and block.item:
        return removal(document, *block.item)
    return removal(document, block.first_line, block.last_line) if block.item is None else None


class BrokenReference(Operator):
    """A reference to a section or an id, changed to one that does not exist."""

    name: ClassVar[str] = "broken-reference"
    category: ClassVar[Category] = "reference"
    severity: ClassVar[Severity] = "Minor"
    says: ClassVar[str] = "a reference to a section or an id that does not exist"

    def places(self, document: Document, draw: Draw) -> list[Candidate]:
        """Single references, not the ends of ranges, to parts that exist."""
        known = names(document)
        found = []
        for name in known.defined:
            family = known.family(name)
            if len(family) < _FEWEST_OF_A_KIND:
                continue
            for use in known.uses.get(name, []):
                if _editable(document, use):
                    found.append(self._id(document, draw, use, family))
        sections = [section.number for section in document.sections if section.number]
        for use in section_uses(document):
            if use.name in sections and _editable(document, use):
                found.append(self._section(document, draw, use, sections))
        return sorted(found, key=lambda candidate: candidate.start)

    def _id(self, document: Document, draw: Draw, use: Use, family: list[str]) -> Candidate:
        prefix = use.name.rstrip("0123456789")
        width = len(use.name) - len(prefix)
        highest = int(family[-1][len(prefix) :])
        written = all_ids(document)
        ahead = draw.pick(range(2, 9), self.name, use.block.at(use.start))
        while (new := f"{prefix}{highest + ahead:0{width}d}") in written and ahead < _FARTHEST:
            ahead += 1
        return self._changed(document, use, new, f"there is no {new}: the last of its kind is {family[-1]}")

    def _section(self, document: Document, draw: Draw, use: Use, sections: list[str]) -> Candidate:
        parent, dot, _ = use.name.rpartition(".")
        siblings = [other for other in sections if other.rpartition(".")[0] == parent]
        highest = max(int(other.rpartition(".")[2]) for other in siblings)
        ahead = draw.pick(range(2, 7), self.name, use.block.at(use.start))
        new = f"{parent}{dot}{highest + ahead}"
        last = f"{parent}{dot}{highest}"
        return self._changed(document, use, new, f"there is no section {new}: the last one there is {last}")

    def _changed(self, document: Document, use: Use, new: str, why: str) -> Candidate:
        start, end = use.block.span(use.start, use.end)
        quoted = shown(document, use.block, use.start)
        kind = "section" if new[0].isdigit() else "id"
        called = f"section {new}" if kind == "section" else new
        place = where(document, use.block)
        return Candidate(
            start=start,
            end=end,
            new=new,
            shown=(quoted,),
            subject=f"reference {new}",
            title=f"{capital(short(document, use.block))} refers to {called}, which does not exist",
            issue=f"{capital(place)} points to {called} (“{said(document, quoted, (start, end, new))}”), "
            f"but {why}. The reader cannot tell what is meant.",
            facts={"kind": kind, "name": new},
            missing=called,
        )

    def verify(self, text: str, flaw: Flaw) -> bool:
        """The name is referred to in the quotation, and nothing has it."""
        document = read(text)
        name = flaw.facts["name"]
        if not has(text, flaw) or name not in flaw.evidence[0]:
            return False
        if flaw.facts["kind"] == "section":
            real = any(section.number == name for section in document.sections)
            return not real and any(use.name == name for use in section_uses(document))
        known = names(document)
        return name in known.uses and name not in known.defined and name not in known.repeated


def _editable(document: Document, use: Use) -> bool:
    heading = use.block.kind == "heading" or (use.block.kind == "cell" and use.block.row == 0)
    return not (use.ranged or heading or in_history(document, use.block)) and use.block.free(use.start, use.end)
