"""Labelling in the browser, as the server answers: blind, on disk at once, and never over another's work."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from urllib.parse import quote

import pytest

from fiducial.review import labels
from fiducial.review.dataset import SHIPPED
from fiducial.review.labelling import run_cases, sample
from fiducial.web.label_task import reviewer_mark
from tests.review.folders import read_lines
from tests.review.standins import DOCUMENT, Scripted, make_dataset, review, reviewer
from tests.web.labelled import REVIEWER, label_all, lines, make_run, order
from tests.web.support import HOSTILE, Answer, Bench

SCRIPT = {"X-Requested-With": "fiducial"}
OTHER = "bob.w"  # the random marks of a page have no full stop
SECRETS = (REVIEWER, "py/reviewer", "py/judge", "Critical", "0.8765", "0.8642", "88 %", "secret-reason", "as quoted",
           "verdict", "severity", "confidence", OTHER, "note of bob")  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A judged run of six findings, to be copied."""
    root = tmp_path_factory.mktemp("labelled")
    make_run(root, 6)
    return root


@pytest.fixture
def bench(serving: Callable[..., Bench], made: Path, tmp_path: Path) -> Bench:
    shutil.copytree(made, tmp_path / "served")
    return serving(tmp_path / "served")


def start(bench: Bench) -> str:
    return f"/runs/{bench.run_id('made')}/label"


