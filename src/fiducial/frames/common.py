"""What the rows of all tables have in common."""

from __future__ import annotations

from typing import Any

from fiducial.stats.estimate import Withheld

Row = dict[str, Any]


def estimate_row(measured: Any) -> Row:
    """The columns of an estimate, of anything that has its fields, or of the reason why there is none."""
    if isinstance(measured, Withheld):
        return {"withheld": measured.withheld}
    return {name: getattr(measured, name) for name in ("value", "low", "high", "n", "method")}
