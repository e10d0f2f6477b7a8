"""Coverage is held to by simulation with fixed seeds; the point estimates against formulas written out here."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiducial.stats.corrected import Corrected, Floats, Labelled, Side, from_other_labels, from_own_labels
from fiducial.stats.estimate import Estimate, Withheld

RNG = np.random.default_rng


def judged(labels: Floats, m1: float, m0: float, rng: np.random.Generator, *, between: float = 0.0) -> Floats:
    """Verdicts of a judge on cases with these labels; a share of them, whatever the label, is one half."""
    verdicts = np.where(rng.random(len(labels)) < np.where(labels == 1, m1, m0), 1.0, 0.0)
    verdicts[rng.random(len(labels)) < between] = 0.5
    return verdicts


def group(verdicts: Floats, labels: Floats) -> Labelled:
    return Labelled(Side.of(verdicts[labels == 1]), Side.of(verdicts[labels == 0]))


def estimate(found: Corrected) -> Estimate:
    assert isinstance(found.share, Estimate)
    return found.share


@pytest.mark.parametrize(("share", "m1", "m0", "between"), [(0.7, 0.9, 0.2, 0.0), (0.95, 0.98, 0.5, 0.1)])
def test_own_labels_cover_the_mean_label_of_the_cases(share: float, m1: float, m0: float, between: float) -> None:
    rng = RNG(1)
    labels = (np.arange(900) < share * 900).astype(float)
    verdicts = judged(labels, m1, m0, rng, between=between)
    held = 0
    for _ in range(300):
        some = rng.choice(900, 100, replace=False)
        found = from_own_labels(verdicts, verdicts[some], labels[some])
        held += found.low <= labels.mean() <= found.high
    assert 0.92 <= held / 300 <= 0.99


def test_own_labels_give_what_ppi_plus_plus_gives_and_are_no_wider() -> None:
    ppi = pytest.importorskip("ppi_py")
    rng = RNG(4)
    ours = theirs = 0.0
    apart = []
    for _ in range(60):
        labels = (rng.random(2000) < 0.6).astype(float)
        verdicts = judged(labels, 0.9, 0.25, rng)
        found = from_own_labels(verdicts, verdicts[:100], labels[:100])
        value = float(np.ravel(ppi.ppi_mean_pointestimate(labels[:100], verdicts[:100], verdicts[100:]))[0])
        low, high = ppi.ppi_mean_ci(labels[:100], verdicts[:100], verdicts[100:], alpha=0.05)
        apart.append(abs(found.value - value))
        ours, theirs = ours + found.high - found.low, theirs + float(np.ravel(high)[0] - np.ravel(low)[0])
    # the two weight an unlucky sample differently: they are close in nearly all samples, and never the same
    assert float(np.quantile(apart, 0.95)) < 0.01
    assert ours <= 1.05 * theirs


def test_own_labels_are_weighted_by_how_often_each_verdict_was_given() -> None:
    verdicts = np.array([1.0] * 60 + [0.0] * 30 + [0.5] * 10)
    labelled = np.array([1.0] * 10 + [0.0] * 10 + [0.5] * 4)
    labels = np.array([1.0] * 9 + [0.0] + [1.0] * 2 + [0.0] * 8 + [1.0] * 2 + [0.0] * 2)
    found = from_own_labels(verdicts, labelled, labels)
    assert found.value == pytest.approx(0.6 * 0.9 + 0.3 * 0.2 + 0.1 * 0.5)
    alone = from_own_labels(verdicts, labelled, labels, strata=False)
    assert alone.value == pytest.approx(13 / 24) and alone.low < alone.value < alone.high


def test_with_a_label_on_every_case_nothing_is_left_to_estimate() -> None:
    verdicts, labels = np.array([1.0, 0.0, 0.5, 1.0] * 10), np.array([1.0, 0.0, 1.0, 0.0] * 10)
    found = from_own_labels(verdicts, verdicts, labels)
    assert found.low == found.value == found.high == 0.5


def test_a_verdict_that_no_labelled_case_has_still_counts() -> None:
    verdicts = np.array([1.0] * 50 + [0.5] * 50)
    found = from_own_labels(verdicts, np.ones(30), np.array([1.0] * 27 + [0.0] * 3))
    assert found.value == pytest.approx(
        0.9
    )  # nothing is known of the others: they are taken as the labelled ones are
    assert found.low < 0.55  # and the interval shows that nothing is


@pytest.mark.parametrize("between", [0.0, 0.2])
def test_labels_of_the_same_kind_cover_the_true_share(between: float) -> None:
    rng, share, held, raw = RNG(2), 0.4, 0, 0
    for _ in range(300):
        known = (rng.random(400) < 0.5).astype(float)
        labelled = group(judged(known, 0.8, 0.3, rng, between=between), known)
        verdicts = judged((rng.random(300) < share).astype(float), 0.8, 0.3, rng, between=between)
        error = float(verdicts.std() / np.sqrt(300))
        found = estimate(from_other_labels(float(verdicts.mean()), 300, [labelled], shifted=False, error=error))
        held += found.low <= share <= found.high
        raw += abs(verdicts.mean() - share) <= 1.96 * error
    assert 0.92 <= held / 300 <= 0.98
    assert raw / 300 < 0.3  # the judge's own share, with its own interval, misses


def test_labels_of_other_groups_cover_a_group_on_which_the_judge_errs_differently() -> None:
    rng, held, plain = RNG(3), 0, 0
    for _ in range(150):
        groups = []
        for _ in range(6):
            labels = (rng.random(50) < rng.uniform(0.4, 0.9)).astype(float)
            groups.append(group(judged(labels, *_rates(rng), rng), labels))
        labels = (rng.random(400) < rng.uniform(0.4, 0.9)).astype(float)
        verdict = float(judged(labels, *_rates(rng), rng).mean())
        wide = estimate(from_other_labels(verdict, 400, groups, shifted=True))
        narrow = estimate(from_other_labels(verdict, 400, groups, shifted=False))
        held += wide.low <= labels.mean() <= wide.high
        plain += narrow.low <= labels.mean() <= narrow.high
    assert held / 150 >= 0.92
    assert plain < held - 15


def _rates(rng: np.random.Generator) -> tuple[float, float]:
    """Of one group; the intraclass correlations are .016 and .02."""
    return float(rng.beta(54, 6)), float(rng.beta(10, 40))


def test_the_point_estimate_is_that_of_rogan_and_gladen() -> None:
    labelled = Labelled(Side(n=100, total=80, squares=80), Side(n=100, total=30, squares=30))
    found = from_other_labels(0.5, 300, [labelled], shifted=False, error=0.03)
    assert estimate(found).value == pytest.approx((0.5 - 0.3) / (0.8 - 0.3))
    assert (found.m1.value, found.m0.value) == (0.8, 0.3)


def test_more_groups_with_the_same_rates_make_the_prediction_narrower() -> None:
    def width(groups: int) -> float:
        labelled = Labelled(Side(n=30, total=27, squares=27), Side(n=30, total=6, squares=6))
        found = estimate(from_other_labels(0.6, 400, [labelled] * groups, shifted=True))
        return found.high - found.low

    assert width(20) < width(5) < width(1)


def test_groups_that_differ_widen_the_interval_more_than_groups_that_agree() -> None:
    def found(totals: tuple[int, ...]) -> Corrected:
        zeros = Side(n=60, total=12, squares=12)
        groups = [Labelled(Side(n=60, total=total, squares=total), zeros) for total in totals]
        return from_other_labels(0.6, 400, groups, shifted=True)

    alike, unlike = found((48, 48, 48, 48)), found((59, 37, 57, 39))
    assert unlike.between[0] > 2 * alike.between[0]
    assert estimate(unlike).high - estimate(unlike).low > estimate(alike).high - estimate(alike).low


def test_a_judge_no_better_than_chance_is_refused_in_words() -> None:
    labelled = Labelled(Side(n=40, total=22, squares=22), Side(n=40, total=20, squares=20))
    share = from_other_labels(0.5, 100, [labelled], shifted=False).share
    assert isinstance(share, Withheld) and "better than chance" in share.withheld


def test_a_few_own_labels_pull_the_estimate_toward_them() -> None:
    labelled = Labelled(Side(n=60, total=45, squares=45), Side(n=60, total=15, squares=15))
    without = estimate(from_other_labels(0.5, 100, [labelled] * 3, shifted=True))
    verdicts = np.array([1.0] * 10 + [0.0] * 10)
    all_ones = estimate(from_other_labels(0.5, 100, [labelled] * 3, shifted=True, own=(verdicts, np.ones(20))))
    assert all_ones.value > without.high - 0.05


def test_verdicts_beyond_what_the_rates_allow_give_the_nearest_end() -> None:
    labelled = Labelled(Side(n=500, total=300, squares=300), Side(n=500, total=100, squares=100))
    found = estimate(from_other_labels(1.0, 1000, [labelled], shifted=False))
    assert found.value == found.high == 1.0


def test_borderline_verdicts_count_as_more_certain_than_zeros_and_ones_of_the_same_mean() -> None:
    sharp = Labelled(Side(n=100, total=70, squares=70), Side(n=100, total=30, squares=30))
    soft = Labelled(Side(n=100, total=70, squares=55), Side(n=100, total=30, squares=15))
    wide, narrow = (estimate(from_other_labels(0.5, 100, [g], shifted=False, error=0.02)) for g in (sharp, soft))
    assert narrow.high - narrow.low < wide.high - wide.low


@settings(max_examples=40)
@given(
    st.floats(0, 1),
    st.integers(1, 500),
    st.lists(
        st.tuples(st.integers(0, 40), st.integers(0, 40), st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=4
    ),
    st.booleans(),
)
def test_every_interval_holds_its_value_and_stays_between_0_and_1(
    verdict: float, cases: int, rows: list[tuple[int, int, float, float]], shifted: bool
) -> None:
    groups = [
        Labelled(Side(n=a, total=a * p, squares=a * p * p), Side(n=b, total=b * q, squares=b * q * q))
        for a, b, p, q in rows
    ]
    found = from_other_labels(verdict, cases, groups, shifted=shifted)
    for measured in (found.share, found.m1, found.m0):
        if isinstance(measured, Estimate):
            assert 0 <= measured.low <= measured.value <= measured.high <= 1


def test_the_same_input_gives_the_same_numbers() -> None:
    labelled = Labelled(Side(n=60, total=45, squares=45), Side(n=60, total=15, squares=15))
    assert from_other_labels(0.4, 50, [labelled], shifted=True) == from_other_labels(
        0.4, 50, [labelled], shifted=True
    )
