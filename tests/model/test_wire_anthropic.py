from __future__ import annotations

import asyncio
from typing import Any

import anthropic
import pytest
from anthropic.types import Message as SdkMessage
from hypothesis import given
from hypothesis import strategies as st

from fiducial.model.remote import open_remote
from fiducial.model.reply import CallFailed
from fiducial.model.request import Message, Request, Settings, WireRequest
from fiducial.model.wire import Terms
from fiducial.model.wire.anthropic import ANTHROPIC, VERSION, decode, encode
from tests.model.servers import Answer, Server, anthropic_reply
from tests.model.test_wire_openai import JSON, SCHEMA, bent, never_raises_anything_else

MARK = {"type": "ephemeral"}
PLAIN = (Message("user", "Hello"),)
CHAT = (
    Message("system", "Be brief."),
    Message("user", "Which one?"),
    Message("assistant", "A"),
    Message("user", "Are you sure? ü 😀"),
    Message("system", "Be kind."),
)
TURNS = [
    {"role": "user", "content": "Which one?"},
    {"role": "assistant", "content": "A"},
    {"role": "user", "content": "Are you sure? ü 😀"},
]
HELLO = [{"role": "user", "content": "Hello"}]

# The SDK's methods have no arguments for temperature and top_p, because the version of the API that it
# asks for by default takes neither; in the version that Fiducial asks for they are body fields like others.
CASES = [
    pytest.param(Request(PLAIN), {"messages": HELLO, "max_tokens": 4096}, id="plain"),
    pytest.param(
        Request(CHAT),
        {"messages": TURNS, "system": "Be brief.\n\nBe kind.", "max_tokens": 4096},
        id="system and several turns",
    ),
    pytest.param(
        Request(
            CHAT,
            Settings(
                temperature=0.5, top_p=0.9, max_tokens=100, stop=("END",), reasoning_effort="low", schema=SCHEMA
            ),
        ),
        {
            "messages": TURNS,
            "system": "Be brief.\n\nBe kind.",
            "max_tokens": 100,
            "stop_sequences": ["END"],
            "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}},
            "extra_body": {"temperature": 0.5, "top_p": 0.9},
        },
        id="all settings",
    ),
    pytest.param(
        Request(
            (Message("system", "Rules. Now:", prefix=6), Message("user", "The document. The question?", prefix=14))
        ),
        {
            "max_tokens": 4096,
            "system": [
                {"type": "text", "text": "Rules.", "cache_control": MARK},
                {"type": "text", "text": " Now:"},
            ],
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "The document. ", "cache_control": MARK},
                        {"type": "text", "text": "The question?"},
                    ],
                }
            ],
        },
        id="cache mark",
    ),
]


@pytest.mark.parametrize(("request_", "call"), CASES)
def test_the_official_sdk_puts_the_same_on_the_wire(request_: Request, call: dict[str, Any]) -> None:
    async def main() -> None:
        async with Server(anthropic_reply("B")) as server:
            client: Any = anthropic.AsyncAnthropic(
                api_key="key-anthropic", base_url=server.url, default_headers={"anthropic-version": VERSION}
            )
            await client.messages.create(model="claude-test", **call)
            await client.close()
            async with open_remote("anthropic", "claude-test", server.env()) as model:
                reply = await model.call(request_)
            theirs, ours = server.seen
            assert ours.json == theirs.json
            assert (ours.method, ours.path) == (theirs.method, theirs.path) == ("POST", "/v1/messages")
            assert ours.headers["anthropic-version"] == theirs.headers["anthropic-version"] == "2023-06-01"
            # The API takes a key in either header; SDKs from 2.0 on moved to the second one.
            assert ours.headers["x-api-key"] == "key-anthropic"
            assert theirs.headers.get("x-api-key") or theirs.headers["authorization"] == "Bearer key-anthropic"
            assert "authorization" not in ours.headers
            assert reply.sent == ours.body
            assert reply.not_sent == ()

    asyncio.run(main())


REPLIES = [
    anthropic_reply("The answer is B."),
    anthropic_reply("cut", stop_reason="max_tokens"),
    anthropic_reply("x", usage={"input_tokens": 3, "output_tokens": 1}),
    anthropic_reply(
        "x",
        content=[
            {"type": "thinking", "thinking": "because", "signature": "s"},
            {"type": "text", "text": "one "},
            {"type": "text", "text": "two", "citations": None},
        ],
    ),
    anthropic_reply(
        "",
        stop_reason="refusal",
        content=[],
        stop_details={"type": "refusal", "category": "cyber", "explanation": "not this"},
    ),
]


