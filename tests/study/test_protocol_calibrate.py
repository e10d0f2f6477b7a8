"""Protocols against subjects whose behaviour under them is known: small studies, with a seed."""

from __future__ import annotations

import json
from functools import lru_cache

import msgspec
import pytest
from click.testing import CliRunner

from fiducial.bias.protocols.registry import estimate_protocols
from fiducial.cli.main import fiducial
from fiducial.errors import UsageError
from fiducial.model.sim.spec import parse_spec
from fiducial.model.sim.subject import SimModel
from fiducial.run.plan import trial_seed
from fiducial.study.chats import hold, said, seeded
from fiducial.study.protocol_calibrate import (
    PROTOCOLS,
    ChatDesign,
    blocks_of,
    calibrate_protocols,
    check_protocols,
    one_run,
)
from fiducial.study.protocol_known import STEADY, TRIED, known
from fiducial.study.protocol_summary import Interval, Row, judge, summarise
from fiducial.study.protocol_tables import as_markdown

SMALL = {"chain": (), "robustness": ("status_quo_bias",)}
PLANTED = {
    "context": "planted:effect=.2,expertise=.3,stakes=.2",
    "temporal-persistent": "planted:effect=.5,keep=.9",
    "temporal-adaptive": "planted:effect=.6,stick=.3,name=1",
    "conversation": "planted:effect=0,pressure=.25",
    "compound": "planted:effect=.3,second=.1,interaction=.4",
    "chain": "planted:effect=.8,carry=.9",
    "meta": "planted:effect=.6,correct=.8,overcorrect=.1",
    "robustness": "planted:effect=.2,wobble=.5",
}


@lru_cache
def study(protocol: str) -> list[Row]:
    design = ChatDesign(
        protocols=(protocol,),
        subjects=("coin", "rational", PLANTED[protocol]),
        runs=4,
        biases=SMALL.get(protocol, ("status_quo_bias", "anchoring_effect")),
        spoken=4,
        rounds=3,
    )
    return calibrate_protocols(design, workers=1).rows


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_coin_shows_nothing_and_a_planted_subject_what_was_planted(protocol: str) -> None:
    coin, rational, planted = study(protocol)
    assert coin.group == rational.group == "null" and planted.group == "smooth"
    assert coin.over_all.error is not None and abs(coin.over_all.error) < 0.12
    assert coin.over_all.covered is not None and coin.over_all.covered >= 0.75
    assert rational.over_all.excludes == 0.0 and (rational.runs, coin.runs) == (1, 4)
    assert planted.over_all.error is not None and abs(planted.over_all.error) < 0.15
    assert planted.over_all.covered is not None and planted.over_all.covered >= 0.5
    assert abs(planted.truth) > 0.15 and planted.rows.covered is not None and planted.rows.covered > 0.8
    assert planted.spoken > 0 and planted.unread + planted.misread <= 0.01 * planted.spoken


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_subject_of_a_protocol_is_possible_and_of_every_kind(protocol: str) -> None:
    tried = TRIED[protocol]
    design = ChatDesign(protocols=(protocol,), biases=tried.biases[:1] or ("status_quo_bias",), spoken=1000)
    heard = {one.subject: one for one in one_run(design, protocol, 10)}
    assert set(heard) == set(tried.subjects) and set(STEADY) <= set(heard)
    truths = {subject: one.truth for subject, one in heard.items()}
    assert all(truths[s] == 0 for s in tried.subjects if not s.startswith("planted"))
    assert sum(t != 0 for t in truths.values()) >= 3
    assert any(t == 0 for s, t in truths.items() if s.startswith("planted"))


def test_a_chat_held_in_memory_sends_what_a_run_sends() -> None:
    design = ChatDesign(protocols=("meta",), biases=("status_quo_bias", "anchoring_effect"))
    _, source = blocks_of(design, "meta", 1)
    model = SimModel(parse_spec("planted:effect=.4,correct=.5"))
    trials = list(source.trials(repetitions=1))
    held = hold(source, model, trials, seed=1, spoken=True)
    replies: dict[str, tuple[str, ...]] = {}
    for trial, answer in zip(trials, held.answers, strict=True):
        history = replies[trial.parent] if trial.parent else ()
        request = seeded(source.request(trial, history), trial_seed(1, trial.id))
        replies[trial.id] = (*history, said(model, request).text)
        assert answer.block.turn == trial.turn
        assert request.messages[-2].text == history[-1] if history else len(request.messages) == 1
    again = hold(source, model, trials, seed=1, spoken=True)
    assert [a.score for a in again.answers] == [a.score for a in held.answers]
    assert held.spoken == len(trials) and held.unread == 0


def test_unspoken_chats_come_to_what_spoken_ones_do() -> None:
    design = ChatDesign(protocols=("temporal-persistent",), biases=("status_quo_bias",))
    protocol, source = blocks_of(design, "temporal-persistent", 3)
    trials = list(source.trials(repetitions=4))
    spec = parse_spec("planted:effect=.5,keep=.8")
    values = []
    for spoken in (True, False):
        held = hold(source, SimModel(spec), trials, seed=3, spoken=spoken)
        blocks = list(source.blocks.values())
        (found,) = estimate_protocols([protocol], source.biases, blocks, held.answers)
        truth = known("temporal-persistent", spec, blocks, found)
        values.append(getattr(found.estimate, "value", None))
        assert truth.main == pytest.approx((0.4 + 0.32 + 0.256) / 3)
    assert all(value == pytest.approx(0.325, abs=0.12) for value in values)


