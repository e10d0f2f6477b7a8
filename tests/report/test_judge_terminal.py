"""Calibrations in the terminal: the numbers, what they are worth, and nothing that a name could do."""

from __future__ import annotations

from datetime import date
from io import BytesIO, StringIO, TextIOWrapper
from typing import Any

import pytest
from rich.console import Console

from fiducial.judge.calibration import Calibration, Rate, Rates
from fiducial.report.judge_terminal import show_calibration, show_calibrations
from fiducial.report.judge_words import standing, worth, wrongs
from tests.judge.test_calibration import made
from tests.report.hostile import ANSI, HOSTILE, TURNED

TODAY = date(2026, 4, 1)


def rate(value: float, low: float, high: float, n: int = 60) -> Rate:
    return Rate(value=value, low=low, high=high, n=n, method="Wilson over cases")


GOOD = made(
    sensitivity=rate(0.80, 0.68, 0.88),
    specificity=rate(0.93, 0.84, 0.97),
    borderline=rate(0.1, 0.05, 0.17, 120),
    invalid=rate(0.02, 0.01, 0.06, 120),
    consistency=rate(0.9, 0.77, 0.96, 40),
    calibration_error=rate(0.11, 0.07, 0.19, 110),
)


def shown(found: Calibration | list[Calibration], *, width: int = 100) -> str:
    out = StringIO()
    console = Console(file=out, width=width, color_system=None)
    if isinstance(found, list):
        show_calibrations(found, console, today=TODAY)
    else:
        show_calibration(found, console, today=TODAY)
    return out.getvalue()


def test_every_rate_stands_with_its_interval_and_number() -> None:
    text = shown(GOOD)
    for words in ("0.80", "[0.68, 0.88]", "0.93", "[0.84, 0.97]", "kappa at 50 % labelled 1", "Wilson over cases"):
        assert words in text
    assert "openai/gpt-x" in text and "planted:tide-gauge" in text and "holds until 2026-05-30" in text
    assert "60 verdicts on cases labelled 1, 58 on those labelled 0" in text


def test_what_is_not_known_says_why() -> None:
    text = shown(made(consistency=Rate(withheld="no case has two verdicts")))
    assert "same when asked again is not given: no case has two verdicts" in text
    assert "nan" not in text.lower()


def test_errors_are_told_in_a_hundred() -> None:
    said = " ".join(wrongs(GOOD))
    assert "Of 100 findings that are genuine it takes about 20 (12 to 32) for not genuine." in said
    assert "Of 100 findings that are not it takes about 7 (3 to 16) for genuine." in said
    assert "off by 0.11 on average [0.07, 0.19]" in said
    assert "it says something else in 10 % of 40 cases (4 % to 23 %)" in said
    assert "between yes and no in 10 %" in said and "counts one half" in said
    assert "no verdict at all in 2 %" in said


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (
            "match",
            ("must-finds that are in the list it overlooks about 20", "it reports about 7 (3 to 16) as found"),
        ),
        ("zero_shot", ("issues that can be seen it overlooks about 20", "as seen")),
        ("read", ("replies with an answer it misreads about 20", "as if there were one")),
        ("another", ("it takes about 20",)),
    ],
)
def test_each_task_has_its_own_words(task: str, words: tuple[str, ...]) -> None:
    said = " ".join(wrongs(made(task=task, sensitivity=GOOD.sensitivity, specificity=GOOD.specificity)))
    assert all(one in said for one in words)


def test_a_judge_that_leans_to_one_side_is_said_to() -> None:
    easy = made(sensitivity=rate(1, 0.94, 1), specificity=rate(0.7, 0.6, 0.8))
    assert any("yes too easily" in line and "fewer than 100 % are true" in line for line in wrongs(easy))
    strict = made(sensitivity=rate(0.4, 0.3, 0.5), specificity=rate(0.96, 0.9, 0.99))
    # .4 of the genuine ones and .04 of the others give .0625 of all where .0625 of all are genuine
    assert any("no too easily" in line and "more than 6 % are true" in line for line in wrongs(strict))
    assert not any("too easily" in line for line in wrongs(made()))


