"""Against the real Inspect AI. Its mock provider is given outputs that carry usage: without it the mock
counts tokens with a table that it would have to download.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web

pytest.importorskip("inspect_ai")

from inspect_ai._util.content import ContentReasoning, ContentText
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    GenerateConfig,
    Logprob,
    Logprobs,
    ModelOutput,
    ModelUsage,
    StopReason,
    TopLogprob,
    get_model,
)
from inspect_ai.model._model_output import StopDetails

from fiducial.errors import UsageError
from fiducial.model.bridge import InspectModel
from fiducial.model.names import open_model
from fiducial.model.reply import CallFailed, Reply
from fiducial.model.request import Message, Request, Settings, Truth

USAGE = ModelUsage(
    input_tokens=10,
    output_tokens=7,
    total_tokens=29,
    input_tokens_cache_read=8,
    input_tokens_cache_write=4,
    reasoning_tokens=3,
)


def output(
    content: Any = "Answer: B",
    stop: StopReason = "stop",
    *,
    usage: ModelUsage | None = USAGE,
    details: StopDetails | None = None,
    logprobs: Logprobs | None = None,
) -> ModelOutput:
    choice = ChatCompletionChoice(
        message=ChatMessageAssistant(content=content), stop_reason=stop, stop_details=details, logprobs=logprobs
    )
    return ModelOutput(model="mock-1", choices=[choice], usage=usage, response_id="r-1" if usage else None)


Seen = list[tuple[list[Any], GenerateConfig]]


def bridge(produce: Callable[[], ModelOutput], seen: Seen | None = None, **options: Any) -> InspectModel:
    def answer(messages: list[Any], tools: Any, choice: Any, config: GenerateConfig) -> ModelOutput:
        if seen is not None:
            seen.append((messages, config))
        return produce()

    inspects = get_model("mockllm/model", custom_outputs=answer)
    return InspectModel("inspect/mockllm/model", inspects, **options)


def request(**settings: Any) -> Request:
    messages = (
        Message("system", "Be brief."),
        Message("user", "Which?", 3),
        Message("assistant", "A?"),
        Message("user", "Sure?"),
    )
    truth = Truth(bias="secret", item="secret", kind="option", sign=1)
    return Request(messages, Settings(**settings), truth)


def ask(produce: Callable[[], ModelOutput], asked: Request | None = None) -> Reply:
    async def run() -> Reply:
        async with bridge(produce) as model:
            return await model.call(asked or request())

    return asyncio.run(run())


def failure(error: Exception) -> CallFailed:
    def raises() -> ModelOutput:
        raise error

    with pytest.raises(CallFailed) as caught:
        ask(raises)
    return caught.value


def test_messages_and_settings_reach_inspect() -> None:
    seen: Seen = []
    model = bridge(output, seen, connections=5, timeout=30.5)
    asked = request(
        temperature=0.7,
        top_p=0.9,
        max_tokens=50,
        seed=3,
        stop=("END",),
        logprobs=2,
        reasoning_effort="low",
        schema={"type": "object", "properties": {"answer": {"type": "string"}}},
    )
    reply = asyncio.run(model.call(asked))
    ((messages, config),) = seen
    assert [(m.role, m.text) for m in messages] == [
        ("system", "Be brief."),
        ("user", "Which?"),
        ("assistant", "A?"),
        ("user", "Sure?"),
    ]
    assert (config.temperature, config.top_p, config.max_tokens, config.seed) == (0.7, 0.9, 50, 3)
    assert (config.stop_seqs, config.logprobs, config.top_logprobs) == (["END"], True, 2)
    assert config.reasoning_effort == "low"
    assert config.response_schema is not None
    assert config.response_schema.json_schema.model_dump(exclude_none=True) == asked.settings.schema
    assert (config.max_retries, config.max_connections, config.attempt_timeout) == (0, 5, 31)
    assert reply.not_sent == ()
    assert model.slots == 5


def test_settings_that_were_not_asked_for_are_not_set() -> None:
    seen: Seen = []
    asyncio.run(bridge(output, seen).call(request()))
    config = seen[0][1]
    assert config.model_dump(exclude_none=True).keys() <= {"max_retries", "max_connections", "attempt_timeout"}


def test_what_is_recorded_as_sent_is_what_was_handed_over_without_the_truth() -> None:
    model = bridge(output)
    reply = asyncio.run(model.call(request(temperature=0.5)))
    assert reply.sent == model.encode(request(temperature=0.5))
    assert b"secret" not in reply.sent
    assert json.loads(reply.sent) == {
        "model": "mockllm/model",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Which?"},
            {"role": "assistant", "content": "A?"},
            {"role": "user", "content": "Sure?"},
        ],
        "config": {"temperature": 0.5},
    }


def test_usage_counts_cached_tokens_among_the_input() -> None:
    reported = ask(output).reported
    assert (reported.input_tokens, reported.cached_tokens, reported.output_tokens) == (22, 8, 7)
    assert (reported.reasoning_tokens, reported.model, reported.id) == (3, "mock-1", "r-1")
    assert reported.finish_reason == "stop"


def test_log_probabilities_come_through() -> None:
    top = [TopLogprob(token="B", logprob=-0.1), TopLogprob(token="A", logprob=-2.5)]
    logprobs = Logprobs(
        content=[Logprob(token="B", logprob=-0.1, top_logprobs=top), Logprob(token=".", logprob=-1)]
    )
    tokens = ask(lambda: output(logprobs=logprobs)).tokens
    assert tokens is not None
    assert [(t.text, t.logprob, t.top) for t in tokens] == [
        ("B", -0.1, (("B", -0.1), ("A", -2.5))),
        (".", -1.0, ()),
    ]


@pytest.mark.parametrize(
    ("made", "status", "text"),
    [
        (output(), "ok", "Answer: B"),
        (output(""), "empty", ""),
        (output("cut", "max_tokens"), "truncated", "cut"),
        (output("cut", "model_length"), "truncated", "cut"),
        (output("part", "content_filter"), "filtered", "part"),
        (output("", "content_filter", details=StopDetails(type="refusal", explanation="bio")), "refused", ""),
        (output([ContentText(text="I won't", refusal=True)]), "refused", ""),
        (output([ContentReasoning(reasoning="hmm, A"), ContentText(text="B")]), "ok", "B"),
    ],
)
def test_stop_reasons_become_statuses_and_text_is_only_what_was_said(
    made: ModelOutput, status: str, text: str
) -> None:
    reply = ask(lambda: made)
    assert (reply.status, reply.text) == (status, text)


def test_a_refusal_keeps_its_words_beside_the_text() -> None:
    refused = ask(lambda: output([ContentText(text="I won't", refusal=True)]))
    explained = ask(lambda: output("", "content_filter", details=StopDetails(type="refusal", explanation="bio")))
    assert (refused.reported.refusal, explained.reported.refusal) == ("I won't", "bio")


async def _server(handler: Callable[[web.Request], Any]) -> tuple[web.AppRunner, str]:
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", handler)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    return runner, f"http://{host}:{port}/v1"


def through_openai(status: int, body: Any, headers: dict[str, str] | None = None) -> tuple[CallFailed, int]:
    """The failure, and how many requests arrived, for Inspect's own OpenAI provider against a server here."""
    arrived = 0

    async def handler(_: web.Request) -> web.Response:
        nonlocal arrived
        arrived += 1
        return web.json_response(body, status=status, headers=headers)

    async def run() -> CallFailed:
        runner, url = await _server(handler)
        inspects = get_model(
            "openai/gpt-4o", api_key="sk-secret-key-123456", base_url=url, responses_api=False, memoize=False
        )
        try:
            async with InspectModel("inspect/openai/gpt-4o", inspects) as model:
                with pytest.raises(CallFailed) as caught:
                    await model.call(request())
                return caught.value
        finally:
            await runner.cleanup()

    return asyncio.run(run()), arrived


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (429, "rate_limit_exceeded", "rate_limited"),
        (429, "insufficient_quota", "quota"),
        (503, None, "overloaded"),
        (401, "invalid_api_key", "auth"),
        (404, "model_not_found", "unknown_model"),
        (400, "invalid_value", "bad_request"),
        (400, "context_length_exceeded", "too_long"),
    ],
)
def test_http_errors_keep_their_kind_and_are_tried_once(status: int, code: str | None, kind: str) -> None:
    body = {"error": {"message": "no, sk-secret-key-123456 will not do", "type": "error", "code": code}}
    failed, arrived = through_openai(status, body, {"Retry-After": "2"} if status == 429 else None)
    assert failed.kind == kind
    assert arrived == 1
    assert "secret-key" not in failed.message
    assert failed.sent
    if kind == "rate_limited":
        assert (failed.http_status, failed.retry_after) == (429, 2.0)


