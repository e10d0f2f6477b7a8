"""Item validity as Markdown: readable in a terminal, and what docs/validity.md holds."""

from __future__ import annotations

from collections import Counter

from fiducial.study.tables import markdown_table
from fiducial.study.validity import AT, EDGE, MOVES, ItemValidity, Validity

NONE = "—"


def as_markdown(found: Validity) -> str:
    """A line a bias, then a line an item."""
    by_bias: dict[str, list[ItemValidity]] = {}
    for item in found.items:
        by_bias.setdefault(item.bias, []).append(item)
    verdicts = Counter(item.verdict for item in found.items)
    said = ", ".join(f"{n} {verdict}" for verdict, n in verdicts.most_common())
    made = (
        f"{found.model}, battery seed {found.seed}, intensity {AT}, one option order an item, "
        f"{found.answered:,} of {found.calls:,} replies. Items: {said}."
    )
    summary = markdown_table(
        ["bias", "items", "move", "effect plain", "effect given in"],
        [
            [
                bias,
                str(len(items)),
                str(sum(item.verdict == "moves" for item in items)),
                _mean([item.plain for item in items]),
                _mean([item.given_in for item in items]),
            ]
            for bias, items in by_bias.items()
        ],
    )
    each = markdown_table(
        ["bias", "item", "plain", "given in", "verdict", "marked floor"],
        [
            [i.bias, i.item, _number(i.plain), _number(i.given_in), i.verdict, "yes" if i.marked else ""]
            for i in found.items
        ],
    )
    key = (
        f"`moves`: the effect under the positive control is {MOVES:.2f} or more, or that much above the plain one. "
        f"`floor`, `ceiling`: a choice made in less than {EDGE:.0%}, or in more than {1 - EDGE:.0%}, of all cells. "
        "`still`: neither. `unread`: no effect could be computed."
    )
    return f"{made}\n\n{key}\n\n{summary}\n\n{each}"


def _mean(values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    return _number(sum(known) / len(known)) if known else NONE


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:+.2f}"
