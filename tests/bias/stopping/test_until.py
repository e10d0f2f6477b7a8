"""A stopping rule in a run file: rounds that are kept, a run that can be killed, and what is said of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fiducial.bias.load import packaged_battery
from fiducial.bias.run import BiasOptions, Prepared, collect_run, look, prepare_run, rescore
from fiducial.bias.stopping.until import POOL, Until, decided, parse_until
from fiducial.errors import UsageError
from fiducial.model.base import Model
from fiducial.model.names import open_model
from fiducial.model.reply import CallFailed, Reply
from fiducial.model.request import Request
from fiducial.run.budget import Budget
from fiducial.run.collect import Collected
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from fiducial.run.store import SUBJECT, Store

FEW = ("gain_loss_framing", "base_rate_neglect", "hindsight_bias")
MODEL = "sim/planted:effect=.3"


def options(**more: Any) -> BiasOptions:
    given = {"model": MODEL, "tier": "core", "biases": FEW, "trials": 10, "until": Until(0.45), **more}
    return BiasOptions(**given)


def prepared(path: Path, **more: Any) -> Prepared:
    return prepare_run(packaged_battery(), options(**more), out=path)


def collected(path: Path, *, calls: int | None = None, model: Model | None = None, **more: Any) -> Collected:
    return collect_run(
        prepared(path, **more),
        model or open_model(options(**more).model),
        options(**more),
        limits=Limits(max_connections=4, attempts=1),
        budget=Budget(calls=calls),
        progress=Silent(),
    )


def asked(path: Path) -> list[tuple[str, str]]:
    with Store(path) as store:
        rows = store.db.execute(
            """SELECT trial.id, text FROM trial JOIN reply ON reply.trial = trial.seq
               WHERE role = ? AND status != 'failed' ORDER BY trial.id""",
            (SUBJECT,),
        )
        return [tuple(row) for row in rows]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("until") / "whole.db"
    assert collected(path).stopped is None
    return path


def test_a_run_ends_when_the_rule_has_stopped_and_most_of_the_pool_was_never_asked(whole: Path) -> None:
    result = rescore(whole).result
    assert result.complete and result.stopping is not None and result.stopping.over
    assert {stop.reason for stop in result.stopping.biases.values()} == {"width"}
    assert result.trials == result.answered == result.calls == result.stopping.saving.calls
    with Store(whole) as store:
        left = store.db.execute("SELECT count(*) FROM trial WHERE role = ?", (POOL,)).fetchone()[0]
    assert left + result.trials == result.stopping.saving.pool and left > 5 * result.trials


def test_the_widths_that_are_printed_are_those_the_rule_saw(whole: Path) -> None:
    result = rescore(whole).result
    assert result.stopping is not None
    for bias in result.biases:
        effect: Any = bias.effect
        assert effect.high - effect.low == pytest.approx(result.stopping.biases[bias.id].width)
        assert effect.high - effect.low <= 0.45 and "for stopping" in effect.method
        assert abs(effect.value - 0.3) < 0.3


def test_a_run_that_is_stopped_again_and_again_ends_as_if_it_never_was(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "pieces.db"
    calls, stops = 0, 0
    while True:
        calls += 37
        if collected(path, calls=calls).stopped is None:
            break
        stops += 1
        with Store(path) as store:
            assert store.progressed(SUBJECT).answered <= calls
        assert not look(path).complete
    assert stops > 3
    assert asked(path) == asked(whole)
    with Store(path) as one, Store(whole) as other:
        assert decided(one) == decided(other)


def test_repeating_the_command_after_the_end_makes_no_call(whole: Path) -> None:
    before = asked(whole)
    assert collected(whole) == Collected(done=0, failed=0)
    assert asked(whole) == before


class Failing:
    """A subject whose server answers some prompts with an error, until it is mended."""

    def __init__(self, bias: str) -> None:
        self._inner, self._bias, self.mended = open_model(MODEL), bias, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def __aenter__(self) -> Failing:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *given: Any) -> None:
        await self._inner.__aexit__(*given)

    async def call(self, request: Request) -> Reply:
        if (
            not self.mended
            and getattr(request.truth, "bias", "") == self._bias
            and "Answer" in str(request.messages)
        ):
            raise CallFailed("bad_request", "no")
        return await self._inner.call(request)


def test_calls_that_fail_leave_the_run_incomplete_and_are_made_up_for_without_a_trace(
    whole: Path, tmp_path: Path
) -> None:
    path, model = tmp_path / "failing.db", Failing("hindsight_bias")
    assert collected(path, model=model).failed > 0
    result = rescore(path).result
    assert not result.complete and result.stopping is not None
    assert result.stopping.biases["hindsight_bias"].reason is None
    assert any(check.code == "incomplete" and "--until" in check.message for check in result.audit)
    model.mended = True
    assert collected(path, model=model).stopped is None
    assert rescore(path).result.complete
    assert asked(path) == asked(whole)


def test_the_judge_reads_between_rounds_and_its_stop_stops_the_run(tmp_path: Path) -> None:
    path, seen = tmp_path / "judged.db", []

    def judge() -> str | None:
        seen.append(1)
        return "budget reached (calls)" if len(seen) == 2 else None

    found = collect_run(
        prepared(path),
        open_model(MODEL),
        options(),
        limits=Limits(),
        budget=Budget(),
        progress=Silent(),
        judge=judge,
    )
    assert found.stopped == "budget reached (calls)" and not look(path).complete


def test_another_width_is_another_run(whole: Path) -> None:
    with pytest.raises(UsageError, match=r"holds another run.*until was 'width=0.45'"):
        collected(whole, until=Until(0.2))


def test_what_a_rule_cannot_do_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    for more, why in (
        ({"tier": "quick"}, "--tier core"),
        ({"protocols": ("context",)}, "standard protocol"),
        ({"arms": ("control", "enormous")}, "'enormous' is none of"),
        ({"biases": ("base_rate_neglect",), "arms": ("strong",)}, "nothing to run"),
    ):
        with pytest.raises(UsageError, match=why):
            prepared(tmp_path / "no.db", **more)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "text", ["", "width", "width=", "width=wide", "width=0", "width=-1", "width=2", "width=nan", "p=.05"]
)
def test_a_target_that_is_none_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match=r"width=0\.3"):
        parse_until(text)


def test_a_target_may_be_written_with_blanks() -> None:
    assert parse_until(" width = .25 ") == Until(0.25)
