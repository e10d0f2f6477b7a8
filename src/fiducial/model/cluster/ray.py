"""Ray: one worker a node of a cluster.

Anyone who reaches the ports of a Ray cluster can run code on it: see docs/machines.md. No key is given to Ray; workers
have the environment that their node was started with.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Awaitable, Sequence
from importlib.util import find_spec
from typing import Any, TypeVar

from fiducial.errors import UsageError, install_hint
from fiducial.model.cluster.model import NodeLost
from fiducial.model.cluster.worker import Delivered, Opened, Opening, Refused, Worker
from fiducial.model.request import Request

REACHING = 10.0  # seconds for a cluster to take a connection; Ray itself would try for many minutes
STARTING = 120.0  # seconds for a worker's process to come up
CLOSING = 10.0  # seconds for a model to end in good order
AT_ONCE = 64  # methods of a worker that may be under way; two are, and one more when it closes

T = TypeVar("T")


def parse_workers(text: str) -> str | None:
    """The address in `ray[:ADDRESS]`; None where Ray is to look for a cluster itself. Raises UsageError."""
    kind, colon, address = text.partition(":")
    if kind != "ray" or (colon and not address):
        raise UsageError(f'--workers "{text}": write ray, or ray:ADDRESS with the HOST:PORT of a running cluster')
    if address.startswith("ray://"):
        raise UsageError("--workers: Ray's client protocol (ray://) is not spoken here; run the command on a node")
    if address and address != "auto" and not re.fullmatch(r"[\w.\-]+:\d{1,5}|\[[0-9A-Fa-f:]+\]:\d{1,5}", address):
        raise UsageError(f'--workers: "{address}" is not HOST:PORT')
    if find_spec("ray") is None:
        raise UsageError(f"--workers ray needs Ray: {install_hint('ray')}")
    return address or None


class RayCluster:
    """The nodes of a Ray cluster that have a processor to give."""

    def __init__(self, address: str | None) -> None:
        self._address = address
        self._ids: dict[str, str] = {}

    async def join(self) -> None:
        """Join the cluster that the address, RAY_ADDRESS or this machine has; without any, start one here."""
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # what is started here reports to nobody
        import ray  # noqa: PLC0415

        if ray.is_initialized():
            return
        if self._address not in (None, "auto"):
            await _reach(self._address)
        try:
            ray.init(
                address=self._address,
                include_dashboard=False if self._address is None else None,
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            where = f"at {self._address}" if self._address else "on this machine"
            raise UsageError(f"--workers: no Ray cluster {where}: {str(error)[:300]}") from None

    async def nodes(self) -> list[str]:
        """Names made of Ray's ids of the nodes; a node without a processor is there to coordinate, not to work."""
        import ray  # noqa: PLC0415

        found = await asyncio.to_thread(ray.nodes)
        alive = [n["NodeID"] for n in found if n["Alive"] and n.get("Resources", {}).get("CPU", 0) >= 1]
        self._ids = {f"node {node[:12]}": node for node in sorted(alive)}
        return list(self._ids)

    def start(self, node: str) -> RayLink:
        """Start a worker, on that node and no other, where it takes one processor."""
        import ray  # noqa: PLC0415
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # noqa: PLC0415

        actor = ray.remote(Worker).options(
            num_cpus=1,
            max_restarts=0,
            max_task_retries=0,
            max_concurrency=AT_ONCE,
            scheduling_strategy=NodeAffinitySchedulingStrategy(self._ids[node], soft=False),
        )
        return RayLink(actor.remote())


class RayLink:
    """A worker that is a Ray actor."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    async def open(self, opening: Opening, version: str) -> Opened | Refused:
        """Wait for the process for a bounded time, and for the model as long as it takes: weights may be fetched."""
        try:
            async with asyncio.timeout(STARTING):
                await _from_node(self._actor.version.remote())
        except TimeoutError:
            return Refused(f"no worker came up within {STARTING:g} s (are its processors taken?)")
        return await _from_node(self._actor.open.remote(opening, version))

    async def take(self, calls: Sequence[tuple[int, Request]], given_up: Sequence[int]) -> None:
        """As the worker does."""
        await _from_node(self._actor.take.remote(calls, given_up))

    async def outcomes(self) -> Delivered:
        """As the worker does."""
        return await _from_node(self._actor.outcomes.remote())

    async def close(self) -> None:
        """Let the model end in good order, then end the process."""
        import ray  # noqa: PLC0415

        try:
            async with asyncio.timeout(CLOSING):
                await _from_node(self._actor.close.remote())
        except (NodeLost, TimeoutError):
            pass
        finally:
            ray.kill(self._actor)


async def _reach(address: str) -> None:
    """Raises UsageError where nobody listens."""
    host, _, port = address.rpartition(":")
    try:
        async with asyncio.timeout(REACHING):
            _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
        writer.close()
    except (OSError, OverflowError, TimeoutError) as error:
        raise UsageError(f"--workers: no Ray cluster at {address} ({str(error) or 'it does not answer'})") from None


async def _from_node(answer: Awaitable[T]) -> T:
    """The answer, or NodeLost. Ray's own message stays here: it quotes paths and addresses of the node."""
    from ray.exceptions import RayError  # noqa: PLC0415

    try:
        return await answer
    except RayError as error:
        raise NodeLost(type(error).__name__) from None