def test_a_single_chat_of_a_kind_an_item_does_not_bias_what_checking_does() -> None:
    """Compared only where both kinds of chat began alike, the items left over would say -.48 here."""
    design = ChatDesign(protocols=("meta",), biases=("status_quo_bias",))
    spec = parse_spec("planted:effect=.5,correct=.5,overcorrect=.1")
    values = []
    for seed in range(40):
        protocol, source = blocks_of(design, "meta", seed)
        trials = list(source.trials(repetitions=1, in_turns=True))
        held = hold(source, SimModel(spec), trials, seed=seed, spoken=False)
        (found,) = estimate_protocols([protocol], source.biases, list(source.blocks.values()), held.answers)
        values.append(getattr(found.estimate, "value", 0.0))
    assert sum(values) / len(values) == pytest.approx(-0.5 * 0.6, abs=0.08)


def test_two_workers_find_what_one_does() -> None:
    design = ChatDesign(
        protocols=("compound", "meta"), subjects=("coin", PLANTED["meta"]), runs=2, biases=("status_quo_bias",)
    )
    steps: list[int] = []
    assert calibrate_protocols(design, workers=2, step=lambda: steps.append(1)) == calibrate_protocols(
        design, workers=1
    )
    assert len(steps) == 4


def _row(subject: str, truth: float, intervals: list[Interval], *, lumpy: bool = False) -> Row:
    return summarise("meta", subject, [intervals], lumpy=lumpy, truth=truth, heard=(0, 0, 0))


def test_a_row_counts_biases_all_items_and_rows_apart() -> None:
    found = [
        Interval("bias", "a", 0.2, 0.3, 0.1, 0.5),
        Interval("bias", "b", 0.2, 0.0, -0.1, 0.1),
        Interval("bias", "c", 0.2),
        Interval("all", "all items", 0.2, 0.2, 0.15, 0.25),
        Interval("row", "after: check", 0.0, 0.0, 0.0, 0.4),
    ]
    row = _row("x", 0.2, found)
    assert (row.by_bias.intervals, row.by_bias.withheld, row.by_bias.excludes, row.by_bias.covered) == (
        2,
        1,
        0.5,
        0.5,
    )
    assert row.by_bias.error == pytest.approx(-0.05) and row.over_all.covered == 1.0
    assert row.rows.excludes == 0.0 and row.by_name["after: check"].covered == 1.0
    assert row.group == "smooth" and _row("x", 0.2, found, lumpy=True).group == "lumpy"
    assert _row("x", 0.0, found, lumpy=True).group == "null"


def _with(row: Row, **shares: float) -> Row:
    by_bias = msgspec.structs.replace(row.by_bias, intervals=1000, **shares)
    return msgspec.structs.replace(row, by_bias=by_bias)


def test_bounds_hold_for_the_worst_null_subject_and_for_the_pool_of_smooth_ones() -> None:
    null, smooth = _row("coin", 0.0, []), _row("planted:effect=.3", 0.3, [])
    good = [_with(null, excludes=0.07), _with(smooth, covered=0.91), _with(smooth, covered=0.97)]
    assert [bound.state for bound in judge("meta", good)] == ["met", "met"]
    assert judge("meta", [*good, _with(null, excludes=0.08)])[0].state == "missed"
    assert judge("meta", [_with(smooth, covered=0.98)])[0].state == "missed"
    few = msgspec.structs.replace(null, by_bias=msgspec.structs.replace(null.by_bias, intervals=999, excludes=0.5))
    assert judge("meta", [few])[0].state == "too few"


def test_unknown_protocols_and_impossible_subjects_are_refused_before_anything_runs() -> None:
    with pytest.raises(UsageError, match="Nearest: conversation"):
        check_protocols(["conversations"])
    with pytest.raises(UsageError, match="without --protocol"):
        check_protocols(["standard"])
    assert check_protocols(["all", "meta", "compound:expert"]) == (*PROTOCOLS, "compound:expert")
    with pytest.raises(UsageError, match="probability"):
        calibrate_protocols(ChatDesign(protocols=("meta",), subjects=("planted:effect=.9,wobble=.5",)))
    with pytest.raises(UsageError, match="nothing in the item follows"):
        calibrate_protocols(ChatDesign(protocols=("chain",), biases=("anchoring_effect",)))


def test_the_command_prints_tables_or_one_json_document() -> None:
    args = ["bias", "calibrate", "--protocol", "compound:expert", "--runs", "1", "--bias", "status_quo_bias"]
    args += ["--subject", "coin", "--subject", "sim/planted:effect=.3,interaction=.2"]
    shown = CliRunner().invoke(fiducial, args)
    assert shown.exit_code == 0, shown.output
    assert "## compound:expert" in shown.stdout and "fewer than 1,000" in shown.stdout
    document = json.loads(CliRunner().invoke(fiducial, [*args, "--json"]).stdout)
    assert [row["subject"] for row in document["rows"]] == ["coin", "planted:effect=.3,interaction=.2"]
    assert document["rows"][1]["truth"] == 0.2


@pytest.mark.parametrize("more", [["--arms", "control"], ["--tier", "extended"]])
def test_options_of_the_standard_protocol_are_refused_beside_others(more: list[str]) -> None:
    result = CliRunner().invoke(fiducial, ["bias", "calibrate", "--protocol", "meta", *more])
    assert result.exit_code != 0 and isinstance(result.exception, UsageError)
    result = CliRunner().invoke(fiducial, ["bias", "calibrate", "--rounds", "3"])
    assert result.exit_code != 0 and isinstance(result.exception, UsageError)


def test_the_table_says_what_was_run() -> None:
    design = ChatDesign(protocols=("meta",), subjects=("coin",), runs=1, biases=("status_quo_bias",))
    text = as_markdown(calibrate_protocols(design, workers=1))
    assert "battery seeds 1 to 1, at moderate; status_quo_bias." in text and "| coin " in text
