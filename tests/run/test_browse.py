"""Pages of a run: whatever the filter, every trial that fits comes once, in the order of the plan."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiducial.run.browse import (
    BY_JUDGE,
    READINGS,
    SCORED,
    STATUSES,
    UNSCORED,
    WAITING,
    Filter,
    Page,
    Row,
    count,
    followers,
    neighbours,
    page,
    roles,
    texts_of,
    trial_row,
    unread,
    waiting,
)
from fiducial.run.plan import Plan, make_trial
from fiducial.run.store import Store, add_trials, prepare
from fiducial.run.writer import Writer
from tests.run.support import seal

TRIALS = 160
JUDGE, GONE = "judge:read:abc", "withdrawn:judge:read:abc"
TEXTS = ("Answer: A", "about 50%", "a_b", "ab", "50 % of them", "back\\slash", "ANSWER: ÄÖ", "")
ITEMS, ARMS = ("one", "two", "three"), ("control", "strong", "x'); DROP TABLE trial; --")


def fill(db: sqlite3.Connection) -> None:
    """Replies of every status, some after a failure, some readings, some trials without a reply."""
    rng = random.Random(5)
    for seq, role in db.execute("SELECT seq, role FROM trial").fetchall():
        for status in ("failed",) * rng.choice((0, 0, 1, 2)) + (rng.choice((*STATUSES[:-1], "")),):
            if status:
                db.execute(
                    """INSERT INTO reply (trial, model, status, text, asked, reported, attempts, started, seconds,
                                      checksum)
                       VALUES (?, 'm', ?, ?, '{}', '{}', 1, 0, 0, x'')""",
                    (seq, status, rng.choice(TEXTS)),
                )
        last = db.execute("SELECT max(id) FROM reply WHERE trial = ? AND status != 'failed'", (seq,)).fetchone()[0]
        if last is not None and role == "subject" and rng.random() < 0.8:
            score = rng.choice((None, 0.0, 1.0))
            db.execute(
                "INSERT INTO reading VALUES (?, ?, 'A', NULL, NULL, 0, 1, ?, ?, NULL)",
                (last, rng.choice(READINGS), rng.choice(("judge", "last-line")), score),
            )
    seal(db)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    rng = random.Random(3)
    path = tmp_path_factory.mktemp("run") / "r.db"
    trials = [
        make_trial(rng.choice(ITEMS), "h", rng.choice(ARMS), order=n % 2, repetition=n, turn=rng.choice((0, 0, 1)))
        for n in range(TRIALS)
    ]
    asked = [make_trial(t.item, "h", "hash", turn=1, parent=t.id) for t in trials[:20]]
    gone = [make_trial(t.item, "g", "hash", turn=1, parent=t.id) for t in trials[20:24]]
    prepare(path, Plan(tuple(trials), tuple(t.id for t in trials)), {})
    with Writer(path) as writer:
        for role, more in ((JUDGE, asked), (GONE, gone)):
            plan = Plan(tuple(more), tuple(t.id for t in more))
            writer.transaction(lambda db, plan=plan, role=role: add_trials(db, plan, role))  # type: ignore[misc]
        writer.transaction(fill)
    return Store(path)


def everything(store: Store) -> list[Row]:
    """All trials with what came of them, put together one by one and not in SQL."""
    found = []
    for (trial,) in store.db.execute("SELECT id FROM trial ORDER BY seq").fetchall():
        row = trial_row(store, trial)
        assert row is not None
        found.append(row)
    return found


def fits(row: Row, wanted: Filter) -> bool:
    reading = row.reading
    by_reading: dict[str | None, Callable[[], bool]] = {
        None: lambda: True,
        SCORED: lambda: reading is not None and reading.score is not None,
        UNSCORED: lambda: reading is not None and reading.score is None,
        BY_JUDGE: lambda: reading is not None and reading.rule == "judge",
    }
    same = by_reading.get(wanted.reading, lambda: reading is not None and reading.status == wanted.reading)
    folded = str.maketrans({c: c.lower() for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"})
    return (
        (row.role == wanted.role if wanted.role else not row.role.startswith("withdrawn"))
        and (wanted.items is None or row.item in wanted.items)
        and (wanted.arms is None or row.arm in wanted.arms)
        and wanted.order in (None, row.order)
        and wanted.turn in (None, row.turn)
        and wanted.repetition in (None, row.repetition)
        and wanted.reply in (None, row.status)
        and same()
        and (
            not wanted.text
            or (row.reply is not None and wanted.text.translate(folded) in row.text.translate(folded))
        )
    )


filters = st.builds(
    Filter,
    role=st.sampled_from([None, None, "subject", JUDGE, GONE, "nobody"]),
    items=st.none() | st.lists(st.sampled_from([*ITEMS, "none"]), max_size=2).map(tuple),
    arms=st.none() | st.lists(st.sampled_from(ARMS), max_size=2).map(tuple),
    order=st.sampled_from([None, None, 0, 1]),
    repetition=st.sampled_from([None, None, None, 4]),
    turn=st.sampled_from([None, None, 0, 1]),
    reply=st.sampled_from([None, None, *STATUSES]),
    reading=st.sampled_from([None, None, None, *READINGS, SCORED, UNSCORED, BY_JUDGE]),
    text=st.sampled_from(["", "", "", "answer", "%", "_", "\\", "Ä", "ä", "'"]),
)


@settings(max_examples=60)
@given(wanted=filters, limit=st.integers(1, 60))
def test_walking_the_pages_meets_every_trial_that_fits_once_and_in_order(
    store: Store, wanted: Filter, limit: int
) -> None:
    expected = [row.seq for row in everything(store) if fits(row, wanted)]
    assert count(store, wanted) == len(expected)

    met: list[int] = []
    here = page(store, wanted, limit=limit)
    assert not here.earlier
    while here.rows:
        assert len(here.rows) <= limit and here.earlier == bool(met)
        met += [row.seq for row in here.rows]
        assert here.later == (met != expected)
        here = page(store, wanted, after=met[-1], limit=limit)
    assert met == expected

    back: list[int] = []
    at = 10**9
    while (here := page(store, wanted, before=at, limit=limit)).rows:
        assert here.later == bool(back)
        back = [*(row.seq for row in here.rows), *back]
        assert here.earlier == (back != expected)
        at = back[0]
    assert back == expected


@settings(max_examples=40)
@given(wanted=filters, seq=st.integers(0, TRIALS + 30))
def test_the_neighbours_of_a_reply_are_the_nearest_that_fit_and_have_one(
    store: Store, wanted: Filter, seq: int
) -> None:
    there = [row for row in everything(store) if fits(row, wanted) and row.reply is not None]
    before, after = [row for row in there if row.seq < seq], [row for row in there if row.seq > seq]
    assert neighbours(store, wanted, seq) == (
        before[-1].reply if before else None,
        after[0].reply if after else None,
    )


def test_a_trial_stands_with_its_newest_reply_or_else_its_newest_failure(store: Store) -> None:
    for row in everything(store):
        tried = store.tries(row.seq)
        good = [one for one in tried if one.status != "failed"]
        best = (good or tried)[-1] if tried else None
        assert (row.reply, row.status) == ((best.id, best.status) if best else (None, WAITING))


def test_roles_are_counted_with_the_subject_first_and_without_the_arms_of_judges(store: Store) -> None:
    found = roles(store)
    assert list(found.trials.items()) == [("subject", TRIALS), (JUDGE, 20), (GONE, 4)]
    assert set(found.arms) == set(ARMS)


def test_what_follows_a_reply_is_found_by_its_trial(store: Store) -> None:
    first = page(store, Filter(role="subject"), limit=1).rows[0]
    assert [row.role for row in followers(store, [first.trial])] == [JUDGE]
    assert followers(store, ["nothing"]) == []


def test_texts_to_read_leave_failures_out(store: Store) -> None:
    rows = [row for row in everything(store) if row.reply is not None]
    ids = [row.reply for row in rows if row.reply is not None]
    assert [text.reply for text in texts_of(store, ids)] == [r.reply for r in rows if r.status != "failed"]
    assert texts_of(store, []) == []


def test_a_run_says_whether_replies_wait_to_come_or_to_be_read(tmp_path: Path) -> None:
    path = tmp_path / "r.db"
    trials = [make_trial(str(n), "h", "a") for n in range(3)]
    prepare(path, Plan(tuple(trials), ("k",) * 3), {})

    def write(sql: str, *values: object) -> None:
        with Writer(path) as writer:
            writer.db.execute(sql, values)
            seal(writer.db)

    def reply(trial: int, status: str) -> None:
        write(
            """INSERT INTO reply (trial, model, status, text, asked, reported, attempts, started, seconds,
                                      checksum)
               VALUES (?, 'm', ?, '', '{}', '{}', 1, 0, 0, x'')""",
            trial,
            status,
        )

    with Store(path) as store:
        assert (
            waiting(store) and not unread(store) and page(store, Filter()) == Page(everything(store), False, False)
        )
        reply(1, "ok")
        assert unread(store)
        write("INSERT INTO reading VALUES (1, 'read', 'A', NULL, NULL, 0, 1, 'r', 1, NULL)")
        assert not unread(store) and waiting(store)
        reply(2, "failed")
        reply(3, "empty")
        assert unread(store) and not waiting(store)
