"""A wording departs from the shipped text in the one thing that it is named after."""

from __future__ import annotations

import itertools
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.errors import UsageError
from fiducial.judge.case import TASKS, Case, Task, request_of, version
from fiducial.judge.fence import mark
from fiducial.judge.prompt import prompt_text
from fiducial.judge.wording import DECIDING, SHIPPED, Wording, check_template, unfenced

DOCUMENT = "R-1 A reading is kept for 30 days.\nR-2 Audit logs name the operator."
CASES: dict[Task, Case] = {
    "genuine": Case(id="g", task="genuine", document=DOCUMENT, text="R-1 gives no unit.", label=0),
    "match": Case(
        id="m",
        task="match",
        document=DOCUMENT,
        text="Audit logs have no period.",
        label=1,
        findings=("R-1 gives no reason.", "R-2 says not how long logs are kept.", "R-2 is passive."),
        finding=2,
    ),
    "zero_shot": Case(id="z", task="zero_shot", document=DOCUMENT, text="Logs have no period.", label=1),
    "read": Case(
        id="r",
        task="read",
        document="Which one? A or B?",
        text="I would take the second one.",
        label=1,
        options=("A", "B"),
        answer="B",
    ),
}
DEPARTURES = {
    "reasoning": Wording(name="reasoning", verdict_first=True),
    "order": Wording(name="order", turned=True),
    "key": Wording(name="key", key=True),
    "unfenced": Wording(name="unfenced", fence=False),
    "free": Wording(name="free", schema=False),
}
ALL = [
    Wording(verdict_first=a, turned=b, key=c, fence=d, schema=e)
    for a, b, c, d, e in itertools.product((False, True), repeat=5)
]
each_task = pytest.mark.parametrize("task", TASKS)
PLACE = re.compile(r"\{[a-z_]+\}")


def sent(task: Task, wording: Wording = SHIPPED) -> str:
    """The one message that is sent."""
    (message,) = request_of(CASES[task], secret="3", wording=wording).messages
    return message.text


def lines(text: str) -> list[str]:
    return sorted(text.split("\n"))


def fields(text: str) -> list[str]:
    """The fields of the reply in the order that the text asks for."""
    return re.findall(r'"(\w+)": <', text.rsplit("\n", maxsplit=1)[-1])


@each_task
@pytest.mark.parametrize("wording", ALL)
def test_every_place_is_filled_in_every_wording(task: Task, wording: Wording) -> None:
    text = sent(task, wording)
    assert not PLACE.search(text)
    for part in (CASES[task].document, CASES[task].text, *CASES[task].findings):
        assert text.count(part) == 1


@each_task
@pytest.mark.parametrize("wording", ALL)
def test_the_task_is_named_in_the_last_user_message(task: Task, wording: Wording) -> None:
    first = request_of(CASES[task], secret="3", wording=wording)
    again = request_of(CASES[task], secret="3", wording=wording, said="hard to say")
    for request in (first, again):
        assert request.messages[-1].role == "user"
        assert f"Task: {task}" in request.messages[-1].text.split("\n")
    assert [message.role for message in again.messages] == ["user", "assistant", "user"]
    assert again.messages[0] == first.messages[0]


@each_task
def test_verdict_first_moves_the_deciding_fields_and_changes_nothing_else(task: Task) -> None:
    shipped, changed = sent(task).split("\n"), sent(task, DEPARTURES["reasoning"]).split("\n")
    assert shipped[:-1] == changed[:-1]
    before, after = fields("\n".join(shipped)), fields("\n".join(changed))
    assert sorted(before) == sorted(after) and before != after
    decides = [name in DECIDING for name in after]
    assert decides == sorted(decides, reverse=True)
    assert sorted(shipped[-1]) == sorted(changed[-1])  # the same letters, elsewhere


@each_task
@pytest.mark.parametrize("wording", [SHIPPED, DEPARTURES["reasoning"]], ids=["shipped", "verdict first"])
def test_text_and_schema_ask_for_the_fields_in_the_same_order(task: Task, wording: Wording) -> None:
    schema = request_of(CASES[task], secret="3", wording=wording).settings.schema
    assert schema is not None
    assert list(schema["properties"]) == schema["required"] == fields(sent(task, wording))


