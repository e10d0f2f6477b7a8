"""Small plans and runs for the tests of the engine."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fiducial.model.base import Model, ModelBase
from fiducial.model.remote import open_remote
from fiducial.model.reply import Reply
from fiducial.model.request import Message, Request, Settings
from fiducial.run import schema
from fiducial.run.budget import Budget
from fiducial.run.collect import Collected
from fiducial.run.engine import collect
from fiducial.run.limits import Limits
from fiducial.run.plan import Plan, Trial, make_plan, make_trial
from fiducial.run.progress import Silent
from fiducial.run.store import Store, prepare
from tests.model.servers import Server, openai_reply

FAST = Limits(max_connections=8, backoff=0.001, backoff_cap=0.004, timeout=5.0)


class Questions:
    """A source whose prompt is the item's name; every later turn repeats what was said before."""

    def __init__(self, settings: Settings | None = None, prefix: str = "") -> None:
        self.settings = settings or Settings(temperature=1.0, max_tokens=20)
        self.prefix = prefix

    def request(self, trial: Trial, history: Sequence[str] = ()) -> Request:
        messages = [Message("user", f"{self.prefix}question {trial.item}/{trial.arm}", prefix=len(self.prefix))]
        for turn, said in enumerate(history, 1):
            messages += [Message("assistant", said), Message("user", f"and turn {turn}?")]
        return Request(tuple(messages), self.settings)


def plan_of(items: int, repetitions: int = 1, source: Questions | None = None) -> Plan:
    trials = [make_trial(str(i), "h", "a", repetition=r) for r in range(repetitions) for i in range(items)]
    return make_plan(trials, source or Questions(), seed=1)


class Echo(ModelBase):
    """Answers at once, on this machine, and counts."""

    def __init__(self, name: str = "py/echo") -> None:
        self.name = name
        self.calls: list[Request] = []

    def encode(self, request: Request) -> bytes:
        return request.messages[-1].text.encode()

    async def call(self, request: Request) -> Reply:
        self.calls.append(request)
        return Reply(text=f"echo {request.messages[-1].text}", sent=self.encode(request))


def remote(server: Server, connections: int = 8, timeout: float = 5.0) -> Model:
    return open_remote("openai", "m", server.env(), connections=connections, timeout=timeout)


def run(
    path: Path, plan: Plan, model: Model, *, source: Questions | None = None, settings: Any = None, **more: Any
) -> Collected:
    prepare(path, plan, {"settings": settings or {"temperature": 1.0}})
    given: dict[str, Any] = {"limits": FAST, "budget": Budget(), "progress": Silent(), "seed": 1, **more}
    return asyncio.run(collect(path, source or Questions(), model, **given))


def texts(path: Path) -> dict[str, str]:
    with Store(path) as store:
        return {f"{r.trial.item}.{r.trial.repetition}.{r.trial.turn}": r.text for r in store.replies()}


def seal(db: sqlite3.Connection) -> None:
    """Give every reply the checksum that fits, after a test has put replies in or changed them."""
    db.create_function("checksum", 8, schema.checksum)
    db.execute(f"UPDATE reply SET checksum = checksum({schema.CHECKED})")


def said(text: str, *, finish: str = "stop", tokens: tuple[int, int] = (11, 7)) -> dict[str, Any]:
    """A chat completion that ended in this way and used so many tokens in and out."""
    reply = openai_reply(text, usage={"prompt_tokens": tokens[0], "completion_tokens": tokens[1]})
    reply["choices"][0]["finish_reason"] = finish
    return reply
