"""Partial pooling, and tests in families."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fiducial.stats.estimate import Estimate
from fiducial.stats.multiple import benjamini_bogomolov, benjamini_hochberg
from fiducial.stats.pooling import partial_pool


def drawn(rng: np.random.Generator, truths: np.ndarray, items: int = 10, sd: float = 0.25) -> list[Estimate]:
    """Estimates of these truths as a bias of so many items gives them, with t intervals."""
    values = truths[:, None] + rng.normal(0, sd, (len(truths), items))
    means, errors = values.mean(axis=1), values.std(axis=1, ddof=1) / np.sqrt(items)
    half = stats.t.ppf(0.975, items - 1) * errors
    return [Estimate(value=m, low=m - h, high=m + h, n=items, method="t") for m, h in zip(means, half, strict=True)]


@pytest.mark.parametrize("centre, apart", [(0.0, 0.0), (0.3, 0.0), (0.0, 0.3), (0.3, 0.15)])
def test_pooled_intervals_hold_the_members_truths(centre: float, apart: float) -> None:
    rng = np.random.default_rng(1)
    inside, plain, pooled = [], [], []
    for _ in range(200):
        truths = rng.normal(centre, apart, 5)
        estimates = drawn(rng, truths)
        members = partial_pool(estimates).members
        inside += [m.low <= t <= m.high for m, t in zip(members, truths, strict=True)]
        plain += [(e.value - t) ** 2 for e, t in zip(estimates, truths, strict=True)]
        pooled += [(m.value - t) ** 2 for m, t in zip(members, truths, strict=True)]
    assert np.mean(inside) >= 0.93
    # where effects are alike, drawing them together gains much; where they are not, it costs little
    assert np.mean(pooled) <= np.mean(plain) * (0.6 if apart == 0 else 1.15)


def test_alike_members_are_drawn_together_and_different_ones_hardly() -> None:
    near = [Estimate(value=v, low=v - 0.2, high=v + 0.2, n=10, method="t") for v in (0.1, 0.2, 0.3)]
    far = [Estimate(value=v, low=v - 0.05, high=v + 0.05, n=10, method="t") for v in (-0.6, 0.0, 0.7)]
    values = [m.value for m in partial_pool(near).members]
    assert max(values) - min(values) < 0.1 and values == sorted(values)
    assert [round(m.value, 1) for m in partial_pool(far).members] == [-0.6, 0.0, 0.7]


def test_one_member_alone_stays_nearly_what_it_was() -> None:
    alone = Estimate(value=0.4, low=0.3, high=0.5, n=10, method="t")
    pooled = partial_pool([alone])
    assert pooled.members[0].value == pytest.approx(0.4, abs=0.02)
    assert pooled.mean.high - pooled.mean.low > 0.5  # one member says little of a family


def test_estimates_without_width_break_nothing() -> None:
    same = [Estimate(value=v, low=v, high=v, n=2, method="t") for v in (1.0, -1.0, 0.0)]
    for member in partial_pool(same).members:
        assert -1 <= member.low <= member.value <= member.high <= 1


P = st.floats(1e-6, 1.0)
GROUPS = st.lists(st.tuples(st.sampled_from("abcd"), st.one_of(P, st.none())), min_size=1, max_size=12)


@given(GROUPS, st.floats(0.001, 0.9))
def test_a_family_q_is_the_smallest_level_at_which_the_procedure_rejects(
    rows: list[tuple[str, float | None]], level: float
) -> None:
    families, ps = [f for f, _ in rows], [p for _, p in rows]
    q, _ = benjamini_bogomolov(ps, families)
    rejected = _procedure(ps, families, level)
    for k, value in enumerate(q):
        if ps[k] is None:
            assert value is None
        elif value is not None and abs(value - level) > 1e-9:
            assert (value <= level) == (k in rejected), (k, value)


def _procedure(ps: list[float | None], families: list[str], level: float) -> set[int]:
    """The two steps as they are written down, at one level."""
    members = {f: [k for k, g in enumerate(families) if g == f and ps[k] is not None] for f in set(families)}
    members = {f: own for f, own in members.items() if own}
    simes = {}
    for family, own in members.items():
        ordered = sorted(p for k in own if (p := ps[k]) is not None)
        simes[family] = min(p * len(ordered) / (rank + 1) for rank, p in enumerate(ordered))
    found = benjamini_hochberg(list(simes.values()))
    chosen = [f for f, q in zip(simes, found, strict=True) if q is not None and q <= level]
    rejected = set()
    for family in chosen:
        inside = benjamini_hochberg([ps[k] for k in members[family]])
        within = level * len(chosen) / len(simes)
        rejected |= {k for k, q in zip(members[family], inside, strict=True) if q is not None and q <= within}
    return rejected


def test_where_nothing_has_an_effect_few_runs_reject_anything() -> None:
    rng = np.random.default_rng(2)
    sizes = (5, 5, 4, 1, 1, 5, 6, 3, 2, 2, 8, 4, 3)
    families = [str(k) for k, size in enumerate(sizes) for _ in range(size)]
    least = []
    for _ in range(1000):
        q, _ = benjamini_bogomolov(list(rng.random(len(families))), families)
        least.append(min(value for value in q if value is not None))
    assert np.mean(np.array(least) <= 0.05) <= 0.07
