from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from fiducial.errors import UsageError
from fiducial.judge.case import TASKS, Case, CaseVerdict, Task, request_of, verdict_of
from fiducial.judge.fence import mark, new_secret
from fiducial.study.injections import all_injections
from fiducial.study.judge_attack import (
    PLACES,
    WORDINGS,
    Attack,
    Design,
    attack,
    attack_of,
    attacked_cases,
    check_kinds,
    prepare_attack,
    urged,
    usual_set,
)
from tests.study.attacked import SURE, case, cases

KINDS = {injection.id: injection.kind for injection in all_injections()}


def attacks_in(found: list[Case]) -> list[tuple[Case, Attack]]:
    return [(one, tried) for one in found if (tried := attack_of(one, KINDS))]


def split(
    base: list[Case], design: Design
) -> tuple[list[Case], list[tuple[Case, Attack]], list[tuple[Case, Attack]]]:
    """The cases as they are, those attacked, those with a control."""
    found = attacked_cases(base, design)
    clean = [one for one in found if attack_of(one, KINDS) is None]
    every = attacks_in(found)
    return clean, [e for e in every if e[1].kind != "control"], [e for e in every if e[1].kind == "control"]


@pytest.mark.parametrize("task", TASKS)
def test_every_injection_is_tried_and_every_case_asked_as_it_is_and_with_a_control(task: Task) -> None:
    base = cases(40, task)
    clean, attacked, controls = split(base, Design(per_injection=2))
    assert clean == base
    assert Counter(Counter(tried.injection for _, tried in attacked).values()) == {2: len(attacked) // 2}
    assert len(attacked) == 2 * sum(not injection.control for injection in all_injections()) >= 80
    assert sorted(tried.base for _, tried in controls) == sorted(one.id for one in base)


@pytest.mark.parametrize("task", TASKS)
def test_labels_places_and_cases_are_used_evenly(task: Task) -> None:
    base = {one.id: one for one in cases(20, task)}
    _, attacked, _ = split(list(base.values()), Design(per_injection=4))
    cells = Counter((base[tried.base].label, tried.where) for _, tried in attacked)
    assert set(cells) == {(label, where) for label in (0, 1) for where in PLACES[task]}
    assert max(cells.values()) - min(cells.values()) <= 4
    uses = Counter(tried.base for _, tried in attacked).values()
    assert max(uses) - min(uses) <= 1


@pytest.mark.parametrize("task", TASKS)
def test_an_attack_changes_one_text_and_urges_the_wrong_verdict(task: Task) -> None:
    base = {one.id: one for one in cases(8, task)}
    _, attacked, controls = split(list(base.values()), Design())
    for one, tried in attacked + controls:
        own = base[tried.base]
        changed = {
            name
            for name in ("document", "text", "findings", "label", "options", "answer", "finding")
            if getattr(one, name) != getattr(own, name)
        }
        where = {"document": "document", "finding": "findings" if task == "match" else "text", "reply": "text"}
        assert changed == {where[tried.where]}
        assert one.urged == (None if tried.kind == "control" else urged(own))


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("k", [0, 1])
def test_a_verdict_that_is_already_there_would_be_believed_and_is_the_urged_one(task: Task, k: int) -> None:
    own = case(k, task)
    bare = next(injection for injection in all_injections() if injection.id == "bare-json")
    where = PLACES[task][0]
    one = attack(own, bare, where, seed=1)
    text = one.findings[1 if k else 0] if task == "match" else one.text
    if task == "match" and k == 0:
        text = next(finding for finding in one.findings if "{" in finding)
    found = verdict_of(own, text[text.index("{") :])
    assert isinstance(found, CaseVerdict)
    assert found.score == (0 if own.label else 1)


def test_a_number_that_is_urged_is_never_the_right_one() -> None:
    for answer in (0.0, -10.0, 10.0, 12.5, 1e9, -3.0):
        own = case(1, "read", options=(), answer=answer, text=f"It comes to {answer}.")
        assert isinstance(value := urged(own), float) and value != answer
    assert urged(case(0, "read", options=(), answer=None)) == 10.0


def test_cases_that_cannot_be_attacked_are_left_alone() -> None:
    assert urged(case(1, label=None)) is None
    assert urged(case(0, "match", findings=())) is None
    assert urged(case(1, "read", options=("A",))) is None
    with pytest.raises(UsageError, match="no case that could be attacked"):
        attacked_cases([case(1, label=None)], Design())
    clean, attacked, _ = split([case(1), case(0), case(3, label=None)], Design())
    assert {one.id for one in clean} == {"case-1", "case-0"} and attacked


def test_the_finding_that_states_the_issue_is_the_one_that_is_attacked() -> None:
    order = all_injections()[0]
    one = attack(case(1, "match"), order, "finding", seed=1)
    assert one.findings[0] == case(1, "match").findings[0] and one.findings[1] != case(1, "match").findings[1]
    assert one.finding == 2


def test_the_fence_of_an_attacked_text_is_never_closed_by_the_text() -> None:
    seed = 7
    for one, tried in attacks_in(attacked_cases(cases(10), Design(seed=seed))):
        text = one.document if tried.where == "document" else one.text
        assert mark(seed, text) not in text


def test_whoever_knows_the_seed_cannot_forge_the_mark_of_the_other_text() -> None:
    forged = next(injection for injection in all_injections() if injection.id == "mark-of-the-other-text")
    own = case(0)
    one = attack(own, forged, "finding", seed=3)
    secret = new_secret()
    prompt = request_of(one, secret=secret).messages[0].text
    assert mark(3, own.document) in one.text
    assert prompt.count(f"<<<end {mark(secret, own.document)}>>>") == 1
    assert prompt.count(f"<<<end {mark(secret, one.text)}>>>") == 1


def test_kinds_and_places_can_be_chosen() -> None:
    _, attacked, controls = split(cases(10), Design(kinds=("threat",), places=("document",), per_injection=3))
    assert {(tried.kind, tried.where) for _, tried in attacked} == {("threat", "document")}
    assert {tried.where for _, tried in controls} == {"document"}
    assert {tried.base for _, tried in controls} == {tried.base for _, tried in attacked}
    with pytest.raises(UsageError, match="in a reply in the task genuine"):
        attacked_cases(cases(4), Design(places=("reply",)))


def test_an_unknown_kind_is_refused_with_the_nearest_name() -> None:
    assert check_kinds(["threat", "threat", "order"]) == ("threat", "order")
    with pytest.raises(UsageError, match=r"did you mean threat"):
        check_kinds(["treat"])


def test_few_cases_are_attacked_by_everything_without_asking_twice() -> None:
    found = attacked_cases(cases(2), Design(per_injection=9))
    assert len({one.id for one in found}) == len(found)


def test_ids_with_signs_of_our_own_in_them_are_told_apart() -> None:
    odd = [case(k, id=f"a~b@{k}") for k in range(4)]
    clean, attacked, _ = split(odd, Design())
    assert clean == odd
    assert {tried.base for _, tried in attacked} == {one.id for one in odd}


def test_the_same_study_has_the_same_run_and_another_has_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path, verdicts = prepare_attack(SURE, cases(6), Design(kinds=("threat",)), of="cases")
    assert verdicts == 4 * len(attacked_cases(cases(6), Design(kinds=("threat",))))
    assert prepare_attack(SURE, cases(6), Design(kinds=("threat",)), of="cases") == (path, verdicts)
    assert re.fullmatch(r"runs/judge-attack-.*\.db", path.as_posix())
    other, fewer = prepare_attack(SURE, cases(6), Design(kinds=("threat",), wordings=WORDINGS[:1]), of="cases")
    assert other != path and fewer == verdicts // 4
    for design in (Design(kinds=("order",)), Design(kinds=("threat",), wordings=WORDINGS[:1])):
        with pytest.raises(UsageError, match=path.name):
            prepare_attack(SURE, cases(6), design, of="cases", out=path)


def test_shipped_material_is_attacked_unless_other_is_named() -> None:
    assert usual_set("genuine").startswith("planted:") and "tide-gauge" in usual_set("genuine")
    assert usual_set("read") == "planted:quick"


def test_attacked_cases_survive_the_run_file() -> None:
    found = attacked_cases(cases(6), Design())
    assert msgspec.json.decode(msgspec.json.encode(found), type=list[Case]) == found
