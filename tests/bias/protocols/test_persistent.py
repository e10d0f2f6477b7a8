"""Temporal, persistent: chats of several rounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.bias.load import packaged_battery
from fiducial.bias.run import BiasOptions, collect_run, look, prepare_run, rescore
from fiducial.errors import UsageError
from fiducial.model.names import open_model
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from tests.bias.protocols.running import covers, near, rows, run

NAME = "temporal-persistent"


def test_what_stays_and_what_grows_is_recovered_round_by_round(tmp_path: Path) -> None:
    found = run(tmp_path, "planted:effect=.4,keep=.5,grow=.1", NAME, trials=4).protocols[0]
    for t, row in enumerate(rows(found, "trigger in round 1 alone")):
        assert near(row.estimate, 0.4 * 0.5**t), row
    for t, row in enumerate(rows(found, "trigger in every round")):
        assert near(row.estimate, 0.4 + 0.1 * t), row
    assert covers(found.estimate, (0.2 + 0.1 + 0.05) / 3, within=0.2)
    assert len(found.by_turn) == 4
    accumulation, fading = rows(found, "change")
    assert covers(accumulation.estimate, 0.3, within=0.4) and covers(fading.estimate, 0.35, within=0.4)


def test_subjects_without_a_memory_of_the_trigger_read_zero(tmp_path: Path) -> None:
    for subject in ("last", "coin", "planted:effect=.4"):
        assert covers(run(tmp_path / subject[:4], subject, NAME).protocols[0].estimate, 0.0)


def test_each_round_sends_the_whole_chat_so_far(tmp_path: Path) -> None:
    options = BiasOptions(
        model="sim/coin", biases=("status_quo_bias",), protocols=(NAME,), trials=1, rounds=3, tier="quick"
    )
    prepared = prepare_run(packaged_battery(), options, out=tmp_path / "run.db")
    last = next(t for t in prepared.plan.trials if t.turn == 2 and "once" in t.item)
    request = prepared.source.request(last, ("one", "two"))
    assert [m.role for m in request.messages] == ["user", "assistant", "user", "assistant", "user"]
    assert [m.text for m in request.messages if m.role == "assistant"] == ["one", "two"]
    first, *later = (m.text for m in request.messages if m.role == "user")
    block = prepared.source.blocks[last.item]
    trigger = block.arms[last.arm].marked[0]
    assert trigger in first and not any(trigger in text for text in later)
    every = next(t for t in prepared.plan.trials if t.turn == 2 and "every" in t.item)
    again = prepared.source.blocks[every.item].arms[every.arm].marked[0]
    assert all(again in m.text for m in prepared.source.request(every, ("a", "b")).messages if m.role == "user")


def test_a_chat_that_was_interrupted_goes_on_where_it_stopped(tmp_path: Path) -> None:
    options = BiasOptions(
        model="sim/planted:effect=.4", biases=("status_quo_bias",), protocols=(NAME,), trials=2, tier="quick"
    )
    prepared = prepare_run(packaged_battery(), options, out=tmp_path / "run.db")
    calls = len(prepared.plan.trials)

    def go(budget: Budget) -> None:
        collect_run(prepared, open_model(options.model), options, limits=Limits(), budget=budget, progress=Silent())

    go(Budget(calls=calls // 3))
    halfway = look(prepared.path)
    assert not halfway.complete and 0 < halfway.answered < calls
    go(Budget())
    whole = rescore(prepared.path).result
    assert whole.complete and whole.calls == calls
    straight = run(tmp_path / "other", "planted:effect=.4", NAME, biases=("status_quo_bias",), tier="quick")
    assert straight.protocols[0].estimate == whole.protocols[0].estimate


def test_items_that_do_not_fit_are_counted_with_the_reason(tmp_path: Path) -> None:
    both = ("overconfidence_effect", "status_quo_bias")
    found = run(tmp_path, "coin", NAME, biases=both, tier="quick").protocols[0]
    assert found.left_out == {"it has a single arm: there is no trigger that could last": 5}
    with pytest.raises(UsageError, match="nothing to run: temporal-persistent: it has a single arm"):
        run(tmp_path / "none", "coin", NAME, biases=("overconfidence_effect",), tier="quick")


def test_an_unknown_protocol_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Nearest: temporal-persistent"):
        run(tmp_path, "coin", "persistent")


def test_a_refuser_gives_no_estimate_and_says_how_much_was_unread(tmp_path: Path) -> None:
    found = run(tmp_path, "refuser", NAME, tier="quick").protocols[0]
    assert hasattr(found.estimate, "withheld") and sum(found.unread.values()) == found.replies
