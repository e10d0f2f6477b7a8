"""A loopback HTTP server with a script, for tests of whatever makes calls.

    async with Server(openai_reply("B")) as server:      # in the test's own loop
    with Server(openai_reply("B")) as server:            # in a thread, for code that runs its own loop

The script is a list of answers given one after the other, the last one again and again; or a function
from what was `Seen` to an answer. A plain dict or list is an answer with status 200 and that JSON.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import msgspec
from aiohttp import web
from msgspec import Struct


class Answer(Struct, kw_only=True):
    """One scripted answer. `body` is JSON-able, or bytes that are sent as they are."""

    body: Any = b""
    status: int = 200
    headers: dict[str, str] = {}
    cut: int | None = None  # promise the whole body, send this many bytes of it, then reset
    delay: float = 0.0  # seconds before anything is sent

    def raw(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else msgspec.json.encode(self.body)


class Seen(Struct, kw_only=True):
    """One request, as it arrived. Header names are in lower case."""

    method: str
    path: str  # with the query
    headers: dict[str, str]
    body: bytes
    port: int  # of the client: the same for two requests that shared a connection

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


Script = Callable[[Seen], Any]


class Server:
    """Answers every request to any path by its script, and remembers what it saw in `seen`."""

    def __init__(self, *answers: Any, script: Script | None = None) -> None:
        self.seen: list[Seen] = []
        self.url = ""
        self._answers = list(answers)
        self._script = script
        self._runner: web.AppRunner | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def env(self, **more: str) -> dict[str, str]:
        """Variables under which every provider is found here: keys, and base URLs as each expects them."""
        return {
            "OPENAI_API_KEY": "key-openai",
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "ANTHROPIC_API_KEY": "key-anthropic",
            "ANTHROPIC_BASE_URL": self.url,
            "GOOGLE_API_KEY": "key-google",
            "GOOGLE_BASE_URL": self.url,
            "XAI_API_KEY": "key-xai",
            "XAI_BASE_URL": f"{self.url}/v1",
            "TEST_BASE_URL": f"{self.url}/v1",
            **more,
        }

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        seen = Seen(
            method=request.method,
            path=request.path_qs,
            headers={name.lower(): value for name, value in request.headers.items()},
            body=await request.read(),
            port=request.transport.get_extra_info("peername")[1] if request.transport else 0,
        )
        self.seen.append(seen)
        answer = self._next(seen)
        if answer.delay:
            await asyncio.sleep(answer.delay)
        raw = answer.raw()
        headers = {"Content-Type": "application/json", **answer.headers}
        if answer.cut is None:
            return web.Response(status=answer.status, body=raw, headers=headers)
        response = web.StreamResponse(status=answer.status, headers={**headers, "Content-Length": str(len(raw))})
        await response.prepare(request)
        await response.write(raw[: answer.cut])
        assert request.transport is not None
        request.transport.abort()
        return response

    def _next(self, seen: Seen) -> Answer:
        if self._script is not None:
            answer = self._script(seen)
        else:
            answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return answer if isinstance(answer, Answer) else Answer(body=answer)

    async def start(self) -> None:
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.start(), self._loop).result(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._loop is not None and self._thread is not None
        asyncio.run_coroutine_threadsafe(self.stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


def openai_reply(text: str | None, **more: Any) -> dict[str, Any]:
    """A chat completion; `more` replaces or adds top-level fields."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-test-2026-01-01",
        "system_fingerprint": "fp_1",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, "refusal": None},
                "finish_reason": "stop",
                "logprobs": None,
            }
        ],
        "usage": {
            "prompt_tokens": 11,
            "completion_tokens": 7,
            "total_tokens": 18,
            "prompt_tokens_details": {"cached_tokens": 4},
            "completion_tokens_details": {"reasoning_tokens": 3},
        },
        **more,
    }


def anthropic_reply(text: str, **more: Any) -> dict[str, Any]:
    """A message; `more` replaces or adds top-level fields."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-test-20260101",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 5,
            "cache_creation_input_tokens": 100,
            "cache_read_input_tokens": 20,
            "output_tokens": 7,
            "output_tokens_details": {"thinking_tokens": 2},
        },
        **more,
    }


def google_reply(text: str, **more: Any) -> dict[str, Any]:
    """A generateContent response; `more` replaces or adds top-level fields."""
    return {
        "candidates": [
            {"content": {"parts": [{"text": text}], "role": "model"}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {
            "promptTokenCount": 11,
            "candidatesTokenCount": 7,
            "thoughtsTokenCount": 3,
            "cachedContentTokenCount": 4,
            "totalTokenCount": 21,
        },
        "modelVersion": "gemini-test-001",
        "responseId": "resp-1",
        **more,
    }