def hidden(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    return found[1] if found else ""


def here(page: str) -> str:
    """The address that the page's form is sent to."""
    found = re.search(r'<form id="answer" method="post" action="([^"]*)"', page)
    assert found, page
    return unescape(found[1])


def press(bench: Bench, page: str, script: bool = True, **fields: str) -> Answer:
    """What a key, or a button, of that page sends."""
    known = {name: hidden(page, name) for name in ("case", "last")}
    return bench.client.post(here(page), known | fields, SCRIPT if script else None)


def said(page: str) -> str:
    found = re.search(r'data-said="([^"]*)"', page)
    return unescape(found[1]) if found else ""


def test_a_rater_begins_with_a_name_and_is_remembered(bench: Bench) -> None:
    page = bench.client.get(start(bench)).text
    assert "Nobody has labelled any of these 6 cases yet" in page and "d/labels" in page
    answer = bench.client.post(start(bench), {"rater": " ann ", "sample": "4", "reviewer": "", "seed": ""})
    assert answer.status == 303 and answer.headers["location"] == f"{start(bench)}/ann?sample=4"
    assert "fiducial-" in answer.headers["set-cookie"] and "httponly" in answer.headers["set-cookie"].lower()
    known = {"Cookie": f"{bench.client.known['Cookie']}; fiducial-rater=ann; fiducial-given=sample=4"}
    first = bench.client.get(answer.headers["location"]).text
    press(bench, first, label="1")
    again = bench.client.get(start(bench), known).text
    assert "Go on where you left off" in again and "labelled 1 of 4 cases" in again


@pytest.mark.parametrize(
    ("fields", "said_then"),
    [
        ({"rater": "a b"}, "a short name"),
        ({"rater": "../ann"}, "a short name"),
        ({"rater": ""}, "a short name"),
        ({"rater": "agreement"}, "a page has that name"),
        ({"rater": "ann", "sample": "0"}, "at least one case"),
        ({"rater": "ann", "sample": "many"}, "a whole number"),
        ({"rater": "ann", "reviewer": "nobody"}, "no finding of the chosen reviewer"),
    ],
)
def test_a_name_or_a_number_that_will_not_do_is_told_beside_the_form(
    bench: Bench, fields: dict[str, str], said_then: str
) -> None:
    answer = bench.client.post(start(bench), fields)
    assert answer.status == 400 and said_then in answer.text and "</form>" in answer.text
    assert not (bench.root / "d" / "labels").exists()


def test_a_new_name_that_is_like_a_known_one_is_asked_about_once(bench: Bench) -> None:
    label_all(bench.root / "made.db", "annabel", most=1)
    answer = bench.client.post(start(bench), {"rater": "anabel"})
    assert answer.status == 200 and "did you mean annabel?" in unescape(answer.text)
    assert bench.client.post(start(bench), {"rater": "anabel", "sure": "anabel"}).status == 303
    assert bench.client.post(start(bench), {"rater": "annabel"}).status == 303


def test_labels_are_the_lines_that_the_terminal_writes(bench: Bench) -> None:
    page = bench.client.get(f"{start(bench)}/ann").text
    for k, value in enumerate(("1", "0", "0.5")):
        page = press(bench, page, label=value, note=" said\x1b[31m elsewhere\n twice " if k == 1 else "").text
        assert said(page) == f"Saved: {('genuine', 'not genuine', 'between')[k]}, {k + 1} of 6"
    given = [(line["case"], line["label"]) for line in lines(bench.root, "ann")]
    assert given == [
        (case.id, value) for case, value in zip(order(bench.root / "made.db", "ann"), (1, 0, 0.5), strict=False)
    ]
    assert [line["note"] for line in lines(bench.root, "ann")] == [None, "said elsewhere twice", None]
    assert set(lines(bench.root, "ann")[0]) == {"case", "rater", "label", "at", "note"}


def test_without_a_script_the_forms_lead_from_page_to_page(bench: Bench) -> None:
    page = bench.client.get(f"{start(bench)}/ann").text
    answer = press(bench, page, script=False, label="1")
    assert answer.status == 303 and answer.headers["location"].endswith("#passage")
    page = bench.client.get(answer.headers["location"].partition("#")[0]).text
    assert "Saved: genuine, 1 of 6" in page and "Case 2 of 6" in page
    answer = press(bench, page, script=False, step="skip")
    page = bench.client.get(answer.headers["location"].partition("#")[0]).text
    assert "1 of 6 labelled, 1 skipped" in page
    refused = press(bench, page, script=False, label="1", case="0123456789ab", note="kept & shown")
    assert refused.status == 409 and "another case is up" in refused.text and "kept &amp; shown" in refused.text
    assert len(lines(bench.root, "ann")) == 1


def test_undo_takes_back_labels_and_skips_in_the_order_they_were_given(bench: Bench) -> None:
    cases = [case.mark for case in order(bench.root / "made.db", "ann")]
    page = bench.client.get(f"{start(bench)}/ann").text
    for step in ({"label": "1"}, {"step": "skip"}, {"label": "0"}):
        page = press(bench, page, True, **step).text
    assert hidden(page, "case") == cases[3]
    page = press(bench, page, step="undo").text
    assert said(page) == "Taken back: not genuine, 1 of 6" and hidden(page, "case") == cases[2]
    page = press(bench, page, step="undo").text
    assert said(page) == "Back to a case that was skipped, 1 of 6" and hidden(page, "case") == cases[1]
    page = press(bench, page, step="undo").text
    assert hidden(page, "case") == cases[0] and hidden(page, "last") == ""
    assert [line["label"] for line in lines(bench.root, "ann")] == [1, 0, None, None]
    assert "Nothing was undone" in said(press(bench, page, step="undo").text)


def test_a_second_tab_goes_on_where_the_first_is_and_never_labels_twice(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = second = bench.client.get(f"{start(bench)}/ann").text
    first = press(bench, first, label="1").text
    answer = press(bench, second, label="0").text
    assert "labelled this case already, in another tab" in said(answer) and 'data-failed="yes"' in answer
    assert [line["label"] for line in lines(bench.root, "ann")] == [1]
    assert hidden(answer, "case") == hidden(first, "case"), "the second tab now shows what is next"
    monkeypatch.setattr(labels, "now", lambda: "2999-01-01")
    press(bench, answer, label="0")
    assert "Nothing was undone" in said(press(bench, first, step="undo").text)
    assert [line["label"] for line in lines(bench.root, "ann")] == [1, 0]


def test_a_key_that_is_sent_twice_labels_one_case(bench: Bench) -> None:
    page = bench.client.get(f"{start(bench)}/ann").text
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda k: press(bench, page, label="1").text, range(8)))
    assert sum(said(text).startswith("Saved") for text in answers) == 1
    assert len(lines(bench.root, "ann")) == 1


def test_raters_who_label_at_once_lose_nothing(bench: Bench) -> None:
    def work(rater: str) -> int:
        page = bench.client.get(f"{start(bench)}/{quote(rater)}").text
        for k in range(6):
            page = press(bench, page, label=("1", "0", "0.5")[k % 3]).text
        return page.count("All 6 cases labelled")

    names = ["ann", "bob", "çelik", "d.o@x"]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, names)) == [1, 1, 1, 1]
    for name in names:
        assert [line["case"] for line in lines(bench.root, name)] == [
            case.id for case in order(bench.root / "made.db", name)
        ]


