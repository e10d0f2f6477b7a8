"""Panels of judges as a person uses them: real processes, stand-ins for the models, and servers on this machine."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import fiducial, result
from tests.model.servers import Answer, Seen, Server, openai_reply
from tests.review.standins import as_output, make_dataset, verdict

STAND_INS = '''
import json, re

class Reviewer:
    async def generate(self, request):
        return open("output.txt", encoding="utf-8").read()

class Judge:
    """Says this of every finding, and finds no must-find."""
    def __init__(self, word):
        self.word = word

    async def generate(self, request):
        if re.findall(r"^Task: (\\w+)$", request.messages[-1].text, re.M)[-1] == "match":
            return json.dumps({"finding": None, "quotation": None, "verdict": "not_found"})
        return json.dumps({"evidence": "Complaints are answered", "reason": "r", "category": None,
                           "verdict": self.word, "confidence": 0.9})

reviewer, kind, soft, harsh = Reviewer(), Judge("genuine"), Judge("genuine"), Judge("not_genuine")
'''
WANTED: dict[str, object] = {"id": "M1", "title": "Last bus", "issue": "It leaves early.", "min_recall": 0.8}
KIND, SOFT, HARSH = (f"py/panelists:{name}" for name in ("kind", "soft", "harsh"))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "panelists.py").write_text(STAND_INS, encoding="utf-8")
    (tmp_path / "output.txt").write_text(as_output(), encoding="utf-8")
    (tmp_path / "probe.md").write_text("---\nname: probe\n---\nYou look for gaps.\n", encoding="utf-8")
    make_dataset(tmp_path / "d", [WANTED])
    return tmp_path


def run(place: Path, *judges: str, more: tuple[object, ...] = (), env: dict[str, str] | None = None) -> Any:
    named = [word for judge in judges for word in ("--judge", judge)]
    return fiducial(
        *("review", "run", "d", "--reviewer", "probe.md", "--model", "py/panelists:reviewer", *named, *more),
        cwd=place,
        env={"PYTHONPATH": ".", **(env or {})},
    )


def test_three_judges_decide_by_majority_and_are_shown(place: Path) -> None:
    done = run(place, KIND, HARSH, SOFT, more=("--out", "r.db", "--json"))
    assert done.returncode == 0, done.stderr
    assert "3 judges: about 11 calls at 10 findings an output each, 33 in all" in done.stderr
    found = result(done)
    assert found["reviewers"][0]["precision"]["value"] == 1.0
    assert found["panel"]["name"] == f"{HARSH} + {KIND} + {SOFT}"
    assert [(seat["model"], seat["calls"]) for seat in found["panel"]["seats"]] == [
        (KIND, 4),
        (HARSH, 4),
        (SOFT, 4),
    ]
    assert len(found["panel"]["disagreements"]) == 3 and found["panel"]["left_off"] == 0
    assert found["panel"]["agreement"]["genuine"]["alike"] == 0
    shown = run(place, KIND, HARSH, SOFT, more=("--out", "r.db", "--report", "r.html"))
    assert shown.returncode == 0 and "The judges" in shown.stdout and "Disagreements on 3 questions" in shown.stdout
    assert "What every judge said" in (place / "r.html").read_text(encoding="utf-8")


def test_stored_outputs_are_judged_again_by_a_panel_that_asks_only_the_new_seats(place: Path) -> None:
    first = run(place, KIND, more=("--out", "r.db", "--json"))
    assert result(first)["panel"] is None
    panel = fiducial(
        *("review", "rejudge", "r.db", "--judge", HARSH, "--judge", KIND, "--json"),
        cwd=place,
        env={"PYTHONPATH": "."},
    )
    assert panel.returncode == 0, panel.stderr
    found = result(panel)
    assert found["reviewers"][0]["precision"]["borderline"] == 3  # two seats have to agree
    assert found["calls"] == result(first)["calls"] + 4
    named = fiducial(
        *("review", "rejudge", "r.db", "--judge", found["panel"]["name"], "--json"),
        cwd=place,
        env={"PYTHONPATH": "."},
    )
    assert named.returncode == 0 and result(named)["calls"] == found["calls"]  # a panel goes by its name too
    assert result(named)["panel"]["name"] == found["panel"]["name"]


def test_a_panel_and_a_judge_cannot_be_compared_and_the_commands_that_would_help_are_given(place: Path) -> None:
    assert run(place, KIND, more=("--out", "a.db")).returncode == 0
    assert run(place, KIND, HARSH, more=("--out", "b.db")).returncode == 0
    done = fiducial("compare", "a.db", "b.db", cwd=place, env={"PYTHONPATH": "."})
    assert done.returncode == 2 and f"--judge {KIND} --judge {HARSH}" in done.stderr


@pytest.mark.parametrize(
    ("judges", "said"),
    [
        (("none", KIND), "--judge none parses and counts only"),
        ((KIND, HARSH, KIND), f"--judge {KIND} was given twice"),
        ((f"{KIND} + {HARSH}", HARSH), f"--judge {HARSH} was given twice"),
        ((KIND, "py/panelists:nobody"), "nobody"),
    ],
)
def test_a_panel_that_cannot_be_meant_ends_with_2_before_any_call(
    place: Path, judges: tuple[str, ...], said: str
) -> None:
    done = run(place, *judges)
    assert done.returncode == 2 and said in done.stderr
    assert not (place / "runs").exists()


def test_a_gate_that_is_refused_speaks_of_the_panel(place: Path) -> None:
    done = run(place, KIND, HARSH, more=("--runs", 3, "--gate"))
    assert done.returncode == 2 and f"--judge '{HARSH} + {KIND}'" in done.stderr


def judging(word: str) -> Callable[[Seen], Any]:
    def answer(seen: Seen) -> Any:
        last = seen.json["messages"][-1]["content"]
        text = last if isinstance(last, str) else last[-1]["text"]
        if re.findall(r"^Task: (\w+)$", text, re.MULTILINE)[-1] == "match":
            return openai_reply(json.dumps({"finding": None, "quotation": None, "verdict": "not_found"}))
        return openai_reply(verdict(word))

    return answer


def test_judges_on_three_servers_one_of_them_out_of_order(place: Path) -> None:
    broken = True

    def sometimes(seen: Seen) -> Any:
        return (
            Answer(status=500, body={"error": {"message": "out of order"}}) if broken else judging("genuine")(seen)
        )

    names = [f"openai-api/{service}/m" for service in ("one", "two", "three")]
    more = ("--out", "r.db", "--attempts", 1, "--identical-gap", 0, "--json")
    with (
        Server(script=judging("genuine")) as one,
        Server(script=judging("not_genuine")) as two,
        Server(script=sometimes) as three,
    ):
        env = {
            f"{service}_{what}": value
            for service, server in (("ONE", one), ("TWO", two), ("THREE", three))
            for what, value in (("BASE_URL", f"{server.url}/v1"), ("API_KEY", "a-key"))
        }
        early = run(place, *names, more=more, env=env)
        assert early.returncode == 3, early.stderr
        assert "4 questions wait for a judge" in early.stderr and "Continue with:" in early.stderr
        found = result(early)
        assert found["reviewers"][0]["precision"]["borderline"] == 3  # one for, one against, one seat that failed
        assert [seat["waiting"] for seat in found["panel"]["seats"]] == [0, 0, 4]
        broken = False
        done = run(place, *names, more=more, env=env)
    assert done.returncode == 0, done.stderr
    assert result(done)["reviewers"][0]["precision"]["genuine"] == 3
    assert (len(one.seen), len(two.seen)) == (4, 4)  # asked once; only the third was asked again
    assert [seat["calls"] for seat in result(done)["panel"]["seats"]][:2] == [4, 4]
