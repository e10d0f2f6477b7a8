"""The zero-shot test, and where it lets a candidate go."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import msgspec
import pytest

import fiducial
from fiducial.errors import UsageError
from fiducial.judge.calibration import Rate
from fiducial.model.reply import CallFailed
from fiducial.model.request import WireRequest
from fiducial.review.context import admit, issue_in
from fiducial.review.curate import Choice, Moved, confirm, find_candidate, reject
from fiducial.review.dataset import Document, candidates, context_dependent, load_dataset
from fiducial.review.records import Candidate, ContextDependent
from fiducial.review.zero_shot import outcome_of, zero_shot_judge
from fiducial.run.store import Store
from tests.review.folders import (
    FOUND,
    INVENTED,
    ITEM,
    JUDGE,
    NOT_FOUND,
    TEXT,
    InTurn,
    Zero,
    calibrated,
    make,
    only,
    read_lines,
    write_lines,
    zero_shot_run,
)

MUST, CONTEXT = Choice(target="must-find"), Choice(target="context", required_context="The retention act.")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = make(tmp_path / "d", must_find=[])
    write_lines(made / "candidates.jsonl", {k: v for k, v in ITEM.items() if k not in ("min_recall", "evidence")})
    return made


def queued(folder: Path) -> tuple[Document, Candidate]:
    return find_candidate(load_dataset(folder), "kept")


def moved(folder: Path, judge: Zero, choice: Choice, *, calibrations: Path | None = None) -> Moved:
    document, candidate = queued(folder)
    run = zero_shot_run(folder.parent / "zero.db", document, candidate, judge)
    where = calibrations or folder.parent / "none"
    return confirm(document, candidate, choice, run=run, judge=zero_shot_judge(JUDGE), calibrations=where)


@pytest.mark.parametrize("choice", [MUST, CONTEXT])
def test_what_one_call_of_three_finds_is_a_must_find_whatever_was_wanted(folder: Path, choice: Choice) -> None:
    judge = InTurn(NOT_FOUND, FOUND, NOT_FOUND)
    found = moved(folder, judge, choice, calibrations=calibrated(folder.parent / "cal"))
    assert (found.state, found.file, len(judge.seen)) == ("must_find", "must_find.jsonl", 3)
    (record,) = read_lines(folder / "must_find.jsonl")
    assert record["zero_shot"] | {"at": ""} == {
        "model": JUDGE,
        "prompt_hash": zero_shot_judge(JUDGE).prompt,
        "calls": 3,
        "found": True,
        "quotation": "A reading is kept for 30 days.",
        "calibration": "good",
        "at": "",
    }
    (item,) = only(folder).must_find or ()
    assert (item.id, item.min_recall, item.severity) == ("kept", 0.8, "Critical")
    assert item.evidence == ("A reading is kept for 30 days.",)
    assert candidates(folder)["kept"].state == "must_find" and context_dependent(folder) is None
    with pytest.raises(UsageError, match="no longer in the queue: it is must find"):
        queued(folder)


def test_not_found_by_a_model_that_nobody_has_calibrated_proves_nothing(folder: Path) -> None:
    found = moved(folder, Zero(NOT_FOUND), CONTEXT)
    assert (found.state, found.file) == ("unvalidated", None)
    assert '"not found" proves nothing' in found.why and JUDGE in found.why
    waiting = candidates(folder)["kept"]
    assert waiting.state == "unvalidated" and waiting.why == found.why
    assert waiting.zero_shot is not None and not waiting.zero_shot.found
    assert context_dependent(folder) is None and only(folder).must_find == ()


def test_not_found_three_times_by_a_calibrated_model_needs_context(folder: Path) -> None:
    found = moved(folder, Zero(NOT_FOUND), CONTEXT, calibrations=calibrated(folder.parent / "cal"))
    assert (found.state, found.file) == ("context_dependent", "context_dependent_findings.jsonl")
    (record,) = context_dependent(folder) or ()
    assert record.required_context == "The retention act." and record.review_after is not None
    assert record.zero_shot is not None
    assert (record.zero_shot.found, record.zero_shot.calls, record.zero_shot.calibration) == (False, 3, "good")
    assert only(folder).must_find == ()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"sensitivity_low": 0.59}, "may overlook too much"),
        ({"false_high": 0.31}, "may find too much that is not there"),
        ({"expires": "2020-01-01"}, "expired on 2020-01-01"),
        ({"sensitivity": Rate(withheld="no such case")}, "has no verdicts on one of the two kinds of cases"),
        ({"half": "dev"}, "proves nothing"),
        ({"task": "genuine"}, "proves nothing"),
        ({"prompt_hash": "another"}, "proves nothing"),
        ({"model": "py/other"}, "proves nothing"),
    ],
)
def test_a_calibration_that_falls_short_lets_nothing_through(
    folder: Path, changes: dict[str, Any], why: str
) -> None:
    found = moved(folder, Zero(NOT_FOUND), CONTEXT, calibrations=calibrated(folder.parent / "cal", **changes))
    assert found.state == "unvalidated" and why in found.why
    assert not (folder / "context_dependent_findings.jsonl").exists()


def test_a_must_find_that_a_calibrated_model_does_not_see_stays_in_the_queue(folder: Path) -> None:
    found = moved(folder, Zero(NOT_FOUND), MUST, calibrations=calibrated(folder.parent / "cal"))
    assert found.state == "unvalidated" and "it can be confirmed --as context" in found.why
    assert only(folder).must_find == () and context_dependent(folder) is None


def test_a_quotation_that_is_not_there_is_asked_for_once_more_and_then_is_no_verdict(folder: Path) -> None:
    judge = Zero(INVENTED, INVENTED)
    found = moved(folder, judge, CONTEXT, calibrations=calibrated(folder.parent / "cal"))
    assert len(judge.seen) == 6
    assert found.state == "unvalidated" and "only 0 of 3 calls" in found.why
    assert not (folder / "context_dependent_findings.jsonl").exists()


def test_a_second_asking_that_gives_a_verdict_counts(folder: Path) -> None:
    found = moved(folder, Zero("no idea", FOUND), MUST)
    assert found.state == "must_find" and found.zero_shot is not None and found.zero_shot.calls == 3


def test_two_verdicts_of_not_found_and_one_of_nothing_are_not_enough(folder: Path) -> None:
    class Moody(Zero):
        async def generate(self, request: WireRequest) -> str:
            said = await super().generate(request)
            return "Hm." if len(self.seen) == 2 or len(request.messages) > 1 else said

    found = moved(folder, Moody(NOT_FOUND), CONTEXT, calibrations=calibrated(folder.parent / "cal"))
    assert found.state == "unvalidated" and "only 2 of 3 calls" in found.why


def test_the_test_is_stored_and_continued(folder: Path) -> None:
    class Failing(Zero):
        async def generate(self, request: WireRequest) -> str:
            if self.seen:
                raise CallFailed("overloaded", "down")
            return await super().generate(request)

    document, candidate = queued(folder)
    issue, judge = issue_in(document, candidate), zero_shot_judge(JUDGE)
    run = zero_shot_run(folder.parent / "zero.db", document, candidate, Failing(NOT_FOUND))
    assert outcome_of(run, issue, judge).verdicts[1:] == (None, None)
    again = Zero(NOT_FOUND)
    zero_shot_run(run, document, candidate, again)
    assert len(again.seen) == 2 and outcome_of(run, issue, judge).conclusion == "not_found"
    more = Zero(FOUND)
    zero_shot_run(run, document, candidate, more)
    assert more.seen == []
    with Store(run) as store:
        assert store.meta("settings")["instrument"] == "zero_shot" and store.progressed().answered == 3


def test_the_judge_gets_the_document_and_the_issue_and_nothing_else(folder: Path) -> None:
    judge = Zero(NOT_FOUND)
    moved(folder, judge, CONTEXT)
    prompts = [request.messages[0].text for request in judge.seen]
    assert all(TEXT in p and ITEM["issue"] in p for p in prompts)
    assert not any(secret in p for p in prompts for secret in ("Critical", "retention act", "kept/", JUDGE))
    assert len(set(prompts)) == 3  # no provider can answer the three from one call


def test_a_verdict_on_another_text_is_no_verdict_on_this_one(folder: Path) -> None:
    document, candidate = queued(folder)
    run = zero_shot_run(folder.parent / "zero.db", document, candidate, Zero(FOUND))
    other = msgspec.structs.replace(document, text=TEXT + "More.\n")
    assert outcome_of(run, issue_in(other, candidate), zero_shot_judge(JUDGE)).verdicts == (None, None, None)
    reworded = msgspec.structs.replace(candidate, issue="Something else.")
    assert outcome_of(run, issue_in(document, reworded), zero_shot_judge(JUDGE)).conclusion == "open"


@pytest.mark.parametrize("answer", [FOUND, NOT_FOUND])
def test_the_writer_itself_refuses_what_the_test_does_not_allow(folder: Path, answer: str) -> None:
    document, candidate = queued(folder)
    run = zero_shot_run(folder.parent / "zero.db", document, candidate, Zero(answer))
    record = ContextDependent(id="kept", title=candidate.title, issue=candidate.issue, required_context="c")
    with pytest.raises(UsageError, match="not written to context_dependent_findings"):
        admit(document, record, run=run, judge=zero_shot_judge(JUDGE), calibrations=folder / "none")
    untested = msgspec.structs.replace(record, issue="Never asked about.")
    with pytest.raises(UsageError, match="only 0 of 3 calls"):
        admit(document, untested, run=run, judge=zero_shot_judge(JUDGE), calibrations=calibrated(folder / "cal"))
    assert not (folder / "context_dependent_findings.jsonl").exists()


WRITERS = {"append_rows", "write_whole", "write_bytes", "write_text", "rename", "open"}


def named_and_called(node: ast.FunctionDef) -> tuple[set[str], set[str]]:
    """What a function names, texts of its own included, and what it calls."""
    names, calls = set(), set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            names.add(inner.id)
        elif isinstance(inner, ast.Attribute):
            names.add(inner.attr)
        elif isinstance(inner, ast.Constant) and isinstance(inner.value, str) and "\n" not in inner.value:
            names |= {"CONTEXT"} if "context_dependent_findings" in inner.value else set()
        if isinstance(inner, ast.Call):
            calls.add(inner.func.attr if isinstance(inner.func, ast.Attribute) else getattr(inner.func, "id", ""))
    return names, calls


def test_nothing_but_the_guarded_writer_touches_the_context_dependent_findings() -> None:
    found: dict[str, str] = {}
    for path in sorted(Path(fiducial.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                names, calls = named_and_called(node)
                if "CONTEXT" in names and calls & WRITERS:
                    found[f"{path.stem}.{node.name}"] = ast.unparse(node)
    assert set(found) == {"context.admit", "context.withdraw"}
    guard = found["context.admit"]
    assert (
        guard.index("outcome_of(") < guard.index("refusal(") < guard.index("raise ") < guard.index("write_whole(")
    )
    assert "encode" not in found["context.withdraw"]  # it only takes lines out


def test_options_of_the_person_are_kept(folder: Path) -> None:
    moved(folder, Zero(FOUND), Choice(target="must-find", min_recall=0.5, reviewer="scope-guardian"))
    (item,) = only(folder).must_find or ()
    assert (item.min_recall, item.reviewer) == (0.5, "scope-guardian")


@pytest.mark.parametrize(("said", "owner"), [(None, "x"), ("all", None), ("y", "y")])
def test_a_candidate_of_one_reviewer_is_its_own_unless_told_otherwise(
    folder: Path, said: str | None, owner: str | None
) -> None:
    write_lines(folder / "candidates.jsonl", {"id": "kept", "title": "T", "issue": "I", "reviewer": "x"})
    moved(folder, Zero(FOUND), Choice(target="must-find", reviewer=said))
    assert [item.reviewer for item in only(folder).must_find or ()] == [owner]


def test_an_interrupted_move_is_finished_and_not_done_twice(folder: Path) -> None:
    document, _ = queued(folder)
    queue = (folder / "candidates.jsonl").read_bytes()
    moved(folder, Zero(FOUND), MUST)
    (folder / "candidates.jsonl").write_bytes(queue)
    moved(folder, Zero(FOUND), MUST)
    assert len(only(folder).must_find or ()) == 1 and candidates(folder)["kept"].state == "must_find"
    assert document.must_find == ()


def test_a_document_that_is_not_the_frozen_one_is_refused(folder: Path, tmp_path: Path) -> None:
    (folder / "document.md").write_text(TEXT + "More.\n")
    with pytest.raises(UsageError, match="changed since it was frozen"):
        moved(folder, Zero(FOUND), MUST)
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "document.md").write_text(TEXT)
    write_lines(bare / "candidates.jsonl", ITEM)
    with pytest.raises(UsageError, match=r"not frozen yet.*--freeze"):
        moved(bare, Zero(FOUND), MUST)


def test_context_has_to_be_named(folder: Path) -> None:
    with pytest.raises(UsageError, match="--as context needs --required-context"):
        moved(folder, Zero(NOT_FOUND), Choice(target="context", required_context=" "))


def test_a_rejected_candidate_says_why_and_is_out_of_the_queue(folder: Path) -> None:
    document, candidate = queued(folder)
    with pytest.raises(UsageError, match="--why"):
        reject(document, candidate, " ")
    assert reject(document, candidate, "R-3 is about another thing").state == "rejected"
    assert len(read_lines(folder / "candidates.jsonl")) == 2
    with pytest.raises(UsageError, match=r"it is rejected \(R-3 is about another thing\)"):
        queued(folder)


def test_an_unknown_candidate_is_answered_with_those_there_are(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"no candidate 'kep'; did you mean kept\? \(open: kept\)"):
        find_candidate(load_dataset(folder), "kep")


def test_what_comes_with_fiducial_is_not_written_to() -> None:
    (document,) = load_dataset(Path("tide-gauge")).documents
    with pytest.raises(UsageError, match="comes with Fiducial and stays as it is"):
        reject(document, Candidate(id="a", title="t", issue="i"), "no")
    with pytest.raises(UsageError, match="comes with Fiducial and stays as it is"):
        confirm(
            document, Candidate(id="a", title="t", issue="i"), MUST, run=Path("x"), judge=zero_shot_judge(JUDGE)
        )
    assert not (document.folder / ".lock").exists()
