from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from fiducial.review.detectable import ITEMS, RUNS, item_detects, list_detects, tables
from fiducial.review.gate import decide
from tests.review.test_gate import _recall, _reviewer

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
    assert _recall(m0="nnn", **{f"m{k}": "fff" for k in range(1, 10)}).list.missed == []


def test_the_gate_itself_fails_as_often_as_the_table_says() -> None:
    rng = np.random.default_rng(5)
    true = list_detects(5, 5)
    assert true is not None
    failed = 0
    for _ in range(1000):
        hits = rng.random((5, 5)) < true
        letters = {f"m{k}": "".join("f" if hit else "n" for hit in row) for k, row in enumerate(hits)}
        recall = _recall(**letters)
        failed += recall.list.p is not None and recall.list.p < 0.05
        if recall.list.p is not None and recall.list.p < 0.05:
            assert decide([_reviewer(recall=recall)], min_precision=None, strict=False).result == "failed"
    assert 0.77 <= failed / 1000 <= 0.83


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