@each_task
def test_verdict_first_keeps_what_the_schema_says_of_each_field(task: Task) -> None:
    shipped = request_of(CASES[task], secret="3").settings.schema
    changed = request_of(CASES[task], secret="3", wording=DEPARTURES["reasoning"]).settings.schema
    assert shipped is not None and changed is not None
    assert shipped["properties"] == changed["properties"]
    assert {k: v for k, v in shipped.items() if k != "required"} == {
        k: v for k, v in changed.items() if k != "required"
    }


@pytest.mark.parametrize("task", ["genuine", "zero_shot", "read"])
@pytest.mark.parametrize("fence", [True, False])
def test_turned_shows_the_same_material_the_other_way_round(task: Task, fence: bool) -> None:
    shipped = sent(task, Wording(fence=fence))
    changed = sent(task, Wording(fence=fence, turned=True))
    assert lines(shipped) == lines(changed)
    document, text = CASES[task].document, CASES[task].text
    assert shipped.index(document) < shipped.index(text)
    assert changed.index(text) < changed.index(document)
    if fence:
        for part in (document, text):
            own = mark(3, part)
            assert re.search(f"<<<\\w+ {own}>>>\n{re.escape(part)}\n<<<end {own}>>>", changed)


def test_turned_reverses_the_list_of_a_match_and_its_numbers_count_anew() -> None:
    shipped, changed = sent("match"), sent("match", DEPARTURES["order"])
    findings = CASES["match"].findings
    assert [re.findall(r"<<<finding (\d)", text) for text in (shipped, changed)] == [["1", "2", "3"]] * 2
    at = [changed.index(finding) for finding in findings]
    assert at == sorted(at, reverse=True)
    listed = slice(shipped.index("<<<finding 1"), shipped.index("Now the issue."))
    assert len(shipped) == len(changed)
    assert shipped[: listed.start] == changed[: listed.start] and shipped[listed.stop :] == changed[listed.stop :]


@each_task
def test_the_key_stands_once_before_the_task_line_and_nothing_else_changes(task: Task) -> None:
    shipped, changed = sent(task), sent(task, DEPARTURES["key"])
    answer = {"genuine": '"not_genuine"', "match": '"found"', "zero_shot": "true", "read": '"B"'}[task]
    said = prompt_text("key").replace("{key}", answer)
    assert said not in shipped and changed.count(said) == 1
    assert changed.replace(f"{said}\n\n", "") == shipped
    assert changed.index(said) < changed.rindex(f"\nTask: {task}\n")
    assert changed.index(said) > max(changed.index(CASES[task].document), changed.index(CASES[task].text))


@each_task
def test_without_the_fence_no_mark_is_left_and_no_word_about_marks(task: Task) -> None:
    text = sent(task, DEPARTURES["unfenced"])
    case = CASES[task]
    for part in (case.document, case.text, *case.findings):
        assert mark(3, part) not in text
    assert "<<<" not in text and ">>>" not in text
    assert not re.search(r"\bmark(s|ed)?\b|^End:", text, re.MULTILINE)
    assert "nothing to follow" not in text


@each_task
def test_without_the_fence_the_rest_of_the_text_stays(task: Task) -> None:
    shipped, changed = sent(task), sent(task, DEPARTURES["unfenced"])
    explained = [part for part in shipped.split("\n\n") if "stands between" in part]
    assert len(explained) == 1
    rest = shipped.replace(f"{explained[0]}\n\n", "")
    rest = re.sub(r"^<<<end \w+>>>\n", "", rest, flags=re.MULTILINE)
    rest = re.sub(r"^<<<(\w+(?: \d)?) \w+>>>$", lambda m: f"{m[1].capitalize()}:", rest, flags=re.MULTILINE)
    assert rest == changed


