"""The way to a gate as a picture: steps on a line that turns at the end of each row, with arrows from what they rest on.

It is laid out as a list, so whoever cannot see the picture hears the steps in their order, with their states.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from fiducial.report.inert import clip
from fiducial.report.readiness import LEVELS, MARKS, MESSAGE
from fiducial.review.readiness import Readiness, Step

COLUMNS = 4
COMMAND = 4 * MESSAGE


class Node(Struct, frozen=True, kw_only=True):
    """A step in its place. `arrow` is the direction from which it is reached; `beside` stands apart from the line."""

    number: int
    id: str
    title: str
    state: str
    mark: str
    level: str
    seen: str
    wanted: str
    command: str
    after: str  # the titles of what it rests on
    row: int  # from 1
    column: int
    arrow: str  # right, left, down, or none
    beside: bool
    next: bool


class Graph(Struct, frozen=True, kw_only=True):
    """The graph of one reviewer, or of the dataset alone."""

    name: str  # of the reviewer
    nodes: list[Node]
    done: int
    ready: bool
    next: str  # the command to copy
    uncounted: list[tuple[str, str]]


def graph_of(found: Readiness) -> Graph:
    """The steps placed in rows that run there and back; what rests on nothing and comes late stands below the end."""
    line = [step for k, step in enumerate(found.steps) if step.after or k == 0]
    apart = [step for step in found.steps if step not in line]
    titles = {step.id: step.title for step in found.steps}
    due = next((s.id for s in found.steps if s.state == "missing" and s.command), "gates")
    places: dict[str, tuple[int, int]] = {}
    for k, step in enumerate(line):
        row, at = divmod(k, COLUMNS)
        places[step.id] = row + 1, (COLUMNS - at if row % 2 else at + 1)
    row, column = places[line[-1].id]
    for k, step in enumerate(apart, 1):
        places[step.id] = row + k, column
    nodes = [
        _node(k, step, places, titles, beside=step in apart, due=due) for k, step in enumerate([*line, *apart], 1)
    ]
    return Graph(
        name=clip(found.reviewer or "", 120),
        nodes=nodes,
        done=sum(node.state == "done" for node in nodes),
        ready=found.enforceable,
        next=found.next_command,
        uncounted=[(clip(name, 120), clip(why, MESSAGE)) for name, why in reversed(found.uncounted.items())],
    )


def _node(
    number: int,
    step: Step,
    places: Mapping[str, tuple[int, int]],
    titles: Mapping[str, str],
    *,
    beside: bool,
    due: str,
) -> Node:
    row, column = places[step.id]
    return Node(
        number=number,
        id=step.id,
        title=clip(step.title, 120),
        state=step.state,
        mark=MARKS[step.state],
        level=LEVELS[step.state],
        seen=clip(step.seen, MESSAGE),
        wanted=clip(step.missing or "", MESSAGE),
        command=step.command or "",
        after=", ".join(titles[name] for name in step.after),
        row=row,
        column=column,
        arrow=_arrow([places[name] for name in step.after], (row, column)),
        beside=beside,
        next=step.id == due,
    )


def _arrow(before: list[tuple[int, int]], place: tuple[int, int]) -> str:
    """From a neighbour; a step that rests on one further off says so in words alone."""
    ways = {(0, 1): "right", (0, -1): "left", (1, 0): "down"}
    return next((ways[step] for r, c in before if (step := (place[0] - r, place[1] - c)) in ways), "none")
