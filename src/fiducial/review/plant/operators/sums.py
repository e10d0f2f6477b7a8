"""Parts that no longer make up their whole: shares that should sum to 100 %, columns that have a total."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import ClassVar

from fiducial.review.finding import Severity
from fiducial.review.plant.blocks import Document
from fiducial.review.plant.draw import Draw
from fiducial.review.plant.flaw import Candidate, Flaw
from fiducial.review.plant.ids import where
from fiducial.review.plant.markdown import read
from fiducial.review.plant.operators.base import Category, Operator, has, inside, said, shown
from fiducial.review.plant.quantities import TOTAL, Quantity, number, other_values, quantities, write_like
from fiducial.review.plant.sentences import sentence_at

_WHOLE = Decimal(100)
_MOST_PARTS = 100  # a longer column is data; nobody adds it up in a review
_POINTS = (-8, -6, -5, -4, -3, 3, 4, 5, 6, 8)


class SplitNotWhole(Operator):
    """Shares in a column or a sentence that add up to 100 % until one is changed."""

    name: ClassVar[str] = "split-not-whole"
    category: ClassVar[Category] = "arithmetic"
    severity: ClassVar[Severity] = "Minor"
    says: ClassVar[str] = "a percentage split that does not sum to 100"

    def places(self, document: Document, draw: Draw) -> list[Candidate]:
        """Each share of each split of three parts or more."""
        found = []
        for split in _splits(document):
            if sum(part.value for part in split) != _WHOLE:
                continue
            for part in split:
                options = [k for k in _POINTS if part.value + k > 0]
                if not options or not part.block.free(part.start, part.end):
                    continue
                moved = part.value + draw.pick(options, self.name, part.block.at(part.start))
                found.append(self._changed(document, split, part, moved))
        return found

    def _changed(self, document: Document, split: list[Quantity], part: Quantity, moved: Decimal) -> Candidate:
        new = write_like(part.digits, moved)
        start, end = part.block.span(part.start, part.end)
        shares = [new if other is part else other.digits for other in split]
        total = sum((number(share) for share in shares), Decimal(0))
        quotation = shown(document, part.block, part.start)
        listed = " + ".join(f"{share} %" for share in shares)
        return Candidate(
            start=start,
            end=end,
            new=new,
            shown=(quotation,),
            subject=f"split {split[0].block.at(split[0].start)}",
            title=f"The shares in {document.sections[part.block.section].name} sum to {total} %",
            issue=f"The shares given in {where(document, part.block)} should make up the whole, but {listed} is "
            f"{total} %, not 100 %. At least one of them is wrong, for example in "
            f"“{said(document, quotation, (start, end, new))}”.",
            facts={"shares": " ".join(shares), "total": str(total)},
            guarded=tuple(dict.fromkeys(other.block.whole for other in split if other is not part)),
        )

    def verify(self, text: str, flaw: Flaw) -> bool:
        """There is a split with just these shares, one of them in the quotation, and its sum is not 100."""
        document = read(text)
        return has(text, flaw) and any(
            [part.digits for part in split] == flaw.facts["shares"].split()
            and sum(part.value for part in split) != _WHOLE
            and any(inside(document, part.block, part.start, flaw.evidence[0]) for part in split)
            for split in _splits(document)
        )


def _splits(document: Document) -> list[list[Quantity]]:
    """Percentages that stand together: a column without its total, or a sentence; three or more."""
    groups: dict[tuple[int, int, int], list[Quantity]] = defaultdict(list)
    for quantity in quantities(document):
        if quantity.noun != "%":
            continue
        block = quantity.block
        if block.kind != "cell":
            groups[0, id(block), sentence_at(block, quantity.start)[0]].append(quantity)
        elif not TOTAL.match(document.row_of(block)[0].plain) and block.plain.strip()[-1:] == "%":
            groups[1, block.table, block.column].append(quantity)
    return [group for group in groups.values() if 3 <= len(group) <= _MOST_PARTS]


class WrongTotal(Operator):
    """A column whose numbers add up to its total until one is changed."""

    name: ClassVar[str] = "wrong-total"
    category: ClassVar[Category] = "arithmetic"
    severity: ClassVar[Severity] = "Important"
    says: ClassVar[str] = "a total that is not the sum of its parts"

    def places(self, document: Document, draw: Draw) -> list[Candidate]:
        """Each summand of each column that adds up."""
        found = []
        for parts, total in _columns(document):
            if sum(part.value for part in parts) != total.value:
                continue
            for part in parts:
                options = other_values(part)
                if options and part.block.free(part.start, part.end):
                    new = draw.pick(options, self.name, part.block.at(part.start))
                    found.append(self._changed(document, parts, part, total, new))
        return found

    def _changed(
        self, document: Document, parts: list[Quantity], part: Quantity, total: Quantity, new: str
    ) -> Candidate:
        start, end = part.block.span(part.start, part.end)
        values = [new if other is part else other.digits for other in parts]
        amount = write_like(total.digits, sum((p.value for p in parts), Decimal(0)) - part.value + number(new))
        row = document.row_span(part.block)
        header = document.tables[part.block.table].header[part.block.column]
        section = document.sections[part.block.section].name
        return Candidate(
            start=start,
            end=end,
            new=new,
            shown=(row, document.row_span(total.block)),
            subject=f"total {part.block.table} {part.block.column}",
            title=f"“{header}” in {section} does not add up to its total",
            issue=f"In the table of {section}, the column “{header}” is given a total of {total.digits}, but its rows "
            f"add up to {amount}. Either the total or a row such as “{said(document, row, (start, end, new))}” is wrong.",
            facts={"values": " ".join(values), "total": total.digits},
            guarded=tuple(other.block.whole for other in parts if other is not part),
        )

    def verify(self, text: str, flaw: Flaw) -> bool:
        """There is a column with just these numbers and this total, and they do not add up."""
        return has(text, flaw) and any(
            [part.digits for part in parts] == flaw.facts["values"].split()
            and total.digits == flaw.facts["total"]
            and sum(part.value for part in parts) != total.value
            for parts, total in _columns(read(text))
        )


def _columns(document: Document) -> list[tuple[list[Quantity], Quantity]]:
    """The numbers of each column whose last row is a total, and that total. Shares are another operator's."""
    cells: dict[tuple[int, int], list[Quantity]] = defaultdict(list)
    for quantity in quantities(document):
        if quantity.block.kind == "cell" and quantity.noun != "%":
            cells[quantity.block.table, quantity.block.column].append(quantity)
    found = []
    for (table, _), column in cells.items():
        last = column[-1]
        whole = len(column) == len(document.tables[table].body) and 3 <= len(column) <= _MOST_PARTS
        if whole and last.block.row == len(column) and TOTAL.match(document.row_of(last.block)[0].plain):
            found.append((column[:-1], last))
    return found
