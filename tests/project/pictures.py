"""The pictures of the tutorials, from what their commands leave behind: `python -m tests.project.tutorials pictures`."""

from __future__ import annotations

import re
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conftest import ARGS
from tests.project.tutorials import DOCS, ran

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FloatRect

LARGEST = 200_000  # bytes; a page of documentation is not a download


def make() -> None:
    """Run each tutorial and photograph what it made."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=shutil.which("chromium"), args=ARGS)
        for name, made in (("bias", "planted.html"), ("review", "first.html"), ("judge", None)):
            with tempfile.TemporaryDirectory() as place:
                folder = Path(place, "tutorial")  # the workbench shows its name
                folder.mkdir()
                text = (DOCS / f"tutorial-{name}.md").read_text(encoding="utf-8")
                for _ in ran(text, folder):
                    pass
                with _address(folder, made) as address:
                    _photograph(browser, address, DOCS / f"tutorial-{name}.png")
        browser.close()


@contextmanager
def _address(folder: Path, made: str | None) -> Iterator[str]:
    """Of the report that the tutorial wrote, or, without one, of the workbench's page on judges."""
    if made is not None:
        yield (folder / made).as_uri()
        return
    import uvicorn

    from fiducial.web.app import make_app
    from fiducial.web.desk import Desk
    from fiducial.web.guard import Secrets

    listening = socket.create_server(("127.0.0.1", 0))
    own = Secrets(listening.getsockname()[1])
    server = uvicorn.Server(uvicorn.Config(make_app(Desk(folder), own), log_level="warning", ws="none"))
    thread = threading.Thread(target=lambda: server.run(sockets=[listening]))
    thread.start()
    try:
        yield own.address.replace("/?", "/judges?")
    finally:
        server.should_exit = True
        thread.join()


def _photograph(browser: Browser, address: str, target: Path) -> None:
    """The effects of a bias report; the top of the others; of the workbench, the first judge."""
    height = 1040 if "/judges" in address else 660
    page = browser.new_page(viewport={"width": 1100, "height": height}, color_scheme="light")
    page.goto(address)
    if "/judges" in address:
        page.wait_for_url(re.compile("/judges$"))
        page.locator("a[href^='/judges/']").first.click()
    page.wait_for_load_state("networkidle")
    effects = page.locator("#effects")
    if box := effects.bounding_box() if effects.count() else None:
        x, y = box["x"] - 24, box["y"] - 24
        clip: FloatRect = {"x": x, "y": y, "width": box["width"] + 48, "height": box["height"] + 40}
        page.screenshot(path=target, full_page=True, clip=clip)
    else:
        page.screenshot(path=target)
    page.close()
    size = target.stat().st_size
    assert size < LARGEST, f"{target.name} has {size} bytes"
    print(target.name, size)
