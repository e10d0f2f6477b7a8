"""Text and records on disk: read with the place of every error, written whole or not at all."""

from __future__ import annotations

import difflib
import io
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from filelock import FileLock, Timeout

from fiducial.errors import UsageError
from fiducial.run import files

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
    """The records of a JSON Lines file; empty lines are passed over, and so is the torn end of a `growing` one."""
    rows = []
    for row in each_row(path, growing=growing):
        if isinstance(row, UsageError):
            raise row
        rows.append(row)
    return rows


def each_row(path: Path, *, growing: bool = False) -> Iterator[Row | UsageError]:
    """The records, and in place of those that are none, what is wrong with them."""
    raw = read_bytes(path)
    text = decode(untorn(raw) if growing else raw, path)
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            try:
                yield where, _object(line, where)
            except UsageError as error:
                yield error


def untorn(raw: bytes) -> bytes:
    """The lines of a JSON Lines file without the half record that a power cut may have left at its end.

    Torn is a last line that was never ended and is no JSON object. A line that was ended is never taken for torn.
    """
    start = max(raw.rfind(b"\n"), raw.rfind(b"\r")) + 1
    last = raw[start:] if start else raw.removeprefix(b"\xef\xbb\xbf")
    if not last.strip():
        return raw
    try:
        return raw if isinstance(msgspec.json.decode(last), dict) else raw[:start]
    except (msgspec.DecodeError, RecursionError):
        return raw[:start]


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


def append_rows(path: Path, records: Iterable[object], *, growing: bool = False) -> None:
    """Append records to a JSON Lines file with one write, on disk when this returns; on a failure, none of them.

    Half a record at the end of a file that only we write to (`growing`) goes to `NAME.torn` beside the file first.
    """
    content = b"".join(msgspec.json.encode(record) + b"\n" for record in records)
    if not content:
        return
    with locked(path.parent), path.open("a+b", buffering=0) as file:
        if growing:
            _set_aside(file, path)
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(size - 1)
            if file.read(1) != b"\n":  # a person's editor may have left the last line open
                content = b"\n" + content
        files.commit_point()
        try:
            if file.write(content) != len(content):
                raise OSError(28, "no room for the whole record", str(path))
            os.fsync(file.fileno())
            files.commit_point()
        except OSError:
            file.truncate(size)
            raise


def _set_aside(file: io.FileIO, path: Path) -> None:
    """Move the torn end of a file to the file beside it; there before it is gone here."""
    size = file.seek(0, os.SEEK_END)
    if not size:
        return
    file.seek(size - 1)
    if file.read(1) in (b"\n", b"\r"):
        return
    file.seek(0)
    raw = file.readall()
    whole = untorn(raw)
    if len(whole) == len(raw):
        return
    with path.with_name(f"{path.name}.torn").open("ab") as aside:
        aside.write(raw[len(whole) :] + b"\n")
        aside.flush()
        os.fsync(aside.fileno())
    file.truncate(len(whole))


def near(name: str, known: Sequence[str]) -> str:
    """`; did you mean X?`, or nothing where no known name comes near."""
    found = difflib.get_close_matches(name, known, n=2, cutoff=0.5)
    return f"; did you mean {' or '.join(found)}?" if found else ""
