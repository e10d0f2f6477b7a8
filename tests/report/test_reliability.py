"""Accuracy by stated confidence and effects by difficulty: the numbers, and that the page shows them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from fiducial.bias.load import packaged_battery
from fiducial.bias.metrics import calibration_awareness, reliability
from fiducial.bias.result import RunResult
from fiducial.bias.run import BiasOptions, collect_run, look, prepare_run
from fiducial.bias.source import stored_source
from fiducial.model.names import open_model
from fiducial.report.page import render_page
from fiducial.report.write import ALONE, PER_BIAS, UNREAD, choose_samples
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from fiducial.run.store import Store
from fiducial.stats.estimate import Estimate, Withheld
from tests.report.made import bias, bins, calibration, run
from tests.report.parsed import Page, cells


def test_a_bin_has_the_accuracy_of_its_items_with_wilsons_interval() -> None:
    right = np.array([1, 0, 1, 1, 0, 1, 1, 1, -1])
    confidence = np.array([0.92, 0.95, 0.9, 1.0, 0.97, 0.99, 0.3, np.nan, 0.9])
    found = reliability(confidence, right, np.arange(9), [f"item {k}" for k in range(9)])
    assert [(b.low, b.high, b.n) for b in found] == [(0.3, 0.4, 1), (0.9, 1.0, 6)]
    top = found[1]
    low, high = proportion_confint(4, 6, method="wilson")
    assert (top.accuracy.value, top.accuracy.low, top.accuracy.high) == pytest.approx((4 / 6, low, high))
    assert top.confidence == pytest.approx(confidence[:6].mean())


def test_an_item_counts_once_in_a_bin_and_a_skeleton_once_in_the_interval() -> None:
    item = np.array([0] * 8 + [1, 2])
    right = np.array([1] * 8 + [0, 0])
    [found] = reliability(np.full(10, 0.85), right, item, ["a", "b", "b"])
    assert (found.n, found.accuracy.n) == (10, 2)
    assert found.accuracy.value == pytest.approx(1 / 3)


def test_nothing_stated_gives_no_bins() -> None:
    assert reliability(np.full(3, np.nan), np.ones(3, dtype=np.int64), np.arange(3), ["a", "b", "c"]) == []


def test_a_confidence_that_never_varies_tells_nothing_apart() -> None:
    right = np.array([0, 1] * 10)
    found = calibration_awareness(np.full(20, 0.7), right, np.arange(20), [str(k) for k in range(20)])
    assert found["auroc"] == Withheld("every answer was given with the same confidence")
    brier = found["brier"]
    assert isinstance(brier, Estimate)
    assert 0 <= brier.low < brier.value < brier.high <= 1


def measured(path: Path, model: str, *biases: str, tier: str = "core") -> RunResult:
    chosen = BiasOptions(model=model, tier=tier, trials=2, biases=biases)
    prepared = prepare_run(packaged_battery(), chosen, out=path)
    collect_run(prepared, open_model(model), chosen, limits=Limits(), budget=Budget(), progress=Silent())
    return look(path)


def test_a_run_has_its_difficulties_and_bins(tmp_path: Path) -> None:
    result = measured(tmp_path / "r.db", "sim/planted:effect=.3", "overconfidence_effect", "loss_aversion")
    by_id = {b.id: b for b in result.biases}
    assert by_id["loss_aversion"].by_stratum == {}
    strata = by_id["overconfidence_effect"].by_stratum
    assert list(strata) == ["1", "2", "3", "4", "5"]
    found = [m for m in strata.values() if isinstance(m, Estimate)]
    assert sum(m.low <= 0.3 <= m.high for m in found) >= 4
    assert sum(m.n for m in found) == len(by_id["overconfidence_effect"].items)
    assert sum(one.n for one in result.reliability) == 2 * len(by_id["overconfidence_effect"].items)
    assert all(one.accuracy.low < one.accuracy.high for one in result.reliability)


def test_samples_show_what_could_not_be_read_too(tmp_path: Path) -> None:
    result = measured(tmp_path / "r.db", "sim/rambler", "overconfidence_effect", "loss_aversion", tier="quick")
    with Store(tmp_path / "r.db") as store:
        samples = choose_samples(store, stored_source(store), result)
    for bias_id, most in (("overconfidence_effect", ALONE), ("loss_aversion", PER_BIAS)):
        own = [s for s in samples if s.bias == bias_id]
        assert sum(s.score is None for s in own) >= UNREAD
        assert most <= len(own) <= most + UNREAD


def test_the_page_has_the_diagram_and_its_numbers() -> None:
    first = run([bias(), calibration()], reliability=bins((0.55, 0.5, 8), (0.95, 0.7, 40)))
    page = Page(render_page([first]))
    rows = page.tables["Accuracy by stated confidence, with 95 % intervals"]
    assert cells(rows[2]) == ["90 % to 100 %", "95 %", "70 % [50 %, 90 %]", "20", "40"]
    [_, strata] = page.tables["Mean confidence minus accuracy by difficulty, from easiest to hardest"]
    assert cells(strata)[1] == "+0.05 [−0.05, 0.15]"
    assert ("a", {"href": "#calibration"}) in page.tags


def test_without_any_stated_confidence_there_is_no_such_section() -> None:
    assert 'id="calibration"' not in render_page([run()])


def test_runs_side_by_side_have_a_diagram_each() -> None:
    found = bins((0.95, 0.7, 40))
    html = render_page([run(reliability=found), run(name="b"), run(name="c", reliability=found)])
    assert html.count("Accuracy by stated confidence of ") == 2
