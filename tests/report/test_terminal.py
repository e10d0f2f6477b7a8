from __future__ import annotations

import io
from collections.abc import Callable

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console

from fiducial.bias.result import Effect, RunResult
from fiducial.report.interval_bar import BAR, bar
from fiducial.report.terminal import show
from fiducial.run.audit import Check
from fiducial.stats.estimate import Withheld
from tests.report.hostile import HOSTILE, hostile
from tests.report.made import bias, calibration, debiased, fifteen, run, withheld


def shown(result: RunResult, width: int = 80, *, terminal: bool = False) -> str:
    file = io.StringIO()
    show(
        result,
        Console(file=file, width=width, force_terminal=terminal, color_system="truecolor" if terminal else None),
    )
    return file.getvalue()


CASES: dict[str, Callable[[], RunResult]] = {
    "normal": run,
    "withheld": lambda: run([withheld(), withheld("loss_aversion")], complete=False),
    "single": lambda: run([bias()]),
    "fifteen": lambda: run(fifteen()),
    "hostile": hostile,
    "nothing": lambda: run([], audit=[]),
    "debiased": lambda: run([debiased(one, 0.2, -0.2) for one in fifteen()] + [calibration()]),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_screen(case: str, width: int) -> None:
    for line in shown(CASES[case](), width).splitlines():
        assert cell_len(line) <= width


@pytest.mark.parametrize("case", CASES)
def test_without_a_terminal_there_are_no_colour_codes(case: str) -> None:
    assert "\x1b" not in shown(CASES[case]())


def test_hostile_text_adds_no_escape_sequence_of_its_own() -> None:
    """With colours on there are escapes, but only those that set colours, and none from the text."""
    text = shown(hostile(), terminal=True)
    for found in text.split("\x1b")[1:]:
        assert found[0] == "["
        assert found[1:].split("m")[0].replace(";", "").isdigit()
    for sign in "\x07\x9b\x00\u202e\u2066\ud800":
        assert sign not in text
    assert "[31mred" not in text


def test_markup_in_a_text_is_printed_as_it_stands() -> None:
    text = shown(run(audit=[Check("c", "warn", "[bold red]x[/] and [link=file:///etc]y[/link] :smile:")]))
    assert "[bold red]x[/] and [link=file:///etc]y[/link] :smile:" in text
    assert HOSTILE not in shown(hostile())


def test_the_numbers_are_those_of_the_result() -> None:
    text = shown(run())
    [line] = [line for line in text.splitlines() if line.startswith("Anchoring effect")]
    assert "+0.31 [0.12, 0.50]" in line
    assert line.split()[-3:] == ["15", ".001", "flagged"]
    [quiet] = [line for line in text.splitlines() if line.startswith("Gain-loss framing")]
    assert quiet.split()[-1] == "—"
    assert "Position preference +0.08 [0.03, 0.13], n 45" in text
    assert "Unread 13 replies: refused 8, ambiguous 4, out of range 1" in text


def test_what_is_withheld_says_why() -> None:
    text = " ".join(shown(run([withheld()])).split())
    assert "withheld Present bias: an interval needs at least 2 independent items; there is 1 item" in text


def test_a_reason_that_several_biases_share_is_told_once() -> None:
    gone = [withheld(), withheld("loss_aversion")]
    refused = [
        msgspec.structs.replace(b, effect=Withheld(f"nothing read ({k} refused)")) for k, b in enumerate(gone)
    ]
    text = " ".join(shown(run([bias(), *refused])).split())
    assert "withheld Present bias (0 refused), Loss aversion (1 refused): nothing read" in text
    assert "effect [95 %]" not in shown(run(refused)), "no table without a number"


def test_stated_confidence_and_difficulty_are_told() -> None:
    text = shown(run([bias(), calibration()]))
    assert "Stated confidence (CAS) Brier score 0.21 [0.16, 0.26]," in text
    [line] = [line for line in text.splitlines() if line.startswith("  4  ")]
    assert line.split()[1:4] == ["+0.20", "[0.10,", "0.30]"]
    assert line.split()[-2:] == ["n", "6"]
    assert "by difficulty" not in shown(run())


def test_a_reason_stands_in_the_place_of_the_flag() -> None:
    text = shown(run([bias(reason="unread")]))
    [line] = [line for line in text.splitlines() if line.startswith("Anchoring effect")]
    assert line.split()[-1] == "unread"
    assert "with the unread replies at their worst it may be 0" in " ".join(text.split())


def test_passed_checks_are_counted_and_others_told() -> None:
    checks = [
        Check("a", "pass", "quiet"),
        Check("b", "pass", "quiet"),
        Check("c", "warn", "w"),
        Check("d", "fail", "f"),
    ]
    text = shown(run(audit=checks))
    assert "2 checks passed" in text
    assert "quiet" not in text
    assert text.index("fail d f") < text.index("warn c w")


def test_a_console_that_knows_only_ascii_is_served() -> None:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="ascii")
    for case in CASES.values():
        show(case(), Console(file=file, width=80))
    file.flush()
    assert b"+0.12 [-0.03, 0.27]" in raw.getvalue()


def effect(value: float, low: float, high: float) -> Effect:
    return Effect(value=value, low=low, high=high, n=5, method="t", p=0.1, q=0.1)


def test_the_bar_shows_the_interval_against_zero() -> None:
    assert bar(effect(0.5, 0.2, 0.8), (-1, 1), filled=True) == "          │ ───●───  "
    assert bar(effect(0.1, -0.2, 0.4), (-1, 1), filled=False) == "        ──┼○───      "


def test_a_bar_touches_zero_only_where_the_interval_does() -> None:
    above = bar(effect(0.3, 0.01, 0.6), (-1, 1), filled=True)
    below = bar(effect(-0.02, -0.03, -0.01), (-1, 1), filled=False)
    across = bar(effect(0.3, -0.01, 0.6), (-1, 1), filled=False)
    assert above[10] == below[10] == "│"
    assert across[10] == "┼"
    assert {len(above), len(below), len(across)} == {BAR}


def test_response_consistency_is_a_column_where_there_is_room() -> None:
    [narrow] = [line for line in shown(run(), 80).splitlines() if line.startswith("Anchoring effect")]
    [wide] = [line for line in shown(run(), 110).splitlines() if line.startswith("Anchoring effect")]
    assert "0.86" not in narrow
    assert "0.86 [0.81, 0.91]" in wide
    assert "Response consistency (RCI) 0.86 over 3 biases" in shown(run(), 80)
    gone = shown(run([withheld()]), 110)
    assert "Response consistency (RCI) withheld: an interval needs at least 2" in gone
    assert "RCI [95 %]" not in gone


def test_mitigation_names_only_what_is_shown_to_help_or_harm() -> None:
    text = " ".join(shown(run([debiased(bias(), 0.2, -0.25, 0.03)])).split())
    assert "Mitigation 3 comparisons: 1 lower bias, 1 raise it (harm); by chance 1 in 20" in text
    assert "helps Anchoring effect: warning +0.20 [0.10, 0.30]" in text
    assert "harms Anchoring effect: step by step −0.25 [−0.35, −0.15]" in text
    assert "consider the opposite" not in text
    assert "Mitigation" not in shown(run())


def test_many_methods_are_left_to_the_page() -> None:
    text = shown(CASES["debiased"]())
    assert text.count("  helps ") == text.count("  harms ") == 3
    assert "more on the page" in text
