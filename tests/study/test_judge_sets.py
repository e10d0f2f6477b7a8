"""Cases for a judge: that labels are what they are said to be, whatever the set is made of."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from fiducial.errors import UsageError
from fiducial.judge.case import Case, Task
from fiducial.model.sim import phrasing
from fiducial.review.dataset import load_dataset
from fiducial.review.plant.operators import stands
from fiducial.review.plant.sentences import folded
from fiducial.review.plant.variant import plant_many
from fiducial.review.plant.write import write_variants
from fiducial.study.judge_families import Family, families
from fiducial.study.judge_negatives import NEAR_MISS, near_misses, not_genuine, patterns
from fiducial.study.judge_planted import planted_cases
from fiducial.study.judge_sets import CaseSet, balanced, half_of, in_half, load_set

SHIPPED = "tide-gauge"


@lru_cache
def family() -> Family:
    (found,) = families(load_dataset(Path(SHIPPED)), seed=1, flaws=24)
    return found


@lru_cache
def planted(task: Task) -> tuple[Case, ...]:
    return tuple(planted_cases(task, [family()]))


@lru_cache
def drawn(task: Task, name: str = SHIPPED, half: Any = "all") -> CaseSet:
    return load_set(task, f"planted:{name}", half=half, limit=40)


def test_what_is_said_of_a_flaw_is_true_where_it_stands_and_nowhere_else() -> None:
    flaws = {f"{flaw.title}\n{flaw.issue}": flaw for variant in family().variants for flaw in variant.flaws}
    told = [(case, flaws[case.text]) for case in planted("genuine") if case.text in flaws]
    assert Counter(case.label for case, _ in told)[0] >= 20
    for case, flaw in told:
        assert stands(flaw, case.document) == bool(case.label)
        assert case.category == flaw.category
        assert all(quotation in case.document for quotation in flaw.evidence) or case.label == 0
    assert {case.group for case, _ in told} == {SHIPPED}


def test_no_flaw_counts_twice_under_a_label() -> None:
    for task in ("genuine", "zero_shot", "match"):
        own = [(case.label, case.text) for case in planted(task) if case.category != NEAR_MISS]
        assert len(set(own)) == len(own)


def test_a_flaw_is_not_denied_of_a_text_that_another_flaw_has_changed_at_its_place() -> None:
    original = family().original
    assert original is not None
    by_text = {f"{flaw.title}\n{flaw.issue}": flaw for variant in family().variants for flaw in variant.flaws}
    for case in planted("genuine"):
        if case.label == 0 and case.text in by_text:
            flaw = by_text[case.text]
            line = original.splitlines()[flaw.original_place.line - 1]
            assert line in case.document
            here = next((v.flaws for v in family().variants if v.text == case.document), ())
            near = [one for one in here if one.operator == flaw.operator]
            assert all(abs(one.original_place.line - flaw.original_place.line) > 1 for one in near)


def test_findings_that_are_not_genuine_have_every_reason_there_is() -> None:
    negatives = {case.category for case in planted("genuine") if case.label == 0}
    assert {*patterns(), NEAR_MISS, "contradiction", "missing"} <= negatives
    assert not {*patterns(), NEAR_MISS} & {case.category for case in planted("genuine") if case.label == 1}
    # about style one can see something in a document: only what needs other knowledge cannot be seen
    assert {case.category for case in planted("zero_shot")} & set(patterns()) == {"outside_context"}


def test_a_pattern_that_the_document_could_make_true_is_not_used() -> None:
    text = "# Plan\n\n## Team\n\nThe steering committee meets on Mondays.\n"
    titles = {finding.title for _, finding in not_genuine(text, key="1")}
    assert "Overruled by the steering committee" not in titles and "Forbidden by a company guideline" in titles
    assert all(
        "section “Team”" in (f.issue or "").replace("Section", "section") for _, f in not_genuine(text, key="")
    )
    bare = [finding.issue or "" for _, finding in not_genuine("no headings at all", key="1")]
    assert len(bare) == sum(map(len, patterns().values())) and all("{place}" not in issue for issue in bare)


def test_a_near_miss_is_about_the_place_of_a_flaw_and_wrong() -> None:
    for variant in family().variants[:2]:
        flat = " ".join(variant.text.replace("*", "").split())
        missed = list(near_misses(variant.text, variant.flaws))
        assert missed
        for finding in missed:
            said = (finding.issue or "").split("“")[1].split("”")[0]
            if "second place" in (finding.issue or ""):
                assert flat.count(said) <= 1
            else:
                assert said.endswith(".")


def test_a_must_find_is_in_the_list_by_its_number_or_not_at_all() -> None:
    cases = planted("match")
    flaws = {f"{flaw.title}\n{flaw.issue}": flaw for variant in family().variants for flaw in variant.flaws}
    assert {case.label for case in cases} == {0, 1}
    for case in cases:
        flaw = flaws[case.text]
        states = [flaw.issue == one or folded(flaw.evidence[0]) in one for one in case.findings]
        assert [k for k, found in enumerate(states, 1) if found] == ([case.finding] if case.label else [])
        assert case.text not in case.findings  # worded otherwise than the must-find
    assert len({case.findings for case in cases}) <= len(family().variants)  # one list a variant, as in a run


def test_flaws_that_are_planted_already_are_used_and_their_original_is_made_again(tmp_path: Path) -> None:
    (document,) = load_dataset(Path(SHIPPED)).documents
    write_variants(plant_many(document.text, seed=5, count=4, variants=3), tmp_path / "v", review_type="design")
    (found,) = families(load_dataset(tmp_path / "v"), seed=1, flaws=99)
    assert found.original == document.text
    assert [len(variant.flaws) for variant in found.variants] == [4, 4, 4] and found.id == "v"
    # a flaw that somebody has mended since is no longer there
    path = tmp_path / "v" / "variant-01" / "document.md"
    flaw = found.variants[0].flaws[0]
    path.write_text(path.read_text("utf-8").replace(flaw.evidence[0], "Mended."), "utf-8")
    (mended,) = families(load_dataset(tmp_path / "v"), seed=1, flaws=99)
    assert flaw.id not in {one.id for one in mended.variants[0].flaws}


def test_variants_of_two_documents_are_two_families(tmp_path: Path) -> None:
    for name in (SHIPPED, "clinic-booking"):
        (document,) = load_dataset(Path(name)).documents
        made = plant_many(document.text, seed=5, count=2, variants=2)
        write_variants(made, tmp_path / name, review_type=document.review_type)
        for k in (1, 2):
            (tmp_path / name / f"variant-0{k}").rename(tmp_path / f"{name}-{k}")
        (tmp_path / name).rmdir()
    found = families(load_dataset(tmp_path), seed=1, flaws=9)
    assert sorted(one.id for one in found) == ["clinic-booking-1", f"{SHIPPED}-1"]
    groups = {case.group for case in planted_cases("genuine", found)}
    assert groups == {"clinic-booking-1", f"{SHIPPED}-1"}


@pytest.mark.parametrize("task", ["genuine", "zero_shot", "match"])
def test_a_planted_set_is_balanced_distinct_and_the_same_every_time(task: Task) -> None:
    found = drawn(task)
    assert Counter(case.label for case in found.cases) == {1: 20, 0: 20}
    assert len({case.id for case in found.cases}) == 40
    assert found.basis == "planted"
    assert load_set(task, f"planted:{SHIPPED}", limit=40) == found
    assert load_set(task, f"planted:{SHIPPED}", limit=40, seed=2) != found


def test_several_datasets_are_named_with_commas() -> None:
    found = drawn("genuine", f"{SHIPPED},clinic-booking")
    assert {case.review_type for case in found.cases} == {"design", "requirements"}


def test_a_case_is_always_in_the_same_half_and_in_one_only() -> None:
    dev, holdout = drawn("genuine", half="dev"), drawn("genuine", half="holdout")
    assert all(half_of(case.id) == "dev" for case in dev.cases)
    assert not {case.id for case in dev.cases} & {case.id for case in holdout.cases}
    assert {half_of(case.id) for case in drawn("genuine").cases} == {"dev", "holdout"}
    shares = Counter(half_of(f"case {k}") for k in range(4000))
    assert 1900 < shares["dev"] < 2100
    cases = list(planted("genuine"))
    assert len(in_half(cases, "dev")) + len(in_half(cases, "holdout")) == len(in_half(cases, "all"))


def test_labels_are_halved_by_what_there_is_of_either() -> None:
    cases = [Case(id=str(k), task="genuine", document="d", text=f"t{k}", label=int(k < 3)) for k in range(30)]
    assert Counter(case.label for case in balanced(cases, 20, seed=1)) == {1: 3, 0: 3}
    assert balanced(cases[:3], 20, seed=1) == []


def test_replies_of_simulated_subjects_say_what_was_decided() -> None:
    found = drawn("read", "anchoring_effect,loss_aversion")
    assert Counter(case.label for case in found.cases) == {1: 20, 0: 20}
    assert {case.category for case in found.cases} == {"option", "numeric"}
    for case in found.cases:
        assert (case.answer is None) == (case.label == 0)
        if isinstance(case.answer, str):
            assert case.answer in case.options
        elif case.answer is not None:
            digits = phrasing.plain(case.answer)
            assert digits in case.text.replace(",", "") or "million" in case.text or "×" in case.text
        if case.label == 0:
            last = case.text.rpartition("\n\n")[2]
            assert case.group == "cut off" or last in (*phrasing.UNDECIDED, *phrasing.REFUSALS)
    assert {case.group for case in found.cases if case.label == 0} == {"cut off", "sim/refuser", "sim/rambler"}


@pytest.mark.parametrize(
    ("task", "text", "said"),
    [
        ("genuine", "plantet:tide-gauge", r"did you mean planted\?"),
        ("genuine", "tide-gauge", "no kind of set"),
        ("genuine", "planted:", "what follows the colon is missing"),
        ("genuine", "labels: ", "what follows the colon is missing"),
        ("genuine", "planted:tide-gage", r"did you mean tide-gauge\?"),
        ("read", "planted:anchoring_efect", "Nearest: anchoring_effect"),
        ("read", "planted:,", "name a tier"),
        ("genuine", "labels:nothing.jsonl", "there is no such file, and there is no run"),
        ("genuine", "labels:.", "a folder"),
    ],
)
def test_a_set_that_cannot_be_had_says_what_there_is(task: Task, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        load_set(task, text)


def test_a_document_in_which_nothing_can_be_planted_gives_no_set(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "document.md").write_text("Nothing to see here.\n", "utf-8")
    with pytest.raises(UsageError, match="no flaw can be planted there"):
        load_set("genuine", f"planted:{tmp_path / 'd'}")
