from __future__ import annotations

import struct
from pathlib import Path

import pytest
from filelock import FileLock

from fiducial.errors import UsageError
from fiducial.model.remote import open_remote
from fiducial.run.budget import Budget, parse_budget
from fiducial.run.limits import Concurrency, Limiter, Limits, Rate, Shared, shared_limits
from tests.model.servers import Server, openai_reply
from tests.run.support import plan_of, remote, run


def test_concurrency_starts_at_one_and_reaches_its_ceiling() -> None:
    window = Concurrency(100)
    assert window.limit == 1
    for _ in range(200):
        window.succeeded()
    assert window.limit == 100


def test_a_refusal_halves_the_limit_once_for_all_calls_that_were_out() -> None:
    window = Concurrency(100)
    for _ in range(200):
        window.succeeded()
    for _ in range(50):
        window.throttled(started=10.0, now=11.0)
    assert window.limit == 50
    window.throttled(started=12.0, now=13.0)
    assert window.limit == 25


def test_after_a_refusal_growth_is_slow_and_it_never_stops_altogether() -> None:
    window = Concurrency(100)
    for now in range(100):
        window.throttled(started=now + 0.5, now=now + 1.0)
    assert window.limit == 1
    for _ in range(20):
        window.succeeded()
    assert 1 < window.limit < 20


@pytest.mark.parametrize("per_minute", [6, 60, 600, 6000])
def test_no_minute_holds_more_calls_than_allowed(per_minute: int) -> None:
    rate, now, sent = Rate(per_minute), 0.0, []
    while now < 180:
        wait = rate.wait(now)
        if wait == 0:
            rate.take(now)
            sent.append(now)
        else:
            now += wait
    for start in sent[:: max(1, len(sent) // 50)]:
        assert sum(start <= t < start + 60 for t in sent) <= per_minute * 1.01 + 1
    assert len(sent) >= per_minute * 3 * 0.98


def test_tokens_that_were_not_foreseen_are_waited_for() -> None:
    limiter = Limiter(Limits(tpm=6000), slots=lambda: 10)
    limiter.started(0.0, tokens=100)
    limiter.ended(0.0, expected=100, used=700)
    assert limiter.wait(0.0) == pytest.approx(7.0 - 0.1)


def test_runs_that_share_a_key_share_its_calls_and_tokens_a_minute(tmp_path: Path) -> None:
    limits, clock, sent = Limits(rpm=30, tpm=60_000), [1000.0], []
    runs = [
        Limiter(limits, slots=lambda: 10, shared=Shared(tmp_path / "x", clock=lambda: clock[0])) for _ in range(3)
    ]
    while clock[0] < 1180.0:
        for each in runs:
            if each.wait(clock[0]) == 0:
                each.started(clock[0], tokens=100)
                each.ended(clock[0], expected=100, used=3000 if clock[0] < 1060 else 100)
                sent.append(clock[0])
        clock[0] += 0.25
    minutes = [sum(start <= t < start + 60 for t in sent) for start in (1000, 1060, 1120)]
    assert minutes[0] <= 20 + 3 and all(25 <= n <= 30 + 3 for n in minutes[1:])


@pytest.mark.parametrize("garbage", [b"", b"x", b"\xff" * 16, struct.pack("<dd", 1e300, float("-inf"))])
def test_a_clock_set_back_or_a_broken_file_holds_a_run_up_for_a_minute_at_most(
    tmp_path: Path, garbage: bytes
) -> None:
    (tmp_path / "x").write_bytes(garbage)
    clock = [1000.0]
    shared = Shared(tmp_path / "x", clock=lambda: clock[0])
    for moment in (1000.0, 900.0):  # set back by more than a minute
        clock[0] = moment
        waited = shared.wait()
        assert waited <= 60
        clock[0] += waited
        assert shared.wait() == 0
        shared.take(2.0, 0.0)
        assert shared.wait() == pytest.approx(2.0, abs=0.2)


def test_a_lock_that_another_process_holds_does_not_stop_a_run(tmp_path: Path) -> None:
    shared = Shared(tmp_path / "x", clock=lambda: 1000.0)
    with FileLock(tmp_path / "x.lock"):
        shared.take(5.0, 0.0)
        assert shared.wait() == 0
    shared.take(5.0, 0.0)  # with what could not be noted before
    assert shared.wait() == pytest.approx(10.0, abs=0.2)


def test_a_run_leaves_what_it_took_for_the_next_one_with_the_same_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIDUCIAL_CACHE", str(tmp_path / "cache"))
    limits = Limits(rpm=6)
    with Server(openai_reply("A")) as server:
        run(tmp_path / "run.db", plan_of(1), remote(server), limits=limits)
        other_key = open_remote("openai", "m", server.env(OPENAI_API_KEY="another-key"))
        same = shared_limits(limits, remote(server).account)
        other = shared_limits(limits, other_key.account)
    assert same is not None and 0 < same.wait() <= 10
    assert other is not None and other.wait() == 0
    assert shared_limits(Limits(), "x") is None
    files = [*(tmp_path / "cache").rglob("*")]
    assert files and not any("key-openai" in file.name for file in files)


def test_a_models_own_slots_bound_the_connections() -> None:
    limiter = Limiter(Limits(max_connections=64), slots=lambda: 4)
    for _ in range(100):
        limiter.concurrency.succeeded()
    assert limiter.concurrency.limit == 4


def test_slots_that_come_and_go_move_the_bound() -> None:
    slots = [4]
    limiter = Limiter(Limits(max_connections=6), slots=lambda: slots[0])
    for slots[0], limit in ((4, 4), (2, 2), (0, 1), (8, 6)):
        limiter.wait(0.0)
        for _ in range(100):
            limiter.concurrency.succeeded()
        assert limiter.concurrency.limit == limit


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("calls=500", Budget(calls=500)),
        ("tokens=2M", Budget(tokens=2e6)),
        ("usd=1.50, calls=1k", Budget(usd=1.5, calls=1000)),
    ],
)
def test_budgets_are_read(text: str, budget: Budget) -> None:
    assert parse_budget(text) == budget


@pytest.mark.parametrize("text", ["500", "calls", "calls=", "calls=-1", "euro=5", "usd=nan", "usd=inf", "calls=k"])
def test_a_budget_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--budget"):
        parse_budget(text)
