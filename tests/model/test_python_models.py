from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fiducial.errors import UsageError
from fiducial.model.names import open_model
from fiducial.model.python import PythonModel, checked
from fiducial.model.reply import CallFailed, Reply, Reported
from fiducial.model.request import Message, Request, Settings, Truth, WireRequest

MODULE = '''
import os, sys
from fiducial.model.reply import CallFailed, Reply, Reported

__version__ = "3.1"

class Agent:
    """Counts its calls, to show that one object serves the whole run."""
    calls = 0
    async def generate(self, request):
        self.calls += 1
        return f"{self.calls}: {request.messages[-1].text}"

agent = Agent()

def factory():
    return Agent()

def function_factory():
    return bare

async def bare(request):
    return "bare " + request.messages[-1].text

class Callable:
    async def __call__(self, request):
        return "called"

callable_object = Callable()

class Nested:
    inner = agent

class Session:
    remote = False
    seeded = True
    slots = 3
    log = []
    async def __aenter__(self):
        self.log.append("in")
        return self
    async def __aexit__(self, *exc):
        self.log.append("out")
    async def generate(self, request):
        return "in session"

class NeedsArguments:
    def __init__(self, key): ...
    async def generate(self, request): ...

class Leaky:
    async def generate(self, request):
        raise ValueError("bad key sk-abcdef1234567890")

class Exits:
    async def generate(self, request):
        sys.exit(4)

class Limited:
    async def generate(self, request):
        raise CallFailed("rate_limited", "slow down", retry_after=2.0)

class Synchronous:
    def generate(self, request):
        return "not awaited"

class Full:
    async def generate(self, request):
        return Reply(text="whole", status="truncated", reported=Reported(input_tokens=5))

class BadSlots(Agent):
    slots = 0

number = 7
'''


