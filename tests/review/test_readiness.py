from __future__ import annotations

import sqlite3
import sys
from datetime import date
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from fiducial.review.dataset import SHIPPED, load_dataset
from fiducial.review.plant.variant import plant_many
from fiducial.review.plant.write import write_variants
from fiducial.review.readiness import Readiness, State, earlier_results, readiness
from fiducial.review.records import Candidate, ContextDependent, ZeroShotRecord
from fiducial.review.result import NoRecall, ReviewResult
from fiducial.review.reviewer import find_reviewers, unknown_reviewer
from fiducial.run.plan import Plan
from fiducial.run.store import prepare
from tests.review.made_results import (
    HUNTER,
    dataset,
    document,
    item,
    looked_for,
    precision,
    recall,
    result,
    reviewed,
    wanted,
)

replace = msgspec.structs.replace


def states(found: Readiness) -> dict[str, State]:
    return {step.id: step.state for step in found.steps}


def context(
    zero_shot: ZeroShotRecord | None, *, after: str | None = "2031-01-01", reviewer: str | None = None
) -> object:
    return ContextDependent(
        id="c1",
        title="t",
        issue="i",
        required_context="the budget",
        zero_shot=zero_shot,
        review_after=after,
        reviewer=reviewer,
    )


def test_one_good_earlier_run_on_a_curated_dataset_makes_a_gate_enforceable() -> None:
    found = readiness(dataset(), HUNTER, [result()])
    assert found.enforceable
    assert found.to_refuse(strict=False) == []
    assert {s.state for s in found.steps if s.id != "judge"} == {"done"}
    assert found.next_command.endswith("--runs 3 --gate")
    assert all("run first" in found.step(name).seen for name in ("parse", "precision", "recall", "runs"))


def test_the_steps_are_the_chain_of_the_specification_with_the_judge_beside_it() -> None:
    found = readiness(dataset(), HUNTER, [])
    chain = ["frozen", "parse", "precision", "must_find", "context", "recall", "runs"]
    assert [s.id for s in found.steps] == [*chain, "judge", "gates"]
    assert [s.after for s in found.steps[:7]] == [(), *((name,) for name in chain[:-1])]
    assert found.step("gates").after == ("runs",)
    assert found.step("judge").after == ()


def test_without_a_run_the_first_step_that_needs_one_is_missing_and_what_rests_on_it_is_blocked() -> None:
    found = readiness(dataset(), HUNTER, [], model="openai/x", judge="openai/j")
    assert states(found) == {
        "frozen": "done",
        "parse": "missing",
        "precision": "blocked",
        "must_find": "done",
        "context": "done",
        "recall": "blocked",
        "runs": "blocked",
        "judge": "warning",
        "gates": "blocked",
    }
    run = "fiducial review run data --reviewer agents/hunter.md --model openai/x --judge openai/j"
    assert found.next_command == run
    assert [s.command for s in found.steps if s.state == "blocked"] == [None] * 4
    refused = found.to_refuse(strict=False)
    assert len(refused) == 4 and refused[0].endswith(f"Next: {run}")


def test_a_document_that_is_not_frozen_comes_first() -> None:
    loose = replace(document(), frozen_hash=None)
    found = readiness(dataset(loose), HUNTER, [result()])
    assert found.step("frozen").state == "missing" and not found.enforceable
    assert found.next_command == "fiducial review check data --freeze"
    assert found.step("recall").state == "done"  # what is there is there


def test_a_changed_document_is_named_and_voids_the_earlier_runs() -> None:
    before = document()
    now = replace(document(text="B."), frozen_hash=before.hash)
    found = readiness(dataset(now), HUNTER, [result(of=dataset(before))])
    assert "plan changed since" in (found.step("frozen").missing or "")
    assert found.step("parse").missing
    assert "documents (plan)" in found.uncounted["first"]


def test_another_prompt_of_the_reviewer_voids_the_earlier_runs() -> None:
    found = readiness(dataset(), replace(HUNTER, prompt="Find more."), [result()])
    assert found.uncounted == {"first": "another prompt of the reviewer"}
    assert found.step("parse").state == "missing"
    assert "first had another prompt of the reviewer" in found.step("parse").seen


@pytest.mark.parametrize("task", ["genuine:design", "match"])
def test_another_prompt_of_the_judge_voids_the_earlier_runs(task: str) -> None:
    today = result().prompts
    found = readiness(dataset(), HUNTER, [result(prompts={**today, task: "0" * 16})])
    assert found.uncounted == {"first": f"another prompt of the judge ({task})"}
    assert found.next_command == "fiducial review rejudge first --judge JUDGE"  # its outputs are paid for


