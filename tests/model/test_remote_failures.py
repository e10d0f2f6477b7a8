"""Bad days at the other end."""

from __future__ import annotations

import asyncio
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from fiducial.model.http import MAX_REPLY, retry_after
from fiducial.model.remote import open_remote
from fiducial.model.reply import CallFailed
from tests.model.calls import HELLO, KEY, call, error, fail
from tests.model.servers import Answer, Server, openai_reply


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(body=b"<html><h1>Welcome</h1></html>", headers={"Content-Type": "text/html"}), "malformed"),
        (Answer(body=b""), "malformed"),
        (Answer(body=b'{"choices": [{"message": {"content": "ha'), "malformed"),
        (Answer(body=b'"\xff\xfe"'), "malformed"),
        (Answer(body=b"[" * 100_000), "malformed"),
        (openai_reply("x", choices=None), "malformed"),
        (openai_reply("x", choices=[{"message": "x"}]), "malformed"),
        (
            Answer(body=b"[" + b"[]," * 1_000_000 + b"[]]"),
            "malformed",
        ),  # a million objects hold up every other call
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
    assert "16 MB" in failed.message


def test_only_the_beginning_of_an_error_is_read() -> None:
    """The server promises 60 MB, sends 100 kB of them and then nothing: the failure is the server's, not a timeout."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 500 Oops\r\nContent-Length: 60000000\r\n\r\n" + b"x" * 100_000)
        await reader.read()  # until the client hangs up
        writer.close()

    async def main() -> CallFailed:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with server, open_remote("openai-api", "x/m", {"X_BASE_URL": url}, timeout=10) as model:
            with pytest.raises(CallFailed) as failed:
                await model.call(HELLO)
        return failed.value

    assert asyncio.run(main()).kind == "overloaded"


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
        ({"Retry-After": "Wed, 99999999999999999999 Oct 2015 07:28:00 GMT"}, None),
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
