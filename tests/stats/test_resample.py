from __future__ import annotations

import numpy as np
import pytest

from fiducial.stats.estimate import Estimate, Withheld
from fiducial.stats.means import Floats
from fiducial.stats.proportion import wilson_limits
from fiducial.stats.resample import bootstrap_sums, ratio_by_cluster


def _ratio(above: Floats | list[float], below: Floats | list[float], seed: int = 0, draws: int = 4000) -> Estimate:
    found = ratio_by_cluster(above, below, rng=np.random.default_rng(seed), unit="document", draws=draws)
    assert isinstance(found, Estimate)
    assert np.isfinite([found.value, found.low, found.high]).all()
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.high > found.low
    return found


def _coverage(clusters: int, mean: float, correlation: float, *, samples: int = 300) -> float:
    rng = np.random.default_rng(7)
    scale = (1 - correlation) / correlation
    covered = 0
    for _ in range(samples):
        sizes = 1 + rng.poisson(8, clusters)
        genuine = rng.binomial(sizes, rng.beta(mean * scale, (1 - mean) * scale, clusters))
        found = _ratio(genuine.astype(float), sizes.astype(float), draws=400)
        covered += found.low <= mean <= found.high
    return covered / samples


@pytest.mark.parametrize("clusters", [3, 8, 20])
@pytest.mark.parametrize("mean", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("correlation", [0.05, 0.3])
def test_the_interval_covers_with_few_clusters(clusters: int, mean: float, correlation: float) -> None:
    """300 samples: a true coverage of 95 % shows as less than 91.5 % once in 200 times."""
    assert _coverage(clusters, mean, correlation) >= 0.915


def test_many_clusters_give_the_width_of_the_clustered_standard_error() -> None:
    rng = np.random.default_rng(3)
    sizes = (1 + rng.poisson(8, 400)).astype(np.float64)
    genuine = rng.binomial(sizes.astype(int), rng.beta(3, 2, 400)).astype(float)
    found = _ratio(genuine, sizes)
    error = float(np.sqrt(((genuine - found.value * sizes) ** 2).sum())) / float(sizes.sum())
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.04)
    assert found.n == 400
    assert found.method == "bootstrap by document, Wilson–t at the effective number"


def test_the_same_generator_gives_the_same_interval() -> None:
    assert _ratio([3, 1, 4], [5, 5, 5], seed=1) == _ratio([3, 1, 4], [5, 5, 5], seed=1)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_clusters_that_are_all_alike_get_wilson_on_their_number(share: float) -> None:
    found = _ratio([10 * share] * 8, [10.0] * 8)
    assert (found.low, found.high) == pytest.approx(wilson_limits(share, 8))
    assert found.method == "Wilson on 8 documents that are all alike"


def test_one_cluster_is_worth_one_trial_whatever_its_size() -> None:
    found = _ratio([30.0], [40.0])
    assert (found.low, found.high) == pytest.approx(wilson_limits(0.75, 1))
    assert found.method == "Wilson on one document"


def test_a_cluster_that_holds_nearly_everything_is_nearly_the_only_one() -> None:
    even, lopsided = _ratio([10.0] * 8, [10.0] * 8), _ratio([1000.0] + [1.0] * 7, [1000.0] + [1.0] * 7)
    assert lopsided.low < even.low
    assert lopsided.low == pytest.approx(wilson_limits(1.0, 1)[0], abs=0.01)


def test_the_interval_is_never_narrower_than_that_of_independent_findings() -> None:
    """Clusters that agree better than chance would have it do not make more findings than there are."""
    found = _ratio([5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 4.0], [10.0] * 8)
    low, high = wilson_limits(found.value, 80)
    assert found.low <= low and high <= found.high


def test_a_cluster_without_anything_in_it_is_left_out() -> None:
    assert _ratio([3, 0, 1, 4], [5, 0, 5, 5]) == _ratio([3, 1, 4], [5, 5, 5])


def test_nothing_at_all_is_withheld() -> None:
    found = ratio_by_cluster([0.0], [0.0], rng=np.random.default_rng(0), unit="document")
    assert found == Withheld("there is no document to compute it from")


def test_sums_of_one_draw_belong_together_and_blocks_do_not_show() -> None:
    columns = np.column_stack((np.arange(3000.0), 2 * np.arange(3000.0)))
    sums = bootstrap_sums(columns, np.random.default_rng(0), draws=1500)
    assert sums.shape == (1500, 2)
    assert np.allclose(sums[:, 1], 2 * sums[:, 0])
    assert sums[:, 0].mean() == pytest.approx(columns[:, 0].sum(), rel=0.002)
