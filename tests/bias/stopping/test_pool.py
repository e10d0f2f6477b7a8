"""The pool of a stopping rule: what may be asked, in an order of which every beginning is balanced."""

from __future__ import annotations

from collections import Counter

import pytest

from fiducial.bias.load import packaged_battery
from fiducial.bias.source import ARMS, BiasSource, battery_source
from fiducial.bias.stopping.pool import Pool, make_pool, taken_up

ALL = (*ARMS, "debias")


def source(*biases: str, seed: int = 1) -> BiasSource:
    return battery_source(packaged_battery().select(biases), seed=seed)


def pool(*biases: str, arms: tuple[str, ...] = ARMS, seed: int = 1) -> Pool:
    return make_pool(source(*biases, seed=seed), arms=arms, repetitions=3)


def test_the_pool_is_part_of_the_fixed_plan_and_lacks_only_arms_that_nothing_is_compared_with() -> None:
    found = pool("anchoring_effect", "gain_loss_framing", "base_rate_neglect", "overconfidence_effect")
    fixed = list(found.source.trials(repetitions=3))
    drawn = [trial.id for trial in found.trials()]
    assert len(drawn) == len(set(drawn))
    assert set(drawn) < {trial.id for trial in fixed}
    missing = {(t.item.split("/")[0], t.arm) for t in fixed if t.id not in set(drawn)}
    assert missing == {("anchoring_effect", "control")}


@pytest.mark.parametrize("bias", ["gain_loss_framing", "conjunction_fallacy", "overconfidence_effect"])
def test_every_beginning_of_the_order_is_balanced_over_domains_and_grades(bias: str) -> None:
    blocks = taken_up(list(source(bias).standard))
    for n in range(5, len(blocks) + 1, 5):
        assert set(Counter(b.domain for b in blocks[:n]).values()) == {n // 5}
    if bias == "overconfidence_effect":
        grades = Counter(b.stratum for b in blocks[:25])
        assert max(grades.values()) - min(grades.values()) <= 2


def test_another_seed_takes_up_other_items_first() -> None:
    first = [
        [i.block.item for i in pool("gain_loss_framing", seed=s).items["gain_loss_framing"][:5]] for s in (1, 2)
    ]
    assert set(first[0]) != set(first[1])


def test_intensities_take_turns_about_as_often_as_they_weigh() -> None:
    found = pool()
    asked = Counter(
        item.block.arms[arm].column
        for items in found.items.values()
        for item in items[:10]
        for arm in item.first
        if item.block.arms[arm].sign > 0 and item.block.arms[arm].column != "single"
    )
    for intensity, weight in {"weak": 0.1, "moderate": 0.3, "strong": 0.4, "adversarial": 0.2}.items():
        assert asked[intensity] / asked.total() == pytest.approx(weight, abs=0.05)


def test_a_step_asks_both_arms_of_one_comparison_in_one_order_and_the_next_step_takes_the_next_order() -> None:
    for items in pool("gain_loss_framing", "gambler_fallacy").items.values():
        for item in items:
            steps = [list(item.trials(step, item.first)) for step in range(2 * item.block.orders())]
            assert all(len({t.order for t in step}) == 1 and len(step) == 2 for step in steps)
            assert {item.block.arms[t.arm].sign for t in steps[0]} == {1, -1}
            assert [s[0].order for s in steps[: item.block.orders()]] != [steps[0][0].order] * item.block.orders()
            assert {s[0].repetition for s in steps[: item.block.orders()]} == {0}
            assert {s[0].repetition for s in steps[item.block.orders() :]} == {1}


def test_arms_that_were_not_asked_for_are_not_in_the_pool() -> None:
    found = pool("gain_loss_framing", "base_rate_neglect", arms=("control", "strong"))
    columns = {
        i.block.arms[t.arm].column for items in found.items.values() for i in items for t in i.trials(0, i.every)
    }
    assert columns == {"control", "strong"}
    assert all(item.first == item.every for items in found.items.values() for item in items)


def test_a_bias_whose_control_is_not_run_has_nothing_to_draw() -> None:
    assert pool("base_rate_neglect", arms=("strong",)).items == {"base_rate_neglect": ()}


def test_debiasing_is_asked_with_every_intensity_so_that_both_effects_stay_what_they_are() -> None:
    for item in pool("gain_loss_framing", arms=ALL).items["gain_loss_framing"]:
        assert item.first == item.every
        assert {item.block.arms[name].column for name in item.first} >= {"weak", "adversarial", "warning"}
