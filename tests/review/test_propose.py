"""Which findings of a run become candidates."""

from __future__ import annotations

from pathlib import Path

from fiducial.judge.genuine import GenuineLabel, GenuineVerdict
from fiducial.judge.verdict import Invalid
from fiducial.review.finding import Finding
from fiducial.review.output import Judged, Output
from fiducial.review.propose import Proposed, propose
from tests.review.folders import ITEM, make, only, write_lines

PERIODS = ("Two retention periods", "R-1 keeps a reading 30 days, R-3 keeps it a year.")
LOST = ("Late readings vanish", "R-2 drops late readings and nobody is told about it.")
QUOTED = "A reading is kept for 30 days."


def judged(
    said: tuple[str, str],
    verdict: GenuineLabel | None = "genuine",
    *,
    evidence: str = QUOTED,
    absent: str | None = None,
    confidence: float = 0.9,
) -> Judged:
    made = None
    if verdict is not None:
        made = GenuineVerdict(
            verdict=verdict, evidence=evidence, reason="r", category=None, confidence=confidence, absent=absent
        )
    finding = Finding(title=said[0], issue=said[1], severity="Critical")
    return Judged(number=1, finding=finding, verdict=made or Invalid("no"))


def output(run: int, *findings: Judged, reviewer: str = "x", document: str = "d") -> Output:
    return Output(document=document, reviewer=reviewer, run=run, status="findings", findings=findings)


def proposed(tmp_path: Path, *outputs: Output, min_runs: int | None = None) -> Proposed:
    return propose(outputs, only(make(tmp_path / "d")), min_runs=min_runs, source="run-1")


def test_what_is_genuine_in_two_runs_is_a_candidate_with_its_evidence(tmp_path: Path) -> None:
    found = proposed(
        tmp_path,
        output(0, judged(PERIODS, confidence=0.6), judged(LOST)),
        output(1, judged(("Retention periods differ", PERIODS[1]))),
        output(2),
    )
    (candidate,) = found.candidates
    assert (candidate.found_in, candidate.runs, candidate.source) == (2, 3, "run-1")
    assert candidate.title == "Retention periods differ"  # the verdict on it was the surest
    assert (candidate.evidence, candidate.reviewer, candidate.severity) == ((QUOTED,), "x", "Critical")
    assert (found.rare, found.known, found.unplaced) == (1, 0, 0)


def test_a_single_run_is_enough_where_there_is_no_other(tmp_path: Path) -> None:
    assert len(proposed(tmp_path, output(0, judged(PERIODS))).candidates) == 1
    assert proposed(tmp_path, output(0, judged(PERIODS)), min_runs=2).candidates == ()


def test_twice_in_one_run_is_one_run(tmp_path: Path) -> None:
    assert proposed(tmp_path, output(0, judged(PERIODS), judged(PERIODS)), output(1)).candidates == ()


def test_two_reviewers_that_find_it_once_each_are_not_two_runs_of_one(tmp_path: Path) -> None:
    outputs = [output(k, reviewer=r) for r in "xy" for k in (1, 2)]
    first = [output(0, judged(PERIODS), reviewer=r) for r in "xy"]
    assert proposed(tmp_path, *first, *outputs).candidates == ()
    (candidate,) = proposed(tmp_path, *first, *outputs, min_runs=1).candidates
    assert candidate.reviewer is None and (candidate.found_in, candidate.runs) == (1, 3)


def test_only_what_the_judge_called_genuine_counts(tmp_path: Path) -> None:
    for verdict in ("not_genuine", "borderline", None):
        outputs = [output(k, judged(PERIODS, verdict)) for k in (0, 1)]
        assert proposed(tmp_path, *outputs).candidates == ()


def test_what_is_missing_has_no_quotation_and_says_what(tmp_path: Path) -> None:
    one = judged(LOST, evidence="absent: a notice", absent="a notice")
    (candidate,) = proposed(tmp_path, output(0, one), output(1, one)).candidates
    assert (candidate.evidence, candidate.missing) == ((), "a notice")


def test_what_is_quoted_from_another_text_is_left_out(tmp_path: Path) -> None:
    one = judged(PERIODS, evidence="A reading is kept for ever.")
    found = proposed(tmp_path, output(0, one), output(1, one))
    assert found.candidates == () and found.unplaced == 1


def test_findings_on_other_documents_are_not_mixed_in(tmp_path: Path) -> None:
    found = proposed(tmp_path, output(0, judged(PERIODS), document="e"), output(0), output(1))
    assert found.candidates == () and found.rare == 0


def test_what_is_in_a_list_or_was_rejected_is_not_proposed_again(tmp_path: Path) -> None:
    outputs = [output(k, judged(PERIODS), judged(LOST)) for k in (0, 1)]
    folder = make(tmp_path / "d", must_find=[ITEM | {"title": PERIODS[0], "issue": PERIODS[1]}])
    rejected = {"id": "r", "title": LOST[0], "issue": LOST[1], "state": "rejected"}
    write_lines(folder / "candidates.jsonl", rejected)
    found = propose(outputs, only(folder))
    assert found.candidates == () and found.known == 2
    (folder / "candidates.jsonl").unlink()
    (candidate,) = propose(outputs, only(folder)).candidates
    assert candidate.title == LOST[0]
    write_lines(folder / "context_dependent_findings.jsonl", {k: v for k, v in rejected.items() if k != "state"})
    assert propose(outputs, only(folder)).candidates == ()


def test_the_same_finding_always_has_the_same_id(tmp_path: Path) -> None:
    first = proposed(tmp_path, output(0, judged(PERIODS))).candidates[0].id
    assert proposed(tmp_path, output(5, judged(PERIODS), reviewer="y")).candidates[0].id == first
