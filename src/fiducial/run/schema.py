"""The run file: one SQLite database a run, in write-ahead mode, with a schema version.

Replies are append-only: a trial that failed and was tried again has several rows, and the newest
reply without a failure is the trial's reply.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from fiducial.errors import UsageError

VERSION = 1
APPLICATION_ID = 0x474E4F4D  # "GNOM": the program was called Gnomon in its first edition, whose files still open

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
    reused TEXT                      -- the run this reply was taken from
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


def connect(path: Path, *, write: bool = False) -> sqlite3.Connection:
    """A connection to an existing run file, refused in words where it is not one."""
    if not path.is_file():
        raise UsageError(f"{path}: there is no such run file. `fiducial runs` lists the runs there are.")
    try:
        db = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode={'rw' if write else 'ro'}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
        )
        db.row_factory = sqlite3.Row
        found_id = db.execute("PRAGMA application_id").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise UsageError(f"{path}: not a run file of Fiducial ({error}).") from error
    if found_id != APPLICATION_ID:
        db.close()
        raise UsageError(f"{path}: a database, but not a run file of Fiducial.")
    if version > VERSION:
        db.close()
        raise UsageError(
            f"{path}: written by a newer Fiducial (format {version}; this one reads up to {VERSION}). "
            "Upgrade Fiducial to open it."
        )
    return db


def create(path: Path) -> None:
    """An empty run file; nothing half-made is left behind when this fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)
    try:
        db = sqlite3.connect(draft, isolation_level=None)
    except sqlite3.OperationalError as error:
        raise UsageError(f"{path}: cannot be created ({error}). Choose another --out.") from error
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(
            f"BEGIN; {DDL} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}; COMMIT;"
        )
        db.close()
        draft.rename(path)
    except BaseException as error:
        db.close()
        for leftover in path.parent.glob(f".{path.name}.new*"):
            leftover.unlink(missing_ok=True)
        if isinstance(error, sqlite3.Error):
            raise UsageError(f"{path}: cannot be created ({error}). Make room, or choose another --out.") from error
        raise
