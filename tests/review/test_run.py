"""A review run through the engine and the store, with stand-ins for reviewer and judge."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fiducial.errors import UsageError
from fiducial.review.result import NoRecall, Recall, ReviewResult
from fiducial.review.run import ReviewOptions, look, outputs_of, prepare_run
from fiducial.run.store import Store
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

CONTRADICTION = {
    "id": "M1",
    "title": "Last bus",
    "issue": "The last bus leaves before service ends.",
    "min_recall": 0.8,
}


def first(result: ReviewResult) -> Any:
    return result.reviewers[0]


def levels(result: ReviewResult) -> dict[str, str]:
    return {check.code: check.level for check in result.audit}


def no_nan(value: Any) -> bool:
    """Whether no number anywhere in the result is NaN or infinite."""
    if isinstance(value, dict):
        return all(map(no_nan, value.values()))
    if isinstance(value, list):
        return all(map(no_nan, value))
    return not isinstance(value, float) or math.isfinite(value)


def test_every_finding_is_judged_once_and_precision_pools_them(tmp_path: Path) -> None:
    def by_title(about: str, before: int) -> str:
        if about.startswith("Ticket"):
            return verdict("not_genuine", "A night ticket costs 4 euros.")
        return verdict("borderline" if about.startswith("No owner") else "genuine")

    judge = Judging(by_title)
    result = review(tmp_path / "r.db", make_dataset(tmp_path / "d"), Scripted(as_output()), judge)
    precision = first(result).precision
    assert (precision.genuine, precision.borderline, precision.not_genuine, precision.invalid) == (1, 1, 1, 0)
    assert precision.value == 0.5 == precision.per_output_mean
    assert precision.borderline_out == pytest.approx(1 / 2) and precision.borderline_in == pytest.approx(2 / 3)
    assert precision.by_category == {"not_there": 1}
    assert judge.asked("genuine") == 3 and judge.asked("match") == 0
    assert result.complete and no_nan(msgspec.to_builtins(result))


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", "empty"),
        ("I found no issues in this document.", "explicit_none"),
        ("I'm sorry, but I can't help with that.", "refused"),
    ],
)
def test_an_output_without_findings_scores_zero_with_its_status(tmp_path: Path, text: str, status: str) -> None:
    judge = Judging()
    result = review(tmp_path / "r.db", make_dataset(tmp_path / "d", [CONTRADICTION]), Scripted(text), judge)
    precision = first(result).precision
    assert first(result).outputs == {status: 1}
    assert precision.value is None and precision.low is None and precision.per_output_mean == 0.0
    assert precision.scored_zero == {status: 1}
    assert judge.seen == []  # nothing to ask
    assert first(result).recall.items[0].by_run == ["not_found"]
    assert result.complete and no_nan(msgspec.to_builtins(result))


def test_what_is_no_verdict_is_asked_once_more_and_then_invalid_and_spoils_one_finding(tmp_path: Path) -> None:
    def judged(about: str, before: int) -> str:
        if about.startswith("Timetable"):
            return (
                "**GENUINE**" if before == 0 else verdict(evidence="buses run until 05:00 and not a minute longer")
            )
        if about.startswith("Ticket"):
            return "GENUINELY hard to say, but NOT…" if before == 0 else verdict("not_genuine", "")
        return verdict()

    judge = Judging(judged)
    result = review(tmp_path / "r.db", make_dataset(tmp_path / "d"), Scripted(as_output()), judge)
    precision = first(result).precision
    assert (precision.genuine, precision.not_genuine, precision.invalid) == (1, 1, 1)
    assert precision.value == 0.5
    assert precision.invalid_bounds is not None
    assert precision.invalid_bounds.low == pytest.approx(1 / 3) and precision.invalid_bounds.high == pytest.approx(
        2 / 3
    )
    assert judge.asked("genuine") == 5  # two of three were asked twice
    assert result.complete and levels(result)["judge-invalid"] == "warn"


def test_a_judge_call_that_fails_spoils_one_finding_and_is_tried_again_by_the_same_command(tmp_path: Path) -> None:
    broken = True

    def sometimes(about: str, before: int) -> str:
        if broken and about.startswith("Ticket"):
            raise ValueError("out of order")
        return verdict()

    dataset, path = make_dataset(tmp_path / "d"), tmp_path / "r.db"
    judge = Judging(sometimes)
    result = review(path, dataset, Scripted(as_output()), judge)
    precision = first(result).precision
    assert not result.complete and result.waiting == 1
    assert (precision.genuine, precision.invalid, precision.value) == (2, 1, 1.0)
    broken, before = False, judge.asked("genuine")
    subject = Scripted(as_output())
    result = review(path, dataset, subject, judge)
    assert result.complete and first(result).precision.genuine == 3
    assert judge.asked("genuine") == before + 1 and subject.calls == 0


def test_must_finds_are_looked_for_in_the_numbered_list(tmp_path: Path) -> None:
    def looked(about: str, before: int) -> str:
        return (
            found(2, "yet the last bus leaves at 04:30") if about.startswith("Last bus") else none_found(about, 0)
        )

    judge = Judging(match=looked)
    other: dict[str, object] = {
        "id": "M2",
        "title": "Fares",
        "issue": "No fares for groups.",
        "reviewer": "somebody-else",
    }
    dataset = make_dataset(tmp_path / "d", [CONTRADICTION, other])
    result = review(tmp_path / "r.db", dataset, Scripted(as_output()), judge, runs=3)
    recall = first(result).recall
    assert isinstance(recall, Recall)
    (item,) = recall.items  # the other one belongs to another reviewer
    assert (item.id, item.detected, item.runs, item.gate) == ("M1", 3, 3, "met")
    assert judge.asked("match") == 3
    assert set(result.prompts) == {"genuine:design", "match"}


def test_both_scorers_stand_when_the_other_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = make_dataset(tmp_path / "d", [CONTRADICTION])

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("on purpose")

    review(tmp_path / "r.db", dataset, Scripted(as_output()), Judging(), runs=3)
    with monkeypatch.context() as patched:
        patched.setattr("fiducial.review.measure.recall", broken)
        result = look(tmp_path / "r.db")
    assert first(result).precision.value == 1.0
    assert isinstance(first(result).recall, NoRecall)
    assert "on purpose" in first(result).errors["must_find_recall"]
    with monkeypatch.context() as patched:
        patched.setattr("fiducial.review.measure.precision", broken)
        result = look(tmp_path / "r.db")
    assert first(result).precision.value is None
    assert first(result).recall.items[0].runs == 3
    assert levels(result)["scorer-failed"] == "fail"


def test_one_bad_output_of_many_changes_nothing_else(tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path / "d", [CONTRADICTION])
    good = review(tmp_path / "g.db", dataset, Scripted(as_output()), Judging(), runs=9)
    bad = review(tmp_path / "b.db", dataset, Scripted("{" * 50_000, *[as_output()] * 9), Judging(), runs=10)
    assert first(bad).outputs == {"findings": 9, "malformed": 1}
    kept = ("value", "low", "high", "n", "genuine")
    assert [getattr(first(bad).precision, k) for k in kept] == [getattr(first(good).precision, k) for k in kept]
    assert first(bad).precision.per_output_mean == pytest.approx(0.9)


def test_a_new_must_find_costs_only_its_own_questions(tmp_path: Path) -> None:
    dataset, path, judge = make_dataset(tmp_path / "d", [CONTRADICTION]), tmp_path / "r.db", Judging()
    review(path, dataset, Scripted(as_output()), judge)
    assert (judge.asked("genuine"), judge.asked("match")) == (3, 1)
    make_dataset(tmp_path / "d", [CONTRADICTION, {"id": "M2", "title": "Fares", "issue": "No fares for groups."}])
    subject = Scripted(as_output())
    result = review(path, dataset, subject, judge)
    assert subject.calls == 0 and (judge.asked("genuine"), judge.asked("match")) == (3, 2)
    assert [item.id for item in first(result).recall.items] == ["M1", "M2"]


def test_without_a_list_recall_is_withheld_and_never_perfect(tmp_path: Path) -> None:
    for name, items in (("none", None), ("empty", [])):
        result = review(
            tmp_path / f"{name}.db", make_dataset(tmp_path / name, items), Scripted(as_output()), Judging()
        )
        assert isinstance(first(result).recall, NoRecall)
        assert levels(result)["few-items"] == "warn"
        assert first(result).precision.value == 1.0


def test_repetitions_at_temperature_zero_are_refused(tmp_path: Path) -> None:
    from fiducial.model.request import Settings
    from fiducial.review.dataset import load_dataset

    dataset = load_dataset(make_dataset(tmp_path / "d"))
    options = ReviewOptions(model="py/x", runs=3, settings=Settings(temperature=0.0))
    with pytest.raises(UsageError, match="temperature 0"):
        prepare_run(dataset, [reviewer()], options, out=tmp_path / "r.db")
    assert not (tmp_path / "r.db").exists()


def test_near_duplicates_are_judged_once_and_counted(tmp_path: Path) -> None:
    twice = [*FINDINGS, (FINDINGS[1][0], FINDINGS[1][1])]
    judge = Judging()
    result = review(tmp_path / "r.db", make_dataset(tmp_path / "d"), Scripted(as_output(twice)), judge)
    assert judge.asked("genuine") == 3
    assert first(result).precision.duplicates == 1 and first(result).precision.n == 3


def test_the_judge_sees_neither_severity_nor_reviewer_and_the_whole_document_first(tmp_path: Path) -> None:
    document = "# Long\n\n" + "\n\n".join(
        f"Paragraph {k} says that valve {k} opens at {k} bar." for k in range(1, 1600)
    )
    dataset = make_dataset(tmp_path / "d", text=document)
    many = [(f"Valve {k} has no owner", f"Nobody is named for valve {k} in paragraph {k}.") for k in range(1, 31)]
    judge = Judging(lambda about, before: verdict(evidence="Paragraph 7 says that valve 7 opens at 7 bar."))
    result = review(
        tmp_path / "r.db", dataset, Scripted(as_output(many)), judge, reviewers=[reviewer("secret-name")]
    )
    assert first(result).precision.n == 30
    texts = [request.messages[0] for _, request in judge.seen]
    shared = min(message.prefix for message in texts)
    assert {message.text[:shared] for message in texts} == {texts[0].text[:shared]}
    assert document.strip() in texts[0].text[:shared]
    assert shared / max(len(message.text) for message in texts) >= 0.95
    assert not any("secret-name" in m.text or "Important" in m.text for m in texts)
    assert all(request.settings.temperature == 0 for _, request in judge.seen)


def test_long_judge_prompts_are_recorded_and_warned_of_and_sent_whole(tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path / "d", text="# Long\n\nComplaints are answered.\n\n" + "word " * 130_000)
    judge = Judging()
    result = review(tmp_path / "r.db", dataset, Scripted(as_output()), judge)
    assert levels(result)["judge-tokens"] == "warn"
    assert result.tokens["judge_prompts"]["over_150000"] == 3  # type: ignore[index]
    assert all(request.messages[0].text.count("word ") >= 130_000 - 1 for _, request in judge.seen)


def test_the_document_is_stored_once_and_not_once_a_call(tmp_path: Path) -> None:
    text = "# Long\n\nComplaints are answered.\n\n" + "".join(
        f"Line {k} is unlike the others.\n" for k in range(20_000)
    )
    dataset = make_dataset(tmp_path / "d", text=text)
    review(tmp_path / "r.db", dataset, Scripted(as_output()), Judging(), runs=4)
    with Store(tmp_path / "r.db") as store:
        stored = store.db.execute("SELECT total(length(data)) FROM part").fetchone()[0]
    assert stored < 3.5 * len(text)  # once for reviewers, once for the judge


def test_a_run_is_read_again_whatever_became_of_the_dataset(tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path / "d", [CONTRADICTION])
    result = review(tmp_path / "r.db", dataset, Scripted(as_output()), Judging(), runs=3)
    for file in dataset.iterdir():
        file.unlink()
    again = look(tmp_path / "r.db")
    assert msgspec.to_builtins(again) == msgspec.to_builtins(result)
    output = outputs_of(tmp_path / "r.db")[0]
    assert [judged.number for judged in output.findings] == [1, 2, 3]


def test_another_judge_is_another_judge_and_the_earlier_verdicts_stay(tmp_path: Path) -> None:
    dataset, path = make_dataset(tmp_path / "d"), tmp_path / "r.db"
    kind, harsh = Judging(), Judging(lambda about, before: verdict("not_genuine"))
    assert first(review(path, dataset, Scripted(as_output()), kind)).precision.value == 1.0
    assert first(review(path, dataset, Scripted(), harsh, judge_name="py/harsh")).precision.value == 0.0
    assert first(review(path, dataset, Scripted(), kind)).precision.value == 1.0
    assert kind.asked("genuine") == 3  # asked once; its verdicts were still there


def test_a_changed_document_is_an_audit_failure_with_the_evidence_that_is_gone(tmp_path: Path) -> None:
    item = {**CONTRADICTION, "evidence": ["The last bus leaves the station at 04:30."]}
    dataset = make_dataset(tmp_path / "d", [item])
    text = (dataset / "document.md").read_text(encoding="utf-8")
    (dataset / "document.md").write_text(text.replace("04:30", "05:00"), encoding="utf-8")
    result = review(tmp_path / "r.db", dataset, Scripted(as_output()), Judging())
    (check,) = [c for c in result.audit if c.code == "document-changed"]
    assert check.level == "fail" and "M1" in check.message


def test_without_a_judge_findings_are_unjudged_and_not_invalid(tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path / "d", [CONTRADICTION])
    result = review(tmp_path / "r.db", dataset, Scripted(as_output(), ""), None, runs=2)
    precision = first(result).precision
    assert (precision.value, precision.invalid, precision.unjudged) == (None, 0, 3)
    assert precision.per_output_mean is None and precision.scored_zero == {"empty": 1}
    assert isinstance(first(result).recall, NoRecall) and "judge" in first(result).recall.reason
    assert result.complete


def test_without_a_judge_outputs_without_findings_score_zero_and_nothing_is_said_of_others(tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path / "d", [CONTRADICTION])
    silent = first(review(tmp_path / "silent.db", dataset, Scripted(""), None, runs=2))
    assert silent.precision.per_output_mean == 0.0 and silent.precision.scored_zero == {"empty": 2}
    mixed = first(review(tmp_path / "mixed.db", dataset, Scripted("", as_output()), None, runs=2))
    assert mixed.precision.per_output_mean is None and mixed.precision.scored_zero == {"empty": 1}
    for one in (silent, mixed):
        assert isinstance(one.recall, NoRecall)
        assert one.documents[0].detected is None and one.documents[0].wanted is None
