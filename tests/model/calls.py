"""Calls for the tests of remote models."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from fiducial.model.remote import open_remote
from fiducial.model.reply import CallFailed, Reply
from fiducial.model.request import Message, Request, Settings
from tests.model.servers import Seen, Server

HELLO = Request((Message("user", "Hello"),))
KEY = "sk-live-0123456789abcdef"


def asking(**settings: Any) -> Request:
    return Request(HELLO.messages, Settings(**settings))


def error(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None, **more}}


def call(
    *answers: Any, provider: str = "openai", model: str = "m", request: Request = HELLO, **env: str
) -> tuple[Reply, list[Seen]]:
    async def main() -> tuple[Reply, list[Seen]]:
        async with Server(*answers) as server, open_remote(provider, model, server.env(**env)) as opened:
            return await opened.call(request), server.seen

    return asyncio.run(main())


def fail(*answers: Any, **more: Any) -> CallFailed:
    with pytest.raises(CallFailed) as failed:
        call(*answers, **more)
    assert failed.value.sent.startswith(b"{")  # what was sent is kept for failures too
    return failed.value
