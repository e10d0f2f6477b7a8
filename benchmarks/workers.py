"""Replies a second against the number of machines: nodes of a Ray cluster, and servers of a fleet.

`python -m benchmarks.workers [--calls N]` (needs the `ray` extra). Nodes and servers are processes on this machine; a
server takes 100 ms a call and serves 20 at once, so each one more is worth 200 calls a second at most. "x limit" is
what was reached of that. The last lines measure the one thing that does not grow with the cluster: the process that
holds the run file, with nodes that answer at once. Ratios within one run count; the machine has other work.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from benchmarks.client import PROMPT
from fiducial.model.base import Model
from fiducial.model.cluster.model import ClusterModel
from fiducial.model.cluster.ray import RayCluster
from fiducial.model.cluster.worker import Opening
from fiducial.model.names import open_model
from fiducial.model.request import Message, Request, Settings, WireRequest
from fiducial.run.budget import Budget
from fiducial.run.engine import collect, run_async
from fiducial.run.limits import Limits
from fiducial.run.plan import Trial, make_plan, make_trial
from fiducial.run.progress import Silent
from fiducial.run.store import prepare

HERE = Path(__file__).parent
LATENCY, AT_ONCE = 0.1, 20
MOST = 3  # nodes, and servers
SERVICE = "openai-api/workers/stand-in"
INSTANT = "py/benchmarks.workers:Instant"


class Instant:
    """Answers at once: what is left is the price of handing out a call and storing a reply."""

    remote = False

    async def generate(self, request: WireRequest) -> str:
        """A short reply."""
        return "I weigh both.\n\nAnswer: A"


class Prompts:
    """Every request is different and about as long as those of the battery."""

    def request(self, trial: Trial, history: Sequence[str] = ()) -> Request:
        """A prompt of 720 characters."""
        return Request((Message("user", f"{trial.item}: {PROMPT}"),), Settings(temperature=1.0, max_tokens=200))


class Measured(Struct, frozen=True):
    """One run."""

    calls: int
    wall: float
    cpu: float  # seconds, of this process
    size: int  # bytes of the run file

    @property
    def rate(self) -> float:
        """Calls a second."""
        return self.calls / self.wall


@contextlib.contextmanager
def server(latency: float) -> Iterator[str]:
    """A slow server in a process of its own; its address."""
    process = subprocess.Popen(
        [sys.executable, str(HERE / "slow_server.py"), str(latency), str(AT_ONCE)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait()


def measure(model: Model, calls: int, connections: int) -> Measured:
    """Collect a plan of so many calls. Opening the model, and starting nodes, is not counted."""
    with tempfile.TemporaryDirectory() as folder:
        path, source = Path(folder) / "run.db", Prompts()
        plan = make_plan((make_trial(str(n), "h", "a") for n in range(calls)), source, seed=1)
        prepare(path, plan, {"settings": {}})
        started = [0.0, 0.0]

        class Clocked(Silent):
            """Starts the clock when the collection starts."""

            def start(self, total: int, done: int) -> None:
                started[:] = time.monotonic(), _cpu()

            def stop(self, now: object) -> None:
                started[:] = time.monotonic() - started[0], _cpu() - started[1]

        limits = Limits(max_connections=connections)
        done = run_async(collect(path, source, model, limits=limits, budget=Budget(), progress=Clocked(), seed=1))
        assert done.done == calls, done
        return Measured(calls, started[0], started[1], path.stat().st_size)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def on_cluster(name: str, connections: int) -> ClusterModel:
    """The model on every node there is."""
    opening = Opening(name=name, connections=connections, timeout=60.0)
    return ClusterModel(open_model(name, connections=connections, timeout=60.0), opening, RayCluster(None))


def line(what: str, found: Measured, limit: float | None = None, one: Measured | None = None) -> None:
    """One row of a table."""
    reached = f"{found.rate / limit:>9.2f}" if limit else f"{'':>9}"
    against = f"{found.rate / one.rate:>8.2f}" if one else f"{'':>8}"
    print(f"{what:<38} {found.rate:>8.0f} {against} {reached} {1000 * found.cpu / found.calls:>12.3f}", flush=True)


def fleets(calls: int) -> None:
    """Servers without Ray."""
    with contextlib.ExitStack() as stack:
        urls = [stack.enter_context(server(LATENCY)) for _ in range(MOST)]
        slow = stack.enter_context(server(3 * LATENCY))
        one = None
        for n in range(1, MOST + 1):
            os.environ["WORKERS_BASE_URL"] = ",".join(urls[:n])
            model = open_model(SERVICE, connections=n * AT_ONCE, timeout=60.0)
            found = measure(model, n * calls, n * AT_ONCE)
            one = one or found
            line(f"fleet of {n}", found, n * AT_ONCE / LATENCY, one)
        os.environ["WORKERS_BASE_URL"] = ",".join([*urls[:2], slow])
        found = measure(open_model(SERVICE, connections=3 * AT_ONCE, timeout=60.0), 2 * calls, 3 * AT_ONCE)
        line("fleet of 2, and one three times as slow", found, (2 + 1 / 3) * AT_ONCE / LATENCY, one)


def nodes(calls: int) -> None:
    """One server's worth of connections a node, all nodes to one server that takes them all."""
    import ray
    from ray.cluster_utils import Cluster

    small = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False, "no_monitor": True}
    with contextlib.ExitStack() as stack:
        os.environ["WORKERS_BASE_URL"] = ",".join(stack.enter_context(server(LATENCY)) for _ in range(MOST))
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        cluster = Cluster(initialize_head=True, head_node_args=small)
        stack.callback(cluster.shutdown)
        ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
        stack.callback(ray.shutdown)
        one = None
        for n in range(1, MOST + 1):
            if n > 1:
                cluster.add_node(**small)
            found = measure(on_cluster(SERVICE, n * AT_ONCE), n * calls, n * AT_ONCE)
            one = one or found
            line(f"Ray, {n} node{'s'[: n > 1]}", found, n * AT_ONCE / LATENCY, one)
        here = measure(open_model(INSTANT), 5 * calls, 256)
        line("answers at once, here", here)
        line(f"answers at once, Ray, {MOST} nodes", measure(on_cluster(INSTANT, 256), 5 * calls, 256), None, here)
    print(f"run file: {here.size / here.calls:,.0f} bytes a reply", end="; ")
    print(f"memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB at most")


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1000, help="for one server or node; more of them get more")
    calls = parser.parse_args().calls
    print(f"{LATENCY * 1000:.0f} ms a call, {AT_ONCE} at once a server")
    print(f"{'':<38} {'calls/s':>8} {'x first':>8} {'x limit':>9} {'CPU ms/call':>12}")
    fleets(calls)
    nodes(calls)


if __name__ == "__main__":
    main()
