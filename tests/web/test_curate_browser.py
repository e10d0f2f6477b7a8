"""The curation page in a real browser: by keys, by touch, and with texts that try to get out of their place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from fiducial.review.dataset import candidates, load_dataset
from fiducial.review.frozen import freeze
from tests.review.folders import ITEM, only
from tests.web.curated import SEEING, page_of, put_judges, queue_of_two
from tests.web.support import HOSTILE, Bench, fits

pytestmark = pytest.mark.browser


@pytest.fixture(autouse=True)
def judges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_judges(tmp_path, monkeypatch)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return queue_of_two(tmp_path)


def hostile(root: Path) -> Path:
    """A dataset in which every text tries to get out of its place."""
    folder = root / "<img src=x onerror=alert(1)>"
    folder.mkdir(parents=True)
    lines = [f"R-{k} {text.replace(chr(0), '')}" for k, text in enumerate(HOSTILE)]
    (folder / "document.md").write_text("# " + HOSTILE[1] + "\n\n" + "\n\n".join(lines) + "\n", encoding="utf-8")
    freeze(folder, folder / "document.md")
    for k, text in enumerate(HOSTILE):
        one: dict[str, object] = dict.fromkeys(("title", "issue", "missing", "why", "source", "by"), text)
        one |= {"id": f"{text} {k}", "reviewer": text, "required_context": text, "at": text}
        one |= {"evidence": [lines[k], f"gone {text}"], "state": ["proposed", "unvalidated", "rejected"][k % 3]}
        one["zero_shot"] = {"model": text, "prompt_hash": text, "calls": 3, "found": True, "quotation": lines[k]}
        one["zero_shot"] |= {"calibration": text, "at": text}  # type: ignore[operator]
        with (folder / "candidates.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(one) + "\n")
            file.write(json.dumps(one | {"severity": "Minor"}) + "\n")
    return folder


def test_nothing_that_was_written_into_a_dataset_runs(
    serving: Callable[..., Bench], browse: Callable[..., Page], tmp_path: Path
) -> None:
    folder = hostile(tmp_path / "served")
    bench = serving(tmp_path / "served", judge="py/curate_judges:seeing")
    address = f"/datasets/{bench.desk.folder.datasets()[0].id}/curate"
    page = browse(bench, address, width=390, dark=True)
    expect(page.locator("article.candidate")).to_have_count(len(HOSTILE))
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert page.locator("main img, main iframe, main svg, main base, main script").count() == 0
    assert fits(page)
    key = page.locator("article.candidate").first.get_attribute("id")
    assert key is not None
    stale = bench.client.post(
        f"{address}/{key[2:]}/edit", {"seen": "x", **dict(zip("abcdefghijk", HOSTILE, strict=True))}
    )
    assert stale.status == 409
    assert all(text not in stale.text for text in HOSTILE if "<" in text)
    assert len(candidates(folder)) == len(HOSTILE)


def test_the_queue_is_worked_through_by_keys(
    serving: Callable[..., Bench], browse: Callable[..., Page], root: Path
) -> None:
    bench, folder = serving(root, judge=SEEING), root / "gauges"
    page = browse(bench, page_of(bench))
    page.get_by_label("Your name").fill("Ann")
    page.locator("h1").click()
    current = page.locator("article.at h3")
    expect(current).to_have_text(ITEM["title"])
    page.keyboard.press("e")
    expect(page.get_by_label("Title", exact=True).first).to_be_focused()
    page.get_by_label("Severity").first.select_option("Minor")
    page.get_by_role("button", name="Save").first.press("Enter")
    expect(page.get_by_role("status")).to_have_text("Saved.")
    expect(current).to_have_text(ITEM["title"])
    page.keyboard.press("t")
    expect(page.locator("article.at .tested")).to_contain_text("✓ found by")  # the page shows it by itself
    expect(page.locator("article.at mark.read")).to_have_text("A reading is kept for 30 days.")
    page.keyboard.press("m")
    expect(page.get_by_role("status")).to_contain_text("Written to must_find.jsonl")
    expect(current).to_have_text("Late readings vanish")
    assert [(one.severity, one.id) for one in only(folder).must_find or ()] == [("Minor", "kept")]
    page.keyboard.press("u")
    expect(page.get_by_role("status")).to_contain_text("Undone")
    expect(page.get_by_role("status")).to_be_in_viewport()
    expect(current).to_have_text(ITEM["title"])
    assert only(folder).must_find == ()
    page.keyboard.press("j")
    expect(current).to_have_text("Late readings vanish")
    page.keyboard.press("r")
    page.keyboard.type("just mcertu, not keys")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Rejected.")
    late = candidates(folder)["late"]
    assert (late.state, late.why, late.by) == ("rejected", "just mcertu, not keys", "Ann")
    expect(page.locator("article.candidate:not(.small)")).to_have_count(1)


def test_on_a_phone_everything_fits_and_works_by_touch(
    serving: Callable[..., Bench], browse: Callable[..., Page], root: Path
) -> None:
    bench = serving(root)
    page = browse(bench, page_of(bench), width=390, dark=True)
    first = page.locator("article.candidate").first
    for name in ("Confirm as must-find", "Move to context-dependent", "Edit", "Reject"):
        first.locator("summary", has_text=name).click()
        assert fits(page), name
    first.get_by_label("Why, in a few words").fill("no")
    first.get_by_role("button", name="Reject").click()
    expect(page.locator(".last")).to_contain_text("is rejected")
    page.locator(".last button").click()
    expect(page.get_by_role("status")).to_contain_text("Undone")
    assert load_dataset(root / "gauges").documents[0].must_find == ()
