"""The calibration on a small scale: that its machinery counts right, not that the estimator is right to a percent."""

from __future__ import annotations

import json
from functools import lru_cache

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from fiducial.bias.effects import Table
from fiducial.bias.load import packaged_battery
from fiducial.bias.source import battery_source
from fiducial.cli.main import fiducial
from fiducial.errors import UsageError
from fiducial.model.sim.spec import parse_spec
from fiducial.study.calibrate import SUBJECTS, Calibration, Design, calibrate, one_run
from fiducial.study.older import susceptibilities
from fiducial.study.summary import Bound, Found, Outcome, Row, group_of, judge, summarise
from fiducial.study.tables import as_markdown

FEW = ("conjunction_fallacy", "gain_loss_framing", "hindsight_bias")
PLANTED = "planted:effect=.3,position=.3"
DESIGN = Design(subjects=("coin", "fixed", "rational", PLANTED, "planted:effect=-.3"), runs=8, biases=FEW)


@lru_cache
def study() -> Calibration:
    return calibrate(DESIGN, workers=1)


def row(subject: str) -> Row:
    return next(r for r in study().rows if r.subject == subject)


def test_every_subject_has_a_row_that_counts_every_effect_of_every_run() -> None:
    assert [r.subject for r in study().rows] == list(DESIGN.subjects)
    for r in study().rows:
        assert (r.runs, r.intervals + r.withheld, r.older.effects) == (8, 8 * len(FEW), 8 * len(FEW))
        assert r.covered_by_bias.keys() == set(FEW)
        assert r.misread <= 0.005 * r.replies and r.unread <= 0.02 * r.replies


@pytest.mark.parametrize("subject", ["coin", "fixed"])
def test_where_there_is_no_bias_ours_is_zero_on_average_and_the_older_formula_is_not(subject: str) -> None:
    r = row(subject)
    assert r.mean is not None and r.excludes is not None and r.older.mean is not None
    assert abs(r.mean) < 0.07 and r.excludes <= 0.2 and r.flagged_runs <= 0.25
    assert r.older.mean > 0.08
    assert r.older.runs_present is not None and r.older.runs_present >= 0.5


def test_a_subject_that_always_answers_the_same_is_exactly_zero_with_an_interval() -> None:
    r = row("rational")
    assert (r.mean, r.excludes, r.flagged_runs) == (0.0, 0.0, 0.0)
    assert r.width is not None and r.width > 0


@pytest.mark.parametrize(("subject", "effect"), [(PLANTED, 0.3), ("planted:effect=-.3", -0.3)])
def test_a_planted_effect_is_covered_with_its_sign(subject: str, effect: float) -> None:
    r = row(subject)
    assert r.covered is not None and r.bias is not None and r.rmse is not None
    assert (r.effect, r.covered >= 0.8, abs(r.bias) < 0.07) == (effect, True, True)
    assert r.rmse >= abs(r.bias)


def test_the_older_formula_loses_the_sign() -> None:
    older = row("planted:effect=-.3").older
    assert older.mean is not None and older.bias is not None
    assert older.mean > 0.2 and older.bias > 0.5


def test_runs_differ_from_each_other_and_not_from_themselves() -> None:
    design = msgspec.structs.replace(DESIGN, subjects=("fixed", "planted:effect=.4,lumpy=1"), biases=FEW[:1])
    one, two = one_run(design, 0), one_run(design, 1)
    assert one == one_run(design, 0)
    assert all(a.found != b.found for a, b in zip(one, two, strict=True))


def test_two_workers_find_what_one_does() -> None:
    design = msgspec.structs.replace(DESIGN, runs=3, biases=FEW[:1])
    steps: list[int] = []
    assert calibrate(design, workers=2, step=lambda: steps.append(1)) == calibrate(design, workers=1)
    assert len(steps) == 3


def test_an_effect_planted_in_one_bias_is_zero_in_the_others() -> None:
    design = msgspec.structs.replace(DESIGN, subjects=(f"planted:effect=.5,bias={FEW[0]}",))
    (outcome,) = one_run(design, 0)
    assert {f.bias: f.truth for f in outcome.found} == {FEW[0]: 0.5, FEW[1]: 0.0, FEW[2]: 0.0}


def test_a_row_is_counted_from_its_intervals() -> None:
    found = [
        Found(bias="a", truth=0.3, value=0.4, low=0.1, high=0.7, older=0.4),
        Found(bias="b", truth=0.3, value=0.0, low=-0.2, high=0.2, older=0.05),
        Found(bias="c", truth=0.3),
    ]
    outcome = Outcome(subject="x", found=found, flagged=1, replies=9, unread=2, misread=1)
    quiet = msgspec.structs.replace(outcome, found=[], flagged=0)
    r = summarise(parse_spec("planted:effect=.3"), "x", [outcome, quiet])
    assert (r.intervals, r.withheld, r.excludes, r.covered, r.flagged_runs) == (2, 1, 0.5, 0.5, 0.5)
    assert r.bias == pytest.approx(-0.1) and r.rmse == pytest.approx(np.sqrt((0.01 + 0.09) / 2))
    assert (r.older.present, r.older.runs_present, r.replies, r.unread) == (0.5, 0.5, 18, 4)
    assert r.covered_by_bias == {"a": 1.0, "b": 0.0}