def test_nothing_that_a_rater_is_sent_unblinds(bench: Bench) -> None:
    label_all(bench.root / "made.db", OTHER, lambda k: 0.0)
    (bench.root / "d" / "labels" / f"{OTHER}.jsonl").write_bytes(
        (bench.root / "d" / "labels" / f"{OTHER}.jsonl").read_bytes().replace(b"because", b"note of bob")
    )
    mark = reviewer_mark(REVIEWER)
    sent = [bench.client.get(f"{start(bench)}/ann?reviewer={mark}")]
    for step in ({"label": "1"}, {"step": "skip"}, {"step": "undo"}, {"label": "9"}, {"label": "0"}):
        sent.append(press(bench, sent[-1].text, True, **step))
    sent.append(bench.client.get(f"{start(bench)}/ann"))
    sent.append(bench.client.get(f"{start(bench)}/agreement"))
    for answer in sent[:-1]:
        assert answer.status == 200
        for secret in SECRETS:
            assert secret not in answer.text, secret
            assert secret not in str(answer.headers), secret
    progress = sent[-1].text
    assert (
        OTHER in progress and "6 of 6" in progress and "appa</th>" not in progress and "note of bob" not in progress
    )


def test_agreement_is_shown_when_two_are_done_and_to_nobody_who_is_not(bench: Bench) -> None:
    path = bench.root / "made.db"
    label_all(path, "ann", lambda k: 1.0)
    label_all(path, "bob", lambda k: k / 2, most=5)
    agreement = f"{start(bench)}/agreement"
    before = bench.client.get(agreement).text
    assert "5 of 6" in before and "Before that nobody’s labels are shown" in before
    for word in ("Kappa", "Not genuine", "because", "genuine</strong>"):
        assert word not in before, word
    label_all(path, "bob", lambda k: k / 2)
    label_all(path, "eve", most=2)
    after = bench.client.get(agreement).text
    assert "Kappa" in after and "with different labels" in after and "not done: <bdi>eve</bdi> (2 of 6)" in after
    assert "A night ticket costs 4 euros" in after and "because" in after
    cookie = bench.client.known["Cookie"]
    eve = bench.client.get(agreement, {"Cookie": f"{cookie}; fiducial-rater=eve"}).text
    assert (
        "You label as <bdi>eve</bdi>, and are not done" in eve and "Kappa" not in eve and "I only look" not in eve
    )
    ann = bench.client.get(agreement, {"Cookie": f"{cookie}; fiducial-rater=ann; fiducial-given="}).text
    assert "Kappa" in ann


def test_a_smaller_sample_in_the_address_does_not_let_a_rater_peek(bench: Bench) -> None:
    path = bench.root / "made.db"
    small = {case.key for case in sample(run_cases(path), 2, 1)}
    for rater in ("ann", "bob"):
        page = bench.client.get(f"{start(bench)}/{rater}?sample=2").text
        for _ in range(2):
            page = press(bench, page, label="1").text
        assert "All 2 cases labelled" in page
    address = f"{start(bench)}/agreement?sample=2"
    cookie = bench.client.known["Cookie"]
    given_two = {"Cookie": f"{cookie}; fiducial-rater=ann; fiducial-given=sample=2"}
    given_all = {"Cookie": f"{cookie}; fiducial-rater=ann; fiducial-given="}
    assert "Kappa" in bench.client.get(address, given_two).text
    assert "Kappa" not in bench.client.get(address, given_all).text
    assert "Kappa" not in bench.client.get(f"{start(bench)}/agreement").text, "of all cases they are not done"
    assert {line["case"] for line in lines(bench.root, "ann")} == {case for _, case in small}


def test_somebody_who_labels_other_runs_may_look_after_saying_so(bench: Bench) -> None:
    path = bench.root / "made.db"
    label_all(path, "ann")
    label_all(path, "bob")
    address = f"{start(bench)}/agreement"
    zoe = {"Cookie": f"{bench.client.known['Cookie']}; fiducial-rater=zoe"}
    assert "I only look" in bench.client.get(address, zoe).text
    answer = bench.client.post(address, {}, zoe)
    assert answer.status == 303 and "fiducial-given=nobody" in answer.headers["set-cookie"]
    assert "Kappa" in bench.client.get(address, {"Cookie": f"{zoe['Cookie']}; fiducial-given=nobody"}).text
    label_all(path, "zoe", most=1)
    assert "fiducial-given" not in bench.client.post(address, {}, zoe).headers.get("set-cookie", "")