def test_no_better_than_chance_is_said_first() -> None:
    coin = made(sensitivity=rate(0.55, 0.42, 0.67), specificity=rate(0.5, 0.38, 0.62))
    assert "not shown to be any better than chance" in next(iter(wrongs(coin)))
    assert "chance" not in " ".join(wrongs(GOOD))


def test_a_kind_that_it_does_worse_on_is_named_only_where_that_can_be_told() -> None:
    worse = Rates(sensitivity=rate(0.2, 0.05, 0.5, 9), specificity=rate(0.9, 0.5, 0.98, 9))
    unclear = Rates(sensitivity=rate(0.6, 0.3, 0.85, 9), specificity=Rate(withheld="none"))
    said = [line for line in wrongs(made(categories={"near_miss": worse, "style": unclear})) if "kind" in line]
    assert len(said) == 1 and "near miss: about 80 (50 to 95) of 100, from 9 cases" in said[0]


@pytest.mark.parametrize(
    ("changes", "word", "sentence"),
    [
        ({}, "holds", "by construction"),
        ({"basis": "labels", "half": "holdout"}, "holds", "not tuned on"),
        ({"exploratory": True, "positives": 9}, "exploratory", "9 verdicts on cases labelled 1"),
        ({"expires": "2026-03-31"}, "expired", "It expired on 2026-03-31"),
        ({"half": "dev"}, "dev half: not used", "never used for a run"),
    ],
)
def test_what_it_is_worth_is_said(changes: dict[str, Any], word: str, sentence: str) -> None:
    one = made(**changes)
    assert worth(one, TODAY) == word
    assert sentence in " ".join(standing(one, TODAY))
    assert word in shown([one], width=140)


def test_a_floor_that_is_not_met_is_named_with_the_bound() -> None:
    text = shown(made(floors={"sensitivity": 0.9, "specificity": 0.5}, below=["sensitivity"]))
    assert "sensitivity of at least 0.90: not met, its lower bound is 0.80" in text
    assert "specificity of at least 0.50: met" in text


def test_a_judge_without_verdicts_has_no_rates_to_be_told() -> None:
    nothing = Rate(withheld="no case with the label 1 has a verdict")
    text = shown(made(sensitivity=nothing, specificity=nothing, kappa=nothing, base_rate=None))
    assert "not enough verdicts to say how often it errs" in text


@pytest.mark.parametrize("nasty", [ANSI, TURNED, HOSTILE, "x" * 50_000, ""])
@pytest.mark.parametrize("width", [20, 80])
def test_no_name_can_do_anything_to_the_terminal(nasty: str, width: int) -> None:
    one = made(
        model=nasty,
        set=nasty,
        name=nasty,
        run=nasty,
        about=nasty,
        categories={nasty: Rates(sensitivity=GOOD.sensitivity, specificity=rate(0.1, 0.0, 0.2))},
        kappa=Rate(withheld=nasty),
    )
    for text in (shown(one, width=width), shown([one], width=width)):
        assert not {c for c in text if ord(c) < 32 and c != "\n"} and "\u202e" not in text and "\x9b" not in text


def test_the_table_has_a_row_for_each_and_fits_eighty_columns() -> None:
    text = shown([made(name=f"genuine-openai-gpt-{k}") for k in range(3)], width=80)
    assert text.count("0.90 [0.80, 0.95]") == 6
    assert all(len(line) <= 80 for line in text.splitlines())


def test_a_console_that_knows_only_ascii_gets_ascii() -> None:
    raw = BytesIO()
    file = TextIOWrapper(raw, encoding="ascii")
    show_calibration(made(calibration_error=Rate(withheld="– “none”")), Console(file=file, width=80), today=TODAY)
    show_calibrations([made(model="sim/jüdge")], Console(file=file, width=80), today=TODAY)
    file.flush()
    assert b"0.90" in raw.getvalue()
