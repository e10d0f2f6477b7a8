from __future__ import annotations

import io
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from fiducial.report.readiness import readiness_html, show_readiness
from fiducial.review.readiness import Readiness, readiness
from tests.report.hostile import HOSTILE
from tests.review.made_results import HUNTER, dataset, document, result

replace = msgspec.structs.replace


def printed(found: Readiness, *, width: int = 100, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, write_through=True)
    show_readiness(found, Console(file=file, width=width, legacy_windows=False, force_terminal=False))
    return raw.getvalue().decode(encoding)


def hostile() -> Readiness:
    """A reviewer, a dataset and runs in which every name is an attack."""
    file = HOSTILE.replace("\x00", "").replace("\ud800", "")  # a name that a file can have, and its bytes too
    who = replace(HUNTER, name=file, path=Path(file))
    bad = dataset(replace(document(), id=HOSTILE, frozen_hash=None))
    old = result(reviewer=who, run=HOSTILE)
    other = replace(old.reviewers[0], name=file)
    found = readiness(bad, who, [replace(old, reviewers=[other])], model=HOSTILE, judge=HOSTILE)
    return replace(found, dataset=HOSTILE)


def test_every_step_is_drawn_with_its_state_and_the_next_command_ends_it() -> None:
    found = readiness(dataset(document(must_find=())), HUNTER, [result()])
    lines = printed(found).splitlines()
    assert "● documents frozen" in lines
    assert any(line.startswith("× must-finds curated") and line.endswith("missing") for line in lines)
    assert any(line.startswith("○ gates enforceable") and line.endswith("blocked") for line in lines)
    assert any(line.startswith("┼─ ! judge calibrated") and line.endswith("warning") for line in lines)
    assert lines[-1] == "Next: fiducial review propose first --write"
    assert "│ run first: 3 of 3 outputs read" in lines


def test_a_console_that_knows_only_ascii_gets_ascii() -> None:
    text = printed(readiness(dataset(document(must_find=())), HUNTER, [result()]), encoding="ascii")
    assert text.isascii() and "?" not in text
    assert "# documents frozen" in text and "x must-finds" in text and "+- ! judge" in text


@pytest.mark.parametrize("width", [20, 48, 100])
def test_the_rail_runs_beside_every_wrapped_line_and_the_command_stays_on_one(width: int) -> None:
    found = readiness(dataset(), HUNTER, [], model="openai/a-model-with-a-long-name")
    lines = printed(found, width=width).splitlines()
    rail = [line for line in lines if line.startswith("│ ")]
    assert len(rail) >= 7
    assert lines[-1] == f"Next: {found.next_command}"
    if width >= 48:
        assert max(map(len, lines[:-1])) <= width


def test_runs_that_do_not_count_are_named_with_the_reason() -> None:
    old = [result(run=f"r{k}") for k in range(5)]
    text = printed(readiness(dataset(), replace(HUNTER, prompt="New."), old))
    assert "run r4 does not count: it had another prompt of the reviewer" in text
    assert "nor do 2 older ones" in text


def test_nothing_in_a_name_reaches_the_terminal_but_text() -> None:
    text = printed(hostile(), width=120)
    assert "\x1b" not in text and "\x9b" not in text and "\u202e" not in text and "\x00" not in text
    assert "[bold red]x[/]" in text  # as it was written, and without effect


class Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.classes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert {name for name, _ in attrs} <= {"class", "aria-label"}
        self.classes += [value or "" for name, value in attrs if name == "class"]
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("found", [hostile(), readiness(dataset(), HUNTER, [result()])])
def test_the_fragment_is_well_formed_and_holds_no_tag_of_anybody_else(found: Readiness) -> None:
    seen = Seen()
    seen.feed(readiness_html(found))
    assert seen.open == []
    assert set(seen.tags) <= {"h3", "ol", "li", "span", "div", "strong", "bdi", "br", "p", "code"}
    assert seen.tags.count("li") == len(found.steps)


def test_the_fragment_says_whether_a_gate_may_be_asked_for() -> None:
    ready = readiness_html(readiness(dataset(), HUNTER, [result()]))
    assert "A gate may be asked for." in ready and 'class="check pass"' in ready and "--gate</code>" in ready
    early = readiness_html(readiness(dataset(), HUNTER, []))
    assert "would be refused" in early and 'class="check fail"' in early and "○ blocked" in early
