"""An ablation on the screen and as JSON: the same numbers, and words that say no more than they do."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from fiducial.judge.case import TASKS, Task
from fiducial.model.request import CaseTruth, Request
from fiducial.report.judge_ablate import as_json, notes, show_ablation, verdict
from fiducial.stats.estimate import Estimate, Withheld
from fiducial.study.judge_ablate import Ablation, Comparison, LeftOut
from fiducial.study.judge_flips import Flips, Pull, Shift
from tests.study.ablated import Standing, ablated, cases, of, says

HOSTILE = "\x1b[31mred\x1b[0m [bold]x[/bold] \u202edesrever"


def estimate(value: float, low: float, high: float, n: int = 120) -> Estimate:
    return Estimate(value=value, low=low, high=high, n=n, method="by hand")


NONE = Withheld("none")
STILL = estimate(0.0, -0.02, 0.02)
LEVEL = Shift(shipped=estimate(0.8, 0.7, 0.9), changed=estimate(0.8, 0.7, 0.9), difference=STILL)


def comparison(**changes: object) -> Comparison:
    beyond = estimate(0.06, 0.02, 0.11)
    plain = Comparison(
        factor="reasoning",
        name="reasoning",
        versions=["v"],
        cases=120,
        left_out=LeftOut(),
        flips=Flips(
            rate=estimate(0.09, 0.05, 0.15),
            baseline=estimate(0.03, 0.01, 0.08),
            difference=beyond,
            only_changed=9,
            only_again=1,
            p=0.02,
        ),
        mean_verdict=LEVEL,
        sensitivity=LEVEL,
        specificity=LEVEL,
        pull=Pull(
            toward=estimate(0.13, 0.08, 0.2),
            away=estimate(0.02, 0.005, 0.06),
            net=estimate(0.11, 0.07, 0.16),
            twice_toward=estimate(0.02, 0.005, 0.06),
            twice_away=estimate(0.01, 0.001, 0.05),
            put_right=estimate(0.31, 0.15, 0.47, n=34),
            errors=34,
            moved_toward=16,
            moved_away=2,
            p=0.001,
        ),
        bands=[],
        effect=beyond,
        p=0.02,
        adjusted=0.04,
        shown=True,
    )
    return msgspec.structs.replace(plain, **changes)


def ablation(*comparisons: Comparison, **changes: object) -> Ablation:
    plain = Ablation(
        run="runs/a.db",
        judge="sim/judge",
        task="genuine",
        set="labels:l.jsonl",
        complete=True,
        cases=120,
        positives=60,
        negatives=60,
        askings=600,
        waiting=0,
        baseline=estimate(0.03, 0.01, 0.08),
        sensitivity=estimate(0.8, 0.7, 0.9),
        specificity=estimate(0.7, 0.6, 0.8),
        mean_verdict=estimate(0.55, 0.46, 0.64),
        comparisons=list(comparisons),
        calls=600,
        input_tokens=0,
        output_tokens=0,
        cost=0.0,
    )
    return msgspec.structs.replace(plain, **changes)


def words(one: Comparison, **changes: object) -> str:
    return verdict(ablation(one, **changes), one)


def shown(found: Ablation, width: int = 120, **options: object) -> str:
    out = io.StringIO()
    show_ablation(found, Console(file=out, width=width, **options))  # type: ignore[arg-type]
    return out.getvalue()


def key(net: Estimate, **changes: object) -> Comparison:
    pulled = msgspec.structs.replace(comparison().pull, net=net)
    return comparison(factor="key", name="key", pull=pulled, effect=net, **changes)


def test_a_leak_is_said_with_its_size_its_interval_and_its_cases() -> None:
    said = words(key(estimate(0.11, 0.07, 0.16)))
    assert said.startswith("Showing the key moves 11 % of verdicts toward it (95 % 7 to 16 %, 120 cases)")
    assert "13 % toward, 2 % away; asked twice without it, 2 % and 1 %" in said
    assert "Of the 34 verdicts that were wrong without it, it puts 31 % right" in said and "15 to 47 %" in said


def test_a_judge_that_goes_against_the_key_is_said_to() -> None:
    said = words(key(estimate(-0.08, -0.13, -0.03)))
    assert said.startswith("Showing the key moves 8 % of verdicts away from it (95 % 3 to 13 %, 120 cases)")
    assert "puts" not in said


def test_no_effect_is_never_said_to_be_none() -> None:
    said = words(key(estimate(0.01, -0.02, 0.04), shown=False, adjusted=0.6))
    assert said == (
        "Showing the key: no effect shown; moves of up to 4 % of verdicts toward it could have been missed "
        "(95 % −2 to 4 %, 120 cases)."
    )
    said = words(comparison(shown=False, adjusted=0.6))
    assert "no effect shown; flips of up to 11 % of verdicts beyond the 3 % of asking twice could have been" in said
    said = words(comparison(shown=False, effect=estimate(-0.02, -0.05, -0.001)))
    assert "no effect shown (95 % −5 to −0.1 %, 120 cases)." in said


def test_flips_are_said_beyond_those_of_asking_twice() -> None:
    assert words(comparison()) == (
        "Asking for the verdict before the reasons flips 6 % of verdicts beyond the 3 % that flip when the same prompt "
        "is asked twice (95 % 2 to 11 %, 120 cases). 16 verdicts moved toward the right answer, 2 away from it "
        "(p .001, not corrected)."
    )
    fewer = words(comparison(effect=estimate(-0.06, -0.11, -0.02)))
    assert "flips 6 % of verdicts fewer than asking twice does (95 % 2 to 11 %, 120 cases)" in fewer


def test_a_movement_is_told_only_where_its_interval_excludes_zero() -> None:
    moved = msgspec.structs.replace(LEVEL, difference=estimate(-0.12, -0.2, -0.04))
    assert "Sensitivity falls by 0.12 [0.04, 0.20] (not corrected)." in words(comparison(sensitivity=moved))
    assert "Specificity falls by" in words(comparison(specificity=moved))
    assert "ensitivity" not in words(comparison())


@pytest.mark.parametrize("task", TASKS)
def test_the_order_is_named_after_what_is_turned(task: Task) -> None:
    said = words(comparison(factor="order", name="order"), task=task)
    what = {"genuine": "the finding first", "match": "the list of findings round", "zero_shot": "the issue first"}
    assert what.get(task, "the reply first") in said


def test_points_round_as_the_table_does_and_never_to_nothing() -> None:
    said = words(comparison(shown=False, effect=estimate(0.0, -0.0004, 0.025)))
    assert "flips of up to 3 % of verdicts" in said and "(95 % 0 to 3 %, 120 cases)" in said
    assert "(95 % −0.4 to 0.1 %" in words(comparison(shown=False, effect=estimate(0.0, -0.004, 0.001)))


def test_what_is_withheld_says_why() -> None:
    said = words(comparison(factor="order", effect=Withheld("no case has two findings"), shown=False, p=None))
    assert said.endswith("no verdict, no case has two findings.")


def test_what_was_left_out_is_counted_and_much_of_it_is_warned_of() -> None:
    few = comparison(left_out=LeftOut(cases=3, shipped=1, changed=3))
    many = comparison(cases=90, left_out=LeftOut(cases=30, again=28, unanswered=2))
    first, second = notes(ablation(few, many))
    assert first == "verdict first: 3 of 123 cases left out (1 invalid when first asked, 3 invalid in this wording)"
    assert "30 of 120 cases left out (28 invalid when asked again, 2 without a reply)" in second
    assert "may differ" in second


def test_few_labels_and_missing_replies_are_noted() -> None:
    assert list(notes(ablation())) == []
    (few,) = notes(ablation(positives=24, negatives=96))
    assert few.startswith("exploratory: 24 cases where a yes is right; 25")
    (none,) = notes(ablation(positives=0, negatives=0))
    assert "no case has a label" in none
    (open_,) = notes(ablation(complete=False, waiting=10))
    assert open_ == "incomplete: 10 answers missing, of 600 askings"


def test_the_screen_and_the_json_have_the_same_numbers(tmp_path: Path) -> None:
    def leaks(truth: CaseTruth, request: Request) -> str:
        number = int(truth.case.split("-")[1])
        follows = truth.shown is not None and number < 30
        return says(truth, truth.right if follows or number >= 40 else truth.wrong, 0.9 if number % 2 else 0.5)

    found = ablated(tmp_path / "a.db", Standing(leaks), cases("genuine", 120))
    printed, made = " ".join(shown(found).split()), json.loads(msgspec.json.encode(as_json(found)))
    by_factor = {one["factor"]: one for one in made["comparisons"]}
    assert by_factor["key"]["pull"]["net"]["value"] == by_factor["key"]["effect"]["value"] == 0.25
    assert "Showing the key moves 25 % of verdicts toward it" in by_factor["key"]["verdict"]
    for one in made["comparisons"]:
        assert " ".join(one["verdict"].split()) in printed
        rate = one["flips"]["rate"]
        assert f"{rate['value']:.2f} [{rate['low']:.2f}, {rate['high']:.2f}]" in printed
        assert [band["cases"] for band in one["bands"]] == [60, 0, 60, 0]
    assert of(found, "key").shown and made["complete"] is True and made["notes"] == []
    assert "30/0" in printed


@pytest.mark.parametrize("width", [80, 99, 100, 200])
def test_no_line_is_cut_and_nothing_is_printed_as_nan(width: int) -> None:
    withheld = comparison(
        factor="prompt",
        name="prompt x",
        effect=NONE,
        sensitivity=Shift(shipped=NONE, changed=NONE, difference=NONE),
        adjusted=None,
    )
    printed = shown(ablation(comparison(), key(estimate(0.11, 0.07, 0.16)), withheld), width)
    assert "nan" not in printed.lower() and "…" not in printed
    assert all(len(line) <= width for line in printed.splitlines())
    assert "[0.05, 0.15]" in printed


def test_names_are_printed_as_text_whatever_they_hold() -> None:
    one = comparison(factor="prompt", name=f"prompt {HOSTILE}")
    printed = shown(ablation(one, judge=HOSTILE, set=HOSTILE, run=HOSTILE), force_terminal=True, color_system=None)
    assert "\x1b[31m" not in printed and "\u202e" not in printed
    assert "[bold]x[/bold]" in re.sub(r"\s+", " ", printed)


def test_bold_is_what_is_shown_to_have_an_effect() -> None:
    still = comparison(factor="order", name="order", shown=False)
    printed = shown(ablation(comparison(), still), force_terminal=True, color_system="standard")
    assert "\x1b[1mverdict first" in printed and "\x1b[1mother order" not in printed
