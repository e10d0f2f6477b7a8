"""Memory and speed on a large run: collect, re-read and re-score 200,000 replies of a simulated subject.

`python -m benchmarks.memory [--replies N]`: peak resident memory of the process after each stage.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

from fiducial.bias.load import packaged_battery
from fiducial.bias.run import BiasOptions, collect_run, prepare_run, rescore
from fiducial.model.names import open_model
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent


def peak() -> float:
    """Most memory this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print one line a stage."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replies", type=int, default=200_000)
    wanted = parser.parse_args().replies
    once = BiasOptions(model="sim/coin", tier="quick", trials=1)
    a_round = len(prepare_run(packaged_battery(), once).plan.trials)
    options = BiasOptions(model="sim/coin", tier="quick", trials=-(-wanted // a_round))
    print(
        f"{options.trials * a_round} replies of {options.model} ({a_round} prompts, {options.trials} repetitions)"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.db"
        stage = time.perf_counter()
        print(f"{'before':<10} {'':>8}   peak {peak():6.0f} MB")

        def done(name: str) -> None:
            nonlocal stage
            now = time.perf_counter()
            print(f"{name:<10} {now - stage:>6.1f} s   peak {peak():6.0f} MB", flush=True)
            stage = now

        prepared = prepare_run(packaged_battery(), options, out=path)
        done("plan")
        collect_run(
            prepared,
            open_model(options.model),
            options,
            limits=Limits(),
            budget=Budget(),
            progress=Silent(),
        )
        done("collect")
        del prepared
        rescore(path)
        done("rescore")
        print(f"file {path.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