@pytest.mark.parametrize("body", REPLIES)
def test_the_official_sdk_reads_the_same_from_a_reply(body: dict[str, Any]) -> None:
    theirs = SdkMessage.model_validate(body)
    ours = decode(body, {"request-id": "req_1"})
    usage = theirs.usage
    assert ours.text == "".join(b.text for b in theirs.content if b.type == "text")
    assert ours.reported.finish_reason == theirs.stop_reason
    assert ours.reported.model == theirs.model
    assert ours.reported.id == theirs.id
    assert ours.reported.request_id == "req_1"
    assert ours.reported.input_tokens == (
        usage.input_tokens + (usage.cache_creation_input_tokens or 0) + (usage.cache_read_input_tokens or 0)
    )
    assert ours.reported.output_tokens == usage.output_tokens
    assert ours.reported.cached_tokens == usage.cache_read_input_tokens
    details = usage.output_tokens_details
    assert ours.reported.reasoning_tokens == (details.thinking_tokens if details else None)
    assert ours.reported.refusal == (theirs.stop_details.explanation if theirs.stop_details else None)


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        (anthropic_reply("B"), "ok", "B"),
        (anthropic_reply(""), "empty", ""),
        (anthropic_reply("x", content=[]), "empty", ""),
        (anthropic_reply("x", content=[{"type": "thinking", "thinking": "hm"}]), "empty", ""),
        (anthropic_reply("half", stop_reason="max_tokens"), "truncated", "half"),
        (anthropic_reply("half", stop_reason="model_context_window_exceeded"), "truncated", "half"),
        (anthropic_reply("I was", stop_reason="refusal"), "refused", "I was"),
        (anthropic_reply("x", content=[], stop_reason="refusal"), "refused", ""),
    ],
)
def test_a_reply_has_the_status_that_its_provider_gave_it(body: Any, status: str, text: str) -> None:
    reply = decode(body, {})
    assert (reply.status, reply.text) == (status, text)


@pytest.mark.parametrize(
    "body",
    [
        None,
        {},
        anthropic_reply("x", content=None),
        anthropic_reply("x", content="text"),
        anthropic_reply("x", content=["text"]),
        anthropic_reply("x", content=[{"text": "no type"}]),
    ],
)
def test_what_is_not_shaped_as_promised_is_malformed(body: Any) -> None:
    with pytest.raises(CallFailed) as failed:
        decode(body, {})
    assert failed.value.kind == "malformed"


@given(JSON | st.sampled_from(REPLIES).flatmap(bent))
def test_no_json_makes_the_decoder_raise_anything_but_call_failed(body: Any) -> None:
    never_raises_anything_else(ANTHROPIC, body)


def test_settings_without_a_field_are_reported_as_not_sent() -> None:
    async def main() -> None:
        async with Server(anthropic_reply("B")) as server, open_remote("anthropic", "m", server.env()) as model:
            settings = Settings(seed=1, logprobs=2, grammar="root ::= x", temperature=1.0)
            reply = await model.call(Request(PLAIN, settings))
            assert reply.not_sent == ("seed", "logprobs", "grammar")
            assert server.seen[0].json == {
                "model": "m",
                "max_tokens": 4096,
                "messages": HELLO,
                "temperature": 1.0,
            }

    asyncio.run(main())


def test_a_limit_that_the_api_calls_too_high_is_not_dropped() -> None:
    said = "max_tokens: 999999 > 64000, which is the maximum allowed number of output tokens"
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": said}}

    async def main() -> None:
        async with Server(Answer(status=400, body=error)) as server:
            async with open_remote("anthropic", "m", server.env()) as model:
                with pytest.raises(CallFailed) as failed:
                    await model.call(Request(PLAIN, Settings(max_tokens=999_999)))
            assert failed.value.kind == "bad_request"
            assert failed.value.message == said
            assert len(server.seen) == 1

    asyncio.run(main())


@pytest.mark.parametrize(
    ("text", "prefix", "content"),
    [
        ("document", 0, "document"),
        ("document", 99, [{"type": "text", "text": "document", "cache_control": MARK}]),
        ("document\n", 8, [{"type": "text", "text": "document\n", "cache_control": MARK}]),
        ("\n\ndocument", 2, "\n\ndocument"),
    ],
)
def test_no_block_is_ever_blank_because_the_api_refuses_it(text: str, prefix: int, content: Any) -> None:
    body = encode(WireRequest((Message("user", text, prefix=prefix),)), "m", Terms())
    assert body["messages"] == [{"role": "user", "content": content}]


def test_no_more_than_four_cache_marks_are_set_because_the_api_refuses_a_fifth() -> None:
    chat = (Message("system", "ab", prefix=1), *(Message("user", "ab", prefix=1) for _ in range(6)))
    body = encode(WireRequest(chat), "m", Terms())
    marked = [m for m in body["messages"] if isinstance(m["content"], list)]
    assert isinstance(body["system"], list)
    assert len(marked) == 3
    assert body["messages"][-1]["content"] == "ab"
