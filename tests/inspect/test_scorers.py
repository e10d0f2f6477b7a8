from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")

from inspect_ai import Epochs, Task, score
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Score, mean
from inspect_ai.solver import generate

from fiducial.inspect import judge_required, must_find_recall, reverse_judge_precision, review
from tests.inspect.standins import judging, match, numbers, run, stand_in, verdict
from tests.review.folders import make
from tests.review.standins import DOCUMENT, as_output

OWNER = {"id": "owner", "title": "No owner", "issue": "Nobody answers complaints.", "min_recall": 0.9}
CHILDREN = {"id": "children", "title": "Children", "issue": "No fare for children."}
LABELS = {"No owner": "genuine", "Timetable": "borderline", "Ticket price": "not_genuine"}


def three_ways(about: str) -> str:
    return verdict(next(label for words, label in LABELS.items() if about.startswith(words)))


def finds_owner(about: str) -> str:
    return match("found", 1, "The office is not named") if about.startswith("No owner") else match("not_found")


JUDGE = judging(three_ways, finds_owner)
PRECISION, RECALL = "reverse_judge_precision", "must_find_recall"


def own_task(outputs: int = 1, **about: Any) -> Task:
    """A task of somebody's own that puts the scorers on it."""
    metadata = {"document": DOCUMENT, "must_find": [OWNER, CHILDREN], **about}
    samples = [Sample(id=f"doc-{k}", input=f"Review it ({k}).", metadata=metadata) for k in range(outputs)]
    return Task(
        dataset=samples,
        setup=judge_required(),
        solver=generate(),
        scorer=[reverse_judge_precision(), must_find_recall()],
    )


def scores(log: EvalLog, name: str) -> list[Score]:
    return [(sample.scores or {})[name] for sample in log.samples or ()]


def test_without_a_judge_nothing_is_called_and_the_error_says_how_to_name_one(tmp_path: Path) -> None:
    asked: list[GenerateConfig] = []
    log = run(own_task(), stand_in(lambda _: as_output(), seen=asked), tmp_path)
    assert log.status == "error" and log.error is not None
    assert "--model-role judge=" in log.error.message and "does not grade itself" in log.error.message
    assert asked == []


def test_three_kinds_of_verdict_are_pooled_over_documents_and_runs(tmp_path: Path) -> None:
    folder = make(tmp_path / "buses", DOCUMENT, must_find=[OWNER, CHILDREN])
    asked: list[GenerateConfig] = []
    judge = stand_in(JUDGE, "judge", asked)
    task = review(dataset=str(folder), reviewers="assumption-hunter", runs=3)
    log = run(task, stand_in(lambda _: as_output()), tmp_path, model_roles={"judge": judge})
    assert log.status == "success"
    found = numbers(log, PRECISION)
    assert (found["genuine"], found["borderline"], found["not_genuine"], found["invalid"]) == (3, 3, 3, 0)
    assert found["precision"] == 0.5 and 0 < found["precision_low"] < 0.5 < found["precision_high"] < 1
    assert found["clusters"] == 3  # a claim that every run repeats is one
    told = numbers(log, RECALL)
    assert (told["detected"], told["must_finds"], told["recall"]) == (3, 2, 0.5)
    assert told["buses/owner"] == 1.0 and told["buses/owner_low"] < 0.5 and told["buses/children"] == 0.0
    assert told["expected"] == pytest.approx(3 * 0.9 + 3 * 0.8)
    assert {config.temperature for config in asked} == {0.0} and len(asked) == 3 * (3 + 2)
    labels = [
        finding["verdict"] for finding in (scores(log, PRECISION)[0].metadata or {})["outputs"][0]["findings"]
    ]
    assert labels == ["genuine", "borderline", "not_genuine"]


@pytest.mark.parametrize("reducer", ["mean", "mode", "max"])
def test_no_reducer_of_inspects_changes_what_the_verdicts_come_to(tmp_path: Path, reducer: str) -> None:
    log = run(
        own_task(),
        stand_in(lambda _: as_output()),
        tmp_path,
        model_roles={"judge": stand_in(JUDGE, "judge")},
        epochs=Epochs(2, reducer),
    )
    found = numbers(log, PRECISION)
    assert (found["genuine"], found["borderline"], found["not_genuine"]) == (2, 2, 2) and found["outputs"] == 2


def test_pooled_keeps_every_verdict_for_metrics_of_ones_own(tmp_path: Path) -> None:
    texts = iter([as_output(), as_output(()), as_output()])
    plain = own_task()
    log = run(
        Task(dataset=plain.dataset, scorer=[reverse_judge_precision()], metrics=[mean()]),
        stand_in(lambda _: next(texts) or "There is nothing wrong with it."),
        tmp_path,
        model_roles={"judge": stand_in(JUDGE, "judge")},
        epochs=Epochs(3, "fiducial/pooled"),
        max_samples=1,
        max_connections=1,
    )
    assert numbers(log, PRECISION) == {"mean": 0.5}  # of six findings, not of 0.5, 0.0 and 0.5
    assert log.reductions is not None
    (reduction,) = log.reductions
    assert reduction.reducer == "fiducial/pooled"
    outputs = (reduction.samples[0].metadata or {})["outputs"]
    assert sorted(len(output["findings"]) for output in outputs) == [0, 3, 3]


