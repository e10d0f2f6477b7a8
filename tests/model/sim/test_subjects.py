"""What subjects decide, read back from the decision itself (the wording is tested beside this)."""

from __future__ import annotations

import itertools
import math
import statistics
from collections import Counter
from collections.abc import Iterator

import pytest

from fiducial.model.request import Request, Truth
from fiducial.model.sim.items import item_effect
from fiducial.model.sim.subject import open_sim
from fiducial.model.sim.subjects import Unanswerable, planted_shares
from tests.model.sim.support import number_request, option_request, yes_no_request

ORDERS = (("risky", "safe"), ("safe", "risky"))


def role(spec: str, request: Request) -> str:
    choice = open_sim(spec).decide(request).choice
    assert choice is not None
    return choice.role


def label(spec: str, request: Request) -> str:
    choice = open_sim(spec).decide(request).choice
    assert choice is not None
    return choice.label


def value(spec: str, request: Request) -> float:
    number = open_sim(spec).decide(request).number
    assert number is not None
    return number


def orders(roles: tuple[str, ...]) -> list[tuple[str, ...]]:
    """A balanced set: every role once in every slot."""
    return [roles[i:] + roles[:i] for i in range(len(roles))]


def option_effects(
    spec: str, items: int, repetitions: int, roles: tuple[str, ...] = ("risky", "safe")
) -> Iterator[float]:
    """The effect measured on each item: P(biased | +) − P(biased | −) over all orders."""
    subject = open_sim(spec)
    seeds = itertools.count(1)
    layouts = orders(roles)
    for item in range(items):
        share = {}
        for sign in (1, -1):
            requests = [
                option_request(next(seeds), sign=sign, item=f"i{item}", roles=layout)
                for layout in layouts
                for _ in range(repetitions)
            ]
            chosen = [subject.decide(r).choice for r in requests]
            share[sign] = statistics.fmean(c is not None and c.role == "risky" for c in chosen)
        yield share[1] - share[-1]


def number_effects(
    spec: str, items: int, repetitions: int, away: float = 200, toward: float = 800
) -> Iterator[float]:
    """The effect measured on each item, answers winsorised at the ends as scoring does."""
    subject = open_sim(spec)
    seeds = itertools.count(1)
    for item in range(items):
        mean = {}
        for sign in (1, -1):
            numbers = [
                subject.decide(
                    number_request(next(seeds), sign=sign, item=f"i{item}", away=away, toward=toward)
                ).number
                for _ in range(repetitions)
            ]
            low, high = min(away, toward), max(away, toward)
            mean[sign] = statistics.fmean(min(max(n, low), high) for n in numbers if n is not None)
        yield (mean[1] - mean[-1]) / (toward - away)


def assert_mean(effects: list[float], expected: float) -> None:
    error = statistics.stdev(effects) / math.sqrt(len(effects))
    assert abs(statistics.fmean(effects) - expected) <= 4 * error + 1e-9
    assert error < 0.02  # precise enough for the line above to mean something


@pytest.mark.parametrize(
    ("spec", "effect"),
    [
        ("planted:effect=.3", 0.3),
        ("planted:effect=-.4", -0.4),
        ("planted:effect=0", 0.0),
        ("planted:effect=.3,position=.4", 0.3),
        ("planted:effect=.2,position=-.6", 0.2),
        ("planted:effect=.5,noise=.4", 0.5),
        ("planted:effect=.3,position=.3,noise=.3", 0.3),
        ("planted:effect=.3,spread=.25", 0.3),
        ("planted:effect=.6,spread=.4", 0.6),
        ("planted:effect=.1,lumpy=1", 0.1),
        ("planted:effect=-.4,lumpy=1", -0.4),
        ("planted:effect=.3,bias=framing", 0.3),
        ("planted:effect=.3,bias=anchoring_effect", 0.0),
        ("coin", 0.0),
        ("rambler", 0.0),
    ],
)
def test_the_effect_realised_on_options_is_the_one_planted(spec: str, effect: float) -> None:
    assert_mean(list(option_effects(spec, items=1500, repetitions=4)), effect)


@pytest.mark.parametrize("roles", [("risky", "safe", "other"), ("risky", "safe", "other", "last")])
@pytest.mark.parametrize(
    "spec", ["planted:effect=.4", "planted:effect=.4,position=.5", "planted:effect=.4,noise=.5"]
)
def test_the_effect_is_realised_with_more_than_two_options(spec: str, roles: tuple[str, ...]) -> None:
    assert_mean(list(option_effects(spec, items=1500, repetitions=3, roles=roles)), 0.4)


