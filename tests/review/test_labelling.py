"""Which cases a run has for people, in which order they come, and where their labels belong."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from scipy import stats

from fiducial.errors import UsageError
from fiducial.review.dataset import SHIPPED
from fiducial.review.judging import genuine_arm
from fiducial.review.labelling import (
    LabelCase,
    Progress,
    agreed,
    finished,
    in_order,
    is_blind,
    label_folders,
    of_reviewer,
    progress,
    refuse_shipped,
    run_cases,
    sample,
    standing,
)
from fiducial.review.labels import append_label
from fiducial.review.run import outputs_of
from fiducial.stats.estimate import Estimate
from tests.review.folders import read_lines, write_lines
from tests.review.standins import DOCUMENT, FINDINGS, Scripted, as_output, make_dataset, review, reviewer

TWICE = (*FINDINGS, ("Timetable contradicts itself", "Buses run until 05:00, but the last bus leaves at 04:30."))


def cases(n: int, document: str = "d") -> list[LabelCase]:
    return [
        LabelCase(id=f"{k:016x}", document_id=document, document="Text.", claim=f"Claim {k}", review_type="design")
        for k in range(n)
    ]


def ids(found: list[LabelCase]) -> list[str]:
    return [case.id for case in found]


def test_near_duplicates_of_one_output_are_one_case(tmp_path: Path) -> None:
    make_dataset(tmp_path / "d")
    review(tmp_path / "r.db", tmp_path / "d", Scripted(as_output(TWICE)), None)
    found = run_cases(tmp_path / "r.db")
    assert [case.claim.partition("\n")[0] for case in found] == [title for title, _ in FINDINGS]
    assert all(case.outputs == 1 and case.document == DOCUMENT for case in found)


def test_a_claim_that_stands_in_several_outputs_is_one_case(tmp_path: Path) -> None:
    make_dataset(tmp_path / "d")
    subject = Scripted(as_output(), as_output(FINDINGS[:1]))
    both = [reviewer("probe"), reviewer("other", "You look for owners.")]
    review(tmp_path / "r.db", tmp_path / "d", subject, None, runs=2, reviewers=both)
    found = {case.claim.partition("\n")[0]: case for case in run_cases(tmp_path / "r.db")}
    assert len(found) == len(FINDINGS)
    owner = found["No owner for complaints"]
    assert owner.outputs == 4 and set(owner.reviewers) == {"probe", "other"} and owner.model == "py/reviewer"


def test_a_case_has_the_id_under_which_a_judge_is_asked_about_it(tmp_path: Path) -> None:
    make_dataset(tmp_path / "d")
    review(tmp_path / "r.db", tmp_path / "d", Scripted(as_output()), None)
    (output,) = outputs_of(tmp_path / "r.db")
    assert ids(run_cases(tmp_path / "r.db")) == [genuine_arm(judged.finding) for judged in output.findings]


def test_neither_severity_nor_remedy_is_part_of_a_case(tmp_path: Path) -> None:
    make_dataset(tmp_path / "d")
    finding = {"title": "T", "issue": "I", "severity": "Critical", "suggestion": "Rewrite it."}
    other = finding | {"severity": "Minor", "suggestion": "Leave it.", "confidence": 0.2, "id": "7"}
    subject = Scripted(json.dumps(finding), json.dumps(other))
    review(tmp_path / "r.db", tmp_path / "d", subject, None, runs=2)
    (case,) = run_cases(tmp_path / "r.db")
    assert case.claim == "T\nI" and case.outputs == 2


def test_the_same_claim_about_two_documents_is_two_cases(tmp_path: Path) -> None:
    for name in ("a", "b"):
        make_dataset(tmp_path / "d" / name, text=f"{DOCUMENT}\n{name}\n")
    review(tmp_path / "r.db", tmp_path / "d", Scripted(as_output(FINDINGS[:1])), None)
    first, second = run_cases(tmp_path / "r.db")
    assert first.id == second.id and first.key != second.key
    folders = label_folders(tmp_path / "r.db")
    append_label(folders["a"], case=first.id, rater="ann", label=1)
    append_label(folders["b"], case=first.id, rater="ann", label=0)
    assert standing([first, second], folders) == {"ann": {("a", first.id): 1.0, ("b", first.id): 0.0}}


def test_a_run_without_findings_has_no_cases(tmp_path: Path) -> None:
    make_dataset(tmp_path / "d")
    review(tmp_path / "r.db", tmp_path / "d", Scripted('{"findings": []}', "", "I cannot help."), None, runs=3)
    assert run_cases(tmp_path / "r.db") == []


def test_every_rater_has_an_order_of_their_own_that_stays() -> None:
    made = cases(30)
    ann = in_order(made, "ann", 1)
    assert ids(in_order(made[::-1], "ann", 1)) == ids(ann) and sorted(ids(ann)) == sorted(ids(made))
    assert ids(in_order(made, "bob", 1)) != ids(ann) != ids(in_order(made, "ann", 2))


def test_a_case_that_is_added_moves_no_other() -> None:
    before, after = in_order(cases(20), "ann", 1), in_order(cases(25), "ann", 1)
    assert [case for case in after if case in before] == before


def test_every_case_is_as_likely_to_come_first() -> None:
    first = Counter(in_order(cases(5), f"rater{k}", 1)[0].id for k in range(2000))
    assert len(first) == 5 and stats.chisquare(list(first.values())).pvalue > 0.001


def test_a_sample_is_the_same_whoever_asks_and_changes_with_the_seed() -> None:
    made = cases(40)
    drawn = sample(made, 12, 1)
    assert len(drawn) == 12 and drawn == sample(made, 12, 1) != sample(made, 12, 2)
    assert set(ids(drawn)) < set(ids(sample(made, 20, 1))) and sample(made, 99, 1) == made


def test_cases_of_one_reviewer_can_be_chosen_and_a_wrong_name_gets_the_nearest() -> None:
    made = [
        LabelCase(id=str(k), document_id="d", document="T", claim="C", review_type="plan", reviewers=("probe",)[k:])
        for k in (0, 1)
    ]
    assert of_reviewer(made, "probe") == made[:1]
    with pytest.raises(UsageError, match="did you mean probe"):
        of_reviewer(made, "prob")


def test_a_dataset_that_has_moved_is_an_error_until_it_is_said_where_it_is(tmp_path: Path) -> None:
    make_dataset(tmp_path / "d")
    review(tmp_path / "r.db", tmp_path / "d", Scripted(as_output()), None)
    assert label_folders(tmp_path / "r.db") == {"d": tmp_path / "d"}
    (tmp_path / "d").rename(tmp_path / "renamed")
    with pytest.raises(UsageError, match="no longer there; say with --dataset DIR"):
        label_folders(tmp_path / "r.db")
    assert label_folders(tmp_path / "r.db", tmp_path / "renamed") == {"d": tmp_path / "renamed"}


def test_a_label_never_goes_to_another_text(tmp_path: Path) -> None:
    make_dataset(tmp_path / "d")
    review(tmp_path / "r.db", tmp_path / "d", Scripted(as_output()), None)
    (tmp_path / "d" / "document.md").write_text("# Day buses\n", encoding="utf-8")
    with pytest.raises(UsageError, match="not the text that the run reviewed"):
        label_folders(tmp_path / "r.db")
    make_dataset(tmp_path / "e", text="# Trams\n")
    with pytest.raises(UsageError, match="document 'd' is not in it"):
        label_folders(tmp_path / "r.db", tmp_path / "e")
    with pytest.raises(UsageError, match="no such folder"):
        label_folders(tmp_path / "r.db", tmp_path / "nowhere")


def test_among_served_folders_a_document_is_known_by_its_text(tmp_path: Path) -> None:
    for name in ("a", "b"):
        make_dataset(tmp_path / "d" / name, text=f"{DOCUMENT}\n{name}\n")
    review(tmp_path / "r.db", tmp_path / "d", Scripted(as_output()), None)
    own = [tmp_path / "d" / "a", tmp_path / "d" / "b"]
    other = make_dataset(tmp_path / "other", text="# Trams\n")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "metadata.json").write_text("{")
    copy = make_dataset(tmp_path / "copy" / "a", text=f"{DOCUMENT}\na\n")
    everything = [tmp_path / "broken", copy, other, *own]
    found = label_folders(tmp_path / "r.db", among=everything)
    assert found == dict(zip("ab", own, strict=True)), "the run's own dataset before a copy of it"
    (tmp_path / "d" / "b").rename(tmp_path / "renamed")
    moved = label_folders(tmp_path / "r.db", among=[copy, other, tmp_path / "renamed"])
    assert moved == {"a": copy, "b": tmp_path / "renamed"}


def test_a_document_that_is_not_among_the_served_folders_is_asked_for_in_words(tmp_path: Path) -> None:
    make_dataset(tmp_path / "d")
    review(tmp_path / "r.db", tmp_path / "d", Scripted(as_output()), None)
    with pytest.raises(UsageError, match=r"Move or copy the dataset .*d into it"):
        label_folders(tmp_path / "r.db", among=[make_dataset(tmp_path / "e", text="# Trams\n")])
    with pytest.raises(UsageError, match="not the text that the run reviewed"):
        label_folders(tmp_path / "r.db", among=[make_dataset(tmp_path / "x" / "d", text="# Trams\n")])
    review(tmp_path / "shipped.db", SHIPPED / "tide-gauge", Scripted(as_output()), None)
    with pytest.raises(UsageError, match="comes with Fiducial and stays as it is"):
        label_folders(tmp_path / "shipped.db", among=[])


def test_what_comes_with_fiducial_is_not_written_to(tmp_path: Path) -> None:
    refuse_shipped({"d": tmp_path})
    with pytest.raises(UsageError, match=r"fiducial review init .* --dataset DIR"):
        refuse_shipped({"tide-gauge": SHIPPED / "tide-gauge"})


def test_raters_are_counted_and_held_against_each_other(tmp_path: Path) -> None:
    made = cases(6)
    given = {"ann": (1, 1, 0, 0, 0.5, 1), "bob": (1, 0, 0, 0, 1)}
    for rater, labels in given.items():
        for case, label in zip(made, labels, strict=False):
            append_label(tmp_path, case=case.id, rater=rater, label=label)
    append_label(tmp_path, case="of-another-run", rater="bob", label=1)
    found = agreed("r", made, standing(made, {"d": tmp_path}))
    assert [(r.rater, r.labelled, r.genuine, r.between, r.not_genuine) for r in found.raters] == [
        ("ann", 6, 3, 1, 2),
        ("bob", 5, 2, 0, 3),
    ]
    (pair,) = found.pairs
    assert pair.raters == ("ann", "bob") and pair.n == 5
    assert isinstance(pair.agreement, Estimate) and pair.agreement.value == pytest.approx(3 / 5)
    # Observed 3/5; by chance 2/5 · 2/5 + 2/5 · 3/5 = 2/5.
    assert isinstance(pair.kappa, Estimate) and pair.kappa.value == pytest.approx((0.6 - 0.4) / 0.6)
    assert [(split.claim, split.labels) for split in found.disagreements] == [
        ("Claim 1", {"ann": 1.0, "bob": 0.0}),
        ("Claim 4", {"ann": 0.5, "bob": 1.0}),
    ]


def test_a_withdrawn_label_counts_for_nobody(tmp_path: Path) -> None:
    made = cases(2)
    append_label(tmp_path, case=made[0].id, rater="ann", label=1)
    append_label(tmp_path, case=made[0].id, rater="ann", label=None)
    assert standing(made, {"d": tmp_path}) == {}
    assert [line["label"] for line in read_lines(tmp_path / "labels" / "ann.jsonl")] == [1, None]


def test_a_damaged_line_is_named_with_its_file(tmp_path: Path) -> None:
    write_lines(
        tmp_path / "labels" / "ann.jsonl", {"case": "a", "rater": "ann", "label": 1, "at": "2026"}, '{"case"'
    )
    with pytest.raises(UsageError, match=r"ann\.jsonl, line 2: not JSON"):
        standing(cases(1), {"d": tmp_path})


def said(**raters: str) -> dict[str, dict[tuple[str, str], float]]:
    """The labels of raters on the first cases: `g` genuine, `n` not, `.` none."""
    value = {"g": 1.0, "n": 0.0}
    return {
        rater: {case.key: value[key] for case, key in zip(cases(len(keys)), keys, strict=True) if key in value}
        for rater, keys in raters.items()
    }


def test_labels_are_compared_only_once_two_raters_have_labelled_every_case() -> None:
    made = cases(4)
    assert finished(made, said(ann="gggg")) == {}
    assert finished(made, said(ann="gggg", bob="gng.")) == {}
    both = finished(made, said(ann="gggg", bob="gngn", eve="g..."))
    assert list(both) == ["ann", "bob"] and both["bob"][made[1].key] == 0.0
    assert finished([], said(ann="gggg", bob="gggg")) == {}


def test_raters_are_done_with_a_sample_when_they_have_labelled_what_is_in_it() -> None:
    made = cases(6)
    drawn = sample(made, 3, 1)
    inside = {case.key for case in drawn}
    keys = "".join("g" if case.key in inside else "." for case in made)
    more = said(ann=keys, bob="gggggg", eve="n" * 5 + ".")
    assert list(finished(made, more)) == [] and "ann" in finished(drawn, more)
    assert all(set(own) == inside for own in finished(drawn, more).values()), "what lies outside is not compared"


def test_progress_says_how_many_and_leaves_out_who_labelled_other_things() -> None:
    assert progress(cases(3), said(ann="gn.", bob="ggg", eve="...g")) == [
        Progress(rater="ann", labelled=2, total=3),
        Progress(rater="bob", labelled=3, total=3),
    ]
    assert [one.done for one in progress(cases(3), said(ann="gn.", bob="ggg"))] == [False, True]


def test_a_rater_is_blind_until_every_case_they_were_given_has_their_label() -> None:
    labels = said(ann="gn.", bob="ggg")
    assert is_blind("ann", cases(3), labels) and is_blind("nobody", cases(3), labels)
    assert not is_blind("ann", cases(2), labels) and not is_blind("bob", cases(3), labels)
