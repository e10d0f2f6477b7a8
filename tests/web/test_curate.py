"""The curation page: a queue, decisions by mouse and key, the test in the background, and two people at once."""

from __future__ import annotations

import importlib
import re
import threading
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest

from fiducial.errors import UsageError
from fiducial.review.curate import reject
from fiducial.review.dataset import SHIPPED, candidates, context_dependent
from fiducial.review.zero_shot import zero_shot_judge
from tests.review.folders import ITEM, calibrated, make, only, read_lines, write_lines
from tests.review.standins import Judging, Scripted, as_output, make_dataset, review, verdict
from tests.web.curated import (
    BLIND,
    DOWN,
    SEEING,
    act,
    followed,
    page_of,
    put_judges,
    queue_of_two,
    seen,
    wait_for_test,
)
from tests.web.support import Bench


@pytest.fixture(autouse=True)
def judges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_judges(tmp_path, monkeypatch)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return queue_of_two(tmp_path)


def test_the_queue_shows_evidence_test_and_why(serving: Callable[..., Bench], root: Path) -> None:
    record = {"model": "openai/M", "prompt_hash": "x", "calls": 3, "found": True, "at": "2026-11-16T09:30:00+00:00"}
    record["quotation"] = "A reading is kept for a year."
    more = [
        ITEM | {"id": "seen", "title": "Seen", "zero_shot": record, "state": "unvalidated", "why": "because"},
        ITEM | {"id": "gone", "title": "Gone", "evidence": ["Not there at all."]},
        {"id": "absent", "title": "Absent", "missing": "an alarm", "issue": "R-2 has no alarm."},
        {"id": "no", "title": "No", "state": "rejected", "why": "not true", "by": "Ann"},
    ]
    path = root / "gauges" / "candidates.jsonl"
    write_lines(path, *read_lines(path), *more)
    bench = serving(root)
    text = bench.client.get(page_of(bench)).text
    assert "5 candidates to decide on, 1 of them unvalidated" in text and "1 rejected" in text
    assert '<mark class="what">A reading is kept for 30 days.</mark>' in text
    assert '<mark class="read">A reading is kept for a year.</mark>' in text
    assert "✓ found" in text and "2026-11-16 09:30" in text and "It is not calibrated for this test." in text
    assert "found in 4 of 5 runs" in text and "review-1" in text and "because" in text
    assert "not in the document" in text and "Not there at all." in text
    assert "an alarm" in text and "where R-2 stands" in text
    assert text.index("Absent") < text.index('id="decided"') < text.index("not true")
    assert "This workbench makes no calls" in text and "fiducial serve --judge MODEL" in text
    command = f"fiducial review confirm {root / 'gauges'} kept --as must-find --judge MODEL"
    assert command in unescape(text)
    assert not re.search(r'action="[^"]*/(confirm|context|test)"', text)  # no dead buttons


def test_an_empty_queue_says_what_to_do(serving: Callable[..., Bench], tmp_path: Path) -> None:
    make(tmp_path / "gauges", must_find=[])
    bench = serving(tmp_path)
    text = bench.client.get(page_of(bench)).text
    assert "The queue is empty." in text and "fiducial review run gauges --reviewer NAME" in text
    assert bench.client.get("/datasets/nowhere-1/curate").status == 404
    assert bench.client.post(f"{page_of(bench)}/abc/reject", {}).status == 404


def test_without_a_test_nothing_is_confirmed(serving: Callable[..., Bench], root: Path) -> None:
    bench = serving(root)
    answer = act(bench, "confirm")
    assert answer.status == 400 and "fiducial review confirm" in answer.text
    answer = act(bench, "test")
    assert answer.status == 400 and "fiducial serve --judge MODEL" in answer.text
    assert only(root / "gauges").must_find == () and len(read_lines(root / "gauges" / "candidates.jsonl")) == 2


