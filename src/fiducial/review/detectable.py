"""What a gate can detect, computed exactly. `python -m fiducial.review.detectable` prints the tables of docs/gates.md."""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import floor

import scipy

from fiducial.review.recall import LEVEL, item_p

RUNS = (3, 5, 10)
ITEMS = (1, 5, 10, 20)
MIN_RECALL = 0.8
POWER = 0.8


def list_detects(items: int, runs: int, *, min_recall: float = MIN_RECALL, power: float = POWER) -> float | None:
    """The true recall, the same for all items, at which the test of the whole list fails the gate with this power.

    None where not even a list of which nothing is found would be.
    """
    return _true_recall(items * runs, min_recall, LEVEL, power)


def item_detects(items: int, runs: int, *, min_recall: float = MIN_RECALL, power: float = POWER) -> float | None:
    """The true recall of one item at which it is among the missed ones with this power, the others being fine.

    Holm's first step is what it has to pass: its p has to be below .05 divided by the number of items.
    """
    return _true_recall(runs, min_recall, LEVEL / items, power)


def _true_recall(trials: int, min_recall: float, level: float, power: float) -> float | None:
    # most detections that are still rejected; the p value grows with them
    most = -1
    while most < trials and item_p(most + 1, trials, min_recall) < level:
        most += 1
    if most < 0:
        return None
    return float(
        scipy.optimize.brentq(lambda true: item_p(most, trials, true) - power, 0.0, min_recall, xtol=1e-12)
    )


def tables() -> str:
    """Both tables in Markdown. Recalls are rounded down, so that the power at what is printed is at least 80 %."""
    return "\n\n".join(
        (
            _table("the whole list: true recall of its items", list_detects),
            _table("one item, the others being fine: its true recall", item_detects),
        )
    )


def _table(title: str, detects: Callable[[int, int], float | None]) -> str:
    head = f"| {title} | {' | '.join(f'N = {runs}' for runs in RUNS)} |"
    rows = [
        f"| {items} item{'s' if items > 1 else ''} | {' | '.join(_cell(detects(items, runs)) for runs in RUNS)} |"
        for items in ITEMS
    ]
    return "\n".join([head, "|---|" + "---|" * len(RUNS), *rows])


def _cell(recall: float | None) -> str:
    return "never" if recall is None else f"{floor(100 * recall) / 100:.2f}"


if __name__ == "__main__":
    sys.stdout.write(tables() + "\n")