@pytest.fixture(autouse=True)
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder that is the working directory and nothing else: not on sys.path."""
    (tmp_path / "my_agents.py").write_text(MODULE)
    (tmp_path / "broken_agent.py").write_text("raise RuntimeError('at import')")
    (tmp_path / "exiting_agent.py").write_text("import sys; sys.exit(1)")
    (tmp_path / "needy_agent.py").write_text("import a_module_that_is_not_there")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    for name in ("my_agents", "broken_agent", "exiting_agent", "needy_agent"):
        sys.modules.pop(name, None)


def request(text: str = "hi") -> Request:
    truth = Truth(bias="secret", item="secret", kind="option", sign=1)
    return Request((Message("user", text),), Settings(temperature=1.0), truth)


def ask(name: str, text: str = "hi") -> Reply:
    return asyncio.run(open_model(name).call(request(text)))


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("Agent", "1: hi"),
        ("agent", "1: hi"),
        ("factory", "1: hi"),
        ("bare", "bare hi"),
        ("function_factory", "bare hi"),
        ("callable_object", "called"),
        ("Callable", "called"),
        ("Nested.inner", "1: hi"),
    ],
)
def test_objects_classes_factories_and_functions_can_all_be_asked(target: str, expected: str) -> None:
    reply = ask(f"py/my_agents:{target}")
    assert reply.text == expected
    assert reply.status == "ok"


def test_a_class_is_made_once_and_asked_many_times() -> None:
    model = open_model("py/my_agents:Agent")
    texts = [asyncio.run(model.call(request(t))).text for t in ("a", "b")]
    assert texts == ["1: a", "2: b"]


def test_what_was_sent_is_recorded_and_holds_no_truth() -> None:
    model = open_model("py/my_agents:bare")
    reply = asyncio.run(model.call(request()))
    assert reply.sent == model.encode(request())
    assert b"secret" not in reply.sent
    assert b'"temperature":1.0' in reply.sent


def test_the_same_request_encodes_to_the_same_bytes_whatever_the_order_of_keys() -> None:
    model = open_model("py/my_agents:bare")
    one = Request((Message("user", "x"),), Settings(schema={"a": 1, "b": 2}))
    two = Request((Message("user", "x"),), Settings(schema={"b": 2, "a": 1}))
    assert model.encode(one) == model.encode(two)


def test_a_whole_reply_is_passed_on_with_what_was_sent() -> None:
    reply = ask("py/my_agents:Full")
    assert (reply.text, reply.status, reply.reported.input_tokens) == ("whole", "truncated", 5)
    assert reply.sent


def test_an_exception_is_a_crashed_call_that_shows_no_key() -> None:
    with pytest.raises(CallFailed) as caught:
        ask("py/my_agents:Leaky")
    assert caught.value.kind == "crashed"
    assert caught.value.message.startswith("ValueError: bad key")
    assert "abcdef" not in caught.value.message
    assert caught.value.sent


def test_an_agent_that_exits_does_not_end_the_run() -> None:
    with pytest.raises(CallFailed, match="SystemExit: 4") as caught:
        ask("py/my_agents:Exits")
    assert caught.value.kind == "crashed"


def test_a_failure_that_the_agent_words_itself_passes_through() -> None:
    with pytest.raises(CallFailed) as caught:
        ask("py/my_agents:Limited")
    assert (caught.value.kind, caught.value.retry_after, caught.value.retryable) == ("rate_limited", 2.0, True)
    assert caught.value.sent


def test_a_method_that_is_not_async_is_malformed() -> None:
    with pytest.raises(CallFailed, match="not async") as caught:
        ask("py/my_agents:Synchronous")
    assert caught.value.kind == "malformed"


def test_cancelling_a_call_is_not_a_failure_of_the_agent() -> None:
    async def hang(_: WireRequest) -> str:
        await asyncio.Event().wait()
        return ""

    async def run() -> None:
        task = asyncio.create_task(PythonModel("py/x:hang", hang).call(request()))
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())


@pytest.mark.parametrize(
    "result",
    [
        None,
        7,
        b"bytes",
        ["a"],
        Reply(text=None),  # type: ignore[arg-type]
        Reply(text="x", status="fine"),  # type: ignore[arg-type]
        Reply(text="x", reported=Reported(input_tokens="5")),  # type: ignore[arg-type]
        Reply(text="x", reported=object()),  # type: ignore[arg-type]
    ],
)
def test_a_result_of_the_wrong_type_is_malformed(result: Any) -> None:
    with pytest.raises(CallFailed) as caught:
        checked(result, b"sent", "py/x:y")
    assert caught.value.kind == "malformed"
    assert caught.value.sent == b"sent"


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_reply_without_text_is_empty_and_keeps_what_there_was(text: str) -> None:
    assert checked(text, b"", "py/x:y") == Reply(text=text, status="empty")
    assert checked(Reply(text=text, status="filtered"), b"", "py/x:y").status == "filtered"


def test_a_session_is_entered_and_left_and_its_attributes_are_heeded() -> None:
    model = open_model("py/my_agents:Session")

    async def run() -> str:
        async with model:
            return (await model.call(request())).text

    assert asyncio.run(run()) == "in session"
    assert sys.modules["my_agents"].Session.log == ["in", "out"]
    assert (model.remote, model.seeded, model.slots) == (False, True, 3)


def test_calls_are_taken_to_leave_the_machine_unless_the_object_says_otherwise() -> None:
    model = open_model("py/my_agents:Agent")
    assert model.remote
    assert not model.seeded
    assert model.facts() == {"subject": "py/my_agents:Agent", "version": "3.1"}


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("my_agents", "write py/MODULE:NAME"),
        ("my_agents:", "write py/MODULE:NAME"),
        (":Agent", "write py/MODULE:NAME"),
        ("no_such_module:X", "there is no module no_such_module"),
        ("my_agents.sub:X", "my_agents"),
        ("needy_agent:X", "needs a module that is missing: a_module_that_is_not_there"),
        ("broken_agent:X", "importing broken_agent raised RuntimeError: at import"),
        ("exiting_agent:X", "importing exiting_agent raised SystemExit"),
        ("my_agents:Agnt", r'has no "Agnt"; did you mean Agent\? \(it has: .*factory'),
        ("my_agents:number", "is a int without an async method `generate`"),
        ("my_agents:NeedsArguments", r"NeedsArguments\(\) raised TypeError"),
        ("my_agents:BadSlots", '"slots" is 0'),
    ],
)
def test_what_cannot_be_opened_is_a_usage_error_that_says_why(target: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        open_model(f"py/{target}")
