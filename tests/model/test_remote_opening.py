"""Opening models, and what they send."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.errors import UsageError
from fiducial.model.base import Model
from fiducial.model.http import check_base_url, classify, is_loopback
from fiducial.model.remote import PROVIDERS, RemoteModel, open_remote, openai_compatible
from fiducial.model.reply import CallFailed, Reply
from fiducial.model.request import Message, Request
from fiducial.model.wire import ErrorBody, read_error
from tests.model.calls import HELLO, KEY, asking, call
from tests.model.servers import Server, anthropic_reply, google_reply, openai_reply
from tests.model.test_wire_openai import JSON


def test_every_provider_that_is_listed_can_be_opened() -> None:
    async def main() -> None:
        replies = {"anthropic": anthropic_reply("B"), "google": google_reply("B")}
        for provider in PROVIDERS:
            async with Server(replies.get(provider.name, openai_reply("B"))) as server:
                name = "test/m" if provider.name == "openai-api" else "m"
                model: Model = open_remote(provider.name, name, server.env(), connections=3)
                async with model:
                    assert (await model.call(HELLO)).text == "B"
                assert model.name == f"{provider.name}/{name}"
                assert model.slots == 3
                assert not model.remote  # the server is on this machine
                assert model.facts()["wire"] == provider.wire.name

    asyncio.run(main())


def test_a_model_elsewhere_is_remote_and_says_where() -> None:
    model = open_remote("grok", "grok-4", {"XAI_API_KEY": KEY})
    assert model.remote
    assert model.name == "grok/grok-4"
    assert model.facts() == {"base_url": "https://api.x.ai/v1", "wire": "openai"}


@pytest.mark.parametrize(
    ("provider", "model", "variable"),
    [
        ("openai", "m", "OPENAI_API_KEY"),
        ("anthropic", "m", "ANTHROPIC_API_KEY"),
        ("google", "m", "GOOGLE_API_KEY or GEMINI_API_KEY"),
        ("xai", "m", "XAI_API_KEY"),
        ("openai-api", "my-vllm/org/m", "MY_VLLM_BASE_URL"),
    ],
)
def test_a_missing_variable_is_named(provider: str, model: str, variable: str) -> None:
    with pytest.raises(UsageError, match=variable):
        open_remote(provider, model, {"OPENAI_API_KEY": "  "})


def test_a_service_of_your_own_needs_no_key_and_keeps_slashes_in_the_models_name() -> None:
    _, seen = call(openai_reply("B"), provider="openai-api", model="test/org/m")
    assert "authorization" not in seen[0].headers
    assert seen[0].json["model"] == "org/m"
    _, seen = call(openai_reply("B"), provider="openai-api", model="test/m", TEST_API_KEY=KEY)
    assert seen[0].headers["authorization"] == f"Bearer {KEY}"


def test_the_second_name_of_googles_key_will_do() -> None:
    _, seen = call(google_reply("B"), provider="google", GOOGLE_API_KEY="", GEMINI_API_KEY="second")
    assert seen[0].headers["x-goog-api-key"] == "second"


@pytest.mark.parametrize(
    ("provider", "model"),
    [("nobody", "m"), ("openai", ""), ("openai-api", "m"), ("openai-api", "a b/m"), ("openai-api", "/m")],
)
def test_a_name_that_names_nothing_is_refused(provider: str, model: str) -> None:
    with pytest.raises(UsageError):
        open_remote(provider, model, {"OPENAI_API_KEY": KEY})


def test_a_key_that_no_header_can_carry_is_refused_without_showing_it() -> None:
    with pytest.raises(UsageError, match="OPENAI_API_KEY") as refused:
        open_remote("openai", "m", {"OPENAI_API_KEY": "sk-secret\r\nX: y"})
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://host/",
        "host/v1",
        "file:///etc/passwd",
        "http://",
        "http://user:hunter2@host",
        "http://hunter2@host",
        "http://host/v1?key=hunter2",
        "user:hunter2@host/v1",
        "http://host/sk-proj-hunter2hunter2/v1",
        "http://host/%73k-proj-hunter2hunter2/v1",
        f"http://host/{KEY}/hunter2",
        "http://host/opensesame-hunter2/v1",
        "http://host:99999",
        "http://[::1",
    ],
)
def test_an_address_that_is_no_plain_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="OPENAI_BASE_URL") as refused:
        open_remote(
            "openai", "m", {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": url, "XAI_API_KEY": "opensesame-hunter2"}
        )
    assert "hunter2" not in str(refused.value)
    assert KEY not in str(refused.value)


def test_addresses_are_told_apart() -> None:
    assert check_base_url(" https://host:8443/v1/ ", "X") == "https://host:8443/v1"
    gateway = "https://gateway.example/v1/0123456789abcdef0123456789abcdef/sk-serving/xai-production-models"
    assert check_base_url(gateway, "X") == gateway  # an account's number and plain words are no keys
    assert all(
        is_loopback(u) for u in ("http://localhost:1", "http://127.8.0.1/", "http://[::1]:80", "http://a.localhost")
    )
    assert not any(
        is_loopback(u) for u in ("http://10.0.0.1", "http://localhost.evil.com", "http://127.0.0.1.nip.io")
    )


def test_a_grammar_goes_to_servers_of_your_own_and_not_to_openai() -> None:
    request = asking(grammar='root ::= "A"')
    reply, seen = call(openai_reply("A"), request=request)
    assert (reply.not_sent, "grammar" in seen[0].json) == (("grammar",), False)
    reply, seen = call(openai_reply("A"), provider="openai-api", model="test/m", request=request)
    assert (reply.not_sent, seen[0].json["grammar"]) == ((), 'root ::= "A"')


def test_constant_fields_go_into_every_body_beneath_the_requests_own() -> None:
    async def main() -> RemoteModel:
        async with Server(openai_reply("A")) as server:
            extra = {"top_k": 0, "min_p": 0, "temperature": 9}
            model = openai_compatible("local/x", server.url + "/v1", "x", extra=extra, timeout=5)
            async with model:
                reply = await model.call(asking(temperature=0.5, max_tokens=3))
            assert reply.sent == server.seen[0].body
            assert server.seen[0].json == {
                "model": "x",
                "messages": [{"role": "user", "content": "Hello"}],
                "temperature": 0.5,
                "max_tokens": 3,
                "top_k": 0,
                "min_p": 0,
            }
            assert "authorization" not in server.seen[0].headers
            return model

    model = asyncio.run(main())
    assert model.name == "local/x"
    assert not model.remote


def test_a_large_document_is_sent_whole() -> None:
    text = "ü" * 2_000_000
    _, seen = call(openai_reply("B"), request=Request((Message("user", text),)))
    assert seen[0].json["messages"][0]["content"] == text


def test_text_that_no_json_can_carry_is_a_bad_request() -> None:
    with pytest.raises(CallFailed) as failed:
        call(openai_reply("B"), request=Request((Message("user", "half \ud83d"),)))
    assert failed.value.kind == "bad_request"


def test_one_connection_serves_many_calls_until_the_model_is_left() -> None:
    async def main() -> None:
        async with Server(openai_reply("B")) as server:
            model = open_remote("openai", "m", server.env())
            async with model:
                for _ in range(5):
                    await model.call(HELLO)
            assert len({seen.port for seen in server.seen}) == 1
            with pytest.raises(RuntimeError, match="async with"):
                await model.call(HELLO)

    asyncio.run(main())


@given(JSON)
def test_no_error_body_makes_the_reader_raise(body: Any) -> None:
    read = read_error(body)
    assert isinstance(read, ErrorBody)
    assert classify(400, read)


@given(
    st.dictionaries(st.sampled_from(["error", "message", "detail", "details", "code", "metadata", "param"]), JSON)
)
def test_no_odd_error_field_makes_the_reader_raise(body: dict[str, Any]) -> None:
    for data in (body, {"error": body}, [{"error": body}]):
        assert isinstance(read_error(data), ErrorBody)


def test_the_server_for_tests_also_runs_in_a_thread() -> None:
    with Server(openai_reply("B")) as server:

        async def main() -> Reply:
            async with open_remote("openai", "m", server.env()) as model:
                return await model.call(HELLO)

        assert asyncio.run(main()).text == "B"
        assert len(server.seen) == 1
