"""Errors that a program wrote in place of a reply are never read as answers."""

from __future__ import annotations

import asyncio
import json
import traceback
from collections.abc import Callable
from http import HTTPStatus

import aiohttp
import anthropic
import httpx
import openai
import pytest

from fiducial.bias.read import Kind, Option, read

AB = (Option("A", "Take the train"), Option("B", "Take the bus"))
KINDS: tuple[Kind, ...] = ("option", "numeric", "yesno", "confidence")


def _caught(work: Callable[[], object]) -> list[str]:
    """An exception as programs write it down: its message, its name and message, its repr, the whole traceback."""
    try:
        work()
    except Exception as error:
        name = type(error)
        return [
            f"{name.__name__}: {error}",
            f"{name.__module__}.{name.__qualname__}: {error}",
            repr(error),
            traceback.format_exc(),
        ]
    raise AssertionError("nothing was raised")


def _raised_by_libraries() -> list[str]:
    request = httpx.Request("POST", "http://127.0.0.1/v1/chat/completions")
    body = {"error": {"message": "You have 3 requests left", "type": "tokens", "code": "rate_limit_exceeded"}}
    found = [
        json.dumps(body),
        json.dumps({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    ]
    for status in (400, 401, 404, 429, 500, 503):
        response = httpx.Response(status, json=body, request=request)
        phrase = HTTPStatus(status).phrase
        found += [
            f"{status} {phrase}",
            f"HTTP {status} {phrase}",
            f"Error code: {status} - {body}",
            f"ERROR: {status}",
        ]
        found += _caught(response.raise_for_status)
        for sdk in (openai, anthropic):
            error = sdk.APIStatusError(f"Error code: {status} - {body}", response=response, body=body)
            found += [str(error), repr(error), f"{type(error).__name__}: {error}"]
    found += ["Request timed out.", "Connection error."]  # what the SDKs say of a timeout and a broken connection
    found += _caught(lambda: json.loads(""))
    found += _caught(lambda: json.loads("{}")["choices"])
    found += _caught(lambda: list[str]().pop())
    found += _caught(lambda: dict[str, dict[str, str]]().get("choices")["text"])  # type: ignore[index]
    found += _caught(lambda: asyncio.run(_refused()))
    return found


async def _refused() -> None:
    async with aiohttp.ClientSession() as session, session.get("http://127.0.0.1:9/"):
        pass


@pytest.mark.parametrize("kind", KINDS)
def test_errors_of_real_libraries_are_never_answers(kind: Kind) -> None:
    texts = _raised_by_libraries()
    read_as_answers = {
        t: r.answer
        for t in texts
        if (r := read(t, kind, options=AB if kind == "option" else None)).status == "read"
    }
    assert len(texts) > 60
    assert not read_as_answers


@pytest.mark.parametrize(
    ("text", "kind", "answer"),
    [
        ("No, I would not.", "yesno", "no"),
        ("No.", "yesno", "no"),
        ("429", "numeric", 429.0),
        ("404 is my estimate.", "numeric", 404.0),
        ("500 people", "numeric", 500.0),
        ("Error bars would be wide, so I choose B.", "option", "B"),
    ],
)
def test_replies_that_look_a_little_like_errors_are_still_read(text: str, kind: Kind, answer: object) -> None:
    assert read(text, kind, options=AB if kind == "option" else None).answer == answer
