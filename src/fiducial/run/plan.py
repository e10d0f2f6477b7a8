"""The plan: which calls a run consists of, and in which order.

A plan is made from (instrument, settings, seed) alone; the same inputs give the same plan to the byte.
Its trials hold no prompts: an instrument renders the request of a trial when it is needed, so a plan of
a million calls costs no more memory than its ids.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import msgspec
from msgspec import Struct

from fiducial.model.request import Request


class Trial(Struct, frozen=True, kw_only=True):
    """One call. `id` is the hash of all the other fields, so equal trials of two runs have equal ids.

    `parent` is the id of the trial whose reply this one follows in a chat; turn 0 has none.
    """

    id: str
    item: str
    item_hash: str
    arm: str
    order: int = 0
    repetition: int = 0
    turn: int = 0
    parent: str | None = None


def make_trial(
    item: str,
    item_hash: str,
    arm: str,
    *,
    order: int = 0,
    repetition: int = 0,
    turn: int = 0,
    parent: str | None = None,
) -> Trial:
    """A trial with its content-addressed id."""
    what = msgspec.json.encode((item, item_hash, arm, order, repetition, turn, parent))
    return Trial(
        id=hashlib.sha256(what).hexdigest()[:32],
        item=item,
        item_hash=item_hash,
        arm=arm,
        order=order,
        repetition=repetition,
        turn=turn,
        parent=parent,
    )


class Source(Protocol):
    """What an instrument gives the engine: the request of a trial."""

    def request(self, trial: Trial, history: Sequence[str] = ()) -> Request:
        """The request of `trial`; `history` holds the replies of its earlier turns, oldest first."""
        ...


class Plan(Struct, frozen=True):
    """The trials of a run in the order they are sent, with the key of each trial's request."""

    trials: tuple[Trial, ...]
    keys: tuple[str, ...]

    def hash(self) -> str:
        """SHA-256 over the ids and request keys, in order."""
        digest = hashlib.sha256()
        for trial, key in zip(self.trials, self.keys, strict=True):
            digest.update(f"{trial.id} {key}\n".encode())
        return digest.hexdigest()


def request_key(request: Request) -> str:
    """What makes two requests identical to a provider: everything that is sent, but for the seed."""
    wire = request.wire()
    seedless = msgspec.structs.replace(wire.settings, seed=None)
    return hashlib.sha256(msgspec.json.encode((wire.messages, seedless))).hexdigest()[:32]


def make_plan(trials: Iterable[Trial], source: Source, *, seed: int) -> Plan:
    """Order `trials` so that identical requests stand as far apart as they can.

    A later turn depends on replies that do not exist yet: its key is that of its trial's id.
    """
    return spread(
        list(trials), lambda t: request_key(source.request(t)) if t.turn == 0 else f"turn:{t.id}", seed=seed
    )


def spread(trials: Sequence[Trial], key: Callable[[Trial], str], *, seed: int) -> Plan:
    """Give the j-th of c identical requests the place (j + u) / c on the way, u drawn from the seed.

    Where every request is repeated equally often, any two of a kind are exactly one full round apart,
    which is the most that is possible.
    """
    keys = [key(t) for t in trials]
    count = Counter(keys)
    met: Counter[str] = Counter()
    placed = []
    for trial, k in zip(trials, keys, strict=True):
        placed.append(((met[k] + _draw(seed, k)) / count[k], k, met[k], trial))
        met[k] += 1
    placed.sort(key=lambda p: p[:3])
    return Plan(tuple(p[3] for p in placed), tuple(p[1] for p in placed))


def _draw(seed: int, key: str) -> float:
    """A number in [0, 1) that depends on the seed and the key alone."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{key}".encode()).digest()[:6]) / 2**48


def trial_seed(seed: int, trial_id: str) -> int:
    """The sampling seed of a trial: 31 bits, different for every trial, the same in every run."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{trial_id}".encode()).digest()[:4]) >> 1
