"""Jobs: trials on their way to a model, and the queue that decides which goes next."""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from fiducial.model.balance import opening_of
from fiducial.model.request import Request
from fiducial.run.plan import Source, Trial, trial_seed
from fiducial.run.store import Store

PAGE = 512


class Job(Struct):
    """A trial with its request, how often it was tried, and how often a model sent it again on its own account."""

    seq: int
    trial: Trial
    key: str
    request: Request
    follows: int | None = None
    attempts: int = 0
    resent: int = 0
    opening: bytes | None = None

    def prefixes(self) -> tuple[str, ...]:
        """The parts of its messages that other requests share."""
        return tuple(m.text[: m.prefix] for m in self.request.messages if m.prefix)


def pending_jobs(store: Store, source: Source, *, role: str, turn: int, seed: int | None) -> Iterator[Job]:
    """The jobs of one turn that have no reply yet, rendered a page at a time.

    `seed` is the run's; where it is given, every trial gets a sampling seed of its own from it.
    """
    after = -1
    while page := store.pending(role=role, turn=turn, after=after, limit=PAGE):
        for seq, trial, key in page:
            history: Sequence[str] = ()
            follows = None
            if trial.parent is not None:
                history, follows = store.history(trial)
            request = source.request(trial, history)
            if seed is not None:
                settings = msgspec.structs.replace(request.settings, seed=trial_seed(seed, trial.id))
                request = msgspec.structs.replace(request, settings=settings)
            yield Job(seq, trial, key, request, follows, opening=opening_of(request))
        after = page[-1][0]


class JobQueue:
    """Fresh jobs in the plan's order, and jobs that wait for a time: repetitions, and requests too like the last.

    Of the jobs that share a prefix the first goes alone: when its reply is there, the server has read the prefix and
    the others find it in its cache. While `crowded` many jobs wait, no fresh ones are taken: a server that is down must
    not draw the whole plan into memory.
    """

    def __init__(self, fresh: Iterator[Job], *, gap: float, crowded: int) -> None:
        self._fresh = fresh
        self._gap = gap
        self._crowded = crowded
        self._waiting: list[tuple[float, int, Job]] = []
        self._tie = itertools.count()
        self._sent: dict[str, float] = {}
        self._exhausted = False
        self._primed: set[bytes] = set()
        self._behind: dict[bytes, list[Job]] = {}  # jobs behind the first one of their prefix, while that is out
        self._held = 0
        self._released: deque[Job] = deque()

    def later(self, job: Job, due: float) -> None:
        """Hand the job out again, not before `due`."""
        heapq.heappush(self._waiting, (due, next(self._tie), job))

    def next(self, now: float) -> Job | float | None:
        """A job that may go now; or the time until which nothing can; or None when nothing is left but what is out."""
        while self._waiting and self._waiting[0][0] <= now:
            job = heapq.heappop(self._waiting)[2]
            if self._clear(job, now):
                return job
        while fresh := self._draw():
            if self._leads(fresh) and self._clear(fresh, now):
                return fresh
        return self._waiting[0][0] if self._waiting else None

    def sent(self, job: Job, now: float) -> None:
        """Note when the job's request went out."""
        if not self._gap:
            return
        self._sent[job.key] = now
        if len(self._sent) > 10_000:
            self._sent = {k: t for k, t in self._sent.items() if now - t < self._gap}

    def ended(self, job: Job, *, answered: bool) -> None:
        """The job will not be handed out again. What waited behind it may go; behind a failure, another goes first."""
        if (opening := job.opening) is None or opening not in self._behind:
            return
        released = self._behind.pop(opening)
        self._held -= len(released)
        self._released.extend(released)
        if answered:
            self._primed.add(opening)

    def _draw(self) -> Job | None:
        """The next job that is neither waiting nor held, if there is room for it."""
        if self._released:
            return self._released.popleft()
        if self._exhausted or len(self._waiting) + self._held >= self._crowded:
            return None
        fresh = next(self._fresh, None)
        self._exhausted = fresh is None
        return fresh

    def _leads(self, job: Job) -> bool:
        """Whether no other job has to go first; if one has, the job is held behind it."""
        if (opening := job.opening) is None or opening in self._primed:
            return True
        if opening not in self._behind:
            self._behind[opening] = []
            return True
        self._behind[opening].append(job)
        self._held += 1
        return False

    def _clear(self, job: Job, now: float) -> bool:
        """Whether no identical request was sent too recently; if one was, the job waits."""
        if not self._gap or now - self._sent.get(job.key, float("-inf")) >= self._gap:
            return True
        self.later(job, self._sent[job.key] + self._gap)
        return False
