from __future__ import annotations

import io
from collections.abc import Callable
from typing import Literal

import pytest
from rich.cells import cell_len
from rich.console import Console

from fiducial.report.review_terminal import show_review
from fiducial.review.result import NoRecall, ReviewResult
from tests.report.judges import corrected_review
from tests.report.review_hostile import hostile_review
from tests.report.review_support import item, recall, review, reviewer, several, unjudged

CASES: dict[str, Callable[[], ReviewResult]] = {
    "normal": review,
    "hostile": hostile_review,
    "unjudged": unjudged,
    "corrected": corrected_review,
    "range": lambda: corrected_review("planted"),
    "expired": lambda: corrected_review("expired"),
    "nothing": lambda: review([], reviewers=[], documents=[]),
    "many items": lambda: review(
        reviewers=[reviewer("r", several(), recall=recall(*(item(f"MF-{k}") for k in range(60))))]
    ),
}


def shown(result: ReviewResult, width: int = 80, *, terminal: bool = False) -> str:
    file = io.StringIO()
    colours: Literal["truecolor"] | None = "truecolor" if terminal else None
    show_review(result, Console(file=file, width=width, force_terminal=terminal, color_system=colours))
    return file.getvalue()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_screen_and_none_has_colour_codes(case: str, width: int) -> None:
    text = shown(CASES[case](), width)
    assert "\x1b" not in text
    # a command is one line however long it is, so that it can be copied
    assert all(cell_len(line) <= width or line.startswith("  fiducial ") for line in text.splitlines())


def test_hostile_text_adds_no_escape_sequence_of_its_own() -> None:
    text = shown(hostile_review(), terminal=True)
    for found in text.split("\x1b")[1:]:
        assert found[0] == "["
        assert found[1:].split("m")[0].replace(";", "").isdigit()
    for sign in "\x07\x9b\x00\u202e\u2066\ud800":
        assert sign not in text
    assert "[31mred" not in text
    assert "[bold red]x[/]" in "".join(shown(hostile_review()).split("\n")).replace("  ", "")


def test_the_numbers_are_those_of_the_result() -> None:
    lines = shown(review()).splitlines()
    [line] = [line for line in lines if line.startswith("assumption-hunter ")]
    assert line.split() == [
        "assumption-hunter",
        "60",
        "%",
        "[43",
        "%,",
        "74",
        "%]",
        "5",
        "2",
        "2",
        "1",
        "0",
        "48",
        "%",
    ]
    text = " ".join(shown(review()).split())
    assert "outputs: 2 with findings, 1 saying that there is nothing to find" in text
    assert "67 % without the borderline ones, 80 % with them as genuine" in text
    assert "it scores 0 % in the mean over outputs" in text
    assert "4 detections, 4.8 expected at the minimum, p .03, 100 % found in at least one run" in text


def test_a_must_find_has_its_rate_its_minimum_and_what_would_decide_it() -> None:
    text = " ".join(shown(review(), 140).split())
    assert "33 % [6 %, 79 %] 1 of 3 80 % inconclusive: 4 more runs at this rate would decide" in text
    assert "3 of 3 80 % met at 3 of 3" in text


def test_the_gate_is_told_with_its_reasons_and_cost_is_split() -> None:
    text = shown(review(), 120)
    assert "Gate failed\n  MF-9 is missed: 0 of 6 runs" in text
    assert "Cost reviewer $0.12, judge not known; 41 calls, 1 min 24 s" in text
    assert "Gate" not in shown(review(gate=None))


def test_why_there_is_no_recall_is_said() -> None:
    one = reviewer("r", several(), recall=NoRecall("there is no list"))
    assert "Must-finds of r no recall: there is no list" in shown(review(reviewers=[one]))


def test_without_a_judge_nothing_is_claimed() -> None:
    text = " ".join(shown(unjudged()).split())
    assert "No judge was asked" in text
    assert "assumption-hunter — 0 0 0 0 0 —" in text


def test_checks_that_passed_are_counted_and_others_told() -> None:
    text = shown(review())
    assert "1 check passed" in text
    assert "warn judge-uncalibrated" in text
    assert "all 33 trials" not in text


def test_an_incomplete_run_says_what_it_lacks() -> None:
    text = " ".join(shown(review(complete=False, waiting=1)).split())
    assert "incomplete: 1 question to the judge has no answer" in text


def test_a_console_that_knows_only_ascii_is_served() -> None:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="ascii")
    for case in CASES.values():
        show_review(case(), Console(file=file, width=80))
    file.flush()
    assert b"60 % [43 %, 74 %]" in raw.getvalue()
