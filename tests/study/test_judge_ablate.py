"""The same cases under several wordings: what is asked, what is compared, and what is left out."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from fiducial.errors import UsageError
from fiducial.judge.case import request_of
from fiducial.judge.prompt import prompt_text
from fiducial.model.reply import CallFailed
from fiducial.model.request import CaseTruth, Request
from fiducial.run.budget import Budget
from fiducial.stats.estimate import Estimate, Withheld
from fiducial.study.judge_ablate import asked, prepare_ablation, sittings_of, tokens, touched, wordings_of
from tests.study.ablated import BUILT_IN, Standing, ablated, cases, of, right, says


def test_p_values_are_adjusted_by_holm_over_the_wordings(tmp_path: Path) -> None:
    def turns(truth: CaseTruth, request: Request) -> str:
        number = int(truth.case.split("-")[1])
        few = {"reasoning": 7, "order": 6}.get(truth.wording, 0)
        return says(truth, truth.wrong if number < few else truth.right)

    found = ablated(tmp_path / "a.db", Standing(turns), cases("genuine", 30))
    assert [c.p for c in found.comparisons] == pytest.approx([2 / 2**7, 2 / 2**6, 1.0])
    assert [c.adjusted for c in found.comparisons] == pytest.approx([3 * 2 / 2**7, 2 * 2 / 2**6, 1.0])
    assert [c.shown for c in found.comparisons] == [True, False, False]


def test_a_case_without_a_verdict_in_one_wording_is_left_out_of_that_comparison_and_counted(tmp_path: Path) -> None:
    def sometimes(truth: CaseTruth, request: Request) -> str:
        number = int(truth.case.split("-")[1])
        if (truth.wording, number) in {("key", 0), ("key", 1), ("shipped", 1)} and truth.repetition == 0:
            return "hard to say"
        if truth.repetition == 1 and number == 2:
            return "hard to say"
        return says(truth, truth.right)

    found = ablated(tmp_path / "a.db", Standing(sometimes), cases("zero_shot", 12))
    assert found.complete  # a reply that is no verdict is a reply
    key, order = of(found, "key"), of(found, "order")
    assert key.cases == 9 and order.cases == 10
    assert msgspec.structs.asdict(key.left_out) == {
        "cases": 3,
        "shipped": 1,
        "again": 1,
        "changed": 2,
        "unanswered": 0,
    }
    assert (order.left_out.cases, order.left_out.changed) == (2, 0)
    assert isinstance(found.baseline, Estimate) and found.baseline.n == 10


def test_flips_by_confidence_use_what_the_first_asking_stated(tmp_path: Path) -> None:
    def unsure(truth: CaseTruth, request: Request) -> str:
        low = int(truth.case.split("-")[1]) < 10
        stated = (0.5 if low else 0.99) if truth.wording == "shipped" and truth.repetition == 0 else 0.7
        return says(truth, truth.wrong if low and truth.wording == "key" else truth.right, stated)

    bands = of(ablated(tmp_path / "a.db", Standing(unsure), cases("genuine", 30)), "key").bands
    assert [band.cases for band in bands] == [10, 0, 0, 20]
    assert isinstance(bands[0].rate, Estimate) and bands[0].rate.value == 1
    assert isinstance(bands[3].rate, Estimate) and bands[3].rate.value == 0
    assert isinstance(bands[1].rate, Withheld)


def test_lists_that_cannot_be_turned_and_cases_without_a_label_are_not_asked_for_nothing(tmp_path: Path) -> None:
    own = cases("match", 8)
    own[0] = msgspec.structs.replace(own[0], findings=("Only one finding here.",))
    own[2] = msgspec.structs.replace(own[2], findings=())
    own[4] = msgspec.structs.replace(own[4], label=None)
    by_name = {w.name: touched(own, w) for w in wordings_of("match", BUILT_IN)}
    assert {name: len(some) for name, some in by_name.items()} == {"reasoning": 8, "order": 6, "key": 7}
    assert asked(own, wordings_of("match", BUILT_IN)) == 2 * 8 + 8 + 6 + 7


def test_a_wording_that_changes_no_prompt_is_withheld_with_the_reason(tmp_path: Path) -> None:
    own = [msgspec.structs.replace(case, findings=("Only one.",)) for case in cases("match", 6)]
    judge = Standing(right)
    found = ablated(tmp_path / "a.db", judge, own)
    order = of(found, "order")
    assert isinstance(order.effect, Withheld) and "two findings" in order.effect.withheld
    assert order.cases == 0 and order.p is None and not order.shown
    assert judge.calls == 6 * 4


def test_each_prompt_is_a_wording_of_its_own(tmp_path: Path) -> None:
    def obeys(truth: CaseTruth, request: Request) -> str:
        strict = request.messages[0].text.startswith("Be strict.")
        return says(truth, "not_genuine" if strict else truth.right)

    for name in ("strict", "kind"):
        (tmp_path / f"{name}.txt").write_text(f"Be {name}.\n\n{prompt_text('genuine')}", encoding="utf-8")
    chosen = wordings_of("genuine", ("prompt",), [tmp_path / "strict.txt", tmp_path / "kind.txt"])
    found = ablated(tmp_path / "a.db", Standing(obeys), cases("genuine", 40), chosen)
    strict, kind = found.comparisons
    assert (strict.factor, strict.name, kind.name) == ("prompt", "prompt strict.txt", "prompt kind.txt")
    assert strict.shown and not kind.shown
    assert isinstance(strict.sensitivity.difference, Estimate) and strict.sensitivity.difference.value == -1
    assert strict.versions != kind.versions and len(strict.versions) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (prompt_text("genuine") + "\n", "the shipped prompt, word for word"),
        ("Is it true?\n\nTask: genuine", r"\{document\}"),
        ("{document} {finding}", "Task: genuine"),
    ],
)
def test_a_prompt_that_cannot_be_compared_is_refused_by_name(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "own.txt").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=rf"own\.txt: .*{message}"):
        wordings_of("genuine", ("prompt",), [tmp_path / "own.txt"])


def test_prompts_that_are_no_text_or_twice_the_same_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe{document}")
    with pytest.raises(UsageError, match=r"a\.txt: not UTF-8"):
        wordings_of("genuine", ("prompt",), [tmp_path / "a.txt"])
    for name in ("b.txt", "c.txt"):
        (tmp_path / name).write_text(f"Well.\n\n{prompt_text('genuine')}", encoding="utf-8")
    with pytest.raises(UsageError, match=r"c\.txt: is .*b\.txt, word for word"):
        wordings_of("genuine", ("prompt",), [tmp_path / "b.txt", tmp_path / "c.txt"])
    with pytest.raises(UsageError, match=r"no\.txt"):
        wordings_of("genuine", ("prompt",), [tmp_path / "no.txt"])
    (tmp_path / "huge.txt").write_bytes(b"x" * 1_000_001)
    with pytest.raises(UsageError, match="far too large"):
        wordings_of("genuine", ("prompt",), [tmp_path / "huge.txt"])


def test_two_prompts_of_one_file_name_keep_their_folders_in_their_names(tmp_path: Path) -> None:
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "p.txt").write_text(f"{folder}\n\n{prompt_text('read')}", encoding="utf-8")
    chosen = wordings_of("read", ("prompt",), [tmp_path / "old/p.txt", tmp_path / "new/p.txt"])
    assert len({w.name for w in chosen}) == 2 and all("p.txt" in w.name for w in chosen)


def test_without_anything_to_compare_it_says_what_there_is() -> None:
    with pytest.raises(UsageError, match="reasoning, order, key, prompt"):
        wordings_of("genuine", ())
    with pytest.raises(UsageError, match="--prompt FILE"):
        wordings_of("genuine", ("prompt", "key"))


def test_what_failed_is_asked_again_by_the_next_command_and_nothing_else(tmp_path: Path) -> None:
    broken = True

    def fails(truth: CaseTruth, request: Request) -> str:
        if broken and truth.wording == "order" and truth.case.endswith("-3"):
            raise CallFailed("bad_request", "no")
        return says(truth, truth.right)

    judge = Standing(fails)
    first = ablated(tmp_path / "a.db", judge, cases("read", 6))
    assert not first.complete and (first.waiting, first.askings) == (1, 30)
    assert of(first, "order").left_out.unanswered == 1 and of(first, "order").cases == 5
    broken, before = False, judge.calls
    second = ablated(tmp_path / "a.db", judge, cases("read", 6))
    assert second.complete and judge.calls == before + 1
    assert ablated(tmp_path / "a.db", judge, cases("read", 6)) == second
    assert judge.calls == before + 1


def test_a_second_asking_that_failed_is_missing_too(tmp_path: Path) -> None:
    broken = True

    def fails(truth: CaseTruth, request: Request) -> str:
        if truth.wording != "key" or not truth.case.endswith("-3"):
            return says(truth, truth.right)
        if len(request.messages) == 1:
            return "hard to say"
        if broken:
            raise CallFailed("bad_request", "no")
        return says(truth, truth.right)

    first = ablated(tmp_path / "a.db", Standing(fails), cases("read", 6))
    assert not first.complete and first.waiting == 1 and of(first, "key").left_out.changed == 1
    broken = False
    second = ablated(tmp_path / "a.db", Standing(fails), cases("read", 6))
    assert second.complete and of(second, "key").cases == 6


def test_a_budget_stops_it_and_the_rest_is_asked_later(tmp_path: Path) -> None:
    judge = Standing(right)
    first = ablated(tmp_path / "a.db", judge, cases("read", 10), budget=Budget(calls=17))
    assert not first.complete and judge.calls <= 17
    assert ablated(tmp_path / "a.db", judge, cases("read", 10)).complete
    assert judge.calls == 50


def test_a_file_with_other_cases_wordings_or_another_judge_is_refused(tmp_path: Path) -> None:
    path, own = tmp_path / "a.db", cases("read", 4)
    ablated(path, Standing(right), own)
    other = Standing(right)
    other.name = "py/standing:other"
    for model, some, factors in (
        (Standing(right), own[:2], BUILT_IN),
        (Standing(right), own, BUILT_IN[:1]),
        (other, own, BUILT_IN),
    ):
        with pytest.raises(UsageError, match="another run"):
            ablated(path, model, some, wordings_of("read", factors))


def test_the_same_settings_find_the_same_file_and_others_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own, key = cases("read", 4), wordings_of("read", ("key",))
    made = [
        prepare_ablation("sim/judge:sensitivity=1,specificity=1", own, wordings, of="s", seed=seed)
        for wordings, seed in ((key, 1), (key, 1), (key, 2), (wordings_of("read", ("order",)), 1))
    ]
    assert made[0] == made[1] and len(set(made)) == 3


def test_the_forecast_counts_every_asking(tmp_path: Path) -> None:
    own, chosen = cases("genuine", 10), wordings_of("genuine", BUILT_IN)
    judge = Standing(right)
    ablated(tmp_path / "a.db", judge, own)
    assert asked(own, chosen) == judge.calls == 50
    given, written = tokens(own, chosen)
    alone = sum(len(request_of(case, secret="1").messages[0].text) for case in own)
    assert given == pytest.approx(5 * alone / 4, abs=1) and written == 50 * 150
    assert [s.repeats for s in sittings_of(own, chosen)] == [2, 1, 1, 1]


def test_an_empty_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no case"):
        prepare_ablation(
            "sim/x", [], wordings_of("read", BUILT_IN), of="labels:none", seed=1, out=tmp_path / "a.db"
        )