@pytest.mark.parametrize("sign", [1, -1, 0])
@pytest.mark.parametrize(
    "spec", ["planted:effect=.4,position=.5,noise=.1", "planted:effect=1", "planted:effect=-.2"]
)
@pytest.mark.parametrize("k", [2, 3, 4])
def test_shares_are_probabilities_in_every_arm_and_order(spec: str, sign: int, k: int) -> None:
    for roles in orders(("risky", "safe", "other", "last")[:k]):
        request = option_request(1, sign=sign, roles=roles)
        assert isinstance(request.truth, Truth)
        shares = planted_shares(open_sim(spec).spec, request.truth, request.truth.choices)
        assert math.isclose(sum(shares), 1)
        assert all(-1e-12 <= share <= 1 + 1e-12 for share in shares)


def test_a_preference_for_slots_is_additive_and_as_large_as_asked() -> None:
    subject = open_sim("planted:effect=.3,position=.2")
    for roles, sign, expected in [
        (("risky", "safe"), 1, 0.75),
        (("safe", "risky"), 1, 0.55),
        (("risky", "safe"), -1, 0.45),
        (("safe", "risky"), -1, 0.25),
        (("risky", "safe"), 0, 0.6),
    ]:
        truth = option_request(1, sign=sign, roles=roles).truth
        assert isinstance(truth, Truth)
        share = planted_shares(subject.spec, truth, truth.choices)[roles.index("risky")]
        assert math.isclose(share, expected)


def test_items_differ_by_exactly_the_spread_asked_for() -> None:
    for text in ("planted:effect=.3,spread=.2", "planted:effect=.5,spread=.45", "planted:effect=.5,spread=.5"):
        spec = open_sim(text).spec
        effects = [item_effect(spec, "framing", f"i{i}").effect for i in range(4000)]
        assert statistics.stdev(effects) == pytest.approx(spec.spread, rel=0.05)
        assert statistics.fmean(effects) == pytest.approx(spec.effect, abs=4 * spec.spread / math.sqrt(4000))
        assert max(map(abs, effects)) <= 1 + 1e-12


def test_lumpy_items_show_the_whole_effect_or_the_same_answer_in_every_arm() -> None:
    effects = list(option_effects("planted:effect=.4,lumpy=1", items=400, repetitions=2))
    assert set(effects) == {0.0, 1.0}


def test_the_items_with_large_effects_are_other_ones_under_another_seed() -> None:
    def moved(spec: str) -> list[bool]:
        return [effect == 1.0 for effect in option_effects(spec, items=100, repetitions=1)]

    assert moved("planted:effect=.4,lumpy=1") == moved("planted:effect=.4,lumpy=1")
    assert moved("planted:effect=.4,lumpy=1") != moved("planted:effect=.4,lumpy=1,seed=2")


@pytest.mark.parametrize(
    ("spec", "effect"),
    [
        ("planted:effect=.3", 0.3),
        ("planted:effect=-.3", -0.3),
        ("planted:effect=.65", 0.65),
        ("planted:effect=.9", 0.9),
        ("planted:effect=.3,noise=.4", 0.3),
        ("planted:effect=.3,position=.5", 0.3),
        ("planted:effect=.3,spread=.3", 0.3),
        ("planted:effect=.2,lumpy=1", 0.2),
        ("planted:effect=.3,bias=framing", 0.0),
        ("coin", 0.0),
        ("fixed", 0.0),
    ],
)
def test_the_effect_realised_on_numbers_is_the_one_planted(spec: str, effect: float) -> None:
    assert_mean(list(number_effects(spec, items=1500, repetitions=3)), effect)


def test_numbers_keep_their_effect_on_a_scale_that_runs_downward() -> None:
    assert_mean(list(number_effects("planted:effect=.4", items=500, repetitions=3, away=800, toward=200)), 0.4)


def test_planted_numbers_never_cross_the_ends_of_the_scale_and_have_the_stated_sd() -> None:
    for effect in (0.0, 0.3, 0.6):
        spec = f"planted:effect={effect}"
        numbers = [value(spec, number_request(seed)) for seed in range(1, 4001)]
        assert min(numbers) >= 200 and max(numbers) <= 800
        assert statistics.fmean(numbers) == pytest.approx(500 + 300 * effect, abs=4 * 60 / math.sqrt(4000))
        assert statistics.stdev(numbers) == pytest.approx(60, rel=0.05)


