from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.errors import UsageError
from gnomon.model.base import Model
from gnomon.model.http import MAX_REPLY, check_base_url, classify, clean, is_loopback, retry_after
from gnomon.model.remote import PROVIDERS, RemoteModel, open_remote, openai_compatible
from gnomon.model.reply import CallFailed, Reply
from gnomon.model.request import Message, Request, Settings
from gnomon.model.wire import ErrorBody, read_error
from tests.model.servers import Answer, Seen, Server, anthropic_reply, google_reply, openai_reply
from tests.model.test_wire_openai import JSON

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


# A bad day at the other end


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(body=b"<html><h1>Welcome</h1></html>", headers={"Content-Type": "text/html"}), "malformed"),
        (Answer(body=b""), "malformed"),
        (Answer(body=b'{"choices": [{"message": {"content": "ha'), "malformed"),
        (Answer(body=b'"\xff\xfe"'), "malformed"),
        (Answer(body=b"[" * 100_000), "malformed"),
        (Answer(body=b'{"choices": [{"message": {"content": "\\ud800"}}]}'), "malformed"),
        (openai_reply("x", choices=None), "malformed"),
        (openai_reply("x", choices=[{"message": "x"}]), "malformed"),
        (openai_reply("x", usage="none"), "malformed"),
        (Answer(body=openai_reply("B" * 1000), cut=100), "connection"),
        (Answer(body=openai_reply("B"), cut=0), "connection"),
        (Answer(status=502, body=b"<html>Bad Gateway</html>"), "overloaded"),
        (Answer(status=503), "overloaded"),
        (Answer(status=529, body=error("Overloaded")), "overloaded"),
        (Answer(status=408), "overloaded"),
        (Answer(status=409), "overloaded"),
        (Answer(status=425), "overloaded"),
        (Answer(status=429, body=error("slow down")), "rate_limited"),
        (Answer(status=429, body=error("no money", code="insufficient_quota")), "quota"),
        (Answer(status=402, body=error("pay")), "quota"),
        (Answer(status=401, body=error("no")), "auth"),
        (Answer(status=403, body=error("no")), "auth"),
        (Answer(status=404, body=error("The model `m` does not exist")), "unknown_model"),
        (Answer(status=404, body=b"<html>not here</html>"), "unknown_model"),
        (Answer(status=400, body=error("no such model", code="model_not_found")), "unknown_model"),
        (Answer(status=400, body=error("Model not found: m")), "unknown_model"),
        (Answer(status=400, body=error("You messed up")), "bad_request"),
        (Answer(status=418, body=b"short and stout"), "bad_request"),
        (Answer(status=400, body=error("long", code="context_length_exceeded")), "too_long"),
        (Answer(status=400, body=error("long", type="exceed_context_size_error")), "too_long"),
        (Answer(status=500, body=error("long", type="exceed_context_size_error", code=500)), "too_long"),
        # An error under a status that says all is well.
        (error("Provider returned error", code=429), "rate_limited"),
        (error("long", type="exceed_context_size_error", code=400), "too_long"),
        ({"error": "still loading"}, "malformed"),
    ],
)
def test_a_bad_answer_is_a_failure_of_its_kind(answer: Any, kind: str) -> None:
    assert fail(answer).kind == kind


@pytest.mark.parametrize(
    ("provider", "status", "body", "kind"),
    [
        (
            "google",
            400,
            {
                "error": {
                    "code": 400,
                    "message": "API key not valid. Please pass a valid API key.",
                    "status": "INVALID_ARGUMENT",
                    "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}],
                }
            },
            "auth",
        ),
        (
            "google",
            400,
            {
                "error": {
                    "code": 400,
                    "message": "The input token count (9) exceeds the maximum number of tokens allowed (8).",
                }
            },
            "too_long",
        ),
        (
            "google",
            429,
            {
                "error": {
                    "code": 429,
                    "message": "You exceeded your current quota, please check your plan and billing details.",
                }
            },
            "rate_limited",
        ),
        (
            "anthropic",
            400,
            {
                "type": "error",
                "error": {"type": "invalid_request_error", "message": "prompt is too long: 9 tokens > 8 maximum"},
            },
            "too_long",
        ),
        (
            "anthropic",
            400,
            {
                "type": "error",
                "error": {"type": "invalid_request_error", "message": "Your credit balance is too low"},
            },
            "quota",
        ),
        ("xai", 400, {"code": "invalid", "error": "Incorrect API key provided: x."}, "auth"),
    ],
)
def test_every_provider_says_it_in_words_of_its_own(provider: str, status: int, body: Any, kind: str) -> None:
    assert fail(Answer(status=status, body=body), provider=provider).kind == kind


