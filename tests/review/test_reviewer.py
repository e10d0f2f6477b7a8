"""Agent files as people have them, and what is said of broken ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.errors import UsageError
from fiducial.review.reviewer import find_reviewers, load_reviewer, shipped_reviewers

AGENT = """---
name: scope-owl
description: Use this when: the scope is wide. Examples: <example>user: "hi"</example> # all of it
model: sonnet
tools: Read, Grep
color: purple
---

You are an owl.

---
That line is prose.
"""


def write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_an_agent_file_as_people_write_it_is_read(tmp_path: Path) -> None:
    reviewer = load_reviewer(write(tmp_path, "x.md", AGENT))
    assert (reviewer.name, reviewer.model) == ("scope-owl", "sonnet")
    assert reviewer.description.startswith("Use this when: the scope") and reviewer.description.endswith(
        "# all of it"
    )
    assert reviewer.prompt == "You are an owl.\n\n---\nThat line is prose."


def test_line_ends_and_a_byte_order_mark_change_nothing(tmp_path: Path) -> None:
    plain = load_reviewer(write(tmp_path, "x.md", AGENT))
    (tmp_path / "y.md").write_bytes(b"\xef\xbb\xbf" + AGENT.replace("\n", "\r\n").encode())
    assert load_reviewer(tmp_path / "y.md").hash == plain.hash


def test_the_hash_depends_on_name_and_prompt_alone(tmp_path: Path) -> None:
    first = load_reviewer(write(tmp_path, "x.md", AGENT))
    assert load_reviewer(write(tmp_path, "y.md", AGENT.replace("purple", "red"))).hash == first.hash
    assert load_reviewer(write(tmp_path, "y.md", AGENT.replace("owl.", "cat."))).hash != first.hash
    assert load_reviewer(write(tmp_path, "y.md", AGENT.replace("scope-owl", "other"))).hash != first.hash


@pytest.mark.parametrize("front", ["---\ndescription: d\n---\n", "---\n---\n", "", "---\n# nothing\n---\n"])
def test_without_a_name_the_file_gives_it(tmp_path: Path, front: str) -> None:
    reviewer = load_reviewer(write(tmp_path, "night-owl.md", f"{front}You are it."))
    assert (reviewer.name, reviewer.prompt, reviewer.model) == ("night-owl", "You are it.", None)


def test_inherit_is_no_model(tmp_path: Path) -> None:
    assert load_reviewer(write(tmp_path, "x.md", "---\nmodel: inherit\n---\nGo.")).model is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "---\nname: a\nYou are it.",
            ", line 1: the front matter is not closed; end it with a line of three hyphens",
        ),
        ("---\nname: a\ntools: [x\n---\nGo.", ", line 4: did not find"),
        ("---\nname: a: b\n---\nGo.", ", line 2"),
        ("---\nname: a\nname: b\n---\nGo.", 'line 3: "name" is given twice'),
        ("---\n- a\n- b\n---\nGo.", ", line 2: the front matter is a list; it is lines as in"),
        ("---\nname: 3\n---\nGo.", '"name" is a number; it is a text'),
        ("---\nname: a/b\n---\nGo.", "one line without slashes"),
        ("---\nname: a\n---\n \n", "no prompt after the front matter"),
        ("---\nname: a\nreview_types: design\n---\nGo.", '"review_types" is'),
        ("---\na: &a [x]\nb: [" + "*a, " * 200 + "]\n---\nGo.", "more than 100 aliases"),
    ],
)
def test_a_broken_file_says_where_and_what(tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path, "x.md", text)
    with pytest.raises(UsageError) as error:
        load_reviewer(path)
    assert str(error.value).startswith(str(path)) and said in str(error.value)


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match=r"x\.md, line 1: not UTF-8 text \(byte 0\); save the file as UTF-8"):
        find_reviewers([str(tmp_path / "x.md")])


def test_shipped_names_paths_and_folders_can_be_mixed(tmp_path: Path) -> None:
    write(tmp_path / "agents", "b.md", AGENT)
    write(tmp_path / "agents", "a.md", "---\nname: a\n---\nGo.")
    write(tmp_path / "agents", "README.md", "Our agents.")
    single = write(tmp_path, "plain.md", "Find flaws.")
    found = find_reviewers(["scope-guardian", str(tmp_path / "agents"), str(single), "scope-guardian"])
    assert [r.name for r in found] == ["scope-guardian", "a", "scope-owl", "plain"]


def test_all_shipped_reviewers_load() -> None:
    found = find_reviewers(shipped_reviewers())
    assert [r.name for r in found] == shipped_reviewers() and len({r.hash for r in found}) == 10
    assert all(set(r.review_types) <= {"requirements", "design", "plan"} and r.review_types for r in found)


def test_an_unknown_name_is_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no reviewer 'scope-gaurdian'.*did you mean scope-guardian\?"):
        find_reviewers(["scope-gaurdian"])
    with pytest.raises(UsageError, match="no reviewer in this folder"):
        find_reviewers([str(tmp_path)])


def test_two_reviewers_of_one_name_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "mine.md", "---\nname: scope-guardian\n---\nMine.")
    with pytest.raises(UsageError, match="two reviewers are called 'scope-guardian'"):
        find_reviewers(["scope-guardian", str(tmp_path / "mine.md")])