def test_a_run_judged_as_another_type_of_review_does_not_count() -> None:
    other = dataset(replace(document(), review_type="plan"))
    assert readiness(other, HUNTER, [result()]).uncounted


def test_a_run_that_had_no_use_for_matching_counts_for_what_it_has() -> None:
    genuine = {k: v for k, v in result().prompts.items() if k != "match"}
    found = readiness(dataset(), HUNTER, [result(reviewed(recall=NoRecall("no list")), prompts=genuine)])
    assert (states(found)["precision"], states(found)["recall"]) == ("done", "missing")


def test_a_run_of_another_reviewer_is_neither_counted_nor_complained_of() -> None:
    found = readiness(dataset(), HUNTER, [result(reviewed(name="other", recall=recall()))])
    assert found.uncounted == {} and found.step("parse").state == "missing"


def test_any_one_earlier_run_suffices_for_a_step_whatever_the_newest_says() -> None:
    collapsed = reviewed(outputs={"empty": 3}, precision=precision(None), recall=recall(item("m1", 0)))
    found = readiness(dataset(), HUNTER, [result(), result(collapsed, run="later")])
    assert found.enforceable
    assert "run first" in found.step("precision").seen


def test_a_document_without_one_readable_output_is_named() -> None:
    both = dataset(document("a"), document("b", text="B."))
    bad = reviewed(documents=("a", "b"), outputs={"malformed": 2, "findings": 0})
    found = readiness(both, HUNTER, [result(bad, of=both)])
    assert found.step("parse").missing == "no output on a, b could be read"
    assert "0 of 4 outputs read (4 malformed)" in found.step("parse").seen


def test_some_unreadable_outputs_are_for_the_gate_to_judge_and_are_shown() -> None:
    found = readiness(dataset(), HUNTER, [result(reviewed(outputs={"findings": 2, "refused": 1}, recall=recall()))])
    assert found.enforceable
    assert "2 of 3 outputs read (1 refused)" in found.step("parse").seen


def test_findings_of_which_none_is_genuine_are_looked_at_and_not_run_again() -> None:
    found = readiness(dataset(), HUNTER, [result(reviewed(precision=precision(0.0), recall=recall()))])
    assert found.step("precision").state == "missing"
    assert found.next_command == "fiducial report first --open"


def test_a_run_that_no_judge_has_seen_is_judged_and_not_made_again() -> None:
    unmatched = recall(item("m1", 0, runs=0, gate="not_enforced"))
    unjudged = replace(result(reviewed(precision=precision(None), recall=unmatched)), judges={}, prompts={})
    found = readiness(dataset(), HUNTER, [unjudged], judge="openai/j")
    assert found.next_command == "fiducial review rejudge first --judge openai/j"
    assert found.step("recall").seen == "no run that counts was matched with any of it"


def test_a_run_in_another_folder_is_named_by_its_path() -> None:
    bad = result(reviewed(precision=precision(0.0), recall=recall()))
    found = readiness(dataset(), HUNTER, [bad], folder=Path("elsewhere"))
    assert found.next_command == "fiducial report elsewhere/first.db --open"


def test_a_scorer_that_failed_is_named() -> None:
    bad = reviewed(precision=precision(None), errors={"reverse_judge_precision": "no verdicts"}, recall=recall())
    assert readiness(dataset(), HUNTER, [result(bad)]).step("precision").missing == "the scorer failed: no verdicts"


@pytest.mark.parametrize("must_find", [None, ()])
def test_a_document_without_must_finds_is_not_curated(must_find: tuple[()] | None) -> None:
    found = readiness(dataset(document(must_find=must_find)), HUNTER, [result()])
    assert found.step("must_find").state == "missing"
    assert found.next_command == "fiducial review propose first --write"


def test_candidates_in_the_queue_are_confirmed_before_more_are_proposed() -> None:
    queue = [
        Candidate(id="q0", title="t", issue="i", state="rejected"),
        Candidate(id="q1", title="t", issue="i", state="proposed"),
    ]
    found = readiness(dataset(document(must_find=())), HUNTER, [result()], candidates=queue)
    assert found.next_command == "fiducial review confirm data q1 --as must-find --judge sim/judge"
    assert "1 candidate in the queue" in (found.step("must_find").missing or "")


def test_a_must_find_without_a_zero_shot_result_is_named() -> None:
    listed = document(must_find=(wanted("m1", zero_shot=looked_for()), wanted("m2")))
    found = readiness(dataset(listed), HUNTER, [result()])
    assert found.step("must_find").missing == "the zero-shot result of m2"
    assert found.step("must_find").seen == "2 must-finds, 1 with a zero-shot result"


