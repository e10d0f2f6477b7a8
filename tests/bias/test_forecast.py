"""Forecasts against the formulas they stand for, against drawn scores, and against simulated subjects."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import pytest

from fiducial.bias.block import Block, CertaintyKey, ChoiceKey, PriceKey
from fiducial.bias.effects import COLUMN_OF, Floats, Table, block_effects, magnitudes
from fiducial.bias.estimates import compares_by
from fiducial.bias.forecast import USUAL, Assumptions, Detectable, Forecast, Range, forecast
from fiducial.bias.load import packaged_battery
from fiducial.bias.paradigms import paradigm
from fiducial.bias.source import ARMS, KNOWN_ARMS, BiasSource, battery_source
from fiducial.stats.power import smallest_detectable
from fiducial.study.calibrate import Design, one_run

SHARED, OWN, NUMBERS, PRICES, SINGLE = (
    "conjunction_fallacy",
    "gain_loss_framing",
    "anchoring_effect",
    "endowment_effect",
    "overconfidence_effect",
)
STILL = Assumptions(items=0.0)


def made_of(*biases: str) -> BiasSource:
    return battery_source(packaged_battery().select(biases), seed=1)


def forecast_of(
    source: BiasSource, arms: Sequence[str] = ARMS, repetitions: int = 3, assumptions: Assumptions = USUAL
) -> Forecast:
    trials = list(source.trials(arms=arms, repetitions=repetitions))
    return forecast(source, trials, arms=arms, repetitions=repetitions, assumptions=assumptions)


def only(made: Forecast) -> Detectable:
    (bias,) = made.biases
    return bias


def sd_of(bias: Detectable) -> float:
    """The SD of items' effects that stands behind the forecast."""
    one = smallest_detectable(bias.clusters, 1.0)
    assert bias.detectable is not None and one is not None
    return bias.detectable / one


def regrouped(source: BiasSource, clusters: int) -> BiasSource:
    blocks = [msgspec.structs.replace(b, cluster=str(k % clusters)) for k, b in enumerate(source.blocks.values())]
    return BiasSource(source.biases.values(), blocks)


def drawn_scores(block: Block, n: int, rng: np.random.Generator) -> Floats:
    """Scores of an unbiased subject as the usual assumptions have it."""
    key = next(iter(block.arms.values())).key
    if isinstance(key, ChoiceKey):
        return (rng.random(n) < 0.5).astype(np.float64)
    if isinstance(key, CertaintyKey):  # the answer is right or wrong in all repetitions
        return rng.normal(0.5, 0.2, n) - (rng.random() < 0.5)
    return rng.normal(100, 20, n) if isinstance(key, PriceKey) else rng.normal(0.5, 0.2, n)


