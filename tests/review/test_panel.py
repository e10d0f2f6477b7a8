"""Several judges on one review, through the engine and the store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from fiducial.errors import UsageError
from fiducial.judge.genuine import GenuineVerdict
from fiducial.judge.match import MatchVerdict
from fiducial.judge.verdict import Invalid
from fiducial.model.python import PythonModel
from fiducial.review.dataset import load_dataset
from fiducial.review.forecast import forecast
from fiducial.review.result import Panel, Recall, ReviewResult
from fiducial.review.run import JudgeModel, ReviewOptions, judge_run, look, outputs_of, prepare_run
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from fiducial.stats.estimate import Estimate
from tests.review.standins import (
    FINDINGS,
    Judging,
    Scripted,
    as_output,
    found,
    make_dataset,
    none_found,
    review,
    reviewer,
    verdict,
)

WANTED: dict[str, object] = {"id": "M1", "title": "Last bus", "issue": "It leaves early.", "min_recall": 0.8}
OWNER, TIMETABLE, TICKET = (title for title, _ in FINDINGS)
NEVER = "no verdict at all"  # what a judge says that fails


def saying(**words: str) -> Judging:
    """A judge that says this of the findings whose titles begin so; of others, that they are genuine."""

    def judged(about: str, before: int) -> str:
        word = next((word for start, word in words.items() if about.startswith(start)), "genuine")
        return NEVER if word == "failed" else verdict(word)

    return Judging(judged)


def finding(number: int) -> Callable[[str, int], str]:
    return lambda about, before: found(number, FINDINGS[number - 1][0])


def labels(path: Path) -> dict[str, str]:
    """What was decided, by the title of the finding."""
    (output,) = outputs_of(path)
    return {
        judged.finding.title: judged.verdict.verdict if isinstance(judged.verdict, GenuineVerdict) else "invalid"
        for judged in output.findings
    }


def panel(result: ReviewResult) -> Panel:
    assert result.panel is not None
    return result.panel


def messages(result: ReviewResult, code: str) -> list[tuple[str, str]]:
    return [(check.level, check.message) for check in result.audit if check.code == code]


def test_a_strict_majority_of_all_seats_decides_each_finding(tmp_path: Path) -> None:
    judges = {
        "py/a": saying(No="not_genuine", Timetable="genuine", Ticket="failed"),
        "py/b": saying(No="not_genuine", Timetable="not_genuine", Ticket="genuine"),
        "py/c": saying(No="genuine", Timetable="failed", Ticket="failed"),
    }
    path = tmp_path / "r.db"
    result = review(path, make_dataset(tmp_path / "d"), Scripted(as_output()), judges)
    assert labels(path) == {OWNER: "not_genuine", TIMETABLE: "borderline", TICKET: "invalid"}
    precision = result.reviewers[0].precision
    assert (precision.genuine, precision.borderline, precision.not_genuine, precision.invalid) == (0, 1, 1, 1)
    assert result.complete and result.waiting == 0
    assert [judge.asked("genuine") for judge in judges.values()] == [
        4,
        3,
        5,
    ]  # what is no verdict is asked for twice
    (output,) = outputs_of(path)
    votes = output.findings[0].votes
    assert list(votes) == ["py/a", "py/b", "py/c"]
    assert isinstance(output.findings[2].votes["py/a"], Invalid)
    kept = output.findings[0].verdict
    first = votes["py/a"]
    assert isinstance(kept, GenuineVerdict) and isinstance(first, GenuineVerdict) and kept.reason == first.reason


def test_the_result_says_what_each_seat_did_how_far_they_agree_and_where_not(tmp_path: Path) -> None:
    judges = {
        "py/b": saying(No="not_genuine", Timetable="genuine"),
        "py/a": saying(No="not_genuine", Timetable="not_genuine"),
        "py/c": saying(No="genuine", Timetable="failed"),
    }
    dataset = make_dataset(tmp_path / "d")
    seen = panel(review(tmp_path / "r.db", dataset, Scripted(as_output()), judges, runs=2))
    assert seen.name == "py/a + py/b + py/c"
    assert [seat.model for seat in seen.seats] == ["py/b", "py/a", "py/c"]  # as they sit
    first, second, third = seen.seats
    assert (first.asked, first.genuine, first.invalid, first.calls) == (6, {"not_genuine": 2, "genuine": 4}, 0, 6)
    assert (third.invalid, third.calls, third.genuine) == (2, 8, {"genuine": 4})
    assert (first.apart, second.apart, third.apart) == (2, 2, 2)  # what ended as borderline is nobody's verdict
    assert first.cost is None and first.waiting == 0
    found = seen.agreement["genuine"]
    assert set(seen.agreement) == {"genuine"}
    assert (found.questions, found.alike) == (6, 2)
    pairs = {(pair.first, pair.second): (pair.agreed, pair.questions) for pair in found.pairs}
    assert pairs == {("py/b", "py/a"): (4, 6), ("py/b", "py/c"): (2, 4), ("py/a", "py/c"): (2, 4)}
    assert isinstance(found.unanimous, Estimate) and found.unanimous.n == 3  # claims: both runs made the same ones
    told = [(one.title, one.runs, one.votes, one.verdict) for one in seen.disagreements]
    apart = {"py/b": "genuine", "py/a": "not_genuine", "py/c": "invalid"}
    outvoted = {"py/b": "not_genuine", "py/a": "not_genuine", "py/c": "genuine"}
    assert told == [(TIMETABLE, [0, 1], apart, "borderline"), (OWNER, [0, 1], outvoted, "not_genuine")]
    assert seen.divided == 4
    assert seen.left_off == 0


def test_a_must_find_is_found_by_majority_and_partly_is_a_vote_against(tmp_path: Path) -> None:
    partly = found(3, TICKET).replace('"found"', '"partly"')
    judges = {
        "py/a": Judging(match=lambda about, before: partly),
        "py/b": Judging(match=finding(2)),
        "py/c": Judging(match=finding(1)),
    }
    dataset, path = make_dataset(tmp_path / "d", [WANTED]), tmp_path / "r.db"
    result = review(path, dataset, Scripted(as_output()), judges)
    (output,) = outputs_of(path)
    kept = output.matches["M1"]
    assert isinstance(kept, MatchVerdict) and (kept.verdict, kept.finding, kept.quotation) == (
        "found",
        2,
        TIMETABLE,
    )
    assert list(output.match_votes["M1"]) == ["py/a", "py/b", "py/c"]
    (one,) = panel(result).disagreements
    assert (one.task, one.item, one.title) == ("match", "M1", "Last bus")
    assert one.votes == {"py/a": "partly", "py/b": "found", "py/c": "found"} and one.verdict == "found"
    judges["py/c"] = Judging(match=none_found)
    other = review(tmp_path / "o.db", dataset, Scripted(as_output()), judges)
    recall = other.reviewers[0].recall
    assert isinstance(recall, Recall)
    assert (recall.items[0].detected, recall.items[0].partly, recall.items[0].runs) == (0, 1, 1)
    assert panel(other).seats[0].match == {"partly": 1}


def test_two_seats_have_to_agree(tmp_path: Path) -> None:
    judges = {
        "py/a": saying(No="genuine", Timetable="genuine", Ticket="borderline"),
        "py/b": saying(No="genuine", Timetable="not_genuine", Ticket="genuine"),
    }
    path = tmp_path / "r.db"
    review(path, make_dataset(tmp_path / "d"), Scripted(as_output()), judges)
    assert labels(path) == {OWNER: "genuine", TIMETABLE: "borderline", TICKET: "invalid"}


def test_with_a_single_judge_nothing_is_said_of_panels(tmp_path: Path) -> None:
    dataset, path = make_dataset(tmp_path / "d", [WANTED]), tmp_path / "r.db"
    result = review(path, dataset, Scripted(as_output()), saying(Ticket="failed"))
    assert result.panel is None
    (output,) = outputs_of(path)
    assert output.match_votes == {} and not any(judged.votes for judged in output.findings)
    assert output.findings[2].verdict == Invalid("it was not one JSON object and nothing else")
    assert len(messages(result, "judge-invalid")) == 1
    assert "panel" not in str(msgspec.to_builtins(result.audit))
    assert review(tmp_path / "n.db", dataset, Scripted(as_output()), None).panel is None


def test_a_seat_more_costs_only_its_own_questions_and_a_repeated_command_none(tmp_path: Path) -> None:
    dataset, path = make_dataset(tmp_path / "d", [WANTED]), tmp_path / "r.db"
    judges = {"py/a": Judging()}
    review(path, dataset, Scripted(as_output()), judges)
    judges["py/b"] = Judging()
    judges["py/c"] = Judging()
    result = review(path, dataset, Scripted(), judges)
    again = review(path, dataset, Scripted(), judges)
    assert [len(judge.seen) for judge in judges.values()] == [4, 4, 4]
    assert msgspec.to_builtins(again) == msgspec.to_builtins(result) == msgspec.to_builtins(look(path))
    assert len(result.judges) == 6 and set(result.judges.values()) == set(judges)
    alone = review(path, dataset, Scripted(), judges["py/b"], judge_name="py/b")
    assert alone.panel is None and len(judges["py/b"].seen) == 4  # its verdicts were still there


def test_a_seat_that_stops_stops_those_after_it_and_the_same_command_continues(tmp_path: Path) -> None:
    dataset, path = make_dataset(tmp_path / "d"), tmp_path / "r.db"
    judges = {"py/a": Judging(), "py/b": Judging(), "py/c": Judging()}
    result = review(
        path, dataset, Scripted(as_output()), judges, budget=Budget(calls=6)
    )  # 1 output, 3 + 2 verdicts
    assert [len(judge.seen) for judge in judges.values()] == [3, 2, 0]
    assert not result.complete and result.waiting == 4
    assert [seat.waiting for seat in panel(result).seats] == [0, 1, 3]
    precision = result.reviewers[0].precision
    assert (precision.genuine, precision.invalid) == (
        2,
        1,
    )  # two of three seats are a majority whatever the third says
    (pair, *_) = panel(result).agreement["genuine"].pairs
    assert (pair.agreed, pair.questions) == (2, 2)
    done = review(path, dataset, Scripted(), judges)
    assert done.complete and [len(judge.seen) for judge in judges.values()] == [3, 3, 3]
    assert done.reviewers[0].precision.genuine == 3


def test_calls_of_a_seat_that_fail_leave_it_in_the_denominator(tmp_path: Path) -> None:
    def broken(about: str, before: int) -> str:
        raise ValueError("out of order")

    judges = {"py/a": saying(), "py/b": saying(No="not_genuine"), "py/c": Judging(broken)}
    path = tmp_path / "r.db"
    result = review(path, make_dataset(tmp_path / "d"), Scripted(as_output()), judges)
    assert labels(path) == {OWNER: "borderline", TIMETABLE: "genuine", TICKET: "genuine"}
    assert not result.complete and result.waiting == 3
    assert panel(result).seats[2].waiting == 3 and panel(result).seats[2].invalid == 0


def test_the_audit_counts_failures_a_seat_and_names_the_seat_that_is_the_subject(tmp_path: Path) -> None:
    judges = {
        "py/a": saying(No="failed", Timetable="failed"),
        "py/reviewer": saying(Timetable="failed"),
        "py/c": saying(),
    }
    result = review(tmp_path / "r.db", make_dataset(tmp_path / "d"), Scripted(as_output()), judges)
    whole, first, second, third = messages(result, "judge-invalid")
    assert whole[0] == "warn" and whole[1].startswith("1 of 3 questions got no verdict of the panel: no majority")
    assert first[0] == "fail" and first[1].startswith("2 of 3 questions got no verdict from py/a,")
    assert second[0] == "warn" and second[1].startswith("1 of 3 questions got no verdict from py/reviewer,")
    assert third[0] == "pass" and third[1].startswith("0 of 3 questions got no verdict from py/c,")
    ((level, said),) = messages(result, "judge-is-subject")
    assert level == "warn" and said.startswith("py/reviewer, on the panel: the judge is the subject itself")


def test_disagreements_are_bounded_and_the_rest_is_counted(tmp_path: Path) -> None:
    many = [(f"Valve {k} has no owner", f"Nobody is named for valve {k}.") for k in range(1, 64)]
    judges = {"py/a": saying(), "py/b": saying(Valve="not_genuine")}
    result = review(tmp_path / "r.db", make_dataset(tmp_path / "d"), Scripted(as_output(many)), judges)
    seen = panel(result)
    assert (seen.divided, len(seen.disagreements), seen.left_off) == (63, 50, 13)
    assert result.reviewers[0].precision.borderline == 63


def test_a_panel_on_many_documents_agrees_by_document(tmp_path: Path) -> None:
    for k in range(8):
        make_dataset(tmp_path / "d" / f"n{k}")
    result = review(tmp_path / "r.db", tmp_path / "d", Scripted(as_output()), {"py/a": saying(), "py/b": saying()})
    unanimous = panel(result).agreement["genuine"].unanimous
    assert isinstance(unanimous, Estimate) and unanimous.n == 8 and "document" in unanimous.method


def test_outputs_without_findings_are_put_to_no_seat(tmp_path: Path) -> None:
    judges = {"py/a": Judging(), "py/b": Judging()}
    result = review(tmp_path / "r.db", make_dataset(tmp_path / "d", [WANTED]), Scripted(""), judges)
    assert result.complete and panel(result).agreement == {} and panel(result).disagreements == []
    assert [seat.asked for seat in panel(result).seats] == [0, 0]
    recall = result.reviewers[0].recall
    assert isinstance(recall, Recall) and recall.items[0].by_run == ["not_found"]


def test_the_same_model_twice_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    dataset, path = make_dataset(tmp_path / "d"), tmp_path / "r.db"
    review(path, dataset, Scripted(as_output()), None)
    judge = Judging()
    twice = [
        JudgeModel(name="py/a", model=PythonModel("py/a", judge), limits=Limits(), progress=Silent())
        for _ in range(2)
    ]
    with pytest.raises(UsageError, match="py/a was given twice"):
        judge_run(path, twice)
    assert judge.seen == [] and look(path).judges == {}


def test_the_forecast_counts_every_seat(tmp_path: Path) -> None:
    dataset = load_dataset(make_dataset(tmp_path / "d", [WANTED]))
    options = ReviewOptions(model="sim/coin", runs=2)
    prepared = prepare_run(dataset, [reviewer()], options, out=tmp_path / "r.db")
    single = list(forecast(prepared, options, ["sim/one"]))
    assert single == [
        "judge sim/one: about 22 calls at 10 findings an output; all but the first on a document find it in the "
        "provider's cache, where there is one"
    ]
    told = list(forecast(prepared, options, ["sim/one", "openai/gpt-4o-mini", "sim/three"]))
    assert told[0].startswith(
        "3 judges: about 22 calls at 10 findings an output each, 66 in all; all but the first"
    )
    assert len(told) == 2 and told[1].startswith("judge openai/gpt-4o-mini: about ") and "USD" in told[1]
    assert list(forecast(prepared, options, [])) == []
