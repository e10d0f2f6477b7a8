"""Dates and times of day that cannot both be right."""

from __future__ import annotations

from typing import ClassVar

from fiducial.review.finding import Severity
from fiducial.review.plant.blocks import Document
from fiducial.review.plant.dates import When, moments, restated
from fiducial.review.plant.draw import Draw
from fiducial.review.plant.flaw import Candidate, Flaw
from fiducial.review.plant.ids import short, where
from fiducial.review.plant.markdown import read
from fiducial.review.plant.operators.base import Category, Operator, capital, has, inside, said, shown
from fiducial.review.plant.relations import END, START, column

_WEEKS = (-14, -7, 7, 14)  # whole weeks, so that "Friday 6 November" stays a Friday
_HOURS = (-2, -1, 1, 2)


class DateConflict(Operator):
    """A date or time of day stated twice, different in one place; or a row that ends before it starts."""

    name: ClassVar[str] = "date-conflict"
    category: ClassVar[Category] = "contradiction"
    severity: ClassVar[Severity] = "Important"
    says: ClassVar[str] = "two dates or times that cannot both be right"

    def places(self, document: Document, draw: Draw) -> list[Candidate]:
        """Dates that are stated twice, and rows with a start and an end."""
        partner: dict[int, tuple[When, When]] = {}
        for a, b in restated(document):
            partner.setdefault(id(a), (a, b))
            partner.setdefault(id(b), (b, a))
        found = [self._moved(document, draw, here, there) for here, there in partner.values()]
        found += [self._reversed(document, draw, start, end) for start, end in _periods(document)]
        return sorted(filter(None, found), key=lambda candidate: candidate.start)

    def _moved(self, document: Document, draw: Draw, here: When, there: When) -> Candidate | None:
        options = [new for by in (_WEEKS if here.day else _HOURS) if (new := here.shifted(by))]
        if not options or not here.block.free(here.start, here.end) or _again(document, here):
            return None
        new = draw.pick(options, self.name, here.block.at(here.start), there.block.at(there.start))
        start, end = here.block.span(here.start, here.end)
        one = said(document, shown(document, here.block, here.start), (start, end, new))
        other = said(document, shown(document, there.block, there.start))
        kind = "date" if here.day else "time"
        return Candidate(
            start=start,
            end=end,
            new=new,
            shown=(shown(document, here.block, here.start), shown(document, there.block, there.start)),
            subject=f"moment {here.key}",
            title=f"{capital(short(document, here.block))} and {short(document, there.block)} give different {kind}s: "
            f"{new} and {there.text}",
            issue=f"{capital(where(document, here.block))} gives the {kind} {new} (“{one}”), "
            f"{where(document, there.block)} gives {there.text} for the same thing (“{other}”). They cannot both be right.",
            facts={"kind": "stated twice", "here": new, "there": there.text},
        )

    def _reversed(self, document: Document, draw: Draw, first: When, last: When) -> Candidate | None:
        assert first.day and last.day
        ahead = (last.day - first.day).days
        options = [new for by in (7, 14, 21) if (new := first.shifted(ahead + by))]
        if not options or not first.block.free(first.start, first.end):
            return None
        new = draw.pick(options, self.name, "row", first.block.at(first.start))
        start, end = first.block.span(first.start, first.end)
        row = document.row_span(first.block)
        name = " ".join(document.row_of(first.block)[0].plain.split())
        return Candidate(
            start=start,
            end=end,
            new=new,
            shown=(row,),
            subject=f"row {first.block.table} {first.block.row}",
            title=f"{name} ends before it starts: {new} to {last.text}",
            issue=f"In {document.sections[first.block.section].name}, {name} starts on {new} and ends on {last.text}, "
            f"which is earlier: “{said(document, row, (start, end, new))}”.",
            facts={"kind": "ends before start", "here": new, "there": last.text},
        )

    def verify(self, text: str, flaw: Flaw) -> bool:
        """Both quotations are there with the two dates; a row has its end before its start."""
        if not has(text, flaw) or flaw.facts["here"] == flaw.facts["there"]:
            return False
        document = read(text)
        if flaw.facts["kind"] == "ends before start":
            return any(
                first.day is not None
                and last.day is not None
                and last.day < first.day
                and (first.text, last.text) == (flaw.facts["here"], flaw.facts["there"])
                and inside(document, first.block, first.start, flaw.evidence[0])
                for first, last in _periods(document)
            )
        return len(flaw.evidence) == 2 and all(
            any(
                when.text == value and inside(document, when.block, when.start, quotation)
                for when in moments(document)
            )
            for quotation, value in zip(flaw.evidence, (flaw.facts["here"], flaw.facts["there"]), strict=True)
        )


def _again(document: Document, here: When) -> bool:
    """Whether the row has the same date in another cell, which would go on agreeing with the other place."""
    if here.block.kind != "cell":
        return False
    row = document.row_of(here.block)
    return sum(here.text in " ".join(cell.plain.split()) for cell in row) > 1


def _periods(document: Document) -> list[tuple[When, When]]:
    """The first date in the start and the end cell of each row that has both."""
    dates: dict[int, When] = {}
    for when in moments(document):
        if when.day and when.block.kind == "cell":
            dates.setdefault(id(when.block), when)
    found = []
    for table in document.tables:
        first, last = column(table, START), column(table, END)
        if first < 0 or last < 0 or first == last:
            continue
        for row in table.body:
            a, b = dates.get(id(row[first])), dates.get(id(row[last]))
            if a and b:
                found.append((a, b))
    return found
