from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from fiducial.model.reply import Reply, Reported
from fiducial.model.request import Request
from fiducial.run.audit import audit_run
from fiducial.run.budget import Budget
from fiducial.run.store import Store
from tests.run.support import Echo, plan_of, run


def levels(path: Path) -> dict[str, str]:
    with Store(path) as store:
        return {check.code: check.level for check in audit_run(store)}


class Saying(Echo):
    """Replies made by a function of the number of the call."""

    def __init__(self, make: Any) -> None:
        super().__init__()
        self._make = make
        self._count = itertools.count()

    async def call(self, request: Request) -> Reply:
        reply: Reply = self._make(next(self._count))
        return reply


def test_a_clean_run_passes(tmp_path: Path) -> None:
    run(tmp_path / "r.db", plan_of(20, 2), Saying(lambda n: Reply(text=f"B {n}", reported=Reported(id=f"i{n}"))))
    assert set(levels(tmp_path / "r.db").values()) == {"pass"}


def test_a_run_cut_short_is_incomplete(tmp_path: Path) -> None:
    run(tmp_path / "r.db", plan_of(20), Echo(), budget=Budget(calls=5))
    with Store(tmp_path / "r.db") as store:
        (check,) = [c for c in audit_run(store) if c.code == "incomplete"]
    assert check.level == "fail"
    assert "15 of 20 trials" in check.message


@pytest.mark.parametrize(
    ("make", "code", "level"),
    [
        (lambda n: Reply(text="B", reported=Reported(id="same")), "identical-replies", "fail"),
        (lambda n: Reply(text="x" * 300), "identical-replies", "warn"),
        (lambda n: Reply(text=f"{n}", reported=Reported(model=f"m-{n // 20}")), "model-changed", "warn"),
        (lambda n: Reply(text=f"{n}", reported=Reported(fingerprint=f"fp{n // 20}")), "model-changed", "warn"),
        (lambda n: Reply(text=f"{n}", status="truncated" if n % 4 == 0 else "ok"), "truncated", "warn"),
        (lambda n: Reply(text=f"{n}", not_sent=("temperature",)), "temperature-not-sent", "warn"),
        (lambda n: Reply(text=f"{n}", not_sent=("seed",)), "setting-not-sent", "warn"),
    ],
)
def test_the_audit_sees(tmp_path: Path, make: Any, code: str, level: str) -> None:
    run(tmp_path / "r.db", plan_of(20, 2), Saying(make))
    assert levels(tmp_path / "r.db")[code] == level


def test_equal_short_answers_are_no_surprise(tmp_path: Path) -> None:
    run(tmp_path / "r.db", plan_of(20, 2), Saying(lambda n: Reply(text="Answer: B")))
    assert levels(tmp_path / "r.db")["identical-replies"] == "pass"


def test_repetitions_at_temperature_zero_are_named(tmp_path: Path) -> None:
    run(tmp_path / "r.db", plan_of(3, 2), Echo(), settings={"temperature": 0})
    assert levels(tmp_path / "r.db")["temperature-zero-trials"] == "warn"
    run(tmp_path / "s.db", plan_of(3, 1), Echo(), settings={"temperature": 0})
    assert "temperature-zero-trials" not in levels(tmp_path / "s.db")


def test_a_template_that_adds_a_system_message_is_named(tmp_path: Path) -> None:
    class Templated(Echo):
        def facts(self) -> dict[str, str]:
            return {"template_system": "You are Botty."}

    run(tmp_path / "r.db", plan_of(3), Templated())
    assert levels(tmp_path / "r.db")["system-added"] == "warn"
