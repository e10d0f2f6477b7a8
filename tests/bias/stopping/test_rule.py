"""The stopping rule as a function from scores to trials."""

from __future__ import annotations

import math
from random import Random

import pytest

from fiducial.bias.load import packaged_battery
from fiducial.bias.source import ARMS, battery_source
from fiducial.bias.stopping.pool import Pool, make_pool
from fiducial.bias.stopping.rule import START, Decided, next_round
from fiducial.bias.stopping.sight import WIDENED, Asked, look
from fiducial.run.plan import Trial
from fiducial.study.stopping import asked_until

FRAME, NORM, ANCHOR, SURE = "gain_loss_framing", "base_rate_neglect", "anchoring_effect", "overconfidence_effect"


def pool(*biases: str, arms: tuple[str, ...] = ARMS, repetitions: int = 10) -> Pool:
    source = battery_source(packaged_battery().select(biases), seed=1)
    return make_pool(source, arms=arms, repetitions=repetitions)


def constant(_: Trial) -> float:
    return 1.0


class Coin:
    """Yes or no with a chance that may depend on the arm's sign."""

    def __init__(self, pool: Pool, effect: float = 0.0, seed: int = 1) -> None:
        self._source, self._effect, self._draw = pool.source, effect, Random(seed)

    def __call__(self, trial: Trial) -> float:
        sign = self._source.arm(trial)[1].sign
        return float(self._draw.random() < 0.5 + sign * self._effect / 2)


def test_it_starts_with_some_items_of_every_bias_asked_once_at_one_intensity() -> None:
    made = pool(FRAME, NORM, SURE)
    decided, trials = next_round(made, {}, Decided(), width=0.3)
    assert {bias: sum(t.item.startswith(bias) for t in trials) for bias in made.items} == {
        FRAME: 2 * START,
        NORM: 2 * START,
        SURE: START,
    }
    assert all(asked == Asked(1) for asked in decided.asked.values())
    assert not decided.stopped


def test_the_same_scores_give_the_same_decision() -> None:
    made = pool(FRAME, NORM)
    one, two = (asked_until(made, Coin(made), width=0.4) for _ in range(2))
    assert one == two


def test_a_subject_that_never_wavers_is_not_repeated_beyond_a_few_items_and_ends_at_the_floor() -> None:
    made = pool(FRAME)
    decided, scores = asked_until(made, constant, width=0.3)
    stop = decided.stopped[FRAME]
    assert stop.reason == "floor" and stop.width == pytest.approx(0.3636 * WIDENED, abs=0.001)
    assert len(scores) == 2 * (15 + 5)


def test_a_wider_target_stops_the_same_subject_sooner_and_on_width() -> None:
    decided, scores = asked_until(pool(FRAME), constant, width=0.6)
    assert decided.stopped[FRAME].reason == "width" and len(scores) == 20


def test_noise_is_answered_with_repetitions_of_all_items_alike_until_the_width_is_reached() -> None:
    made = pool(FRAME)
    decided, _ = asked_until(made, Coin(made, effect=0.3), width=0.35)
    stop = decided.stopped[FRAME]
    assert stop.reason == "width" and stop.width is not None and stop.width <= 0.35
    assert stop.items == 15 and len({asked.steps for asked in decided.asked.values()}) == 1
    assert [note[FRAME].kind for note in decided.rounds[:3]] == ["start", "items", "repeat"]


def test_where_an_effect_lies_changes_nothing_as_long_as_variances_are_the_same() -> None:
    made = pool(ANCHOR)
    draws: dict[str, float] = {}

    def shifted(by: float) -> object:
        def answer(trial: Trial) -> float:
            noise = draws.setdefault(trial.id, Random(trial.id).uniform(0.2, 0.5))
            return noise + by * (made.source.arm(trial)[1].sign > 0)

        return answer

    flat, far = (asked_until(made, shifted(by), width=0.1) for by in (0.0, 0.4))  # type: ignore[arg-type]
    assert [n.keys() for n in flat[0].rounds] == [n.keys() for n in far[0].rounds]
    assert flat[0].asked == far[0].asked and flat[1].keys() == far[1].keys()