def test_the_message_is_the_providers_own() -> None:
    failed = fail(Answer(status=429, body=error("Rate limit reached for m")))
    assert failed.message == "Rate limit reached for m"
    assert failed.http_status == 429


def test_an_error_page_is_described_and_not_quoted() -> None:
    assert fail(Answer(status=502, body=b"<html>x</html>")).message == "HTTP 502 Bad Gateway, with an HTML page"


def test_a_reply_of_ten_megabytes_is_taken_whole() -> None:
    reply, _ = call(openai_reply("B" * 10 * 2**20))
    assert len(reply.text) == 10 * 2**20


def test_a_reply_beyond_all_measure_is_malformed() -> None:
    failed = fail(Answer(body=b" " * (MAX_REPLY + 1)))
    assert failed.kind == "malformed"
    assert "64 MB" in failed.message


def test_nobody_at_the_address_is_a_connection_failure() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"

        async def main() -> None:
            async with open_remote("openai", "m", {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": url}) as model:
                await model.call(HELLO)

        with pytest.raises(CallFailed) as failed:
            asyncio.run(main())
    assert failed.value.kind == "connection"


def test_a_server_that_never_answers_is_a_timeout() -> None:
    async def main() -> None:
        server = Server(Answer(body=openai_reply("B"), delay=5))
        async with server, open_remote("openai", "m", server.env(), timeout=0.05) as model:
            await model.call(HELLO)

    with pytest.raises(CallFailed) as failed:
        asyncio.run(main())
    assert failed.value.kind == "timeout"


def test_a_redirect_is_not_followed_because_it_would_carry_the_key_away() -> None:
    async def main() -> CallFailed:
        async with Server(openai_reply("stolen")) as elsewhere:
            away = Answer(status=307, headers={"Location": f"{elsewhere.url}/v1?k=1"})
            async with Server(away) as server, open_remote("openai", "m", server.env()) as model:
                with pytest.raises(CallFailed) as failed:
                    await model.call(HELLO)
            assert elsewhere.seen == []
            return failed.value

    failed = asyncio.run(main())
    assert failed.kind == "connection"
    assert "redirect" in failed.message


# When to come back


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "Retry-After": "9"}, 1.5),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": format_datetime(datetime(2020, 1, 1, tzinfo=UTC), usegmt=True)}, 0.0),
        ({}, None),
    ],
)
def test_the_server_says_when_to_come_back(headers: dict[str, str], seconds: float | None) -> None:
    assert fail(Answer(status=429, headers=headers, body=error("slow"))).retry_after == seconds


def test_a_date_to_come_back_at_is_turned_into_seconds() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    seconds = retry_after({"retry-after": later})
    assert seconds is not None
    assert 3500 < seconds <= 3600


def test_google_says_when_to_come_back_in_the_body() -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]
    body = {"error": {"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED", "details": details}}
    assert fail(Answer(status=429, body=body), provider="google").retry_after == 34.5


# Keys


def everything_reachable_from(failed: BaseException) -> str:
    texts, todo = [], [failed]
    while todo:
        current = todo.pop()
        texts += [repr(current), str(current), repr(current.__dict__), repr(getattr(current, "request_info", ""))]
        todo += [e for e in (current.__cause__, current.__context__) if e is not None]
    return "\n".join(texts)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(status=401, body=error(f"Incorrect API key provided: {KEY}. Revoked.")),
        Answer(status=401, body=error("x" * 490 + KEY)),
        Answer(status=400, body=error(f"{KEY[:9]}\u0007{KEY[9:]} and Bearer {KEY}")),
        Answer(status=307, headers={"Location": f"http://other.example/{KEY}"}),
        Answer(body=openai_reply("x" * 100), cut=10),
        Answer(body=b"<html>"),
    ],
)
def test_a_key_is_nowhere_in_a_failure(answer: Answer) -> None:
    failed = fail(answer, OPENAI_API_KEY=KEY)
    assert KEY[:12] not in everything_reachable_from(failed)
    assert KEY not in repr(failed.sent)


