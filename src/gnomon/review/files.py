"""Text and records on disk: read with the place of every error, written whole or not at all."""

from __future__ import annotations

import difflib
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

import msgspec
from filelock import FileLock, Timeout

from gnomon.errors import UsageError

LOCK = ".lock"
PATIENCE = 20.0  # seconds that somebody else's write is waited for; it takes milliseconds

Row = tuple[str, dict[str, Any]]
"""A record, and where it stands: `folder/must_find.jsonl, line 4`."""

_mine = threading.local()  # the folders that this thread has locked


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Nobody else writes to the records of a folder meanwhile: no other thread, no other process.

    Whoever reads records to decide what to write holds it from the reading on. It may be taken again inside.
    """
    folder.mkdir(parents=True, exist_ok=True)
    place = folder.resolve()
    held: set[Path] = _mine.__dict__.setdefault("folders", set())
    if place in held:
        yield
        return
    lock = FileLock(place / LOCK)
    try:
        lock.acquire(timeout=PATIENCE)
    except Timeout:
        raise UsageError(
            f"{folder}: somebody else has been writing there for {PATIENCE:.0f} seconds; try again when they are done"
        ) from None
    held.add(place)
    try:
        yield
    finally:
        held.discard(place)
        lock.release()


def read_bytes(path: Path) -> bytes:
    """The file as it is."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error


def decode(raw: bytes, path: Path) -> str:
    """The text of a file, without a byte order mark, its lines ended by a newline alone."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{path}, line {line}: not UTF-8 text (byte {error.start}); save the file as UTF-8"
        ) from error
    return normalised(text)


def normalised(text: str) -> str:
    """The text with every kind of line end as a newline."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_text(path: Path) -> str:
    """The text of a file, normalised."""
    return decode(read_bytes(path), path)


def read_object(path: Path) -> dict[str, Any]:
    """The one JSON object in a file."""
    return _object(read_text(path), str(path))


def read_rows(path: Path, *, growing: bool = False) -> list[Row]:
    """The records of a JSON Lines file; empty lines are passed over.

    In a file that only we write to, and only at its end (`growing`), so is a last line that was cut short: whoever
    wrote it was stopped before they were told that it is saved.
    """
    content = read_bytes(path)
    if growing:
        content = content[: len(content) - len(_torn(content))]
    rows = []
    for row in _each(path, decode(content, path)):
        if isinstance(row, UsageError):
            raise row
        rows.append(row)
    return rows


def _torn(content: bytes) -> bytes:
    """The end of the content that is half a record: not closed by a newline, and no JSON."""
    tail = content[content.rfind(b"\n") + 1 :]
    try:
        msgspec.json.decode(tail)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return tail
    return b""


def each_row(path: Path) -> Iterator[Row | UsageError]:
    """The records, and in place of those that are none, what is wrong with them."""
    return _each(path, read_text(path))


def _each(path: Path, text: str) -> Iterator[Row | UsageError]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            try:
                yield where, _object(line, where)
            except UsageError as error:
                yield error


def _object(text: str, where: str) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise UsageError(f"{where}: not JSON ({error}); mend it, or take it out") from error
    if not isinstance(found, dict):
        raise UsageError(f'{where}: a JSON object is expected, as in {{"id": …}}; this is {kind_of(found)}')
    return found


def kind_of(value: object) -> str:
    """What a JSON value is, in a word."""
    names = {
        dict: "an object",
        list: "a list",
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a number",
    }
    return "null" if value is None else names.get(type(value), "no text")  # YAML knows dates, too


def append_rows(path: Path, records: Iterable[object]) -> None:
    """Append records to a JSON Lines file with one write, on disk when this returns; on a failure, none of them.

    A last line that a person's editor left open is closed first; half a record of a writer that was stopped is taken out.
    """
    content = b"".join(msgspec.json.encode(record) + b"\n" for record in records)
    if not content:
        return
    with locked(path.parent), path.open("a+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        tail = _tail(file, size)
        whole = size - len(_torn(tail))
        if whole < size:
            file.truncate(whole)
        elif tail:
            content = b"\n" + content
        try:
            if file.write(content) != len(content):
                raise OSError(28, "no room for the whole record", str(path))
            os.fsync(file.fileno())
        except OSError:
            file.truncate(whole)
            raise


def _tail(file: FileIO, size: int) -> bytes:
    """What stands after the last newline."""
    found, at = b"", size
    while at > 0 and b"\n" not in found:
        start = max(0, at - 65536)
        file.seek(start)
        found, at = file.read(at - start) + found, start
    return found[found.rfind(b"\n") + 1 :]


def near(name: str, known: Sequence[str]) -> str:
    """`; did you mean X?`, or nothing where no known name comes near."""
    found = difflib.get_close_matches(name, known, n=2, cutoff=0.5)
    return f"; did you mean {' or '.join(found)}?" if found else ""
