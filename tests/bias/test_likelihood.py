"""Probabilities of letters: what a token says of a choice, and runs that are read by them."""

from __future__ import annotations

import math
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.bias.likelihood import LEAST, NO_LETTER, NO_LOGPROBS, Letters, letters
from fiducial.bias.load import packaged_battery
from fiducial.bias.run import BiasOptions, collect_run, prepare_run, rescore
from fiducial.bias.stopping.until import Until
from fiducial.errors import UsageError
from fiducial.model.names import open_model
from fiducial.model.reply import Token
from fiducial.model.request import Settings
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from fiducial.run.store import Store
from fiducial.study.compare import compare
from tests.run.support import seal

AB = ("A", "B")
FEW = ("gain_loss_framing", "base_rate_neglect", "hindsight_bias")


def token(text: str, **chances: float) -> Token:
    top = tuple((name, math.log(p)) for name, p in chances.items())
    return Token(text, dict(top).get(text, math.log(0.5)), top)


def spelt(text: str, chances: dict[str, float]) -> Token:
    return Token(text, math.log(chances[text]), tuple((name, math.log(p)) for name, p in chances.items()))


def found(tokens: list[Token], labels: tuple[str, ...] = AB) -> Letters:
    read = letters(tokens, labels)
    assert read is not None
    return read


def test_the_probability_of_a_letter_is_its_share_of_what_lies_on_letters() -> None:
    read = found([token("A", A=0.6, B=0.2, The=0.15)])
    assert read.chances == pytest.approx((0.75, 0.25)) and read.mass == pytest.approx(0.8)


def test_a_letter_counts_in_every_form_that_a_token_may_have_it_in() -> None:
    chances = {"A": 0.1, " A": 0.1, "a": 0.1, "A)": 0.1, "**B": 0.2, "(B": 0.1, " b": 0.1, "Ap": 0.1, "AB": 0.1}
    read = found([spelt("A", chances)])
    assert read.chances == pytest.approx((0.5, 0.5)) and read.mass == pytest.approx(0.8)


def test_tokens_that_only_lead_up_to_the_letter_are_followed_with_their_own_probability() -> None:
    lead = [spelt("Answer", {"Answer": 0.8, "B": 0.1}), spelt(":", {":": 1.0}), spelt(" A", {" A": 0.9, " B": 0.1})]
    read = found(lead)
    assert read.chances == pytest.approx((0.72 / 0.9, 0.18 / 0.9)) and read.mass == pytest.approx(0.9)


def test_a_reply_that_begins_otherwise_is_not_followed_into_its_sentences() -> None:
    chatty = [spelt("I", {"I": 0.9, "A": 0.05}), spelt(" would", {" would": 1.0}), spelt(" A", {" A": 1.0})]
    assert found(chatty).mass == pytest.approx(0.05) and LEAST > 0.05


def test_after_the_letter_nothing_is_added() -> None:
    twice = [spelt("A", {"A": 0.6, "B": 0.4}), spelt(" B", {" B": 1.0})]
    assert found(twice).chances == pytest.approx((0.6, 0.4)) and found(twice).mass == pytest.approx(1.0)


@pytest.mark.parametrize("tokens", [[], [spelt("Hm", {"Hm": 1.0})], [Token("\n", -0.1), Token(" ", -0.1)]])
def test_without_any_letter_there_is_nothing(tokens: list[Token]) -> None:
    assert letters(tokens, AB) is None


@given(
    st.lists(
        st.tuples(
            st.text(max_size=4),
            st.floats(allow_nan=True, allow_infinity=True),
            st.lists(st.tuples(st.text(max_size=4), st.floats(allow_nan=True, allow_infinity=True)), max_size=5),
        ),
        max_size=5,
    )
)
def test_whatever_a_server_calls_a_token_the_result_is_a_distribution_or_none(raw: list[Any]) -> None:
    read = letters([Token(text, logprob, tuple(map(tuple, top))) for text, logprob, top in raw], AB)
    assert read is None or (sum(read.chances) == pytest.approx(1.0) and 0 < read.mass <= 1)


def ran(path: Path, model: str, read: str, trials: int = 1, **more: Any) -> Any:
    options = BiasOptions(
        model=model, tier="core", biases=FEW, arms=("control", "strong"), trials=trials, read=read, **more
    )
    prepared = prepare_run(packaged_battery(), options, out=path)
    collect_run(prepared, open_model(model), options, limits=Limits(), budget=Budget(), progress=Silent())
    return rescore(path).result


def test_one_call_a_prompt_gives_the_planted_effect_without_the_noise_of_sampling(tmp_path: Path) -> None:
    result = ran(tmp_path / "p.db", "sim/planted:effect=.3,position=.2", "logprobs")
    assert result.complete and result.calls == 126
    for bias in result.biases[:2]:
        assert (
            bias.effect.value == pytest.approx(0.3)
            if hasattr(bias.effect, "value")
            else bias.id == "hindsight_bias"
        )
    assert result.position.value == pytest.approx(0.1, abs=0.02)
    assert result.letters.mean == pytest.approx(1.0) and result.letters.unread == 0


def test_items_that_no_letter_answers_are_left_out_and_the_result_says_so(tmp_path: Path) -> None:
    for read in ("letter", "logprobs"):
        result = ran(tmp_path / f"{read}.db", "sim/coin", read)
        (left,) = [bias for bias in result.biases if bias.id == "hindsight_bias"]
        assert "left out" in left.effect.withheld and read in left.effect.withheld


