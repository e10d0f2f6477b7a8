from __future__ import annotations

import asyncio
from typing import Any

import pytest
from google import genai
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from fiducial.model.remote import open_remote
from fiducial.model.reply import CallFailed, Token
from fiducial.model.request import Message, Request, Settings
from fiducial.model.wire.google import GOOGLE, decode, path
from tests.model.servers import Server, google_reply
from tests.model.test_wire_openai import JSON, SCHEMA, bent, never_raises_anything_else

PLAIN = (Message("user", "Hello"),)
CHAT = (
    Message("system", "Be brief."),
    Message("user", "Which one?", prefix=5),
    Message("assistant", "A"),
    Message("user", "Are you sure? ü 😀"),
    Message("system", "Be kind."),
)
TURNS = [
    types.Content(role="user", parts=[types.Part(text="Which one?")]),
    types.Content(role="model", parts=[types.Part(text="A")]),
    types.Content(role="user", parts=[types.Part(text="Are you sure? ü 😀")]),
]
CASES = [
    pytest.param(Request(PLAIN), "Hello", None, id="plain"),
    pytest.param(
        Request(CHAT),
        TURNS,
        types.GenerateContentConfig(system_instruction="Be brief.\n\nBe kind."),
        id="system and several turns",
    ),
    pytest.param(
        Request(
            CHAT,
            Settings(
                temperature=0.0,
                top_p=0.9,
                max_tokens=100,
                seed=7,
                stop=("END",),
                reasoning_effort="low",
                logprobs=5,
            ),
        ),
        TURNS,
        types.GenerateContentConfig(
            system_instruction="Be brief.\n\nBe kind.",
            temperature=0.0,
            top_p=0.9,
            max_output_tokens=100,
            seed=7,
            stop_sequences=["END"],
            thinking_config=types.ThinkingConfig(thinking_level=types.ThinkingLevel.LOW),
            response_logprobs=True,
            logprobs=5,
        ),
        id="all settings",
    ),
    pytest.param(
        Request(PLAIN, Settings(schema=SCHEMA)),
        "Hello",
        types.GenerateContentConfig(response_mime_type="application/json", response_json_schema=SCHEMA),
        id="schema",
    ),
]


def documented(body: Any) -> Any:
    """The SDK's body as the API's reference writes it; two habits of the SDK are undone, nothing else.

    It spells `thinkingLevel` in snake case (the API takes both), and wherever it is given a config, if
    only for the system instruction, it adds an empty `generationConfig`.
    """
    if body.get("generationConfig") == {}:
        del body["generationConfig"]
    thinking = body.get("generationConfig", {}).get("thinkingConfig", {})
    if "thinking_level" in thinking:
        thinking["thinkingLevel"] = thinking.pop("thinking_level")
    return body


@pytest.mark.parametrize(("request_", "contents", "config"), CASES)
def test_the_official_sdk_puts_the_same_on_the_wire(request_: Request, contents: Any, config: Any) -> None:
    async def main() -> None:
        async with Server(google_reply("B")) as server:
            client = genai.Client(
                api_key="key-google",
                http_options=types.HttpOptions(base_url=server.url, api_version="v1beta"),
            )
            await client.aio.models.generate_content(model="gemini-test", contents=contents, config=config)
            await client.aio.aclose()
            async with open_remote("google", "gemini-test", server.env()) as model:
                reply = await model.call(request_)
            theirs, ours = server.seen
            assert ours.json == documented(theirs.json)
            assert ours.path == theirs.path == "/v1beta/models/gemini-test:generateContent"
            assert ours.method == theirs.method == "POST"
            assert ours.headers["x-goog-api-key"] == theirs.headers["x-goog-api-key"] == "key-google"
            assert reply.sent == ours.body
            assert reply.not_sent == ()

    asyncio.run(main())


def candidate(parts: Any = None, finish: str | None = "STOP", **more: Any) -> dict[str, Any]:
    content = {"content": {"parts": parts, "role": "model"}} if parts is not None else {}
    return google_reply("", candidates=[{**content, "finishReason": finish, "index": 0, **more}])


