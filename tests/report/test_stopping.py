"""How a stopping rule ended, in words."""

from __future__ import annotations

import io

import msgspec
import pytest
from rich.console import Console

from fiducial.bias.stopping.result import BiasStop, RoundNote, Saving, Stopping
from fiducial.report.page import render_page
from fiducial.report.stopping import ended, saved
from fiducial.report.terminal import show
from tests.report import made


def stop(reason: str | None, width: float | None = 0.28, floor: float | None = None, **more: object) -> BiasStop:
    given = {"items": 15, "of": 15, "repetitions": 2, "whole": False, "calls": 60, **more}
    return BiasStop(reason=reason, width=width, floor=floor, **given)  # type: ignore[arg-type]


def rule(**stops: BiasStop) -> Stopping:
    return Stopping(
        until="width=0.3",
        width=0.3,
        over=all(s.reason for s in stops.values()),
        rounds=[RoundNote(calls=40, biases=2), RoundNote(calls=20, biases=1)],
        biases=stops,
        saving=Saving(calls=60, pool=5000, widest=0.39, fixed=240, fixed_trials=2),
    )


def shown(stopping: Stopping) -> tuple[str, str]:
    result = msgspec.structs.replace(made.run(), stopping=stopping)
    out = io.StringIO()
    show(result, Console(file=out, width=200))
    return out.getvalue(), render_page([result])


def test_terminal_and_page_say_how_each_bias_ended_and_what_was_saved() -> None:
    text, page = shown(rule(anchoring_effect=stop("width"), other=stop("floor", 0.39, 0.36)))
    assert "Until width=0.3 1 of 2 biases narrow enough, 1 ended at the floor" in text
    assert "more replies would leave about 0.36" in text
    assert "75 % fewer than the 240 of a fixed plan (--trials 2) for the same widest interval, 0.39" in text
    assert 'id="stopping"' in page and "narrow enough" in page and "75 % fewer" in page


def test_a_run_without_a_rule_has_no_such_panel() -> None:
    page = render_page([made.run()])
    assert 'id="stopping"' not in page and "#stopping" not in page


@pytest.mark.parametrize(
    ("made_stop", "words"),
    [
        (stop("width"), "narrow enough"),
        (stop("floor", 0.39, 0.389), "more replies would not narrow it"),
        (stop("pool", 0.33), "would not bring it to 0.30"),
        (stop("withheld", None, items=10), "nothing to estimate"),
        (stop(None, 0.5), "not ended yet"),
    ],
)
def test_every_reason_has_its_words(made_stop: BiasStop, words: str) -> None:
    assert words in ended(made_stop, 0.3)


def test_a_rule_that_needed_more_than_a_fixed_plan_says_so() -> None:
    assert "20 % more than the 50" in saved(Saving(calls=60, pool=99, widest=0.4, fixed=50, fixed_trials=1), 3)
    assert "no fixed plan" in saved(Saving(calls=60, pool=99, widest=0.4), 3)
    assert saved(Saving(calls=20, pool=99, widest=None), 1) == "20 calls in 1 round; the pool holds 99"


def test_hostile_names_stay_text() -> None:
    hostile = "<script>alert(1)</script>\x1b[31m"
    text, page = shown(rule(**{hostile: stop("floor", 0.4)}))
    assert "\x1b[31m" not in text and "<script>alert(1)" not in page
