"""How often a judge is asked."""

from __future__ import annotations

from pathlib import Path

from tests.review.standins import Judging, Scripted, as_output, make_dataset, review, verdict


def test_a_call_that_failed_is_not_repeated_as_a_second_asking_and_stays_open(tmp_path: Path) -> None:
    def hard(about: str, before: int) -> str:
        if about.startswith("Ticket"):
            raise ValueError("this model's context is too short")
        if about.startswith("Timetable") and not before:
            return "hard to say"
        return verdict()

    judge = Judging(hard)
    result = review(tmp_path / "r.db", make_dataset(tmp_path / "d"), Scripted(as_output()), judge)
    assert judge.asked("genuine") == 4  # three findings, and one of them once more
    assert not result.complete and result.waiting == 1
    assert result.reviewers[0].precision.genuine == 2
    assert {check.code: check.level for check in result.audit}["incomplete"] == "fail"

    again = review(tmp_path / "r.db", tmp_path / "d", Scripted(as_output()), judge)
    assert judge.asked("genuine") == 5  # by the next command, that one alone
    assert again.waiting == 1