def test_items_that_differ_are_the_floor_and_other_intensities_are_tried_before_it_is_said() -> None:
    made = pool(FRAME)

    def answer(trial: Trial) -> float:
        pulled = made.source.arm(trial)[1].sign > 0
        return float(pulled) * Random(trial.item).choice((-1.0, -0.4, 0.4, 1.0))

    decided, _ = asked_until(made, answer, width=0.3)
    stop = decided.stopped[FRAME]
    assert stop.reason == "floor" and stop.floor is not None and stop.floor > 0.3
    tried = [asked for asked in decided.asked.values() if asked.whole]
    assert len(tried) == 5


def test_intensities_that_differ_within_items_are_asked_of_all_items() -> None:
    made = pool(FRAME)
    size = {"weak": 0.0, "moderate": 0.0, "strong": 1.0, "adversarial": 1.0}

    def answer(trial: Trial) -> float:
        arm = made.source.arm(trial)[1]
        return size[arm.column] if arm.sign > 0 else 0.0

    decided, scores = asked_until(made, answer, width=0.35)
    assert all(asked.whole for asked in decided.asked.values())
    assert look(made, decided.asked, scores, FRAME).mean == pytest.approx(0.6)


def test_a_pool_without_the_repetitions_that_would_be_needed_is_used_up_and_says_so() -> None:
    made = pool(FRAME, repetitions=1)
    decided, _ = asked_until(made, Coin(made), width=0.2)
    assert decided.stopped[FRAME].reason in ("pool", "floor")
    assert max(asked.steps for asked in decided.asked.values()) == 2


def test_what_cannot_be_read_is_not_asked_for_long() -> None:
    decided, scores = asked_until(pool(FRAME, SURE), lambda _: None, width=0.3)
    assert {stop.reason for stop in decided.stopped.values()} == {"withheld"}
    assert len(scores) == 3 * START and all(math.isnan(score) for score in scores.values())


def test_a_bias_waits_for_a_call_that_failed_and_the_others_go_on() -> None:
    made = pool(FRAME, NORM)
    decided, trials = next_round(made, {}, Decided(), width=0.3)
    coin = Coin(made)
    scores = {trial.id: coin(trial) for trial in trials}
    lost = next(trial for trial in trials if trial.item.startswith(FRAME))
    value = scores.pop(lost.id)
    then, more = next_round(made, scores, decided, width=0.3)
    assert more and all(trial.item.startswith(NORM) for trial in more) and FRAME not in then.stopped
    _, again = next_round(made, {**scores, lost.id: value}, decided, width=0.3)
    assert any(trial.item.startswith(FRAME) for trial in again)


def test_nothing_is_asked_twice_and_everything_asked_is_in_the_pool() -> None:
    made = pool(FRAME, NORM, ANCHOR, SURE, repetitions=4)
    seen: list[str] = []
    coin = Coin(made)

    def answer(trial: Trial) -> float:
        seen.append(trial.id)
        return coin(trial)

    asked_until(made, answer, width=0.25)
    assert len(seen) == len(set(seen)) and set(seen) <= {trial.id for trial in made.trials()}


def test_a_bias_with_nothing_to_compare_is_withheld_at_once() -> None:
    decided, trials = next_round(pool(NORM, arms=("strong",)), {}, Decided(), width=0.3)
    assert not trials and decided.stopped[NORM].reason == "withheld"


def test_a_subject_that_answers_each_prompt_alike_is_not_taken_for_a_noisy_one() -> None:
    made = pool(FRAME, repetitions=20)

    def fixed(trial: Trial) -> float:
        return float(Random(f"{trial.item} {trial.arm} {trial.order}").random() < 0.5)

    decided, _ = asked_until(made, fixed, width=0.3)
    assert decided.stopped[FRAME].reason in ("floor", "width")
    assert max(asked.steps for asked in decided.asked.values()) <= 4
