"""A run in a process of its own, for tests that kill it or starve it.

`python -m tests.run.victim PATH URL TRIALS [MAX_BYTES]`; with MAX_BYTES, no file may grow beyond that.
"""

from __future__ import annotations

import asyncio
import resource
import signal
import sys
from pathlib import Path

from fiducial.errors import FiducialError
from fiducial.model.remote import open_remote
from fiducial.run.budget import Budget
from fiducial.run.engine import collect
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from fiducial.run.store import prepare
from tests.run.support import Questions, plan_of


def main() -> int:
    path, url, trials = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    model = open_remote("openai-api", "test/m", {"TEST_BASE_URL": url, "TEST_API_KEY": "key-to-keep-secret"})
    prepare(path, plan_of(trials), {"settings": {}})
    if len(sys.argv) > 4:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[4]), int(sys.argv[4])))
    try:
        done = asyncio.run(
            collect(
                path,
                Questions(),
                model,
                limits=Limits(max_connections=8, backoff=0.001),
                budget=Budget(),
                progress=Silent(),
                seed=1,
            )
        )
    except FiducialError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 3 if done.stopped or done.failed else 0


if __name__ == "__main__":
    sys.exit(main())
