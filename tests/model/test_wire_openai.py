from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.model.remote import open_remote
from fiducial.model.reply import CallFailed, Reply, Token
from fiducial.model.request import Choice, Message, Request, Settings, Truth, WireRequest
from fiducial.model.wire import Terms, Wire
from fiducial.model.wire.anthropic import ANTHROPIC
from fiducial.model.wire.google import GOOGLE
from fiducial.model.wire.openai import OPENAI, decode, encode
from tests.model.servers import Answer, Server, openai_reply

SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string"}},
    "required": ["verdict"],
    "additionalProperties": False,
}
CHAT = (
    Message("system", "Be brief."),
    Message("user", "Which one?", prefix=3),
    Message("assistant", "A"),
    Message("user", "Are you sure? ü 😀"),
)
TURNS: list[Any] = [{"role": m.role, "content": m.text} for m in CHAT]
PLAIN = (Message("user", "Hello"),)

CASES = [
    pytest.param(Request(PLAIN), {"messages": [{"role": "user", "content": "Hello"}]}, id="plain"),
    pytest.param(Request(CHAT), {"messages": TURNS}, id="system and several turns"),
    pytest.param(
        Request(
            CHAT,
            Settings(
                temperature=0.0,
                top_p=0.9,
                max_tokens=100,
                seed=7,
                stop=("END", "\n\n"),
                reasoning_effort="low",
                logprobs=5,
            ),
        ),
        {
            "messages": TURNS,
            "temperature": 0.0,
            "top_p": 0.9,
            "max_completion_tokens": 100,
            "seed": 7,
            "stop": ["END", "\n\n"],
            "reasoning_effort": "low",
            "logprobs": True,
            "top_logprobs": 5,
        },
        id="all settings",
    ),
    pytest.param(
        Request(PLAIN, Settings(schema=SCHEMA, logprobs=0)),
        {
            "messages": [{"role": "user", "content": "Hello"}],
            "logprobs": True,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA},
            },
        },
        id="schema",
    ),
]


@pytest.mark.parametrize(("request_", "call"), CASES)
def test_the_official_sdk_puts_the_same_on_the_wire(request_: Request, call: dict[str, Any]) -> None:
    async def main() -> None:
        async with Server(openai_reply("B")) as server:
            client: Any = openai.AsyncOpenAI(api_key="key-openai", base_url=f"{server.url}/v1")
            await client.chat.completions.create(model="gpt-test", **call)
            await client.close()
            async with open_remote("openai", "gpt-test", server.env()) as model:
                reply = await model.call(request_)
            theirs, ours = server.seen
            assert ours.json == theirs.json
            assert (ours.method, ours.path) == (theirs.method, theirs.path) == ("POST", "/v1/chat/completions")
            assert ours.headers["authorization"] == theirs.headers["authorization"] == "Bearer key-openai"
            assert reply.sent == ours.body
            assert reply.not_sent == ()

    asyncio.run(main())


REPLIES = [
    openai_reply("The answer is B."),
    openai_reply(None),
    openai_reply(
        "cut", choices=[{"index": 0, "message": {"role": "assistant", "content": "cut"}, "finish_reason": "length"}]
    ),
    openai_reply("x", usage=None),
    openai_reply(
        "ok",
        choices=[
            {
                "index": 0,
                "message": {"role": "assistant", "content": "ok", "refusal": None},
                "finish_reason": "stop",
                "logprobs": {
                    "content": [
                        {
                            "token": "ok",
                            "logprob": -0.25,
                            "bytes": [111, 107],
                            "top_logprobs": [{"token": "ok", "logprob": -0.25, "bytes": None}],
                        }
                    ],
                    "refusal": None,
                },
            }
        ],
    ),
]


@pytest.mark.parametrize("body", REPLIES)
def test_the_official_sdk_reads_the_same_from_a_reply(body: dict[str, Any]) -> None:
    theirs = openai.types.chat.ChatCompletion.model_validate(body)
    ours = decode(body, {})
    choice = theirs.choices[0]
    assert ours.text == (choice.message.content or "")
    assert ours.reported.finish_reason == choice.finish_reason
    assert ours.reported.id == theirs.id
    assert ours.reported.model == theirs.model
    assert ours.reported.fingerprint == theirs.system_fingerprint
    if theirs.usage is None:
        assert ours.reported.input_tokens is ours.reported.output_tokens is None
    else:
        assert theirs.usage.prompt_tokens_details and theirs.usage.completion_tokens_details
        assert ours.reported.input_tokens == theirs.usage.prompt_tokens
        assert ours.reported.output_tokens == theirs.usage.completion_tokens
        assert ours.reported.cached_tokens == theirs.usage.prompt_tokens_details.cached_tokens
        assert ours.reported.reasoning_tokens == theirs.usage.completion_tokens_details.reasoning_tokens
    if choice.logprobs and choice.logprobs.content:
        assert ours.tokens == tuple(
            Token(t.token, t.logprob, tuple((a.token, a.logprob) for a in t.top_logprobs))
            for t in choice.logprobs.content
        )
    else:
        assert ours.tokens is None


