"""The list of runs: what it shows, what it leaves out, and that it follows a run in flight."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from fiducial.web.folder import Folder
from fiducial.web.progress import ACTIVE, standing
from tests.web.made import bias_run, review_run
from tests.web.support import HOSTILE, Bench, fits

BIASES_ONE = ("gain_loss_framing",)
Serving = Callable[..., Bench]
Browse = Callable[..., Page]


def test_a_folder_without_runs_says_how_to_make_one(serving: Serving, tmp_path: Path) -> None:
    answer = serving(tmp_path).client.get("/")
    assert answer.status == 200
    assert "fiducial bias run" in answer.text


def test_runs_are_found_wherever_they_lie_and_other_files_are_not(tmp_path: Path) -> None:
    bias_run(tmp_path / "deep" / "er" / "one.db", "sim/coin")
    (tmp_path / "notes.db").write_text("no database")
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE t (x)").connection.commit()
    hidden = tmp_path / ".cache"
    hidden.mkdir()
    (tmp_path / "deep" / "er" / "one.db").with_name("link.db").symlink_to(tmp_path / "deep" / "er" / "one.db")
    assert [one.name for one in Folder(tmp_path).runs()] == ["deep/er/one"]


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    bias_run(tmp_path / "outside" / "one.db", "sim/coin")
    root = tmp_path / "root"
    root.mkdir()
    (root / "runs").symlink_to(tmp_path / "outside")
    (root / "one.db").symlink_to(tmp_path / "outside" / "one.db")
    assert Folder(root).runs() == []


def test_the_list_is_filtered_by_words_instrument_and_state(serving: Serving, tmp_path: Path) -> None:
    bias_run(tmp_path / "runs" / "plain.db", "sim/coin")
    bias_run(tmp_path / "runs" / "part.db", "sim/first", calls=5)
    review_run(tmp_path)
    bench = serving(tmp_path)

    def names(query: str) -> set[str]:
        text = bench.client.get(f"/runs/rows?{query}").text
        return {name for name in ("plain", "part", "night") if f"runs/{name}<" in text}

    assert names("") == {"plain", "part", "night"}
    assert names("q=coin") == {"plain"}
    assert names("instrument=review") == {"night"}
    assert names("state=complete") == {"plain", "night"}
    assert names("q=nothing+like+it") == set()


def test_a_run_that_nobody_is_at_is_incomplete_and_one_with_fresh_replies_is_running(tmp_path: Path) -> None:
    from fiducial.run.listing import listed

    path = bias_run(tmp_path / "part.db", "sim/first", calls=5)
    (served,) = Folder(tmp_path).runs()
    now = path.stat().st_mtime
    assert standing(served, listed(path), now=now + 1).state == "running"
    assert standing(served, listed(path), now=now + ACTIVE + 1).state == "incomplete"


def test_names_and_subjects_of_runs_are_text(serving: Serving, tmp_path: Path) -> None:
    for k, text in enumerate(HOSTILE):
        name = "".join(c for c in text if c not in "/\x00")
        path = bias_run(tmp_path / f"{k} {name}.db", "sim/coin", biases=BIASES_ONE)
        with sqlite3.connect(path) as db:
            settings = db.execute("SELECT value FROM meta WHERE key = 'settings'").fetchone()[0]
            db.execute("UPDATE meta SET value = json_set(?, '$.model', ?) WHERE key = 'settings'", (settings, text))
    answer = serving(tmp_path).client.get("/")
    assert answer.status == 200
    for forbidden in ("<script>alert", "<img src=x", "<svg onload", "<iframe", "<base "):
        assert forbidden not in answer.text


def test_a_damaged_file_is_listed_with_the_reason(serving: Serving, tmp_path: Path) -> None:
    path = bias_run(tmp_path / "torn.db", "sim/coin")
    raw = path.read_bytes()
    path.write_bytes(raw[:4096] + b"\xff" * (len(raw) - 4096))
    answer = serving(tmp_path).client.get("/")
    assert answer.status == 200
    assert "cannot be read" in answer.text


@pytest.mark.browser
def test_the_list_follows_a_run_in_flight(serving: Serving, browse: Browse, tmp_path: Path) -> None:
    path = bias_run(tmp_path / "runs" / "live.db", "sim/first", calls=7)
    page = browse(serving(tmp_path), "/")
    row = page.locator("tr", has_text="runs/live")
    expect(row).to_contain_text("7 / ")
    expect(row).to_contain_text("running")
    bias_run(path, "sim/first")
    expect(row).not_to_contain_text("running")  # without a reload
    expect(row).not_to_contain_text("7 / ")


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_two_runs_are_ticked_and_compared(serving: Serving, browse: Browse, tmp_path: Path, width: int) -> None:
    bias_run(tmp_path / "a.db", "sim/coin")
    bias_run(tmp_path / "b.db", "sim/planted:effect=.9")
    page = browse(serving(tmp_path), "/", width=width, dark=width == 390)
    button = page.get_by_role("button", name="Compare")
    expect(button).to_be_disabled()
    for box in page.get_by_role("checkbox").all():
        box.check()
    button.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Two runs compared")
    page.wait_for_selector("[data-drawn=differences]")
    assert fits(page)
