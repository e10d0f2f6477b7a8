"""The replies in a real browser: by keyboard, narrow and dark, with hostile words everywhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.web.made import apart
from tests.web.reply_runs import bias_run
from tests.web.support import Bench, fits

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("runs")
    apart(lambda: bias_run(root / "sorts.db"))
    return root


def test_from_the_filter_to_a_reply_to_the_next_by_key_and_back(
    serving: Callable[..., Bench], browse: Callable[..., Page], folder: Path
) -> None:
    bench = serving(folder)
    base = f"/runs/{bench.run_id('sorts')}/replies"
    page = browse(bench, base)
    page.get_by_label("Arm").select_option("strong")
    page.wait_for_url("**arm=strong**")
    expect(page.locator("tr[id]")).to_have_count(10)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector("#h-prompt")
    second = page.url
    expect(page.locator("mark.marked").first).to_contain_text("reads very much")
    page.keyboard.press("j")
    page.wait_for_url(lambda url: url != second and "arm=strong" in url)
    expect(page.locator(".run strong").first).to_have_text("strong")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(second)
    page.keyboard.press("Escape")
    page.wait_for_url("**?arm=strong&at=**")
    expect(page.locator("tr:target [data-row]")).to_be_focused()
    page.get_by_label("Text of the reply").fill("evil")
    page.keyboard.press("j")  # typed, not a step
    expect(page).to_have_url(re.compile("at="))


def test_the_pages_fit_a_phone_in_the_dark_and_nothing_in_them_runs(
    serving: Callable[..., Bench], browse: Callable[..., Page], folder: Path
) -> None:
    bench = serving(folder)
    base = f"/runs/{bench.run_id('sorts')}/replies"
    page = browse(bench, f"{base}?role=all", width=390, dark=True)
    expect(page.locator("tr[id]")).to_have_count(24)
    assert fits(page)
    for reply in (12, 14, 15, 18):
        page.goto(f"{bench.base}{base}/{reply}")
        page.locator("summary").click()
        assert fits(page), reply
