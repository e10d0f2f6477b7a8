from __future__ import annotations

import asyncio
import inspect
import signal
import threading
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from fiducial import api
from fiducial.bias.conduct import bias_options
from fiducial.model.request import WireRequest
from fiducial.run.calls import Calls

ONE: dict[str, Any] = {"biases": ["anchoring_effect"], "arms": ["control", "weak"], "trials": 1, "progress": False}


class Agent:
    remote = False

    def __init__(self, name: str = "agent", answer: str = "Answer: A") -> None:
        self.name, self.answer, self.calls = name, answer, 0
        self.loops: set[int] = set()

    async def generate(self, request: WireRequest) -> str:
        self.calls += 1
        self.loops.add(id(asyncio.get_running_loop()))
        return self.answer


def test_a_run_is_measured_found_again_and_opened_by_its_path(tmp_path: Path) -> None:
    out = tmp_path / "a.db"
    run = api.bias_run("sim/planted:effect=.4", out=out, **ONE)
    effect = run.effect("anchoring_effect")
    assert not isinstance(effect, api.Withheld) and effect.low <= effect.value <= effect.high
    again = api.open(out)
    assert isinstance(again, api.BiasRun)
    assert again.effect("anchoring_effect") == effect and again.complete and again.audit == run.audit
    assert run.report(tmp_path / "r.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert run.export(tmp_path / "e.parquet", what="effects") == run.frames.effects.height


def test_an_object_is_asked_once_and_its_finished_run_costs_nothing(tmp_path: Path) -> None:
    agent = Agent()
    first = api.bias_run(agent, out=tmp_path / "a.db", **ONE)
    asked = agent.calls
    assert asked == first.result.trials > 0 and first.result.subject == "py/agent"
    api.bias_run(agent, out=tmp_path / "a.db", **ONE)
    assert agent.calls == asked


def test_what_has_no_name_is_refused_because_another_would_be_taken_for_it(tmp_path: Path) -> None:
    class Nameless:
        async def generate(self, request: WireRequest) -> str:
            return "Answer: A"

    with pytest.raises(api.UsageError, match=r"a Nameless has no name of its own.*api\.named"):
        api.bias_run(Nameless(), out=tmp_path / "a.db", **ONE)
    run = api.bias_run(api.named("seven", Nameless()), out=tmp_path / "a.db", identical_gap=0, **ONE)
    assert run.result.subject == "py/seven"


async def module_level(request: WireRequest) -> str:
    return "Answer: B"


def test_a_function_is_known_by_where_it_is_defined(tmp_path: Path) -> None:
    run = api.bias_run(module_level, out=tmp_path / "a.db", identical_gap=0, **ONE)
    assert run.result.subject == "py/tests.api.test_bias:module_level"


def test_it_works_where_a_loop_is_running_as_in_a_notebook(tmp_path: Path) -> None:
    agent = Agent()

    async def cell() -> api.BiasRun:
        here = id(asyncio.get_running_loop())
        run = api.bias_run(agent, out=tmp_path / "a.db", **ONE)
        assert here not in agent.loops
        return run

    run = asyncio.run(cell())
    assert run.complete and agent.calls == run.result.trials


def test_ctrl_c_is_an_interruption_that_names_the_run_and_the_same_call_continues(tmp_path: Path) -> None:
    class Stops(Agent):
        async def generate(self, request: WireRequest) -> str:
            if self.calls == 3:
                signal.raise_signal(signal.SIGINT)
                await asyncio.sleep(0)
            return await super().generate(request)

    agent = Stops()
    with pytest.raises(api.Interrupted) as stop:
        api.bias_run(agent, out=tmp_path / "a.db", max_connections=1, **ONE)
    assert stop.value.path == tmp_path / "a.db" and isinstance(stop.value, KeyboardInterrupt)
    stored = api.open(tmp_path / "a.db").frames.trials["answered"].sum()
    assert 3 <= stored < 15
    agent.calls = 100
    assert api.bias_run(agent, out=tmp_path / "a.db", **ONE).complete
    assert agent.calls == 100 + 15 - stored


def test_ctrl_c_in_a_notebook_ends_the_run_in_good_order_too(tmp_path: Path) -> None:
    main = threading.main_thread()

    class Stops(Agent):
        async def generate(self, request: WireRequest) -> str:
            assert threading.current_thread() is not main
            if self.calls == 3:
                signal.pthread_kill(main.ident or 0, signal.SIGINT)
                await asyncio.sleep(60)
            return await super().generate(request)

    async def cell() -> None:
        # asyncio.run would cancel the cell; a notebook's kernel raises KeyboardInterrupt, as the default handler does
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with pytest.raises(api.Interrupted) as stop:
            api.bias_run(Stops(), out=tmp_path / "a.db", max_connections=1, **ONE)
        assert stop.value.path == tmp_path / "a.db"

    asyncio.run(cell())
    assert api.open(tmp_path / "a.db").frames.trials["answered"].sum() == 3


def test_a_budget_that_is_reached_says_where_the_rest_is(tmp_path: Path) -> None:
    with pytest.raises(api.Incomplete, match=r"budget reached.*4 of 15 replies.*larger `budget`") as short:
        api.bias_run("sim/coin", budget="calls=4", out=tmp_path / "a.db", **ONE)
    assert short.value.path == tmp_path / "a.db" and (short.value.stopped or "").startswith("budget")
    part = api.open(tmp_path / "a.db")
    assert isinstance(part, api.BiasRun) and not part.complete


def test_a_wrong_name_or_setting_is_told_before_any_call(tmp_path: Path) -> None:
    agent = Agent()
    for wrong, said in (
        ({"biases": ["anchorin"]}, "anchoring_effect"),
        ({"tier": "huge"}, "quick, core"),
        ({"temperature": -1}, "temperature=-1"),
        ({"top_p": 2}, "a share"),
        ({"rpm": 0}, "above 0"),
        ({"budget": "lots"}, "usd=1.50"),
    ):
        with pytest.raises(api.UsageError, match=said):
            api.bias_run(agent, out=tmp_path / "a.db", **{**ONE, **wrong})
    assert agent.calls == 0
    run = api.bias_run(agent, out=tmp_path / "a.db", **ONE)
    with pytest.raises(api.UsageError, match="did you mean anchoring_effect"):
        run.effect("anchoring_efect")


def test_the_settings_of_calls_are_those_of_the_commands() -> None:
    assert set(get_type_hints(api.CallSettings)) == set(Calls.__struct_fields__)


def test_the_function_takes_what_the_command_takes() -> None:
    ours = set(inspect.signature(api.bias_run).parameters)
    below = set(inspect.signature(bias_options).parameters) - {"calls"}
    assert below <= ours | {"model"}
    from fiducial.cli.bias_run import run_bias

    command = {parameter.name for parameter in run_bias.params} - set(Calls.__struct_fields__)
    renamed = {"ids": "biases", "places": "battery"}
    assert {renamed.get(name, name) for name in command if name} - {"page", "as_json"} <= ours


def test_replies_are_read_and_scored_without_a_run(tmp_path: Path) -> None:
    read = api.bias_read("I would go with B.", options=[{"label": "A", "text": "x"}, {"label": "B", "text": "y"}])
    assert (read.status, read.answer) == ("read", "B")
    rows = [
        {"bias": "b", "item": f"i{k}", "arm": arm, "kind": "yesno", "biased": "yes", "response": said}
        for k in range(4)
        for arm, said in (("control", "No."), ("treatment", "Yes." if k else "No."))
    ]
    scored = api.bias_score(rows)
    (effect,) = (bias.effect for bias in scored.biases)
    assert not isinstance(effect, api.Withheld) and effect.value == pytest.approx(0.75)


def test_biases_are_listed_linted_and_analysed(tmp_path: Path) -> None:
    assert {"anchoring_effect", "gain_loss_framing"} <= {bias.id for bias in api.bias_list()}
    place = Path(__file__).parents[2] / "examples" / "battery"
    assert len(api.bias_list([place])) > len(api.bias_list())
    assert api.bias_lint(place, seeds=2) == []
    run = api.bias_run("sim/planted:effect=.4", out=tmp_path / "a.db", **ONE)
    assert api.bias_items(run).items
    study = api.bias_calibrate(subjects=("coin",), runs=2, biases=("anchoring_effect",))
    assert study.rows
