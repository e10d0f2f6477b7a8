"""Cases: what a judge is asked of each task, what is right of it, and what its verdict counts."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.judge.case import TASKS, Case, CaseVerdict, Task, expected, request_of, verdict_of, version
from fiducial.judge.verdict import Invalid
from fiducial.judge.wording import SHIPPED, Wording
from fiducial.model.request import CaseTruth

KEY = Wording(name="key", key=True)
ORDER = Wording(name="order", turned=True)
DOCUMENT = "# Storage\n\nR-1 A reading is kept for 30 days.\nR-2 Audit logs name the operator."
GENUINE = Case(id="g", task="genuine", document=DOCUMENT, text="R-2 names no period.", label=1, category="gap")
MATCH = Case(
    id="m",
    task="match",
    document=DOCUMENT,
    text="Audit logs have no period.",
    label=1,
    findings=("R-1 gives no reason.", "It is not said how long audit logs are kept.", "R-2 is passive."),
    finding=2,
)
ZERO_SHOT = Case(id="z", task="zero_shot", document=DOCUMENT, text="Audit logs have no period.", label=1)
LETTER = Case(
    id="r",
    task="read",
    document="Which one, A, B or C?",
    text="I settle on the second of them.",
    label=1,
    options=("A", "B", "C"),
    answer="B",
)
NUMBER = Case(id="n", task="read", document="How many?", text="About 30 of them, I say.", label=1, answer=30.0)
YES = (GENUINE, MATCH, ZERO_SHOT, LETTER, NUMBER)
each_case = pytest.mark.parametrize("case", YES, ids=lambda case: case.id)


def no(case: Case) -> Case:
    """The same material, of which a "no" is right."""
    return msgspec.structs.replace(case, label=0, finding=None, answer=None)


def unlabelled(case: Case) -> Case:
    return msgspec.structs.replace(case, label=None)


def reply(case: Case, value: object, *, wording: Wording = SHIPPED, confidence: float = 0.9) -> str:
    """A valid reply with this deciding value, made of the truth as a simulated judge would make it."""
    truth = request_of(msgspec.structs.replace(case, label=1), secret="1", wording=wording).truth
    assert isinstance(truth, CaseTruth)
    quotation = truth.quotation
    fields: dict[str, Any]
    match case.task:
        case "genuine":
            fields = {"evidence": quotation, "reason": "So.", "category": None, "verdict": value}
            fields["confidence"] = confidence
        case "match":
            found = value != "not_found"
            fields = {
                "finding": (truth.finding or 1) if found else None,
                "quotation": quotation if found else None,
                "verdict": value,
            }
        case "zero_shot":
            fields = {"quotation": quotation if value else None, "reason": "So.", "found": value}
        case "read":
            fields = {"quotation": None if value is None else quotation, "answer": value}
    return json.dumps(fields)


def scored(case: Case, value: object, wording: Wording = SHIPPED) -> CaseVerdict:
    found = verdict_of(case, reply(case, value, wording=wording), wording)
    assert isinstance(found, CaseVerdict), found
    return found


def truth_of(case: Case, wording: Wording = SHIPPED, **options: Any) -> CaseTruth:
    found = request_of(case, secret="1", wording=wording, **options).truth
    assert isinstance(found, CaseTruth)
    return found


@pytest.mark.parametrize(
    ("case", "right", "wrong"),
    [
        (GENUINE, "genuine", "not_genuine"),
        (MATCH, "found", "not_found"),
        (ZERO_SHOT, True, False),
        (LETTER, "B", "A"),
        (msgspec.structs.replace(LETTER, answer="A"), "A", "B"),
        (NUMBER, 30.0, None),
        (no(GENUINE), "not_genuine", "genuine"),
        (no(MATCH), "not_found", "found"),
        (no(ZERO_SHOT), False, True),
        (no(LETTER), None, "A"),
        (no(NUMBER), None, 1.0),
    ],
)
def test_right_and_wrong_of_every_task(case: Case, right: object, wrong: object) -> None:
    truth = truth_of(case)
    assert (truth.right, truth.wrong) == (right, wrong)
    assert type(truth.right) is type(right) and type(truth.wrong) is type(wrong)


@each_case
@pytest.mark.parametrize("label", [0, 1])
def test_the_right_verdict_scores_the_label_and_the_wrong_one_does_not(case: Case, label: int) -> None:
    own = case if label else no(case)
    truth = truth_of(own)
    assert scored(own, truth.right).score == label
    assert scored(own, truth.wrong).score == 1 - label
    assert scored(own, truth.right).said != scored(own, truth.wrong).said


def test_verdicts_in_between() -> None:
    borderline, partly = scored(GENUINE, "borderline"), scored(MATCH, "partly")
    assert (borderline.score, borderline.between, borderline.said) == (0.5, True, "borderline")
    assert (partly.score, partly.between, partly.said) == (0.0, True, "partly")
    assert not scored(GENUINE, "genuine").between and not scored(MATCH, "not_found").between


def test_only_the_genuine_task_states_a_confidence() -> None:
    found = verdict_of(GENUINE, reply(GENUINE, "genuine", confidence=0.35))
    assert isinstance(found, CaseVerdict) and found.confidence == 0.35
    assert all(scored(case, truth_of(case).right).confidence is None for case in YES[1:])


def test_another_answer_than_the_one_committed_to_is_wrong_even_if_it_is_an_answer() -> None:
    assert scored(LETTER, "C").score == 0 and scored(LETTER, None).score == 0
    assert scored(no(LETTER), "C").score == 1  # said to answer, and does not
    assert scored(NUMBER, 31).score == 0 and scored(NUMBER, 30).score == 1


@pytest.mark.parametrize("case", [LETTER, NUMBER], ids=["letter", "number"])
def test_without_a_label_any_answer_counts_as_one(case: Case) -> None:
    bare = unlabelled(case)
    assert scored(bare, "C" if case.options else 12.5).score == 1
    assert scored(bare, None).score == 0 and scored(bare, None).said == "null"


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (GENUINE, '"genuine"'),
        (no(GENUINE), '"not_genuine"'),
        (MATCH, '"found"'),
        (no(MATCH), '"not_found"'),
        (ZERO_SHOT, "true"),
        (no(ZERO_SHOT), "false"),
        (LETTER, '"B"'),
        (NUMBER, "30.0"),
        (no(LETTER), "null"),
    ],
)
def test_the_key_in_words_is_the_json_of_the_right_answer(case: Case, words: str) -> None:
    assert expected(case) == words == json.dumps(truth_of(case).right)
    assert request_of(case, secret="1", wording=KEY).messages[0].text.count(f"the right answer is: {words}.") == 1


@each_case
def test_the_truth_is_carried_only_where_there_is_a_label_and_never_on_the_wire(case: Case) -> None:
    assert request_of(unlabelled(case), secret="1").truth is None
    with_label, without = request_of(case, secret="1"), request_of(unlabelled(case), secret="1")
    assert with_label.wire() == without.wire()
    assert not hasattr(with_label.wire(), "truth")


@each_case
def test_nothing_that_is_known_of_a_case_reaches_the_judge(case: Case) -> None:
    said = [
        request_of(own, secret="1").wire()
        for own in (
            case,
            no(case),
            msgspec.structs.replace(case, category="secret", group="someone", urged="genuine"),
        )
    ]
    assert said[0] == said[1] == said[2]


@each_case
def test_the_truth_names_case_wording_and_repetition(case: Case) -> None:
    truth = truth_of(case, KEY, repetition=4)
    assert (truth.case, truth.task, truth.label) == (case.id, case.task, 1)
    assert (truth.wording, truth.repetition, truth.category) == ("key", 4, case.category)
    assert truth.shown == truth.right and truth_of(case).shown is None


def test_a_turned_list_renumbers_the_finding_in_the_truth_and_in_the_verdict() -> None:
    last = msgspec.structs.replace(MATCH, finding=3)
    assert [truth_of(c).finding for c in (MATCH, last, no(MATCH))] == [2, 3, None]
    assert [truth_of(c, ORDER).finding for c in (MATCH, last, no(MATCH))] == [2, 1, None]
    passive = json.dumps({"finding": 1, "quotation": "R-2 is passive", "verdict": "found"})
    assert isinstance(verdict_of(last, passive, ORDER), CaseVerdict)
    assert isinstance(verdict_of(last, passive), Invalid)  # the first of the list as it stands says something else
    assert scored(last, "found", ORDER).score == 1


@each_case
def test_the_quotation_of_the_truth_is_believed(case: Case) -> None:
    for wording in (SHIPPED, ORDER, KEY):
        assert scored(case, truth_of(case, wording).right, wording).score == 1


@pytest.mark.parametrize(
    "document",
    [
        "A list of … a … b … c … d … and more.\n\nThe gateway keeps readings for 30 days.",
        "Steps 1 ... 2 ... 3 ... 4 ... 5 ... 6\nThe gateway keeps readings for 30 days.",
        "---\n***\n| a | b |\nThe gateway keeps readings for 30 days.",
    ],
)
@pytest.mark.parametrize("task", ["genuine", "match", "zero_shot"])
def test_the_quotation_of_the_truth_is_one_that_can_be_believed_of_any_ordinary_document(
    task: Task, document: str
) -> None:
    case = msgspec.structs.replace({c.task: c for c in YES}[task], document=document)
    assert scored(case, truth_of(case).right).score == 1


def test_the_version_is_that_of_the_task_and_of_the_type_of_review() -> None:
    assert len({version(task) for task in TASKS}) == len(TASKS)
    assert version("genuine", "plan") != version("genuine", "design") == version("genuine")
    assert version("match", "plan") == version("match", "design")


def test_a_case_survives_json() -> None:
    for case in (*YES, *map(no, YES), *map(unlabelled, YES)):
        assert msgspec.json.decode(msgspec.json.encode(case), type=Case) == case


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(max_size=20),
    st.sampled_from(
        ["genuine", "not_genuine", "borderline", "found", "partly", "not_found", "A", "B", "absent: it"]
    ),
    st.sampled_from(["R-1 A reading is kept", "I settle on", "\ud800", "...", "a ... b", "10" * 3000]),
    st.lists(st.none(), max_size=2),
)
FIELDS = ("evidence", "reason", "category", "verdict", "confidence", "finding", "quotation", "found", "answer")
SHAPES = (
    FIELDS[:5],
    ("finding", "quotation", "verdict"),
    ("quotation", "reason", "found"),
    ("quotation", "answer"),
)


@st.composite
def replies(draw: st.DrawFn) -> str:
    """Anything at all, or an object of one of the shapes with anything in it, whole or cut off."""
    if draw(st.booleans()):
        return draw(st.text(max_size=200))
    shape = draw(st.sampled_from(SHAPES))
    text = json.dumps({name: draw(VALUES) for name in shape})
    return text[: draw(st.integers(0, len(text)))] if draw(st.booleans()) else text


@given(text=replies(), case=st.sampled_from([*YES, *map(no, YES), *map(unlabelled, YES)]))
def test_a_reply_never_raises_and_a_verdict_scores_between_0_and_1(text: str, case: Case) -> None:
    for wording in (SHIPPED, ORDER):
        found = verdict_of(case, text, wording)
        if isinstance(found, CaseVerdict):
            assert found.score in (0.0, 0.5, 1.0) and found.said
            assert found.confidence is None or 0 <= found.confidence <= 1
        else:
            assert found.reason
        request_of(case, secret="1", said=text, wording=wording)


@given(
    answer=st.integers(-(10**18), 10**18) | st.floats(allow_nan=False, allow_infinity=False),
    said=st.integers(-(10**400), 10**400) | st.floats(allow_nan=False),
)
def test_any_number_can_be_compared_with_any_other(answer: float, said: float) -> None:
    case = msgspec.structs.replace(NUMBER, answer=answer, text="About 30 of them.")
    found = verdict_of(case, json.dumps({"quotation": "About 30", "answer": said}))
    assert isinstance(found, CaseVerdict | Invalid)
    if said == answer:
        assert isinstance(found, CaseVerdict) and found.score == 1
