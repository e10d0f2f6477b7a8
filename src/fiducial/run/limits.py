"""How fast a model may be asked: adaptive concurrency, and calls and tokens a minute."""

from __future__ import annotations

import hashlib
import struct
import time
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock, Timeout
from msgspec import Struct

from fiducial.model.balance import MAX_WAIT

OPENING = 10.0  # calls in flight after the first reply


class Limits(Struct, frozen=True, kw_only=True):
    """What the user allows. None: no limit of our own."""

    max_connections: int = 64
    rpm: float | None = None
    tpm: float | None = None
    identical_gap: float = 0.0  # seconds between two requests that a provider could not tell apart
    max_wait: float = MAX_WAIT  # seconds that are waited at most because the server asks for it
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
        self.seconds_a_unit = 60.0 / per_minute if per_minute else 0.0
        self._free_at = float("-inf")

    def wait(self, now: float) -> float:
        """Seconds until the next unit may go."""
        return max(0.0, self._free_at - now) if self.seconds_a_unit else 0.0

    def take(self, now: float, units: float = 1.0) -> None:
        """Use up units; more than were announced may be taken, and are waited for afterwards."""
        if self.seconds_a_unit:
            self._free_at = max(self._free_at, now - 0.1) + units * self.seconds_a_unit


class Shared:
    """What all runs of a user on this machine have taken of an account's calls and tokens a minute.

    A file of two numbers: the times, by the clock of the machine, from which the next call and the next token may go.
    Taking is done under a lock that ends with the process that holds it; looking is done without. Two runs may so go
    at the same moment, but what both took is added up, and both wait for it afterwards. No run waits for longer than
    `HORIZON`, whatever the file says: the clock may have been set back, or the file may be garbage. Each run counts its
    own calls as well (`Rate`), so it keeps its own limits where the file is wrong or the lock cannot be had.
    """

    HORIZON = 60.0  # seconds
    PATIENCE = 0.02  # seconds that the event loop is held up for the lock; what was not noted then is noted later

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        self._path, self._clock = path, clock
        self._lock = FileLock(f"{path}.lock", timeout=self.PATIENCE)
        self._owed = (0.0, 0.0)

    def wait(self) -> float:
        """Seconds until the next call may go."""
        now = self._clock()
        times = self._times()
        if all(t <= now + self.HORIZON for t in times):
            return max(0.0, *(t - now for t in times))
        return self.HORIZON if self.take(0.0, 0.0) else 0.0  # taking brings the times back to where they can be

    def take(self, calls: float, tokens: float) -> bool:
        """Move both times by so many seconds; whether it could be noted."""
        self._owed = (self._owed[0] + calls, self._owed[1] + tokens)
        try:
            with self._lock.acquire(poll_interval=0.001):
                now = self._clock()
                moved = (max(t, now - 0.1) + s for t, s in zip(self._times(), self._owed, strict=True))
                latest = now + self.HORIZON
                with self._path.open("r+b", buffering=0) as file:
                    file.write(_TIMES.pack(*(t if t <= latest else latest for t in moved)))
        except (Timeout, OSError):
            return False
        self._owed = (0.0, 0.0)
        return True

    def _times(self) -> tuple[float, ...]:
        try:
            return _TIMES.unpack(self._path.read_bytes()[: _TIMES.size])
        except (OSError, struct.error):  # new, or not ours
            return (0.0, 0.0)


_TIMES = struct.Struct("<dd")


def shared_limits(limits: Limits, account: str) -> Shared | None:
    """What is shared with other runs under the same account; None where nothing is limited. Raises OSError."""
    if limits.rpm is None and limits.tpm is None:
        return None
    from fiducial.model.local.fetch import cache_folder  # noqa: PLC0415  (brings the HTTP client; rarely needed here)

    return Shared(cache_folder() / "limits" / hashlib.sha256(account.encode()).hexdigest()[:32])


class Limiter:
    """All limits of one model. Every caller of that model shares it.

    `slots` gives the calls that the model serves at once, which changes where nodes of a cluster come and go.
    """

    def __init__(self, limits: Limits, *, slots: Callable[[], int], shared: Shared | None = None) -> None:
        self.limits = limits
        self._shared = shared
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
        wait = max(0.0, self.paused_until - now, self.calls.wait(now), self.tokens.wait(now))
        return self._shared.wait() if self._shared is not None and not wait else wait

    def started(self, now: float, tokens: float) -> None:
        """A call was sent that is expected to use so many tokens."""
        self.in_flight += 1
        self._take(now, 1, tokens)

    def ended(self, now: float, *, expected: float, used: float | None, resent: int = 0) -> None:
        """A call came back, or did not; what it really used replaces what was expected."""
        self.in_flight -= 1
        self._take(now, resent, 0.0 if used is None else used - expected)

    def _take(self, now: float, calls: int, tokens: float) -> None:
        self.calls.take(now, calls)
        self.tokens.take(now, tokens)
        seconds = (calls * self.calls.seconds_a_unit, tokens * self.tokens.seconds_a_unit)
        if self._shared is not None and any(seconds):
            self._shared.take(*seconds)

    def pause(self, until: float) -> None:
        """The server named a time before which it takes no call."""
        self.paused_until = max(self.paused_until, until)
