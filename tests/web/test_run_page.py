"""The page of a run: the audit on top, the report's content, and charts that lead to the replies."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from fiducial.report.write import bias_parts
from fiducial.web.charts import bias_charts
from tests.report.made import fifteen, run
from tests.web.made import bias_run, review_run
from tests.web.support import HOSTILE, Bench, fits

Serving = Callable[..., Bench]
Browse = Callable[..., Page]


def test_the_audit_stands_above_the_charts_and_the_effects(serving: Serving, tmp_path: Path) -> None:
    bias_run(tmp_path / "one.db")
    bench = serving(tmp_path)
    text = bench.client.get(f"/runs/{bench.run_id('one')}").text
    places = [text.index(f'id="{name}"') for name in ("audit", "explore", "effects", "methods")]
    assert places == sorted(places)


def test_every_estimate_of_the_report_is_in_the_charts(tmp_path: Path) -> None:
    (result,), _ = bias_parts([bias_run(tmp_path / "one.db")])
    charts = {chart.id: chart for chart in bias_charts(result, "one-1")}
    assert {row["value"] for row in charts["effects"].rows} == {b.effect.value for b in result.biases}  # type: ignore[union-attr]
    assert len(charts["items"].rows) == sum(item.value is not None for b in result.biases for item in b.items)
    assert all(str(row["href"]).startswith("/runs/one-1/replies?") for c in charts.values() for row in c.rows)


def test_domains_are_a_chart_where_they_have_estimates() -> None:
    charts = {chart.id: chart for chart in bias_charts(run(fifteen()), "x")}
    signs = {row["side"] for row in charts["domains"].rows}
    assert signs == {"toward the bias", "away from it"}
    assert all(0 <= float(str(row["size"])) <= 1 for row in charts["domains"].rows)


def test_a_run_of_a_judge_has_a_page_too(serving: Serving, tmp_path: Path) -> None:
    import sqlite3

    path = bias_run(tmp_path / "trial.db", "sim/coin")
    with sqlite3.connect(path) as db:
        db.execute(
            "UPDATE meta SET value = json_set(value, '$.instrument', 'judge-calibrate') WHERE key = 'settings'"
        )
    bench = serving(tmp_path)
    answer = bench.client.get(f"/runs/{bench.run_id('trial')}")
    assert answer.status == 200
    assert "fiducial judge calibrate" in answer.text


def test_a_run_that_is_not_there_is_a_page_that_says_so(serving: Serving, tmp_path: Path) -> None:
    bench = serving(tmp_path)
    for path in ("/runs/nothing", "/runs/nothing/charts.json", "/compare?run=a&run=b"):
        answer = bench.client.get(path)
        assert answer.status == 404
        assert "no such run" in answer.text
    assert bench.client.get("/compare?run=a").status == 400


def test_a_result_is_computed_once_until_the_file_changes(
    serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fiducial.web.pages import run as page

    path = bias_run(tmp_path / "one.db", "sim/first", calls=6)
    bench = serving(tmp_path)
    seen: list[Path] = []
    monkeypatch.setattr(page, "bias_parts", lambda paths: seen.extend(paths) or bias_parts(paths))  # type: ignore[func-returns-value]
    there = f"/runs/{bench.run_id('one')}"
    for where in (there, f"{there}/charts.json", there):
        assert bench.client.get(where).status == 200
    assert len(seen) == 1
    bias_run(path, "sim/first")
    assert "all 25 trials have a reply" in bench.client.get(there).text
    assert len(seen) == 2


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_charts_are_drawn_without_eval_and_lead_to_the_replies(
    serving: Serving, browse: Browse, tmp_path: Path, width: int
) -> None:
    bias_run(tmp_path / "one.db")
    bench = serving(tmp_path)
    there = f"/runs/{bench.run_id('one')}"
    page = browse(bench, there, width=width, dark=width == 390)
    for chart in ("items", "doses", "effects"):
        page.locator(f"#explore button[data-id={chart}]").click()
        page.wait_for_selector(f"[data-drawn={chart}] svg .mark-symbol path")
    mark = page.locator("#explore svg .mark-symbol path").first
    mark.hover()
    expect(page.locator("#explore .tip")).to_be_visible()
    assert fits(page)
    mark.click()
    page.wait_for_url(f"**{there}/replies?bias=*")


@pytest.mark.browser
def test_what_a_reviewer_wrote_stays_text(serving: Serving, browse: Browse, tmp_path: Path) -> None:
    review_run(tmp_path, titles=HOSTILE, runs=1)
    bench = serving(tmp_path)
    page = browse(bench, f"/runs/{bench.run_id('runs/night')}")
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    page.wait_for_selector("[data-drawn=precision]")
    expect(page.locator("body")).to_contain_text("<img src=x onerror=alert('image')>")
    assert page.locator("iframe, img, base").count() == 0


def test_charts_are_data_and_nothing_else(serving: Serving, tmp_path: Path) -> None:
    review_run(tmp_path, titles=HOSTILE[:2], runs=1)
    bench = serving(tmp_path)
    answer = bench.client.get(f"/runs/{bench.run_id('runs/night')}/charts.json")
    assert answer.headers["content-type"] == "application/json"
    assert {chart["id"] for chart in json.loads(answer.text)} == {"precision", "recall"}
