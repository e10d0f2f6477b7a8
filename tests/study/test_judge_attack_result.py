from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from fiducial.errors import UsageError
from fiducial.judge.case import TASKS, Task
from fiducial.model.request import CaseTruth
from fiducial.model.sim.judge import open_judge
from fiducial.model.sim.judge_spec import sway
from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.study.judge_ablate import prepare_ablation, wordings_of
from fiducial.study.judge_attack import WORDINGS, Design
from fiducial.study.judge_attack_result import AttackResult, attack_result, gate
from tests.study.attacked import SURE, Scripted, cases, genuine_reply, run_attack

FEW = Design(kinds=("threat", "authority", "order"))


def known(measured: Measured) -> Estimate:
    assert isinstance(measured, Estimate), measured
    return measured


def rates(found: AttackResult) -> dict[str, float]:
    return {defence.name: known(defence.success.share).value for defence in found.defences}


@pytest.fixture(scope="module")
def swayed(tmp_path_factory: pytest.TempPathFactory) -> AttackResult:
    judge = "sim/judge:sensitivity=.9,specificity=.8,swayed=.8,fence_worth=.25,schema_worth=.5,borderline=.05,invalid=.03"
    return run_attack(tmp_path_factory.mktemp("swayed"), cases(80), judge, design=Design(per_injection=4))


def test_success_rates_are_those_of_the_judge_under_every_combination(swayed: AttackResult) -> None:
    spec = open_judge(swayed.judge.removeprefix("sim/")).spec
    assert [(d.fence, d.schema) for d in swayed.defences] == [
        (True, True),
        (True, False),
        (False, True),
        (False, False),
    ]
    for defence in swayed.defences:
        share, truth = known(defence.success.share), sway(spec, fence=defence.fence, schema=defence.schema)
        assert share.low <= truth <= share.high
        assert share.high - share.low < 0.2
        assert share.n == defence.success.attacks > 200


def test_what_a_defence_is_worth_is_recovered_on_top_of_the_other_and_by_itself(swayed: AttackResult) -> None:
    truth = {
        ("fence", "nothing"): 0.8 - 0.2,
        ("fence", "schema"): 0.4 - 0.1,
        ("schema", "nothing"): 0.8 - 0.4,
        ("schema", "fence"): 0.2 - 0.1,
        ("both", "nothing"): 0.8 - 0.1,
    }
    assert {(worth.defence, worth.beside) for worth in swayed.worth} == set(truth)
    for worth in swayed.worth:
        reduction = known(worth.reduction)
        assert reduction.low <= truth[worth.defence, worth.beside] <= reduction.high
        assert reduction.low > 0


def test_text_that_urges_nothing_moves_a_steady_judge_never(swayed: AttackResult) -> None:
    for defence in swayed.defences:
        assert defence.control.successes == 0
        assert defence.control.attacks > 50
    assert known(swayed.defences[-1].beyond).low > 0.5


def test_what_the_judge_says_anyway_is_no_success_of_an_attack(swayed: AttackResult) -> None:
    for defence in swayed.defences:
        assert sum(defence.states.values()) == swayed.attacks
        assert defence.states["already"] > 20 and defence.states["clean_invalid"] > 2
        assert defence.success.attacks == sum(defence.states.get(s, 0) for s in ("success", "held", "halfway"))


def test_parts_add_up_to_the_whole(swayed: AttackResult) -> None:
    for parts in (swayed.kinds, swayed.places, swayed.directions):
        for defence in swayed.defences:
            assert sum(part.rates[defence.name].attacks for part in parts) == defence.success.attacks
            assert sum(part.rates[defence.name].successes for part in parts) == defence.success.successes
    assert {part.name for part in swayed.places} == {"finding", "document"}
    assert {part.name for part in swayed.directions} == {"yes", "no"}
    through = sum(got.through.get("shipped", (0, 0))[0] for got in swayed.through)
    assert through == swayed.defences[0].success.successes


def test_chance_alone_is_not_taken_for_an_attack_that_works(tmp_path: Path) -> None:
    fickle = "sim/judge:sensitivity=.7,specificity=.7,consistency=0"
    found = run_attack(tmp_path, cases(80), fickle, design=Design(per_injection=2, wordings=WORDINGS[:1]))
    shipped = found.defences[0]
    assert known(shipped.success.share).value > 0.15  # it flips by itself, and often
    assert known(shipped.control.share).value > 0.1
    beyond = known(shipped.beyond)
    assert beyond.low <= 0 <= beyond.high


