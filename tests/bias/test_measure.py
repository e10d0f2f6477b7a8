"""The instrument from end to end on simulated subjects, whose bias is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from fiducial.bias.load import Battery, packaged_battery
from fiducial.bias.result import Effect, RunResult
from fiducial.bias.run import BiasOptions, collect_run, look, prepare_run, rescore
from fiducial.errors import UsageError
from fiducial.model.names import open_model
from fiducial.model.request import Settings
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from fiducial.run.store import Store
from fiducial.stats.estimate import Estimate, Withheld
from tests.bias.made import made


def measured(path: Path, model: str, battery: Battery | None = None, **options: Any) -> RunResult:
    chosen = BiasOptions(model=model, **{"tier": "core", "trials": 2, **options})
    prepared = prepare_run(battery or packaged_battery(), chosen, out=path)
    collect_run(prepared, open_model(model), chosen, limits=Limits(), budget=Budget(), progress=Silent())
    return rescore(path).result


def effects(result: RunResult) -> dict[str, Effect]:
    return {b.id: b.effect for b in result.biases if isinstance(b.effect, Effect)}


@pytest.mark.parametrize("subject", ["first", "last", "letter:B", "coin", "fixed", "rational"])
def test_a_subject_without_bias_reads_as_unbiased(tmp_path: Path, subject: str) -> None:
    result = measured(tmp_path / "r.db", f"sim/{subject}")
    assert result.complete and len(effects(result)) == len(packaged_battery().select(tier="core"))
    assert not any(b.flagged for b in result.biases)
    if subject not in {"coin", "fixed"}:
        exact = {k: e for k, e in effects(result).items() if k != "overconfidence_effect"}
        assert all(e.value == 0.0 and e.p == 1.0 for e in exact.values())


@pytest.mark.parametrize("subject", ["first", "rational"])
def test_the_whole_extended_tier_reads_zero_on_subjects_that_heed_no_span(tmp_path: Path, subject: str) -> None:
    result = measured(tmp_path / "r.db", f"sim/{subject}", tier="extended", trials=1, arms=("control", "strong"))
    assert result.complete and len(effects(result)) == len(packaged_battery().biases) == 74
    assert not any(b.flagged for b in result.biases) and not any(f.flagged for f in result.families)
    exact = {k: e for k, e in effects(result).items() if k != "overconfidence_effect"}
    assert all(e.value == 0.0 and e.p == 1.0 for e in exact.values())


def test_planted_effects_are_recovered_over_the_whole_extended_tier(tmp_path: Path) -> None:
    result = measured(
        tmp_path / "r.db", "sim/planted:effect=.4", tier="extended", trials=2, arms=("control", "strong")
    )
    found = list(effects(result).values())
    assert np.mean([e.low <= 0.4 <= e.high for e in found]) >= 0.85
    assert abs(np.mean([e.value for e in found]) - 0.4) < 0.03
    assert sum(b.flagged for b in result.biases) >= 60 and sum(f.flagged for f in result.families) >= 14
    pooled = [b.pooled for b in result.biases if b.pooled is not None]
    assert len(pooled) == 59 and np.mean([p.low <= 0.4 <= p.high for p in pooled]) >= 0.9


@pytest.mark.parametrize("effect", [0.5, -0.4])
def test_a_planted_effect_is_recovered_with_its_sign(tmp_path: Path, effect: float) -> None:
    result = measured(tmp_path / "r.db", f"sim/planted:effect={effect}")
    found = list(effects(result).values())
    assert np.mean([e.low <= effect <= e.high for e in found]) >= 0.8
    assert all(abs(e.value - effect) < 0.15 for e in found)
    assert abs(np.mean([e.value for e in found]) - effect) < 0.03
    assert all(b.flagged == (effect > 0) for b in result.biases)


def test_a_preference_for_a_place_is_seen_and_does_not_leak_into_the_effects(tmp_path: Path) -> None:
    result = measured(tmp_path / "r.db", "sim/planted:effect=0,position=.6", trials=4)
    assert isinstance(result.position, Estimate)
    assert result.position.low > 0.15
    assert not any(b.flagged for b in result.biases)
    assert {c.level for c in result.audit if c.code == "position-effect"} == {"warn"}


def test_an_effect_planted_in_one_bias_is_seen_there_alone(tmp_path: Path) -> None:
    result = measured(tmp_path / "r.db", "sim/planted:effect=.6,bias=anchoring_effect")
    assert [b.id for b in result.biases if b.flagged] == ["anchoring_effect"]


def test_a_subject_that_refuses_everything_gives_a_complete_run_and_no_claim(tmp_path: Path) -> None:
    result = measured(tmp_path / "r.db", "sim/refuser", tier="quick")
    assert result.complete
    assert all(isinstance(b.effect, Withheld) and not b.flagged for b in result.biases)
    assert {c.code: c.level for c in result.audit}["refused"] == "fail"


def test_the_readings_are_stored_and_looking_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "r.db"
    result = measured(path, "sim/coin", tier="quick")
    with Store(path) as store:
        n, scored = store.db.execute("SELECT count(*), count(score) FROM reading").fetchone()
    assert n == result.trials
    assert scored == n - sum(result.unread.values())
    before = path.stat().st_mtime_ns
    again = look(path)
    assert msgspec.json.encode(again.biases) == msgspec.json.encode(result.biases)
    assert path.stat().st_mtime_ns == before


def test_a_run_is_measured_from_its_own_file_whatever_became_of_the_battery(tmp_path: Path) -> None:
    battery = Battery({"made_norm": made(tmp_path, "norm", 8)})
    first = measured(tmp_path / "r.db", "sim/planted:effect=.8", battery)
    (tmp_path / "made_norm.yaml").unlink()
    assert msgspec.json.encode(rescore(tmp_path / "r.db").result.biases) == msgspec.json.encode(first.biases)


def test_only_the_arms_that_were_asked_for_are_run_and_weighted(tmp_path: Path) -> None:
    result = measured(tmp_path / "r.db", "sim/planted:effect=.5", arms=("control", "strong"), tier="quick")
    for bias in result.biases:
        if bias.paradigm == "calibration":
            assert bias.by_intensity == {}
            continue
        assert list(bias.by_intensity) == ["strong"]
        assert isinstance(bias.effect, Effect)
        strong = bias.by_intensity["strong"]
        assert isinstance(strong, Estimate)
        assert bias.effect.value == pytest.approx(strong.value)


def test_a_trigger_without_its_control_has_no_effect_and_says_so(tmp_path: Path) -> None:
    result = measured(
        tmp_path / "r.db", "sim/coin", arms=("strong",), biases=("conjunction_fallacy",), tier="quick"
    )
    (bias,) = result.biases
    assert isinstance(bias.effect, Withheld)


def test_one_unread_arm_cannot_make_a_flag(tmp_path: Path) -> None:
    """The rule of design: where reading failed unequally, the worst case has to exclude zero too."""
    from collections import Counter

    from fiducial.bias.estimates import flag

    effect = Effect(value=0.4, low=0.2, high=0.6, n=15, method="t", p=0.001, q=0.002)
    even = {"weak": Counter(read=100), "control": Counter(read=99, refused=1)}
    uneven = {"weak": Counter(read=100), "control": Counter(read=90, refused=10)}
    assert flag(effect, even, worst=-0.1) == (True, None)
    assert flag(effect, uneven, worst=-0.1) == (False, "unread")
    assert flag(effect, uneven, worst=0.05) == (True, None)
    assert flag(msgspec.structs.replace(effect, value=-0.4), even, worst=-0.5) == (False, None)


def test_the_plan_of_a_command_is_the_same_every_time_and_names_the_run(tmp_path: Path) -> None:
    options = BiasOptions(model="sim/coin", settings=Settings(temperature=0.5))
    one, two = (prepare_run(packaged_battery(), options) for _ in range(2))
    assert one.plan == two.plan and one.path == two.path
    for other in (
        msgspec.structs.replace(options, trials=4),
        msgspec.structs.replace(options, seed=2),
        msgspec.structs.replace(options, system="Be brief."),
        msgspec.structs.replace(options, settings=Settings(temperature=0.6)),
    ):
        assert prepare_run(packaged_battery(), other).path != one.path


def test_fresh_seeds_give_fresh_prompts() -> None:
    seen = []
    for seed in range(4):
        prepared = prepare_run(packaged_battery(), BiasOptions(model="sim/coin", seed=seed, trials=1))
        seen.append({prepared.source.request(t).messages[-1].text for t in prepared.plan.trials})
    assert all(len(a & b) < 0.05 * len(a) for k, a in enumerate(seen) for b in seen[k + 1 :])


def test_a_system_message_of_the_users_is_the_only_one() -> None:
    options = BiasOptions(model="sim/coin", system="You are a judge.")
    prepared = prepare_run(packaged_battery(), options)
    messages = prepared.source.request(prepared.plan.trials[0]).messages
    assert [(m.role, m.text) for m in messages[:-1]] == [("system", "You are a judge.")]


def test_wrong_arms_and_tiers_are_refused() -> None:
    with pytest.raises(UsageError, match="'mild' is none of control"):
        prepare_run(packaged_battery(), BiasOptions(model="sim/coin", arms=("mild",)))
    with pytest.raises(UsageError, match="--tier"):
        prepare_run(packaged_battery(), BiasOptions(model="sim/coin", tier="huge"))


def test_null_subjects_are_rarely_excluded_from_zero(tmp_path: Path) -> None:
    """A small smoke test of calibration: coin flippers, unadjusted intervals, several seeds."""
    excluded = []
    for seed in range(12):
        result = measured(
            tmp_path / f"{seed}.db", "sim/coin", tier="core", trials=1, seed=seed, arms=("control", "strong")
        )
        excluded += [e.low > 0 or e.high < 0 for e in effects(result).values()]
    assert np.mean(excluded) <= 0.17  # 36 intervals; the real table is made by a benchmark
