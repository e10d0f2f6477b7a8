"""The words of a card, its commands, and the card in the terminal."""

from __future__ import annotations

import io
import shlex
import subprocess
import sys

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console

from fiducial.bias.audit import misread_at_most
from fiducial.judge.trust import State, Trust
from fiducial.report.judge_card_effect import points, touched
from fiducial.report.judge_card_remedy import remedies
from fiducial.report.review_terminal import show_review
from fiducial.report.terminal import show
from fiducial.review.result import ReviewResult
from tests.report.hostile import HOSTILE, hostile_trust
from tests.report.judges import STATES, applied, calibration, corrected_review, rate, reader, trust, with_corrected
from tests.report.made import run
from tests.report.review_support import review


def shown(result: ReviewResult, width: int = 80) -> str:
    file = io.StringIO()
    show_review(result, Console(file=file, width=width, color_system=None))
    return file.getvalue()


def told(result: ReviewResult, width: int = 80) -> str:
    return " ".join(shown(result, width).split())


def commands(one: Trust, **where: str) -> list[list[str]]:
    return [shlex.split(command) for remedy in remedies(one, **where) for command in remedy.commands]


def test_the_command_names_judge_task_and_set() -> None:
    assert commands(trust("unknown"), run="r1", dataset="tide-gauge") == [
        shlex.split("fiducial judge calibrate --judge openai/gpt-5-mini --task genuine --set planted:tide-gauge"),
        shlex.split("fiducial judge label r1"),
        shlex.split("fiducial judge calibrate --judge openai/gpt-5-mini --task genuine --set labels:r1"),
    ]
    assert commands(trust("unknown", "read"))[0][-1] == "planted:quick"
    assert commands(trust("planted", "match"), run="r1")[0][-1] == "labels:FILE.jsonl"
    assert commands(trust("expired"))[0][-2:] == ["--set", "labels:2026-02-11-export"]
    assert commands(trust()) == []


def test_a_dataset_of_the_users_own_is_asked_for_by_its_folder() -> None:
    [first, *_] = remedies(trust("unknown"), run="r1", dataset="my specs")
    assert "DATASET is the folder of my specs" in first.words
    assert shlex.split(first.commands[0])[-1] == "planted:DATASET"


def test_a_panel_is_calibrated_seat_by_seat() -> None:
    one = msgspec.structs.replace(trust("unknown"), model="a/b + c/d")
    assert commands(one)[0][3:7] == ["--judge", "a/b", "--judge", "c/d"]
    odd = msgspec.structs.replace(trust("unknown"), model="local/my + model")
    assert commands(odd)[0][3:5] == ["--judge", "local/my + model"]


def test_no_name_can_add_a_word_to_a_command() -> None:
    nasty = "x; rm -rf ~ $(reboot) `id` 'a\" && b\n| c"
    for one in (msgspec.structs.replace(trust("unknown"), model=nasty), hostile_trust("genuine", None)):
        for words in commands(one, run=nasty, dataset=nasty):
            assert words[:2] == ["fiducial", "judge"]
            assert not {"rm", "|", "&&", ";", "$(reboot)", "`id`"} & set(words)
    assert commands(trust("expired", set=HOSTILE))[0][:3] == ["fiducial", "judge", "calibrate"]


@pytest.mark.parametrize("right", [0.5, 0.93, 1.0])
@pytest.mark.parametrize("none", [0.4, 0.86, 1.0])
@pytest.mark.parametrize(("decided", "empty"), [(40, 9), (1, 30), (40, 0)])
def test_no_split_of_the_replies_gives_more_misreadings_than_the_bound(
    right: float, none: float, decided: int, empty: int
) -> None:
    found = calibration(sensitivity=rate(right, 50), specificity=rate(none, 50))
    known = trust("calibrated", "read", sensitivity=found.sensitivity, specificity=found.specificity)
    most = misread_at_most(msgspec.structs.replace(reader(decided=decided, none=empty, share=0.2), trust=known))
    assert most is not None and found.sensitivity.low is not None and found.specificity.low is not None
    for with_answer in range(decided + empty + 1):
        without = decided + empty - with_answer
        wrong = with_answer * (1 - found.sensitivity.low) + without * (1 - found.specificity.low)
        assert min(decided, wrong) / decided * 0.2 <= most + 1e-12
    assert most <= 0.2