@pytest.mark.parametrize("bias", [SHARED, OWN, NUMBERS, PRICES, SINGLE])
@pytest.mark.parametrize("arms", [ARMS, ("control", "weak", "adversarial")])
def test_the_noise_is_that_of_drawn_scores_in_the_estimator_itself(bias: str, arms: tuple[str, ...]) -> None:
    source, rng = made_of(bias), np.random.default_rng(1)
    place = {block: k for k, block in enumerate(source.blocks)}
    rows = []
    for trial in source.trials(arms=arms, repetitions=2):
        _, arm = source.arm(trial)
        rows.append((place[trial.item], COLUMN_OF[arm.column], arm.sign, trial.order))
    item, column, sign, order = np.array(rows).T
    compares = np.full(len(place), compares_by(paradigm(source.biases[bias].paradigm)))
    found = []
    for _ in range(4500 // len(place)):
        score = np.empty(len(rows))
        for k, block in enumerate(source.blocks.values()):
            score[item == k] = drawn_scores(block, int((item == k).sum()), rng)
        table = Table(item=item, column=column, sign=sign, order=order, score=score)
        found.append(magnitudes(block_effects(table, compares).value, arms))
    assert np.mean(found) == pytest.approx(0, abs=0.03)
    assert np.std(found) == pytest.approx(sd_of(only(forecast_of(source, arms, 2, STILL))), rel=0.05)


def found_in(bias: str, effect: float, *, runs: int = 40) -> float:
    """The share of runs in which the interval of an effect planted in this bias excludes 0."""
    subject = f"planted:effect={effect:.4f},spread=.15"
    design = Design(subjects=(subject,), trials=2, biases=(bias,))
    seen = [one_run(design, k)[0].found[0] for k in range(runs)]
    return float(np.mean([f.low is not None and f.high is not None and not f.low <= 0 <= f.high for f in seen]))


@pytest.mark.parametrize("bias", [SHARED, "hindsight_bias"])
def test_a_planted_effect_of_that_size_is_seen_about_four_times_in_five(bias: str) -> None:
    # planted numbers have an SD of .1 of the scale
    made = forecast_of(made_of(bias), ("control", "strong"), 2, Assumptions(items=0.15, number=0.1))
    effect = only(made).detectable
    assert effect is not None
    assert 0.65 <= found_in(bias, effect) <= 0.95
    assert found_in(bias, effect / 2) < 0.5


def test_a_planted_effect_is_flagged_among_others_about_four_times_in_five() -> None:
    names = (OWN, SHARED)
    made = forecast_of(made_of(*names), ("control", "strong"), 1)
    (bias,) = (b for b in made.biases if b.bias == OWN)
    subject = f"planted:effect={bias.flaggable:.4f},spread=.15,bias={OWN}"
    design = Design(subjects=(subject,), trials=1, biases=names)
    flagged = [one_run(design, k)[0].flagged > 0 for k in range(40)]
    assert 0.65 <= np.mean(flagged) <= 0.95


def test_the_worst_case_of_the_correction_is_the_level_over_the_biases_tested() -> None:
    alone = only(forecast_of(made_of(OWN)))
    assert alone.flaggable == alone.detectable
    made = forecast_of(made_of(OWN, SHARED, NUMBERS))
    assert [b.flaggable for b in made.biases] == [
        smallest_detectable(15, sd_of(b), alpha=0.05 / 3) for b in made.biases
    ]


def test_a_bias_that_cannot_be_tested_does_not_count_in_the_correction() -> None:
    made = forecast_of(made_of(OWN, SHARED), ("strong",))
    lost, kept = sorted(made.biases, key=lambda b: b.items)
    assert (lost.bias, lost.detectable, lost.flaggable) == (SHARED, None, None)
    assert lost.reason is not None and "control" in lost.reason
    assert kept.flaggable == kept.detectable and kept.reason is None
    assert made.in_words().endswith("; 1 of 2 biases cannot be estimated")


def test_arms_without_an_intensity_give_no_forecast_but_of_single_arms() -> None:
    made = forecast_of(made_of(OWN, SHARED, SINGLE), ("control",))
    reasons = {b.bias: b.reason for b in made.biases}
    none = "no intensity is among the arms that are run"
    assert reasons == {OWN: none, SHARED: none, SINGLE: None}
    nothing = forecast_of(made_of(SHARED), ("control",))
    assert (nothing.detectable, nothing.flaggable) == (None, None)
    assert nothing.in_words() == f"no effect can be estimated: {none}"


def test_items_of_one_skeleton_are_one_item() -> None:
    source = regrouped(made_of(NUMBERS), 1)
    assert only(forecast_of(source)).reason == (
        "an interval needs at least 2 independent items; all 15 share one skeleton"
    )


def test_clusters_share_their_effect_and_average_their_noise() -> None:
    """15 items in 5 clusters of 3: what items differ by stays, the noise of replies is a third."""
    source = made_of(NUMBERS)
    differ = Assumptions(items=0.2, number=0.0)
    assert only(forecast_of(regrouped(source, 5), assumptions=differ)).detectable == pytest.approx(
        smallest_detectable(5, 0.2)
    )
    noise = sd_of(only(forecast_of(source, assumptions=STILL)))
    assert sd_of(only(forecast_of(regrouped(source, 5), assumptions=STILL))) == pytest.approx(noise / 3**0.5)
    assert sd_of(only(forecast_of(regrouped(source, 14), assumptions=differ))) == pytest.approx(
        0.2 * (14 * (13 + 2**2)) ** 0.5 / 15
    )


def test_repetitions_help_down_to_what_items_differ_by() -> None:
    few, many, most = (only(forecast_of(made_of(OWN), repetitions=n)).detectable for n in (1, 3, 400))
    floor = smallest_detectable(15, 0.15)
    assert few is not None and many is not None and most is not None and floor is not None
    assert few > 1.1 * many > many > most > floor
    assert most == pytest.approx(floor, rel=0.01)


def test_replies_are_counted_for_an_item_and_arm() -> None:
    assert only(forecast_of(made_of(OWN), repetitions=3)).replies == 6.0  # two orders
    assert only(forecast_of(made_of(NUMBERS), repetitions=3)).replies == 3.0


def test_debiasing_arms_change_nothing() -> None:
    source = made_of(OWN, SHARED)
    assert forecast_of(source, KNOWN_ARMS).biases == forecast_of(source).biases


def test_a_plan_cut_short_is_forecast_as_it_is() -> None:
    """An order that one arm lacks is left out, as it is in the estimates."""
    source = made_of(OWN)
    trials = list(source.trials(repetitions=2))
    one = [t for t in trials if t.order == 0]
    toward = [t for t in trials if t.order == 1 and source.arm(t)[1].sign > 0]
    whole, half, lame = (
        sd_of(only(forecast(source, chosen, arms=ARMS, repetitions=2, assumptions=STILL)))
        for chosen in (trials, one, [*one, *toward])
    )
    assert half == pytest.approx(whole * 2**0.5)
    assert lame == pytest.approx(half)


def test_the_line_has_the_range_over_biases_and_says_where_the_scale_ends() -> None:
    made = forecast_of(made_of(OWN, SHARED, NUMBERS))
    assert made.detectable is not None
    values = sorted(b.detectable for b in made.biases if b.detectable is not None)
    assert [made.detectable.low, made.detectable.median, made.detectable.high] == values
    line = msgspec.structs.replace(made, detectable=Range(0.211, 0.3, 0.339), flaggable=Range(0.3, 0.4, 0.48))
    assert line.in_words() == (
        "80 % chance to see an effect of .21 to .34 (and to flag one of .30 to .48), "
        "if items differ with an SD of .15"
    )
    wide = msgspec.structs.replace(line, detectable=Range(0.9, 0.9, 0.9), flaggable=Range(0.95, 1.0, 1.2))
    assert "an effect of .90 (and to flag one of .95 to beyond the scale)" in wide.in_words()
    wider = msgspec.structs.replace(wide, flaggable=Range(1.1, 1.2, 1.3))
    assert "(and to flag none)" in wider.in_words()
    widest = msgspec.structs.replace(wider, detectable=Range(1.1, 1.2, 1.3))
    assert widest.in_words().startswith("no effect has a chance of 80 % to be seen")


def test_a_forecast_survives_json() -> None:
    made = forecast_of(made_of(OWN, SHARED), ("strong",))
    assert msgspec.json.decode(msgspec.json.encode(made), type=Forecast) == made