@pytest.mark.parametrize(
    "text",
    [
        "sk-proj-AbCdEf123456",
        "sk-***************6789",
        "AIzaSyA1234567890abcdefg",
        "xai-abcdef123456",
        "Bearer abc.def.ghi",
        "http://user:hunter2@host/path",
    ],
)
def test_what_looks_like_a_key_is_taken_out_of_messages(text: str) -> None:
    cleaned = clean(f"wrong: {text}, sorry")
    assert "[key]" in cleaned
    assert not any(part in cleaned for part in ("AbCdEf", "6789", "1234567890", "abcdef", "abc.def", "hunter2"))


def test_a_key_is_found_though_control_characters_split_it() -> None:
    assert clean("it was abcd\x07efgh1234", ("abcdefgh1234",)) == "it was [key]"


def test_messages_are_one_line_of_printable_text() -> None:
    assert clean("a\r\nb\x1b[31mc\u202ed\x00") == "a  b[31mcd"
    assert len(clean("x" * 10_000)) == 500


@given(st.text(max_size=300), st.text(alphabet="abcdefgh0123456789", min_size=8, max_size=20))
def test_a_key_never_survives_cleaning(text: str, key: str) -> None:
    assert key not in clean(f"{text}{key}{text}", (key,))


def test_a_model_does_not_show_its_key() -> None:
    model = open_remote("openai", "gpt", {"OPENAI_API_KEY": KEY})
    assert KEY not in repr(model)
    assert KEY not in repr(model.facts())


def test_keys_travel_in_headers_and_never_in_the_address() -> None:
    for provider, reply in (
        ("openai", openai_reply("B")),
        ("anthropic", anthropic_reply("B")),
        ("google", google_reply("B")),
    ):
        _, seen = call(reply, provider=provider, OPENAI_API_KEY=KEY, ANTHROPIC_API_KEY=KEY, GOOGLE_API_KEY=KEY)
        assert KEY not in seen[0].path
        assert any(KEY in value for value in seen[0].headers.values())


# Negotiation


def picky(rejects: Callable[[dict[str, Any]], Any], reply: Any = None) -> Server:
    """A server that answers 400 with what `rejects` makes of a body, unless that is None.

    After a hundred requests it gives in, so that a client that asks for ever fails its test, not the run.
    """

    def script(seen: Seen) -> Any:
        complaint = rejects(seen.json) if len(server.seen) < 100 else None
        return Answer(status=400, body=complaint) if complaint else reply or openai_reply("B")

    server = Server(script=script)
    return server


def test_a_rejected_temperature_is_left_out_and_remembered() -> None:
    said = "Unsupported value: 'temperature' does not support 0.3 with this model."

    async def main() -> None:
        server = picky(lambda body: error(said, param="temperature") if "temperature" in body else None)
        async with server, open_remote("openai", "m", server.env()) as model:
            first = await model.call(asking(temperature=0.3, seed=1))
            assert len(server.seen) == 2
            second = await model.call(asking(temperature=0.3, seed=1))
            assert len(server.seen) == 3
            assert "temperature" not in server.seen[2].json
            assert server.seen[2].json["seed"] == 1
            assert first.not_sent == second.not_sent == ("temperature",)
            assert first.sent == server.seen[1].body
            assert model.encode(asking(temperature=0.3, seed=1)) == second.sent
            assert model.learned() == {"temperature": said}

    asyncio.run(main())


