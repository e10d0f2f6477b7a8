"""What a run may spend, in calls, tokens or money, everything it has spent before included."""

from __future__ import annotations

from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.model.reply import Reported
from fiducial.run.store import Progressed

_SUFFIX = {"k": 1e3, "m": 1e6, "b": 1e9}


class Budget(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Upper bounds; None is no bound."""

    calls: float | None = None
    tokens: float | None = None
    usd: float | None = None


def parse_budget(text: str) -> Budget:
    """`calls=500`, `tokens=2M`, `usd=1.50`, or several of them with commas between."""
    bounds: dict[str, float] = {}
    for piece in text.split(","):
        kind, _, amount = piece.strip().partition("=")
        kind, amount = kind.strip().lower(), amount.strip().lower().replace("_", "")
        factor = _SUFFIX.get(amount[-1:], 1.0)
        try:
            value = float(amount[:-1] if factor != 1.0 else amount) * factor
        except ValueError:
            value = -1.0
        if kind not in ("calls", "tokens", "usd") or not 0 <= value < float("inf"):
            raise UsageError(f"--budget {text!r}: write calls=500, tokens=2M or usd=1.50, with commas between.")
        bounds[kind] = value
    return Budget(**bounds)


class Meter:
    """Counts what was spent and what is still out, so that calls in flight cannot overrun the budget."""

    def __init__(self, budget: Budget, before: Progressed) -> None:
        self.budget = budget
        self.calls = before.calls
        self.tokens = float(before.input_tokens + before.output_tokens)
        self.cost = before.cost
        self._out_tokens = 0.0
        self._out_cost = 0.0
        self._seen = 0
        self._guessed_input = self._seen_input = self._seen_output = 0.0

    def expected(self, guessed_input: float, max_tokens: int | None) -> tuple[float, float]:
        """Input and output tokens that a call will probably use.

        From the first reply on, the guess is scaled by what replies have reported: the first call goes alone, so
        no wave of calls goes out on a guess that was too low.
        """
        if not self._seen:
            return guessed_input, float(max_tokens or 500)
        scale = self._seen_input / self._guessed_input if self._guessed_input else 1.0
        return guessed_input * scale, self._seen_output / self._seen

    def allows(self, tokens: float, cost: float) -> str | None:
        """None where one more such call fits; otherwise the bound that is reached."""
        b = self.budget
        if b.calls is not None and self.calls + 1 > b.calls:
            return f"calls={b.calls:g}"
        if b.tokens is not None and self.tokens + self._out_tokens + tokens > b.tokens:
            return f"tokens={b.tokens:g}"
        if b.usd is not None and self.cost + self._out_cost + cost > b.usd:
            return f"usd={b.usd:g}"
        return None

    def started(self, tokens: float, cost: float) -> None:
        """A call went out."""
        self.calls += 1
        self._out_tokens += tokens
        self._out_cost += cost

    def ended(self, *, expected: tuple[float, float], tokens: float, cost: float, resent: int = 0) -> None:
        """A call came back, or did not; `expected` is what was passed to `started`. It was sent `resent` times more."""
        self.calls += resent
        self._out_tokens -= expected[0]
        self._out_cost -= expected[1]
        self.tokens += tokens
        self.cost += cost

    def learn(self, guessed_input: float, reported: Reported) -> None:
        """Take in what a reply reported, where it did."""
        if reported.input_tokens is not None and reported.output_tokens is not None:
            self._seen += 1
            self._guessed_input += guessed_input
            self._seen_input += reported.input_tokens
            self._seen_output += reported.output_tokens
