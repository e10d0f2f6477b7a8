"""What the rules cannot read goes to a judge that only reads, through the same engine and store."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fiducial.bias.judging import reading_judge
from fiducial.bias.load import packaged_battery
from fiducial.bias.result import RunResult
from fiducial.bias.run import BiasOptions, collect_run, judge_run, prepare_run, rescore
from fiducial.judge.asking import Judge, appoint
from fiducial.judge.calibration import save
from fiducial.judge.read import read_version
from fiducial.model.python import PythonModel
from fiducial.model.request import WireRequest
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from fiducial.run.store import Store
from tests.judge.made import calibration

VAGUE = "Nun ja, da nehme ich lieber die zweite von oben."


class Vague:
    """A subject whose every reply commits to the second option, in a language the rules do not read."""

    async def generate(self, request: WireRequest) -> str:
        return VAGUE


class Judging:
    """A stand-in for a judge. It finds its task by the marker and keeps what it was sent."""

    def __init__(self, *answers: str) -> None:
        self.answers = answers
        self.seen: list[WireRequest] = []

    async def generate(self, request: WireRequest) -> str:
        assert re.search(r"^Task: read$", request.messages[-1].text, re.MULTILINE)
        self.seen.append(request)
        asked_before = sum(m.role == "assistant" for m in request.messages)
        return self.answers[min(asked_before, len(self.answers) - 1)]


RIGHT = '{"quotation": "die zweite", "answer": "B"}'
NOTHING = '{"quotation": null, "answer": null}'
INVENTED = '{"quotation": "I choose B", "answer": "B"}'


def judged(path: Path, judge: Judging, name: str = "py/judge", bias: str = "gain_loss_framing") -> RunResult:
    options = BiasOptions(model="py/vague", biases=(bias,), arms=("control", "strong"), trials=1)
    prepared = prepare_run(packaged_battery(), options, out=path)
    how = {"limits": Limits(), "budget": Budget(), "progress": Silent()}
    collect_run(prepared, PythonModel("py/vague", Vague()), options, **how)  # type: ignore[arg-type]
    judge_run(path, reading_judge(name), PythonModel(name, judge), seed=1, **how)  # type: ignore[arg-type]
    return rescore(path).result


def levels(result: RunResult) -> dict[str, str]:
    return {check.code: check.level for check in result.audit}


def test_what_the_judge_reads_is_scored_and_counted_and_shown_in_the_audit(tmp_path: Path) -> None:
    judge = Judging(RIGHT)
    result = judged(tmp_path / "r.db", judge)
    assert result.complete and result.judge is not None
    assert result.judge.decided == result.judge.asked == result.answered == len(judge.seen)
    assert result.judge.share == 1.0
    assert result.unread == {}
    assert {"judge-share": "warn", "judge-invalid": "pass", "judge-uncalibrated": "warn"}.items() <= levels(
        result
    ).items()
    with Store(tmp_path / "r.db") as store:
        rows = store.db.execute("SELECT answer, rule, start, stop FROM reading").fetchall()
    assert {tuple(row) for row in rows} == {("B", "judge", VAGUE.index("die"), VAGUE.index(" von"))}


@pytest.mark.parametrize(
    ("changes", "code", "level", "said"),
    [
        ({}, "judge-uncalibrated", "pass", "calibrated with labels by people"),
        ({"basis": "planted"}, "judge-uncalibrated", "warn", "planted cases only"),
        ({"expires": "2020-01-01"}, "judge-expired", "warn", "expired on 2020-01-01"),
    ],
)
def test_the_calibration_of_the_judge_is_found_and_bounds_what_is_misread(
    changes: dict[str, Any], code: str, level: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    known = {
        "task": "read",
        "model": "py/judge",
        "prompt_hash": read_version(),
        "about": "",
        "expires": "2099-01-01",
    }
    save(calibration(**{**known, **changes}))
    result = judged(tmp_path / "r.db", Judging(RIGHT))
    (check,) = [c for c in result.audit if c.code == code]
    assert check.level == level and said in check.message
    assert "at most 20.0% of the scored replies are misread" in check.message
    assert (
        result.judge is not None and result.judge.trust is not None and result.judge.trust.calibration is not None
    )


def test_neither_key_nor_arm_nor_bias_reaches_the_judge(tmp_path: Path) -> None:
    judge = Judging(RIGHT)
    judged(tmp_path / "r.db", judge)
    with Store(tmp_path / "r.db") as store:
        sent = [
            store.body(reply.body) for reply in store.replies(role=reading_judge("py/judge").role) if reply.body
        ]
    assert len(sent) == len(judge.seen) > 0
    everything = b"\n".join(sent).decode() + "".join(m.text for r in judge.seen for m in r.messages)
    for word in ("gain_loss", "framing", "biased", "rational", "strong/", "risky", "truth"):
        assert word not in everything


def test_a_verdict_that_cannot_be_used_is_asked_for_once_more_and_no_further(tmp_path: Path) -> None:
    judge = Judging("B, I think.", RIGHT)
    result = judged(tmp_path / "again.db", judge)
    assert result.judge is not None and result.judge.decided == result.answered
    assert len(judge.seen) == 2 * result.answered

    stubborn = Judging(INVENTED)
    result = judged(tmp_path / "never.db", stubborn)
    assert result.judge is not None and result.judge.invalid == result.answered
    assert len(stubborn.seen) == 2 * result.answered
    assert result.unread == {"judge_invalid": result.answered}
    assert levels(result)["judge-invalid"] == "warn"
    assert result.complete


def test_a_reply_that_commits_to_nothing_stays_unread(tmp_path: Path) -> None:
    result = judged(tmp_path / "r.db", Judging(NOTHING))
    assert result.judge is not None and result.judge.none == result.answered
    assert result.unread == {"unreadable": result.answered}


def test_a_run_that_is_judged_makes_no_second_call_and_another_judge_is_another_verdict(tmp_path: Path) -> None:
    judged(tmp_path / "r.db", Judging(RIGHT))
    idle = Judging(RIGHT)
    judged(tmp_path / "r.db", idle)
    assert idle.seen == []
    result = judged(tmp_path / "r.db", Judging(NOTHING), name="py/other")
    assert result.judge is not None and result.judge.model == "py/other" and result.judge.decided == 0
    appoint(tmp_path / "r.db", [reading_judge("py/judge")])
    back = rescore(tmp_path / "r.db")
    assert back.result.judge is not None and back.result.judge.decided == back.result.answered
    assert back.changes is not None and back.changes.changed == {"newly read": back.result.answered}
    appoint(tmp_path / "r.db", [])
    alone = rescore(tmp_path / "r.db")
    assert alone.result.judge is None and alone.result.unread["unreadable"] == alone.result.answered
    assert alone.changes is not None and alone.changes.changed == {"no longer read": alone.result.answered}


def test_verdicts_of_another_prompt_are_other_verdicts() -> None:
    one, two = Judge(model="py/judge", prompt="1" * 16), Judge(model="py/judge", prompt="2" * 16)
    assert one.role != two.role and one.role.startswith("judge:read:")


def test_a_judge_of_the_subjects_family_is_named(tmp_path: Path) -> None:
    result = judged(tmp_path / "r.db", Judging(RIGHT), name="py/vague")
    assert levels(result)["judge-is-subject"] == "warn"


def test_a_number_is_read_by_the_judge_too(tmp_path: Path) -> None:
    answer = json.dumps({"quotation": "die zweite", "answer": 30})
    result = judged(tmp_path / "r.db", Judging(answer), bias="hindsight_bias")
    assert result.judge is not None and result.judge.decided == result.answered
    assert msgspec.json.encode(result.judge)