LOGPROBS = {
    "chosenCandidates": [{"token": "A", "tokenId": 1, "logProbability": -0.5}],
    "topCandidates": [
        {"candidates": [{"token": "A", "logProbability": -0.5}, {"token": "B", "logProbability": -1.5}]}
    ],
}
REPLIES = [
    google_reply("The answer is B."),
    candidate([{"text": "hm", "thought": True}, {"text": "one "}, {"text": "two"}]),
    candidate([{"text": "half"}], "MAX_TOKENS"),
    candidate(None, "SAFETY"),
    candidate([{"text": "A"}], "STOP", logprobsResult=LOGPROBS),
    google_reply("x", usageMetadata={"promptTokenCount": 3}),
]


@pytest.mark.parametrize("body", REPLIES)
def test_the_official_sdk_reads_the_same_from_a_reply(body: dict[str, Any]) -> None:
    theirs = types.GenerateContentResponse.model_validate(body)
    ours = decode(body, {})
    usage = theirs.usage_metadata
    assert theirs.candidates and theirs.candidates[0].finish_reason and usage
    assert ours.text == (theirs.text or "")
    assert ours.reported.finish_reason == theirs.candidates[0].finish_reason.value
    assert ours.reported.model == theirs.model_version
    assert ours.reported.id == theirs.response_id
    assert ours.reported.input_tokens == usage.prompt_token_count
    produced = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
    assert (ours.reported.output_tokens or 0) == produced
    assert ours.reported.cached_tokens == usage.cached_content_token_count
    assert ours.reported.reasoning_tokens == usage.thoughts_token_count


def test_log_probabilities_come_with_their_alternatives() -> None:
    reply = decode(candidate([{"text": "A"}], "STOP", logprobsResult=LOGPROBS), {})
    assert reply.tokens == (Token("A", -0.5, (("A", -0.5), ("B", -1.5))),)


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        (google_reply("B"), "ok", "B"),
        (google_reply(""), "empty", ""),
        (google_reply("x", candidates=[]), "empty", ""),
        ({"usageMetadata": {"promptTokenCount": 3}}, "empty", ""),
        (candidate([{"text": "thoughts", "thought": True}]), "empty", ""),
        (candidate([], "MAX_TOKENS"), "truncated", ""),
        (candidate(None, "SAFETY"), "filtered", ""),
        (candidate([{"text": "par"}], "RECITATION"), "filtered", "par"),
        (candidate(None, "PROHIBITED_CONTENT"), "filtered", ""),
        ({"promptFeedback": {"blockReason": "SAFETY"}}, "filtered", ""),
    ],
)
def test_a_reply_has_the_status_that_its_provider_gave_it(body: Any, status: str, text: str) -> None:
    reply = decode(body, {})
    assert (reply.status, reply.text) == (status, text)


def test_the_reason_for_which_a_prompt_was_blocked_is_reported() -> None:
    reply = decode({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}, {})
    assert reply.reported.finish_reason == "PROHIBITED_CONTENT"


@pytest.mark.parametrize(
    "body",
    [
        None,
        {},
        {"candidates": None},
        google_reply("x", candidates="x"),
        google_reply("x", candidates=[None]),
        google_reply("x", candidates=[{"content": "x"}]),
        google_reply("x", candidates=[{"content": {"parts": "x"}}]),
    ],
)
def test_what_is_not_shaped_as_promised_is_malformed(body: Any) -> None:
    with pytest.raises(CallFailed) as failed:
        decode(body, {})
    assert failed.value.kind == "malformed"


@given(JSON | st.sampled_from(REPLIES).flatmap(bent))
def test_no_json_makes_the_decoder_raise_anything_but_call_failed(body: Any) -> None:
    never_raises_anything_else(GOOGLE, body)


def test_a_model_name_cannot_leave_its_place_in_the_path() -> None:
    assert path("gemini?key=x#y z") == "/v1beta/models/gemini%3Fkey%3Dx%23y%20z:generateContent"
    assert path("tunedModels/mine") == "/v1beta/tunedModels/mine:generateContent"


def test_a_grammar_is_reported_as_not_sent() -> None:
    async def main() -> None:
        async with Server(google_reply("B")) as server, open_remote("google", "m", server.env()) as model:
            reply = await model.call(Request(PLAIN, Settings(grammar="root ::= x", seed=3)))
            assert reply.not_sent == ("grammar",)
            assert server.seen[0].json["generationConfig"] == {"seed": 3}

    asyncio.run(main())
