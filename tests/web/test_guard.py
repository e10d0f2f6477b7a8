"""The wall around the workbench: who may ask, and what an answer may do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.web.support import Bench


@pytest.fixture
def bench(serving: Callable[..., Bench], tmp_path: Path) -> Bench:
    return serving(tmp_path)


def test_without_the_key_nothing_is_shown(bench: Bench) -> None:
    for path in ("/", "/runs/x", "/static/x/page.css", "/nowhere", "/?token=", "/?token=wrong"):
        answer = bench.client.send("GET", path, headers={})
        assert answer.status == 403, path
        assert "fiducial serve" in answer.text
        assert "set-cookie" not in answer.headers


def test_the_key_becomes_a_cookie_that_no_script_reads_and_no_other_site_sends(bench: Bench) -> None:
    answer = bench.client.send("GET", f"/?q=a&token={bench.own.token}", headers={})
    assert answer.status == 303
    assert answer.headers["location"] == "/?q=a"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_the_way_in_leads_to_no_other_host(bench: Bench) -> None:
    answer = bench.client.send("GET", f"//evil.example/?token={bench.own.token}", headers={})
    assert answer.status == 303
    assert answer.headers["location"].startswith("/evil.example")


def test_another_name_for_this_machine_is_refused(bench: Bench) -> None:
    for host in ("evil.example", f"evil.example:{bench.own.port}", "127.0.0.1", "127.0.0.1:1", ""):
        assert bench.client.get("/", {"Host": host}).status == 421
    assert bench.client.get("/", {"Host": f"localhost:{bench.own.port}"}).status == 200


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


def test_every_answer_carries_the_policy(bench: Bench) -> None:
    for answer in (
        bench.client.get("/"),
        bench.client.get("/nowhere"),
        bench.client.send("GET", "/", headers={}),
    ):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe-eval" not in policy
        assert "unsafe-inline" not in policy.replace("style-src-attr 'unsafe-inline'", "")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"


def test_no_address_leads_out_of_the_folder(bench: Bench, tmp_path: Path) -> None:
    (tmp_path.parent / "secret.db").write_text("secret")
    for path in ("/runs/../secret", "/runs/..%2Fsecret", "/static/x/../../app.py", "/static/x/%2e%2e%2fapp.py"):
        answer = bench.client.get(path)
        assert answer.status == 404, path
        assert "secret" not in answer.text.replace("/secret", "")
