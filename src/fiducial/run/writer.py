"""The one writer of a run file: a thread that commits replies in groups.

A reply counts as done when its group is on disk, never before. A group is closed 10 ms after its first
reply or when it is full, whichever comes first, so a kill loses at most that group and the calls in flight.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout
from msgspec import Struct

from fiducial.errors import Incomplete, UsageError
from fiducial.model.reply import Reported, Token
from fiducial.model.request import Settings
from fiducial.run import files, schema
from fiducial.run.bodies import Bodies

GROUP_SECONDS = 0.010

_COLUMNS = f"""{schema.CHECKED}, follows, not_sent, failure, message, http_status, attempts, started, seconds,
               input_tokens, output_tokens, cost, reused"""


class Record(Struct, frozen=True, kw_only=True):
    """A row of the `reply` table on its way to the disk."""

    trial: int
    model: str
    status: str
    text: str = ""
    follows: int | None = None
    body: bytes = b""
    prefixes: tuple[str, ...] = ()
    asked: Settings = Settings()
    not_sent: tuple[str, ...] = ()
    reported: Reported = Reported()
    tokens: tuple[Token, ...] | None = None
    failure: str | None = None
    message: str | None = None
    http_status: int | None = None
    attempts: int = 1
    started: float = 0.0
    seconds: float = 0.0
    cost: float | None = None
    reused: str | None = None


class DiskTrouble(Incomplete):
    """The run file could not be written. What was committed before is intact."""


class Writer:
    """Owns the run file for writing. Refuses to share it with another process."""

    def __init__(self, path: Path, *, group: int = 256) -> None:
        self.path = path
        real = path.resolve()  # a symbolic link and what it points to are one file, and have one lock
        self._lock = FileLock(real.with_name(f".{real.name}.lock"))
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise UsageError(
                f"{path}: another process is writing this run. Wait for it, or choose another --out."
            ) from None
        try:
            self.db = schema.connect(path, write=True)
            self.db.execute("PRAGMA synchronous = FULL")
            self.db.execute("PRAGMA busy_timeout = 10000")
            self._file = _identity(path)
        except BaseException:
            self._lock.release()
            raise
        self._bodies = Bodies(self.db)
        self._group = max(1, group)
        self._queue: queue.SimpleQueue[Record | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def start(self, committed: Callable[[Sequence[Record], BaseException | None], None]) -> None:
        """Start the thread. It calls `committed` after every group, or once with the error that ended it."""
        self._thread = threading.Thread(target=self._serve, args=(committed,), name="fiducial-writer")
        self._thread.start()

    def put(self, record: Record) -> None:
        """Queue a record; returns at once."""
        self._queue.put(record)

    def finish(self) -> None:
        """Commit what is queued and end the thread."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None

    def close(self) -> None:
        """End the thread, close the file, give up the lock."""
        self.finish()
        self.db.close()
        self._lock.release()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def transaction(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Run `work` in one transaction. Only while the thread is not running."""
        assert self._thread is None, "the writer's thread owns the connection"
        try:
            self.db.execute("BEGIN IMMEDIATE")
            work(self.db)
            self._commit()
        except sqlite3.Error as error:
            self._roll_back()
            raise self._trouble(error) from error
        except BaseException:
            self._roll_back()
            raise

    def set_meta(self, key: str, value: object) -> None:
        """Store a value under a key, as JSON."""
        text = msgspec.json.encode(value).decode()

        def write(db: sqlite3.Connection) -> None:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, text))

        self.transaction(write)

    def _serve(self, committed: Callable[[Sequence[Record], BaseException | None], None]) -> None:
        more = True
        while more:
            group, more = self._next_group()
            if not group:
                continue
            try:
                self.db.execute("BEGIN IMMEDIATE")
                self._insert([self._row(record) for record in group])
                self._commit()
            except Exception as error:  # whatever it was, the collector has to hear of it
                self._roll_back()
                committed([], self._trouble(error) if isinstance(error, sqlite3.Error) else error)
                return
            committed(group, None)

    def _insert(self, rows: Sequence[tuple[object, ...]]) -> None:
        columns = _COLUMNS
        if self.db.version >= schema.CHECKSUMS:  # files of the first edition go on without them
            columns += ", checksum"
            rows = [(*row, schema.checksum(*row[:8])) for row in rows]
        places = ", ".join("?" * len(rows[0]))
        self.db.executemany(f"INSERT INTO reply ({columns}) VALUES ({places})", rows)

    def _commit(self) -> None:
        if _identity(self.path) != self._file:
            raise DiskTrouble(
                f"{self.path}: another file was put in its place, or it was removed, while the run was going on. "
                "Nothing more was stored; repeat the command to go on with the file that is there now."
            )
        files.commit_point()
        self.db.execute("COMMIT")
        files.commit_point()

    def _next_group(self) -> tuple[list[Record], bool]:
        first = self._queue.get()
        if first is None:
            return [], False
        group, closes = [first], time.monotonic() + GROUP_SECONDS
        while len(group) < self._group:
            try:
                record = self._queue.get(timeout=max(0.0, closes - time.monotonic()))
            except queue.Empty:
                break
            if record is None:
                return group, False
            group.append(record)
        return group, True

    def _row(self, record: Record) -> tuple[object, ...]:
        encode = msgspec.json.encode
        return (
            record.trial,
            record.model,
            record.status,
            _storable(record.text),
            self._bodies.add(record.body, record.prefixes) if record.body else None,
            encode(record.asked).decode(),
            encode(record.reported).decode(),
            msgspec.msgpack.encode(record.tokens) if record.tokens is not None else None,
            record.follows,
            encode(record.not_sent).decode() if record.not_sent else None,
            record.failure,
            record.message,
            record.http_status,
            record.attempts,
            record.started,
            record.seconds,
            record.reported.input_tokens,
            record.reported.output_tokens,
            record.cost,
            record.reused,
        )

    def _roll_back(self) -> None:
        self._bodies.forget()
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")

    def _trouble(self, error: sqlite3.Error) -> DiskTrouble:
        return DiskTrouble(
            f"{self.path}: could not write ({error}). Everything committed before is intact; "
            "make room, then repeat the command to continue."
        )


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _storable(text: str) -> str:
    """SQLite holds UTF-8; half a surrogate pair, which a server may send, is not."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
