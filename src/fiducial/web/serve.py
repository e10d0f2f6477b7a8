"""The server: this machine alone, one process, an address that opens it once."""

from __future__ import annotations

import hmac
import os
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import uvicorn

from fiducial.errors import UsageError
from fiducial.model.local.fetch import cache_folder
from fiducial.web.app import make_app
from fiducial.web.desk import Desk
from fiducial.web.guard import Secrets

HOST = "127.0.0.1"
PORT = 8420
KEY = 32  # bytes


def serve(
    root: Path,
    *,
    port: int | None = None,
    judge: str | None = None,
    host: str | None = None,
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve a folder until somebody interrupts.

    `ready` is told the address once it can be opened. An address can be used once: `ready` is told the next one when it was.

    Without a `port` it is 8420, or any free one where that is taken; without a `host` name it is the folder's own below
    `.localhost`. The folder becomes the working folder: what commands find in theirs (`calibrations/`, datasets that a run
    names), the pages find too.
    """
    os.chdir(root)
    with _listening(port) as listener:
        own = Secrets(listener.getsockname()[1], ready, host=host or host_of(Path.cwd()))
        config = uvicorn.Config(
            make_app(Desk(Path.cwd(), judge=judge), own),
            log_level="error",
            access_log=False,  # an address may hold a launch token
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=2,
            ws="none",
        )
        uvicorn.Server(config).run(sockets=[listener])


def host_of(folder: Path) -> str:
    """The host name of a folder, which nobody else can guess.

    It is the same at every start: the browser's cookies say who labels there, and that they are not to see how far raters
    agree before they are done.
    """
    place = cache_folder() / "workbench.key"
    try:
        key = place.read_bytes()
    except OSError:
        key = b""
    if len(key) < KEY:
        key = secrets.token_bytes(KEY)
        with suppress(OSError):  # without a cache, the name is a new one at every start
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch(0o600)
            place.write_bytes(key)
    return f"fiducial-{hmac.new(key, os.fsencode(folder), 'sha256').hexdigest()[:16]}.localhost"


def _listening(port: int | None) -> socket.socket:
    for wanted in (PORT, 0) if port is None else (port,):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((HOST, wanted))
            listener.listen(128)
        except OSError as error:
            listener.close()
            if wanted == 0 or port is not None:
                raise UsageError(
                    f"--port {wanted}: cannot be had ({error.strerror}). Leave --port out to take a free one."
                ) from error
        else:
            return listener
    raise AssertionError("a free port is always tried last")
