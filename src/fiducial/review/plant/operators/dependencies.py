"""Parts that depend on each other in a circle."""

from __future__ import annotations

import re
from typing import ClassVar

from fiducial.review.finding import Severity
from fiducial.review.plant.blocks import Block, Document, Span
from fiducial.review.plant.draw import Draw
from fiducial.review.plant.flaw import Candidate, Flaw
from fiducial.review.plant.ids import ID, in_history, names, where
from fiducial.review.plant.markdown import read
from fiducial.review.plant.operators.base import Category, Operator, capital, has, said, shown
from fiducial.review.plant.relations import Step, added, can_add, dependents, reaches, steps

_NEEDS = re.compile(
    r"\b(?:depends? on|requires?|needs?|builds? on|relies on|is blocked by|waits? for|can only start after|follows)\s+"
    r"(?:the )?(?:result of |output of |completion of )?(?=[A-Z]{1,8}[-_]?\d)"
)
_MOST_ROWS = 6  # of a circle, that are quoted


class CircularDependency(Operator):
    """Something made to depend on what already depends on it."""

    name: ClassVar[str] = "circular-dependency"
    category: ClassVar[Category] = "dependency"
    severity: ClassVar[Severity] = "Critical"
    says: ClassVar[str] = "parts that depend on each other in a circle"

    def places(self, document: Document, draw: Draw) -> list[Candidate]:
        """Cells of a column of needs, and statements with an id that another one is said to depend on."""
        return [*self._cells(document, draw), *self._statements(document)]

    def _cells(self, document: Document, draw: Draw) -> list[Candidate]:
        found = []
        for _, rows in steps(document):
            needs = {name: step.needs for name, step in rows.items()}
            for name, step in rows.items():
                waiting = dependents(needs, name)
                later = [other for other in rows if other in waiting and other != name]
                if later and can_add(step) and name not in waiting:
                    other = draw.pick(later, self.name, step.cell.at(0))
                    found.append(self._closed(document, needs, step, rows[other], rows))
        return found

    def _closed(
        self, document: Document, needs: dict[str, tuple[str, ...]], step: Step, other: Step, rows: dict[str, Step]
    ) -> Candidate:
        start, end, new = added(step, other)
        chain = reaches(needs, other.name, step.name) or []
        circle = " → ".join([step.name, *chain])
        members = [step, *(rows[name] for name in chain[:-1])]
        shown_rows = [document.row_span(member.cell) for member in members[:_MOST_ROWS]]
        return Candidate(
            start=start,
            end=end,
            new=new,
            shown=tuple(dict.fromkeys(shown_rows)),
            subject=f"needs of {step.name}",
            title=f"{step.name} and {other.name} depend on each other",
            issue=f"The table in {document.sections[step.cell.section].name} has a circle: {circle}. {step.name} needs "
            f"{other.name} (“{said(document, shown_rows[0], (start, end, new))}”), and {other.name} needs {step.name}"
            f"{'' if len(chain) == 2 else ' by way of ' + ', '.join(chain[1:-1])}, so neither can come first.",
            facts={"from": step.name, "to": other.name},
            guarded=tuple(document.row_span(member.cell) for member in members[_MOST_ROWS:]),
        )

    def _statements(self, document: Document) -> list[Candidate]:
        needs = _stated(document)
        known = names(document)
        found = []
        for name, others in needs.items():
            for other in others:
                bodies = known.bodies.get(other)
                if not bodies or name in needs.get(other, ()):
                    continue
                block = bodies[-1]
                plain = block.plain.rstrip()
                if not plain.endswith(".") or not block.free(len(plain), len(plain)):
                    continue
                stated, home = _stating(document, name, other)
                at = block.at(len(plain) - 1) + 1
                new = f" It depends on {name}."
                span = block.span(0, len(plain))
                found.append(
                    Candidate(
                        start=at,
                        end=at,
                        new=new,
                        shown=(span, stated),
                        subject=f"needs of {other}",
                        title=f"{name} and {other} depend on each other",
                        issue=f"{capital(where(document, home))} depends on {other} "
                        f"(“{said(document, stated)}”), and {other} in turn says “{new.strip()}”. "
                        f"Neither can be met before the other.",
                        facts={"from": other, "to": name},
                    )
                )
        return found

    def verify(self, text: str, flaw: Flaw) -> bool:
        """The one needs the other directly, and the other needs the one, directly or through others."""
        document = read(text)
        one, other = flaw.facts["from"], flaw.facts["to"]
        graphs = [{name: step.needs for name, step in rows.items()} for _, rows in steps(document)]
        graphs.append(_stated(document))
        return has(text, flaw) and any(
            other in graph.get(one, ()) and reaches(graph, other, one) is not None for graph in graphs
        )


def _stated(document: Document) -> dict[str, tuple[str, ...]]:
    """What statements with an id say, in words, that they depend on."""
    known = names(document)
    found: dict[str, tuple[str, ...]] = {}
    for name, blocks in known.bodies.items():
        needed = [need for block in blocks if not in_history(document, block) for need, _ in _needed(block)]
        found[name] = tuple(other for other in needed if other in known.defined and other != name)
    return {name: others for name, others in found.items() if others}


def _needed(block: Block) -> list[tuple[str, int]]:
    """The ids that a block says it depends on, each with the place where it says so."""
    found = [(ID.match(block.plain, need.end()), need.start()) for need in _NEEDS.finditer(block.plain)]
    return [(name[0], place) for name, place in found if name]


def _stating(document: Document, name: str, other: str) -> tuple[Span, Block]:
    """The sentence, and its block, in which one id is said to depend on another."""
    return next(
        (shown(document, block, place), block)
        for block in names(document).bodies[name]
        for needed, place in _needed(block)
        if needed == other
    )
