"""What the clauses of a reply say about themselves: in doubt, of others, under a condition, denied.

The patterns are searched only where the signs of the whole reply allow a match.
"""

from __future__ import annotations

from fiducial.bias.read import cues, marks
from fiducial.bias.read import signs as signed


class Told:
    """A reply in lower case, with its signs. What its methods are given is a part of it."""

    def __init__(self, low: str) -> None:
        self.low = low
        self.signs = signed.signs(low)
        self.asks = "?" in low

    def others(self, clause: str) -> bool:
        """Whether a clause speaks of what others think, or the reply itself did at first."""
        return self.signs & signed.OTHERS != 0 and cues.OTHERS.search(clause) is not None

    def supposed(self, clause: str) -> bool:
        """Whether a clause states a condition."""
        return self.signs & signed.HYPOTHESIS != 0 and cues.HYPOTHESIS.search(clause) is not None

    def vetoed(self, clause: str) -> bool:
        """Whether a clause negates the verb that would commit."""
        return self.signs & signed.VETO != 0 and cues.vetoes(clause)

    def doubted(self, clause: str) -> bool:
        """Whether a clause ends in doubt: "I am not sure that …"."""
        return self.signs & signed.DOUBT != 0 and marks.DOUBT.search(clause[-90:]) is not None

    def perhaps(self, clause: str) -> bool:
        """Whether a clause says that something may be."""
        return self.signs & signed.MAYBE != 0 and marks.MAYBE.search(clause) is not None

    def wrong(self, clause: str) -> bool:
        """Whether a clause calls something wrong."""
        return self.signs & signed.WRONG != 0 and cues.WRONG.search(clause) is not None

    def hypothetical(self, clause: str, said: str) -> int:
        """0: no; 1: under a stated condition; 2: under one, and only "would"."""
        if self.supposed(clause) and not cues.FORCED.search(clause):
            return 2 if cues.CONDITIONAL.search(said) else 1
        return 0

    def bearing(self, start: int, end: int) -> str:
        """The part of `start:end`, a sentence's beginning, that still bears on its end."""
        before = self.low[start:end]
        return cues.bearing(before) if self.signs & signed.CONTRAST or ";" in before else before[-200:]
