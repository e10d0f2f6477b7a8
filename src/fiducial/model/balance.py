"""Which of several places a call goes to: the servers of a fleet, or the nodes of a cluster.

The cost of a place is the latency expected there times the calls that it would then have in flight, so a place that
is half as fast gets half as many. A place that refuses or breaks is set aside, for longer each time, and let back in
with one call. Calls that share a beginning go to the same place, where it is in the cache, unless another would be
faster by more than `LEEWAY`: no place stands idle for the sake of a cache.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Iterable

from msgspec import Struct

from fiducial.model.request import Request

LEEWAY = 1.5  # how much costlier the place with the cache may be
WEIGHT = 0.2  # of the newest latency in the mean
FADES = 10.0  # seconds without news in which what is known of a slow place counts half
ASIDE, ASIDE_CAP = 1.0, 60.0  # seconds a place is left alone: after the first failure, and at most
MAX_WAIT = 300.0  # seconds that are waited at most because a server asked for it, unless the user says otherwise


class Load(Struct):
    """What is known of one place."""

    slots: int
    in_flight: int = 0
    latency: float | None = None  # seconds, a moving mean; None before the first reply
    heard: float = 0.0  # when that was last brought up to date
    failures: int = 0  # one after another
    aside_until: float = float("-inf")


class Balance:
    """Counts what is in flight where, and chooses."""

    def __init__(self, names: Iterable[str] = (), *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._random = random.Random()
        self._loads: dict[str, Load] = {}
        for name in names:
            self.add(name)

    def add(self, name: str, slots: int = 1_000_000) -> None:
        """A place that takes at most so many calls at once."""
        self._loads[name] = Load(slots)

    def remove(self, name: str) -> None:
        """The place is gone."""
        self._loads.pop(name, None)

    def __len__(self) -> int:
        return len(self._loads)

    @property
    def slots(self) -> int:
        """Calls that all places together take at once."""
        return sum(load.slots for load in self._loads.values())

    def in_flight(self, name: str) -> int:
        """Calls that were sent there and have not come back."""
        return self._loads[name].in_flight

    def choose(self, home: bytes | None = None) -> str:
        """The place for the next call. `home` is a hash of what it shares with others: see `home_of`.

        Where every place is set aside, the one whose time is up first; where all are full, the cheapest.
        """
        now = self._clock()
        loads = self._loads
        ready = [n for n, load in loads.items() if self._ready(load, now)]
        if not ready:
            ready = [min(loads, key=lambda n: (loads[n].aside_until, loads[n].in_flight))]
        best_known = min(
            (e for load in loads.values() if (e := self._expected(load, now)) is not None), default=1.0
        )
        cost = {n: self._cost(loads[n], best_known, now) for n in ready}
        free = [n for n in ready if loads[n].in_flight < loads[n].slots] or ready
        least = min(cost[n] for n in free)
        if home is not None:
            preferred = max(free, key=lambda n: hashlib.sha256(home + n.encode()).digest())
            if cost[preferred] <= LEEWAY * least:
                return preferred
        return self._random.choice([n for n in free if cost[n] <= least])

    def started(self, name: str) -> float:
        """A call goes there; returns the moment."""
        self._loads[name].in_flight += 1
        return self._clock()

    def ended(self, name: str, started: float, *, answered: bool | None) -> None:
        """A call came back. `answered` is None where it was given up: how long it took says something, no more."""
        load = self._loads.get(name)
        if load is None:
            return
        now = self._clock()
        load.in_flight -= 1
        seconds = max(now - started, 1e-6)
        if answered:
            load.latency = seconds if load.latency is None else (1 - WEIGHT) * load.latency + WEIGHT * seconds
            load.heard, load.failures = now, 0
        elif answered is None and seconds > (load.latency or 0.0):
            load.latency, load.heard = seconds, now

    def set_aside(self, name: str, retry_after: float | None = None) -> bool:
        """Leave the place alone for a while, or as long as it asked for; whether another can be asked at once."""
        now = self._clock()
        if (load := self._loads.get(name)) is not None and load.aside_until <= now:
            load.failures += 1
            pause = min(ASIDE_CAP, ASIDE * 2.0 ** (load.failures - 1))
            load.aside_until = now + max(pause, min(retry_after or 0.0, MAX_WAIT))
        return any(self._ready(other, now) for n, other in self._loads.items() if n != name)

    def _ready(self, load: Load, now: float) -> bool:
        return load.aside_until <= now and not (load.failures and load.in_flight)

    def _expected(self, load: Load, now: float) -> float | None:
        if load.latency is None:
            return None
        return load.latency * 0.5 ** ((now - load.heard) / FADES) if not load.in_flight else load.latency

    def _cost(self, load: Load, best_known: float, now: float) -> float:
        """A place that nothing is known of counts as the best known one; what is old counts less."""
        expected = self._expected(load, now)
        return (load.in_flight + 1) * (best_known if expected is None else max(expected, best_known))


def opening_of(request: Request) -> bytes | None:
    """A hash of what all requests that share this one's prefix have in common; None where nothing is shared."""
    if not any(message.prefix for message in request.messages):
        return None
    digest = hashlib.sha256()
    for message in request.messages:
        digest.update(f"{message.role}\0".encode())
        digest.update(message.text[: message.prefix or None].encode("utf-8", "surrogatepass"))
        if message.prefix:
            break
    return digest.digest()


def home_of(request: Request) -> bytes | None:
    """What decides where a request is at home: its shared prefix, or the opening of the chat that it continues.

    A first message that shares nothing has no home: were places chosen by its text, two arms of an item would each
    be asked at one place only, and a difference between the places would look like one between the arms.
    """
    if (opening := opening_of(request)) is not None:
        return opening
    replied = next((k for k, message in enumerate(request.messages) if message.role == "assistant"), None)
    if replied is None:
        return None
    digest = hashlib.sha256()
    for message in request.messages[:replied]:
        digest.update(f"{message.role}\0{message.text}\0".encode("utf-8", "surrogatepass"))
    return digest.digest()