def test_a_must_find_that_the_zero_shot_test_did_not_find_is_pointed_out() -> None:
    listed = document(must_find=(wanted("m1", zero_shot=looked_for(found=False)),))
    step = readiness(dataset(listed), HUNTER, [result()]).step("must_find")
    assert step.state == "done" and "m1 not found there" in step.seen


def test_must_finds_of_other_reviewers_do_not_make_a_list_for_this_one() -> None:
    others = document(must_find=(wanted("m1", zero_shot=looked_for(), reviewer="other"),))
    found = readiness(dataset(others), HUNTER, [result()])
    assert "belongs to the reviewer 'hunter'" in (found.step("must_find").missing or "")


@pytest.mark.parametrize(
    ("zero_shot", "after", "state"),
    [
        (None, "2031-01-01", "missing"),
        (looked_for(found=False), "2031-01-01", "missing"),  # by a model of which nothing is known
        (looked_for(found=True, calibration="c"), "2031-01-01", "missing"),  # it is visible: not context-dependent
        (looked_for(found=False, calibration="c"), "2031-01-01", "done"),
        (looked_for(found=False, calibration="c"), "2029-12-31", "warning"),
    ],
)
def test_a_context_dependent_record_is_validated_by_a_calibrated_zero_shot_test(
    zero_shot: ZeroShotRecord | None, after: str, state: State
) -> None:
    records = [context(zero_shot, after=after)]
    found = readiness(dataset(), HUNTER, [result()], context_records=records, today=date(2030, 1, 1))
    assert found.step("context").state == state
    assert found.enforceable == (state != "missing")  # an overdue test has been made, and stops nobody


def test_the_state_of_a_queued_record_is_believed_and_other_reviewers_records_are_theirs() -> None:
    class Queued(msgspec.Struct):
        id: str = "q"
        zero_shot: ZeroShotRecord | None = looked_for(found=False, calibration="c")
        review_after: str | None = "2031-01-01"
        state: str = "unvalidated"

    day = date(2030, 1, 1)
    assert readiness(dataset(), HUNTER, [result()], context_records=[Queued()], today=day).step("context").missing
    theirs = [context(None, reviewer="other")]
    assert readiness(dataset(), HUNTER, [result()], context_records=theirs).enforceable


def test_recall_of_zero_is_missing_and_shows_the_run() -> None:
    found = readiness(dataset(), HUNTER, [result(reviewed(recall=recall(item("m1", 0, gate="missed"))))])
    assert found.step("recall").state == "missing"
    assert found.step("recall").seen == "run first: 0 of 1 must-find found at least once"


@pytest.mark.parametrize("other", [item("m0"), item("m1", document="b"), item("m1", title="was something else")])
def test_what_was_found_of_another_list_is_no_recall_on_this_one(other: object) -> None:
    found = readiness(dataset(), HUNTER, [result(reviewed(recall=recall(other)))])  # type: ignore[arg-type]
    assert found.step("recall").missing == "a run that was matched with today's list"


def test_runs_are_counted_for_the_model_that_is_asked_for() -> None:
    earlier = [result()]
    assert readiness(dataset(), HUNTER, earlier, model="sim/subject").enforceable
    found = readiness(dataset(), HUNTER, earlier, model="sim/newer")
    assert [s.id for s in found.steps if s.state == "missing"] == ["runs"]
    assert "--model sim/newer" in found.next_command and found.next_command.endswith("--runs 3")
    assert readiness(dataset(), HUNTER, earlier).enforceable


def test_runs_of_two_files_are_not_added_up() -> None:
    two = reviewed(outputs={"findings": 2}, recall=recall())
    found = readiness(dataset(), HUNTER, [result(two), result(two, run="second")])
    assert found.step("runs").state == "missing" and found.step("runs").missing == "1 more"


def test_runs_at_temperature_zero_do_not_count() -> None:
    found = readiness(dataset(), HUNTER, [result(temperature=0.0)])
    assert found.step("runs").state == "missing"
    assert "temperature 0" in (found.step("runs").missing or "")
    assert readiness(dataset(), HUNTER, [result(temperature=None)]).enforceable


def test_runs_are_the_outputs_that_every_document_has() -> None:
    both = dataset(document("plan"), document("b", text="B."))
    uneven = reviewed(documents=("plan", "b"), recall=recall())
    uneven = replace(uneven, documents=[uneven.documents[0], replace(uneven.documents[1], outputs={"findings": 1})])
    found = readiness(both, HUNTER, [result(uneven, of=both)])
    assert found.step("runs").missing == "2 more"


