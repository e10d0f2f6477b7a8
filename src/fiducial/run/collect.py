"""Collecting: the only stage that pays for calls.

One loop hands out jobs while the limiter allows it; every call is a task; replies go to the writer and count
as done when they are on disk. A call that waits to be repeated holds no slot.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from fiducial.model.base import Model
from fiducial.model.prices import Price
from fiducial.model.reply import CallFailed, Reply, Reported, storable, storable_failure
from fiducial.run.budget import Meter
from fiducial.run.jobs import Job, JobQueue, pending_jobs
from fiducial.run.limits import Limiter
from fiducial.run.plan import Source
from fiducial.run.progress import Progress, Snapshot, wait_words
from fiducial.run.store import SUBJECT, Store
from fiducial.run.writer import Record, Writer

CHARACTERS_A_TOKEN = 4  # a rough guess, used before the provider has said anything better
TICK = 0.25  # seconds between two looks at the progress

Reuse = Callable[[Job], Record | None]
"""Finds the reply of an earlier run that fits a job."""


class Collected(Struct, frozen=True, kw_only=True):
    """How a collection ended. `stopped` is None when every trial was tried."""

    done: int
    failed: int
    stopped: str | None = None
    fatal: CallFailed | None = None


def _guessed_input(job: Job) -> float:
    return sum(len(m.text) for m in job.request.messages) / CHARACTERS_A_TOKEN


class Expected(Struct, frozen=True):
    """What a call will probably use: input and output tokens, and their cost."""

    input: float
    output: float
    cost: float

    @property
    def tokens(self) -> float:
        """All of them."""
        return self.input + self.output


class Collector:
    """Sends the pending trials of one role to one model."""

    def __init__(
        self,
        *,
        store: Store,
        writer: Writer,
        source: Source,
        model: Model,
        limiter: Limiter,
        meter: Meter,
        price: Price | None,
        progress: Progress,
        seed: int,
        role: str = SUBJECT,
        reuse: Reuse | None = None,
    ) -> None:
        self._store, self._writer, self._source, self._model = store, writer, source, model
        self._limiter, self._meter, self._price, self._progress = limiter, meter, price, progress
        self._limits = limiter.limits
        self._seed, self._role, self._reuse = seed, role, reuse
        self._jitter = random.Random()
        self._tasks: set[asyncio.Task[None]] = set()
        self._uncommitted = 0
        self._done = self._failed = self._failed_in_a_row = 0
        self._stop: str | None = None
        self._fatal: CallFailed | None = None
        self._error: BaseException | None = None

    async def run(self) -> Collected:
        """Collect until nothing is pending or something ends the run. Raises what the writer raised."""
        self._wake = asyncio.Event()
        loop = asyncio.get_running_loop()

        def committed(group: Sequence[Record], error: BaseException | None) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is gone when a second Ctrl-C ended it
                loop.call_soon_threadsafe(self._committed, group, error)

        before = self._store.progressed(self._role)
        self._progress.start(before.trials, before.answered)
        ticker = asyncio.create_task(self._tick())
        self._writer.start(committed)
        try:
            with self._signals(loop):
                for turn in range(self._store.turns(self._role)):
                    await self._collect_turn(turn)
                    if self._stop or self._error:
                        break
        finally:
            for task in self._tasks:
                task.cancel()
            ticker.cancel()
            await asyncio.gather(*self._tasks, ticker, return_exceptions=True)
            await asyncio.to_thread(self._writer.finish)
            await asyncio.sleep(0)  # lets the last group be counted
            self._progress.stop(self._snapshot())
        if self._error is not None:
            raise self._error
        return Collected(done=self._done, failed=self._failed, stopped=self._stop, fatal=self._fatal)

    def stop(self, reason: str = "interrupted") -> None:
        """Send nothing more; a second call also gives up the calls in flight."""
        if self._stop is not None:
            for task in self._tasks:
                task.cancel()
        self._stop = self._stop or reason
        self._progress.say(f"{reason}: waiting for {len(self._tasks)} calls in flight (again to give them up)")
        self._wake.set()

    async def _collect_turn(self, turn: int) -> None:
        fresh = pending_jobs(
            self._store,
            self._source,
            role=self._role,
            turn=turn,
            seed=self._seed if self._model.seeded else None,
        )
        queue = JobQueue(
            fresh,
            gap=self._limits.identical_gap,
            crowded=2 * self._limits.max_connections,
        )
        ready: Job | None = None  # taken before the limits are asked: when nothing is left, nothing is waited for
        while not self._stop and not self._error:
            now = time.monotonic()
            if self._uncommitted + self._limiter.in_flight >= 2 * self._limits.max_connections:
                await self._sleep(None)
            elif ready is not None:
                wait = self._limiter.wait(now)
                if wait is None or wait > 0:
                    await self._sleep(wait)
                elif await self._send(ready, queue, now):
                    ready = None
            elif isinstance(job := queue.next(now), Job):
                if self._reuse is not None and (record := self._reuse(job)) is not None:
                    self._put(record)
                    queue.ended(job, answered=False)  # no server has read anything for it
                else:
                    ready = job
            elif job is not None:
                await self._sleep(job - now)
            elif self._tasks:
                await self._sleep(None)
            else:
                break
        while self._tasks or (self._uncommitted and not self._error):
            await self._sleep(None)

    async def _send(self, job: Job, queue: JobQueue, now: float) -> bool:
        """Start the call, if the budget allows it."""
        given, output = self._meter.expected(_guessed_input(job), job.request.settings.max_tokens)
        usage = Reported(input_tokens=int(given), output_tokens=int(output))
        expected = Expected(given, output, self._price.cost(usage) if self._price else 0.0)
        bound = self._meter.allows(expected.tokens, expected.cost)
        if bound is not None:
            if self._tasks:  # what is in flight may turn out cheaper than expected
                await self._sleep(None)
            else:
                self._stop = f"budget reached ({bound})"
            return False
        self._meter.started(expected.tokens, expected.cost)
        self._limiter.started(now, expected.tokens)
        queue.sent(job, now)
        job.attempts += 1
        task = asyncio.create_task(self._call(job, queue, expected))
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return True

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._error = self._error or error
        self._wake.set()

    async def _call(self, job: Job, queue: JobQueue, expected: Expected) -> None:
        at, started = time.time(), time.monotonic()
        outcome: Reply | CallFailed | None = None
        try:
            async with asyncio.timeout(self._limits.timeout):
                outcome = storable(await self._model.call(job.request))
        except TimeoutError:
            outcome = CallFailed("timeout", f"no reply within {self._limits.timeout:g} s")
        except CallFailed as failure:
            outcome = storable_failure(failure)
        except Exception as error:  # one call that breaks our code spoils one trial, in words, not the run
            outcome = storable_failure(CallFailed("crashed", f"{type(error).__name__}: {error}"))
        finally:
            now = time.monotonic()
            used, cost = 0.0, 0.0
            resent = max(0, outcome.calls - 1) if outcome is not None else 0
            job.resent += resent
            if isinstance(outcome, Reply):
                said = outcome.reported
                # What the provider did not say, or not credibly, counts as what was expected.
                used = float(expected.input if said.input_tokens is None else said.input_tokens)
                used += expected.output if said.output_tokens is None else said.output_tokens
                used = used or expected.tokens
                known = self._cost(said)
                cost = expected.cost if known is None else known
                self._meter.learn(_guessed_input(job), said)
            self._limiter.ended(now, expected=expected.tokens, used=used, resent=resent)
            self._meter.ended(expected=(expected.tokens, expected.cost), tokens=used, cost=cost, resent=resent)
        if isinstance(outcome, Reply):
            self._limiter.concurrency.succeeded()
            self._failed_in_a_row = 0
            queue.ended(job, answered=True)
            self._put(self._record(job, outcome, at, now - started))
        else:
            self._failed_call(job, queue, outcome, at, started, now)

    def _failed_call(
        self, job: Job, queue: JobQueue, failure: CallFailed, at: float, started: float, now: float
    ) -> None:
        if failure.fatal:
            self._fatal = self._fatal or failure
            self._stop = self._stop or str(failure)
        if failure.retryable:
            if not failure.elsewhere:
                self._limiter.concurrency.throttled(started, now)
                self._pause(failure, now)
            if job.attempts < self._limits.attempts and not self._stop:
                wait = 0.0 if failure.elsewhere else self._delay(job.attempts, failure.retry_after)
                queue.later(job, now + wait)
                return
        queue.ended(job, answered=False)
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= self._limits.give_up_after:
            self._stop = self._stop or (
                f"the last {self._failed_in_a_row} trials all failed, the last one with: {failure}"
            )
        self._put(
            Record(
                trial=job.seq,
                model=self._model.name,
                status="failed",
                follows=job.follows,
                body=failure.sent,
                prefixes=job.prefixes(),
                asked=job.request.settings,
                failure=failure.kind,
                message=failure.message,
                http_status=failure.http_status,
                attempts=job.attempts + job.resent,
                started=at,
                seconds=now - started,
                cost=0.0,
            )
        )

    def _pause(self, failure: CallFailed, now: float) -> None:
        """Send nothing for as long as the server asks, up to the limit; and say so, once."""
        if failure.retry_after is None:
            return
        if failure.retry_after > self._limits.max_wait and self._limiter.paused_until <= now:
            self._progress.say(
                f"the server asks to wait {wait_words(failure.retry_after)}; the next call goes in "
                f"{wait_words(self._limits.max_wait)} (--max-wait)"
            )
        self._limiter.pause(now + min(failure.retry_after, self._limits.max_wait))

    def _delay(self, attempts: int, retry_after: float | None) -> float:
        """Doubling, half of it random; never less than the server asked for, up to the limit."""
        step: float = min(self._limits.backoff_cap, self._limits.backoff * 2.0 ** (attempts - 1))
        return max(min(retry_after or 0.0, self._limits.max_wait), step * self._jitter.uniform(0.5, 1.0))

    def _cost(self, reported: Reported) -> float | None:
        """None where the price or a count of tokens is not known."""
        if self._price is None:
            return None
        known = reported.input_tokens is not None and reported.output_tokens is not None
        free = self._price.input == self._price.output == 0
        return self._price.cost(reported) if known or free else None

    def _record(self, job: Job, reply: Reply, at: float, seconds: float) -> Record:
        return Record(
            trial=job.seq,
            model=self._model.name,
            status=reply.status,
            text=reply.text,
            follows=job.follows,
            body=reply.sent,
            prefixes=job.prefixes(),
            asked=job.request.settings,
            not_sent=reply.not_sent,
            reported=reply.reported,
            tokens=reply.tokens,
            attempts=job.attempts + job.resent,
            started=at,
            seconds=seconds,
            cost=self._cost(reply.reported),
        )

    def _put(self, record: Record) -> None:
        self._uncommitted += 1
        self._writer.put(record)

    def _committed(self, group: Sequence[Record], error: BaseException | None) -> None:
        if error is not None:
            self._error = self._error or error
        self._uncommitted -= len(group)
        failed = sum(record.status == "failed" for record in group)
        self._failed += failed
        self._done += len(group) - failed
        self._wake.set()

    async def _sleep(self, seconds: float | None) -> None:
        """Until something happens, or for so long."""
        self._wake.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()

    async def _tick(self) -> None:
        while True:
            self._progress.show(self._snapshot())
            await asyncio.sleep(TICK)

    def _snapshot(self) -> Snapshot:
        return Snapshot(
            done=self._done,
            failed=self._failed,
            in_flight=self._limiter.in_flight,
            cost=self._meter.cost if self._price else None,
            wait=self._limiter.paused_until - time.monotonic(),
        )

    @contextlib.contextmanager
    def _signals(self, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        """Ctrl-C and a polite kill end the run in good order. Only the main thread may listen."""
        listening = []
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, self.stop)
                listening.append(number)
        try:
            yield
        finally:
            for number in listening:
                loop.remove_signal_handler(number)
