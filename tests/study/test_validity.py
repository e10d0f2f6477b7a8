"""Item validity: every item plainly and under its positive control, and what the probabilities of a reply say."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from fiducial.bias.load import packaged_battery
from fiducial.model.python import PythonModel
from fiducial.model.reply import Token
from fiducial.model.request import WireRequest
from fiducial.run.budget import Budget
from fiducial.run.engine import collect, run_async
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from fiducial.run.store import Store, prepare
from fiducial.study.validity import (
    GIVEN_IN,
    PLAIN,
    ItemValidity,
    Validity,
    ValiditySource,
    item_validity,
    prepare_validity,
    text_chances,
)
from fiducial.study.validity_table import as_markdown


def test_every_core_bias_has_a_positive_control_that_no_ordinary_prompt_contains() -> None:
    biases = packaged_battery().select(tier="core")
    source = ValiditySource(biases, seed=1, constrained=False)
    assert all(bias.positive for bias in biases)
    texts = {trial.arm.split(":")[0]: set[str]() for trial in source.trials()}
    for trial in source.trials():
        request = source.request(trial)
        texts[trial.arm.split(":")[0]].add("\n".join(m.text for m in request.messages if m.role == "system"))
    assert texts[PLAIN] == {""}
    assert texts[GIVEN_IN] == {bias.positive.strip() for bias in biases if bias.positive}


def test_each_item_is_asked_once_an_arm_in_each_condition() -> None:
    biases = packaged_battery().select(["status_quo_bias", "overconfidence_effect"])
    source = ValiditySource(biases, seed=1, constrained=True)
    trials = list(source.trials())
    assert len(trials) == 15 * 2 * 2 + 60 * 2
    assert len({t.id for t in trials}) == len(trials)
    one = source.request(trials[0])
    assert one.settings.temperature == 0.0 and one.settings.grammar is not None
    assert one.truth is None
    wide = ValiditySource(biases, seed=1, constrained=False).request(trials[0])
    assert wide.settings.grammar is None


class Obedient:
    """Takes the drawn number for its estimate when it is told to, and else always the same."""

    def __init__(self, *, obeys: bool) -> None:
        self._obeys = obeys

    async def generate(self, request: WireRequest) -> str:
        told = any(m.role == "system" for m in request.messages)
        text = next(m.text for m in request.messages if m.role == "user")
        drawn = max(re.findall(r"\d+", text), key=text.count)  # it is said again and again, that is its weight
        return f"Answer: {drawn}" if told and self._obeys else "Answer: 1"


def validity(path: Path, *, obeys: bool) -> Validity:
    biases = packaged_battery().select(["anchoring_effect"])
    path, source, plan, meta = prepare_validity(biases, "py/obedient", seed=1, out=path)
    prepare(path, plan, meta)
    model = PythonModel("py/obedient", Obedient(obeys=obeys))
    run_async(collect(path, source, model, limits=Limits(), budget=Budget(), progress=Silent(), seed=1))
    with Store(path) as store:
        return item_validity(store, source, biases)


def test_items_move_a_subject_that_gives_in_and_not_one_that_never_does(tmp_path: Path) -> None:
    moved = validity(tmp_path / "moved.db", obeys=True)
    assert moved.answered == moved.calls == 60
    assert all(item.plain == 0.0 for item in moved.items)
    assert [item.verdict for item in moved.items] == ["moves"] * 15
    still = validity(tmp_path / "still.db", obeys=False)
    assert [item.verdict for item in still.items] == ["still"] * 15
    page = as_markdown(moved)
    assert "| anchoring_effect" in page and "py/obedient" in page and "15 moves" in page


def item(plain: float | None, given_in: float | None, least: float = 0.2, greatest: float = 0.8) -> ItemValidity:
    return ItemValidity(
        bias="b",
        item="i",
        domain="risk",
        plain=plain,
        given_in=given_in,
        least=least,
        greatest=greatest,
        marked=False,
    )


def test_a_verdict_says_why_an_item_does_not_move() -> None:
    assert item(0.0, 0.3).verdict == "moves"
    assert item(-0.3, -0.1).verdict == "moves"
    assert item(0.0, 0.05).verdict == "still"
    assert item(0.0, 0.0, least=0.0, greatest=0.01).verdict == "floor"
    assert item(0.0, 0.0, least=0.99, greatest=1.0).verdict == "ceiling"
    assert item(0.0, None).verdict == "unread"


def token(text: str, **top: float) -> Token:
    listed = tuple((name.replace("_", " "), math.log(chance)) for name, chance in top.items())
    return Token(text, math.log(top[text.replace(" ", "_")]), listed)


def test_the_chance_of_each_option_is_read_off_where_they_part() -> None:
    tokens = [
        token("Answer: ", **{"Answer:_": 0.5}),
        token("The", The=0.6, A=0.2),
        token(" red", _red=0.3, _blue=0.6),
    ]
    chances = text_chances(tokens, ["The red one", "The blue one", "A third"])
    assert chances is not None
    masses = [0.6 * 0.3, 0.6 * 0.6, 0.2]
    assert chances == pytest.approx([m / sum(masses) for m in masses])


def test_a_reply_that_leads_to_no_option_has_no_chances() -> None:
    assert text_chances([token("Sorry", Sorry=0.9)], ["Yes", "No"]) is None
    assert text_chances([], ["Yes", "No"]) is None
