"""How fast a model may be asked: adaptive concurrency, and calls and tokens a minute."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

OPENING = 10.0  # calls in flight after the first reply


class Limits(Struct, frozen=True, kw_only=True):
    """What the user allows. None: no limit of our own."""

    max_connections: int = 64
    rpm: float | None = None
    tpm: float | None = None
    identical_gap: float = 0.0  # seconds between two requests that a provider could not tell apart
    attempts: int = 6  # calls for one trial before it counts as failed
    timeout: float = 120.0  # seconds for one call
    backoff: float = 0.5  # seconds before the first repetition; doubles, with full jitter
    backoff_cap: float = 60.0
    give_up_after: int = 20  # trials failed for good, one after another, that end the run


class Concurrency:
    """Grows while replies come back, halves when the server says it is too much.

    Starts at one: the first call finds out about wrong keys and rejected settings for the price of one. Then
    ten, doubling every round trip until the first refusal, and after that one more a round trip, as TCP does.
    """

    def __init__(self, ceiling: int) -> None:
        self.ceiling = max(1, ceiling)
        self._limit = 1.0
        self._threshold = float(self.ceiling)
        self._last_cut = float("-inf")
        self._replied = False

    @property
    def limit(self) -> int:
        """Calls that may be in flight now."""
        return int(min(self._limit, self.ceiling))

    def succeeded(self) -> None:
        """A reply came back."""
        grown = self._limit + (1.0 if self._limit < self._threshold else 1.0 / self._limit)
        if not self._replied:
            self._replied = True
            grown = min(self._threshold, OPENING)
        self._limit = min(float(self.ceiling), max(grown, 1.0))

    def throttled(self, started: float, now: float) -> None:
        """The server refused a call that was sent at `started`. Calls sent before the last cut do not cut again."""
        if started <= self._last_cut:
            return
        self._limit = self._threshold = max(1.0, self._limit / 2)
        self._last_cut = now


class Rate:
    """So many units a minute, evenly spaced; up to a tenth of a second's worth may go at once."""

    def __init__(self, per_minute: float | None) -> None:
        self._seconds_a_unit = 60.0 / per_minute if per_minute else 0.0
        self._free_at = float("-inf")

    def wait(self, now: float) -> float:
        """Seconds until the next unit may go."""
        return max(0.0, self._free_at - now) if self._seconds_a_unit else 0.0

    def take(self, now: float, units: float = 1.0) -> None:
        """Use up units; more than were announced may be taken, and are waited for afterwards."""
        if self._seconds_a_unit:
            self._free_at = max(self._free_at, now - 0.1) + units * self._seconds_a_unit


class Limiter:
    """All limits of one model. Every caller of that model shares it.

    `slots` gives the calls that the model serves at once, which changes where nodes of a cluster come and go.
    """

    def __init__(self, limits: Limits, *, slots: Callable[[], int]) -> None:
        self.limits = limits
        self._slots = slots
        self.concurrency = Concurrency(min(limits.max_connections, slots()))
        self.calls = Rate(limits.rpm)
        self.tokens = Rate(limits.tpm)
        self.paused_until = float("-inf")
        self.in_flight = 0

    def wait(self, now: float) -> float | None:
        """Seconds until the next call may go: 0 now, None when a call has to come back first."""
        self.concurrency.ceiling = max(1, min(self.limits.max_connections, self._slots()))
        if self.in_flight >= self.concurrency.limit:
            return None
        return max(0.0, self.paused_until - now, self.calls.wait(now), self.tokens.wait(now))

    def started(self, now: float, tokens: float) -> None:
        """A call was sent that is expected to use so many tokens."""
        self.in_flight += 1
        self.calls.take(now)
        self.tokens.take(now, tokens)

    def ended(self, now: float, *, expected: float, used: float | None) -> None:
        """A call came back, or did not; what it really used replaces what was expected."""
        self.in_flight -= 1
        if used is not None:
            self.tokens.take(now, used - expected)

    def pause(self, until: float) -> None:
        """The server named a time before which it takes no call."""
        self.paused_until = max(self.paused_until, until)
