"""A cluster inside the test's own process: real workers, and nodes that are lost when the test says so."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from fiducial.model.cluster.model import ClusterModel, NodeLost
from fiducial.model.cluster.worker import Delivered, Opened, Opening, Refused, Worker
from fiducial.model.names import open_model
from fiducial.model.request import Request

T = TypeVar("T")


class NearLink:
    """A worker in this process, until it is lost."""

    def __init__(self, edit: Callable[[Opened], Opened]) -> None:
        self.worker = Worker()
        self.gone = asyncio.Event()
        self.batches: list[int] = []
        self._edit = edit

    async def _unless_lost(self, work: Awaitable[T]) -> T:
        task, gone = asyncio.ensure_future(work), asyncio.ensure_future(self.gone.wait())
        try:
            await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
            if self.gone.is_set():
                raise NodeLost("killed")
            return await task
        finally:
            gone.cancel()
            task.cancel()

    async def open(self, opening: Opening, version: str) -> Opened | Refused:
        opened = await self._unless_lost(self.worker.open(opening, version))
        return self._edit(opened) if isinstance(opened, Opened) else opened

    async def take(self, calls: Sequence[tuple[int, Request]], given_up: Sequence[int]) -> None:
        self.batches.append(len(calls))
        await self._unless_lost(self.worker.take(calls, given_up))

    async def outcomes(self) -> Delivered:
        return await self._unless_lost(self.worker.outcomes())

    async def close(self) -> None:
        await self.worker.close()


class NearCluster:
    """Nodes by name; `edits` change what a node says of its model. A node that was lost may come back."""

    def __init__(self, *names: str, **edits: Callable[[Opened], Opened]) -> None:
        self.names = list(names)
        self.links: dict[str, list[NearLink]] = {}
        self.looked: Callable[[], None] = lambda: None
        self._edits = edits

    async def join(self) -> None:
        pass

    async def nodes(self) -> list[str]:
        self.looked()
        return list(self.names)

    def start(self, node: str) -> NearLink:
        link = NearLink(self._edits.get(node, lambda opened: opened))
        self.links.setdefault(node, []).append(link)
        return link

    def lose(self, node: str, *, back: bool = False) -> None:
        if not back:
            self.names.remove(node)
        self.links[node][-1].gone.set()


def on(cluster: Any, name: str, connections: int = 8, **more: Any) -> ClusterModel:
    """The model of that name on the cluster."""
    opening = Opening(name=name, connections=connections, timeout=20.0)
    return ClusterModel(open_model(name, connections=connections, timeout=20.0), opening, cluster, **more)
