from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from fiducial.stats.multiple import holm


@pytest.mark.parametrize("seed", range(5))
def test_holm_is_that_of_statsmodels(seed: int) -> None:
    p = (np.random.default_rng(seed).random(12) ** 3).round(3).tolist()  # rounded: ties occur
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1].tolist(), abs=1e-12)


def test_a_test_that_was_not_made_does_not_count() -> None:
    assert holm([0.04, None, 0.01]) == [0.04, None, 0.02]
    assert holm([None]) == [None]
    assert holm([]) == []
