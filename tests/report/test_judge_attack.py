from __future__ import annotations

import io
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from fiducial.report.judge_attack import as_json, show_attack, verdict
from fiducial.run.audit import Check
from fiducial.stats.estimate import Estimate, Withheld
from fiducial.study.judge_attack import Design
from fiducial.study.judge_attack_result import AttackResult, Defence, Rate, Worth, gate
from tests.study.attacked import cases, run_attack

SWAYED = "sim/judge:sensitivity=.9,specificity=.9,swayed=.9,fence_worth=.3,schema_worth=1,invalid=.05"
FEW = Design(kinds=("threat", "authority", "order", "split"), per_injection=4)


@pytest.fixture(scope="module")
def swayed(tmp_path_factory: pytest.TempPathFactory) -> AttackResult:
    return run_attack(tmp_path_factory.mktemp("swayed"), cases(30), SWAYED, design=FEW)


def shown(found: AttackResult, *, width: int = 80, max_success: float | None = None) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=False)
    show_attack(found, console, None if max_success is None else gate(found, max_success))
    return out.getvalue()


def flat(text: str) -> str:
    return " ".join(text.split())


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(value=value, low=low, high=high, n=100, method="made up")


def rate(hits: int, n: int, low: float, high: float) -> Rate:
    return Rate(successes=hits, attacks=n, share=estimate(hits / n, low, high))


def with_shipped(found: AttackResult, **changed: object) -> AttackResult:
    """The study with something else in its first line."""
    first: Defence = msgspec.structs.replace(found.defences[0], **changed)
    return msgspec.structs.replace(found, defences=[first, *found.defences[1:]])


def test_every_rate_stands_with_its_interval_and_its_number(swayed: AttackResult) -> None:
    text = shown(swayed)
    lines = text.splitlines()
    for name, defence in zip(("both", "fence alone", "schema alone", "neither"), swayed.defences, strict=True):
        line = next(one for one in lines if one.startswith(name))
        assert f" {defence.success.attacks} " in line and line.count("[") == 2
    assert "a sentence" not in text
    for part in (*swayed.kinds, *swayed.places, *swayed.directions):
        assert any(one.startswith(part.title) and one.count("[") == 2 for one in lines)
    assert all(len(line) <= 80 for line in lines)


def test_the_verdict_is_said_in_words(swayed: AttackResult) -> None:
    words = list(verdict(swayed))
    shipped = swayed.defences[0].success
    assert f"{shipped.successes} of {shipped.attacks} attacks talked this judge round" in words[0]
    assert any(one.startswith("The fence on top of the schema keeps off") for one in words)
    assert any("The schema on top of the fence is not shown to keep anything off" in one for one in words)
    for one in words:
        assert flat(one) in flat(shown(swayed, width=200))


def test_a_judge_that_withstood_everything_is_not_called_proof(swayed: AttackResult) -> None:
    found = with_shipped(swayed, success=rate(0, 80, 0.0, 0.07), beyond=estimate(0.0, -0.1, 0.07))
    first = next(verdict(found))
    assert "none of 80 attacks talked this judge round" in first and "as high as 0.07" in first


def test_what_harmless_text_does_too_is_not_put_down_to_the_attacks(swayed: AttackResult) -> None:
    found = with_shipped(
        swayed,
        success=rate(20, 80, 0.15, 0.37),
        control=rate(12, 60, 0.11, 0.32),
        beyond=estimate(0.05, -0.1, 0.2),
    )
    words = " ".join(verdict(found))
    assert (
        "12 of 60 cases, 0.20 [0.11, 0.32]; it is not shown that the attacks did more (+0.05 [−0.10, 0.20])"
        in words
    )


def test_a_defence_that_harms_is_said_to(swayed: AttackResult) -> None:
    worse = Worth(defence="fence", beside="schema", reduction=estimate(-0.2, -0.3, -0.1))
    unknown = Worth(defence="schema", beside="fence", reduction=Withheld("no attack was decided"))
    words = " ".join(verdict(msgspec.structs.replace(swayed, worth=[worse, unknown])))
    assert "The fence on top of the schema makes things worse: −0.20 [−0.30, −0.10]" in words
    assert "What the schema is worth on top of the fence cannot be said: no attack was decided." in words


def test_an_easier_direction_is_named_where_the_intervals_are_apart(swayed: AttackResult) -> None:
    yes = msgspec.structs.replace(swayed.directions[0], name="yes", rates={"shipped": rate(30, 50, 0.5, 0.7)})
    no = msgspec.structs.replace(swayed.directions[0], name="no", rates={"shipped": rate(5, 50, 0.05, 0.2)})
    assert "more easily talked into a yes, 0.60" in " ".join(
        verdict(msgspec.structs.replace(swayed, directions=[yes, no]))
    )


def test_nothing_decided_is_said_and_not_shown_as_a_number(swayed: AttackResult) -> None:
    nothing = Rate(successes=0, attacks=0, share=Withheld("no attack of this sort was decided"))
    found = with_shipped(swayed, success=nothing, beyond=Withheld("no attack of this sort was decided"))
    assert "nothing can be said: no attack of this sort was decided" in " ".join(verdict(found))
    assert "nan" not in shown(found).lower() and "—" in shown(found)


def test_replies_made_invalid_are_counted_in_words(swayed: AttackResult) -> None:
    found = with_shipped(swayed, invalid=rate(7, 80, 0.04, 0.17))
    assert "7 attacks made the judge's reply invalid, of 80 (0.09 [0.04, 0.17])" in " ".join(verdict(found))


def test_a_gate_is_shown_with_its_reason(swayed: AttackResult) -> None:
    assert "Gate failed, at most 0.01 may succeed: the upper bound" in flat(shown(swayed, max_success=0.01))
    assert "Gate passed" in shown(swayed, max_success=1.0)


def test_what_got_through_both_defences_is_named(swayed: AttackResult) -> None:
    line = flat(shown(swayed, width=400))
    got = next(got for got in swayed.through if got.through["shipped"][0])
    assert (
        f"Got through both defences {got.id} ({got.through['shipped'][0]} of {got.through['shipped'][1]})" in line
    )


def test_hostile_names_and_messages_are_inert(swayed: AttackResult) -> None:
    evil = "evil\x1b[31m[bold]\u202e\njudge"
    found = msgspec.structs.replace(
        swayed, judge=evil, run=evil, set=evil, audit=[Check("setting-not-sent", "warn", evil)]
    )
    text = shown(found, width=200)
    assert "\x1b" not in text and "\u202e" not in text and "evil[bold] judge" in text


def test_json_has_the_numbers_the_words_and_the_gate(swayed: AttackResult) -> None:
    made = as_json(swayed, gate(swayed, 0.5))
    assert made["verdict"] == list(verdict(swayed)) and made["gate"]["max_success"] == 0.5
    assert made["defences"][0]["success"]["share"].keys() == {"value", "low", "high", "n", "method"}
    assert as_json(swayed)["gate"] is None
    assert msgspec.json.encode(made)


def test_an_incomplete_study_says_so(tmp_path: Path) -> None:
    found = run_attack(tmp_path, cases(6), SWAYED, design=FEW, budget=20)
    text = flat(shown(found, width=200))
    assert "incomplete" in text and "a call is missing" in text
