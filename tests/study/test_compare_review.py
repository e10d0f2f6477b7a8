"""Two review runs held against each other, from outputs made by hand and by simulated reviewers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import pytest

from fiducial.errors import UsageError
from fiducial.report.compare_review import notes
from fiducial.review.output import Output
from fiducial.review.result import NoRecall
from fiducial.run.audit import Check
from fiducial.stats.estimate import Estimate, Withheld
from fiducial.study.compare_review import ReviewComparison, ReviewerComparison, compare_reviews
from fiducial.study.review_change import Change
from tests.study.reviewed import JUDGES, NAME, PROMPTS, output, result

WORDS = ["ledger", "cutover", "rollback", "quota", "tenant", "export", "audit", "retry", "schema", "backup"]


def compared(a: Sequence[Output], b: Sequence[Output], **b_changed: Any) -> ReviewComparison:
    return compare_reviews(result(a), result(b, "b", **b_changed), a, b)


def only(found: ReviewComparison) -> ReviewerComparison:
    assert len(found.reviewers) == 1
    return found.reviewers[0]


def recall_of(found: ReviewComparison) -> Change:
    recall = only(found).recall
    assert isinstance(recall, Change)
    return recall


def runs(n: int, found: Sequence[bool], findings: Sequence[str] = (), document: str = "d") -> list[Output]:
    """The same output n times."""
    wanted = {f"m{k}": seen for k, seen in enumerate(found)}
    return [output(document, run, findings, wanted) for run in range(n)]


def test_must_finds_that_vanish_are_lower_and_named() -> None:
    found = compared(runs(5, [True] * 8), runs(5, [False] * 7 + [True]))
    change = recall_of(found)
    assert (change.a, change.b, change.pairs) == (1.0, 0.125, 8)
    assert isinstance(change.difference, Estimate) and change.difference.value == -0.875
    assert change.p == pytest.approx(2 / 252) and change.verdict == "lower" and change.could_see == ""
    assert "for these documents only" in change.test and "for these documents only" in change.difference.method
    lost = [i for i in only(found).items if i.a and not i.b]
    assert {(i.title, i.a, i.a_runs, i.b, i.b_runs) for i in lost} == {
        (f"title of m{k}", 5, 5, 0, 5) for k in range(7)
    }
    assert found.lower() == [f"{NAME}: recall"]


def test_the_other_way_round_is_higher_by_as_much() -> None:
    a, b = runs(5, [True] * 8), runs(5, [False] * 7 + [True])
    one, other = recall_of(compared(a, b)), recall_of(compared(b, a))
    assert other.verdict == "higher" and other.p == one.p and compared(b, a).lower() == []
    assert isinstance(one.difference, Estimate) and isinstance(other.difference, Estimate)
    assert other.difference.value == -one.difference.value


def test_three_runs_on_one_document_cannot_be_tested_and_say_so() -> None:
    change = recall_of(compared(runs(3, [True] * 8), runs(3, [False] * 8)))
    assert change.p is None and change.adjusted is None and change.verdict == "withheld"
    assert "3 and 3 outputs on 1 document cannot give a p below .05" in change.could_see
    assert "8 must-finds in 1 document" in change.could_see and "6 documents, the fewest pairs" in change.could_see
    assert isinstance(change.difference, Estimate) and change.difference.value == -1.0


def test_one_run_each_gives_no_interval() -> None:
    change = recall_of(compared(runs(1, [True] * 8), runs(1, [False] * 8)))
    assert isinstance(change.difference, Withheld) and "one run" in change.difference.withheld


def test_six_documents_are_flipped_as_wholes() -> None:
    a = [o for k in range(6) for o in runs(1, [True] * 4, document=f"d{k}")]
    b = [o for k in range(6) for o in runs(1, [True] * 3 + [False], document=f"d{k}")]
    change = recall_of(compared(a, b))
    assert change.p == pytest.approx(2 / 64) and change.test == "sign flips of 6 documents"
    assert change.documents == 6 and change.pairs == 24


def test_another_number_of_runs_is_compared_by_rates() -> None:
    found = compared(runs(3, [True, False]), runs(5, [True, False]), settings={"runs": 5})
    assert recall_of(found).a == recall_of(found).b == 0.5
    assert "settings differ in runs: A 3; B 5; rates are compared, so this shifts nothing" in notes(found)


def test_an_undecided_match_is_in_no_rate() -> None:
    a = [output(run=k, found={"m": True, "n": None}) for k in range(3)]
    b = [output(run=k, found={"m": None if k else True, "n": True, "o": True}) for k in range(3)]
    found = compared(a, b)
    (item,) = only(found).items
    assert (item.id, item.b, item.b_runs) == ("m", 1, 1)
    assert only(found).items_only_in == {"a": [], "b": ["d: n", "d: o"]}
    assert any("decided only in B, not compared: d: n, d: o" in note for note in notes(found))


def test_a_must_find_with_another_title_is_named() -> None:
    a = runs(3, [True, True])
    named = result(a).reviewers[0]
    assert not isinstance(named.recall, NoRecall) and named.recall is not None
    items = [msgspec.structs.replace(named.recall.items[0], title="rewritten"), named.recall.items[1]]
    again = msgspec.structs.replace(named, recall=msgspec.structs.replace(named.recall, items=items))
    found = compared(a, a, reviewers=[again])
    assert only(found).items_retitled == ["d: m0"]
    assert any("with other words in B, compared by id all the same: d: m0" in note for note in notes(found))


def findings(signs: str, start: int = 0) -> list[str]:
    """A finding of its own content for each sign."""
    return [f"{sign} {WORDS[k % 10]} {WORDS[(k * 3 + 1) % 10]} R-{k}" for k, sign in enumerate(signs, start)]


def test_precision_is_pooled_and_never_stands_without_its_counts() -> None:
    a, b = runs(5, [], findings("++++")), runs(5, [], findings("+~--"))
    reviewer = only(compared(a, b))
    change = reviewer.precision
    assert (change.a, change.b, change.verdict) == (1.0, 0.375, "lower")
    assert isinstance(change.difference, Estimate) and change.difference.value == -0.625
    assert "content of the findings, for these documents only" in change.difference.method
    assert change.difference.low < -0.625 < change.difference.high
    assert (reviewer.a.findings, reviewer.a.genuine, reviewer.b.genuine, reviewer.b.outputs) == (20, 20, 5, 5)
    assert isinstance(reviewer.recall, NoRecall) and "no must-finds" in reviewer.recall.reason


def test_all_genuine_in_both_is_no_difference_with_an_interval_of_some_width() -> None:
    change = only(compared(runs(5, [], findings("++++")), runs(5, [], findings("++++")))).precision
    assert change.p == 1.0 and change.verdict == "no difference shown"
    assert change.half_width is not None and change.half_width > 0.1
    assert f"a difference below {change.half_width:.2f} could not have been seen" in change.could_see


def test_eight_documents_are_resampled_as_wholes() -> None:
    a = [o for k in range(8) for o in runs(2, [], findings("+++-"), f"d{k}")]
    b = [o for k in range(8) for o in runs(2, [], findings("+---" if k % 2 else "++--"), f"d{k}")]
    change = only(compared(a, b)).precision
    assert isinstance(change.difference, Estimate)
    assert (change.difference.method, change.difference.n) == ("bootstrap by document", 8)
    assert change.p == pytest.approx(2 / 256) and change.verdict == "lower"


def test_a_silent_reviewer_has_no_precision_and_is_not_called_perfect() -> None:
    reviewer = only(compared(runs(5, [], findings("+-")), runs(5, [])))
    assert reviewer.precision.b is None and reviewer.precision.verdict == "withheld"
    assert isinstance(reviewer.precision.difference, Withheld)
    assert (reviewer.b.findings, reviewer.b.without_findings) == (0, 5)


def test_findings_are_told_apart_by_content_and_by_who_called_them_genuine() -> None:
    a = [
        output(run=k, findings=["+ Rollback of the cutover is undefined", "+ Tenant quota contradicts R-9"])
        for k in (0, 1)
    ]
    b = [output(run=0, findings=["- Tenant quota contradicts R-9", "+ The rollback of the cutover is not defined"])]
    b.append(output(run=1, findings=["+ Audit export has no owner"]))
    by_title = {f.title: f for f in only(compared(a, b)).findings}
    assert {title: f.genuine_in for title, f in by_title.items()} == {
        "Rollback of the cutover is undefined": "both",
        "Tenant quota contradicts R-9": "a",
        "Audit export has no owner": "b",
    }
    quota = by_title["Tenant quota contradicts R-9"]
    assert (quota.a, quota.a_runs, quota.b, quota.b_not_genuine) == (2, 2, 0, 1)


def test_holm_is_over_precision_and_recall_of_all_reviewers() -> None:
    def side(worse: bool) -> list[Output]:
        return [
            msgspec.structs.replace(o, reviewer=name)
            for name in ("one", "two")
            for o in runs(5, [not worse] * 4, findings("+-" if worse else "++"))
        ]

    found = compared(side(False), side(True))
    assert found.tests == 4 and [r.name for r in found.reviewers] == ["one", "two"]
    assert [r.precision.adjusted for r in found.reviewers] == pytest.approx([4 * 2 / 252] * 2)
    assert found.lower() == ["one: precision", "one: recall", "two: precision", "two: recall"]


def test_reviewers_and_documents_of_one_run_only_are_listed() -> None:
    a = [*runs(3, [True]), *runs(3, [True], document="gone"), output(reviewer="old")]
    b = [*runs(3, [True]), *runs(3, [True], document="new"), output(reviewer="fresh")]
    found = compared(a, b)
    assert found.only_in == {"a": ["old"], "b": ["fresh"]}
    assert found.documents == ["d"] and found.documents_not_compared == {"changed": [], "a": ["gone"], "b": ["new"]}
    assert "documents only in A, not compared: gone" in notes(found)
    assert "reviewers only in B, not compared: fresh" in notes(found)


def test_a_document_that_changed_is_not_compared_and_one_that_was_renamed_is() -> None:
    a = [*runs(3, [True], document="kept"), *runs(3, [True], document="moved")]
    b = [*runs(3, [False], document="kept"), *runs(3, [True], document="elsewhere")]
    hashes = {"kept": "sha256:other", "elsewhere": "sha256:moved"}
    found = compared(a, b, settings={"document_hashes": hashes}, dataset="later")
    assert found.documents == ["moved"] and found.documents_not_compared["changed"] == ["kept"]
    assert [(i.document, i.title) for i in only(found).items] == [("moved", "title of m0")]
    assert any("changed between the runs" in note for note in notes(found))
    assert any("the datasets differ: A made; B later" in note for note in notes(found))


def test_no_common_document_is_refused() -> None:
    with pytest.raises(UsageError, match="no document in common: A \\(a\\) has x, B \\(b\\) has y"):
        compared(runs(3, [True], document="x"), runs(3, [True], document="y"))


def test_another_judge_is_refused_with_the_commands_that_mend_it() -> None:
    a = runs(3, [True])
    other = {role.replace("0", "9"): "openai/new judge" for role in JUDGES}
    with pytest.raises(UsageError) as refused:
        compare_reviews(result(a), result(a, "b", judges=other), a, a, names=("runs/a b.db", "b"))
    text = str(refused.value)
    assert refused.value.exit_code == 2
    assert "the judge is openai/judge in A (a) and openai/new judge in B (b)" in text
    assert "\n  fiducial review rejudge 'runs/a b.db' --judge 'openai/new judge'" in text
    assert "\n  fiducial review rejudge b --judge 'openai/new judge'" in text


def test_another_version_of_a_prompt_is_refused_and_both_are_named() -> None:
    a = runs(3, [True])
    with pytest.raises(UsageError, match="the prompt of match is 2222 in A and 3333 in B") as refused:
        compared(a, a, prompts={**PROMPTS, "match": "3333"}, judges={r[:-1] + "x": m for r, m in JUDGES.items()})
    assert "fiducial review rejudge a --judge openai/judge" in str(refused.value)


def test_a_task_that_one_run_did_not_need_is_no_other_judge() -> None:
    a, b = runs(3, [True], findings("++")), runs(3, [], findings("++"))
    judges = {role: model for role, model in JUDGES.items() if "match" not in role}
    found = compared(a, b, judges=judges, prompts={"genuine:design": "1111", "genuine:plan": "4"})
    assert isinstance(only(found).recall, NoRecall) and found.prompts == {"genuine:design": "1111"}
    with pytest.raises(UsageError, match="is openai/judge in A \\(a\\) and none in B"):
        compared(a, b, judges={}, prompts={})


def test_incomplete_runs_and_failed_checks_are_warned_about() -> None:
    a = runs(3, [True])
    audit = [Check(code="document-changed", level="fail", message="d is another")]
    said = notes(compared(a, a, complete=False, answered=4, waiting=2, audit=audit))
    assert any(note.startswith("B: no judge has answered 2 questions yet") for note in said)
    assert any(note.startswith("B is incomplete: 4 of 10 trials have a reply") for note in said)
    assert "B, audit fail document-changed: d is another" in said


def test_the_same_runs_again_say_so_and_another_prompt_is_named() -> None:
    a = runs(3, [True])
    assert any("the same reviewers on the same model" in note for note in notes(compared(a, a)))
    said = notes(compared(a, a, settings={"reviewer_hashes": {NAME: "other"}}, model="openai/n"))
    assert f"the reviewer's prompt is another in B: {NAME}" in said
    assert "model and prompt both differ: a difference may come from either" in said


class Simulated:
    """A reviewer whose outputs vary as wholes: a careless one misses many must-finds and pads with what is not genuine."""

    def __init__(self, rng: np.random.Generator, documents: int, items: int = 6) -> None:
        self.rng = rng
        self.easy = rng.normal(0.5, 1.2, (documents, items))
        self.genuine = rng.random((documents, 12)) < 0.6

    def run(self, n: int, *, shift: float = 0.0) -> list[Output]:
        outputs = []
        for d, easy in enumerate(self.easy):
            for run in range(n):
                care = self.rng.normal(0, 1) + shift
                seen = self.rng.random(len(easy)) < 1 / (1 + np.exp(-easy - care))
                often = 1 / (1 + np.exp(0.5 + np.where(self.genuine[d], -care, care)))
                written = np.flatnonzero(self.rng.random(12) < often)
                text = [
                    f"{'+' if self.genuine[d, k] else '-'} {WORDS[k % 10]} {WORDS[(k + 3) % 10]} R-{k}"
                    for k in written
                ]
                outputs.append(output(f"d{d}", run, text, {f"m{k}": bool(x) for k, x in enumerate(seen)}))
        return outputs


def called_different(seed: int, pairs: int, documents: int, n: int, *, shift: float = 0.0, more: int = 0) -> int:
    rng = np.random.default_rng(seed)
    called = 0
    for _ in range(pairs):
        reviewer = Simulated(rng, documents)
        found = only(compared(reviewer.run(n), reviewer.run(n + more, shift=shift)))
        called += any(
            isinstance(c, Change) and c.verdict in ("higher", "lower") for c in (found.precision, found.recall)
        )
    return called


@pytest.mark.parametrize(("documents", "n", "more"), [(3, 3, 0), (2, 3, 2), (9, 2, 0)])
def test_two_runs_of_one_reviewer_are_rarely_called_different(documents: int, n: int, more: int) -> None:
    assert called_different(5, 300, documents, n, more=more) <= 21  # 7 % of 300


def test_a_reviewer_that_got_worse_is_called_so() -> None:
    assert called_different(6, 60, 4, 5, shift=-1.5) >= 48
