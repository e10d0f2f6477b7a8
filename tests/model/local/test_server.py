from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fiducial.errors import FiducialError, UsageError
from fiducial.model.local import server as server_module
from fiducial.model.local.catalogue import find
from fiducial.model.local.child import LOG_LIMIT, LOG_TAIL, _bound_log
from fiducial.model.local.fetch import ensure
from fiducial.model.local.server import Server, Serving, errors_in, usable_threads

CHILD = [sys.executable, "-P", "-m", "fiducial.model.local.child"]


def running(pid: int) -> bool:
    """Whether the process runs; one that ended and waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ends(pid: int) -> bool:
    """Whether the process ends within 20 seconds; the kernel says when it does."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 20)[0])
    finally:
        os.close(handle)


def serving(path: Path, **changes: object) -> Serving:
    fields: dict[str, object] = {
        "path": str(path), "name": "tiny", "slots": 1, "context": 256, "threads": 1, "chat_template": None
    }  # fmt: skip
    return Serving(**(fields | changes))  # type: ignore[arg-type]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FIDUCIAL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_the_child_ends_when_its_standard_input_does() -> None:
    child = subprocess.Popen(CHILD, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert running(child.pid)
    child.communicate()
    assert child.returncode == 0


def test_the_child_ends_with_its_parent_even_while_someone_else_holds_its_standard_input() -> None:
    script = f"import os, subprocess; print(subprocess.Popen({CHILD!r}).pid, flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        # The child has to be past its start: it ignores Ctrl-C from then on.
        status = Path(f"/proc/{pid}/status")
        while not int(status.read_text().partition("SigIgn:\t")[2].split()[0], 16) & 1 << (signal.SIGINT - 1):
            os.sched_yield()
        parent.kill()
        parent.wait()
        assert ends(pid)


def test_a_file_that_is_no_model_is_told_with_what_llama_said(cache: Path, tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF" + bytes(1000))
    with pytest.raises(FiducialError) as caught:
        asyncio.run(Server.start(serving(path)))
    text = str(caught.value)
    assert text.startswith("local/tiny did not start: llama.cpp ended with code 1")
    assert len(text.splitlines()) > 2
    log = Path(text.rpartition("(log: ")[2].removesuffix(")"))
    assert log.is_relative_to(cache)
    assert "broken.gguf" in log.read_text()


def test_a_child_that_never_answers_is_given_up(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xllamacpp")
    asleep = tmp_path / "python"
    asleep.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 60\n")
    asleep.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(asleep))
    with pytest.raises(FiducialError, match=r"not ready after 0\.3 s"):
        asyncio.run(Server.start(serving(tmp_path / "x.gguf"), timeout=0.3))
    assert not running(int((tmp_path / "pid").read_text()))


def test_without_llama_the_way_to_install_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "runtime_installed", lambda: False)
    with pytest.raises(UsageError, match=r"pip install '\.\[local\]'"):
        asyncio.run(Server.start(serving(Path("x.gguf"))))


def test_a_long_log_is_cut_down_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "log"
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    os.write(fd, b"x" * LOG_LIMIT + b"the end")
    _bound_log(fd)
    os.write(fd, b", and more")
    os.close(fd)
    assert path.stat().st_size == LOG_TAIL + len(", and more")
    assert path.read_bytes().endswith(b"xthe end, and more")


def test_old_logs_are_removed(cache: Path) -> None:
    (cache / "logs").mkdir(parents=True)
    for n in range(30):
        (cache / "logs" / f"{n:03}-tiny.log").touch()
    log = server_module._new_log("hf:owner/repo/tiny.gguf")
    assert log.parent == cache / "logs"
    assert min(p.name for p in (cache / "logs").iterdir()) == "010-tiny.log"


def test_the_errors_of_a_log_are_told_once_and_without_control_characters(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("0.1 W x: fine\n0.2 E load: \x1b[31mbad\n0.3 E load: \x1b[31mbad\nRuntimeError: no\n  at x\n")
    assert errors_in(path) == ["load: [31mbad", "RuntimeError: no"]
    path.write_text("Illegal instruction\n\n")
    assert errors_in(path) == ["Illegal instruction"]
    assert errors_in(tmp_path / "missing") == []


def test_there_is_at_least_one_thread_and_no_more_than_processors() -> None:
    assert 1 <= usable_threads() <= (os.cpu_count() or 1)


PARENT = """
import asyncio, sys
from pathlib import Path
from fiducial.model.local.server import Server, Serving

async def main():
    told = Serving(path=sys.argv[1], name="tiny", slots=1, context=256, threads=1, chat_template=None)
    server = await Server.start(told)
    print(server.pid, flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    if sys.argv[2] == "raise":
        raise ValueError("on purpose")

asyncio.run(main())
"""


@pytest.mark.local
@pytest.mark.parametrize("way", ["kill", "terminate", "end", "raise"])
def test_no_child_outlives_its_parent_however_that_ends(way: str) -> None:
    path = asyncio.run(ensure(find("smollm2"))).path
    command = [sys.executable, "-c", PARENT, str(path), way]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as parent:
        assert parent.stdout is not None and parent.stdin is not None
        pid = int(parent.stdout.readline())
        assert running(pid)
        if way in ("kill", "terminate"):
            parent.send_signal(signal.SIGKILL if way == "kill" else signal.SIGTERM)
        else:
            parent.stdin.write(b"\n")
            parent.stdin.flush()
        parent.wait()
        assert ends(pid)


@pytest.mark.local
def test_ctrl_c_for_the_group_does_not_reach_the_child() -> None:
    async def check() -> None:
        stored = await ensure(find("smollm2"))
        server = await Server.start(serving(stored.path))
        try:
            assert os.getpgid(server.pid) != os.getpgid(0)
            os.kill(server.pid, signal.SIGINT)
            assert not await server.gone(within=0.05)
        finally:
            await server.stop()
        assert not running(server.pid)

    asyncio.run(check())