def test_what_is_not_known_of_a_reader_is_not_guessed() -> None:
    assert "How many of these it read wrongly is not known." in touched(reader("unknown"), trust("unknown", "read"))
    assert misread_at_most(reader(decided=0)) is None
    assert "(by the rates of then)" in touched(reader("expired"), trust("expired", "read"))
    assert points(0.0) == "0.0 %" and points(0.0001) == "<0.1 %" and points(0.0312) == "3.1 %"


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_terminal_has_room_for_every_card(state: State, width: int) -> None:
    text = shown(corrected_review(state), width)
    # a command is one line however long it is, so that it can be copied
    assert all(cell_len(line) <= width or line.startswith("  fiducial ") for line in text.splitlines())
    assert "The judge openai/gpt-5-mini (genuine, design): " in text.replace("\n", " ")


def test_the_terminal_tells_what_the_page_does() -> None:
    text = told(corrected_review())
    for said in (
        "The judge openai/gpt-5-mini (genuine, design): calibrated",
        "Of 100 findings that are genuine it accepts 82 [73, 88]; of 100 that are not it still accepts 30 [21, 41].",
        "kappa (54 % labelled genuine) 0.53 [0.41, 0.64], n 177",
        "same verdict when asked again 90 % [77 %, 96 %], n 40",
        "The judge accepts 60 %; with its errors taken out, 52 % [41 %, 63 %] of these findings are genuine.",
    ):
        assert said in text


def test_corrected_precision_has_a_column_where_there_is_room_and_a_line_where_not() -> None:
    both = [with_corrected(one, applied()) for one in review().reviewers]
    result = review(reviewers=both, trust=[trust()])
    wide, narrow = shown(result, 120), shown(result, 80)
    assert "precision [95 %]  corrected [95 %] " in wide
    assert "60 % [43 %, 74 %] 52 % [41 %, 63 %] " in wide
    assert "corrected [95 %]" not in narrow
    assert "  corrected       52 % [41 %, 63 %]" in narrow
    assert "corrected" not in shown(review(), 120).split("Must-finds")[0]


def test_a_range_is_called_one_in_the_terminal() -> None:
    assert "22 % to 69 % (a range)" in shown(corrected_review("planted"), 120)
    assert "60 % [43 %, 74 %] not corrected" in shown(corrected_review("expired"), 120)


def test_an_unknown_judge_gets_the_command_that_would_change_it() -> None:
    text = told(corrected_review("unknown"), 200)
    assert "fiducial judge calibrate --judge openai/gpt-5-mini --task genuine --set planted:DATASET" in text
    assert "is not fit to judge as it stands" not in text  # the card has said so


def test_the_reader_of_a_bias_run_is_told_below_what_it_decided() -> None:
    file = io.StringIO()
    show(msgspec.structs.replace(run(), judge=reader()), Console(file=file, width=100, color_system=None))
    text = " ".join(file.getvalue().split())
    assert (
        "it reads 93 [87, 96] rightly; of 100 that commit to none it still reads an answer into 14 [7, 25]." in text
    )
    assert "3.1 % of all scored replies (40) rest on its word" in text


def test_a_console_that_knows_only_ascii_gets_the_card() -> None:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="ascii")
    for state in STATES:
        show_review(corrected_review(state), Console(file=file, width=80))
    file.flush()
    assert b"it accepts 82 [73, 88]" in raw.getvalue()


def test_the_terminal_does_not_wait_for_the_chart_engine() -> None:
    code = (
        "import sys, fiducial.report.terminal, fiducial.report.review_terminal; sys.exit('altair' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