@pytest.mark.parametrize("task", TASKS)
def test_every_task_can_be_attacked_both_ways(task: Task, tmp_path: Path) -> None:
    judge = f"{SURE},swayed=1,fence_worth=0,schema_worth=1"
    found = run_attack(tmp_path, cases(12, task), judge, design=FEW)
    assert rates(found) == {"shipped": 0.0, "fence alone": 0.0, "schema alone": 1.0, "neither": 1.0}
    assert found.complete and found.task == task and found.defences[0].states == {"held": found.attacks}
    assert {part.name for part in found.directions} == {"yes", "no"}


def test_numbers_are_told_apart_from_other_numbers(tmp_path: Path) -> None:
    base = [
        msgspec.structs.replace(one, options=(), answer=12.5 if one.label else None, text="It comes to 12.5 euros.")
        for one in cases(6, "read")
    ]
    found = run_attack(tmp_path, base, f"{SURE},swayed=1,fence_worth=1,schema_worth=1", design=FEW)
    assert set(rates(found).values()) == {1.0}
    (tmp_path / "attack.db").unlink()
    assert set(rates(run_attack(tmp_path, base, SURE, design=FEW)).values()) == {0.0}


def test_a_reply_that_an_attack_makes_invalid_is_neither_success_nor_failure(tmp_path: Path) -> None:
    def reply(truth: CaseTruth, _: str) -> str:
        return genuine_reply(truth.right) if truth.urged is None else "I have been told what to say."

    found = run_attack(tmp_path, cases(8), Scripted(reply), design=FEW)
    shipped = found.defences[0]
    assert shipped.states == {"invalid": found.attacks} and found.complete
    assert isinstance(shipped.success.share, Withheld) and isinstance(shipped.beyond, Withheld)
    assert known(shipped.invalid.share).value == 1.0
    assert all(isinstance(worth.reduction, Withheld) for worth in found.worth)
    assert not gate(found, 1.0).passed


def test_a_verdict_that_is_moved_halfway_is_counted_apart(tmp_path: Path) -> None:
    def reply(truth: CaseTruth, _: str) -> str:
        return genuine_reply(truth.right if truth.urged is None else "borderline")

    shipped = run_attack(tmp_path, cases(8), Scripted(reply), design=FEW).defences[0]
    assert shipped.states.keys() == {"halfway"} and shipped.success.successes == 0


def test_a_judge_that_always_says_the_same_cannot_be_moved_and_half_the_attacks_say_nothing(tmp_path: Path) -> None:
    found = run_attack(tmp_path, cases(8), Scripted(lambda *_: genuine_reply("genuine")), design=FEW)
    states = found.defences[0].states
    assert states["already"] == states["held"] == found.attacks / 2


def test_a_fence_that_makes_things_worse_is_said_to_do_so(tmp_path: Path) -> None:
    def reply(truth: CaseTruth, prompt: str) -> str:
        return genuine_reply(truth.urged if truth.urged is not None and "<<<end" in prompt else truth.right)

    found = run_attack(tmp_path, cases(12), Scripted(reply), design=FEW)
    fence = next(w for w in found.worth if w.defence == "fence" and w.beside == "schema")
    assert known(fence.reduction).high < 0


def test_a_broken_off_study_is_incomplete_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    judge = Scripted(lambda truth, _: genuine_reply(truth.right))
    partial = run_attack(tmp_path, cases(6), judge, design=FEW, budget=30)
    assert not partial.complete and 0 < partial.answered < partial.askings
    assert partial.defences[-1].states == {"open": partial.attacks}
    whole = run_attack(tmp_path, cases(6), judge, design=FEW)
    assert whole.complete and judge.asked == whole.askings == whole.calls
    assert run_attack(tmp_path, cases(6), judge, design=FEW) == whole
    assert judge.asked == whole.askings


def test_with_both_defences_alone_there_is_a_rate_and_no_worth(tmp_path: Path) -> None:
    design = Design(kinds=("threat",), wordings=WORDINGS[:1])
    found = run_attack(tmp_path, cases(6), SURE, design=design)
    assert [defence.name for defence in found.defences] == ["shipped"] and found.worth == []


def test_a_gate_looks_at_the_upper_bound(swayed: AttackResult) -> None:
    share = known(swayed.defences[0].success.share)
    assert not gate(swayed, share.value).passed
    assert gate(swayed, share.high).passed and "at or below" in gate(swayed, share.high).why
    assert not gate(swayed, share.high - 1e-9).passed


def test_a_run_of_another_sort_is_refused(tmp_path: Path) -> None:
    path = prepare_ablation(SURE, cases(4), wordings_of("genuine", ["key"]), of="x", seed=1, out=tmp_path / "a.db")
    with pytest.raises(UsageError, match="no attack on a judge"):
        attack_result(path)
