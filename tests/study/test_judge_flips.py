"""What a wording does is told apart from what asking twice does."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as oracle

from fiducial.judge.case import CaseVerdict
from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.study.judge_flips import (
    BANDS,
    Triple,
    by_confidence,
    flip_rate,
    flips,
    mcnemar,
    mean_score,
    mean_verdict,
    pull,
    sensitivity,
    specificity,
)

STUDIES = 400
WORDS = {1.0: "genuine", 0.5: "borderline", 0.0: "not_genuine"}


def said(score: float, confidence: float | None = None) -> CaseVerdict:
    return CaseVerdict(score=score, said=WORDS[score], confidence=confidence)


def triple(
    first: float, again: float, changed: float, label: int | None = 1, confidence: float | None = None
) -> Triple:
    return Triple(case="c", label=label, first=said(first, confidence), again=said(again), changed=said(changed))


def estimate(measured: Measured) -> Estimate:
    assert isinstance(measured, Estimate), measured
    return measured


def holds(measured: Measured, value: float) -> bool:
    e = estimate(measured)
    return e.low <= value <= e.high


@pytest.mark.parametrize(("one", "other"), [(0, 0), (1, 0), (0, 6), (3, 3), (2, 9), (9, 2), (40, 17), (150, 200)])
def test_the_exact_p_is_that_of_statsmodels(one: int, other: int) -> None:
    assert mcnemar(one, other) == pytest.approx(oracle([[5, one], [other, 7]], exact=True).pvalue, abs=1e-12)


def test_flips_are_counted_against_the_first_asking_on_the_same_cases() -> None:
    found = flips([triple(1, 1, 0), triple(1, 0, 1), triple(1, 0, 0), triple(1, 1, 1), triple(1, 1, 0.5)])
    assert estimate(found.rate).value == 3 / 5 and estimate(found.baseline).value == 2 / 5
    assert estimate(found.difference).value == pytest.approx(1 / 5)
    assert (found.only_changed, found.only_again) == (2, 1)
    assert found.p == mcnemar(2, 1)


def test_a_verdict_that_is_another_one_of_the_same_worth_is_a_flip() -> None:
    partly = CaseVerdict(score=0.0, said="partly", between=True)
    absent = CaseVerdict(score=0.0, said="not_found")
    found = flips([Triple(case="c", label=0, first=partly, again=partly, changed=absent)])
    assert found.only_changed == 1
    assert estimate(flip_rate([(partly, absent), (partly, partly)])).value == 0.5


def test_sensitivity_and_specificity_are_means_over_their_own_label() -> None:
    triples = [triple(1, 1, 0), triple(0.5, 0, 1), triple(1, 1, 1, label=0), triple(0, 0, 0.5, label=0)]
    triples.append(triple(0, 0, 1, label=None))
    sens, spec, mean = sensitivity(triples), specificity(triples), mean_verdict(triples)
    assert (estimate(sens.shipped).value, estimate(sens.changed).value) == (0.75, 0.5)
    assert (estimate(spec.shipped).value, estimate(spec.changed).value) == (0.5, 0.25)
    assert (estimate(mean.shipped).value, estimate(mean.changed).value) == (0.5, 0.7)
    assert estimate(sens.difference).value == pytest.approx(-0.25)
    assert estimate(spec.difference).value == pytest.approx(-0.25)
    assert [estimate(shift.difference).n for shift in (sens, spec, mean)] == [2, 2, 5]


def test_moves_are_seen_from_the_right_answer() -> None:
    triples = [
        triple(0, 0, 1),  # toward
        triple(0, 0, 0.5),  # toward, half the way
        triple(1, 0, 0),  # away
        triple(1, 1, 0, label=0),  # toward
        triple(1, 0.5, 1, label=0),  # stays; the second asking comes nearer
        triple(0, 0, 0, label=0),
        triple(0, 0, 1, label=None),  # nobody knows
    ]
    found = pull(triples)
    assert (found.moved_toward, found.moved_away, found.errors) == (3, 1, 4)
    assert estimate(found.net).value == pytest.approx(2 / 6) and estimate(found.net).n == 6
    assert estimate(found.twice_toward).value == pytest.approx(1 / 6)
    assert estimate(found.twice_away).value == pytest.approx(1 / 6)
    assert found.p == mcnemar(3, 1)
    # of the four that were wrong: 1, ½ and 1 nearer than the second asking, and ½ farther
    assert estimate(found.put_right).value == pytest.approx((1 + 0.5 + 1 - 0.5) / 4)


def test_bands_of_confidence_meet_without_a_gap_and_the_last_has_its_end() -> None:
    edges = [0.0, 0.599, 0.6, 0.799, 0.8, 0.949, 0.95, 1.0]
    found = by_confidence([triple(1, 1, 0, confidence=c) for c in edges])
    assert [(b.low, b.high) for b in found] == list(BANDS)
    assert [b.cases for b in found] == [2, 2, 2, 2]
    assert all(estimate(b.rate).value == 1 and estimate(b.baseline).value == 0 for b in found)


def test_a_band_without_a_case_withholds_and_a_task_without_confidence_has_no_bands() -> None:
    found = by_confidence([triple(1, 1, 0, confidence=0.9)])
    assert [b.cases for b in found] == [0, 0, 1, 0]
    assert isinstance(found[0].rate, Withheld) and isinstance(found[0].difference, Withheld)
    assert by_confidence([triple(1, 1, 0)]) == []


def test_without_cases_everything_is_withheld_and_nothing_raises() -> None:
    found, pulled = flips([]), pull([])
    assert found.p is None and pulled.p is None
    for measured in (
        found.rate,
        found.difference,
        pulled.net,
        pulled.put_right,
        sensitivity([]).shipped,
        mean_score([]),
    ):
        assert isinstance(measured, Withheld)


def test_a_judge_that_never_moves_gets_an_interval_of_some_width() -> None:
    found, pulled = flips([triple(1, 1, 1)] * 40), pull([triple(1, 1, 1)] * 40)
    for measured in (found.rate, found.difference, pulled.net):
        e = estimate(measured)
        assert e.value == 0 and e.high > 0.01
    assert found.p == pulled.p == 1.0
    assert isinstance(pulled.put_right, Withheld)  # nothing was wrong


def drawn(
    rng: np.random.Generator, n: int, *, right: float, consistency: float, leak: float = 0.0, flip: float = 0.0
) -> list[Triple]:
    """A judge that is right so often, wavers, follows a key with `leak`, and turns round in a wording with `flip`."""
    label = rng.integers(0, 2, n)
    held = rng.random(n) < right

    def asking() -> np.ndarray:
        fresh = rng.random(n) < right
        return np.where(rng.random(n) < np.sqrt(consistency), held, fresh)

    first, again, changed = asking(), asking(), asking()
    changed = np.where(rng.random(n) < flip, ~changed, changed)
    changed = changed | (rng.random(n) < leak)
    return [
        triple(float(k == a), float(k == b), float(k == c), label=int(k))
        for k, a, b, c in zip(label, first, again, changed, strict=True)
    ]


@pytest.mark.parametrize(("right", "consistency"), [(0.8, 0.9), (0.7, 0.6), (0.95, 1.0)])
def test_a_judge_that_only_wavers_is_rarely_said_to_be_moved(right: float, consistency: float) -> None:
    rng = np.random.default_rng(11)
    studies = [drawn(rng, 80, right=right, consistency=consistency) for _ in range(STUDIES)]
    pulled, flipped = [pull(study) for study in studies], [flips(study) for study in studies]
    for p_values in ([one.p for one in pulled], [one.p for one in flipped]):
        assert np.mean([p is not None and p <= 0.05 for p in p_values]) <= 0.05 + 2.6 * np.sqrt(
            0.05 * 0.95 / STUDIES
        )
    assert np.mean([holds(one.net, 0.0) for one in pulled]) >= 0.93
    assert np.mean([holds(one.difference, 0.0) for one in flipped]) >= 0.93


@pytest.mark.parametrize("consistency", [1.0, 0.7])
def test_the_intervals_cover_a_leak_that_is_there(consistency: float) -> None:
    rng = np.random.default_rng(12)
    right, leak = 0.75, 0.3
    pulled = [pull(drawn(rng, 150, right=right, consistency=consistency, leak=leak)) for _ in range(STUDIES)]
    # of the cases that were wrong, a second asking is wrong in this share
    still = consistency + (1 - consistency) * (1 - right)
    assert np.mean([holds(one.net, leak * (1 - right)) for one in pulled]) >= 0.93
    assert np.mean([holds(one.put_right, leak * still) for one in pulled]) >= 0.93
    # toward: wrong, then right; away: right, then wrong
    toward, away = (1 - right) * (1 - (1 - leak) * still), right * (1 - consistency) * (1 - right) * (1 - leak)
    expected = power(150, toward, away)
    found = np.mean([one.p is not None and one.p <= 0.05 for one in pulled])
    assert abs(found - expected) <= 3 * np.sqrt(expected * (1 - expected) / STUDIES)


def power(n: int, toward: float, away: float) -> float:
    """How often an exact test at .05 sees that one way is more common, of n cases that go either way or stay."""
    moved, one_way = toward + away, toward / (toward + away)
    m, x = np.meshgrid(np.arange(1, n + 1), np.arange(n + 1), indexing="ij")
    seen = (x <= m) & (2 * stats.binom.cdf(np.minimum(x, m - x), m, 0.5) <= 0.05)
    return float((stats.binom.pmf(m, n, moved) * stats.binom.pmf(x, m, one_way))[seen].sum())


def test_the_interval_covers_flips_beyond_those_of_asking_twice() -> None:
    rng = np.random.default_rng(13)
    right, consistency, flip = 0.8, 0.8, 0.15
    differ = (1 - consistency) * 2 * right * (1 - right)
    beyond = differ * (1 - flip) + (1 - differ) * flip - differ
    found = [flips(drawn(rng, 150, right=right, consistency=consistency, flip=flip)) for _ in range(STUDIES)]
    assert np.mean([holds(one.difference, beyond) for one in found]) >= 0.93
    assert np.mean([holds(one.baseline, differ) for one in found]) >= 0.93
    naive = np.mean([holds(one.rate, beyond) for one in found])
    assert naive < 0.5  # what the bare flip rate would have said of it
