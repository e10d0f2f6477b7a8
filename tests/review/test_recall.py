from __future__ import annotations

import math
from statistics import stdev

import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from fiducial.judge.match import MatchVerdict
from fiducial.judge.verdict import Invalid
from fiducial.review.dataset import MustFind
from fiducial.review.output import Output
from fiducial.review.recall import more_runs, recall
from fiducial.review.result import ItemRecall, NoRecall, Recall

VERDICTS = {
    "f": MatchVerdict(verdict="found", finding=1, quotation="x"),
    "p": MatchVerdict(verdict="partly", finding=1, quotation="x"),
    "n": MatchVerdict(verdict="not_found", finding=None),
    "i": Invalid("it was empty"),
    "-": None,
}


def _item(id: str = "m1", min_recall: float = 0.8) -> MustFind:
    return MustFind(id=id, title=f"Title of {id}", issue="An issue", severity="Critical", min_recall=min_recall)


def _outputs(document: str = "d", **runs: str) -> list[Output]:
    """One output a run; for each item, a letter a run: found, partly, not found, invalid, not answered."""
    return [
        Output(
            document=document,
            reviewer="r",
            run=run,
            status="findings",
            matches={item: VERDICTS[letters[run]] for item, letters in runs.items()},
        )
        for run in range(len(next(iter(runs.values()))))
    ]


def _recall(outputs: list[Output], *items: MustFind) -> Recall:
    found = recall(outputs, {"d": items})
    assert isinstance(found, Recall)
    return found


def _only(letters: str, min_recall: float = 0.8) -> ItemRecall:
    (found,) = _recall(_outputs(m1=letters), _item(min_recall=min_recall)).items
    return found


def test_an_item_has_its_rate_wilson_bounds_and_where_it_was_found() -> None:
    found = _only("ffpnf")
    assert (found.detected, found.runs, found.rate, found.partly, found.found_at_all) == (3, 5, 0.6, 1, True)
    assert (found.low, found.high) == pytest.approx(proportion_confint(3, 5, method="wilson"))
    assert found.by_run == ["found", "found", "partly", "not_found", "found"]
    assert (found.title, found.severity, found.document) == ("Title of m1", "Critical", "d")


@pytest.mark.parametrize("missing", ["i", "-"])
def test_a_run_without_a_verdict_is_not_among_the_runs_of_the_item(missing: str) -> None:
    found = _only("ff" + missing + "f")
    assert (found.detected, found.runs, found.invalid, found.rate) == (3, 3, 1, 1.0)
    assert found.by_run[2] == "invalid"


def test_an_item_that_was_not_looked_for_in_a_run_has_no_verdict_there() -> None:
    found = _recall(_outputs(m1="fff"), _item("m1"), _item("m2")).items[1]
    assert (found.id, found.runs, found.invalid, found.rate, found.gate) == ("m2", 0, 3, None, "not_enforced")


@pytest.mark.parametrize(
    ("letters", "min_recall", "gate"),
    [
        ("ff", 0.8, "not_enforced"),
        ("fii", 0.8, "not_enforced"),
        ("fff", 0.8, "met"),
        ("ffn", 0.8, "inconclusive"),
        ("nnn", 0.8, "missed"),
        ("ffffn", 0.8, "met"),
        ("fffffffnnn", 0.7, "met"),  # 0.7 × 10 is more than 7 in floating point
        ("ppp", 0.8, "missed"),
        ("nnn", 0.0, "met"),
        ("ffn", 1.0, "missed"),
        ("nnn", 0.5, "inconclusive"),
    ],
)
def test_the_outcome_of_an_item_is_a_diagnosis_on_its_bounds(letters: str, min_recall: float, gate: str) -> None:
    assert _only(letters, min_recall).gate == gate


def test_runs_come_in_their_order_whatever_the_order_of_the_outputs() -> None:
    assert _recall(_outputs(m1="fnp")[::-1], _item()).items[0].by_run == ["found", "not_found", "partly"]


@pytest.mark.parametrize(("detected", "runs", "min_recall"), [(2, 3, 0.8), (0, 3, 0.5), (6, 10, 0.8), (7, 10, 0.8)])
def test_more_runs_at_the_observed_rate_bring_the_upper_bound_below_and_one_fewer_do_not(
    detected: int, runs: int, min_recall: float
) -> None:
    more = more_runs(detected, runs, min_recall)
    assert more is not None and more > 0

    def upper(n: int) -> float:
        return float(proportion_confint(detected / runs * n, n, method="wilson")[1])

    assert upper(runs + more) < min_recall <= upper(runs + more - 1)


