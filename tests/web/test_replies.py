"""The replies of a run on the workbench: the list, its filters, and one reply in full."""

from __future__ import annotations

import html
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from fiducial.judge.sitting import Sitting
from fiducial.run.store import Store
from fiducial.run.writer import Record, Writer
from tests.judge.test_sitting import Judge, ask, prepared
from tests.review.standins import Judging, Scripted, as_output, make_dataset, review, verdict
from tests.web.conftest import running
from tests.web.made import apart
from tests.web.reply_runs import LONG, bias_run
from tests.web.support import HOSTILE, Bench


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return apart(lambda: make_runs(tmp_path_factory.mktemp("runs")))


def make_runs(root: Path) -> Path:
    bias_run(root / "sorts.db")
    bias_run(root / "flight.db", stop_after=12)
    bias_run(root / "talk.db", judge=False, protocols=("conversation",))
    judge = Judging(genuine=lambda about, before: verdict() if before or "child" not in about else "nonsense")
    outputs = Scripted(as_output(), f"No findings. {HOSTILE[0]}", HOSTILE[1])
    review(root / "review.db", make_dataset(root / "buses"), outputs, judge, runs=3)
    ask(prepared(root / "sitting.db", [Sitting(repeats=2)]), Judge())
    return root


@pytest.fixture(scope="module")
def bench(folder: Path) -> Iterator[Bench]:
    with running(folder) as served:
        yield served


def place(bench: Bench, run: str) -> str:
    return f"/runs/{bench.run_id(run)}/replies"


def shown(bench: Bench, path: str) -> str:
    answer = bench.client.get(path)
    assert answer.status == 200, answer.text
    return answer.text


def rows(text: str) -> list[str]:
    """What each row of the list says, without its tags."""
    found = re.findall(r'<tr id="r\d+">(.*?)</tr>', text, re.DOTALL)
    return [" ".join(html.unescape(re.sub(r"<[^>]+>", " ", one)).split()) for one in found]


def links(text: str) -> list[str]:
    return re.findall(r'href="([^"]+)" data-row', text)


def plain(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def reply_of(folder: Path, run: str, where: str) -> int:
    with Store(folder / f"{run}.db") as store:
        found = store.db.execute(
            f"SELECT reply.id FROM reply JOIN trial ON seq = trial WHERE {where} ORDER BY reply.id"
        ).fetchone()
    return int(found[0])


def test_the_list_shows_every_trial_with_what_was_read_and_where(bench: Bench) -> None:
    text = shown(bench, place(bench, "sorts"))
    assert len(rows(text)) == 20 and "<strong>20 trials</strong>" in text
    assert (
        "Made norm item1 control order 1, repetition 2 A 0.00 The first is more probable. Answer: A"
        in rows(text)[0]
    )
    assert '<mark class="read">A</mark>' in text
    assert any("by the judge" in row and "zweite" in row for row in rows(text))
    for words in (
        "cut off at the token limit",
        "withheld by a filter",
        "refused by the provider",
        "call failed: bad",
    ):
        assert sum(words in row for row in rows(text)) == 1


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("?arm=strong", 10),
        ("?bias=made_norm&item=item2", 4),
        ("?bias=made_norm&item=item2&arm=control", 2),
        ("?item=item2&order=1&repetition=1", 2),
        ("?status=truncated", 1),
        ("?status=failed", 1),
        ("?status=waiting", 0),
        ("?reading=judge", 1),
        ("?reading=refused", 2),
        ("?reading=unscored", 3),
        ("?reading=scored", 16),
        ("?role=all", 24),
        ("?role=nobody", 0),
        ("?bias=another", 0),
        ("?q=it+depends", 1),
        ("?q=%25", 1),
        ("?q=%3Cscript", 3),
    ],
)
def test_filters_of_the_address_find_what_fits(bench: Bench, query: str, count: int) -> None:
    text = shown(bench, place(bench, "sorts") + query)
    assert len(rows(text)) == count
    assert ("No trial fits" in text) == (count == 0)


@pytest.mark.parametrize(
    "query", ["?status=fine", "?reading=1", "?order=x", "?order=0", "?turn=99999999999999999999"]
)
def test_a_filter_that_cannot_be_is_refused_in_words(bench: Bench, query: str) -> None:
    answer = bench.client.get(place(bench, "sorts") + query)
    assert answer.status == 400
    assert "This cannot be done" in answer.text


def test_pages_lead_on_and_back_and_keep_the_filter(folder: Path, bench: Bench) -> None:
    base = place(bench, "sorts")
    text = shown(bench, f"{base}?arm=strong&after=4")
    back = re.search(r'href="([^"]+)" data-earlier', text)
    assert back is not None and "arm=strong&amp;before=" in back[1]
    first = shown(bench, html.unescape(back[1]))
    assert len(rows(first)) == 10 and "data-earlier" not in first
    at = shown(bench, f"{base}?at=19")
    assert len(rows(at)) == 2 and "<strong>20 trials</strong>" in at
    assert len(rows(shown(bench, f"{base}?after=99999999999999999999&before=x"))) == 20


