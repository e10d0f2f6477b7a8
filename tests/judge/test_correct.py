from __future__ import annotations

import random

import pytest

from fiducial.judge.correct import Verdict, correct
from fiducial.stats.estimate import Estimate, Withheld


def rows(group: str | None, n: int, share: float, *, labels: int, seed: int = 1, m1: float = 0.9) -> list[Verdict]:
    """Cases of a group, a share of them true; the judge says yes to true ones with probability m1, to others with .2."""
    draw = random.Random(f"{group} {seed}")
    made = []
    for k in range(n):
        truth = draw.random() < share
        said = draw.random() < (m1 if truth else 0.2)
        made.append(Verdict(verdict=float(said), label=int(truth) if k < labels else None, group=group))
    return made


def value(measured: object) -> Estimate:
    assert isinstance(measured, Estimate)
    return measured


def test_labels_on_the_rows_themselves_are_used_with_the_verdicts() -> None:
    found = correct(rows(None, 500, 0.6, labels=100))
    assert found.shift.basis == "own labels" and found.shift.own_labels == 100
    whole, alone = value(found.corrected), value(found.labels_only)
    assert whole.low <= 0.6 <= whole.high
    assert whole.high - whole.low < alone.high - alone.low
    assert value(found.raw).value == pytest.approx(sum(r.verdict for r in rows(None, 500, 0.6, labels=100)) / 500)
    assert value(found.sensitivity).value > 0.8 and value(found.specificity).value > 0.6


def test_without_labels_there_is_no_correction_and_the_raw_share_stands() -> None:
    found = correct(rows(None, 50, 0.6, labels=0))
    assert isinstance(found.corrected, Withheld) and "no row has a label" in found.corrected.withheld
    assert isinstance(found.raw, Estimate)


def test_labels_of_other_groups_predict_a_new_one_and_widen_the_interval() -> None:
    others = [row for k in range(4) for row in rows(f"g{k}", 200, 0.5, labels=75)]
    found = correct([*others, *rows("new", 300, 0.7, labels=0)], group="new")
    assert found.shift.basis == "labels of other groups"
    assert (found.shift.groups, found.shift.own_labels, found.shift.other_labels) == (4, 0, 300)
    assert found.shift.widening is not None and found.shift.widening > 1
    share = value(found.corrected)
    assert share.low <= 0.7 <= share.high
    assert isinstance(found.labels_only, Withheld)


def test_labels_of_one_other_group_give_a_range_that_is_called_one() -> None:
    found = correct([*rows("a", 200, 0.5, labels=100), *rows("b", 200, 0.6, labels=0)], group="b")
    assert found.shift.basis == "labels of one other group"
    assert value(found.corrected).method.startswith("range")
    assert "range" in found.shift.words


def test_enough_labels_of_its_own_make_those_of_other_groups_unnecessary() -> None:
    both = [*rows("a", 200, 0.5, labels=100), *rows("b", 200, 0.6, labels=40)]
    found = correct(both, group="b")
    assert found.shift.basis == "own labels" and found.shift.own_labels == 40
    assert "not needed" in found.shift.words
    few = correct([*rows("a", 200, 0.5, labels=100), *rows("b", 200, 0.6, labels=10)], group="b")
    assert few.shift.basis == "labels of one other group" and few.shift.own_labels == 10


def test_labels_on_some_groups_only_are_seen_to_be_no_sample_of_all_rows() -> None:
    spread = [row for k in range(4) for row in rows(f"g{k}", 100, 0.5, labels=40)]
    assert correct(spread).shift.basis == "own labels"
    lopsided = [row for k in range(4) for row in rows(f"g{k}", 100, 0.5, labels=80 if k < 2 else 0)]
    found = correct(lopsided)
    assert found.shift.basis == "labels of other groups"
    assert found.shift.uneven is not None and found.shift.uneven < 0.001
    assert "not spread" in found.shift.words


def test_labels_of_one_class_say_nothing_of_the_other() -> None:
    ones = [row for row in rows("a", 300, 0.5, labels=300) if row.label == 1]
    found = correct([*ones, *rows("b", 100, 0.5, labels=0)], group="b")
    assert isinstance(found.corrected, Withheld) and "all" in found.corrected.withheld
    assert isinstance(found.specificity, Withheld) and isinstance(found.sensitivity, Estimate)


def test_a_judge_that_tosses_a_coin_is_refused() -> None:
    draw = random.Random(5)
    coin = [Verdict(verdict=float(draw.random() < 0.5), label=k % 2, group="a") for k in range(200)]
    found = correct([*coin, *rows("b", 100, 0.5, labels=0)], group="b")
    assert isinstance(found.corrected, Withheld) and "chance" in found.corrected.withheld


def test_two_judges_that_disagree_wildly_on_the_same_findings_agree_once_corrected() -> None:
    """One finds 40 % of what is genuine and lets 4 % pass, the other finds all and lets 26 % pass."""
    draw = random.Random(11)
    truth = [draw.random() < 0.5 for _ in range(300)]

    def study(m1: float, m0: float) -> tuple[Estimate, Estimate]:
        labelled = [
            Verdict(verdict=float(draw.random() < (m1 if k % 2 else m0)), label=k % 2, group=f"g{k % 4 // 2}")
            for k in range(400)
        ]
        said = [Verdict(verdict=float(draw.random() < (m1 if t else m0)), group="these") for t in truth]
        found = correct([*labelled, *said], group="these")
        return value(found.raw), value(found.corrected)

    strict_raw, strict = study(0.40, 0.04)
    lax_raw, lax = study(1.00, 0.26)
    assert strict_raw.high < lax_raw.low  # as they stand, one contradicts the other
    assert max(strict.low, lax.low) <= min(strict.high, lax.high)
    for found in (strict, lax):
        assert found.low <= sum(truth) / 300 <= found.high


def test_a_group_without_rows_is_said_to_have_none() -> None:
    found = correct(rows("a", 20, 0.5, labels=10), group="z")
    assert isinstance(found.raw, Withheld) and isinstance(found.corrected, Withheld)
