"""How a run with a stopping rule went, in the shape that `fiducial bias run --json` prints."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Reason = Literal["width", "floor", "pool", "withheld"]
"""Why no more was asked of a bias: its interval is narrow enough; what is left is variance between items; the pool would
not suffice; there is nothing to estimate."""


class Saving(Struct, frozen=True, kw_only=True):
    """Calls that were made, and those of the plan without a rule: the whole tier, every prompt `fixed_trials` times.

    It is the smallest such plan whose widest interval is expected to be no wider than the widest one here, given the
    variances found here. None where the pool has no plan that large, or where nothing could be estimated.
    """

    calls: int
    pool: int
    widest: float | None
    fixed: int | None = None
    fixed_trials: int | None = None

    @property
    def share(self) -> float | None:
        """Of the fixed plan's calls, those that were not needed. Negative where the rule needed more."""
        return None if not self.fixed else 1 - self.calls / self.fixed


class BiasStop(Struct, frozen=True, kw_only=True):
    """How one bias ended. `width` and `floor` are as the run is read now; `reason` is None while it goes on."""

    reason: Reason | None
    width: float | None
    floor: float | None  # what infinitely many repetitions of the items would leave; None where that is not known
    items: int
    of: int
    repetitions: int  # steps of the item that was asked least
    whole: bool  # whether all of its items were asked at every intensity
    calls: int


class RoundNote(Struct, frozen=True, kw_only=True):
    """One round: what was sent, and for how many biases."""

    calls: int
    biases: int


class Stopping(Struct, frozen=True, kw_only=True):
    """How a run with a stopping rule went."""

    until: str
    width: float
    over: bool
    rounds: list[RoundNote]
    biases: dict[str, BiasStop]
    saving: Saving
