from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.run import schema
from fiducial.run.bodies import Bodies, assemble, cut
from fiducial.run.writer import Record, Writer


def memory() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(schema.DDL)
    return db


@given(st.text(), st.text(), st.text())
def test_any_body_comes_back_to_the_byte(before: str, shared: str, after: str) -> None:
    body = msgspec.json.encode(
        {
            "a": before.encode("utf-8", "replace").decode()
            + shared.encode("utf-8", "replace").decode() * 40
            + after.encode("utf-8", "replace").decode()
        }
    )
    prefix = shared.encode("utf-8", "replace").decode() * 40
    assert b"".join(cut(body, [prefix])) == body
    db = memory()
    assert assemble(db, Bodies(db).add(body, [prefix])) == body


def test_a_document_is_stored_once_and_not_once_a_call(tmp_path: Path) -> None:
    document = 'The reservoir shall hold 40 days of water. "Quoted" – and so on.\n' * 400  # 25 kB
    path = tmp_path / "run.db"
    schema.create(path)
    with Writer(path) as writer:
        writer.db.execute("INSERT INTO trial VALUES (1, 'x', 'subject', 'i', 'h', 'a', 0, 0, 0, NULL, 'k')")
        writer.start(lambda group, error: None)
        for n in range(2000):
            message = {"role": "user", "content": f"{document}\nFinding {n}: is it genuine?"}
            body = msgspec.json.encode({"model": "m", "messages": [message]})
            writer.put(Record(trial=1, model="m", status="ok", body=body, prefixes=(document,)))
        writer.finish()
        stored = writer.db.execute("SELECT count(*) FROM reply").fetchone()[0]
        part = writer.db.execute("SELECT body FROM reply WHERE id = 777").fetchone()[0]
        assert f"Finding {777 - 1}:".encode() in assemble(writer.db, part)
    assert stored == 2000
    assert path.stat().st_size < 2_000_000  # fifty megabytes were sent


def test_a_damaged_body_is_noticed() -> None:
    db = memory()
    part = Bodies(db).add(b"the exact bytes")
    db.execute("UPDATE part SET data = ? WHERE id = ?", (b"other bytes", part))
    with pytest.raises(ValueError, match="hash"):
        assemble(db, part)


def test_the_memory_of_known_bodies_is_bounded() -> None:
    db = memory()
    bodies = Bodies(db, remembered=10)
    ids = [bodies.add(b"body %d" % n) for n in range(100)]
    assert [bodies.add(b"body %d" % n) for n in range(100)] == ids
