"""Calls through Fiducial, plain aiohttp, the openai SDK and Inspect AI, on one core against one loopback server.

`python -m benchmarks.throughput [--inspect PYTHON]`: wall clock as a ratio to the limit (calls x latency /
connections), and CPU a call as a ratio to plain aiohttp's. `--inspect` names a Python that has Inspect AI.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
LATENCY = 0.1
CONNECTIONS = 100


def measure(python: str, name: str, url: str, calls: int) -> dict[str, float]:
    """Run one client in a process of its own."""
    done = subprocess.run(
        [python, str(HERE / "client.py"), name, url, str(calls), str(CONNECTIONS)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stderr[-2000:]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inspect", help="a Python that has Inspect AI installed")
    parser.add_argument("--calls", type=int, default=10_000)
    given = parser.parse_args()
    server = subprocess.Popen(
        [sys.executable, str(HERE / "slow_server.py"), str(LATENCY)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    assert server.stdin is not None
    url = server.stdout.readline().strip()
    clients = [("aiohttp", sys.executable, 1.0), ("fiducial", sys.executable, 1.0), ("openai", sys.executable, 0.2)]
    if given.inspect:
        clients.append(("inspect", given.inspect, 0.05))
    print(f"{given.calls} calls, {CONNECTIONS} connections, {LATENCY * 1000:.0f} ms a call, one core")
    print(f"{'client':<10} {'calls':>6} {'wall s':>8} {'x limit':>8} {'CPU ms/call':>12} {'x aiohttp':>10}")
    floor = 0.0
    try:
        for name, python, share in clients:  # the slow ones make fewer calls: the figures are per call
            calls = max(CONNECTIONS, int(given.calls * share))
            found = measure(python, name, url, calls)
            cpu = found["cpu"] / calls * 1000
            floor = floor or cpu
            limit = calls * LATENCY / CONNECTIONS
            print(
                f"{name:<10} {calls:>6} {found['wall']:>8.2f} {found['wall'] / limit:>8.2f} {cpu:>12.3f} "
                f"{cpu / floor:>10.2f}",
                flush=True,
            )
    finally:
        server.stdin.close()
        server.wait()


if __name__ == "__main__":
    main()