def _row(subject: str, **changed: object) -> Row:
    base = row("coin")
    spec = parse_spec(subject)
    given = {"excludes": 0.05, "covered": 0.95, "flagged_runs": 0.02, "intervals": 3000, **changed}
    return msgspec.structs.replace(base, subject=subject, group=group_of(spec), **given)


def _states(bounds: list[Bound]) -> list[str]:
    return [bound.state for bound in bounds]


def test_bounds_hold_for_the_worst_null_and_lumpy_subject_and_for_the_pool_of_smooth_ones() -> None:
    smooth = [_row("planted:effect=.3", covered=0.91), _row("planted:effect=-.3", covered=0.97)]
    lumpy = [_row("planted:effect=.1,lumpy=1", covered=0.99), _row("planted:effect=.4,lumpy=1", covered=0.93)]
    null = [_row("first", excludes=0.0, flagged_runs=0.0), _row("coin", excludes=0.07, flagged_runs=0.05)]
    assert _states(judge([*null, *smooth, *lumpy])) == ["met"] * 4
    assert [b.value for b in judge(null)] == [0.07, 0.05]
    assert _states(judge([*null, _row("fixed", excludes=0.071)])) == ["missed", "met"]
    assert _states(judge([*null, _row("fixed", flagged_runs=0.051)])) == ["met", "missed"]
    assert _states(judge([*lumpy, _row("planted:effect=.05,lumpy=1", covered=0.929)])) == ["missed"]
    assert _states(judge([smooth[0], _row("planted:effect=-.3", covered=0.94)])) == ["missed"]
    assert _states(judge([_row("planted:effect=.3", covered=0.98)])) == ["missed"]


def test_too_few_intervals_are_not_judged() -> None:
    assert _states(judge([_row("coin", excludes=0.5, intervals=2999)])) == ["too few", "too few"]
    assert "fewer than 3,000" in as_markdown(study())
    assert judge([_row("coin", intervals=0)]) == []


def test_the_older_formula_looks_at_one_order_and_pools_replies() -> None:
    source = battery_source(packaged_battery().select(["conjunction_fallacy", "endowment_effect"]), seed=1)
    rows = [  # item, sign, order, score: order 1 would change everything, and so would the unread one
        *((0, 1, 0, 0.0), (1, 1, 0, 0.0), (1, 1, 0, 1.0), (1, 1, 0, 0.0)),
        *((0, -1, 0, 1.0), (1, -1, 0, np.nan), (0, 1, 1, 1.0), (0, -1, 1, 0.0)),
    ]
    item, sign, order, score = (np.array(column) for column in zip(*rows, strict=True))
    table = Table(item=item, column=np.zeros(8, dtype=np.int64), sign=sign, order=order, score=score)
    (only,) = susceptibilities(source, table)
    assert (only.bias, only.value, only.present) == ("conjunction_fallacy", 0.75, True)


def test_the_default_subjects_are_possible_and_of_three_kinds() -> None:
    groups = [group_of(parse_spec(text)) for text in SUBJECTS]
    assert groups == ["null"] * 6 + ["smooth"] * 5 + ["lumpy"] * 3
    assert group_of(parse_spec("planted:effect=0,position=.5")) == "null"


def test_an_impossible_subject_is_refused_before_anything_runs() -> None:
    with pytest.raises(UsageError, match="no simulated subject"):
        calibrate(Design(subjects=("dice",)))
    with pytest.raises(UsageError, match="given twice"):
        calibrate(Design(subjects=("planted:effect=.3,seed=4",)))


def test_the_command_prints_the_table_or_one_json_document() -> None:
    args = ["bias", "calibrate", "--runs", "2", "--subject", "sim/coin", "--bias", FEW[0]]
    shown = CliRunner().invoke(fiducial, args)
    assert shown.exit_code == 0
    assert "## The older formula on the same replies" in shown.stdout and "| coin " in shown.stdout
    document = json.loads(CliRunner().invoke(fiducial, [*args, "--json"]).stdout)
    assert document["rows"][0]["subject"] == "coin" and document["bounds"][0]["state"] == "too few"


def test_the_command_ends_with_1_where_a_bound_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = msgspec.structs.replace(study(), bounds=judge([_row("coin", excludes=0.2)]))
    monkeypatch.setattr("fiducial.study.calibrate.calibrate", lambda design, step: broken)
    result = CliRunner().invoke(fiducial, ["bias", "calibrate"])
    assert result.exit_code == 1 and "missed" in result.stdout