def test_an_error_that_inspect_turns_into_a_filtered_output_is_not_taken_for_the_models_words() -> None:
    made = output("Your request was blocked by policy.", "content_filter", usage=None)

    async def run() -> Reply:
        model = bridge(lambda: made)
        made.usage = None
        # The mock would count tokens to fill in usage; a provider in trouble has none to report.
        model._model.api._ensure_default_usage = _nothing  # type: ignore[attr-defined]
        return await model.call(request())

    reply = asyncio.run(run())
    assert (reply.text, reply.status) == ("", "refused")
    assert reply.reported.refusal == "Your request was blocked by policy."


async def _nothing(*_: Any) -> None:
    return None


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TimeoutError("slow"), "timeout"),
        (ConnectionResetError("reset"), "connection"),
        (ExceptionGroup("tasks", [ConnectionResetError("reset")]), "connection"),
        (ValueError("odd"), "crashed"),
    ],
)
def test_other_exceptions_are_sorted_by_type(error: Exception, kind: str) -> None:
    failed = failure(error)
    assert failed.kind == kind
    cause = error.exceptions[0] if isinstance(error, ExceptionGroup) else error
    assert type(cause).__name__ in failed.message


def test_a_call_that_takes_too_long_is_a_timeout() -> None:
    async def slow(*_: Any) -> ModelOutput:
        await asyncio.Event().wait()
        raise AssertionError

    async def run() -> None:
        model = InspectModel("inspect/mockllm/model", get_model("mockllm/model", custom_outputs=slow))
        model._fixed["attempt_timeout"] = 0
        await model.call(request())

    with pytest.raises(CallFailed) as caught:
        asyncio.run(run())
    assert caught.value.kind == "timeout"


