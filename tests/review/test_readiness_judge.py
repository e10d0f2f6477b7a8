"""A calibrated judge, as a step toward a gate."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.judge.asking import Judge
from fiducial.judge.calibration import Basis, Calibration, save
from fiducial.review.judging import genuine_judge, match_judge
from fiducial.review.readiness import readiness
from tests.judge import made
from tests.review.made_results import HUNTER, dataset, result


def calibration(judge: Judge, *, basis: Basis, expires: str) -> Calibration:
    return made.calibration(
        task=judge.task,
        model=judge.model,
        prompt_hash=judge.prompt,
        about=judge.about,
        basis=basis,
        expires=expires,
        name=judge.task,
    )


def test_only_a_strict_gate_needs_a_calibrated_judge() -> None:
    unknown = readiness(dataset(), HUNTER, [result()])
    assert unknown.enforceable and len(unknown.to_refuse(strict=True)) == 1
    assert "calibration" in unknown.to_refuse(strict=True)[0]


@pytest.mark.parametrize(
    ("basis", "expires", "state", "said"),
    [
        ("labels", "2099-01-01", "done", "is calibrated"),
        ("planted", "2099-01-01", "warning", "planted flaws alone"),
        ("labels", "2020-01-01", "warning", "expired"),
    ],
)
def test_a_judge_is_calibrated_by_labels_of_people_that_hold_today(
    basis: Basis, expires: str, state: str, said: str, tmp_path: Path
) -> None:
    for judge in (genuine_judge("openai/j", "design"), match_judge("openai/j")):
        save(
            calibration(judge, basis=basis if judge.task == "genuine" else "planted", expires=expires),
            folder=tmp_path,
        )
    found = readiness(dataset(), HUNTER, [result()], judge="openai/j", calibrations=tmp_path)
    step = found.step("judge")
    assert step.state == state and said in step.seen
    assert (found.to_refuse(strict=True) == []) == (state == "done")
    assert state == "done" or "fiducial judge calibrate --judge openai/j" in str(step.command)
