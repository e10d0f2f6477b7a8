"""The run file: one SQLite database a run, in write-ahead mode, with a schema version.

Replies are append-only: a trial that failed and was tried again has several rows, and the newest
reply without a failure is the trial's reply.

A run file may come from a stranger, or be damaged. `connect` is the one way to open it: it follows
https://sqlite.org/security.html, refuses any schema that Fiducial did not write, and checks what the tables hold, so
that the rest of the program can rely on it.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from fiducial.errors import DamagedFile, UsageError
from fiducial.model.reply import Reported, Token
from fiducial.model.request import Settings
from fiducial.run import files
from fiducial.run.bodies import LARGEST

VERSION = 2
APPLICATION_ID = 0x474E4F4D  # "GNOM": the program was called Gnomon in its first edition, whose files still open
LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: LARGEST + 8 * 2**20,  # a row: the largest reply, and what is stored with it
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
STEP = 1_000_000  # instructions of SQLite's machine between two looks at how long a query has been running

DDL = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE trial (
    seq INTEGER PRIMARY KEY,         -- the order of sending
    id TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,              -- subject, or judge:TASK:VERSION
    item TEXT NOT NULL,
    item_hash TEXT NOT NULL,
    arm TEXT NOT NULL,
    option_order INTEGER NOT NULL,
    repetition INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    parent TEXT,                     -- id of the trial whose reply this one follows
    key TEXT NOT NULL                -- equal for requests that a provider could not tell apart
);

CREATE TABLE part (                  -- content-addressed pieces of request bodies
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,       -- SHA-256 of the bytes; of the whole body where kind is 1
    kind INTEGER NOT NULL,           -- 0: data is the bytes; 1: data lists the parts they are made of
    data BLOB NOT NULL
);

CREATE TABLE reply (
    id INTEGER PRIMARY KEY,
    trial INTEGER NOT NULL REFERENCES trial (seq),
    model TEXT NOT NULL,
    follows INTEGER REFERENCES reply (id),
    status TEXT NOT NULL,            -- ok, truncated, empty, refused, filtered, or failed
    text TEXT NOT NULL,
    body INTEGER REFERENCES part (id),
    asked TEXT NOT NULL,
    not_sent TEXT,
    reported TEXT NOT NULL,
    tokens BLOB,
    failure TEXT,                    -- kind of failure, where the status is failed
    message TEXT,
    http_status INTEGER,
    attempts INTEGER NOT NULL,
    started REAL NOT NULL,           -- seconds since the epoch
    seconds REAL NOT NULL,           -- of the attempt that gave the reply
    input_tokens INTEGER,
    output_tokens INTEGER,
    cost REAL,                       -- US dollars; NULL where no price is known
    reused TEXT,                     -- the run this reply was taken from
    checksum BLOB NOT NULL           -- of what was asked and answered, see `checksum`
);
CREATE INDEX reply_trial ON reply (trial);
CREATE INDEX reply_body ON reply (body);

CREATE TABLE reading (
    reply INTEGER PRIMARY KEY REFERENCES reply (id),
    status TEXT NOT NULL,
    answer TEXT,
    number REAL,
    confidence REAL,
    start INTEGER,
    stop INTEGER,
    rule TEXT NOT NULL,
    score REAL,                      -- the reading compared with the arm's key; NULL where unread
    reason TEXT                      -- why there is no score
);

CREATE TABLE audit (code TEXT NOT NULL, level TEXT NOT NULL, message TEXT NOT NULL);
"""


CHECKSUMS = 2  # the first version whose replies have a checksum
_FIRST = re.sub(r",( *-- the run[^\n]*)\n *checksum [^\n]*", r"\1", DDL)
_SCHEMAS = {1: _FIRST, 2: DDL}
_PLANNER = ("sqlite_stat1", "sqlite_stat4")  # made by ANALYZE, which some tools run by themselves

settings = msgspec.json.Decoder(Settings)
reported = msgspec.json.Decoder(Reported)
names = msgspec.json.Decoder(tuple[str, ...])
tokens = msgspec.msgpack.Decoder(tuple[Token, ...])

T = TypeVar("T")

