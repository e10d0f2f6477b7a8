"""Run files as a stranger or a broken disk could make them: each is a sound file of the first edition, then spoiled.

Files of the first edition have no checksums, so that what is written into them reaches whoever reads it.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import msgspec

SOUND = Path(__file__).parents[1] / "data" / "first_edition"
MARKUP = "<script>alert(1)</script> [red]x[/red] \x1b[31m\x07\x00 \u202e {{ 7*7 }}\n=1+1"
TEXTS = {
    "trial": ("item_hash", "key"),
    "reply": ("model", "text", "failure", "message", "reused"),
    "reading": ("status", "answer", "rule", "reason"),
    "audit": ("code", "message"),
}
DEEP = "[" * 100_000 + "]" * 100_000

Spoil = Callable[[Path], None]


class Silent:
    """A model that says nothing of use."""

    async def generate(self, request: object) -> str:
        return "…"


def sql(*statements: str, unsafe: bool = False) -> Spoil:
    def spoil(path: Path) -> None:
        db = sqlite3.connect(path, isolation_level=None)
        if unsafe:
            db.execute("PRAGMA writable_schema = ON")
        db.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            db.execute(statement)
        db.close()

    return spoil


def data(change: Callable[[bytearray], object]) -> Spoil:
    def spoil(path: Path) -> None:
        content = bytearray(path.read_bytes())
        changed = change(content)
        path.write_bytes(changed if isinstance(changed, bytes | bytearray) else content)

    return spoil


def meta(key: str, value: str) -> Spoil:
    def spoil(path: Path) -> None:
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
        db.close()

    return spoil


def settings(**changed: object) -> Spoil:
    def spoil(path: Path) -> None:
        db = sqlite3.connect(path, isolation_level=None)
        known = msgspec.json.decode(db.execute("SELECT value FROM meta WHERE key = 'settings'").fetchone()[0])
        db.execute(
            "UPDATE meta SET value = ? WHERE key = 'settings'", (msgspec.json.encode(known | changed).decode(),)
        )
        db.close()

    return spoil


def flip(at: float) -> Spoil:
    """Turn the bits of 64 bytes around at this share of the file."""

    def change(content: bytearray) -> None:
        start = int(len(content) * at)
        for place in range(start, min(start + 64, len(content))):
            content[place] ^= 0xFF

    return data(change)


def nullable(path: Path) -> None:
    """A file whose tables allow what ours do not, with the text of our schema."""
    db = sqlite3.connect(path, isolation_level=None)
    kept = db.execute("SELECT sql FROM sqlite_master WHERE name = 'reply'").fetchone()[0]
    loose = kept.replace(" NOT NULL", "")
    db.execute("PRAGMA writable_schema = ON")
    db.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'reply'", (loose,))
    db.execute("PRAGMA schema_version = 1000")
    db.close()
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("UPDATE reply SET text = NULL, asked = NULL")
    db.execute("PRAGMA writable_schema = ON")
    db.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'reply'", (kept,))
    db.execute("PRAGMA schema_version = 1001")
    db.close()


def _markup(path: Path) -> None:
    db = sqlite3.connect(path, isolation_level=None)
    for table, columns in TEXTS.items():
        for column in columns:
            db.execute(f"UPDATE {table} SET {column} = ?", (MARKUP,))
    db.close()
    settings(model=MARKUP, system=MARKUP, dataset=MARKUP)(path)


# What is refused as damaged (exit code 4) or as no run file (2) by every command that opens it.
REFUSED: dict[str, Spoil] = {
    "empty": data(lambda _: b""),
    "noise": data(lambda _: b"\x93\x02" * 5000),
    "noise after the header": data(lambda raw: raw[:100] + bytes(range(256)) * 400),
    "zeros after the header": data(lambda raw: raw[:100] + bytes(len(raw) - 100)),
    "cut in the header": data(lambda raw: raw[:50]),
    "cut after one page": data(lambda raw: raw[:4096]),
    "cut in the middle": data(lambda raw: raw[: len(raw) // 2]),
    "cut before the last page": data(lambda raw: raw[:-4096]),
    "flipped header": flip(0.0),
    "another program's": sql("PRAGMA application_id = 7"),
    "newer version": sql("PRAGMA user_version = 99"),
    "version 0": sql("PRAGMA user_version = 0"),
    "trigger": sql("CREATE TRIGGER t AFTER DELETE ON reading BEGIN DELETE FROM reply; END"),
    "view": sql("CREATE VIEW v AS SELECT * FROM reply"),
    "view instead of a table": sql(
        "DROP TABLE audit", "CREATE VIEW audit AS SELECT 'a' code, 'pass' level, 'm' message"
    ),
    "endless view": sql(
        "DROP TABLE audit",
        "CREATE VIEW audit AS WITH RECURSIVE n(code) AS (SELECT 1 UNION ALL SELECT code + 1 FROM n) "
        "SELECT code, code AS level, code AS message FROM n",
    ),
    "table": sql("CREATE TABLE more (x)"),
    "virtual table": sql("CREATE VIRTUAL TABLE search USING fts5(x)"),
    "index on an expression": sql("CREATE INDEX i ON reply (abs(cost))"),
    "generated column": sql("ALTER TABLE audit ADD COLUMN x TEXT AS (code || level)"),
    "missing table": sql("DROP TABLE reading"),
    "schema that does not parse": sql("UPDATE sqlite_master SET sql = 'CREATE nothing'", unsafe=True),
    "NULL for text": nullable,
    "text for a number": sql("UPDATE trial SET turn = 'x'"),
    "number for text": sql("UPDATE reply SET asked = x'7b7d'"),
    "blob for text": sql("UPDATE reply SET text = x'00ff'"),
    "text that is not UTF-8": sql("UPDATE reply SET text = CAST(x'ff41' AS TEXT)"),
    "asked is not JSON": sql("UPDATE reply SET asked = '{'"),
    "asked is a list": sql("UPDATE reply SET asked = '[1]'"),
    "reported has a wrong type": sql("""UPDATE reply SET reported = '{"input_tokens": "many"}'"""),
    "reported is deep": sql(f"UPDATE reply SET reported = '{DEEP}'"),
    "not_sent is an object": sql("""UPDATE reply SET not_sent = '{"a": 1}'"""),
    "tokens are noise": sql("UPDATE reply SET tokens = x'c1'"),
    "huge turn": sql("UPDATE trial SET turn = 9223372036854775807"),
    "negative repetition": sql("UPDATE trial SET repetition = -1"),
    "endless cost": sql("UPDATE reply SET cost = 9e999"),
    "time before all times": sql("UPDATE reply SET started = -1e300"),
    "unknown status": sql("UPDATE reply SET status = 'splendid'"),
    "body that is not there": sql("UPDATE reply SET body = 99999"),
    "reply of no trial": sql("UPDATE reply SET trial = 99999 WHERE id = 1"),
    "huge text": sql("UPDATE reply SET text = CAST(zeroblob(80000000) AS TEXT) WHERE id = 1"),
}

# What some commands can do their work with.
ODD: dict[str, Spoil] = {
    "flipped 0.02": flip(0.02),
    "flipped 0.5": flip(0.5),
    "flipped 0.9": flip(0.9),
    "no meta": sql("DELETE FROM meta"),
    "no settings": sql("DELETE FROM meta WHERE key = 'settings'"),
    "no trials": sql("DELETE FROM reading", "DELETE FROM reply", "DELETE FROM trial"),
    "no replies": sql("DELETE FROM reading", "DELETE FROM reply"),
    "gap in the plan": sql("UPDATE trial SET seq = seq + 100000 WHERE seq > 10"),
    "every reply twice": sql(
        "INSERT INTO reply SELECT id + 10000, trial, model, follows, status, text, body, asked, not_sent, reported, tokens, "
        "failure, message, http_status, attempts, started, seconds, input_tokens, output_tokens, cost, reused FROM reply"
    ),
    "trials that follow themselves": sql("UPDATE trial SET parent = id"),
    "trials that follow each other": sql(
        "UPDATE trial SET parent = (SELECT id FROM trial t WHERE t.seq = trial.seq + 1 UNION ALL SELECT id FROM trial)"
    ),
    "trials that follow nothing": sql("UPDATE trial SET parent = 'gone'"),
    "unknown items": sql("UPDATE trial SET item = 'x/y', arm = 'z'"),
    "unknown roles": sql("UPDATE trial SET role = 'judge:nothing:abc'"),
    "bodies made of themselves": sql("UPDATE part SET kind = 1, data = x'93' || x'01' || x'01' || x'01'"),
    "bodies made of noise": sql("UPDATE part SET kind = 1, data = x'c1c1'"),
    "bodies of another kind": sql("UPDATE part SET kind = 77"),
    "bodies with other bytes": sql("UPDATE part SET data = x'7b7d'"),
    "long text": sql(f"UPDATE reply SET text = '{'a b ' * 2_500_000}' WHERE id = 1"),
    "empty texts": sql("UPDATE reply SET text = ''"),
    "markup": _markup,
    "old times": sql("UPDATE reply SET started = 0, seconds = 0"),
    "readings of nothing": sql("UPDATE reading SET start = 1000000, stop = -5, score = 17, number = 1e299"),
    **{f"settings are {value}": meta("settings", value) for value in ("{", "[]", "7", "NaN")},
    **{
        f"{key} is {name}": meta(key, value)
        for key in ("blocks", "biases", "judging", "facts", "papers", "must_find", "reviewers", "scored")
        for name, value in {"a list of nothing": "[null]", "an odd object": '{"a": {"b": [1]}}'}.items()
    },
    "deep settings": meta("settings", DEEP),
    "another instrument": settings(instrument="telepathy"),
    "no instrument": settings(instrument=None),
    "unknown bias": settings(biases=["no_such_bias"], protocols=["no-such-protocol"]),
    "huge numbers": settings(seed=10**30, trials=-5, temperature=1e300, runs=10**18),
    "settings of other types": settings(
        model=7, seed="x", biases=3, reviewers={"a": 1}, dataset=[], document_hashes=5
    ),
    "other side": meta("folder", '"/nowhere/\\u0000\\u001b[31m"'),
}


def spoiled(folder: Path, base: str, spoil: Spoil, name: str = "spoiled") -> Path:
    """A copy of the sound file, spoiled."""
    path = folder / f"{name}.db"
    shutil.copy(SOUND / f"{base}.db", path)
    spoil(path)
    return path
