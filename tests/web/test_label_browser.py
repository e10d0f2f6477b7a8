"""Labelling as people do it: in a real browser, by keys, two at once, and through a server that dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from fiducial.review.labels import load_labels
from tests.web.conftest import running
from tests.web.labelled import findings, label_all, lines, make_run, order
from tests.web.support import HOSTILE, Bench, Client, fits

Browse = Callable[..., Page]


@pytest.fixture(scope="module")
def twenty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("twenty")
    make_run(root, 20)
    return root


def label_page(bench: Bench, rater: str = "") -> str:
    return f"/runs/{bench.run_id('made')}/label" + (f"/{rater}" if rater else "")


def at_once(page: Page) -> None:
    """Keys count as soon as a case is drawn: nobody has to read here."""
    page.locator("#labelling").evaluate("one => { one.dataset.settle = 0; }")


def shown(page: Page) -> str:
    """The case that is up, once keys count."""
    name = page.locator(".case").get_attribute("data-case")
    page.wait_for_selector(f'#labelling[data-ready="{name}"]')
    return str(name)


def press(page: Page, key: str) -> None:
    """A key, and the next case."""
    before = shown(page)
    page.keyboard.press(key)
    page.wait_for_selector(f'.case:not([data-case="{before}"])')


@pytest.mark.browser
def test_twenty_findings_are_labelled_by_keys_alone(
    serving: Callable[..., Bench], browse: Browse, twenty: Path
) -> None:
    bench = serving(twenty)
    page = browse(bench, label_page(bench))
    page.locator("#rater").press_sequentially("ann")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Case 1 of 20")
    at_once(page)
    keys = "1g0n5b" * 3 + "gn"
    for k, key in enumerate(keys):
        press(page, key)
        assert len(lines(twenty, "ann")) == k + 1
        expect(page.locator("#label-said")).to_contain_text(f", {k + 1} of 20")
    expect(page.locator("h1")).to_have_text("All 20 cases labelled")
    value = {"1": 1, "g": 1, "0": 0, "n": 0, "5": 0.5, "b": 0.5}
    assert [(line["case"], line["label"]) for line in lines(twenty, "ann")] == [
        (case.id, value[key]) for case, key in zip(order(twenty / "made.db", "ann"), keys, strict=True)
    ]
    press(page, "u")
    expect(page.locator("h1")).to_have_text("Case 20 of 20")
    assert lines(twenty, "ann")[-1]["withdrawn"] is True


@pytest.mark.browser
def test_keys_do_nothing_while_somebody_types_or_holds_or_has_not_seen_the_case(
    serving: Callable[..., Bench], browse: Browse, twenty: Path
) -> None:
    bench = serving(twenty)
    page = browse(bench, label_page(bench, "bea"))
    first = shown(page)
    page.keyboard.press("c")
    page.keyboard.type("being sunny, 150 gulls?")
    page.keyboard.press("Enter")
    page.keyboard.press("/")
    page.keyboard.type("NIGHT\tticket".replace("\t", " "))
    page.keyboard.press("Enter")
    expect(page.locator(".hits")).to_have_text("1 of 1")
    page.keyboard.press("Escape")
    for key in ("Control+b", "Alt+1", "Meta+g", "x", "F2", "Tab"):
        page.keyboard.press(key)
    page.keyboard.down("Control")
    page.keyboard.press("5")
    page.keyboard.up("Control")
    # A key that is held repeats, and the repeats count for nothing.
    page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'g', repeat: true, bubbles: true}))"
    )
    page.keyboard.press("?")
    expect(page.locator("#label-help")).to_have_attribute("open", "")
    page.keyboard.press("?")
    assert page.locator(".case").get_attribute("data-case") == first and lines(twenty, "bea") == []
    # Twice in a row: the second comes before the next case could be read.
    page.keyboard.press("g")
    page.keyboard.press("g")
    page.wait_for_selector(f'.case:not([data-case="{first}"])')
    page.keyboard.press("g")
    expect(page.locator("#label-said")).to_contain_text("was dropped")
    assert [(line["label"], line["note"]) for line in lines(twenty, "bea")] == [(1, "being sunny, 150 gulls?")]
    expect(page.locator("textarea")).to_have_value("")


@pytest.mark.browser
def test_two_raters_at_once_and_agreement_only_at_the_end(
    serving: Callable[..., Bench], browse: Browse, tmp_path: Path
) -> None:
    make_run(tmp_path, 4)
    bench = serving(tmp_path)
    ann, bob = (browse(bench, label_page(bench, name)) for name in ("ann", "bob"))
    for page in (ann, bob):
        at_once(page)
    for key in "g0g":
        press(ann, key)
        press(bob, key)
    press(ann, "b")
    ann.get_by_role("link", name="the agreement").click()
    expect(ann.locator("main")).to_contain_text("3 of 4")
    expect(ann.locator("main")).not_to_contain_text("Kappa")
    for name in ("ann", "bob"):
        ids = [case.id for case in order(tmp_path / "made.db", name)]
        assert [line["case"] for line in lines(tmp_path, name)] == ids[: 4 if name == "ann" else 3]
    press(bob, "1")
    bob.get_by_role("link", name="the agreement").click()
    expect(bob.get_by_role("columnheader", name="Kappa")).to_be_visible()
    ann.reload()
    expect(ann.get_by_role("columnheader", name="Kappa")).to_be_visible()


@pytest.mark.browser
def test_a_rater_goes_on_after_the_server_was_started_again(browse: Browse, tmp_path: Path) -> None:
    make_run(tmp_path, 4)
    with running(tmp_path) as bench:
        page = browse(bench, label_page(bench, "ann"))
        at_once(page)
        press(page, "g")
        press(page, "s")
        up = shown(page)
        page.reload()
        assert shown(page) == up, "what was skipped is in the address"
    with running(tmp_path) as again:
        page = browse(again, label_page(again))
        page.get_by_role("link", name="Go on as ann").click()
        expect(page.locator(".far")).to_contain_text("1 of 4 labelled")
        assert shown(page) == order(tmp_path / "made.db", "ann")[1].mark


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_hostile_findings_and_documents_are_text_at_any_width(
    serving: Callable[..., Bench], browse: Browse, tmp_path: Path, width: int
) -> None:
    made = [
        one | {"title": f"{one['title']} {bad}", "issue": f"{one['issue']} {bad}", "section": bad}
        for one, bad in zip(findings(len(HOSTILE)), HOSTILE, strict=True)
    ]
    text = "\n\n".join(
        f"## {bad}\n\n- {bad}\n\n| a | {bad} |\n|---|---|\n| {bad} | b |\n\n```\n{bad}\n```" for bad in HOSTILE
    )
    path = make_run(tmp_path, made, text=f"# Stops\n\n{text}\n")
    bench = serving(tmp_path)
    page = browse(bench, label_page(bench, "ann"), width=width, dark=width == 390)
    at_once(page)
    assert len(order(path, "ann")) == len(HOSTILE)
    for _ in HOSTILE:
        assert fits(page)
        press(page, "n")
    label_all(path, "bob")
    page.goto(bench.base + label_page(bench, "agreement"))
    expect(page.get_by_role("columnheader", name="Kappa")).to_be_visible()
    assert fits(page)
    expect(page.locator(".split").first).to_contain_text("No word on the")


@pytest.mark.browser
def test_on_a_phone_the_answers_stay_under_the_thumb_and_the_passage_in_view(
    serving: Callable[..., Bench], browse: Browse, twenty: Path
) -> None:
    bench = serving(twenty)
    page = browse(bench, label_page(bench, "cy"), width=390, dark=True)
    shown(page)
    page.locator(".rest").scroll_into_view_if_needed()
    expect(page.get_by_role("button", name="Not genuine")).to_be_in_viewport(ratio=1)
    page.locator(".leaf").scroll_into_view_if_needed()
    expect(page.locator(".quoted").first).to_be_in_viewport()
    page.get_by_role("button", name="Not genuine").click()
    expect(page.locator("#label-said")).to_have_text("Saved: not genuine, 1 of 20")


@pytest.mark.browser
def test_a_full_disk_and_a_second_tab_are_told_and_nothing_is_labelled_unseen(
    serving: Callable[..., Bench], browse: Browse, twenty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = serving(twenty)
    page = browse(bench, label_page(bench, "dee"))
    at_once(page)
    first = shown(page)
    other = page.context.new_page()
    other.goto(page.url)
    assert shown(other) == first

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    page.locator("textarea").fill("mine")
    page.keyboard.press("Escape")
    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", full)
        page.keyboard.press("g")
        expect(page.locator("#label-said.fail")).to_contain_text("No space left on device")
    assert shown(page) == first and lines(twenty, "dee") == []
    expect(page.locator("textarea")).to_have_value("mine")
    press(page, "g")
    other.keyboard.press("n")
    expect(other.locator("#label-said.fail")).to_contain_text("labelled this case already")
    assert shown(other) == shown(page)
    assert [(line["label"], line["note"]) for line in lines(twenty, "dee")] == [(1, "mine")]


SERVER = """
import os, sys, threading
from pathlib import Path
from fiducial.web.serve import serve

