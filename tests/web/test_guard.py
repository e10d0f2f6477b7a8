"""The wall around the workbench: who may ask, and what an answer may do."""

from __future__ import annotations

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser

from fiducial.web import guard
from fiducial.web.folder import Folder
from tests.web.conftest import running
from tests.web.support import Bench


@pytest.fixture
def bench(serving: Callable[..., Bench], tmp_path: Path) -> Bench:
    return serving(tmp_path)


def test_without_a_session_nothing_is_shown(bench: Bench) -> None:
    for path in ("/", "/runs/x", "/static/x/page.css", "/nowhere", "/?token=", "/?token=wrong"):
        answer = bench.client.send("GET", path, headers={"Cookie": f"{bench.own.cookie}=wrong"})
        assert answer.status == 403, path
        assert "fiducial serve" in answer.text
        assert "set-cookie" not in answer.headers


def test_a_launch_address_works_once_and_the_next_one_is_announced(tmp_path: Path) -> None:
    said: list[str] = []
    with running(tmp_path, announce=said.append) as bench:
        token = urlsplit(said[-1]).query
        assert bench.client.send("HEAD", f"/?{token}", headers={}).status == 403
        answer = bench.client.send("GET", f"/?q=a&{token}", headers={})
        assert answer.headers["refresh"] == "0; url=/?q=a"
        cookie = answer.headers["set-cookie"]
        assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
        assert token.removeprefix("token=") not in cookie and "domain" not in cookie.lower()
        assert bench.client.send("GET", f"/?{token}", headers={}).status == 403
        assert len(said) == 3
        assert "set-cookie" in bench.client.send("GET", f"/?{urlsplit(said[2]).query}", headers={}).headers
        assert bench.client.send("GET", f"/?{token}", headers={"Cookie": cookie.partition(";")[0]}).status == 200


def test_the_way_in_leads_to_no_other_host(bench: Bench) -> None:
    answer = bench.client.send("GET", f"//evil.example/?{urlsplit(bench.own.address).query}", headers={})
    assert answer.headers["refresh"] == "0; url=/evil.example/"


def test_another_name_for_this_machine_is_refused(bench: Bench) -> None:
    port = urlsplit(bench.base).port
    for host in ("evil.example", f"evil.example:{port}", f"127.0.0.1:{port}", f"localhost:{port}", ""):
        answer = bench.client.get("/", {"Host": host})
        assert answer.status == 421 and ".localhost" not in answer.text
    assert bench.client.get("/").status == 200


def test_a_browser_is_let_in_from_another_page_and_sends_the_cookie_to_no_other_server(
    bench: Bench, chromium: Browser
) -> None:
    """A local server that the user visits links to the launch address, as a terminal in the browser would."""
    cookies: list[str] = []

    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            cookies.append(self.headers.get("Cookie", ""))
            page = f'<a href="{bench.own.address}">open</a>'.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Other) as other, chromium.new_context() as context:
        Thread(target=other.serve_forever).start()
        try:
            page = context.new_page()
            page.goto(f"http://127.0.0.1:{other.server_port}/")
            page.click("a")
            page.wait_for_url(f"{bench.base}/")
            assert page.title() == "Runs · Fiducial"
            cookies.clear()
            for host in ("127.0.0.1", "localhost", "other.localhost"):
                page.goto(f"http://{host}:{other.server_port}/")
            assert set(cookies) == {""} and len(context.cookies()) == 1
        finally:
            other.shutdown()


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"X-Fiducial-CSRF": "wrong"},
    ],
)
def test_a_form_from_elsewhere_is_refused(bench: Bench, headers: dict[str, str]) -> None:
    assert bench.client.post("/nowhere", {"a": "b"}, headers).status == 403


def test_a_form_of_ours_comes_through_to_its_page(bench: Bench) -> None:
    assert bench.client.post("/nowhere", {"a": "b"}).status == 404  # past the wall, there is no such page
    assert bench.client.post("/nowhere", {"csrf": "wrong"}).status == 403
    assert bench.client.post("/nowhere", {}, {"Cookie": "fiducial-1=x"}).status == 403


def test_bodies_are_forms_of_a_sane_size(bench: Bench) -> None:
    assert bench.client.post("/nowhere", {}, {"Content-Type": "application/json"}).status == 415
    assert bench.client.post("/nowhere", {"a": "x" * 1_000_001}).status == 413
    assert bench.client.post("/nowhere", {f"f{k}": "" for k in range(300)}).status == 400
    assert bench.client.send("PUT", "/", headers=bench.client.known).status == 405


MANY = "&".join(f"f{k}=" for k in range(300))


@pytest.mark.parametrize("session", [True, False])
@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/", {}),
        ("HEAD", "/", {}),
        ("PUT", "/", {}),
        ("GET", "/nowhere", {}),
        ("GET", f"/?{MANY}", {}),
        ("GET", "/%ff%00%zz?q=%ff%zz&token=%ff", {}),
        ("GET", "/runs/%0d%0aX-Evil:1", {}),
        ("GET", "/broken", {}),
        ("GET", "/", {"Cookie": 'fiducial=";;=\xff'}),
        ("GET", "/", {"Host": "evil.example"}),
        ("POST", "/", {}),
        ("POST", "/", {"Content-Type": "application/json"}),
    ],
)
def test_every_answer_carries_the_policy_and_none_without_a_session_a_secret(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, session: bool, method: str, path: str, headers: dict[str, str]
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("broken")

    if path == "/broken":
        monkeypatch.setattr(Folder, "runs", broken)
        path = "/"
    known = bench.client.known if session else {}
    answer = bench.client.send(method, path, {**known, "Origin": bench.base, **headers})
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe-eval" not in policy
    assert "unsafe-inline" not in policy.replace("style-src-attr 'unsafe-inline'", "")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert answer.headers["cache-control"] == "no-store"
    assert "x-evil" not in answer.headers
    if not session:
        assert answer.status >= 400
        assert bench.own.csrf not in answer.text and bench.own.session not in str(answer)


def test_a_form_that_never_ends_is_answered(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "PATIENCE", 0.01)
    answer = bench.client.post("/nowhere", {"a": "b"}, {"Content-Length": "1000"})
    assert answer.status == 408


def test_no_address_leads_out_of_the_folder(bench: Bench, tmp_path: Path) -> None:
    (tmp_path.parent / "secret.db").write_text("secret")
    for path in ("/runs/../secret", "/runs/..%2Fsecret", "/static/x/../../app.py", "/static/x/%2e%2e%2fapp.py"):
        answer = bench.client.get(path)
        assert answer.status == 404, path
        assert "secret" not in answer.text.replace("/secret", "")