def test_a_full_disk_is_told_and_the_case_stays(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    page = bench.client.get(f"{start(bench)}/ann").text
    page = press(bench, page, label="1").text

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", full)
        answer = press(bench, page, label="0", note="mine").text
        undone = press(bench, page, step="undo").text
    for text in (answer, undone):
        assert "could not be saved: No space left on device" in said(text) and 'data-failed="yes"' in text
        assert hidden(text, "case") == hidden(page, "case")
    assert ">mine</textarea>" in answer
    assert [line["label"] for line in lines(bench.root, "ann")] == [1]
    assert said(press(bench, answer, label="0").text) == "Saved: not genuine, 2 of 6"


def test_half_a_line_of_a_power_cut_is_told_and_labelling_goes_on(bench: Bench) -> None:
    label_all(bench.root / "made.db", "ann", most=2)
    place = bench.root / "d" / "labels" / "ann.jsonl"
    place.write_bytes(place.read_bytes()[:-30])
    page = bench.client.get(f"{start(bench)}/ann").text
    assert "the last line of ann.jsonl is cut off" in page and "1 of 6 labelled" in page
    page = press(bench, page, label="0").text
    assert len(read_lines(place)) == 2 and "cut off" not in bench.client.get(f"{start(bench)}/ann").text


def test_labels_go_only_into_the_served_folder(bench: Bench, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (bench.root / "d").rename(outside)
    page = bench.client.get(start(bench)).text
    assert "cannot be saved here" in page and "Move or copy the dataset" in page and "Begin or go on" not in page
    assert bench.client.get(f"{start(bench)}/ann").status == 400
    shutil.copytree(outside, bench.root / "deep" / "renamed")
    page = bench.client.get(f"{start(bench)}/ann").text
    press(bench, page, label="1")
    assert len(lines(bench.root, "ann", "deep/renamed")) == 1 and not (outside / "labels").exists()
    (bench.root / "deep" / "renamed" / "labels" / "eve.jsonl").symlink_to(tmp_path / "elsewhere.jsonl")
    refused = bench.client.get(f"{start(bench)}/eve")
    assert refused.status == 400 and "leads out of the folder" in refused.text


def test_a_shipped_dataset_and_a_changed_document_are_refused_in_words(
    serving: Callable[..., Bench], tmp_path: Path
) -> None:
    review(tmp_path / "made.db", SHIPPED / "tide-gauge", Scripted('{"title": "T", "issue": "I"}'), None)
    bench = serving(tmp_path)
    assert "comes with Fiducial and stays as it is" in bench.client.get(start(bench)).text
    make_dataset(tmp_path / "tide-gauge", text="# Another text\n")
    assert "not the text that the run reviewed" in bench.client.get(start(bench)).text


def test_a_run_without_findings_says_so(serving: Callable[..., Bench], tmp_path: Path) -> None:
    make_dataset(tmp_path / "d")
    review(tmp_path / "made.db", tmp_path / "d", Scripted('{"findings": []}', ""), None, runs=2)
    page = serving(tmp_path).client.get
    assert (
        "2 outputs (1 explicit none, 1 empty) have no finding"
        in page(f"/runs/{serving(tmp_path).run_id('made')}/label").text
    )


def test_findings_of_one_reviewer_are_chosen_without_naming_it(
    serving: Callable[..., Bench], tmp_path: Path
) -> None:
    make_dataset(tmp_path / "d", text=DOCUMENT)
    both = [reviewer(HOSTILE[0][:30]), reviewer("other", "You look for owners.")]
    subject = Scripted('{"title": "T", "issue": "Trams"}', '{"title": "Owner", "issue": "Nobody owns the stops."}')
    review(tmp_path / "made.db", tmp_path / "d", subject, None, reviewers=both)
    bench = serving(tmp_path)
    page = bench.client.get(start(bench)).text
    assert "&lt;script&gt;" in page and "<script>alert" not in page
    answer = bench.client.post(start(bench), {"rater": "ann", "reviewer": reviewer_mark("other")})
    assert "other" not in answer.headers["location"]
    assert "0 of 1 labelled" in bench.client.get(answer.headers["location"]).text
