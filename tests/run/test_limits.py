from __future__ import annotations

import pytest

from fiducial.errors import UsageError
from fiducial.run.budget import Budget, parse_budget
from fiducial.run.limits import Concurrency, Limiter, Limits, Rate


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