def test_a_setting_that_inspect_refuses_is_a_bad_request() -> None:
    with pytest.raises(CallFailed) as caught:
        ask(output, request(reasoning_effort="enormous"))
    assert caught.value.kind == "bad_request"


def test_settings_without_a_way_through_inspect_are_listed() -> None:
    schema = {"type": "object", "patternProperties": {"^a": {"type": "string"}}}
    reply = ask(output, request(grammar="root ::= x", schema=schema))
    assert set(reply.not_sent) == {"schema", "grammar"}
    assert json.loads(reply.sent)["config"] == {}


def test_settings_that_a_provider_is_known_to_drop_are_listed() -> None:
    inspects = get_model("mockllm/model", custom_outputs=[output()])
    model = InspectModel("inspect/anthropic/claude-x", inspects)
    reply = asyncio.run(model.call(request(seed=1, logprobs=0, temperature=1.0)))
    assert set(reply.not_sent) == {"seed", "logprobs"}


def test_calls_leave_no_transcript_behind() -> None:
    from inspect_ai.log import transcript

    async def run() -> int:
        model = bridge(output)
        for _ in range(3):
            await model.call(request())
        return len(transcript().events)

    assert asyncio.run(run()) == 0


def test_no_configured_key_comes_out_of_a_reply_or_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "open-sesame-1234")
    assert ask(lambda: output("it is open-sesame-1234")).text == "it is [key]"
    assert failure(RuntimeError("no open-sesame-1234")).message == "RuntimeError: no [key]"


def test_a_name_opens_the_model_that_inspect_knows_by_it() -> None:
    model = open_model("inspect/mockllm/model", connections=3)
    assert isinstance(model, InspectModel)
    assert (model.name, model.slots, model.remote) == ("inspect/mockllm/model", 3, True)
    assert model.facts()["provider"] == "mockllm"


@pytest.mark.parametrize(
    ("name", "says"),
    [("nobody/x", "nobody"), ("mockllm", "mockllm"), ("openai/gpt-4o", "OPENAI_API_KEY")],
)
def test_what_inspect_cannot_open_is_a_usage_error(name: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match=says) as caught:
        open_model(f"inspect/{name}")
    assert "[bold]" not in str(caught.value)


def test_without_inspect_the_command_that_installs_it_is_given() -> None:
    code = (
        "import sys; sys.modules['inspect_ai'] = None\n"
        "from fiducial.model.names import open_model\n"
        "try: open_model('inspect/openai/x')\n"
        "except Exception as e: print(type(e).__name__, e)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert run.stdout.startswith("UsageError")
    assert "pip install '.[inspect]'" in run.stdout
