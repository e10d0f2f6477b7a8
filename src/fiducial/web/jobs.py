"""Work that takes longer than a page: it goes on in a thread, one piece after another, and pages ask how far it is."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Literal

from fiducial.errors import FiducialError
from fiducial.run.progress import Snapshot

KEPT = 200  # pieces of work that are remembered

log = logging.getLogger("fiducial.web")

State = Literal["waiting", "running", "done", "failed"]


class Job:
    """One piece of work; it is told how far the calls are (`fiducial.run.progress.Progress`)."""

    def __init__(self) -> None:
        self.state: State = "waiting"
        self.total = self.done = self.failed = 0
        self.said = ""  # what happened, in words: what came of it, or why nothing did
        self._before = 0

    @property
    def active(self) -> bool:
        """Whether it has yet to end."""
        return self.state in ("waiting", "running")

    def start(self, total: int, done: int) -> None:
        """So many calls, of which so many were answered before."""
        self.total, self.done, self._before = total, done, done

    def show(self, now: Snapshot) -> None:
        """How far it is."""
        self.done, self.failed = self._before + now.done, now.failed

    def say(self, message: str) -> None:
        """Something happened."""
        self.said = message

    def stop(self, now: Snapshot) -> None:
        """The calls have ended."""
        self.show(now)


class Jobs:
    """What is being done, by a key. One key, one piece of work at a time: a second click starts nothing."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[Hashable, Job] = OrderedDict()
        self._lock = threading.Lock()
        self._turn = threading.Lock()  # a local model fits into the memory once, and no service is hurried

    def get(self, key: Hashable) -> Job | None:
        """The last piece of work of that key."""
        with self._lock:
            return self._jobs.get(key)

    def start(self, key: Hashable, work: Callable[[Job], str]) -> bool:
        """Begin, unless it is being done already. `work` returns what came of it, or raises."""
        with self._lock:
            last = self._jobs.get(key)
            if last is not None and last.active:
                return False
            job = self._jobs[key] = Job()
            self._jobs.move_to_end(key)
            for old in [k for k, one in self._jobs.items() if not one.active][: max(0, len(self._jobs) - KEPT)]:
                del self._jobs[old]
        # A thread that ends with the server: what was answered is in the run file, and the next test goes on there.
        threading.Thread(target=self._do, args=(job, work), daemon=True).start()
        return True

    def _do(self, job: Job, work: Callable[[Job], str]) -> None:
        with self._turn:
            job.state = "running"
            try:
                job.said = work(job)
            except (FiducialError, sqlite3.Error) as error:
                job.said, job.state = str(error), "failed"
            except OSError as error:
                job.said = f"{error.filename or 'The disk'}: {error.strerror or error}"
                job.state = "failed"
            except Exception:
                log.exception("a test failed")
                job.said = (
                    "This is a mistake in Fiducial, not in your files. The terminal that runs it has the details."
                )
                job.state = "failed"
            else:
                job.state = "done"