def test_what_was_learned_is_taken_over_by_the_next_part_of_a_run() -> None:
    async def main() -> None:
        async with Server(openai_reply("B")) as server:
            learned = {"temperature": "no", "max_tokens as max_tokens": "the old name", "unheard of": "x"}
            async with open_remote("openai", "m", server.env()) as model:
                model.recall(learned)
                await model.call(asking(temperature=0.3, max_tokens=9))
                assert "temperature" not in server.seen[0].json
                assert server.seen[0].json["max_tokens"] == 9
                assert "max_completion_tokens" not in server.seen[0].json
                assert model.learned() == {k: v for k, v in learned.items() if k != "unheard of"}

    asyncio.run(main())


@pytest.mark.parametrize(
    ("provider", "model", "wants"),
    [
        ("openai", "m", "max_tokens"),
        ("openai", "m", "max_completion_tokens"),
        ("xai", "m", "max_completion_tokens"),
        ("openai-api", "test/m", "max_completion_tokens"),
        ("openai-api", "test/m", "max_tokens"),
    ],
)
def test_the_limit_goes_by_the_name_that_the_api_wants(provider: str, model: str, wants: str) -> None:
    other = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}[wants]
    said = f"Unsupported parameter: '{other}' is not supported with this model. Use '{wants}' instead."

    async def main() -> None:
        server = picky(lambda body: error(said) if other in body else None)
        async with server, open_remote(provider, model, server.env()) as opened:
            for _ in range(2):
                reply = await opened.call(asking(max_tokens=50))
                assert reply.not_sent == ()  # it was sent, under the name the API takes
            assert server.seen[-1].json[wants] == 50
            first = "max_completion_tokens" if provider == "openai" else "max_tokens"
            assert len(server.seen) == (2 if wants == first else 3)
            assert opened.learned() == ({} if wants == first else {f"max_tokens as {wants}": said})

    asyncio.run(main())


def test_an_api_that_takes_neither_name_ends_the_matter() -> None:
    async def main() -> None:
        server = picky(lambda body: error(f"no {next(f for f in body if f.startswith('max'))} here"))
        async with server, open_remote("openai", "m", server.env()) as model:
            for sent in (2, 3):
                with pytest.raises(CallFailed) as failed:
                    await model.call(asking(max_tokens=50))
                assert failed.value.kind == "bad_request"
                assert len(server.seen) == sent

    asyncio.run(main())


