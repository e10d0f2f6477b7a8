"""One call outside a run: nothing is stored."""

from __future__ import annotations

import time

from msgspec import Struct

from fiducial.errors import Incomplete
from fiducial.model.base import Model
from fiducial.model.reply import CallFailed, Reply, storable
from fiducial.model.request import Message, Request, Settings
from fiducial.run.engine import run_async


class Answered(Struct, frozen=True):
    """What was asked, what came back, and how long it took."""

    request: Request
    reply: Reply
    seconds: float


def ask_once(model: Model, prompt: str, *, system: str | None, settings: Settings) -> Answered:
    """Make one call, without a second attempt. Raises `Incomplete` where it fails."""
    messages = (Message("system", system),) if system is not None else ()
    request = Request((*messages, Message("user", prompt)), settings)
    try:
        return run_async(_call(model, request))
    except CallFailed as failure:
        raise Incomplete(f"{model.name}: {failure.kind.replace('_', ' ')}: {failure}") from failure


async def _call(model: Model, request: Request) -> Answered:
    async with model:
        started = time.monotonic()
        reply = storable(await model.call(request))
        return Answered(request, reply, time.monotonic() - started)
