"""What needs what, who owns what: the columns of tables that say so."""

from __future__ import annotations

import re

from msgspec import Struct

from fiducial.review.plant.blocks import Block, Document, Table

NEEDS = re.compile(
    r"(?:needs?|depends? on|dependenc(?:y|ies)|requires?|prerequisites?|predecessors?|blocked by|waits? for|after)",
    re.I,
)
OWNER = re.compile(r"(?:owners?|responsible|accountable|assigned to|assignee|responsibility|lead|who)", re.I)
START = re.compile(r"(?:starts?|begins?|from|start date|starting|beginning)(?: \(.*\))?", re.I)
END = re.compile(r"(?:ends?|finish(?:es)?|until|to|end date|due|ending)(?: \(.*\))?", re.I)
DATE = re.compile(r"(?:date|due|due date|deadline|when|target date|planned)(?: \(.*\))?", re.I)
_MOST_ROWS = 300  # a longer table is data, not a plan
_PARTS = re.compile(r"\s*(?:,|;|&|/|\band\b)\s*")


class Step(Struct, frozen=True, eq=False):
    """A row that other rows can need."""

    name: str
    row: tuple[Block, ...]
    cell: Block  # that lists what it needs
    needs: tuple[str, ...]  # names of other rows of the table


def column(table: Table, pattern: re.Pattern[str]) -> int:
    """The first column whose whole header matches, or -1."""
    return next((k for k, text in enumerate(table.header) if pattern.fullmatch(text)), -1)


def bare(text: str) -> str:
    """A cell's content without markup."""
    return " ".join(text.replace("*", "").replace("`", "").split())


def steps(document: Document) -> list[tuple[Table, dict[str, Step]]]:
    """Every table with a column of needs, and its rows by name. Rows with the same name make a table unusable."""
    found = []
    for table in document.tables:
        at = column(table, NEEDS)
        if at <= 0 or len(table.body) > _MOST_ROWS:
            continue
        rows = {bare(row[0].flow): row for row in table.body if bare(row[0].flow)}
        if len(rows) != len(table.body):
            continue
        made = {}
        for name, row in rows.items():
            parts = [bare(part) for part in _PARTS.split(row[at].flow)]
            made[name] = Step(name, row, row[at], tuple(part for part in parts if part in rows and part != name))
        found.append((table, made))
    return found


def reaches(needs: dict[str, tuple[str, ...]], start: str, goal: str) -> list[str] | None:
    """The shortest chain of needs from one name to another, both included, or None."""
    chains = {start: [start]}
    waiting = [start]
    for name in waiting:
        for other in needs.get(name, ()):
            if other not in chains:
                chains[other] = [*chains[name], other]
                waiting.append(other)
            if other == goal:
                return chains[other] if other != start else [*chains[name], other]
    return None


def dependents(needs: dict[str, tuple[str, ...]], name: str) -> set[str]:
    """All that need a name, directly or through others; the name itself if it is in a circle."""
    needed_by: dict[str, list[str]] = {}
    for other, its in needs.items():
        for need in its:
            needed_by.setdefault(need, []).append(other)
    found: set[str] = set()
    waiting = list(needed_by.get(name, []))
    while waiting:
        other = waiting.pop()
        if other not in found:
            found.add(other)
            waiting += needed_by.get(other, [])
    return found


def can_add(step: Step) -> bool:
    """Whether a need can be written into a row without touching code or links."""
    end = len(step.cell.flow)
    return step.cell.free(end, end) if step.needs else step.cell.free(0, end)


def added(step: Step, other: Step) -> tuple[int, int, str]:
    """The edit that adds a need: to those there are, or in place of a dash or a word for "nothing"."""
    cell = step.cell
    name = other.row[0].flow.replace("*", "")
    if step.needs:
        end = cell.whole[1]
        return end, end, f", {name}"
    return (*cell.whole, name)
