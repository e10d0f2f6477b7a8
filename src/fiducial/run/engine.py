"""Running a plan: opens the model and the run file, collects, and leaves the record of how it was done."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import Any, TypeVar

from fiducial.errors import UsageError
from fiducial.model.base import Model
from fiducial.model.prices import price_of
from fiducial.run.budget import Budget, Meter
from fiducial.run.collect import Collected, Collector
from fiducial.run.limits import Limiter, Limits, Shared, shared_limits
from fiducial.run.plan import Source
from fiducial.run.progress import Progress
from fiducial.run.reuse import Reused
from fiducial.run.store import SUBJECT, Store
from fiducial.run.writer import Writer

T = TypeVar("T")


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end, on uvloop where it is installed; in a thread of its own where a loop is running here already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with _runner() as runner:
            return runner.run(work)
    return _run_apart(work)


def _runner() -> asyncio.Runner:
    try:
        import uvloop  # noqa: PLC0415 - not on every platform
    except ImportError:
        return asyncio.Runner()
    return asyncio.Runner(loop_factory=uvloop.new_event_loop)


def _run_apart(work: Coroutine[Any, Any, T]) -> T:
    """As a notebook needs it. Ctrl-C reaches this thread alone: it cancels the work, which then ends in good order."""
    started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = Future()

    async def told() -> T:
        task = asyncio.ensure_future(work)
        started.set_result((asyncio.get_running_loop(), task))
        return await task

    def run() -> T:
        with _runner() as runner:
            return runner.run(told())

    with ThreadPoolExecutor(1, thread_name_prefix="fiducial") as pool:
        done = pool.submit(copy_context().run, run)
        try:
            return done.result()
        except KeyboardInterrupt:
            loop, task = started.result()
            loop.call_soon_threadsafe(task.cancel)
            with contextlib.suppress(asyncio.CancelledError):
                done.result()
            raise


async def collect(
    path: Path,
    source: Source,
    model: Model,
    *,
    limits: Limits,
    budget: Budget,
    progress: Progress,
    seed: int,
    role: str = SUBJECT,
    reuse: Path | None = None,
) -> Collected:
    """Collect what is pending in the run file at `path`. A complete run opens no model and makes no call."""
    price = price_of(model.name)
    if budget.usd is not None and price is None:
        raise UsageError(
            f"--budget usd: no price is known for {model.name}. Add it to your price file (docs/models.md), "
            "or bound calls or tokens instead."
        )
    with Writer(path, group=max(1, limits.max_connections // 2)) as writer, Store(path) as store:
        before = store.progressed()
        if store.progressed(role).answered == store.progressed(role).trials:
            return Collected(done=0, failed=0)
        earlier = Reused(reuse, model) if reuse is not None else None
        learned: dict[str, dict[str, str]] = store.meta("learned") or {}
        model.recall({**(earlier.learned() if earlier else {}), **learned.get(model.name, {})})
        async with model:
            facts: dict[str, dict[str, str]] = {**(store.meta("facts") or {}), model.name: model.facts()}
            writer.set_meta("facts", facts)
            shared: Shared | None = None
            try:
                shared = shared_limits(limits, getattr(model, "account", "") or model.name)
            except OSError as error:
                progress.say(
                    f"--rpm and --tpm hold for this run alone: the cache folder cannot be written ({error})"
                )
            collector = Collector(
                store=store,
                writer=writer,
                source=source,
                model=model,
                limiter=Limiter(limits, slots=lambda: model.slots, shared=shared),
                meter=Meter(budget, before),
                price=price,
                progress=progress,
                seed=seed,
                role=role,
                reuse=earlier.find if earlier else None,
            )
            try:
                return await collector.run()
            finally:
                if facts.get(model.name) != model.facts():  # a cluster may have lost nodes
                    writer.set_meta("facts", {**facts, model.name: model.facts()})
                if model.learned():
                    writer.set_meta("learned", {**learned, model.name: model.learned()})
                if earlier is not None:
                    earlier.close()
