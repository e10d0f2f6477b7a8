"""A duty that is given to two owners."""

from __future__ import annotations

import re
from typing import ClassVar

from fiducial.review.finding import Severity
from fiducial.review.plant.blocks import Block, Document, Table
from fiducial.review.plant.draw import Draw
from fiducial.review.plant.flaw import Candidate, Flaw
from fiducial.review.plant.ids import in_history
from fiducial.review.plant.markdown import read
from fiducial.review.plant.operators.base import Category, Operator, has, said
from fiducial.review.plant.relations import NEEDS, OWNER, bare, column

_DUTIES = re.compile(
    r"(?:dut(?:y|ies)|responsibilit(?:y|ies)|tasks?|areas?|activit(?:y|ies)|what|work|function)", re.I
)
_PHRASE = re.compile(r"[^\W\d_][\w' -]{2,50}")
_QUALIFIES = re.compile(r"(?:and|or|with|by|for|including|except|if|when|[a-z]+ed)\b")  # no duty of its own
_MOST_ROWS = 200


class TwoOwners(Operator):
    """A duty that a table gives to one owner, added to the duties of another."""

    name: ClassVar[str] = "two-owners"
    category: ClassVar[Category] = "ownership"
    severity: ClassVar[Severity] = "Important"
    says: ClassVar[str] = "one duty with two owners"

    def places(self, document: Document, draw: Draw) -> list[Candidate]:
        """Each single duty of a table of duties and owners, once, with another row to add it to."""
        found = []
        for table, duty, owner in _tables(document):
            rows = [row for row in table.body if bare(row[duty].flow) and bare(row[owner].flow)]
            for row in rows:
                others = [other for other in rows if bare(other[owner].flow) != bare(row[owner].flow)]
                others = [other for other in others if other[duty].free(0, len(other[duty].flow))]
                for part in _parts(row[duty].plain) if others else []:
                    if sum(part.lower() in other[duty].plain.lower() for other in rows) == 1:
                        other = draw.pick(others, self.name, row[duty].at(0), part)
                        found.append(self._doubled(document, table, duty, owner, row, other, part))
        return found

    def _doubled(
        self,
        document: Document,
        table: Table,
        duty: int,
        owner: int,
        row: tuple[Block, ...],
        other: tuple[Block, ...],
        part: str,
    ) -> Candidate:
        named = part if part[:2].isupper() else part[0].lower() + part[1:]
        at = other[duty].whole[1]
        new = f", {named}"
        one, two = (re.sub(r"\s*\([^()]*\)", "", bare(cells[owner].flow)) for cells in (row, other))
        spans = document.row_span(other[duty]), document.row_span(row[duty])
        return Candidate(
            start=at,
            end=at,
            new=new,
            shown=spans,
            subject=f"duty {named}",
            title=f"Two owners for “{named}”: {one} and {two}",
            issue=f"The table in {document.sections[table.section].name} gives the duty “{named}” both to {_the(one)} "
            f"(“{said(document, spans[1])}”) and to {_the(two)} (“{said(document, spans[0], (at, at, new))}”). Nobody "
            f"can tell who answers for it.",
            facts={"duty": named},
        )

    def verify(self, text: str, flaw: Flaw) -> bool:
        """A table lists the duty for two different owners."""
        document = read(text)
        duty_named = flaw.facts["duty"].lower()
        return has(text, flaw) and any(
            len(
                {
                    bare(row[owner].flow)
                    for row in table.body
                    if duty_named in map(str.lower, _parts(row[duty].plain))
                }
            )
            > 1
            for table, duty, owner in _tables(document)
        )


def _tables(document: Document) -> list[tuple[Table, int, int]]:
    """Tables that list duties (in their first column) and who owns them."""
    found = []
    for table in document.tables:
        owner = column(table, OWNER)
        if owner <= 0 or not 2 <= len(table.body) <= _MOST_ROWS or not _DUTIES.fullmatch(table.header[0]):
            continue
        names_steps = column(table, NEEDS) >= 0  # the first column is what others need, not a list of duties
        if not names_steps and not in_history(document, table.rows[0][0]):
            found.append((table, 0, owner))
    return found


def _the(owner: str) -> str:
    return f"the {owner}" if owner[:1].islower() else owner


def _parts(plain: str) -> list[str]:
    """The duties that a cell lists, brackets left out."""
    listed = re.sub(r"\([^()]*\)", "", plain)
    parts = [" ".join(part.split()) for part in re.split(r"[,;]", listed)]
    return [part for k, part in enumerate(parts) if _PHRASE.fullmatch(part) and not (k and _QUALIFIES.match(part))]
