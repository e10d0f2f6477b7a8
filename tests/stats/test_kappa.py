from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa as reference

from fiducial.stats.estimate import Estimate, Withheld
from fiducial.stats.kappa import cohens_kappa

LABELS = (0.0, 0.5, 1.0)


@pytest.mark.parametrize("seed", range(8))
def test_value_and_interval_are_those_of_statsmodels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first = rng.choice(LABELS, size=80, p=[0.3, 0.1, 0.6])
    second = np.where(rng.random(80) < 0.7, first, rng.choice(LABELS, size=80))
    table = np.array([[np.sum((first == a) & (second == b)) for b in LABELS] for a in LABELS])
    wanted = reference(table)
    found = cohens_kappa(first.tolist(), second.tolist())
    assert isinstance(found, Estimate) and found.n == 80
    assert found.value == pytest.approx(wanted.kappa)
    assert found.low == pytest.approx(wanted.kappa_low) and found.high == pytest.approx(wanted.kappa_upp)


def test_raters_who_agree_in_everything_have_a_kappa_of_one() -> None:
    found = cohens_kappa([0, 1, 0.5, 1], [0, 1, 0.5, 1])
    assert isinstance(found, Estimate) and (found.value, found.high) == (1.0, 1.0)


def test_raters_who_never_agree_are_below_zero_and_the_interval_stays_a_kappa() -> None:
    found = cohens_kappa([0, 1] * 3, [1, 0] * 3)
    assert isinstance(found, Estimate) and found.value == -1.0 and found.low >= -1.0


@pytest.mark.parametrize(("first", "second"), [([], []), ([1], [1]), ([1, 1, 1], [1, 1, 1])])
def test_where_there_is_nothing_to_compare_kappa_is_withheld(first: list[float], second: list[float]) -> None:
    assert isinstance(cohens_kappa(first, second), Withheld)


def test_labels_of_different_cases_are_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="same cases"):
        cohens_kappa([0, 1], [0])