def choice(**message: Any) -> dict[str, Any]:
    finish = message.pop("finish_reason", "stop")
    return openai_reply(None, choices=[{"index": 0, "message": message, "finish_reason": finish}])


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        (choice(content="B"), "ok", "B"),
        (choice(content="  \n"), "empty", "  \n"),
        (choice(content=None), "empty", ""),
        (openai_reply(None, choices=[]), "empty", ""),
        (choice(content="half a sen", finish_reason="length"), "truncated", "half a sen"),
        (choice(content="", finish_reason="length"), "truncated", ""),
        (choice(content="", finish_reason="content_filter"), "filtered", ""),
        (choice(content=None, refusal="I can't help with that."), "refused", ""),
        (choice(content=[{"type": "refusal", "refusal": "No."}]), "refused", ""),
        (choice(content=[{"type": "text", "text": "one "}, "two"]), "ok", "one two"),
        (choice(content=[{"type": "thinking", "thinking": []}, {"type": "text", "text": "B"}]), "ok", "B"),
        (choice(content="B", reasoning_content="because"), "ok", "B"),
    ],
)
def test_a_reply_has_the_status_that_its_provider_gave_it(body: Any, status: str, text: str) -> None:
    reply = decode(body, {})
    assert (reply.status, reply.text) == (status, text)


def test_a_refusal_is_kept_apart_from_the_text() -> None:
    assert decode(choice(content=None, refusal="I can't."), {}).reported.refusal == "I can't."


def test_a_reply_that_broke_off_with_an_error_is_tried_again() -> None:
    with pytest.raises(CallFailed) as failed:
        decode(choice(content="half", finish_reason="error"), {})
    assert failed.value.retryable


def test_reasoning_tokens_counted_beside_the_completion_are_output_too() -> None:
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 2,
        "total_tokens": 42,
        "completion_tokens_details": {"reasoning_tokens": 30},
    }
    assert decode(openai_reply("B", usage=usage), {}).reported.output_tokens == 32


def test_the_request_id_comes_from_the_headers() -> None:
    async def main() -> Reply:
        answer = Answer(body=openai_reply("B"), headers={"X-Request-Id": "req_9"})
        async with Server(answer) as server, open_remote("openai", "m", server.env()) as model:
            return await model.call(Request(PLAIN))

    assert asyncio.run(main()).reported.request_id == "req_9"


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {},
        "text",
        openai_reply("x", choices=None),
        openai_reply("x", choices={}),
        openai_reply("x", choices=["x"]),
        openai_reply("x", choices=[{"message": "x"}]),
        openai_reply("x", choices=[{"message": None}]),
        openai_reply("x", choices=[{"message": {"content": 5}}]),
    ],
)
def test_what_is_not_shaped_as_promised_is_malformed(body: Any) -> None:
    with pytest.raises(CallFailed) as failed:
        decode(body, {})
    assert failed.value.kind == "malformed"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def bent(body: Any) -> st.SearchStrategy[Any]:
    """The body with one value, somewhere in it, put in the place of which any JSON may stand."""
    paths: list[list[Any]] = []

    def walk(value: Any, path: list[Any]) -> None:
        paths.append(path)
        for key, inner in (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        ):
            walk(inner, [*path, key])

    walk(body, [])

    def put(path: list[Any], new: Any) -> Any:
        if not path:
            return new
        copy = msgspec.json.decode(msgspec.json.encode(body))
        place = copy
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = new
        return copy

    return st.builds(put, st.sampled_from(paths), JSON)


def never_raises_anything_else(wire: Wire, body: Any) -> None:
    try:
        reply = wire.decode(body, {})
    except CallFailed as failed:
        assert failed.kind == "malformed"
    else:
        msgspec.json.encode(reply)


@given(JSON | st.sampled_from(REPLIES).flatmap(bent))
def test_no_json_makes_the_decoder_raise_anything_but_call_failed(body: Any) -> None:
    never_raises_anything_else(OPENAI, body)


def test_a_field_goes_by_the_name_that_was_agreed() -> None:
    body = encode(
        WireRequest(PLAIN, Settings(max_tokens=5)), "m", Terms(rename={"max_tokens": "max_completion_tokens"})
    )
    assert body["max_completion_tokens"] == 5
    assert "max_tokens" not in body


def test_settings_to_leave_out_are_left_out() -> None:
    settings = Settings(temperature=1.0, top_p=0.5, grammar='root ::= "A"')
    body = encode(WireRequest(PLAIN, settings), "m", Terms(omit=frozenset({"top_p"})))
    assert body == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hello"}],
        "temperature": 1.0,
        "grammar": 'root ::= "A"',
    }


@pytest.mark.parametrize("wire", [OPENAI, ANTHROPIC, GOOGLE], ids=lambda w: w.name)
def test_no_truth_reaches_a_wire_body(wire: Wire) -> None:
    truth = Truth(
        bias="SENTINEL-bias",
        item="SENTINEL-item",
        kind="option",
        sign=1,
        choices=(Choice("A", "SENTINEL-text", "SENTINEL-role"),),
        biased="SENTINEL-biased",
        rational="SENTINEL-rational",
        toward=987654321.0,
    )
    request = Request(CHAT, Settings(temperature=1.0, schema=SCHEMA), truth)
    body = msgspec.json.encode(wire.encode(request.wire(), "m", Terms()))
    assert b"SENTINEL" not in body
    assert b"987654321" not in body
    assert b"Are you sure?" in body  # the encoder did encode this request
