from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fiducial.bias.items import Analysis, Drift, analyse
from fiducial.bias.load import Battery, packaged_battery
from fiducial.bias.result import RunResult
from fiducial.bias.run import BiasOptions, collect_run, prepare_run, rescore
from fiducial.errors import UsageError
from fiducial.model.names import open_model
from fiducial.report.items import advice
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from fiducial.stats.estimate import Estimate, Withheld
from tests.run.support import seal

BIASES = ("sunk_cost_fallacy", "anchoring_effect", "endowment_effect", "status_quo_bias", "overconfidence_effect")


def run(path: Path, model: str, *biases: str, battery: Battery | None = None, **more: Any) -> RunResult:
    options = BiasOptions(model=model, tier=more.pop("tier", "core"), biases=biases, **more)
    prepared = prepare_run(battery or packaged_battery(), options, out=path)
    collect_run(prepared, open_model(model), options, limits=Limits(), budget=Budget(), progress=Silent())
    return rescore(prepared.path).result


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunResult, Analysis]:
    path = tmp_path_factory.mktemp("items") / "run.db"
    result = run(path, "sim/planted:effect=.4", *BIASES)
    return result, analyse([path])


def test_an_items_effect_is_the_one_of_the_result_whatever_its_paradigm(
    measured: tuple[RunResult, Analysis],
) -> None:
    result, found = measured
    listed = {(bias.id, item.id): item.value for bias in result.biases for item in bias.items}
    assert {(i.bias, i.item) for i in found.items} == set(listed)
    for item in found.items:
        assert item.value == pytest.approx(listed[item.bias, item.item])
        assert isinstance(item.effect, Estimate), item
        assert item.effect.value == pytest.approx(item.value)
        assert item.effect.low <= item.effect.value <= item.effect.high and item.effect.low < item.effect.high


def test_intervals_of_items_cover_what_was_planted(measured: tuple[RunResult, Analysis]) -> None:
    _, found = measured
    hits = [
        i.effect.low <= 0.4 <= i.effect.high
        for i in found.items
        if isinstance(i.effect, Estimate) and i.bias != "overconfidence_effect"
    ]
    assert len(hits) == 60 and np.mean(hits) >= 0.88


def test_shares_stand_beside_the_effect_and_nothing_drifts_in_a_family_of_equals(
    measured: tuple[RunResult, Analysis],
) -> None:
    _, found = measured
    assert not found.drifting and found.complete and "No item drifts" in advice(found)[0]
    for item in found.items:
        assert isinstance(item.drift, Drift) and item.read == item.replies
        assert isinstance(item.discrimination, Withheld) and "at least 4 runs" in item.discrimination.withheld
        if item.bias == "status_quo_bias":
            assert isinstance(item.base, Estimate) and isinstance(item.pulled, Estimate)
            assert item.pulled.value - item.base.value == pytest.approx(item.value, abs=0.25)


def test_an_item_that_goes_the_other_way_is_said_to_drift(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    run(path, "sim/planted:effect=.5", "status_quo_bias", trials=4)
    db = sqlite3.connect(path)
    own = "SELECT seq, arm, option_order FROM trial WHERE item = 'status_quo_bias/phone-plan'"
    for seq, arm, order in db.execute(own).fetchall():
        pulled = arm.endswith("/x")  # the counted option stands first in order 0
        choice = "B" if pulled == (order == 0) else "A"
        db.execute("UPDATE reply SET text = ? WHERE trial = ?", (f"Answer: {choice}", seq))
    seal(db)
    db.commit()
    db.close()
    found = analyse([path])
    assert [(i.bias, i.item) for i in found.drifting] == [("status_quo_bias", "phone-plan")]
    assert found.drifting[0].value == -1.0 and "phone-plan" in advice(found)[0]


def test_items_at_the_floor_are_named(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    run(path, "sim/rational", "sunk_cost_fallacy", "hindsight_bias", trials=1)
    found = analyse([path])
    assert {(i.bias, i.edge) for i in found.items} == {
        ("sunk_cost_fallacy", "floor"),
        ("hindsight_bias", "still"),
    }
    assert not found.drifting and any("at the floor" in sentence for sentence in advice(found))


def test_replies_that_cannot_be_read_leave_reasons_not_numbers(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    run(
        path,
        "sim/refuser",
        "sunk_cost_fallacy",
        "endowment_effect",
        "overconfidence_effect",
        tier="quick",
        trials=1,
    )
    found = analyse([path])
    assert found.items and all(i.value is None and i.read == 0 < i.replies for i in found.items)
    for item in found.items:
        for number in (item.base, item.effect, item.drift):
            assert isinstance(number, Withheld) and number.withheld


def test_discrimination_is_over_runs_and_sees_an_item_that_does_not_follow(tmp_path: Path) -> None:
    paths = []
    for k, effect in enumerate((0.0, 0.2, 0.4, 0.6, 0.8)):
        paths.append(tmp_path / f"run{k}.db")
        run(paths[-1], f"sim/planted:effect={effect}", "anchoring_effect", trials=2)
    found = analyse(paths)
    assert len(found.subjects) == 5
    for item in found.items:
        assert isinstance(item.discrimination, Estimate) and item.discrimination.value > 0.8
        assert item.discrimination.n == item.runs == 5
        assert isinstance(item.effect, Estimate) and item.effect.n == 5 and "run" in item.effect.method
        assert item.value == pytest.approx(0.4, abs=0.1)
    few = analyse(paths[:3])
    assert all(isinstance(item.discrimination, Withheld) for item in few.items)


def test_wrong_runs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    run(path, "sim/coin", "anchoring_effect", trials=1)
    with pytest.raises(UsageError, match="given twice"):
        analyse([path, path])
    with pytest.raises(UsageError, match="--bias loss: not in the run; there are anchoring_effect"):
        analyse([path], biases=["loss"])
