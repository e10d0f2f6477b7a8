"""What runs on a node: a model of its own, calls that come in batches, and their outcomes, which go back in batches.

It opens the model by its name, with the variables of its own environment: keys are set where the node is started,
and none travels here. It keeps no plan, no limits and no results; when it is lost, the calls that were on it are lost,
and nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack

from msgspec import Struct

import fiducial
from fiducial.errors import FiducialError
from fiducial.model.base import Model
from fiducial.model.names import open_model
from fiducial.model.reply import CallFailed, FailureKind, Reply, clean
from fiducial.model.request import Request


class Opening(Struct, frozen=True, kw_only=True):
    """What a node has to know in order to open the model."""

    name: str  # as it was typed
    connections: int
    timeout: float
    room: int | None = None  # tokens: see `Model.make_room`
    learned: dict[str, str] = {}


class Opened(Struct, frozen=True, kw_only=True):
    """The model is open on the node."""

    slots: int
    facts: dict[str, str]


class Refused(Struct, frozen=True):
    """The node cannot serve the model, and why."""

    why: str


class Failed(Struct, frozen=True, kw_only=True):
    """A `CallFailed`, as it travels: exceptions that are pickled lose what they carry."""

    kind: FailureKind
    message: str
    http_status: int | None
    retry_after: float | None
    sent: bytes
    elsewhere: bool
    calls: int

    @classmethod
    def of(cls, failure: CallFailed) -> Failed:
        """What the exception says."""
        return cls(
            kind=failure.kind,
            message=failure.message,
            http_status=failure.http_status,
            retry_after=failure.retry_after,
            sent=failure.sent,
            elsewhere=failure.elsewhere,
            calls=failure.calls,
        )

    def exception(self) -> CallFailed:
        """The exception again."""
        failure = CallFailed(
            self.kind,
            self.message,
            http_status=self.http_status,
            retry_after=self.retry_after,
            sent=self.sent,
        )
        failure.elsewhere, failure.calls = self.elsewhere, self.calls
        return failure


class Delivered(Struct, frozen=True):
    """Outcomes by the numbers of their calls, and what the model has learned of its API so far."""

    outcomes: list[tuple[int, Reply | Failed]]
    learned: dict[str, str]


class Worker:
    """Serves one model on one node. All methods run in one event loop, and none raises for what a model does."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._model: Model | None = None
        self._calls: dict[int, asyncio.Task[None]] = {}
        self._done: list[tuple[int, Reply | Failed]] = []
        self._some: asyncio.Event | None = None

    async def version(self) -> str:
        """The version of Fiducial on the node; an answer means that the process is up."""
        return fiducial.__version__

    async def open(self, opening: Opening, version: str) -> Opened | Refused:
        """Open the model. `version` is that of the Fiducial that asks: replies of two versions are not mixed."""
        if version != fiducial.__version__:
            return Refused(
                f"it has Fiducial {fiducial.__version__}, this is {version}: install the same on every node"
            )
        self._some = asyncio.Event()
        try:
            model = open_model(opening.name, connections=opening.connections, timeout=opening.timeout)
            if opening.room is not None:
                model.make_room(opening.room)
            model.recall(opening.learned)
            await self._stack.enter_async_context(model)
        except FiducialError as error:
            return Refused(clean(str(error)))
        except Exception as error:
            return Refused(clean(f"{type(error).__name__}: {error}"))
        self._model = model
        return Opened(slots=model.slots, facts=model.facts())

    async def take(self, calls: Sequence[tuple[int, Request]], given_up: Sequence[int]) -> None:
        """Start these calls, and end those that nobody waits for any more."""
        for number, request in calls:
            self._calls[number] = asyncio.create_task(self._call(number, request))
        for number in given_up:
            if task := self._calls.get(number):
                task.cancel()

    async def outcomes(self) -> Delivered:
        """What has come back since the last time, as soon as there is anything."""
        assert self._some is not None and self._model is not None, "the worker is not open"
        await self._some.wait()
        self._some.clear()
        done, self._done = self._done, []
        return Delivered(done, self._model.learned())

    async def close(self) -> None:
        """End the calls and the model."""
        for task in self._calls.values():
            task.cancel()
        await asyncio.gather(*self._calls.values(), return_exceptions=True)
        await self._stack.aclose()

    async def _call(self, number: int, request: Request) -> None:
        assert self._some is not None and self._model is not None, "the worker is not open"
        outcome: Reply | Failed
        try:
            outcome = await self._model.call(request)
        except CallFailed as failure:
            outcome = Failed.of(failure)
        except Exception as error:
            outcome = Failed.of(CallFailed("crashed", clean(f"{type(error).__name__}: {error}")))
        finally:
            self._calls.pop(number, None)
        self._done.append((number, outcome))
        self._some.set()
