"""The findings of a run in the margin, what had to be found, and the history of a claim."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from fiducial.review.labels import append_label
from tests.review.standins import FINDINGS, Judging, Scripted, make_dataset, reviewer, verdict
from tests.web.reviews import case_of, folder, review
from tests.web.support import HOSTILE, Bench, fits

OWNER, TIMETABLE, CHILDREN = (title for title, _ in FINDINGS)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder(tmp_path_factory.mktemp("reviews"))


@pytest.fixture
def bench(serving: Callable[..., Bench], made: Path) -> Bench:
    return serving(made)


def page_of(bench: Bench, query: str = "") -> str:
    answer = bench.client.get(f"/runs/{bench.run_id('runs/first')}/findings{query}")
    assert answer.status == 200
    return answer.text


def shown(text: str) -> list[str]:
    """The titles of the notes on a page."""
    notes = re.findall(r'<details class="finding (?!must).*?<bdi>(.*?)</bdi>', text, re.DOTALL)
    return [note.strip() for note in notes]


def test_every_finding_of_the_document_is_in_its_margin(bench: Bench) -> None:
    text = page_of(bench)
    assert sorted(shown(text)) == sorted([OWNER, TIMETABLE, CHILDREN] * 2 + [OWNER])
    assert "an empty output" in text


def test_filters_leave_the_numbers_of_the_notes_as_they_are(bench: Bench) -> None:
    number = re.search(rf'id="(n0-\d+)"[^>]*>\s*<summary>(?:(?!<summary>).)*{TIMETABLE}', page_of(bench), re.DOTALL)
    assert number
    text = page_of(bench, "?verdict=genuine&reviewer=probe&run=1")
    assert shown(text) == [TIMETABLE]
    assert f'id="{number[1]}"' in text
    assert shown(page_of(bench, "?reviewer=nobody")) == []
    assert "No finding fits" in page_of(bench, "?reviewer=nobody")


def test_a_must_find_says_who_found_it_in_which_run_and_leads_to_the_finding(bench: Bench) -> None:
    text = page_of(bench)
    lane = text[text.index('id="h-wanted"') : text.index('id="h-document"')]
    assert "found in 2 of 3 outputs" in lane  # of the fourth, the judge gave no valid verdict
    link = re.search(r'<a href="#(n0-\d+)" title="found: Timetable contradicts itself">', lane)
    assert link
    assert f'id="{link[1]}"' in text


def test_a_planted_flaw_is_told_apart_and_shows_what_was_changed(bench: Bench) -> None:
    text = page_of(bench)
    assert text.count("planted flaw") == 1
    assert "unit-mismatch" in text
    assert "<del>within a week</del>" in text
    assert "<ins>within a fortnight</ins>" in text
    assert 'class="ev' in text and re.search(r'<mark class="ev[^"]*\bpl\b', text)
    assert re.search(r'<a class="ref own" id="in-text-1" href="#n0-\d+">M1</a>', text)


def test_another_document_or_run_is_not_here(bench: Bench) -> None:
    run = bench.run_id("runs/first")
    assert bench.client.get(f"/runs/{run}/findings?document=nothing").status == 404
    assert bench.client.get("/runs/nothing/findings").status == 404
    assert bench.client.get(f"/runs/{run}/findings/0000000000000000").status == 404


def test_the_history_names_every_judge_and_every_run_on_the_text(bench: Bench, made: Path) -> None:
    case = case_of(made / "runs" / "first.db", OWNER)
    text = bench.client.get(f"/runs/{bench.run_id('runs/first')}/findings/{case}").text
    assert "py/one" in text and "py/two" in text
    assert "○ superseded" in text and "✓ counts" in text
    assert "said genuine" in text and "says not genuine" in text
    assert f"/runs/{bench.run_id('later/second')}/findings/{case}?document=buses" in text
    assert "Nobody has labelled it yet" in text


def test_what_people_said_of_a_claim_is_not_told(bench: Bench, made: Path) -> None:
    case = case_of(made / "runs" / "first.db", CHILDREN)
    append_label(made / "data" / "buses", case=case, rater="rater-zed", label=0, note="a secret remark")
    text = bench.client.get(f"/runs/{bench.run_id('runs/first')}/findings/{case}").text
    assert "1 rater has labelled it" in text
    assert "secret remark" not in text and "rater-zed" not in text


def test_a_run_without_outputs_or_judges_says_so(serving: Callable[..., Bench], tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path / "bare")
    review(tmp_path / "quiet.db", dataset, Scripted("No issues found."), None)
    bench = serving(tmp_path)
    text = bench.client.get(f"/runs/{bench.run_id('quiet')}/findings").text
    assert "no judge was asked" in text
    assert "no list of must-finds" in text
    assert "No output about this document has a finding" in text


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_one_walks_through_findings_opens_a_history_and_comes_back(
    bench: Bench, browse: Callable[..., Page], width: int, dark: bool
) -> None:
    page = browse(bench, f"/runs/{bench.run_id('runs/first')}/findings", width=width, dark=dark)
    assert fits(page)
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(".walk [role=status]")).to_have_text("2 of 7")
    expect(page.locator("details.finding[open]")).to_have_count(1)
    page.keyboard.press("k")
    expect(page.locator(".walk [role=status]")).to_have_text("1 of 7")
    page.select_option("select[name=verdict]", "genuine")
    page.wait_for_url("**verdict=genuine*")
    notes = page.locator("details.finding:not(.must)")
    expect(notes).to_have_count(2)
    page.locator("mark.ev", has_text="The last bus").first.click()
    opened = page.locator("details.finding[open]")
    expect(opened).to_have_count(1)
    opened.get_by_text("Its history").click()
    expect(page.locator("h1")).to_have_text(TIMETABLE)
    assert fits(page)
    page.get_by_text("In the margin of").click()
    expect(page.locator("details.finding[open] .title").first).to_contain_text(TIMETABLE)


@pytest.mark.browser
def test_a_must_find_leads_to_its_place_and_to_the_finding_taken_for_it(
    bench: Bench, browse: Callable[..., Page]
) -> None:
    page = browse(bench, f"/runs/{bench.run_id('runs/first')}/findings")
    page.locator("a.ref.own", has_text="M1").click()
    card = page.locator("details.must[open]")
    expect(card).to_have_count(1)
    expect(page.locator("mark.lit")).not_to_have_count(0)
    card.locator("table.grid a").first.click()
    expect(page.locator("details.finding[open]:not(.must)")).to_have_count(1)
    page.goto(f"{bench.base}/runs/{bench.run_id('runs/first')}/findings?run=2&reviewer=other")
    assert fits(page)


@pytest.mark.browser
def test_hostile_findings_stay_text(
    serving: Callable[..., Bench], browse: Callable[..., Page], tmp_path: Path
) -> None:
    rough = "<script>alert('name')</script>"
    titles = [(text, f"{text} of the office") for text in HOSTILE]
    wanted: list[dict[str, object]] = [
        {"id": f"m{k}", "title": text, "issue": text, "evidence": [text], "reviewer": None}
        for k, text in enumerate(HOSTILE)
    ]
    document = f"# Night buses {HOSTILE[0]}\n\nComplaints are answered by {HOSTILE[1]}\n"
    dataset = make_dataset(tmp_path / "<img src=x onerror=alert(1)>", wanted, text=document)
    lines = [
        json.dumps({"title": title, "issue": issue, "section": issue, "why_it_matters": title, "suggestion": issue})
        for title, issue in titles
    ]
    judge = Judging(genuine=lambda about, before: verdict(reason=HOSTILE[4], category=HOSTILE[2]))
    review(
        tmp_path / "a.db", dataset, Scripted("\n".join(lines)), judge, reviewers=[reviewer(rough)], judge_name=rough
    )
    bench = serving(tmp_path)
    run = bench.run_id("a")
    page = browse(bench, f"/runs/{run}/findings")
    page.evaluate("document.querySelectorAll('details').forEach(function (one) { one.open = true; })")
    expect(page.get_by_text("alert('script')").first).to_be_visible()
    assert fits(page)
    page.goto(f"{bench.base}/runs/{run}/findings/{case_of(tmp_path / 'a.db', HOSTILE[0])}")
    page.evaluate("document.querySelectorAll('details').forEach(function (one) { one.open = true; })")
    expect(page.locator("h1")).to_contain_text("alert('script')")
    assert fits(page)
