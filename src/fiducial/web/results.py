"""What was computed from run files, kept until a file changes; what takes long is waited for a little and not longer."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from fiducial.web.folder import changed

KEPT = 12  # results of one kind
PATIENCE = 4.0  # seconds that a page waits before it says that it is waiting
WORKERS = 2

T = TypeVar("T")
Compute = Callable[[Path], Any]
Key = tuple[Path, float]
"""A file, and when it was last written to."""


class Results:
    """Of every function the newest results."""

    def __init__(self) -> None:
        self._made: dict[Compute, OrderedDict[Key, Any]] = {}
        self._under_way: dict[tuple[Compute, Path], tuple[Key, Future[Any]]] = {}
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="fiducial-results")
        self._lock = threading.Lock()

    def once(self, path: Path, compute: Callable[[Path], T], *, kept: int = KEPT) -> T:
        """`compute(path)`, or what it gave before if the run file has not changed since."""
        key = path, changed(path)
        with self._lock:
            made = self._kept(compute, key)
        return self._keep(compute, key, compute(path), kept) if made is None else made

    def soon(self, path: Path, compute: Callable[[Path], T], *, patience: float = PATIENCE) -> T | None:
        """The same, or None while it is still being computed: ask again.

        A result that was begun before the file changed is given out once all the same: of a run in flight there would
        never be any other.
        """
        key = path, changed(path)
        with self._lock:
            made = self._kept(compute, key)
            if made is not None:
                return made
            if (compute, path) not in self._under_way:
                self._under_way[compute, path] = key, self._pool.submit(compute, path)
            begun, future = self._under_way[compute, path]
        try:
            result: T = future.result(timeout=patience)
        except TimeoutError:
            if not future.done():
                return None
            raise  # its own
        finally:
            if future.done():
                with self._lock:
                    self._under_way.pop((compute, path), None)
        return self._keep(compute, begun, result, KEPT)

    def last(self, path: Path, compute: Callable[[Path], T]) -> T:
        """What was given out last, even if the file has changed since: parts of one page have to agree."""
        with self._lock:
            keys = [key for key in self._made.get(compute, ()) if key[0] == path]
            if keys:
                return self._made[compute][max(keys)]  # type: ignore[no-any-return]
        return self.once(path, compute)

    def close(self) -> None:
        """Begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _kept(self, compute: Callable[[Path], T], key: Key) -> T | None:
        """Asked for with the lock held; nothing that is computed here is None."""
        made = self._made.setdefault(compute, OrderedDict())
        if key in made:
            made.move_to_end(key)
        return made.get(key)

    def _keep(self, compute: Compute, key: Key, result: T, kept: int) -> T:
        with self._lock:
            made = self._made.setdefault(compute, OrderedDict())
            made[key] = result
            while len(made) > kept:
                made.popitem(last=False)
        return result
