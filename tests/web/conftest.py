"""A real server on loopback, and a real browser to look at it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page

from fiducial.web.app import make_app
from fiducial.web.desk import Desk
from fiducial.web.guard import Secrets
from tests.web.support import Bench, Client, watched


@contextmanager
def running(
    root: Path, judge: str | None = None, announce: Callable[[str], None] = lambda address: None
) -> Iterator[Bench]:
    """The workbench over a folder, as `fiducial serve` runs it, in a thread."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    own = Secrets(listener.getsockname()[1], announce)
    desk = Desk(root, judge=judge)
    server = uvicorn.Server(
        uvicorn.Config(make_app(desk, own), log_level="critical", ws="none", timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=lambda: server.run(sockets=[listener]))
    thread.start()
    try:
        client = Client(own.address)
        assert client.known  # signed in, before the test uses the next address
        yield Bench(root=root, own=own, client=client, desk=desk)
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@pytest.fixture
def serving() -> Iterator[Callable[..., Bench]]:
    """`serving(root, judge=None)`: a workbench over that folder until the test ends."""
    with ExitStack() as stack:

        def start(root: Path, judge: str | None = None) -> Bench:
            return stack.enter_context(running(root, judge))

        yield start


@pytest.fixture
def browse(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """`browse(bench, "/path", width=1280, dark=False)`: a page of that workbench, opened with the launch address.

    Each has a browser profile of its own. At the end of the test none may have run foreign script, asked anything of
    another address, broken the policy or scrolled sideways.
    """
    contexts: list[BrowserContext] = []
    trouble: list[str] = []

    def open_page(bench: Bench, path: str = "/", *, width: int = 1280, dark: bool = False) -> Page:
        context = chromium.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
        )
        contexts.append(context)
        page = context.new_page()
        watched(page, bench, trouble)
        page.goto(bench.own.address)
        page.wait_for_url(f"{bench.base}/")
        if path != "/":
            page.goto(bench.base + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert trouble == []
