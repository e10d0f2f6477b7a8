"""The page of a review in a real browser: nothing runs, notes open, filters hide, marks and notes find each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page

from fiducial.report.review_page import review_page
from tests.report.judges import corrected_review
from tests.report.review_hostile import DOCUMENT, hostile_outputs, hostile_review
from tests.report.review_support import TEXT, review, several

pytestmark = pytest.mark.browser

PAGES: dict[str, Callable[[], str]] = {
    "hostile": lambda: review_page(hostile_review(), hostile_outputs(), {hostile_outputs()[0].document: DOCUMENT}),
    "normal": lambda: review_page(review(), several(), {"export": TEXT}),
    "trusted": lambda: review_page(corrected_review("planted"), several(), {"export": TEXT}),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("review")
    for name, render in PAGES.items():
        (made / f"{name}.html").write_text(render(), encoding="utf-8")
    return made


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    made = chromium.new_context(viewport={"width": 1280, "height": 800})
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext, folder: Path) -> Page:
    made = context.new_page()
    made.goto((folder / "normal.html").as_uri())
    return made


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280, 1600])
def test_nothing_runs_and_the_page_fits(
    chromium: Browser,
    folder: Path,
    name: str,
    scheme: Literal["light", "dark"],
    width: int,
) -> None:
    context = chromium.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    trouble: list[str] = []
    asked: list[str] = []

    def dialog(one: Dialog) -> None:
        trouble.append(f"dialog: {one.message}")
        one.dismiss()

    page.on("dialog", dialog)
    page.on("console", lambda m: trouble.append(m.text) if m.type in {"error", "warning"} else None)
    page.on("pageerror", lambda e: trouble.append(str(e)))
    page.on("request", lambda r: asked.append(r.url))
    page.goto((folder / f"{name}.html").as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    page.locator(".finding summary").first.click()
    page.locator("mark.ev").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("main script, main img, main iframe, main form").count() == 0
    page.wait_for_timeout(20)
    assert trouble == []
    assert asked == [(folder / f"{name}.html").as_uri()]
    context.close()


def test_a_click_opens_a_note_and_lights_its_evidence(page: Page) -> None:
    note = page.locator(".finding", has_text="200 ms against 5 minutes")
    issue = note.get_by_text("State one period.")
    assert not issue.is_visible()
    note.locator("summary").click()
    assert issue.is_visible()
    page.wait_for_selector("mark.lit")
    assert "200 ms" in page.locator("mark.lit").first.inner_text()


def test_a_click_on_a_mark_opens_its_note(page: Page) -> None:
    page.locator("mark.ev", has_text="Audit logs are kept").click()
    assert page.locator(".finding[open]").count() == 1
    assert "Audit logs have no period" in page.locator(".finding[open]").inner_text()


def test_notes_open_and_filters_work_without_scripts(chromium: Browser, folder: Path) -> None:
    context = chromium.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto((folder / "normal.html").as_uri())
    page.locator(".finding summary").first.click()
    assert page.locator(".finding dl").first.is_visible()
    genuine = page.locator(".finding.g")
    assert genuine.first.is_visible()
    page.locator("#show-g").uncheck()
    assert not any(one.is_visible() for one in genuine.all())
    page.locator("#by-1").uncheck()
    assert not any(one.is_visible() for one in page.locator(".finding.by1").all())
    assert page.locator(".finding.b.by0").first.is_visible()
    context.close()


def test_a_mark_loses_its_colour_with_its_verdict(page: Page) -> None:
    mark = page.locator("mark.ev", has_text="Audit logs are kept")
    colour = "one => getComputedStyle(one).backgroundColor"
    before = mark.evaluate(colour)
    page.locator("#show-g").uncheck()
    assert before != mark.evaluate(colour) == "rgba(0, 0, 0, 0)"


def test_notes_stand_beside_their_passage_and_below_it_on_a_phone(page: Page) -> None:
    def box(selector: str) -> dict[str, float]:
        found = page.locator(
            f".passage:has(> .blk:has-text('Audit logs are kept')) > {selector}"
        ).first.bounding_box()
        assert found is not None
        return {
            "x": found["x"],
            "y": found["y"],
            "right": found["x"] + found["width"],
            "end": found["y"] + found["height"],
        }

    assert box(".notes")["x"] >= box(".blk")["right"]
    assert abs(box(".notes")["y"] - box(".blk")["y"]) < 12
    page.set_viewport_size({"width": 400, "height": 800})
    assert box(".notes")["y"] >= box(".blk")["end"] - 4
