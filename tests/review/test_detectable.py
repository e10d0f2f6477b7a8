from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from scipy import stats

from fiducial.review.detectable import ITEMS, RUNS, item_detects, list_detects, tables

DOC = Path(__file__).parents[2] / "docs" / "gates.md"


@pytest.mark.parametrize("items", ITEMS)
@pytest.mark.parametrize("runs", RUNS)
def test_at_what_the_list_can_detect_the_power_is_that_of_the_exact_test(items: int, runs: int) -> None:
    n = items * runs
    rejected = [k for k in range(n + 1) if stats.binom.cdf(k, n, 0.8) < 0.05]
    true = list_detects(items, runs)
    assert true is not None
    assert stats.binom.cdf(max(rejected), n, true) == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize("items", ITEMS)
@pytest.mark.parametrize("runs", RUNS)
def test_one_item_has_to_pass_the_first_step_of_holm(items: int, runs: int) -> None:
    rejected = [k for k in range(runs + 1) if stats.binom.cdf(k, runs, 0.8) < 0.05 / items]
    true = item_detects(items, runs)
    if not rejected:
        assert true is None
    else:
        assert true is not None
        assert stats.binom.cdf(max(rejected), runs, true) == pytest.approx(0.8, abs=1e-6)


def test_with_three_runs_no_single_item_of_ten_can_be_missed() -> None:
    assert item_detects(10, 3) is None


def test_the_docs_hold_the_printed_tables() -> None:
    text = DOC.read_text("utf-8")
    for table in tables().split("\n\n"):
        assert table in text


def test_the_module_prints_them() -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "fiducial.review.detectable"],
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    assert printed.stdout == tables() + "\n"