def test_reject_edit_and_undo_are_written_and_said(serving: Callable[..., Bench], root: Path) -> None:
    bench, folder = serving(root), root / "gauges"
    assert act(bench, "reject", why=" ").status == 400
    text = followed(bench, act(bench, "reject", why="R-3 is about another thing", by=" Ann  B "))
    assert "Rejected." in text and "data-undo-last" in text and "by <bdi>Ann B</bdi>" in text
    assert (candidates(folder)["kept"].state, candidates(folder)["kept"].by) == ("rejected", "Ann B")
    text = followed(bench, act(bench, "undo"))
    assert "Undone: it is proposed again." in text
    words = {"title": "Two periods", "issue": "They\r\ndisagree.", "severity": "Minor", "reviewer": "all"}
    words |= {"min_recall": "0.5", "evidence-0": "A reading is kept for a year.", "evidence-1": "", "missing": ""}
    followed(bench, act(bench, "edit", **words))
    one = candidates(folder)["kept"]
    assert (one.title, one.issue, one.severity, one.min_recall) == ("Two periods", "They\ndisagree.", "Minor", 0.5)
    assert one.evidence == ("A reading is kept for a year.",) and one.reviewer is None
    for wrong in ({"evidence-0": "Nowhere."}, {"min_recall": "many"}, {"min_recall": "90"}, {"title": ""}):
        answer = act(bench, "edit", "Two periods", **words | wrong)
        assert answer.status == 400, wrong
    assert candidates(folder)["kept"] == one
    followed(bench, act(bench, "undo", "Two periods"))
    assert candidates(folder)["kept"].title == ITEM["title"]
    assert act(bench, "undo").status == 400


def test_a_form_that_is_sent_back_unchanged_changes_no_letter(serving: Callable[..., Bench], root: Path) -> None:
    folder = root / "gauges"
    odd = ITEM | {"title": "a\u202eb\n c", "issue": "\n x \x00 y\r\nz\u2028", "evidence": ["A  reading is\nkept"]}
    write_lines(folder / "candidates.jsonl", odd)
    bench = serving(root)
    address, mark = seen(bench, "⟨U+202E⟩")
    form = bench.client.get(page_of(bench)).text
    shown = {
        "title": unescape(re.findall(r'name="title" value="([^"]*)"', form)[0]).replace("\n", " "),
        "issue": unescape(re.findall(r'name="issue"[^>]*>\n(.*?)</textarea>', form, re.S)[0]).replace("\n", "\r\n"),
        "evidence-0": unescape(re.findall(r'name="evidence-0"[^>]*>\n(.*?)</textarea>', form, re.S)[0]),
        "severity": "Critical",
        "min_recall": "0.9",
    }
    text = followed(bench, bench.client.post(f"{address}/edit", {"seen": mark, **shown}))
    assert "Nothing was changed." in text and len(read_lines(folder / "candidates.jsonl")) == 1


def test_a_test_runs_once_and_its_outcome_is_what_confirms(serving: Callable[..., Bench], root: Path) -> None:
    curate_judges = importlib.import_module("curate_judges")
    bench, folder = serving(root, judge=SEEING), root / "gauges"
    curate_judges.seeing.gate = threading.Event()
    address, mark = seen(bench)
    assert followed(bench, bench.client.post(f"{address}/test", {"seen": mark})).count("data-live") == 1
    assert "being tested already" in followed(bench, bench.client.post(f"{address}/test", {"seen": mark}))
    curate_judges.seeing.gate.set()
    assert "The test has ended" in wait_for_test(bench)
    assert curate_judges.seeing.asked == 3
    text = bench.client.get(page_of(bench)).text
    assert "finds it in the document: it can be confirmed as a must-find" in text
    assert len(list((root / "runs").glob("zero-shot-*.db"))) == 1
    assert len(candidates(folder)) == 2 and only(folder).must_find == ()
    text = followed(bench, act(bench, "confirm"))
    assert "Written to must_find.jsonl" in text and "data-undo-last" in text
    (item,) = only(folder).must_find or ()
    assert item.zero_shot is not None and item.zero_shot.found and item.id == "kept"
    followed(bench, act(bench, "undo"))
    assert only(folder).must_find == () and candidates(folder)["kept"].zero_shot is not None
    words = {"title": "Reworded", "issue": ITEM["issue"], "evidence-0": ITEM["evidence"][0]}
    assert "the zero-shot test is due again" in followed(bench, act(bench, "edit", **words))
    assert act(bench, "confirm", "Reworded").status == 400
    followed(bench, act(bench, "undo", "Reworded"))
    assert "Written to must_find.jsonl" in followed(bench, act(bench, "confirm"))
    assert curate_judges.seeing.asked == 3  # nothing was paid for twice


