"""Request bodies as content-addressed parts.

A judge reads the same document thousands of times. Its body is cut where the shared prefix of a message
ends, each piece is stored once, and the body is put together again to the byte, its hash checked.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections import OrderedDict
from collections.abc import Sequence

import msgspec

RAW, RECIPE = 0, 1
LARGEST = 64 * 2**20  # bytes of one body, and of one reply
WORTH_CUTTING = 512  # characters; a shorter prefix costs more in rows than it saves in bytes


def cut(body: bytes, prefixes: Sequence[str]) -> list[bytes]:
    """The body in pieces: each prefix that is found in it, JSON-encoded, and what lies between them."""
    pieces, at = [], 0
    for prefix in prefixes:
        if len(prefix) < WORTH_CUTTING:
            continue
        needle = msgspec.json.encode(prefix)[1:-1]
        start = body.find(needle, at)
        if start < 0:
            continue
        pieces += [body[at:start], needle]
        at = start + len(needle)
    return [piece for piece in [*pieces, body[at:]] if piece]


class Bodies:
    """Writes bodies into the `part` table, each distinct piece once."""

    def __init__(self, db: sqlite3.Connection, remembered: int = 4096) -> None:
        self._db = db
        self._known: OrderedDict[bytes, int] = OrderedDict()
        self._remembered = remembered

    def add(self, body: bytes, prefixes: Sequence[str] = ()) -> int:
        """The id of the body's part."""
        digest = hashlib.sha256(body).digest()
        if (known := self._find(digest)) is not None:
            return known
        pieces = cut(body, prefixes)
        if len(pieces) < 2:
            return self._insert(digest, RAW, body)
        ids = []
        for piece in pieces:
            piece_digest = hashlib.sha256(piece).digest()
            known = self._find(piece_digest)
            ids.append(self._insert(piece_digest, RAW, piece) if known is None else known)
        return self._insert(digest, RECIPE, msgspec.msgpack.encode(ids))

    def forget(self) -> None:
        """Trust nothing remembered: called when a transaction was rolled back."""
        self._known.clear()

    def _find(self, digest: bytes) -> int | None:
        known = self._known.get(digest)
        if known is None:
            row = self._db.execute("SELECT id FROM part WHERE hash = ?", (digest,)).fetchone()
            known = None if row is None else int(row[0])
        if known is not None:
            self._remember(digest, known)
        return known

    def _insert(self, digest: bytes, kind: int, data: bytes) -> int:
        row = self._db.execute("INSERT INTO part (hash, kind, data) VALUES (?, ?, ?)", (digest, kind, data))
        assert row.lastrowid is not None
        self._remember(digest, row.lastrowid)
        return row.lastrowid

    def _remember(self, digest: bytes, part: int) -> None:
        self._known[digest] = part
        self._known.move_to_end(digest)
        if len(self._known) > self._remembered:
            self._known.popitem(last=False)


def assemble(db: sqlite3.Connection, part: int) -> bytes:
    """The body with this id, byte for byte. Raises ValueError where the file was damaged."""
    digest, kind, data = db.execute("SELECT hash, kind, data FROM part WHERE id = ?", (part,)).fetchone()
    if kind == RECIPE:
        pieces = msgspec.msgpack.decode(data, type=list[int])
        data = bytearray()
        for piece in pieces:
            row = db.execute("SELECT data FROM part WHERE id = ? AND kind = ?", (piece, RAW)).fetchone()
            if row is None:
                raise ValueError(f"its part {piece} is not there")
            data += row[0]
            if len(data) > LARGEST:  # a short list can name one long part many times
                raise ValueError(f"it would have more than {LARGEST // 2**20} MB")
    if hashlib.sha256(data).digest() != digest:
        raise ValueError("it does not have the hash that it was stored under")
    return bytes(data)