# SQLite lets a column hold a value of any type, whatever is declared. What a server reported (tokens) or a model said
# (numbers in readings) has no range here: Fiducial stores it as it came.
_TYPES = {"TEXT": "'text'", "INTEGER": "'integer'", "REAL": "'real'", "BLOB": "'blob'"}
_RANGES = {
    "trial": "option_order NOT BETWEEN 0 AND 1e6 OR repetition NOT BETWEEN 0 AND 1e6 OR turn NOT BETWEEN 0 AND 1e6",
    "reply": """status NOT IN ('ok', 'truncated', 'empty', 'refused', 'filtered', 'failed')
                OR attempts NOT BETWEEN 0 AND 1e9 OR started NOT BETWEEN 0 AND 1e12 OR seconds NOT BETWEEN 0 AND 1e9
                OR abs(cost) > 1e300""",
}
CHECKED = "trial, model, status, text, body, asked, reported, tokens"  # what the checksum of a reply covers
_checked: dict[tuple[int, int], tuple[int, bytes]] = {}
"""Files that this process has checked, by device and inode: the last reply that was, and its checksum.

Replies are only ever added. A file that is followed while it grows is not read from the beginning every time.
"""


def checksum(*fields: object) -> bytes:
    """The checksum of a reply whose columns CHECKED hold these values."""
    return hashlib.blake2b(msgspec.msgpack.encode(fields), digest_size=16).digest()


class RunFile(sqlite3.Connection):
    """A connection that reports damage as `DamagedFile`, with the name of the file."""

    path: Path
    version: int
    bare = True  # errors of the disk stay SQLite's own: while the file is being opened, and for a writer
    steps = patience = 0  # since the last statement, and how many it may take; counted in STEPs

    def execute(self, *given: Any) -> Any:
        """Run one statement."""
        return self.cursor(_Cursor).execute(*given)

    def executemany(self, *given: Any) -> Any:
        """Run one statement with many rows."""
        return self.cursor(_Cursor).executemany(*given)

    def trouble(self, error: sqlite3.Error) -> Exception:
        """What an error of SQLite means to the user."""
        code = getattr(error, "sqlite_errorcode", None)
        kind = None if code is None else code & 0xFF
        if isinstance(error, sqlite3.ProgrammingError) or (self.bare and kind in {*_DISK, sqlite3.SQLITE_NOTADB}):
            return error
        if kind in _DISK:
            return UsageError(f"{self.path}: cannot be read ({error}): {_DISK[kind]}.")
        if kind == sqlite3.SQLITE_TOOBIG:
            return DamagedFile(self.path, f"it holds a text of more than {LARGEST // 2**20} MB")
        if kind == sqlite3.SQLITE_INTERRUPT:
            return DamagedFile(self.path, "a query took far longer than a file of this size needs")
        return DamagedFile(self.path, str(error))

    def count_steps(self) -> bool:
        """Called by SQLite every STEP instructions; True ends the query."""
        self.steps += 1
        return self.steps > self.patience


# What is wrong with the disk, the folder or another program, and not with the file.
_DISK = {
    sqlite3.SQLITE_BUSY: "another program has locked it; close that, then try again",
    sqlite3.SQLITE_LOCKED: "another program has locked it; close that, then try again",
    sqlite3.SQLITE_PERM: "you may not read it; ask its owner",
    sqlite3.SQLITE_CANTOPEN: "you may not read it, or its folder; ask their owner",
    sqlite3.SQLITE_READONLY: "its folder is read-only; copy the file, and those beside it whose names begin "
    "the same, to a folder that you can write to",
    sqlite3.SQLITE_FULL: "the disk is full; make room, then try again",
    sqlite3.SQLITE_IOERR: "the disk could not be read or written, perhaps because it is full",
}


def _translated(call: Callable[..., T]) -> Callable[..., T]:
    def method(self: _Cursor, *given: Any) -> T:
        try:
            return call(self, *given)
        except sqlite3.Error as error:
            raise self.connection.trouble(error) from error

    return method


