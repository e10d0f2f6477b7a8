"""Effects in people, made again from the counts or means that were published.

A bias file never states the effect itself: it gives the published figures, and value and interval are computed from them
on the scale of the paradigm. So no effect can stand that its figures do not bear out, and none is converted from a
standardised one.
"""

from __future__ import annotations

from msgspec import Struct, field

from fiducial.bias.figures import FITS, Figures
from fiducial.stats.proportion import Z


class HumanEffect(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A published effect of the same paradigm on our scale, with its 95 % interval."""

    value: float
    low: float
    high: float
    n: int  # people
    source: str
    how: str  # the task, and the counts or means it was recomputed from

    def error(self) -> float:
        """The standard error that the 95 % interval implies."""
        return (self.high - self.low) / (2 * Z)


class Published(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a bias file says of people: whose figures, of which task, and the figures."""

    source: str
    task: str  # the task in a sentence, and where it differs from ours
    data: Figures = field(name="from")

    def problem(self, paradigm: str) -> str | None:
        """Why the figures cannot be used under the paradigm, or None."""
        if paradigm not in FITS[type(self.data)]:
            return f"from: these figures give no effect of the paradigm {paradigm}"
        if why := self.data.problem():
            return f"from: {why}"
        try:
            found = self.data.found()
        except (OverflowError, ZeroDivisionError):
            return "from: figures that cannot be reckoned with"
        inside = -1 <= found.low <= found.value <= found.high <= 1
        return None if inside else "from: the effect or its interval leaves [−1, 1]"

    def effect(self) -> HumanEffect:
        """The effect on our scale."""
        found = self.data.found()
        return HumanEffect(
            value=round(found.value, 4),
            low=round(found.low, 4),
            high=round(found.high, 4),
            n=found.n,
            source=self.source,
            how=f"{self.task.strip()} {_upper(found.sum)}. Interval: {found.method}.",
        )


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
