"""The page in a real browser: inert, complete without a network, readable in both themes and on a phone."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec
import pytest
from playwright.sync_api import Browser, Dialog

from fiducial.report.page import render_page
from tests.report.hostile import hostile, hostile_samples
from tests.report.judges import reader
from tests.report.made import bins, calibration, debiased, fifteen, run, samples
from tests.report.protocols import many, with_protocols

pytestmark = pytest.mark.browser

PAGES = {
    "hostile": lambda: render_page([hostile(), run()], hostile_samples()),
    "fifteen": lambda: render_page([run(fifteen())], samples()),
    "debiased": lambda: render_page(
        [
            run(
                [*(debiased(b, 0.2, -0.2, 0.0) for b in fifteen()), calibration()],
                reliability=bins((0.5, 0.4, 8), (0.95, 0.6, 40)),
            )
        ]
    ),
    "judged": lambda: render_page([msgspec.structs.replace(run(), judge=reader())]),
    "protocols": lambda: render_page([with_protocols(run()), with_protocols(run(name="b"), 0.2)]),
    "two runs": lambda: render_page([run(fifteen()), run(name="b", subject="openai/gpt-5-mini")], samples()),
}


@pytest.fixture(scope="module", params=PAGES)
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(PAGES[request.param](), encoding="utf-8")
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_page_is_inert_and_fits(
    chromium: Browser, file: Path, scheme: Literal["light", "dark"], width: int
) -> None:
    context = chromium.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    trouble: list[str] = []
    asked: list[str] = []

    def dialog(one: Dialog) -> None:
        trouble.append(f"dialog: {one.message}")
        one.dismiss()

    page.on("dialog", dialog)
    page.on("console", lambda m: trouble.append(f"console: {m.text}") if m.type in {"error", "warning"} else None)
    page.on("pageerror", lambda e: trouble.append(f"error: {e}"))
    page.on("request", lambda r: asked.append(r.url))
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    line = "getComputedStyle(document.querySelector('figure svg text[fill=\"var(--ink)\"]')).fill"
    ink = page.evaluate(line)
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    assert page.evaluate(line) != ink, "charts follow the theme"
    page.wait_for_timeout(20)
    assert trouble == []
    assert asked == [file.as_uri()]
    context.close()


def test_a_page_is_complete_without_scripts(chromium: Browser, file: Path) -> None:
    context = chromium.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator("#theme").is_hidden(), "no button that does nothing"
    assert page.locator("#effects .wide svg").first.is_visible()
    assert page.locator("#effects .narrow").is_hidden()
    assert page.locator("#provenance").is_visible()
    context.close()


def test_paper_is_light_whatever_the_screen_is(chromium: Browser, file: Path) -> None:
    context = chromium.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(file.as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    context.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_many_biases_are_folded_by_family_and_fit(chromium: Browser, tmp_path: Path, width: int) -> None:
    file = tmp_path / "report.html"
    file.write_text(render_page([run(many())]), encoding="utf-8")
    page = chromium.new_page(viewport={"width": width, "height": 800})
    page.goto(file.as_uri())
    assert page.locator("#effects .families > details").count() == 4
    assert page.locator("#effects .forest").first.is_hidden()
    page.locator("#effects button.all").click()
    assert page.locator("#effects .forest").last.is_visible()
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
