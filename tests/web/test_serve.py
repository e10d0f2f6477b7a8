"""`fiducial serve` as a command: a real process, its address, and its end."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

from tests.cli.support import fiducial


def test_it_prints_an_address_with_a_key_serves_and_ends_on_ctrl_c(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "fiducial.cli.main", "serve", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout
    try:
        said = "".join(process.stdout.readline() for _ in range(2))
        found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=[\w-]{30,}", said)
        assert found, said
        with urlopen(f"http://127.0.0.1:{found[1]}/static/x/page.css") as answer:  # without the key
            raise AssertionError(answer.status)
    except OSError as error:
        assert "403" in str(error)
    finally:
        process.send_signal(signal.SIGINT)
        _, trouble = process.communicate(timeout=30)
    assert process.returncode == 0
    assert trouble == ""


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