@pytest.mark.parametrize(
    ("provider", "complaint", "dropped"),
    [
        ("openai", error("`temperature` may only be set to 1 when thinking is enabled"), "temperature"),
        ("openai", error("bad value", param="response_format.json_schema.schema"), "schema"),
        ("openai", error("`top_p` and `temperature` cannot both be specified for this model."), "top_p"),
        ("openai", error("`temperature` and `top_p` cannot both be specified for this model."), "top_p"),
        ("openai", error("'logprobs' is not supported with this model.", param="logprobs"), "logprobs"),
        ("openai", error("Unsupported parameter: 'stop' is not supported"), "stop"),
        ("openai", {"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}, "seed"),
        ("openai", {"message": {"detail": [{"loc": ["body", "stop"], "msg": "Extra inputs"}]}}, "stop"),
        ("openai", [error('Invalid JSON payload received. Unknown name "seed": Cannot find field.')], "seed"),
        (
            "openai",
            error("Provider returned error", code=400, metadata={"raw": '{"message":"seed is not supported"}'}),
            "seed",
        ),
        ("xai", {"code": "c", "error": "Model m does not support parameter reasoningEffort."}, "reasoning_effort"),
        ("xai", {"code": "c", "error": "Argument not supported on this model: stop"}, "stop"),
        ("anthropic", error("`temperature` is deprecated for this model."), "temperature"),
        ("anthropic", error("temperature: Extra inputs are not permitted"), "temperature"),
        ("anthropic", error("`temperature` and `top_p` cannot both be specified for this model."), "top_p"),
        ("anthropic", error("This model does not support the effort parameter."), "reasoning_effort"),
        ("anthropic", error("output_config.format: Extra inputs are not permitted"), "schema"),
        (
            "google",
            {"error": {"code": 400, "message": "Thinking level is not supported for this model."}},
            "reasoning_effort",
        ),
        ("google", {"error": {"code": 400, "message": "Logprobs is not enabled for models/m"}}, "logprobs"),
        (
            "google",
            {
                "error": {
                    "code": 400,
                    "message": "Unknown name \"topP\" at 'generation_config': Cannot find field.",
                    "details": [{"fieldViolations": [{"field": "generation_config", "description": "x"}]}],
                }
            },
            "top_p",
        ),
    ],
)
def test_the_setting_that_the_api_names_is_the_one_that_goes(provider: str, complaint: Any, dropped: str) -> None:
    reply_of = {"anthropic": anthropic_reply("B"), "google": google_reply("B")}
    everything = asking(
        temperature=0.5,
        top_p=0.9,
        seed=1,
        stop=("END",),
        reasoning_effort="low",
        logprobs=1,
        schema={"type": "object"},
    )
    asked_once, seen = call(reply_of.get(provider, openai_reply("B")), provider=provider, request=everything)
    reply, seen = call(
        Answer(status=400, body=complaint),
        reply_of.get(provider, openai_reply("B")),
        provider=provider,
        request=everything,
    )
    assert len(seen) == 2
    assert set(reply.not_sent) - set(asked_once.not_sent) == {dropped}


@pytest.mark.parametrize(
    "complaint",
    [
        error("You cannot do this"),
        error("Please stop; the messages must alternate"),
        error("`top_k` is not supported"),
        error("the temperature of this message is wrong", param="messages[0].content"),
        error("`frequency_temperature` is unknown"),
    ],
)
def test_an_error_that_names_nothing_we_sent_is_a_bad_request(complaint: Any) -> None:
    failed = fail(Answer(status=400, body=complaint), request=asking(temperature=0.5, stop=("END",)))
    assert failed.kind == "bad_request"


def test_a_setting_that_was_not_asked_for_is_never_to_blame() -> None:
    assert fail(Answer(status=400, body=error("`temperature` is wrong"))).kind == "bad_request"


def test_several_settings_are_settled_one_after_the_other() -> None:
    def rejects(body: dict[str, Any]) -> Any:
        wrong = [name for name in ("temperature", "seed", "top_p") if name in body]
        return error(f"`{wrong[0]}` is not supported", param=wrong[0]) if wrong else None

    async def main() -> None:
        server = picky(rejects)
        async with server, open_remote("openai", "m", server.env()) as model:
            reply = await model.call(asking(temperature=0.5, seed=1, top_p=0.5))
            assert set(reply.not_sent) == {"temperature", "seed", "top_p"}
            assert len(server.seen) == 4

    asyncio.run(main())


def test_an_api_that_rejects_everything_is_not_asked_for_ever() -> None:
    complaint = error("temperature, seed and max_completion_tokens and max_tokens are wrong")

    async def main() -> None:
        server = picky(lambda body: complaint)
        async with server, open_remote("openai", "m", server.env()) as model:
            with pytest.raises(CallFailed):
                await model.call(asking(temperature=0.5, seed=1, max_tokens=5))
            assert len(server.seen) == 4

    asyncio.run(main())


def test_calls_in_flight_agree_on_what_one_of_them_learned() -> None:
    def rejects(body: dict[str, Any]) -> Any:
        for name in ("max_completion_tokens", "temperature"):
            if name in body:
                return error(f"'{name}' is not supported", param=name)
        return None

    async def main() -> None:
        server = picky(rejects)
        async with server, open_remote("openai", "m", server.env()) as model:
            request = asking(temperature=0.5, max_tokens=5)
            replies = await asyncio.gather(*(model.call(request) for _ in range(20)))
            assert {reply.not_sent for reply in replies} == {("temperature",)}
            assert {reply.sent for reply in replies} == {model.encode(request)}
            assert server.seen[-1].json["max_tokens"] == 5
            assert len(model.learned()) == 2
            before = len(server.seen)
            await model.call(request)
            assert len(server.seen) == before + 1

    asyncio.run(main())


# Opening


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
        "http://host:99999",
        "http://[::1",
    ],
)
def test_an_address_that_is_no_plain_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="OPENAI_BASE_URL") as refused:
        open_remote("openai", "m", {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": url})
    assert "hunter2" not in str(refused.value)


def test_addresses_are_told_apart() -> None:
    assert check_base_url(" https://host:8443/v1/ ", "X") == "https://host:8443/v1"
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
