from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fiducial import api
from fiducial.model.request import WireRequest

GOOD = "sim/judge:sensitivity=.95,specificity=.95"
SMALL: dict[str, Any] = {"task": "genuine", "set": "planted:tide-gauge", "cases": 20, "progress": False}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_calibration_is_written_where_later_runs_find_it() -> None:
    tried = api.judge_calibrate(GOOD, repeats=1, min_sensitivity=0.99, **SMALL)
    (one,) = tried.calibrations
    assert one.below == ["sensitivity"]
    assert api.judge_calibrations() == [one]
    assert isinstance(api.open(tried.paths[0]), api.JudgeRun)


def test_without_a_folder_nothing_is_written() -> None:
    api.judge_calibrate(GOOD, repeats=1, folder=None, **SMALL)
    assert not Path("calibrations").exists() and api.judge_calibrations() == []


def test_a_panel_is_calibrated_as_one_and_seat_by_seat() -> None:
    tried = api.judge_calibrate([GOOD, "sim/judge:sensitivity=.5,specificity=.9"], repeats=1, **SMALL)
    assert len(tried.calibrations) == 1 and len(tried.seats) == 2 and len(tried.paths) == 2


def test_of_half_a_trial_there_is_no_calibration() -> None:
    with pytest.raises(api.Incomplete, match="no calibration was written") as short:
        api.judge_calibrate(GOOD, repeats=1, budget="calls=5", **SMALL)
    assert short.value.path is not None and short.value.path.exists()
    assert not Path("calibrations").exists()


def test_a_judge_is_ablated_and_attacked() -> None:
    found = api.judge_ablate(GOOD, factors=["reasoning"], **{**SMALL, "cases": 6})
    assert found.complete and len(found.comparisons) == 1
    attacked = api.judge_attack(
        GOOD, cases=4, per_injection=1, defences="shipped", places=["finding"], progress=False
    )
    assert attacked.complete and attacked.answered == attacked.askings > 0


def test_models_are_listed_and_one_is_asked() -> None:
    async def echo(request: WireRequest) -> str:
        return f"{request.messages[0].text}/{request.messages[-1].text}"

    assert any(provider.form.startswith("openai/") for provider in api.models())
    reply = api.ask(api.named("echo", echo), "there", system="hi", temperature=0.0)
    assert reply.text == "hi/there" and b"there" in reply.sent

    async def breaks(request: WireRequest) -> str:
        raise ValueError("no luck")

    with pytest.raises(api.Incomplete, match="crashed: ValueError: no luck"):
        api.ask(api.named("breaks", breaks), "x")
