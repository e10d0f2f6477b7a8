from __future__ import annotations

from datetime import date

import pytest

from fiducial.judge.applied import Applied, from_calibration, from_labels_of_the_run, group_name
from fiducial.judge.calibration import Calibration, Counts
from fiducial.stats.estimate import Estimate
from tests.judge import made

TODAY = date(2026, 5, 1)
FIGURE = Estimate(value=0.5, low=0.4, high=0.6, n=12, method="bootstrap")
MINE = group_name("openai/gpt-4o", "plain-reader")


def counts(n: int, m1: float, m0: float, *, group: str | None = None, category: str | None = None) -> list[Counts]:
    return [
        Counts(label=label, n=n, total=n * mean, squares=n * mean, group=group, category=category)
        for label, mean in ((1, m1), (0, m0))
    ]


def calibration(*sides: list[Counts], **changes: object) -> Calibration:
    return made.calibration(
        **{"expires": "2026-06-30", "counts": [c for side in sides for c in side], "name": "k", **changes}
    )


def apply(found: Calibration, group: str | None = MINE) -> Applied:
    return from_calibration(FIGURE, found, group=group, today=TODAY, cases=120)


def width(applied: Applied) -> float:
    assert applied.low is not None and applied.high is not None
    return applied.high - applied.low


def test_labels_of_the_same_writer_are_used_alone() -> None:
    found = apply(calibration(counts(100, 0.8, 0.2, group=MINE), counts(400, 0.99, 0.9, group="x")))
    assert found.value == pytest.approx(0.5, abs=0.01) and found.decides
    assert "same writer" in found.words and found.n == 200


def test_labels_of_several_other_writers_predict_this_one_and_widen_the_interval() -> None:
    same = apply(calibration(counts(300, 0.8, 0.2, group=MINE)))
    others = apply(calibration(*(counts(100, 0.8, 0.2, group=name) for name in "abc")))
    assert others.decides and width(others) > width(same)


def test_labels_of_one_other_writer_are_a_range_that_decides_nothing() -> None:
    found = apply(calibration(counts(300, 0.8, 0.2, group="x")))
    assert not found.decides and "range" in found.words


def test_planted_labels_are_a_range_over_categories_that_decides_nothing() -> None:
    alike = apply(calibration(*(counts(30, 0.8, 0.2, category=c) for c in "abc"), basis="planted"))
    unlike = apply(
        calibration(
            counts(30, 0.99, 0.02, category="a"),
            counts(30, 0.6, 0.3, category="b"),
            counts(30, 0.8, 0.2, category="c"),
            basis="planted",
        )
    )
    assert not alike.decides and alike.basis == "planted"
    assert "as on planted ones" in alike.words
    assert width(unlike) > width(alike)


def test_an_expired_calibration_corrects_nothing_and_says_since_when() -> None:
    found = apply(calibration(counts(100, 0.8, 0.2, group=MINE), expires="2026-04-30"))
    assert found.value is None and found.withheld is not None and "expired on 2026-04-30" in found.withheld


def test_an_exploratory_calibration_decides_nothing() -> None:
    found = apply(calibration(counts(30, 0.8, 0.2, group=MINE), exploratory=True))
    assert found.value is not None and not found.decides and "exploratory" in found.words


def test_a_calibration_that_is_no_better_than_chance_is_refused_in_words() -> None:
    found = apply(calibration(counts(50, 0.5, 0.5, group=MINE)))
    assert found.withheld is not None and "chance" in found.withheld


def test_a_judge_that_gave_no_verdict_on_trial_corrects_nothing() -> None:
    found = apply(calibration())
    assert found.withheld is not None and "no valid verdict on any case" in found.withheld


def test_labels_of_one_class_correct_nothing() -> None:
    found = apply(calibration([counts(50, 0.9, 0.1, group=MINE)[0]]))
    assert found.withheld is not None and "one class" in found.withheld


def test_labels_on_the_run_itself_need_to_be_thirty() -> None:
    verdicts = [1.0] * 60 + [0.0] * 40
    labelled = [(1.0, 1.0)] * 20 + [(0.0, 0.0)] * 9
    assert from_labels_of_the_run(FIGURE, verdicts, labelled) is None
    found = from_labels_of_the_run(FIGURE, verdicts, [*labelled, (1.0, 0.0)])
    assert found is not None and found.decides and found.n == 30
    assert found.value == pytest.approx(0.6 * 20 / 21)


def test_with_every_finding_labelled_other_findings_could_still_have_been_others() -> None:
    verdicts = [1.0] * 60 + [0.0] * 60
    labelled = [(verdict, float(k % 2)) for k, verdict in enumerate(verdicts)]
    found = from_labels_of_the_run(FIGURE, verdicts, labelled)
    assert found is not None and (found.value, found.low, found.high) == pytest.approx((0.5, 0.4, 0.6))
