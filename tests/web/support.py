"""What the tests of the workbench share: a client that is signed in, and texts that try to get out of their place."""

from __future__ import annotations

import http.client
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from msgspec import Struct
from playwright.sync_api import Dialog, Page

from fiducial.web.desk import Desk
from fiducial.web.guard import Secrets

# Each would be seen by `watched` if it ran: as a dialog, an error, or a request to another address.
HOSTILE = (
    "<script>alert('script')</script>",
    "<img src=x onerror=alert('image')>",
    "\"><svg onload=alert('svg')>",
    "'-alert('quote')-'",
    "</textarea></title></style></script><script>alert('close')</script>",
    "javascript:alert('link')",
    "{{ 7 * 7 }}{% raw %}",
    "<a href='javascript:alert(1)'>click</a><iframe srcdoc='<script>alert(2)</script>'></iframe>",
    "<base href='https://evil.example/'><link rel=stylesheet href='https://evil.example/x.css'>",
    "\u202eevil\u202c \x1b[31mred\x1b[0m \x00nul",
    "${alert('template')} <!-- --> ]]> &lt;b&gt;",
)


class Answer(NamedTuple):
    """An answer of the server."""

    status: int
    headers: dict[str, str]
    text: str


class Client:
    """Plain HTTP, with what a browser of ours would send. It signs in with the launch address when it is first used."""

    def __init__(self, address: str) -> None:
        self.address = urlsplit(address)
        self.host = self.address.netloc

    def get(self, path: str, headers: dict[str, str] | None = None) -> Answer:
        return self.send("GET", path, headers={**self.known, **(headers or {})})

    def post(self, path: str, fields: dict[str, str], headers: dict[str, str] | None = None) -> Answer:
        """A form as a page of ours sends it; `headers` replace its own."""
        return self.send(
            "POST",
            path,
            headers={
                **self.known,
                "Origin": f"http://{self.host}",
                "Content-Type": "application/x-www-form-urlencoded",
                **(headers or {}),
            },
            body=urlencode({"csrf": self.csrf, **fields}),
        )

    def send(self, method: str, path: str, headers: dict[str, str], body: str | bytes | None = None) -> Answer:
        """Exactly this; a `Host` of one's own replaces the right one."""
        connection = http.client.HTTPConnection("127.0.0.1", self.address.port, timeout=60)
        try:
            connection.request(method, path, body=body, headers={"Host": self.host, **headers})
            answer = connection.getresponse()
            raw = answer.read()
        finally:
            connection.close()
        return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, raw.decode("utf-8", "replace"))

    @cached_property
    def known(self) -> dict[str, str]:
        """The cookie that the launch token is exchanged for."""
        answer = self.send("GET", f"/?{self.address.query}", headers={})
        return {"Cookie": answer.headers["set-cookie"].partition(";")[0]}

    @cached_property
    def csrf(self) -> str:
        return self.get("/nowhere").text.partition('<meta name="csrf" content="')[2].partition('"')[0]


class Bench(Struct, frozen=True):
    """A workbench that is running."""

    root: Path
    own: Secrets
    client: Client
    desk: Desk

    @property
    def base(self) -> str:
        return f"http://{self.own.host}"

    def run_id(self, name: str) -> str:
        """The id of the run whose place in the folder is `name`."""
        return next(one.id for one in self.desk.folder.runs() if one.name == name)

    def dataset_id(self, name: str) -> str:
        return next(one.id for one in self.desk.folder.datasets() if one.name == name)


def watched(page: Page, bench: Bench, trouble: list[str]) -> None:
    """Write down whatever a page should never do."""

    def dialog(one: Dialog) -> None:
        trouble.append(f"dialog: {one.message}")
        one.dismiss()

    page.on("dialog", dialog)
    page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
    page.on("console", lambda m: trouble.append(f"console: {m.text}") if m.type in {"error", "warning"} else None)
    page.on(
        "request",
        lambda r: None if r.url.startswith((bench.base, "data:")) else trouble.append(f"asked: {r.url}"),
    )


def fits(page: Page) -> bool:
    """Whether nothing makes the page scroll sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 1"))