@each_task
def test_without_the_schema_the_text_is_the_shipped_one(task: Task) -> None:
    free = request_of(CASES[task], secret="3", wording=DEPARTURES["free"])
    shipped = request_of(CASES[task], secret="3")
    assert free.messages == shipped.messages
    assert free.settings.schema is None and shipped.settings.schema is not None
    assert msgspec.structs.replace(free.settings, schema=shipped.settings.schema) == shipped.settings


@each_task
@pytest.mark.parametrize("name", ["reasoning", "order", "key", "unfenced"])
def test_one_departure_leaves_the_settings_alone_but_for_the_order_of_fields(task: Task, name: str) -> None:
    changed = request_of(CASES[task], secret="3", wording=DEPARTURES[name]).settings
    shipped = request_of(CASES[task], secret="3").settings
    if name == "reasoning":
        changed = msgspec.structs.replace(changed, schema=shipped.schema)
    assert changed == shipped


@each_task
def test_every_wording_has_a_version_of_its_own_and_its_name_has_none(task: Task) -> None:
    template = Wording(template=f"{prompt_text(task)}\n")
    assert len({version(task, wording=w) for w in [*ALL, template]}) == len(ALL) + 1
    assert version(task, wording=Wording(name="another")) == version(task) == version(task, wording=SHIPPED)
    assert version(task, wording=Wording(name="a", key=True)) == version(task, wording=Wording(name="b", key=True))


def test_the_version_of_a_wording_hangs_on_the_task_and_the_type_of_review() -> None:
    key = DEPARTURES["key"]
    of_tasks = {version(task, wording=key) for task in TASKS}
    of_types = {version("genuine", kind, key) for kind in ("requirements", "design", "plan")}
    assert len(of_tasks) == len(TASKS) and len(of_types) == 3


@each_task
def test_the_shipped_wording_is_the_text_file(task: Task) -> None:
    assert SHIPPED.text(task) == prompt_text(task)


@each_task
@given(braces=st.text(alphabet='{}finding_documentkey<>" \n', min_size=1, max_size=60))
def test_braces_in_a_value_are_inert(task: Task, braces: str) -> None:
    hostile = f"[{braces}{{key}}{{document}}{{finding_mark}}]"
    case = msgspec.structs.replace(CASES[task], document=f"D {hostile}", text=f"T {hostile}", findings=(hostile,))
    for wording in (SHIPPED, DEPARTURES["key"], DEPARTURES["order"], DEPARTURES["unfenced"]):
        (message,) = request_of(case, secret="1", wording=wording).messages
        assert message.text.count(f"D {hostile}") == 1 and message.text.count(f"T {hostile}") == 1


@each_task
def test_a_template_takes_the_place_of_the_shipped_text(task: Task) -> None:
    own = prompt_text(task).replace("Reply with one JSON object", "Write one JSON object")
    text = sent(task, Wording(template=own))
    assert "Write one JSON object" in text and "Reply with one JSON object" not in text
    assert text.replace("Write one JSON object", "Reply with one JSON object") == sent(task)


@each_task
def test_a_good_template_passes_unchanged_and_may_leave_marks_out(task: Task) -> None:
    for text in (prompt_text(task), unfenced(prompt_text(task))):
        assert check_template(task, text, where="own.txt") == text


@each_task
def test_a_template_that_lacks_a_place_or_the_task_line_is_refused_by_name(task: Task) -> None:
    place = {"genuine": "finding", "match": "findings", "zero_shot": "issue", "read": "reply"}[task]
    with pytest.raises(UsageError, match=rf"own\.txt.*{{{place}}}"):
        check_template(task, prompt_text(task).replace(f"{{{place}}}", ""), where="own.txt")
    with pytest.raises(UsageError, match=rf"own\.txt.*Task: {task}"):
        check_template(task, prompt_text(task).replace("Task: ", "Aufgabe: "), where="own.txt")
    with pytest.raises(UsageError, match=r"own\.txt"):
        check_template(task, "", where="own.txt")


def test_a_template_without_two_blocks_or_a_form_is_left_as_it_is() -> None:
    bare = "Is {finding} true of {document}?\n\nTask: genuine\nReply in JSON."
    assert Wording(template=bare, turned=True, verdict_first=True, fence=False).text("genuine") == bare
