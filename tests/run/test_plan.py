from __future__ import annotations

import itertools
from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from fiducial.model.request import Message, Request, Settings
from fiducial.run.plan import make_plan, make_trial, request_key, spread, trial_seed
from tests.run.support import Questions, plan_of


def test_the_same_inputs_give_the_same_plan_to_the_byte() -> None:
    first, second = plan_of(50, 3), plan_of(50, 3)
    assert first == second
    assert first.hash() == second.hash()


def test_another_seed_gives_another_order_of_the_same_trials() -> None:
    trials = [make_trial(str(i), "h", "a") for i in range(50)]
    one, two = (make_plan(trials, Questions(), seed=s) for s in (1, 2))
    assert set(one.trials) == set(two.trials)
    assert one.hash() != two.hash()


def test_every_part_of_a_trial_changes_its_id() -> None:
    base = make_trial("i", "h", "a")
    others = [
        make_trial("j", "h", "a"),
        make_trial("i", "k", "a"),
        make_trial("i", "h", "b"),
        make_trial("i", "h", "a", order=1),
        make_trial("i", "h", "a", repetition=1),
        make_trial("i", "h", "a", turn=1),
        make_trial("i", "h", "a", turn=1, parent=base.id),
    ]
    assert len({base.id, *(t.id for t in others)}) == 8


def test_equal_repetitions_stand_a_full_round_apart() -> None:
    plan = plan_of(40, 5)
    places = defaultdict(list)
    for place, key in enumerate(plan.keys):
        places[key].append(place)
    gaps = {b - a for found in places.values() for a, b in itertools.pairwise(found)}
    assert gaps == {40}


@given(st.lists(st.integers(1, 6), min_size=2, max_size=12), st.integers(0, 9))
def test_identical_requests_are_spread_whatever_their_numbers(counts: list[int], seed: int) -> None:
    trials = [make_trial(str(i), "h", "a", repetition=r) for i, n in enumerate(counts) for r in range(n)]
    plan = spread(trials, lambda t: t.item, seed=seed)
    assert sorted(t.id for t in plan.trials) == sorted(t.id for t in trials)
    for item, count in enumerate(counts):
        places = [k for k, t in enumerate(plan.trials) if t.item == str(item)]
        if count > 1:  # never closer than their fair distance, less what rounding and the others' phases can take
            assert min(b - a for a, b in itertools.pairwise(places)) >= len(trials) / count - len(counts) - 1


def test_the_seed_does_not_make_two_requests_different() -> None:
    asked = Settings(temperature=1.0, seed=5)
    one = Request((Message("user", "x"),), asked)
    two = Request((Message("user", "x"),), Settings(temperature=1.0, seed=6))
    three = Request((Message("user", "x"),), Settings(temperature=0.9, seed=5))
    assert request_key(one) == request_key(two) != request_key(three)


def test_trials_get_sampling_seeds_of_their_own() -> None:
    seeds = {trial_seed(1, make_trial(str(i), "h", "a").id) for i in range(2000)}
    assert len(seeds) > 1990
    assert all(0 <= s < 2**31 for s in seeds)
