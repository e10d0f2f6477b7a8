"""A model that runs on the nodes of a cluster: for the collector, a model like any other.

The collector stays where the run file is, and with it the plan, the limits, the budget, retries and the one writer. A
call is handed to a node when the limits let it go, so `--rpm`, `--tpm`, `--budget`, `--identical-gap` and
`--max-connections` hold for the cluster as they do for one machine, to the call. A node that is lost takes the calls in
flight on it along: each fails as a broken connection does, and is made again on another node. One trial has one
outcome, because only what comes back here is stored.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Protocol, Self

import msgspec

import fiducial
from fiducial.errors import UsageError
from fiducial.model.balance import Balance, home_of
from fiducial.model.base import Model, ModelBase
from fiducial.model.cluster.worker import Delivered, Failed, Opened, Opening, Refused
from fiducial.model.reply import CallFailed, Reply
from fiducial.model.request import Request

LOOK = 5.0  # seconds between two looks at which nodes there are
STARTS = 3  # of a worker on one node, in one collection
MAY_DIFFER = frozenset({"base_url", "threads", "slots"})  # facts in which two nodes with the same model may differ


class NodeLost(Exception):
    """The node, or the worker on it, is gone."""


class Link(Protocol):
    """The worker on a node, from afar: see `Worker`. Every method raises NodeLost."""

    async def open(self, opening: Opening, version: str) -> Opened | Refused:
        """As the worker does."""
        ...

    async def take(self, calls: Sequence[tuple[int, Request]], given_up: Sequence[int]) -> None:
        """As the worker does."""
        ...

    async def outcomes(self) -> Delivered:
        """As the worker does."""
        ...

    async def close(self) -> None:
        """End the worker and its process."""
        ...


class Cluster(Protocol):
    """Where nodes come from."""

    async def join(self) -> None:
        """Find the cluster. Raises UsageError."""
        ...

    async def nodes(self) -> list[str]:
        """The names of the nodes that are there now and may be given work."""
        ...

    def start(self, node: str) -> Link:
        """Start a worker on the node."""
        ...


class _Node:
    """A node with an open model: what is on its way there, and what is waited for."""

    def __init__(self, name: str, link: Link) -> None:
        self.name, self.link = name, link
        self.outbox: list[tuple[int, Request]] = []
        self.given_up: list[int] = []
        self.wake = asyncio.Event()
        self.waiting: dict[int, asyncio.Future[Reply | Failed]] = {}
        self.tasks: list[asyncio.Task[None]] = []


class ClusterModel(ModelBase):
    """Hands each call to a node. `model` is the same model opened here: it is asked for its name and bodies, not called.

    `say` is told of nodes that come and go.
    """

    def __init__(
        self,
        model: Model,
        opening: Opening,
        cluster: Cluster,
        *,
        say: Callable[[str], None] = lambda _: None,
        look: float = LOOK,
    ) -> None:
        self.name, self.remote, self.seeded = model.name, model.remote, model.seeded
        self.account = model.account
        self._model, self._opening, self._cluster, self._say, self._look = model, opening, cluster, say, look
        self._balance = Balance()
        self._nodes: dict[str, _Node] = {}
        self._opened: dict[str, Opened] = {}
        self._starts: Counter[str] = Counter()
        self._lost: set[str] = set()
        self._learned: dict[str, str] = {}
        self._numbers = itertools.count()
        self._keeper: asyncio.Task[None] | None = None

    @property
    def slots(self) -> int:  # type: ignore[override]
        """Calls that all nodes together serve at once; changes as nodes come and go."""
        return max(1, self._balance.slots)

    def make_room(self, tokens: int) -> None:
        """On every node."""
        self._opening = msgspec.structs.replace(self._opening, room=tokens)

    def encode(self, request: Request) -> bytes:
        """As the model does."""
        return self._model.encode(request)

    def learned(self) -> dict[str, str]:
        """What the nodes have learned, together."""
        return {**self._model.learned(), **self._learned}

    def recall(self, learned: dict[str, str]) -> None:
        """For the nodes that open from now on."""
        self._model.recall(learned)
        self._opening = msgspec.structs.replace(self._opening, learned={**self._opening.learned, **learned})

    def facts(self) -> dict[str, str]:
        """Those that all nodes share, the addresses that they use, and how many nodes there were."""
        facts = next(iter(self._opened.values())).facts if self._opened else self._model.facts()
        merged = {k: v for k, v in facts.items() if k not in MAY_DIFFER}
        for key in MAY_DIFFER & facts.keys():
            merged[key] = " ".join(sorted({v.facts.get(key, "") for v in self._opened.values()} - {""}))
        return {**merged, "nodes": str(len(self._opened)), "nodes_lost": str(len(self._lost))}

    async def call(self, request: Request) -> Reply:
        """One attempt, on the node that is expected to answer first."""
        if not self._nodes:
            raise CallFailed("connection", "no node of the cluster is left")
        node = self._nodes[self._balance.choose(home_of(request))]
        number = next(self._numbers)
        answer: asyncio.Future[Reply | Failed] = asyncio.get_running_loop().create_future()
        node.waiting[number] = answer
        node.outbox.append((number, request))
        node.wake.set()
        started, answered = self._balance.started(node.name), False
        try:
            outcome = await answer
            answered = isinstance(outcome, Reply)
        except asyncio.CancelledError:
            node.given_up.append(number)
            node.wake.set()
            self._balance.ended(node.name, started, answered=None)
            raise
        except NodeLost:
            failure = CallFailed("connection", f"{node.name} was lost with the call in flight")
            failure.elsewhere = bool(self._nodes)
            raise failure from None
        finally:
            node.waiting.pop(number, None)
        self._balance.ended(node.name, started, answered=answered)
        if isinstance(outcome, Failed):
            failure = outcome.exception()
            if failure.retryable and not self.remote:  # what it reaches is its own: the other nodes are well
                failure.elsewhere = self._balance.set_aside(node.name, failure.retry_after) or failure.elsewhere
            raise failure
        reported = outcome.reported
        if reported.server is None and not self.remote:  # elsewhere it is one server that all nodes ask
            reported = msgspec.structs.replace(reported, server=node.name)
        return msgspec.structs.replace(outcome, reported=reported)

    async def __aenter__(self) -> Self:
        self._say("joining the cluster ...")
        await self._cluster.join()
        names = await self._cluster.nodes()
        self._say(f"opening {self.name} on {len(names)} node{'' if len(names) == 1 else 's'} ...")
        results = await asyncio.gather(*(self._open(name) for name in names))
        refused = [f"{name}: {why}" for name, why in zip(names, results, strict=True) if why is not None]
        if not self._nodes:
            raise UsageError(f"no node of the cluster can run {self.name}: {'; '.join(refused) or 'there is none'}")
        self._keeper = asyncio.create_task(self._keep())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        nodes, self._nodes = list(self._nodes.values()), {}
        tasks = [task for node in nodes for task in node.tasks] + ([self._keeper] if self._keeper else [])
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, *(self._close(node.link) for node in nodes), return_exceptions=True)

    async def _open(self, name: str) -> str | None:
        """Start a worker on the node and take it in; or why not."""
        self._starts[name] += 1
        link = self._cluster.start(name)
        try:
            opened = await link.open(self._opening, fiducial.__version__)
        except NodeLost as error:
            opened = Refused(str(error))
        if isinstance(opened, Opened):
            opened = self._unlike(opened) or opened
        if isinstance(opened, Refused):
            await self._close(link)
            self._say(f"{name} is left out: {opened.why}")
            return opened.why
        node = self._nodes[name] = _Node(name, link)
        self._opened[name] = opened
        self._balance.add(name, min(opened.slots, self._opening.connections))
        node.tasks = [asyncio.create_task(self._run(node, part)) for part in (self._send, self._receive)]
        return None

    def _unlike(self, opened: Opened) -> Refused | None:
        """Whether a node has another model than the first one: numbers of two models are not one result."""
        for other in self._opened.values():
            for key in sorted((opened.facts.keys() | other.facts.keys()) - MAY_DIFFER):
                here, there = opened.facts.get(key), other.facts.get(key)
                if here != there:
                    return Refused(f"its model is another one ({key} is {here}, on the first node {there})")
        return None

    async def _run(self, node: _Node, part: Callable[[_Node], Awaitable[None]]) -> None:
        try:
            await part(node)
        except NodeLost as error:
            self._lose(node, str(error))

    def _lose(self, node: _Node, why: str) -> None:
        if self._nodes.get(node.name) is not node:
            return
        del self._nodes[node.name]
        self._balance.remove(node.name)
        self._lost.add(node.name)
        self._say(
            f"{node.name} is lost ({why}); {len(node.waiting)} calls go to others, {len(self._nodes)} nodes left"
        )
        for answer in node.waiting.values():
            if not answer.done():
                answer.set_exception(NodeLost())
        for task in node.tasks:
            if task is not asyncio.current_task():
                task.cancel()

    async def _send(self, node: _Node) -> None:
        """While one batch is on its way, the next one gathers."""
        while True:
            await node.wake.wait()
            node.wake.clear()
            calls, node.outbox = node.outbox, []
            given_up, node.given_up = node.given_up, []
            await node.link.take(calls, given_up)

    async def _receive(self, node: _Node) -> None:
        while True:
            delivered = await node.link.outcomes()
            self._learned.update(delivered.learned)
            for number, outcome in delivered.outcomes:
                answer = node.waiting.get(number)
                if answer is not None and not answer.done():
                    answer.set_result(outcome)

    async def _keep(self) -> None:
        """Take in nodes that join, and start workers again where only the worker was lost."""
        while True:
            await asyncio.sleep(self._look)
            with suppress(NodeLost):
                names = await self._cluster.nodes()
                new = [n for n in names if n not in self._nodes and self._starts[n] < STARTS]
                for name, why in zip(new, await asyncio.gather(*map(self._open, new)), strict=True):
                    if why is None:
                        self._say(f"{name} has joined; {len(self._nodes)} nodes")

    async def _close(self, link: Link) -> None:
        with suppress(NodeLost):
            await link.close()