def test_sampling_the_same_contract_agrees_and_is_compared_item_by_item(tmp_path: Path) -> None:
    model = "sim/planted:effect=.3,spread=.2"
    ran(tmp_path / "one.db", model, "logprobs")
    ran(tmp_path / "other.db", model, "letter", trials=10)
    compared = compare(tmp_path / "one.db", tmp_path / "other.db")
    assert compared.settings_differ["read"] == {"a": "logprobs", "b": "letter"}
    for bias in compared.biases:
        if bias.id != "hindsight_bias":
            difference: Any = bias.difference
            assert bias.paired and bias.paired_items == 15
            assert difference.low - 0.05 <= 0 <= difference.high + 0.05


def test_text_is_another_contract_so_no_item_and_no_trial_is_the_same(tmp_path: Path) -> None:
    for read in ("text", "letter", "logprobs"):
        ran(tmp_path / f"{read}.db", "sim/rational", read)

    def ids(read: str) -> set[str]:
        with Store(tmp_path / f"{read}.db") as store:
            return {row[0] for row in store.db.execute("SELECT id FROM trial")}

    assert not ids("text") & ids("letter") and ids("letter") == ids("logprobs")
    compared = compare(tmp_path / "text.db", tmp_path / "letter.db")
    assert not compared.paired and "read" in compared.settings_differ
    with pytest.raises(UsageError, match="another run"):
        ran(tmp_path / "letter.db", "sim/rational", "text")


def test_the_contract_stands_at_the_end_of_every_prompt_and_the_settings_are_its_own() -> None:
    options = BiasOptions(model="sim/coin", biases=FEW, read="logprobs")
    prepared = prepare_run(packaged_battery(), options)
    for trial in prepared.plan.trials:
        request = prepared.source.request(trial)
        assert request.messages[-1].text.endswith("Answer with the letter of your choice only, and nothing else.")
        assert request.settings == Settings(temperature=0.0, max_tokens=8, logprobs=20)
    letter = prepare_run(packaged_battery(), msgspec.structs.replace(options, read="letter"))
    assert letter.source.request(letter.plan.trials[0]).settings == Settings(temperature=1.0, max_tokens=8)


def test_a_subject_that_puts_little_on_the_letters_is_unread_with_a_reason(tmp_path: Path) -> None:
    result = ran(tmp_path / "r.db", "sim/refuser", "logprobs")
    assert result.unread == {NO_LETTER: 126} and result.letters.unread == 126


def test_replies_that_come_without_probabilities_are_unread_with_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "none.db"
    ran(path, "sim/coin", "logprobs")
    with sqlite3.connect(path) as db:
        db.execute("UPDATE reply SET tokens = NULL")
        seal(db)
    result = rescore(path).result
    assert result.unread == {NO_LOGPROBS: 126} and result.letters is not None and result.letters.mean is None


def test_a_stopping_rule_sees_that_probabilities_have_no_noise(tmp_path: Path) -> None:
    result = ran(tmp_path / "u.db", "sim/planted:effect=.3,spread=.1", "logprobs", 20, until=Until(0.3))
    assert result.complete and result.calls <= 2 * 2 * 15 + 20
    assert {stop.reason for bias, stop in result.stopping.biases.items() if bias != "hindsight_bias"} == {"width"}


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"model": "anthropic/claude-x"}, "Anthropic's API gives no log probabilities"),
        ({"model": "inspect/anthropic/claude-x"}, "Inspect's provider anthropic"),
        ({"model": "replay/some"}, "a replay has the texts"),
        ({"settings": Settings(temperature=0.5)}, "at temperature 1"),
        ({"settings": Settings(temperature=1.0, top_p=0.9)}, "--top-p"),
        ({"protocols": ("context",)}, "standard protocol"),
        ({"biases": ("hindsight_bias",)}, "nothing to run"),
        ({"read": "mind"}, "one of text, letter, logprobs"),
    ],
)
def test_what_cannot_be_read_so_is_refused_before_any_call(more: dict[str, Any], why: str) -> None:
    given: dict[str, Any] = {"model": "sim/coin", "read": "logprobs", **more}
    with pytest.raises(UsageError, match=why):
        prepare_run(packaged_battery(), BiasOptions(**given))


def test_what_lay_on_no_letter_counts_as_unread_in_the_bounds_and_keeps_a_bias_from_being_flagged(
    tmp_path: Path,
) -> None:
    path = tmp_path / "half.db"
    ran(path, "sim/planted:effect=.6", "logprobs")
    before = {bias.id: bias for bias in rescore(path).result.biases}
    with sqlite3.connect(path) as db:
        for reply, blob in db.execute("SELECT id, tokens FROM reply").fetchall():
            (one,) = msgspec.msgpack.decode(blob, type=tuple[Token, ...])
            half = tuple((text, logprob + math.log(0.5)) for text, logprob in one.top)
            stored = msgspec.msgpack.encode((Token(one.text, one.logprob + math.log(0.5), half),))
            db.execute("UPDATE reply SET tokens = ? WHERE id = ?", (stored, reply))
        seal(db)
    result = rescore(path).result
    for bias in result.biases[:2]:
        if bias.id == "hindsight_bias":
            continue
        effect: Any = bias.effect
        assert effect.value == pytest.approx(0.6) and before[bias.id].flagged
        assert bias.bounds == pytest.approx((0.3 - 0.5, 0.3 + 0.5))
        assert not bias.flagged and bias.reason == "unread"
    assert result.letters is not None and result.letters.mean == pytest.approx(0.5)