def test_a_full_effect_on_numbers_is_the_end_of_the_scale_itself() -> None:
    assert value("planted:effect=1", number_request(1, sign=1)) == 800
    assert value("planted:effect=1", number_request(1, sign=-1)) == 200


def test_a_baseline_arm_lies_in_the_middle() -> None:
    numbers = [value("planted:effect=.6", number_request(seed, sign=0)) for seed in range(1, 2001)]
    assert statistics.fmean(numbers) == pytest.approx(500, abs=4 * 60 / math.sqrt(2000))


@pytest.mark.parametrize(
    ("spec", "effect"), [("planted:effect=.4", 0.4), ("planted:effect=.4,position=.5", 0.4), ("coin", 0.0)]
)
def test_the_effect_realised_on_yes_no_is_the_one_planted(spec: str, effect: float) -> None:
    subject = open_sim(spec)
    share = {}
    for sign in (1, -1):
        chosen = [subject.decide(yes_no_request(seed * sign, sign=sign)).choice for seed in range(1, 6001)]
        share[sign] = statistics.fmean(c is not None and c.label == "yes" for c in chosen)
    assert share[1] - share[-1] == pytest.approx(effect, abs=4 * math.sqrt(0.5 / 6000))
    assert share[1] + share[-1] == pytest.approx(1, abs=4 * math.sqrt(0.5 / 6000))  # no order, no slot effect


def test_positional_subjects_choose_by_place() -> None:
    for roles in ORDERS:
        request = option_request(1, roles=roles)
        assert label("first", request) == "A"
        assert label("last", request) == "B"
        assert label("letter:b", request) == "B"
        assert label("letter:Q", request) == "A"


def test_positional_and_rational_subjects_answer_the_middle_of_the_range() -> None:
    for spec in ("first", "last", "letter:A", "rational"):
        for sign in (1, -1, 0):
            assert value(spec, number_request(3, sign=sign, low=0, high=500)) == 250


def test_a_coin_is_fair_over_slots_and_over_the_range() -> None:
    counts = Counter(
        label("coin", option_request(seed, roles=("a", "b", "c"), biased=None)) for seed in range(6000)
    )
    assert all(abs(n - 2000) <= 4 * math.sqrt(6000 * 2 / 9) for n in counts.values())
    numbers = [value("coin", number_request(seed)) for seed in range(4000)]
    assert statistics.fmean(numbers) == pytest.approx(500, abs=4 * 289 / math.sqrt(4000))
    assert min(numbers) < 10 and max(numbers) > 990


def test_a_fixed_subject_depends_on_the_prompt_and_on_nothing_else() -> None:
    same = {label("fixed", option_request(seed, prompt="one prompt", repetition=seed)) for seed in range(50)}
    other = Counter(label("fixed", option_request(1, prompt=f"prompt {i}")) for i in range(1000))
    numbers = {value("fixed", number_request(seed, prompt="one prompt")) for seed in range(50)}
    assert len(same) == 1
    assert abs(other["A"] - 500) <= 4 * math.sqrt(250)
    assert len(numbers) == 1


def test_a_rational_subject_gives_the_proved_answer_or_the_same_role_in_every_arm() -> None:
    for sign, roles in itertools.product((1, -1, 0), ORDERS):
        assert role("rational", option_request(5, sign=sign, roles=roles, rational="safe")) == "safe"
        assert role("rational", option_request(5, sign=sign, roles=roles, rational=None)) == "risky"


def test_decisions_repeat_with_the_seed_and_vary_without_it() -> None:
    roles = [role("coin", option_request(seed)) for seed in range(40)]
    assert roles == [role("coin", option_request(seed)) for seed in range(40)]
    assert len(set(roles)) == 2


@pytest.mark.parametrize(
    ("spec", "request_"),
    [
        ("planted:effect=.3", option_request(1, biased=None)),
        ("planted:effect=.3", option_request(1, biased="absent")),
        ("planted:effect=.3", option_request(1, roles=("risky", "risky"))),
        ("planted:effect=.3", number_request(1, away=None, toward=None)),
        ("coin", option_request(1, roles=())),
        ("coin", number_request(1, low=None, high=None, away=None, toward=None)),
        ("rational", option_request(1, rational="absent")),
    ],
)
def test_a_truth_that_lacks_what_a_subject_needs_is_said_so(spec: str, request_: Request) -> None:
    with pytest.raises(Unanswerable):
        open_sim(spec).decide(request_)
