"""Many calls over many connections: are they all made once, in how much memory, and does a repeat make none?

`python -m benchmarks.connections [--calls N] [--connections N]`: the server numbers what it serves, and runs in a process of
its own, so that the memory is that of the client alone.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.client import PROMPT
from fiducial.model.remote import RemoteModel, open_remote
from fiducial.model.request import Message, Request, Settings
from fiducial.run.budget import Budget
from fiducial.run.engine import collect, run_async
from fiducial.run.limits import Limits
from fiducial.run.once import ask_once
from fiducial.run.plan import Trial, make_plan, make_trial
from fiducial.run.progress import Silent
from fiducial.run.store import Store, prepare

LATENCY = 0.1


class Numbers:
    """One trial a number."""

    def request(self, trial: Trial, history: Sequence[str] = ()) -> Request:
        """The prompt of the throughput benchmark, under that number."""
        return Request((Message("user", f"{trial.item}: {PROMPT}"),), Settings(temperature=1.0, max_tokens=200))


def main() -> None:
    """Print what was served, stored and held in memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=50_000)
    parser.add_argument("--connections", type=int, default=1_000)
    given = parser.parse_args()
    # Every connection is an open file, here and in the server.
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("slow_server.py")), str(LATENCY)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None and server.stdin is not None
        url = server.stdout.readline().strip()
        try:
            measure(url, given.calls, given.connections)
        finally:
            server.stdin.close()


def measure(url: str, calls: int, connections: int) -> None:
    """Collect, repeat, and ask the server how many calls it has seen."""

    def model() -> RemoteModel:
        env = {"BENCH_BASE_URL": url, "BENCH_API_KEY": "sk-benchmark-0123456789"}
        return open_remote("openai-api", "bench/stand-in", env, connections=connections)

    def collected(path: Path) -> int:
        limits = Limits(max_connections=connections)
        work = collect(path, Numbers(), model(), limits=limits, budget=Budget(), progress=Silent(), seed=1)
        return run_async(work).done

    def served() -> int:
        """The number in the reply's id, without the call that asks for it."""
        answered = ask_once(model(), "How many?", system=None, settings=Settings())
        return int((answered.reply.reported.id or "-0").rpartition("-")[2]) - 1

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.db"
        prepare(path, make_plan([make_trial(str(n), "", "only") for n in range(calls)], Numbers(), seed=1), {})
        began = time.perf_counter()
        done = collected(path)
        seconds = time.perf_counter() - began
        first = served()
        repeated = collected(path)
        with Store(path) as store:
            answered = store.progressed().answered
        second = served() - 1  # the first question was a call too
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{calls} calls over {connections} connections, {LATENCY * 1000:.0f} ms a call: {seconds:.1f} s")
    print(f"served {first}, stored {answered} ({done} in this run), peak {peak:.0f} MB")
    print(f"repeat: {second - first} calls, {repeated} replies")


if __name__ == "__main__":
    main()
