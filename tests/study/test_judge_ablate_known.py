"""Judges of whom everything is known: what an ablation says of them is what is true of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fiducial.judge.case import TASKS, Case, CaseVerdict, Task, request_of, verdict_of
from fiducial.judge.wording import SHIPPED, Wording
from fiducial.model.names import open_model
from fiducial.model.request import CaseTruth, Request
from fiducial.model.sim.judge import SimJudge
from fiducial.stats.estimate import Estimate
from fiducial.study.judge_flips import Triple, flips, pull
from tests.study.ablated import BUILT_IN, Standing, ablated, cases, holds, of, right, says


@pytest.mark.parametrize("task", TASKS)
def test_a_judge_that_nothing_moves_is_said_to_be_moved_by_nothing(tmp_path: Path, task: Task) -> None:
    found = ablated(tmp_path / "a.db", Standing(right), cases(task, 12))
    assert found.complete and (found.cases, found.positives, found.negatives) == (12, 6, 6)
    assert [c.factor for c in found.comparisons] == list(BUILT_IN)
    for one in found.comparisons:
        assert one.cases == 12 and one.left_out.cases == 0
        assert isinstance(one.effect, Estimate) and one.effect.value == 0
        assert one.p == one.adjusted == 1.0 and not one.shown
    assert isinstance(found.sensitivity, Estimate) and found.sensitivity.value == 1
    assert isinstance(found.specificity, Estimate) and found.specificity.value == 1


@pytest.mark.parametrize("task", TASKS)
def test_a_known_leak_is_recovered(tmp_path: Path, task: Task) -> None:
    judge = open_model("sim/judge:sensitivity=.7,specificity=.6,leak=.3")
    found = ablated(tmp_path / "a.db", judge, cases(task, 240))
    key = of(found, "key")
    assert key.shown and key.cases == 240
    assert key.pull.moved_away == 0  # it never wavers
    assert isinstance(found.sensitivity, Estimate) and isinstance(found.specificity, Estimate)
    assert holds(
        key.sensitivity.difference, 0.3 * (1 - found.sensitivity.value)
    )  # of what it got wrong, three in ten
    if (
        task != "read"
    ):  # where nothing is the right answer of a reply, a simulated judge cannot tell that it is shown
        assert holds(key.specificity.difference, 0.3 * (1 - found.specificity.value))
        assert holds(key.pull.net, 0.3 * key.pull.errors / 240)
        assert holds(key.pull.put_right, 0.3)
    for factor in ("reasoning", "order"):
        assert not of(found, factor).shown


def test_over_many_judges_that_waver_the_intervals_hold_the_leak() -> None:
    """40 judges, each on 100 cases: of 95 % intervals 33 or fewer would be a chance of 1 in 100."""
    own = cases("genuine", 100)
    held = {"net": 0, "put right": 0, "shown": 0}
    for seed in range(40):
        judge = open_model(f"sim/judge:sensitivity=.7,specificity=.6,leak=.3,consistency=.9,seed={seed}")
        assert isinstance(judge, SimJudge)
        found = pull(_triples(judge, own))
        wrong = np.array([1 - _likely(judge, case) for case in own])
        still = 0.9 + 0.1 * float((wrong**2).sum() / wrong.sum())  # wrong again, of what was wrong
        held["net"] += holds(found.net, 0.3 * 0.35)
        held["put right"] += holds(found.put_right, 0.3 * still)
        held["shown"] += found.p is not None and found.p <= 0.05
    assert held["net"] >= 34 and held["put right"] >= 34
    assert held["shown"] >= 20


@pytest.mark.parametrize("task", TASKS)
def test_a_known_inconsistency_is_recovered_and_blamed_on_no_wording(tmp_path: Path, task: Task) -> None:
    judge = open_model("sim/judge:sensitivity=.7,specificity=.7,consistency=.6")
    own = cases(task, 200)
    found = ablated(tmp_path / "a.db", judge, own)
    assert isinstance(judge, SimJudge)
    expected = 0.4 * np.mean([2 * p * (1 - p) for p in (_likely(judge, case) for case in own)])
    assert holds(found.baseline, float(expected))
    for one in found.comparisons:
        assert holds(one.flips.rate, float(expected)) and holds(one.flips.difference, 0.0)
        assert not one.shown


def _likely(judge: SimJudge, case: Case) -> float:
    """The probability that this judge is right on the case: it states it as its confidence."""
    request = request_of(case, secret="1")
    assert isinstance(request.truth, CaseTruth)
    return judge.decide(request, request.truth).confidence


def test_a_judge_without_a_leak_is_rarely_said_to_have_one() -> None:
    """140 judges that waver, each on 50 cases: both tests at .05."""
    own = cases("zero_shot", 50)
    alarms = {"key": 0, "flips": 0}
    for seed in range(140):
        judge = open_model(f"sim/judge:sensitivity=.75,specificity=.75,consistency=.9,seed={seed}")
        assert isinstance(judge, SimJudge)
        triples = _triples(judge, own)
        for name, p in (("key", pull(triples).p), ("flips", flips(triples).p)):
            assert p is not None
            alarms[name] += p <= 0.05
    assert max(alarms.values()) <= 140 * 0.05 + 2.6 * np.sqrt(140 * 0.05 * 0.95)


def _triples(judge: SimJudge, own: list[Case]) -> list[Triple]:
    """The verdicts on every case, without a run file: shipped, shipped again, and with the key."""
    key = Wording(name="key", key=True)
    return [
        Triple(
            case=case.id,
            label=case.label,
            first=_said(judge, case, SHIPPED, 0),
            again=_said(judge, case, SHIPPED, 1),
            changed=_said(judge, case, key, 0),
        )
        for case in own
    ]


def _said(judge: SimJudge, case: Case, wording: Wording, repetition: int) -> CaseVerdict:
    request = request_of(case, secret="1", wording=wording, repetition=repetition)
    assert isinstance(request.truth, CaseTruth)
    found = verdict_of(case, says(request.truth, judge.decide(request, request.truth).value), wording)
    assert isinstance(found, CaseVerdict)
    return found


def test_a_wording_that_turns_verdicts_is_caught_and_the_direction_is_told(tmp_path: Path) -> None:
    def eager(truth: CaseTruth, request: Request) -> str:
        number = int(truth.case.split("-")[1])
        return says(truth, "genuine" if truth.wording == "reasoning" and number < 20 else truth.right)

    found = ablated(tmp_path / "a.db", Standing(eager), cases("genuine", 60))
    one = of(found, "reasoning")
    assert one.shown and isinstance(one.effect, Estimate) and one.effect.value == pytest.approx(10 / 60)
    assert isinstance(one.specificity.difference, Estimate)
    assert one.specificity.difference.value == pytest.approx(-10 / 30)
    assert isinstance(one.sensitivity.difference, Estimate) and one.sensitivity.difference.value == 0
    assert (one.pull.moved_toward, one.pull.moved_away) == (0, 10)
    assert not of(found, "order").shown and not of(found, "key").shown
