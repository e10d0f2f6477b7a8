"""`fiducial serve` as a command: a real process, its address, and its end."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from fiducial.web.serve import host_of
from tests.cli.support import fiducial
from tests.web.support import Client


@pytest.mark.parametrize("plain", [False, True])
def test_it_prints_an_address_that_opens_it_once_and_then_the_next(tmp_path: Path, plain: bool) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "fiducial.cli.main", "serve", str(tmp_path), *(["--plain-host"] if plain else [])],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "FIDUCIAL_CACHE": str(tmp_path)},
    )
    assert process.stdout
    try:
        said = "".join(process.stdout.readline() for _ in range(3))
        host = r"127\.0\.0\.1" if plain else r"fiducial-[0-9a-f]{16}\.localhost"
        found = re.search(rf"http://{host}:\d+/\?token=[\w-]{{30,}}", said)
        assert found, said
        client = Client(found[0])
        assert client.send("GET", "/static/x/page.css", headers={}).status == 403
        assert client.get("/").status == 200
        assert "another browser" in process.stdout.readline()
        again = Client(process.stdout.readline().strip())
        assert again.address.query != client.address.query
        assert again.get("/").status == 200
    finally:
        process.send_signal(signal.SIGINT)
        _, trouble = process.communicate(timeout=30)
    assert process.returncode == 0
    assert trouble == ""


def test_a_folder_keeps_a_host_name_that_others_cannot_guess(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIDUCIAL_CACHE", str(tmp_path / "cache"))
    one = host_of(tmp_path)
    assert one == host_of(tmp_path) != host_of(tmp_path / "other")
    (key,) = (tmp_path / "cache").iterdir()
    assert key.stat().st_mode & 0o077 == 0
    key.unlink()
    assert host_of(tmp_path) != one


def test_it_listens_on_this_machine_alone_and_says_when_a_port_is_taken(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = fiducial("serve", tmp_path, "--port", port, cwd=tmp_path)
    assert done.returncode == 2
    assert "cannot be had" in done.stderr


def test_what_it_cannot_serve_is_refused_in_words(tmp_path: Path) -> None:
    assert fiducial("serve", tmp_path / "nowhere", cwd=tmp_path).returncode == 2
    done = fiducial("serve", tmp_path, "--judge", "no-such-model", cwd=tmp_path)
    assert done.returncode == 2
    assert "no-such-model" in done.stderr
