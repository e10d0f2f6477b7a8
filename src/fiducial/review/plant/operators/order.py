"""A step that cannot be taken when the document says: it waits for a later one, or is dated before what it needs."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from fiducial.review.finding import Severity
from fiducial.review.plant.blocks import Document, Table
from fiducial.review.plant.dates import When, moments
from fiducial.review.plant.draw import Draw
from fiducial.review.plant.flaw import Candidate, Flaw
from fiducial.review.plant.markdown import read
from fiducial.review.plant.operators.base import Category, Operator, has, said
from fiducial.review.plant.procedures import procedures
from fiducial.review.plant.relations import DATE, END, START, Step, added, can_add, column, dependents, steps


class ImpossibleOrder(Operator):
    """A step that needs a later one, or is dated before what it needs."""

    name: ClassVar[str] = "impossible-order"
    category: ClassVar[Category] = "dependency"
    severity: ClassVar[Severity] = "Critical"
    says: ClassVar[str] = "a step that waits for a later one"

    def places(self, document: Document, draw: Draw) -> list[Candidate]:
        """Rows with needs and dates, and numbered procedures."""
        found = []
        for table, rows in steps(document):
            dates = _dates(document, table, rows)
            needs = {name: step.needs for name, step in rows.items()}
            for name, step in rows.items():
                if name not in dates or not dates[name][0].block.free(0, len(dates[name][0].block.flow)):
                    continue
                found += self._early(document, draw, step, rows, dates)
                found += self._late(document, draw, step, rows, dates, needs)
        found += self._procedures(document, draw)
        return sorted(found, key=lambda candidate: candidate.start)

    def _early(
        self, document: Document, draw: Draw, step: Step, rows: dict[str, Step], dates: dict[str, tuple[When, When]]
    ) -> list[Candidate]:
        """The step moved to a date before the end of what it needs."""
        here = dates[step.name][0]
        ends = {dates[other][1].day: other for other in step.needs if other in dates}
        if not ends:
            return []
        latest = max(day for day in ends if day)
        moved = latest - timedelta(days=draw.pick((7, 10, 14, 21), self.name, here.block.at(here.start)))
        other = rows[ends[latest]]
        if here.day is None or moved.year != here.day.year or moved >= here.day:
            return []
        new = here.write(moved)
        start, end = here.block.span(here.start, here.end)
        quoted = document.row_span(step.cell)
        return [
            Candidate(
                start=start,
                end=end,
                new=new,
                shown=(quoted, document.row_span(other.cell)),
                subject=f"row {step.cell.table} {step.cell.row}",
                title=f"{step.name} is dated before {other.name}, which it needs",
                issue=f"In {document.sections[step.cell.section].name}, {step.name} is set for {new} "
                f"(“{said(document, quoted, (start, end, new))}”), but it needs {other.name}, which is not done before "
                f"{dates[other.name][1].text}. That order cannot be kept.",
                facts={"kind": "date", "from": step.name, "to": other.name},
            )
        ]

    def _late(
        self,
        document: Document,
        draw: Draw,
        step: Step,
        rows: dict[str, Step],
        dates: dict[str, tuple[When, When]],
        needs: dict[str, tuple[str, ...]],
    ) -> list[Candidate]:
        """A need added that is only done after the step has begun, without closing a circle."""
        begun = dates[step.name][0].day
        waiting = dependents(needs, step.name)
        later = [
            other
            for other in rows
            if other in dates and begun and (dates[other][1].day or begun) > begun and other not in waiting
        ]
        later = [other for other in later if other != step.name and other not in step.needs]
        if not later or not can_add(step):
            return []
        other = rows[draw.pick(later, self.name, "need", step.cell.at(0))]
        start, end, new = added(step, other)
        quoted = document.row_span(step.cell)
        return [
            Candidate(
                start=start,
                end=end,
                new=new,
                shown=(quoted, document.row_span(other.cell)),
                subject=f"needs of {step.name}",
                title=f"{step.name} needs {other.name}, which comes later",
                issue=f"In {document.sections[step.cell.section].name}, {step.name} is set for "
                f"{dates[step.name][0].text} but needs {other.name}, which is not done before "
                f"{dates[other.name][1].text}: “{said(document, quoted, (start, end, new))}”.",
                facts={"kind": "date", "from": step.name, "to": other.name},
            )
        ]

    def _procedures(self, document: Document, draw: Draw) -> list[Candidate]:
        found = []
        for items in procedures(document):
            for k, block in enumerate(items[:-1]):
                plain = block.plain.rstrip()
                if not plain.endswith(".") or not block.free(len(plain), len(plain)):
                    continue
                later = draw.pick(range(k + 2, len(items) + 1), self.name, block.at(0))
                at = block.at(len(plain) - 1) + 1
                new = f" This step begins when step {later} is complete."
                span = block.span(0, len(plain))
                home = document.sections[block.section].name
                found.append(
                    Candidate(
                        start=at,
                        end=at,
                        new=new,
                        shown=(span, items[later - 1].whole),
                        subject=f"procedure {items[0].at(0)}",
                        title=f"Step {k + 1} in {home} waits for step {later}",
                        issue=f"The steps in {home} are numbered in the order in which they are taken, but step "
                        f"{k + 1} says “{new.strip()}” Step {later} comes after it, so the procedure cannot "
                        f"be carried out as written.",
                        facts={"kind": "procedure", "words": new.strip(), "step": str(k + 1)},
                    )
                )
        return found

    def verify(self, text: str, flaw: Flaw) -> bool:
        """A step needs another that ends after it begins; or a numbered step waits for a later one."""
        if not has(text, flaw):
            return False
        document = read(text)
        if flaw.facts["kind"] == "procedure":
            k = int(flaw.facts["step"]) - 1
            return any(
                len(items) > k and items[k].plain.endswith(flaw.facts["words"]) for items in procedures(document)
            )
        one, other = flaw.facts["from"], flaw.facts["to"]
        for table, rows in steps(document):
            dates = _dates(document, table, rows)
            if one in rows and other in rows[one].needs and one in dates and other in dates:
                begun, done = dates[one][0].day, dates[other][1].day
                return begun is not None and done is not None and done > begun
        return False


def _dates(document: Document, table: Table, rows: dict[str, Step]) -> dict[str, tuple[When, When]]:
    """When each row begins and when it is done; with one date for both, that one."""
    begin = max(column(table, START), column(table, DATE))
    done = max(column(table, END), column(table, DATE))
    first: dict[int, When] = {}
    for when in moments(document):
        if when.day and when.block.table >= 0:
            first.setdefault(id(when.block), when)
    found = {}
    for name, step in rows.items():
        a = first.get(id(step.row[begin])) if begin >= 0 else None
        b = first.get(id(step.row[done])) if done >= 0 else a
        if a and b:
            found[name] = (a, b)
    return found