@pytest.mark.parametrize(
    ("text", "status", "reason"),
    [
        ("No issues found.", "explicit_none", None),
        ("", "empty", "no_response"),
        ("I'm sorry, but I can't help with reviewing this.", "refused", "refusal"),
    ],
)
def test_an_output_without_findings_scores_zero_and_says_its_status(
    tmp_path: Path, text: str, status: str, reason: str | None
) -> None:
    asked: list[GenerateConfig] = []
    judge = stand_in(JUDGE, "judge", asked)
    log = run(own_task(), stand_in(lambda _: text), tmp_path, model_roles={"judge": judge})
    for name in (PRECISION, RECALL):
        (found,) = scores(log, name)
        assert (found.value, found.answer, found.reason) == (0.0, status, reason)
        assert status in str(found.explanation)
    assert asked == []
    assert numbers(log, PRECISION)["per_output_mean"] == 0.0 and numbers(log, RECALL)["recall"] == 0.0


def test_what_the_judge_does_not_decide_is_unscored_and_the_other_scorer_stands(tmp_path: Path) -> None:
    asked: list[GenerateConfig] = []
    judge = stand_in(judging(lambda _: "It looks genuine to me.", finds_owner), "judge", asked)
    log = run(own_task(), stand_in(lambda _: as_output()), tmp_path, model_roles={"judge": judge})
    (lost,) = scores(log, PRECISION)
    assert isinstance(lost.value, float) and math.isnan(lost.value) and lost.reason == "grader_failed"
    assert "none of 3 findings has a verdict" in str(lost.explanation)
    assert scores(log, RECALL)[0].value == 0.5
    assert len(asked) == 3 * 2 + 2  # each finding is asked about twice
    assert log.results is not None
    assert [(s.name, s.scored_samples, s.unscored_samples) for s in log.results.scores] == [
        (PRECISION, 0, 1),
        (RECALL, 1, 0),
    ]
    assert numbers(log, PRECISION) == {"outputs": 0.0}  # no NaN, and no 0 that means nothing


def test_findings_without_a_verdict_are_counted_and_left_out_of_the_share(tmp_path: Path) -> None:
    def sometimes(about: str) -> str:
        return three_ways(about) if not about.startswith("Ticket") else "Hm."

    judge = stand_in(judging(sometimes, finds_owner), "judge")
    log = run(own_task(), stand_in(lambda _: as_output()), tmp_path, model_roles={"judge": judge})
    (found,) = scores(log, PRECISION)
    assert found.value == 0.75 and "1 without a verdict, left out" in str(found.explanation)
    assert numbers(log, PRECISION)["invalid"] == 1


def test_a_judge_whose_calls_fail_is_a_failure_of_ours(tmp_path: Path) -> None:
    def breaks(messages: object) -> str:
        raise RuntimeError("the judge's server is gone")

    log = run(
        own_task(), stand_in(lambda _: as_output()), tmp_path, model_roles={"judge": stand_in(breaks, "judge")}
    )
    assert log.status == "success"
    for name in (PRECISION, RECALL):
        (found,) = scores(log, name)
        assert found.reason == "grader_failed" and "the judge's server is gone" in str(found.explanation)


@pytest.mark.parametrize(
    ("about", "complaint"),
    [
        ({"document": None}, "document"),
        ({"must_find": [{"title": ""}]}, "must_find 1"),
        ({"review_type": "x"}, "'x'"),
    ],
)
def test_a_sample_that_says_too_little_is_unscored_with_what_is_missing(
    tmp_path: Path, about: dict[str, Any], complaint: str
) -> None:
    judge = stand_in(JUDGE, "judge")
    log = run(own_task(**about), stand_in(lambda _: as_output()), tmp_path, model_roles={"judge": judge})
    (found,) = scores(log, RECALL)
    assert found.reason == "scoring_failed" and complaint in str(found.explanation)


def test_a_log_is_scored_afterwards_and_without_must_finds_there_is_no_recall(tmp_path: Path) -> None:
    task = own_task(must_find=[])
    task.scorer, task.setup = None, None
    log = run(task, stand_in(lambda _: as_output()), tmp_path)
    again = score(
        log,
        [reverse_judge_precision(), must_find_recall()],
        model="none",
        model_roles={"judge": stand_in(JUDGE, "judge")},
        display="none",
    )
    assert scores(again, PRECISION)[0].value == 0.5
    assert scores(again, RECALL)[0].reason == "no_must_find"


def test_several_judges_decide_by_majority(tmp_path: Path) -> None:
    benches = [
        stand_in(judging(lambda about, k=k: verdict("genuine" if k else "not_genuine"), finds_owner), f"judge-{k}")  # type: ignore[misc]
        for k in range(3)
    ]
    log = run(own_task(), stand_in(lambda _: as_output()), tmp_path, model_roles={"judge": benches})
    assert scores(log, PRECISION)[0].value == 1.0
    assert (scores(log, PRECISION)[0].metadata or {})["judges"] == [f"mockllm/judge-{k}" for k in range(3)]


def test_a_judge_that_is_the_evaluated_model_is_warned_about(tmp_path: Path) -> None:
    def both(messages: list[tuple[str, str]]) -> str:
        return JUDGE(messages) if "Task: " in messages[-1][1] else as_output()

    log = run(own_task(), stand_in(both), tmp_path, model_roles={"judge": stand_in(both)})
    (found,) = scores(log, PRECISION)
    assert found.value == 0.5 and "judge-is-subject" in json.dumps(found.metadata)
