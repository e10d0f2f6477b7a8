"""The bootstrap by sums against plain resampling."""

from __future__ import annotations

import numpy as np
import pytest

from fiducial.bias.metrics import auroc, calibration_awareness, expected_calibration_error
from fiducial.stats.estimate import Estimate


@pytest.mark.parametrize("decimals", [1, 6])
def test_the_bootstrap_by_sums_is_that_of_resampled_replies(decimals: int) -> None:
    rng = np.random.default_rng(1)
    item = rng.integers(0, 12, 400)
    confidence = rng.random(400).round(decimals)
    right = (rng.random(400) < confidence).astype(np.int64)
    found = calibration_awareness(confidence, right, item, [str(k) for k in range(12)])
    draw = np.random.default_rng(0)
    picks = [draw.integers(0, 12, 12) for _ in range(500)]
    for name, statistic in (("calibration_error", expected_calibration_error), ("auroc", auroc)):
        seen = []
        for pick in picks:
            rows = np.concatenate([np.flatnonzero(item == k) for k in pick])
            seen.append(statistic(confidence[rows], right[rows].astype(float)))
        estimate = found[name]
        assert isinstance(estimate, Estimate)
        assert (estimate.low, estimate.high) == pytest.approx(tuple(np.quantile(seen, [0.025, 0.975])), abs=1e-12)