class _Cursor(sqlite3.Cursor):
    connection: RunFile

    fetchone = _translated(sqlite3.Cursor.fetchone)
    fetchall = _translated(sqlite3.Cursor.fetchall)
    __next__ = _translated(sqlite3.Cursor.__next__)

    @_translated
    def execute(self, *given: Any) -> Any:
        self.connection.steps = 0
        return super().execute(*given)

    @_translated
    def executemany(self, *given: Any) -> Any:
        self.connection.steps = 0
        return super().executemany(*given)


def connect(path: Path, *, write: bool = False, check: bool = True) -> RunFile:
    """A connection to an existing run file. Its content is checked when this process opens it for the first time.

    Raises `UsageError` where it is no run file or cannot be opened, and `DamagedFile`. Without `check`, only what the
    caller reads is known to be sound: enough for counting.
    """
    if not path.is_file():
        raise UsageError(f"{path}: there is no such run file. `fiducial runs` lists the runs there are.")
    if write and path.stat().st_nlink > 1:
        # SQLite keeps what it has not yet written into a file beside it, under one name: writers under two names
        # would not see each other's, and would destroy the file.
        raise UsageError(
            f"{path}: this file has another name elsewhere (a hard link), so two programs could write to it "
            "without noticing. Make a copy of it, and use that."
        )
    try:
        return _connect(path, "mode=rw" if write else "mode=ro", check)
    except sqlite3.Error as error:
        kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if kind == sqlite3.SQLITE_NOTADB:
            raise UsageError(f"{path}: not a run file of Fiducial ({error}).") from error
        waiting = path.resolve().with_name(f"{path.resolve().name}-wal")
        locked = kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
        if kind in _DISK and not locked and not write and not (waiting.exists() and waiting.stat().st_size):
            # On a read-only medium or a full disk, SQLite cannot make the files that writers and readers share. Nothing
            # waits to be written into this file, so nobody is writing to it: it can be read without them.
            try:
                return _connect(path, "mode=ro&immutable=1", check)
            except sqlite3.Error as again:
                error = again
                kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if kind in _DISK and os.access(path, os.R_OK) and not os.access(path.resolve().parent, os.W_OK):
            kind = sqlite3.SQLITE_READONLY  # SQLite says this in several ways
        said = _DISK.get(kind, "SQLite cannot open it")
        raise UsageError(f"{path}: cannot be {'written' if write else 'read'} ({error}): {said}.") from error


def _connect(path: Path, mode: str, check: bool) -> RunFile:
    db = sqlite3.connect(
        f"{path.resolve().as_uri()}?{mode}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        factory=RunFile,
    )
    try:
        db.path = path
        _distrust(db)
        _known_schema(db)
        if check:
            _check(db)
        db.row_factory = sqlite3.Row
        db.bare = mode == "mode=rw"
    except BaseException:
        db.close()
        raise
    return db


def _distrust(db: RunFile) -> None:
    for limit, value in LIMITS.items():
        db.setlimit(limit, value)
    if hasattr(db, "setconfig"):  # Python 3.12
        for name, on in (("DEFENSIVE", True), ("ENABLE_TRIGGER", False), ("ENABLE_VIEW", False)):
            db.setconfig(getattr(sqlite3, f"SQLITE_DBCONFIG_{name}"), on)
    db.patience = 200 + db.path.stat().st_size // 500_000  # 40 times what was measured on 200,000 replies
    db.set_progress_handler(db.count_steps, STEP)
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
        db.execute(f"PRAGMA {pragma}").fetchall()


def _known_schema(db: RunFile) -> None:
    """Refuse what Fiducial did not write: triggers and views would run SQL of whoever made the file."""
    found_id, db.version = (
        db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    )
    if found_id != APPLICATION_ID:
        raise UsageError(f"{db.path}: a database, but not a run file of Fiducial.")
    if db.version > VERSION:
        raise UsageError(
            f"{db.path}: written by a newer Fiducial (format {db.version}; this one reads up to {VERSION}). "
            "Upgrade Fiducial to open it."
        )
    known, found = _expected(db.version), _objects(db)
    for name in sorted(known.keys() | found.keys()):
        if known.get(name) != found.get(name):
            what = "has" if name not in known else "lacks" if name not in found else "has altered"
            raise DamagedFile(db.path, f"it {what} the {name[0]} {name[1]!r}")


