"""What the tutorials show is what their commands print."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.tutorials import DOCS, PAGES, masked, ran, renewed, shown, steps


@pytest.mark.parametrize("name", PAGES)
def test_the_commands_of_a_tutorial_print_what_the_page_shows(name: str, tmp_path: Path) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    checked = 0
    for step, printed in ran(text, tmp_path):
        assert masked(printed) == masked(step.printed.strip("\n")), (
            f"{name}: `{step.command}` prints something else today. If that is right: python -m tests.project.tutorials"
        )
        checked += bool(printed)
    assert checked >= 4


def test_a_page_that_shows_something_else_is_noticed_and_written_anew(tmp_path: Path) -> None:
    page = "Text.\n\n```console\n$ echo 1\n2\n\n$ false\n$ echo $?\nwrong\n```\n\nMore.\n"
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    said = [(step.printed.strip(), printed) for step, printed in ran(page, tmp_path / "a")]
    assert said == [("2", "1"), ("", ""), ("wrong", "1")]
    assert renewed(page, tmp_path / "b") == page.replace("2\n\n$ false", "1\n\n$ false").replace("wrong", "1")


def test_a_command_is_continued_by_a_backslash_and_its_output_is_the_rest() -> None:
    first, second = steps("$ fiducial runs \\\n    --json\n[]\n\n$ true\n")
    assert (first.command, first.printed) == ("fiducial runs \\\n    --json", "[]\n")
    assert (second.command, second.printed) == ("true", "")


def test_times_dates_and_progress_are_all_that_may_differ() -> None:
    assert masked("165 calls, 3 min 8 s, until 2027-02-14") == masked("165 calls, 0.1 s, until 2026-11-16")
    assert masked("effect .38, 15 sets") != masked("effect .39, 15 sets")
    assert shown("sim/coin: 0/5 done, 1 in flight\nresult  \nsim/coin: 5/5 done\n") == "result"
