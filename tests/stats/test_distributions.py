from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from fiducial.stats import distributions as ours
from fiducial.stats.multiple import benjamini_hochberg

SHARES = (0.001, 0.025, 0.5, 0.975, 0.9999)
FREEDOM = (1.0, 2.5, 14.0, 300.0)


@pytest.mark.parametrize("df", FREEDOM)
def test_quantiles_and_tails_are_those_of_scipy_stats(df: float) -> None:
    for share in SHARES:
        assert ours.t_quantile(share, df) == pytest.approx(stats.t.ppf(share, df), rel=1e-12)
        assert ours.chi2_quantile(share, df) == pytest.approx(stats.chi2.ppf(share, df), rel=1e-12)
        assert ours.beta_quantile(share, df, 3.0) == pytest.approx(stats.beta.ppf(share, df, 3.0), rel=1e-9)
        assert ours.normal_quantile(share) == pytest.approx(stats.norm.ppf(share), rel=1e-12)
    for t in (-8.0, -0.3, 0.0, 2.2, 40.0):
        assert ours.t_two_sided(t, df) == pytest.approx(2 * stats.t.sf(abs(t), df), rel=1e-12)


def test_q_values_are_those_of_scipy_stats() -> None:
    draw = np.random.default_rng(5)
    for n in (1, 2, 7, 60):
        p = np.round(draw.uniform(size=n) ** 3, 2)  # with ties and zeros
        assert benjamini_hochberg(p.tolist()) == pytest.approx(stats.false_discovery_control(p).tolist(), abs=1e-12)


def test_scipy_stats_is_imported_by_no_module_of_the_bias_instrument() -> None:
    code = "import sys, fiducial.bias.conduct, fiducial.report.terminal; sys.exit('scipy.stats' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
