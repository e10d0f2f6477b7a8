"""A llama.cpp server in a process of its own, which ends when this one does.

A process and not a thread, because what goes wrong in llama.cpp (a damaged file, memory) ends the
process it happens in, and because it must not share our interpreter lock.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import signal
import sys
import time
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.errors import FiducialError, UsageError, install_hint
from fiducial.model.local.fetch import cache_folder

START_TIMEOUT = 300.0  # seconds; a few gigabytes from a slow disk take minutes
_LOGS_KEPT = 20
# llama.cpp's threads wait for each other many times a token, by default up to a millisecond in a loop. Where
# the processors are shared (with another local model, say) that made it ten times slower; waiting a
# hundredth of that before sleeping helps there and costs little on a machine at rest.
_PATIENT = {"GOMP_SPINCOUNT": "2000"}


class Serving(Struct, frozen=True, kw_only=True):
    """What the child is told."""

    path: str
    name: str
    slots: int
    context: int  # tokens a slot
    threads: int
    chat_template: str | None


class _Answer(Struct):
    address: str


def runtime_installed() -> bool:
    """Whether llama.cpp is there to run local models."""
    return importlib.util.find_spec("xllamacpp") is not None


def require_runtime() -> None:
    """Raise UsageError where llama.cpp is not installed."""
    if not runtime_installed():
        raise UsageError(f"local models need llama.cpp: {install_hint('local')}")


def usable_threads() -> int:
    """The processors this process may use: its affinity, and the quota of its container."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        # More threads than processors is very slow, for they wait for each other.
        return max(1, min(count, round(int(quota) / int(period))))
    except (OSError, ValueError):  # no control group, or "max": no quota
        return max(1, count)


class Server:
    """A running child. Make one with `start`."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self._process = process
        self._log = log
        self.address = ""

    @classmethod
    async def start(cls, serving: Serving, *, timeout: float = START_TIMEOUT) -> Server:  # noqa: ASYNC109
        """Load the model and wait until it can be asked. Raises FiducialError that quotes the log."""
        require_runtime()
        log = _new_log(serving.name)
        fd = os.open(log, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "fiducial.model.local.child"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=fd,
                env=_PATIENT | os.environ,
                start_new_session=True,  # the terminal's Ctrl-C is for us to act on
            )
        finally:
            os.close(fd)
        server = cls(process, log)
        try:
            async with asyncio.timeout(timeout):
                await server._introduce(serving)
        except TimeoutError:
            await server.stop()
            raise FiducialError(f"local/{serving.name}: not ready after {timeout:g} s (log: {log})") from None
        except BaseException:
            await server.stop()
            raise
        return server

    async def _introduce(self, serving: Serving) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        line = b""
        try:
            self._process.stdin.write(msgspec.json.encode(serving) + b"\n")
            await self._process.stdin.drain()  # and it stays open: its end is what ends the child
            line = await self._process.stdout.readline()
            self.address = msgspec.json.decode(line, type=_Answer).address
        except (OSError, msgspec.DecodeError) as error:
            if not line:
                await self._process.wait()
            raise FiducialError(f"local/{serving.name} did not start: {self.account()}") from error

    @property
    def alive(self) -> bool:
        """Whether the child is running."""
        return self._process.returncode is None

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    async def stop(self) -> None:
        """End the child at once; it keeps nothing that would have to be saved."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self.alive:
            self._process.kill()
        await self._process.wait()

    async def gone(self, within: float) -> bool:
        """Whether the child has ended, waiting a little: a connection breaks before its process is reaped."""
        try:
            await asyncio.wait_for(self._process.wait(), within)
        except TimeoutError:
            return False
        return True

    def account(self) -> str:
        """How the child ended and what it said, for an error message."""
        code = self._process.returncode
        if code is None:
            how = "llama.cpp is still running"
        elif code < 0:
            how = f"llama.cpp was ended by {_signal_name(-code)}"
        else:
            how = f"llama.cpp ended with code {code}"
        errors = errors_in(self._log)
        # Of a failed start the first error is the cause and the rest its consequences; of a crash, the last.
        said = errors[-4:] if self.address else errors[:4]
        return how + "".join(f"\n  {line}" for line in said) + f"\n  (log: {self._log})"

    def discard_log(self) -> None:
        """Remove the log of a server that worked."""
        self._log.unlink(missing_ok=True)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _new_log(name: str) -> Path:
    folder = cache_folder() / "logs"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        old = sorted(folder.glob("*.log"), key=lambda path: path.name)
        for path in old[:-_LOGS_KEPT]:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise FiducialError(f"{folder}: {error.strerror} (FIDUCIAL_CACHE chooses another folder)") from error
    plain = re.sub(r"[^\w.-]+", "_", name)
    return folder / f"{time.time_ns()}-{plain}.log"


def errors_in(log: Path) -> list[str]:
    """The different lines at the end of a log that say what went wrong; where none does, its very last line."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 20_000))
            text = file.read().decode(errors="replace")
    except OSError:
        return []
    lines = ["".join(c for c in line if c.isprintable()).strip()[:300] for line in text.splitlines()]
    # "0.00.027.421 E llama_model_load: error …": llama.cpp's lines begin with the time and the level.
    errors = [re.sub(r"^[\d.]+ E ", "", line) for line in lines if re.match(r"[\d.]+ E |\w*Error\b", line)]
    return list(dict.fromkeys(errors)) or [line for line in lines if line][-1:]