def _objects(db: sqlite3.Connection) -> dict[tuple[str, str], str]:
    rows = db.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    return {
        (str(kind), str(name)): " ".join(re.sub(r"--[^\n]*", "", f"{table} {sql}").split())
        for kind, name, table, sql in rows
        if not (kind == "table" and name in _PLANNER)
    }


@cache
def _expected(version: int) -> dict[tuple[str, str], str]:
    db = sqlite3.connect(":memory:")
    db.executescript(_SCHEMAS.get(version, ""))
    found = _objects(db)
    db.close()
    return found


def _check(db: RunFile) -> None:
    """Check what the file holds, as far as this process has not done so before."""
    found = db.path.stat()
    key = found.st_dev, found.st_ino
    last, known = _checked.get(key, (0, b""))
    if known and _checksum_of(db, last) != known:  # another file that has the same number
        last, known = 0, b""
    if not known:
        _check_tables(db)
    newest = _check_replies(db, last)
    if newest is not None:
        _checked[key] = newest


def _checksum_of(db: RunFile, reply: int) -> bytes | None:
    row = db.execute(f"SELECT {CHECKED} FROM reply WHERE id = ?", (reply,)).fetchone()
    return None if row is None else checksum(*row)


def _check_tables(db: RunFile) -> None:
    said = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    if said != "ok":
        raise DamagedFile(db.path, str(said))
    for table in ("meta", "trial", "part", "reply", "reading", "audit"):
        columns = db.execute(f"PRAGMA table_info({table})").fetchall()
        wrong = [
            f"typeof({name}) NOT IN ({_TYPES[kind]}{'' if filled or first else ', ' + repr('null')})"
            for _, name, kind, filled, _, first in columns
        ]
        wrong.append(_RANGES.get(table, "0"))
        row = db.execute(f"SELECT {columns[0][1]} FROM {table} WHERE {' OR '.join(wrong)} LIMIT 1").fetchone()
        if row is not None:
            raise DamagedFile(db.path, f"in the table {table}, the row {row[0]!r:.80} holds an impossible value")
    lost = db.execute("PRAGMA foreign_key_check").fetchone()
    if lost is not None:
        raise DamagedFile(
            db.path, f"in the table {lost[0]}, the row {lost[1]} refers to a {lost[2]} that is not there"
        )


def _check_replies(db: RunFile, after: int) -> tuple[int, bytes] | None:
    """The last reply and its checksum, once all replies after the given one have been found to be sound."""
    stored = "checksum" if db.version >= CHECKSUMS else "NULL"
    rows = db.execute(f"SELECT {CHECKED}, {stored}, not_sent, id FROM reply WHERE id > ? ORDER BY id", (after,))
    newest, asked = None, ""
    for *fields, expected, not_sent, id in rows:
        found = checksum(*fields)
        if expected is not None and found != expected:
            raise DamagedFile(db.path, f"reply {id} (of trial {fields[0]}) was changed after it was stored")
        try:
            if fields[5] != asked:  # nearly always the same
                asked = fields[5]
                settings.decode(asked)
            reported.decode(fields[6])
            if fields[7] is not None:
                tokens.decode(fields[7])
            if not_sent is not None:
                names.decode(not_sent)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise DamagedFile(db.path, f"reply {id} (of trial {fields[0]}) cannot be read: {error}") from error
        newest = id, found
    return newest


def create(path: Path, fill: Callable[[sqlite3.Connection], None] = lambda _: None) -> None:
    """A new run file with what `fill` writes into it. It is there as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)
    try:
        db = sqlite3.connect(draft, isolation_level=None)
    except sqlite3.OperationalError as error:
        raise UsageError(f"{path}: cannot be created ({error}). Choose another --out.") from error
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(f"BEGIN; {DDL} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};")
        fill(db)
        db.execute("COMMIT")
        db.close()
        files.commit_point()
        draft.rename(path)
        files.commit_point()
    except BaseException as error:
        db.close()
        for leftover in path.parent.glob(f".{path.name}.new*"):
            leftover.unlink(missing_ok=True)
        if isinstance(error, sqlite3.Error):
            raise UsageError(f"{path}: cannot be created ({error}). Make room, or choose another --out.") from error
        raise