def test_one_reply_shows_the_prompt_as_sent_and_what_decided(folder: Path, bench: Bench) -> None:
    text = shown(bench, f"{place(bench, 'sorts')}/1")
    assert '<mark class="marked">Oskar is quiet.</mark>' in text
    assert "You are careful." in text  # the system message: it was sent
    assert '<mark class="read">A</mark>' in text
    assert "answer-line" in text
    assert re.search(
        r"Score 0.00 Key of this arm, in this order \w counts as 1, any other as 0; \w is right", plain(text)
    )
    assert "settings.temperature 0.5" in plain(text)
    assert "&#34;temperature&#34;: 0.5" in text  # the body, laid out


def test_settings_that_were_asked_and_not_sent_are_marked(folder: Path, bench: Bench) -> None:
    cut = reply_of(folder, "sorts", "status = 'truncated'")
    text = plain(shown(bench, f"{place(bench, 'sorts')}/{cut}"))
    assert "temperature 0.5 ! not sent" in text
    assert "finish reason stop" in text and "cached tokens 5" in text


def test_what_a_judge_said_is_linked_from_the_reply_and_back(folder: Path, bench: Bench) -> None:
    base = place(bench, "sorts")
    judged = reply_of(folder, "sorts", "text LIKE 'Nun ja%'")
    text = shown(bench, f"{base}/{judged}")
    assert "What judges said of this reply" in text
    assert "says B" in text and "I would rather not." in text and "try 2" in text
    asked = reply_of(folder, "sorts", "role LIKE 'judge%' AND text LIKE 'I would%'")
    answer = shown(bench, f"{base}/{asked}")
    parent = f"trial.id = (SELECT parent FROM trial JOIN reply ON trial = seq WHERE reply.id = {asked})"
    assert f'Judges <a href="{base}/{reply_of(folder, "sorts", parent)}"' in answer
    again = reply_of(folder, "sorts", "role LIKE 'judge%' AND repetition = 1")
    assert "Follows the reply of the turn before" in shown(bench, f"{base}/{again}")


def test_a_failure_shows_its_kind_its_message_and_the_other_rows_of_the_trial(folder: Path, bench: Bench) -> None:
    failed = reply_of(folder, "sorts", "status = 'failed'")
    text = shown(bench, f"{place(bench, 'sorts')}/{failed}")
    assert "The call failed: bad request" in plain(text) and "HTTP 400" in text
    with Store(folder / "sorts.db") as store:
        one = store.reply(failed)
        assert one is not None
    with Writer(folder / "sorts.db") as writer:
        writer.start(lambda group, error: None)
        writer.put(Record(trial=one.seq, model="m", status="failed", failure="timeout", message=HOSTILE[0]))
        writer.finish()
    text = shown(bench, f"{place(bench, 'sorts')}/{failed}")
    assert "This is not the trial's reply" in html.unescape(text)
    assert "Other rows of the same trial" in text and "timeout" in text


def test_a_chat_shows_all_its_turns_with_the_earlier_replies(folder: Path, bench: Bench) -> None:
    later = reply_of(folder, "talk", "turn = 1 AND reply.status = 'ok' AND item LIKE '%item1%'")
    text = shown(bench, f"{place(bench, 'talk')}/{later}")
    assert text.count("<h3>Prompt</h3>") == 2 and text.count("<h3>Earlier reply</h3>") == 1
    assert "Follows the reply of the turn before" in text
    with Store(folder / "talk.db") as store:
        one = store.reply(later)
        assert one is not None
        before, last = store.history(one.trial)
    assert plain(html.escape(before[0]))[:40] in plain(text)
    assert "The chat goes on" in shown(bench, f"{place(bench, 'talk')}/{last}")


def test_a_long_reply_is_cut_with_a_note_and_there_whole_as_plain_text(folder: Path, bench: Bench) -> None:
    base = f"{place(bench, 'sorts')}/{reply_of(folder, 'sorts', 'length(text) > 10000')}"
    text = shown(bench, base)
    assert "characters left out" in text and len(text) < 60_000
    assert '<mark class="read">A</mark>' in text  # what was read is shown, however far down it is
    whole = bench.client.get(f"{base}/reply.txt")
    assert whole.text == f"{LONG}\nAnswer: A"
    assert whole.headers["content-type"] == "text/plain; charset=utf-8"
    assert whole.headers["x-content-type-options"] == "nosniff"
    assert whole.headers["content-disposition"].startswith("inline")
    assert "lives near stop" in bench.client.get(f"{base}/prompt.txt").text
    assert '"temperature": 0.5' in bench.client.get(f"{base}/body.txt").text
    assert bench.client.get(f"{base}/else.txt").status == 404


