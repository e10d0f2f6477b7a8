"""A criterion whose measure is gone: it can be argued about, but not tested."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from fiducial.review.finding import Severity
from fiducial.review.plant.blocks import Block, Document, Span, Table
from fiducial.review.plant.draw import Draw
from fiducial.review.plant.flaw import Candidate, Flaw
from fiducial.review.plant.ids import in_history, short, where
from fiducial.review.plant.markdown import read
from fiducial.review.plant.operators.base import Category, Operator, capital, has, said, shown

_SECTION = re.compile(
    r"\b(?:accept\w*|verif\w*|tests?|testing|criteria|validation|success|goals?|targets?|objectives?|measures|metrics)\b",
    re.I,
)
_PASS = re.compile(
    r"\b(?:pass(?:es|ed)?(?: if| when| criterion| condition)?|accepted (?:if|when)|met (?:if|when)|expected(?: result)?"
    r"|success(?: criterion)?)\s*:\s+",
    re.I,
)
_MEASURED = re.compile(r"\d|\b(?:no|none|zero|every|all|exactly|equals?|agree|identical|refused)\b", re.I)
_COLUMN = re.compile(
    r"(?:thresholds?|targets?|limits?|pass(?:es)?(?: if| when)?|pass criteri(?:on|a)|acceptance|goal)", re.I
)
_CLAUSES = (
    "the result is satisfactory",
    "the outcome is good enough for daily use",
    "everything works as its users would expect",
    "the results look reasonable",
)
_WORDS = ("acceptable", "satisfactory", "good enough", "reasonable")


class UntestableCriterion(Operator):
    """Vague words where a criterion had its measure."""

    name: ClassVar[str] = "untestable-criterion"
    category: ClassVar[Category] = "testability"
    severity: ClassVar[Severity] = "Important"
    says: ClassVar[str] = "an acceptance criterion without a measure"

    def places(self, document: Document, draw: Draw) -> list[Candidate]:
        """Clauses after "Pass:" and the like, and cells of a column of targets."""
        found = []
        for block, span in _clauses(document):
            clause = block.plain[slice(*span)]
            if _MEASURED.search(clause) and block.free(*span):
                new = draw.pick(_CLAUSES, self.name, block.at(span[0]))
                found.append(self._vague(document, block, span, new))
        for table, at in _columns(document):
            for row in table.body:
                if any(char.isdigit() for char in row[at].plain) and not row[at].locked:
                    new = draw.pick(_WORDS, self.name, row[at].at(0))
                    found.append(self._vague(document, row[at], (0, len(row[at].flow)), new))
        return sorted(found, key=lambda candidate: candidate.start)

    def _vague(self, document: Document, block: Block, span: Span, new: str) -> Candidate:
        start, end = block.span(*span)
        quoted = shown(document, block, span[0])
        whole = document.row_span(block) if block.kind == "cell" else block.whole
        name = short(document, block)
        place = where(document, block)
        how = "is passed when"
        if block.kind == "cell":
            how = f"gives, under “{document.tables[block.table].header[block.column]}”, only"
        return Candidate(
            start=start,
            end=end,
            new=new,
            shown=(quoted if block.kind == "cell" else whole,),
            subject=f"criterion {whole[0]}",
            title=f"{capital(name)} cannot be tested: “{new}” has no measure",
            issue=f"{capital(place)} {how} “{new}” (“{said(document, whole, (start, end, new))}”). "
            f"No number, count or comparison says when that is so, and two testers could decide differently.",
            facts={"words": new, "name": name, "kind": "cell" if block.kind == "cell" else "clause"},
            missing="a measure that decides the criterion",
        )

    def verify(self, text: str, flaw: Flaw) -> bool:
        """The criterion's clause, or cell, consists of the vague words."""
        if not has(text, flaw):
            return False
        document = read(text)
        words, name = flaw.facts["words"], flaw.facts["name"]
        if flaw.facts["kind"] == "cell":
            return any(
                row[at].plain.strip() == words and short(document, row[at]) == name
                for table, at in _columns(document)
                for row in table.body
            )
        return any(
            block.plain[slice(*span)] == words and short(document, block) == name
            for block, span in _clauses(document)
        )


def _relevant(document: Document, block: Block) -> bool:
    return not in_history(document, block) and any(
        _SECTION.search(section.title) for section in document.path(block.section)[:3]
    )


def _clauses(document: Document) -> Iterator[tuple[Block, Span]]:
    """What stands after "Pass:" up to the full stop that ends the block."""
    for block in document.blocks:
        if block.kind not in ("item", "paragraph"):
            continue
        found = _PASS.search(block.plain)
        if found and _relevant(document, block):
            end = len(block.plain.rstrip())
            if block.plain[end - 1] == ".":
                end -= 1
            if end > found.end():
                yield block, (found.end(), end)


def _columns(document: Document) -> Iterator[tuple[Table, int]]:
    """Columns of targets or limits in tables about acceptance or success."""
    for table in document.tables:
        for at, header in enumerate(table.header):
            if at > 0 and _COLUMN.fullmatch(header) and _relevant(document, table.rows[0][0]):
                yield table, at
                break
