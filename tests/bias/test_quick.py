"""The quick tier asks for little, and what it asks is balanced."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from fiducial.bias.load import packaged_battery
from fiducial.bias.run import BiasOptions, collect_run, prepare_run, rescore
from fiducial.bias.source import BiasSource
from fiducial.model.names import open_model
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.plan import Trial
from fiducial.run.progress import Silent


def quick(**options: object) -> tuple[BiasSource, tuple[Trial, ...]]:
    prepared = prepare_run(packaged_battery(), BiasOptions(model="sim/coin", **options))  # type: ignore[arg-type]
    return prepared.source, prepared.plan.trials


def test_every_core_bias_is_there_with_an_item_of_each_domain_and_few_calls() -> None:
    source, trials = quick()
    core = {bias.id for bias in packaged_battery().biases.values() if bias.tier == "core"}
    assert {block.bias for block in source.blocks.values()} == core
    assert set(Counter((b.bias, b.domain) for b in source.blocks.values()).values()) == {1}
    assert sorted(b.stratum for b in source.blocks.values() if b.stratum) == [1, 2, 3, 4, 5]
    assert len(trials) <= 500


def test_an_item_is_asked_at_one_intensity_and_all_its_arms_in_the_same_orders() -> None:
    source, trials = quick()
    columns: dict[str, set[str]] = {}
    orders: dict[str, dict[str, list[int]]] = {}
    for trial in trials:
        arm = source.blocks[trial.item].arms[trial.arm]
        columns.setdefault(trial.item, set()).add(arm.column)
        orders.setdefault(trial.item, {}).setdefault(trial.arm, []).append(trial.order)
    assert all(len(own - {"control", "single"}) <= 1 for own in columns.values())
    assert all(len({tuple(sorted(o)) for o in own.values()}) == 1 for own in orders.values())
    choices = [own for item, own in orders.items() if source.blocks[item].orders() == 2]
    turned = Counter(order for own in choices for order in next(iter(own.values())))
    assert abs(turned[0] - turned[1]) <= 0.1 * turned.total()


def test_intensities_are_asked_about_as_often_as_they_weigh() -> None:
    source, trials = quick()
    asked = {(t.item, source.blocks[t.item].arms[t.arm].column) for t in trials}
    counts = Counter(column for _, column in asked if column not in ("control", "single"))
    share = {column: n / counts.total() for column, n in counts.items()}
    assert abs(share["strong"] - 0.4) < 0.05
    assert abs(share["moderate"] - 0.3) < 0.05
    assert abs(share["adversarial"] - 0.2) < 0.05
    assert abs(share["weak"] - 0.1) < 0.05


def test_with_debiasing_every_item_is_also_asked_at_the_intensity_that_is_treated() -> None:
    source, trials = quick(arms=("control", "weak", "moderate", "strong", "adversarial", "debias"))
    columns: dict[str, set[str]] = {}
    for trial in trials:
        columns.setdefault(trial.item, set()).add(source.blocks[trial.item].arms[trial.arm].column)
    assert all({"moderate", "warning"} <= own for own in columns.values() if own != {"single"})


def test_what_was_never_asked_is_not_reported_as_lacking(tmp_path: Path) -> None:
    options = BiasOptions(model="sim/planted:effect=.5", biases=("gambler_fallacy", "status_quo_bias"))
    prepared = prepare_run(packaged_battery(), options, out=tmp_path / "r.db")
    collect_run(prepared, open_model(options.model), options, limits=Limits(), budget=Budget(), progress=Silent())
    result = rescore(prepared.path).result
    assert result.complete
    assert all(len(item.by_intensity) == 1 for bias in result.biases for item in bias.items)
    assert "unbalanced" not in {check.code for check in result.audit}