def test_without_a_reviewer_the_dataset_says_what_it_can() -> None:
    found = readiness(dataset(), None, [result()])
    assert (found.reviewer, states(found)["must_find"], states(found)["parse"]) == (None, "done", "missing")
    assert "--reviewer REVIEWER --model MODEL --judge JUDGE" in found.next_command


def test_what_comes_with_fiducial_is_named_in_commands_and_not_by_its_place() -> None:
    shipped = replace(dataset(), folder=SHIPPED / "tide-gauge")
    (reviewer,) = find_reviewers(["edge-case-prober"])
    command = readiness(shipped, reviewer, []).next_command
    assert command.startswith("fiducial review run tide-gauge --reviewer edge-case-prober ")


def test_recorded_outputs_are_scored_again_and_no_model_is_asked() -> None:
    unknown = unknown_reviewer("theirs")
    recorded = result(reviewed(name="theirs", recall=recall()), reviewer=unknown, model="recorded/outputs")
    found = readiness(dataset(), unknown, [recorded])
    assert found.next_command == "fiducial review run data --reviewer theirs --outputs DIR --judge sim/judge --gate"


def test_names_with_blanks_are_quoted_in_commands() -> None:
    spaced = replace(dataset(), folder=Path("my data"))
    assert "'my data'" in readiness(spaced, HUNTER, []).next_command


def _store(path: Path, settings: dict[str, object]) -> None:
    prepare(path, Plan((), ()), {"settings": settings})


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Stands in for the reading of a run file: the result is named by the file."""
    seen: list[Path] = []

    def look(path: Path) -> ReviewResult:
        seen.append(path)
        if path.stem == "broken":
            raise sqlite3.DatabaseError("malformed")
        return result(run=path.stem)

    module = ModuleType("fiducial.review.run")
    module.look = look  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "fiducial.review.run", module)
    return seen


def test_earlier_results_are_the_review_runs_of_this_dataset_but_the_one_being_made(
    tmp_path: Path, looks: list[Path]
) -> None:
    for name, of in {"one": "data", "own": "data", "other": "else", "broken": "data"}.items():
        _store(tmp_path / f"{name}.db", {"instrument": "review", "dataset": of})
    _store(tmp_path / "bias.db", {"instrument": "bias", "dataset": "data"})
    _store(tmp_path / "odd.db", ["not", "a", "mapping"])  # type: ignore[arg-type]
    (tmp_path / "text.db").write_text("no database")
    notes: list[str] = []
    found = earlier_results(tmp_path, "data", but=tmp_path / "own.db", note=notes.append)
    assert [one.run for one in found] == ["one"]
    assert sorted(path.stem for path in looks) == ["broken", "one"]
    assert len(notes) == 3
    assert any("broken.db was passed over" in note for note in notes)
    assert any("text.db was passed over" in note for note in notes)


def test_the_newest_earlier_result_comes_last(tmp_path: Path, looks: list[Path]) -> None:
    import os

    for name, when in {"b": 300, "a": 200, "c": 100}.items():
        _store(tmp_path / f"{name}.db", {"instrument": "review", "dataset": "data"})
        os.utime(tmp_path / f"{name}.db", (when, when))
    assert [one.run for one in earlier_results(tmp_path, "data", but=None)] == ["c", "a", "b"]


def test_a_file_that_is_passed_over_is_never_passed_over_in_silence(tmp_path: Path, looks: list[Path]) -> None:
    (tmp_path / "text.db").write_text("no database")
    with pytest.warns(UserWarning, match="passed over"):
        assert earlier_results(tmp_path, "data", but=None) == []


def test_a_folder_that_is_not_there_holds_no_runs(tmp_path: Path, looks: list[Path]) -> None:
    assert earlier_results(tmp_path / "none", "data", but=None) == []


def test_planted_must_finds_need_no_zero_shot_test_while_their_flaws_are_in_the_document(tmp_path: Path) -> None:
    text = load_dataset(Path("tide-gauge")).documents[0].text
    write_variants(plant_many(text, seed=3, count=4, variants=1), tmp_path)
    seen = readiness(load_dataset(tmp_path), None, []).step("must_find")
    assert seen.missing is None and "4 planted and verified" in seen.seen
    document = tmp_path / "variant-01" / "document.md"
    document.write_text(text, encoding="utf-8")  # the original has none of them
    seen = readiness(load_dataset(tmp_path), None, []).step("must_find")
    assert seen.missing is not None and "zero-shot" in seen.missing
