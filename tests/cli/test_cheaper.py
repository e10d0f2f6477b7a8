"""`--until` and `--read` as a user gives them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import fiducial, result
from tests.model.servers import Seen, Server, openai_reply

FRAME = ("bias", "run", "--bias", "gain_loss_framing")


def test_a_run_until_a_width_stops_there_says_how_and_prints_what_it_saved(tmp_path: Path) -> None:
    command = (*FRAME, "--bias", "base_rate_neglect", "--model", "sim/rational", "--until", "width=0.6")
    done = fiducial(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "about" in done.stderr and "at most" in done.stderr and "round 1: 40 calls for 2 biases" in done.stderr
    text = " ".join(done.stdout.split())
    assert "Until width=0.6 2 of 2 biases narrow enough" in text
    assert "fewer than the" in text and "of a fixed plan (--trials 1)" in text
    again = fiducial(*command, "--json", cwd=tmp_path)
    found = result(again)
    assert found["calls"] == 40 and found["complete"] is True
    assert found["settings"]["tier"] == "core" and found["settings"]["until"] == "width=0.6"
    assert {stop["reason"] for stop in found["stopping"]["biases"].values()} == {"width"}
    assert found["stopping"]["saving"]["calls"] == 40 < found["stopping"]["saving"]["fixed"]


def test_a_budget_that_ends_it_gives_the_command_that_goes_on_and_the_report_shows_the_rule(tmp_path: Path) -> None:
    command = (*FRAME, "--model", "sim/planted:effect=.3", "--until", "width=0.5", "--trials", "8", "--out", "r.db")
    stopped = fiducial(*command, "--budget", "calls=25", cwd=tmp_path)
    assert stopped.returncode == 3 and "budget reached" in stopped.stderr and "--until" in stopped.stderr
    done = fiducial(*command, "--report", "page.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "How the run stopped" in (tmp_path / "page.html").read_text(encoding="utf-8")
    audit = fiducial("audit", "r.db", cwd=tmp_path)
    assert "incomplete" in audit.stdout and "fail" not in audit.stdout


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (("--until", "p=0.05"), "width=0.3"),
        (("--until", "width=0.3", "--tier", "quick"), "--tier core"),
        (("--read", "logprobs", "--judge", "sim/judge"), "leaves nothing to a judge"),
        (("--read", "logprobs", "--temperature", "0.2"), "temperature 1"),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_to_do(more: tuple[str, ...], why: str, tmp_path: Path) -> None:
    done = fiducial(*FRAME, "--model", "sim/coin", *more, cwd=tmp_path)
    assert done.returncode == 2 and why in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "runs").exists()


def test_a_provider_without_log_probabilities_is_refused_before_its_key_is_asked_for(tmp_path: Path) -> None:
    done = fiducial(*FRAME, "--model", "anthropic/claude-x", "--read", "logprobs", cwd=tmp_path)
    assert done.returncode == 2 and "no log probabilities" in done.stderr and "API_KEY" not in done.stderr


def leaning(seen: Seen) -> dict[str, Any]:
    """A server whose model puts .6 on the letter of the option that is sure, wherever it stands, .2 on the other."""
    reply = openai_reply("A")
    chances = (("A", 0.6), (" B", 0.2), ("Well", 0.1))
    top = [{"token": text, "logprob": math.log(p), "bytes": None} for text, p in chances]
    reply["choices"][0]["logprobs"] = {"content": [{**top[0], "top_logprobs": top}], "refusal": None}
    return {**reply, "id": f"chatcmpl-{id(seen)}"}


def test_a_servers_log_probabilities_become_scores_and_are_asked_for_once_a_prompt(tmp_path: Path) -> None:
    with Server(script=leaning) as server:
        env = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{server.url}/v1"}
        done = fiducial(*FRAME, "--model", "openai/gpt-x", "--read", "logprobs", "--tier", "core", "--arms", "strong",
                      "--json", cwd=tmp_path, env=env)  # fmt: skip
        assert done.returncode == 0, done.stderr
        bodies = [seen.json for seen in server.seen]
    found = result(done)
    assert len(bodies) == found["calls"] == 15 * 2 * 2
    for body in bodies:
        assert (body["logprobs"], body["top_logprobs"], body["temperature"]) == (True, 20, 0.0)
        assert (
            body["max_completion_tokens"] == 8 and "letter of your choice only" in body["messages"][-1]["content"]
        )
    (bias,) = found["biases"]
    assert bias["effect"]["value"] == pytest.approx(0.0)
    assert found["position"]["value"] == pytest.approx(0.25)  # .6 of .8 on the first place
    assert found["letters"]["mean"] == pytest.approx(0.8) and found["unread"] == {}
    assert not any(check["code"] == "truncated" for check in found["audit"])


def test_a_server_that_sends_none_leaves_replies_unread_with_the_reason(tmp_path: Path) -> None:
    with Server(script=lambda seen: {**openai_reply("A"), "id": f"chatcmpl-{id(seen)}"}) as server:
        env = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{server.url}/v1"}
        done = fiducial(*FRAME, "--model", "openai/gpt-x", "--read", "logprobs", "--json", cwd=tmp_path, env=env)
    found = result(done)
    assert set(found["unread"]) == {"no logprobs"} and "withheld" in found["biases"][0]["effect"]
