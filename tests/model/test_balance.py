"""Who gets the next call, on a clock that the test moves."""

from __future__ import annotations

from collections import Counter

from fiducial.model.balance import ASIDE, FADES, Balance, home_of
from fiducial.model.request import Message, Request


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def balanced(**latencies: float) -> tuple[Balance, Clock]:
    """Places that have answered one call each, in so many seconds."""
    clock = Clock()
    balance = Balance(latencies, clock=clock)
    for name, seconds in latencies.items():
        clock.now = 0.0
        started = balance.started(name)
        clock.now = seconds
        balance.ended(name, started, answered=True)
    return balance, clock


def asked(balance: Balance, calls: int, home: bytes | None = None) -> Counter[str]:
    names: Counter[str] = Counter()
    for _ in range(calls):
        name = balance.choose(home)
        balance.started(name)
        names[name] += 1
    return names


def test_a_place_that_is_three_times_as_slow_gets_a_third_of_the_calls() -> None:
    balance, _ = balanced(fast=0.1, slow=0.3)
    assert asked(balance, 40) == {"fast": 30, "slow": 10}


def test_a_place_that_nothing_is_known_of_is_tried_as_if_it_were_the_best() -> None:
    balance, _ = balanced(a=0.1)
    balance.add("new")
    assert asked(balance, 10) == {"a": 5, "new": 5}


def test_what_is_known_of_a_slow_place_fades_so_that_it_is_tried_again() -> None:
    balance, clock = balanced(fast=0.1, slow=0.3)
    balance.ended("fast", balance.started("fast"), answered=True)
    assert "slow" not in asked(balance, 1)
    clock.now += 2 * FADES
    assert asked(balance, 2)["slow"] == 1


def test_a_place_that_failed_is_left_alone_and_let_back_in_with_one_call() -> None:
    balance, clock = balanced(a=0.1, b=0.1)
    assert balance.set_aside("a")  # b can take it at once
    assert asked(balance, 4) == {"b": 4}
    clock.now += ASIDE
    assert asked(balance, 4) == {"a": 1, "b": 3}
    balance.ended("a", clock.now - 0.1, answered=True)
    assert asked(balance, 4)["a"] >= 3


def test_each_failure_doubles_the_time_and_a_burst_of_failures_is_one() -> None:
    balance, clock = balanced(a=0.125, b=0.125)
    for pause in (1, 2, 4):
        for _ in range(5):
            balance.set_aside("a")
        clock.now += pause * ASIDE - 0.5
        assert balance.choose() == "b"
        balance.started("b")
        clock.now += 0.5
        assert asked(balance, 8)["a"] == 1
        balance.ended("a", clock.now, answered=False)


def test_where_all_are_set_aside_nobody_is_elsewhere_and_the_first_that_is_due_is_asked() -> None:
    balance, clock = balanced(a=0.1, b=0.1)
    balance.set_aside("a", retry_after=9.0)
    clock.now += 0.5
    assert not balance.set_aside("b")
    assert balance.choose() == "b"


def test_no_place_gets_more_than_it_takes_while_another_has_room() -> None:
    balance = Balance(clock=Clock())
    balance.add("small", 2)
    balance.add("large", 6)
    assert balance.slots == 8
    assert asked(balance, 8) == {"small": 2, "large": 6}


def test_calls_that_share_a_beginning_go_to_one_place_unless_it_would_keep_others_idle() -> None:
    balance, _ = balanced(a=0.1, b=0.1, c=0.1)
    homes = {balance.choose(b"document 1") for _ in range(20)}
    assert len(homes) == 1  # nothing is in flight: all places cost the same
    assert {balance.choose(f"document {n}".encode()) for n in range(50)} == {"a", "b", "c"}
    assert max(asked(balance, 30, b"document 1").values()) <= 1.5 * 30 / 3


def test_a_document_and_a_chat_have_a_home_and_a_first_message_has_none() -> None:
    first = Message("user", "Which one?")
    chat = (first, Message("assistant", "B"), Message("user", "Sure?"))
    assert home_of(Request((first,))) is None
    assert home_of(Request(chat)) == home_of(Request((*chat, Message("assistant", "Yes"), Message("user", "Why?"))))
    one, other = (Request((Message("user", f"document, {q}", prefix=9),)) for q in ("is it?", "was it?"))
    assert home_of(one) == home_of(other) is not None