real, calls = os.fsync, []

def fsync(fd):
    calls.append(fd)
    if len(calls) > int(sys.argv[2]):
        print("in the middle", flush=True)
        threading.Event().wait()  # for the kill
    real(fd)

os.fsync = fsync
serve(Path(sys.argv[1]), port=None, ready=lambda address: print(address, flush=True))
"""


@pytest.fixture
def dying(tmp_path: Path) -> Iterator[Callable[[int], tuple[subprocess.Popen[str], Client]]]:
    """`dying(n)`: a server in a process of its own that stops in the middle of saving the label after the n-th."""
    started: list[subprocess.Popen[str]] = []

    def start(saved: int) -> tuple[subprocess.Popen[str], Client]:
        process = subprocess.Popen(
            [sys.executable, "-c", SERVER, str(tmp_path), str(saved)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "FIDUCIAL_CACHE": str(tmp_path)},
        )
        started.append(process)
        assert process.stdout is not None
        client = Client(process.stdout.readline().strip())
        assert client.known and process.stdout.readline()  # the next address
        return process, client

    yield start
    for process in started:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_a_kill_in_the_middle_of_saving_loses_at_most_the_label_in_flight(
    dying: Callable[[int], tuple[subprocess.Popen[str], Client]], tmp_path: Path
) -> None:
    path = make_run(tmp_path, 8)
    process, client = dying(3)
    place = client.get("/").text.partition('href="/runs/')[2].partition('"')[0]
    address = f"/runs/{place}/label/ann"
    cases = order(path, "ann")
    told = []
    for case in cases[:3]:
        answer = client.post(address, {"case": case.mark, "label": "1"}, {"X-Requested-With": "fiducial"})
        assert "Saved: genuine" in answer.text
        told.append(case.id)
    broken: list[Exception] = []

    def in_flight() -> None:
        try:
            client.post(address, {"case": cases[3].mark, "label": "0"}, {"X-Requested-With": "fiducial"})
        except OSError as error:
            broken.append(error)

    thread = threading.Thread(target=in_flight)
    thread.start()
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "in the middle"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    thread.join()
    assert broken, "nobody was told that it was saved"
    there = [line.case for line in load_labels(tmp_path / "d")]
    assert there[:3] == told and there[3:] in ([], [cases[3].id])
    with running(tmp_path) as again:
        page = again.client.get(address).text
    assert f"{len(there)} of 8 labelled" in page and cases[len(there)].mark in page
