"""Keys stay where they belong."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.model.remote import open_remote
from fiducial.model.reply import clean
from fiducial.model.request import Message, Request
from tests.model.calls import KEY, call, error, fail
from tests.model.servers import Answer, anthropic_reply, google_reply, openai_reply


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


@pytest.mark.parametrize("key", [KEY, 'quo"ted\\key-1'])
@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
def test_a_key_that_a_provider_echoes_or_a_prompt_holds_is_taken_out(provider: str, key: str) -> None:
    answer = {
        "openai": openai_reply(f"it is {key}", model=key),
        "anthropic": anthropic_reply(f"it is {key}", model=key),
        "google": google_reply(f"it is {key}", modelVersion=key),
    }[provider]
    request = Request((Message("user", f"What is {key}?"),))
    env = {f"{name}_API_KEY": key for name in ("OPENAI", "ANTHROPIC", "GOOGLE")}
    answered = Answer(body=answer, headers={"x-request-id": f"for {key}"})
    reply, seen = call(answered, provider=provider, request=request, **env)
    assert (reply.text, reply.reported.model, reply.reported.request_id) == ("it is [key]", "[key]", "for [key]")
    assert msgspec.json.encode(key)[1:-1] in seen[0].body  # what is sent is what was asked
    assert b"What is [key]?" in reply.sent


@pytest.mark.parametrize("key", ["EMPTY", "ollama", "none", "sk-no-key-required"])
def test_a_placeholder_is_no_secret(key: str) -> None:
    reply, _ = call(openai_reply(f"I run on {key}."), OPENAI_API_KEY=key)
    assert reply.text == f"I run on {key}."


def test_keys_travel_in_headers_and_never_in_the_address() -> None:
    for provider, reply in (
        ("openai", openai_reply("B")),
        ("anthropic", anthropic_reply("B")),
        ("google", google_reply("B")),
    ):
        _, seen = call(reply, provider=provider, OPENAI_API_KEY=KEY, ANTHROPIC_API_KEY=KEY, GOOGLE_API_KEY=KEY)
        assert KEY not in seen[0].path
        assert any(KEY in value for value in seen[0].headers.values())
