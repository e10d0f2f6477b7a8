"""A value that the document states twice, changed in one of the two places."""

from __future__ import annotations

from typing import ClassVar

from fiducial.review.finding import Severity
from fiducial.review.plant.blocks import Document
from fiducial.review.plant.draw import Draw
from fiducial.review.plant.flaw import Candidate, Flaw
from fiducial.review.plant.ids import in_history, short, where
from fiducial.review.plant.markdown import read
from fiducial.review.plant.operators.base import Category, Operator, capital, has, inside, said, shown
from fiducial.review.plant.quantities import (
    LADDERS,
    Quantity,
    beside,
    has_total,
    other_values,
    quantities,
    restated,
)


class _QuantityConflict(Operator):
    category: ClassVar[Category] = "contradiction"
    severity: ClassVar[Severity] = "Important"

    def verify(self, text: str, flaw: Flaw) -> bool:
        """Both quotations are there, and the quantities in them differ."""
        if len(flaw.evidence) != 2 or not has(text, flaw) or flaw.facts["here"] == flaw.facts["there"]:
            return False
        document = read(text)
        return all(
            any(q.text == value and inside(document, q.block, q.start, quotation) for q in quantities(document))
            for quotation, value in zip(flaw.evidence, (flaw.facts["here"], flaw.facts["there"]), strict=True)
        )


def _changed(
    document: Document, here: Quantity, there: Quantity, start: int, end: int, new: str
) -> tuple[tuple[int, int, str], str, str, str]:
    """The edit in the file, and what both places then say."""
    a, b = here.block.span(start, end)
    edit = a, b, new
    value = " ".join((here.block.flow[here.start : start] + new + here.block.flow[end : here.stop]).split())
    quote_here = said(document, shown(document, here.block, here.start), edit)
    quote_there = said(document, shown(document, there.block, there.start))
    return edit, value, quote_here, quote_there


class NumberConflict(_QuantityConflict):
    """The same number stated in two places of text, different in one."""

    name: ClassVar[str] = "number-conflict"
    says: ClassVar[str] = "a number that contradicts another statement of it"

    def places(self, document: Document, draw: Draw) -> list[Candidate]:
        """Pairs of statements that are both prose, or rows of two tables that are tied by an id."""
        return [
            _number(document, draw, a, b)
            for a, b in _both_ways(document)
            if (a.block.kind == "cell") == (b.block.kind == "cell") and _editable(document, a)
        ]


class TableDisagrees(_QuantityConflict):
    """A number in a table that a sentence repeats, different in one of them."""

    name: ClassVar[str] = "table-disagrees"
    says: ClassVar[str] = "a table and a sentence that disagree"

    def places(self, document: Document, draw: Draw) -> list[Candidate]:
        """Pairs of a cell and a sentence. Cells that are added up are left alone: that is another flaw."""
        return [
            _number(document, draw, a, b)
            for a, b in _both_ways(document)
            if (a.block.kind == "cell") != (b.block.kind == "cell") and _editable(document, a)
        ]


class UnitMismatch(_QuantityConflict):
    """The same quantity stated twice, with another unit in one place."""

    name: ClassVar[str] = "unit-mismatch"
    says: ClassVar[str] = "one quantity in two units that do not agree"

    def places(self, document: Document, draw: Draw) -> list[Candidate]:
        """Pairs of statements whose unit is written beside the number."""
        found = []
        for here, there in _both_ways(document):
            if here.unit is None or not here.block.free(*here.unit) or in_history(document, here.block):
                continue
            form = here.block.flow[slice(*here.unit)]
            new = draw.pick(_neighbours(form), self.name, here.block.at(here.start), there.block.at(there.start))
            edit, value, one, other = _changed(document, here, there, *here.unit, new)
            found.append(
                Candidate(
                    start=edit[0],
                    end=edit[1],
                    new=new,
                    shown=(shown(document, here.block, here.start), shown(document, there.block, there.start)),
                    subject=f"value {here.value}",
                    title=f"{_parties(document, here, there, 'use different units')}: {value} and {there.told}",
                    issue=f"{capital(_place(document, here))} says “{one}”, while {_place(document, there)} says "
                    f"“{other}”. The same quantity is given as {value} in one place and as {there.told} in the "
                    f"other; the number agrees and the unit does not, so one of the units must be wrong.",
                    facts={"here": value, "there": there.text},
                )
            )
        return found


def _both_ways(document: Document) -> list[tuple[Quantity, Quantity]]:
    """Each place that could be changed, once, with a place that says the same."""
    partner: dict[int, tuple[Quantity, Quantity]] = {}
    for a, b in restated(document):
        partner.setdefault(id(a), (a, b))
        partner.setdefault(id(b), (b, a))
    return sorted(partner.values(), key=lambda pair: pair[0].block.at(pair[0].start))


def _editable(document: Document, quantity: Quantity) -> bool:
    if not quantity.block.free(quantity.start, quantity.end) or not other_values(quantity):
        return False
    if quantity.block.kind != "cell":
        return True
    return not has_total(document.tables[quantity.block.table])


def _number(document: Document, draw: Draw, here: Quantity, there: Quantity) -> Candidate:
    taken = {q.digits for block in (here.block, there.block) for q in beside(document, block)}
    options = [value for value in other_values(here) if value not in taken] or other_values(here)
    new = draw.pick(options, "number", here.block.at(here.start), there.block.at(there.start))
    edit, value, one, other = _changed(document, here, there, here.start, here.end, new)
    return Candidate(
        start=edit[0],
        end=edit[1],
        new=new,
        shown=(shown(document, here.block, here.start), shown(document, there.block, there.start)),
        subject=f"value {here.value}",
        title=f"{_parties(document, here, there, 'disagree')}: {value} against {there.told}",
        issue=f"{capital(_place(document, here))} says “{one}”, but {_place(document, there)} says "
        f"“{other}”. Both speak of the same quantity, once as {value} and once as {there.told}, and nothing says "
        f"which one holds.",
        facts={"here": value, "there": there.text},
    )


def _place(document: Document, quantity: Quantity) -> str:
    name = where(document, quantity.block)
    if quantity.block.kind == "cell":
        name += f", column “{document.tables[quantity.block.table].header[quantity.block.column]}”"
    return name


def _parties(document: Document, here: Quantity, there: Quantity, verb: str) -> str:
    one, other = short(document, here.block), short(document, there.block)
    return f"{capital(one)} contradicts itself" if one == other else f"{capital(one)} and {other} {verb}"


def _neighbours(form: str) -> list[str]:
    """The units one step smaller and larger, in the same way of writing."""
    for steps in LADDERS.values():
        for k, forms in enumerate(steps):
            if form in forms:
                at = forms.index(form)
                near = [steps[j] for j in (k - 1, k + 1) if 0 <= j < len(steps)]
                fitting = [other[at] for other in near if at < len(other)]
                return fitting or [other[-1] for other in near]
    return [form]