def test_more_runs_are_given_for_inconclusive_items_only_and_not_beyond_two_hundred() -> None:
    assert _only("ffn").more_runs == more_runs(2, 3, 0.8)
    assert _only("fff").more_runs is None
    assert _only("nnn").more_runs is None
    assert more_runs(79, 100, 0.8) is None
    assert more_runs(4, 5, 0.8) is None


def test_the_list_has_the_exact_probability_of_so_few_detections() -> None:
    found = _recall(_outputs(m1="fnn", m2="fff", m3="nni"), _item("m1"), _item("m2", 0.5), _item("m3", 0.9))
    assert found.list.detected == 4
    assert found.list.expected == pytest.approx(3 * 0.8 + 3 * 0.5 + 2 * 0.9)
    oracle = sum(
        stats.binom.pmf(a, 3, 0.8) * stats.binom.pmf(b, 3, 0.5) * stats.binom.pmf(c, 2, 0.9)
        for a in range(4)
        for b in range(4)
        for c in range(3)
        if a + b + c <= 4
    )
    assert found.list.p == pytest.approx(oracle, abs=1e-12)


def test_items_are_missed_at_a_level_that_all_of_them_share() -> None:
    """P(0 of 3 ∣ .8) is .008: it counts as missed among 6 items, and no longer among 7."""
    for others, missed in ((5, ["d/m0"]), (6, [])):
        letters = {"m0": "nnn"} | {f"m{k}": "fff" for k in range(1, others + 1)}
        assert _recall(_outputs(**letters), *map(_item, letters)).list.missed == missed


def test_an_item_with_fewer_than_three_runs_is_never_missed_and_does_not_count_in_the_correction() -> None:
    letters = {"m0": "nnn"} | {f"m{k}": "nii" for k in range(1, 7)}
    assert _recall(_outputs(**letters), *map(_item, letters)).list.missed == ["d/m0"]


def test_coverage_mean_and_spread_between_runs_stand_beside_it() -> None:
    found = _recall(_outputs(m1="ffn", m2="fnn", m3="nnn", m4="iii"), *map(_item, ("m1", "m2", "m3", "m4"))).list
    assert found.coverage == pytest.approx(2 / 3)
    assert found.mean == pytest.approx((2 / 3 + 1 / 3 + 0) / 3)
    assert found.between_runs == pytest.approx(stdev([2 / 3, 1 / 3, 0]))


def test_one_run_has_no_spread() -> None:
    assert _recall(_outputs(m1="f"), _item()).list.between_runs is None


def test_documents_are_kept_apart_though_their_items_have_the_same_ids() -> None:
    outputs = _outputs("d", m1="fff") + _outputs("e", m1="nnn")
    found = recall(outputs, {"d": [_item()], "e": [_item()]})
    assert isinstance(found, Recall)
    assert [(item.document, item.detected) for item in found.items] == [("d", 3), ("e", 0)]
    assert found.list.between_runs == 0.0


def test_a_document_without_outputs_has_items_without_runs_and_no_probability() -> None:
    found = recall([], {"d": [_item()]})
    assert isinstance(found, Recall)
    assert (found.items[0].runs, found.items[0].rate, found.items[0].gate) == (0, None, "not_enforced")
    assert (found.list.p, found.list.coverage, found.list.mean, found.list.between_runs) == (None,) * 4
    assert found.list.expected == 0


@pytest.mark.parametrize("wanted", [{}, {"d": []}, {"d": [], "e": ()}])
def test_without_a_list_there_is_no_recall_and_a_reason(wanted: dict[str, list[MustFind]]) -> None:
    found = recall(_outputs(m1="fff"), wanted)
    assert isinstance(found, NoRecall)
    assert "must_find.jsonl" in found.reason


def test_a_reviewer_at_its_min_recall_fails_the_list_test_less_than_once_in_twenty() -> None:
    """Over all numbers of detections that can occur with 10 items and 3 runs."""
    size = 0.0
    for detected in range(31):
        letters = {
            f"m{k}": "f" * n + "n" * (3 - n) for k in range(10) if (n := max(0, min(3, detected - 3 * k))) >= 0
        }
        p = _recall(_outputs(**letters), *map(_item, letters)).list.p
        assert p is not None and math.isfinite(p)
        size += stats.binom.pmf(detected, 30, 0.8) * (p < 0.05)
    assert 0.01 < size < 0.05
