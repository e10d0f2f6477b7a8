from __future__ import annotations

import asyncio
from typing import Literal

import msgspec
import pytest

from fiducial.model.reply import CallFailed, Reply
from fiducial.model.request import Message, Request, Settings, Truth
from fiducial.model.sim import phrasing
from fiducial.model.sim.subject import open_sim
from tests.model.sim.support import number_request, option_request, yes_no_request

ALL = (
    "first",
    "last",
    "letter:B",
    "coin",
    "fixed",
    "rational",
    "refuser",
    "rambler",
    "planted:effect=.3,position=.1,noise=.1,spread=.1",
)


def ask(spec: str, request: Request) -> Reply:
    return asyncio.run(open_sim(spec).call(request))


@pytest.mark.parametrize("spec", ALL)
@pytest.mark.parametrize("request_", [option_request(3), number_request(3), yes_no_request(3)])
def test_every_subject_answers_every_kind_the_same_way_twice(spec: str, request_: Request) -> None:
    first, second = ask(spec, request_), ask(spec, request_)
    assert first == second
    assert first.status == "ok"
    assert first.text.strip()
    assert first.reported.model == f"sim/{spec}"


@pytest.mark.parametrize("spec", ALL)
def test_what_is_sent_holds_no_truth(spec: str) -> None:
    request = option_request(3, item="secret-item", bias="secret-bias", roles=("secret-role", "x"), biased="x")
    with_truth, without = ask(spec, request), Request(request.messages, request.settings)
    plain = Request((Message("user", "Choose."),), Settings(seed=1, temperature=1.0), request.truth)
    subject = open_sim(spec)
    assert with_truth.sent == subject.encode(request) == subject.encode(without)
    assert b"secret" not in subject.encode(plain)
    assert msgspec.json.decode(subject.encode(plain)) == {
        "messages": [{"role": "user", "text": "Choose.", "prefix": 0}],
        "settings": {"temperature": 1.0, "seed": 1},
    }


def test_without_a_truth_there_is_no_answer() -> None:
    with pytest.raises(CallFailed, match="answers from the truth of an arm") as caught:
        ask("coin", Request((Message("user", "Hello"),)))
    assert caught.value.kind == "bad_request"
    assert caught.value.sent


@pytest.mark.parametrize(
    ("kind", "lacks"), [("numeric", "a range"), ("price", "a range"), ("confident", "no choice")]
)
def test_a_truth_that_lacks_what_is_needed_is_a_failure_not_a_guess(
    kind: Literal["numeric", "price", "confident"], lacks: str
) -> None:
    request = Request((Message("user", "x"),), truth=Truth(bias="b", item="i", kind=kind, sign=0, rational="right"))
    with pytest.raises(CallFailed, match=lacks) as caught:
        asyncio.run(open_sim("coin").call(request))
    assert caught.value.kind == "bad_request"


def test_a_truth_that_does_not_fit_is_a_failed_call() -> None:
    with pytest.raises(CallFailed, match="biased role") as caught:
        ask("planted:effect=.3", option_request(1, biased="absent"))
    assert caught.value.kind == "bad_request"


def test_a_refuser_refuses_everything() -> None:
    for request in (option_request(1), number_request(1), yes_no_request(1)):
        assert ask("refuser", request).text in phrasing.REFUSALS


def test_percentages_are_written_only_where_the_prompt_is_about_shares() -> None:
    def texts(prompt: str) -> str:
        asked = (number_request(s, low=0, high=100, away=20, toward=80, prompt=prompt) for s in range(200))
        return " ".join(ask("coin", request).text for request in asked)

    assert "%" in texts("What is the probability, in percent?")
    assert "%" not in texts("How many euros would you pay?")


def test_the_same_answer_is_worded_differently_from_trial_to_trial() -> None:
    assert len({ask("first", option_request(seed)).text for seed in range(100)}) > 25


def test_text_that_json_cannot_carry_is_a_failed_call() -> None:
    request = option_request(1, prompt="half a pair \ud800")
    with pytest.raises(CallFailed, match="surrogate") as caught:
        ask("coin", request)
    assert caught.value.kind == "bad_request"


def test_facts_hold_the_specification_and_trials_get_their_own_seed() -> None:
    subject = open_sim("planted:effect=.3")
    assert subject.facts() == {"spec": "planted:effect=.3"}
    assert subject.seeded
    assert not subject.remote