@pytest.mark.parametrize("reply", ["0", "999999", "99999999999999999999999", "-1", "1x", "1/2"])
def test_a_reply_that_is_not_there_is_a_page_that_says_so(bench: Bench, reply: str) -> None:
    answer = bench.client.get(f"{place(bench, 'sorts')}/{reply}")
    assert answer.status == 404
    assert "<h1>Not here</h1>" in answer.text


def test_texts_of_models_stay_texts(folder: Path, bench: Bench) -> None:
    with Store(folder / "sorts.db") as store:
        ids = [row[0] for row in store.db.execute("SELECT id FROM reply")]
    base = place(bench, "sorts")
    for path in ("?role=all", *(f"/{one}" for one in ids)):
        text = shown(bench, base + path)
        for bad in ("<script>", "<img", "<svg", "<iframe", "<base", "</textarea>", "\u202e", "\x1b", "\x00"):
            assert bad not in text.replace("<script src=", ""), (path, bad)


def test_a_damaged_body_is_said_to_be_damaged(bench: Bench, folder: Path) -> None:
    path = apart(lambda: bias_run(folder / "damaged.db", judge=False))
    with Writer(path) as writer:
        writer.db.execute("UPDATE part SET data = x'7b7d' WHERE kind = 0")
    base = place(bench, "damaged")
    text = shown(bench, f"{base}/1")
    assert "The stored request is damaged. This is the prompt as the item makes it." in text
    assert '<mark class="marked">' in text
    assert bench.client.get(f"{base}/1/body.txt").status == 404


def test_stored_readings_are_not_believed_when_they_are_older_than_the_reader(bench: Bench, folder: Path) -> None:
    path = apart(lambda: bias_run(folder / "older.db", judge=False))
    with Writer(path) as writer:
        writer.db.execute("UPDATE reading SET answer = 'B', score = 1.0, rule = 'old' WHERE reply = 1")
    base = place(bench, "older")
    assert "A 0.00" not in rows(shown(bench, base))[0]  # what is stored, as long as it holds
    one = plain(shown(bench, f"{base}/1"))
    assert "Read as A" in one and "Stored is another reading: B , by the rule old , score 1.00" in one
    with Writer(path) as writer:
        writer.set_meta("scored", {"reader": "of yesterday", "effects": {}})
    text = shown(bench, base)
    assert "A 0.00" in rows(text)[0]
    assert "they were made by another version of the reader" in text


def test_a_run_in_flight_is_read_as_it_is_shown_and_grows(folder: Path, bench: Bench) -> None:
    base = place(bench, "flight")
    text = shown(bench, base)
    assert "Not every trial has a reply yet" in text
    assert sum("no reply yet" in row for row in rows(text)) == 8
    assert '<mark class="read">A</mark>' in text  # nothing is stored: it was read just now
    assert "cannot be filtered by reading, because no reading is stored yet" in text
    left_out = shown(bench, f"{base}?reading=unreadable")
    assert "The filter by reading was left out" in left_out and len(rows(left_out)) == 20
    with Store(folder / "flight.db") as store:
        seqs = [row.seq for row in store.replies()]
        open_ = [s for (s,) in store.db.execute("SELECT seq FROM trial") if s not in seqs]
    written = threading.Event()
    with Writer(folder / "flight.db") as writer:
        writer.start(lambda group, error: written.set())
        writer.put(Record(trial=open_[0], model="m", status="ok", text="Answer: B, at last"))
        assert written.wait(10)
        assert sum("at last" in row for row in rows(shown(bench, base))) == 1  # while somebody else is writing
        assert len(rows(shown(bench, f"{base}?status=waiting"))) == 7


def test_a_review_shows_document_reviewer_run_and_what_the_output_came_to(folder: Path, bench: Bench) -> None:
    base = place(bench, "review")
    text = shown(bench, base)
    assert [row.split(" ", 1)[1][:24] for row in rows(text)[:1]] == ["probe run 1 3 findings {"[:24]]
    assert any("explicit none" in row for row in rows(text))
    assert len(rows(shown(bench, f"{base}?role=all"))) == 7
    assert len(rows(shown(bench, f"{base}?item=buses&arm=probe&repetition=2"))) == 1
    one = shown(bench, f"{base}/1")
    assert "As a review: 3 findings" in plain(one) and "says genuine" in plain(one)
    assert "You look for gaps." in one and "Night buses" in one


def test_a_run_of_judges_shows_what_there_is(bench: Bench) -> None:
    base = place(bench, "sitting")
    text = shown(bench, base)
    assert len(rows(text)) == 12 and "py/judge" in rows(text)[0] and "says" in rows(text)[0]
    one = shown(bench, html.unescape(links(text)[0]))
    assert "The judge says" in plain(one)
    assert bench.client.get(f"{base}?status=failed").status == 200
