"""Datasets, the way to a gate, and the judges."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Page, expect

from fiducial.judge.calibration import save
from fiducial.judge.genuine import genuine_version
from tests.judge.made import calibration
from tests.review.standins import Judging, Scripted, as_output, make_dataset, reviewer
from tests.web.reviews import folder, review, write_queue
from tests.web.support import HOSTILE, Bench, fits


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = folder(tmp_path_factory.mktemp("reviews"))
    write_queue(root)
    (root / "calibrations" / "torn.json").write_text("{")
    (root / "data" / "bad").mkdir()
    (root / "data" / "bad" / "document.md").write_text("# A text\n")
    (root / "data" / "bad" / "must_find.jsonl").write_text('{"id": "x", "title": "t", "min_recall": 90}\n')
    return root


@pytest.fixture
def bench(serving: Callable[..., Bench], made: Path) -> Bench:
    return serving(made)


def test_an_empty_folder_says_how_to_begin(serving: Callable[..., Bench], tmp_path: Path) -> None:
    bench = serving(tmp_path)
    assert "fiducial review init" in bench.client.get("/datasets").text
    assert "fiducial judge calibrate" in bench.client.get("/judges").text


def test_the_list_counts_what_is_there_and_names_what_is_broken(bench: Bench) -> None:
    text = bench.client.get("/datasets").text
    row = text[text.index("data/buses</bdi>") :]
    assert "✓ frozen" in row
    assert "1 planted" in row
    assert "1 waiting" in row
    broken = text[text.index("data/bad</bdi>") : text.index("data/buses</bdi>")]
    assert "cannot be read" in broken and "did you mean 0.90?" in broken
    assert "No dataset fits" in bench.client.get("/datasets?q=zeppelin").text


def test_a_dataset_shows_its_lists_its_problems_and_its_runs(bench: Bench) -> None:
    text = bench.client.get(f"/datasets/{bench.dataset_id('data/buses')}").text
    assert "Two last buses" in text and "◆ planted: unit-mismatch" in text
    assert "no zero-shot result for times" in text
    assert "Who pays" in text
    for name in ("runs/first", "later/second"):
        assert f'href="/runs/{bench.run_id(name)}"' in text
    assert "1 document as it is now" in text


def test_a_dataset_that_cannot_be_read_still_has_a_page(bench: Bench) -> None:
    answer = bench.client.get(f"/datasets/{bench.dataset_id('data/bad')}")
    assert answer.status == 200
    assert "did you mean 0.90?" in answer.text
    assert bench.client.get(f"/datasets/{bench.dataset_id('data/bad')}/readiness").status == 400


def test_a_run_on_an_earlier_text_is_said_to_be_one(serving: Callable[..., Bench], tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path / "d")
    review(tmp_path / "r.db", dataset, Scripted(as_output()), None)
    (dataset / "document.md").write_text("# Another text\n\nIt is new.\n")
    bench = serving(tmp_path)
    text = bench.client.get(f"/datasets/{bench.dataset_id('d')}").text
    assert "✕ changed since it was frozen" in text
    assert "0 of 1 with the text of today" in text


def test_the_way_to_a_gate_is_drawn_for_every_reviewer_and_for_the_dataset(bench: Bench) -> None:
    text = bench.client.get(f"/datasets/{bench.dataset_id('data/buses')}/readiness").text
    assert re.findall(r'<h2 id="h-\d">(.*?) <span', text) == [
        "Reviewer <bdi>other</bdi>",
        "Reviewer <bdi>probe</bdi>",
        "The dataset alone",
    ]
    assert text.count('<li class="node') == 3 * 9
    assert "✓ done" in text and "✕ missing" in text and "○ blocked" in text and "! warning" in text
    assert ", rests on: documents frozen" in text
    assert "fiducial review check" in text  # the first step that is missing: a zero-shot result
    assert "torn.json" in text  # a broken calibration is passed over in words


def test_a_calibration_beside_the_runs_counts_in_the_graph(serving: Callable[..., Bench], tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path / "d")
    review(tmp_path / "runs" / "r.db", dataset, Scripted(as_output()), Judging(), judge_name="py/one")
    bench = serving(tmp_path)
    address = f"/datasets/{bench.dataset_id('d')}/readiness"
    assert "how often py/one errs is not known" in bench.client.get(address).text
    known = calibration(
        name="k", task="genuine", model="py/one", prompt_hash=genuine_version("design"), expires="2999-01-01"
    )
    save(known, folder=tmp_path / "deep" / "calibrations")
    assert "py/one is calibrated" in bench.client.get(address).text


def test_judges_are_listed_with_what_is_known_of_them(bench: Bench) -> None:
    text = bench.client.get("/judges").text
    assert "py/<wbr>one" in text[: text.index("nothing is known")]
    bare = text[text.index("nothing is known") :]
    assert "py/<wbr>two" in bare
    assert "fiducial judge calibrate --judge py/two --task genuine" in bare
    assert "calibrations/torn" in bare and "no calibration" in bare


def test_a_card_names_the_runs_that_rest_on_it(bench: Bench) -> None:
    text = bench.client.get(re.findall(r'href="(/judges/[^"]+)"', bench.client.get("/judges").text)[0]).text
    assert f'href="/runs/{bench.run_id("later/second")}"' in text
    assert "Its verdicts were replaced" in text and f'href="/runs/{bench.run_id("runs/first")}"' in text
    assert bench.client.get("/judges/nothing").status == 404


def test_a_card_below_its_floor_or_past_its_day_says_so(serving: Callable[..., Bench], tmp_path: Path) -> None:
    one = calibration(name="one", expires="2020-01-01")
    save(
        msgspec.structs.replace(one, floors={"specificity": 0.99}, below=["specificity"]),
        folder=tmp_path / "calibrations",
    )
    bench = serving(tmp_path)
    text = bench.client.get("/judges").text
    assert "✕ expired" in text and "floor of specificity not met" in text
    card = bench.client.get(re.findall(r'href="(/judges/[^"]+)"', text)[0]).text
    assert "below its floor" in card


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_one_goes_from_the_datasets_to_the_next_command(
    bench: Bench, browse: Callable[..., Page], width: int, dark: bool
) -> None:
    page = browse(bench, "/datasets", width=width, dark=dark)
    assert fits(page)
    page.get_by_role("link", name="data/buses", exact=True).click()
    expect(page.locator("h1")).to_have_text("buses")
    assert fits(page)
    page.get_by_role("link", name="The way to a gate").click()
    expect(page.locator("ol.way").first).to_be_visible()
    assert fits(page)
    page.get_by_role("button", name="Copy").first.click()
    expect(page.locator(".typed [role=status]").first).to_have_text(re.compile("Copied|Selected"))
    page.get_by_role("link", name="Judges").click()
    page.get_by_role("link", name="py/one").click()
    expect(page.locator("article.card")).to_be_visible()
    assert fits(page)


@pytest.mark.browser
def test_hostile_names_stay_text(
    serving: Callable[..., Bench], browse: Callable[..., Page], tmp_path: Path
) -> None:
    rough = "<img src=x onerror=alert(1)>"
    items: list[dict[str, object]] = [
        {"id": text, "title": text, "issue": text, "evidence": [text], "reviewer": text} for text in HOSTILE
    ]
    dataset = make_dataset(tmp_path / rough, items)
    fields = json.loads((dataset / "metadata.json").read_text())
    (dataset / "metadata.json").write_text(json.dumps(fields | {"name": HOSTILE[0]}))
    lines = [json.dumps({"id": text, "title": text, "issue": text, "required_context": text}) for text in HOSTILE]
    (dataset / "context_dependent_findings.jsonl").write_text("\n".join(lines) + "\n")
    (dataset / "candidates.jsonl").write_text("\n".join(lines) + "\n")
    review(
        tmp_path / f"{rough}.db", dataset, Scripted(as_output()), Judging(), reviewers=[reviewer(HOSTILE[1])],
        judge_name=HOSTILE[2],
    )  # fmt: skip
    for k, text in enumerate(HOSTILE):
        one = calibration(name=f"c{k}", model=text, task=text, set=text, about=text, prompt_hash=text, made=text)
        save(
            msgspec.structs.replace(one, run=text, below=[text], floors={text: 0.5}),
            folder=tmp_path / "calibrations",
        )
    (tmp_path / "calibrations" / f"{rough}.json").write_text(HOSTILE[0])
    bench = serving(tmp_path)
    own = bench.dataset_id(rough)
    cards = [f"/judges/{one.id}" for one in bench.desk.folder.judges() if one.name.endswith("c4")]
    page = browse(bench, "/datasets")
    for path in (f"/datasets/{own}", f"/datasets/{own}/readiness", "/judges", *cards):
        page.goto(bench.base + path)
        page.evaluate("document.querySelectorAll('details').forEach(function (one) { one.open = true; })")
        expect(page.locator("main")).to_contain_text("alert(")
        assert fits(page), path