@pytest.mark.parametrize("known", [True, False])
def test_the_test_guards_the_context_dependent_findings_here_too(
    serving: Callable[..., Bench], root: Path, known: bool
) -> None:
    if known:
        calibrated(root / "calibrations", model=BLIND, prompt_hash=zero_shot_judge(BLIND).prompt)
    bench, folder = serving(root, judge=BLIND), root / "gauges"
    followed(bench, act(bench, "test"))
    wait_for_test(bench)
    assert act(bench, "context", required_context=" ").status == 400
    text = followed(bench, act(bench, "context", required_context="The retention act."))
    if known:
        assert "Written to context_dependent_findings.jsonl" in text
        (record,) = context_dependent(folder) or ()
        assert record.required_context == "The retention act."
        followed(bench, act(bench, "undo"))
        assert context_dependent(folder) == ()
    else:
        assert "It stays in the queue, unvalidated" in text and "proves nothing" in text
        assert context_dependent(folder) is None
        assert "The retention act." in text  # what was typed is not lost


def test_a_test_that_fails_says_why_and_can_be_repeated(serving: Callable[..., Bench], root: Path) -> None:
    bench = serving(root, judge=DOWN)
    followed(bench, act(bench, "test"))
    said = wait_for_test(bench)
    assert "the test failed" in said and "incomplete" in said
    text = bench.client.get(page_of(bench)).text
    assert "the test failed" in text and ">Test" in text
    bench = serving(root, judge="openai/nothing")
    followed(bench, act(bench, "test"))
    assert "OPENAI_API_KEY" in wait_for_test(bench)


def test_what_somebody_else_has_changed_is_not_written_over(serving: Callable[..., Bench], root: Path) -> None:
    bench, folder = serving(root), root / "gauges"
    address, mark = seen(bench)
    reject(only(folder), candidates(folder)["kept"], "faster", by="Ann")
    lines = (folder / "candidates.jsonl").read_bytes()
    answer = bench.client.post(f"{address}/reject", {"seen": mark, "why": "my reason"})
    assert answer.status == 409
    assert "by <bdi>Ann</bdi>" in answer.text and "faster" in answer.text and "my reason" in answer.text
    assert "As you saw it" in answer.text and "Do it all the same" not in answer.text
    followed(bench, bench.client.post(f"{address}/undo", {"seen": seen(bench)[1]}))
    answer = bench.client.post(f"{address}/reject", {"seen": mark, "why": "my reason"})
    assert answer.status == 409 and "Do it all the same: reject" in answer.text
    for forged in ("", "0" * 16):
        assert bench.client.post(f"{address}/reject", {"seen": forged, "why": "x"}).status == 409
    assert (folder / "candidates.jsonl").read_bytes().startswith(lines)
    assert candidates(folder)["kept"].state == "proposed"


