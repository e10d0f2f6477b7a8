"""One row of the tables that `benchmarks.truth` prints."""

from __future__ import annotations

from typing import NamedTuple


class Claim(NamedTuple):
    """What is claimed, the figure it has to reach, and what the first edition and this one give."""

    words: str
    nominal: str
    first: str
    now: str
    holds: bool