def test_requests_at_once_write_one_decision(serving: Callable[..., Bench], root: Path) -> None:
    bench = serving(root)
    address, mark = seen(bench)
    answers: list[int] = []

    def send(k: int) -> None:
        answers.append(bench.client.post(f"{address}/reject", {"seen": mark, "why": f"reason {k}"}).status)

    threads = [threading.Thread(target=send, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [303, *[409] * 5]
    assert len(read_lines(root / "gauges" / "candidates.jsonl")) == 3


def test_what_came_with_fiducial_is_read_only(serving: Callable[..., Bench]) -> None:
    shipped = serving(SHIPPED)
    text = shipped.client.get(f"/datasets/{shipped.dataset_id('tide-gauge')}/curate").text
    assert "read only" in text and "comes with Fiducial and stays as it is" in text and "Propose" not in text
    assert not list(SHIPPED.rglob("candidates.jsonl")) and not list(SHIPPED.rglob(".lock"))


def test_a_document_that_is_not_the_frozen_one_is_not_tested(serving: Callable[..., Bench], root: Path) -> None:
    (root / "gauges" / "document.md").write_text("# Another text\n\nEntirely.\n")
    bench = serving(root, judge=SEEING)
    assert "no test possible" in bench.client.get(page_of(bench)).text
    assert "changed since it was frozen" in act(bench, "test").text


def test_candidates_are_proposed_from_a_run_of_the_folder(serving: Callable[..., Bench], tmp_path: Path) -> None:
    folder = make_dataset(tmp_path / "gauges", [])
    (tmp_path / "runs").mkdir()
    quoted = Judging(lambda about, before: verdict(evidence="Complaints are answered within a fortnight"))
    review(tmp_path / "runs" / "one.db", folder, Scripted(as_output()), quoted, runs=2)
    other = make_dataset(tmp_path / "elsewhere", [], text="# Other\n\nComplaints are answered.\n")
    review(tmp_path / "runs" / "two.db", other, Scripted(as_output()), Judging(), runs=1)
    bench = serving(tmp_path)
    text = bench.client.get(page_of(bench)).text
    assert "runs/one" in text and "runs/two" not in text
    run = bench.run_id("runs/one")
    address = f"{page_of(bench)}/propose"
    assert "3 new candidates from runs/one." in followed(bench, bench.client.post(address, {"run": run}))
    again = followed(bench, bench.client.post(address, {"run": run, "min_runs": "1"}))
    assert "0 new candidates" in again and "3 in a list or the queue already" in again
    assert len(candidates(folder)) == 3
    assert all(one.source == "one" and one.found_in == 2 for one in candidates(folder).values())
    assert bench.client.post(address, {"run": run, "min_runs": "-1"}).status == 400
    assert bench.client.post(address, {"run": "../x"}).status == 404
    wrong = bench.client.post(address, {"run": bench.run_id("runs/two")})
    assert wrong.status == 400 and "are not those of the run" in wrong.text


def test_a_full_disk_is_said_and_changes_nothing(
    serving: Callable[..., Bench], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    bench, before = serving(root), (root / "gauges" / "candidates.jsonl").read_bytes()
    address, mark = seen(bench)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        answer = bench.client.post(f"{address}/reject", {"seen": mark, "why": "no"})
    assert answer.status == 500 and "No space left on device" in answer.text
    assert (root / "gauges" / "candidates.jsonl").read_bytes() == before
    assert bench.client.post(f"{address}/reject", {"seen": mark, "why": "no"}).status == 303


def test_lists_that_a_kill_has_left_apart_from_the_queue_are_named(
    serving: Callable[..., Bench], root: Path
) -> None:
    folder = root / "gauges"
    bench = serving(root)
    write_lines(folder / "must_find.jsonl", ITEM)
    write_lines(folder / "context_dependent_findings.jsonl", {"id": "late", "title": "t", "required_context": "c"})
    text = bench.client.get(page_of(bench)).text
    assert "in must_find.jsonl already" in text and "in context_dependent_findings.jsonl still" in text
    write_lines(folder / "must_find.jsonl")
    write_lines(folder / "candidates.jsonl", ITEM, ITEM | {"state": "must_find"})
    assert "It is not in must_find.jsonl" in bench.client.get(page_of(bench)).text
    followed(bench, act(bench, "undo"))
    assert candidates(folder)["kept"].state == "proposed"


def test_a_queue_that_cannot_be_read_says_which_line(serving: Callable[..., Bench], root: Path) -> None:
    path = root / "gauges" / "candidates.jsonl"
    write_lines(path, "{broken", ITEM)
    bench = serving(root)
    answer = bench.client.get(page_of(bench))
    assert answer.status == 400 and "candidates.jsonl, line 1: not JSON" in answer.text
    with pytest.raises(UsageError):
        candidates(root / "gauges")
