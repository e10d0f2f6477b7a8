"""OpenAI chat completions, and the many servers that speak the same format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from fiducial.model.reply import CallFailed, Reply, Reported, Token
from fiducial.model.request import WireRequest
from fiducial.model.wire import Count, Terms, Wire, request_id, shaped, status_of

FIELDS = {
    "temperature": ("temperature",),
    "top_p": ("top_p",),
    "max_tokens": ("max_tokens",),
    "seed": ("seed",),
    "stop": ("stop",),
    "reasoning_effort": ("reasoning_effort",),
    "logprobs": ("logprobs", "top_logprobs"),
    "schema": ("response_format", "json_schema"),
    "grammar": ("grammar",),
}


def encode(request: WireRequest, model: str, terms: Terms) -> dict[str, Any]:
    """The body of a chat completion."""
    asked = request.settings
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": m.role, "content": m.text} for m in request.messages],
    }
    for name in asked.names():
        if name in terms.omit:
            continue
        if name == "logprobs":
            body["logprobs"] = True
            if asked.logprobs:
                body["top_logprobs"] = asked.logprobs
        elif name == "schema":
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "reply", "strict": True, "schema": asked.schema},
            }
        else:
            body[terms.rename.get(name, name)] = getattr(asked, name)
    return body


class _Part(Struct):
    type: str = "text"
    text: str | None = None
    refusal: str | None = None


class _Message(Struct):
    content: str | list[_Part | str] | None = None
    refusal: str | None = None


class _Alternative(Struct):
    token: str
    logprob: float


class _Logprob(Struct):
    token: str
    logprob: float
    top_logprobs: list[_Alternative] | None = None


class _Logprobs(Struct):
    content: list[_Logprob] | None = None


class _Choice(Struct):
    message: _Message
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


class _InputDetails(Struct):
    cached_tokens: Count | None = None


class _OutputDetails(Struct):
    reasoning_tokens: Count | None = None


class _Usage(Struct):
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    total_tokens: Count | None = None
    prompt_tokens_details: _InputDetails | None = None
    completion_tokens_details: _OutputDetails | None = None


class _Completion(Struct):
    choices: list[_Choice]
    id: str | None = None
    model: str | None = None
    system_fingerprint: str | None = None
    usage: _Usage | None = None


def decode(data: Any, headers: Mapping[str, str]) -> Reply:
    """The first choice. No choice at all is an empty reply, not a failure: the call was made and paid."""
    completion = shaped(data, _Completion)
    choice = completion.choices[0] if completion.choices else _Choice(message=_Message())
    if choice.finish_reason == "error":  # OpenRouter: the provider behind it broke off
        raise CallFailed("malformed", "the server broke the reply off with an error")
    text, refusal = _content(choice.message)
    usage = completion.usage or _Usage()
    reasoning = (usage.completion_tokens_details or _OutputDetails()).reasoning_tokens
    return Reply(
        text=text,
        status=status_of(
            text,
            refused=bool(refusal),
            filtered=choice.finish_reason == "content_filter",
            truncated=choice.finish_reason == "length",
        ),
        reported=Reported(
            model=completion.model,
            id=completion.id,
            request_id=request_id(headers),
            finish_reason=choice.finish_reason,
            input_tokens=usage.prompt_tokens,
            output_tokens=_output_tokens(usage, reasoning),
            cached_tokens=(usage.prompt_tokens_details or _InputDetails()).cached_tokens,
            reasoning_tokens=reasoning,
            fingerprint=completion.system_fingerprint,
            refusal=refusal,
        ),
        tokens=_tokens(choice.logprobs),
    )


def _content(message: _Message) -> tuple[str, str | None]:
    """Text and refusal. Parts of another kind (thinking, images) are not the reply's text."""
    if not isinstance(message.content, list):
        return message.content or "", message.refusal or None
    parts = [_Part(text=p) if isinstance(p, str) else p for p in message.content]
    text = "".join(p.text for p in parts if p.type == "text" and p.text)
    refusal = "".join(p.refusal for p in parts if p.type == "refusal" and p.refusal)
    return text, message.refusal or refusal or None


def _output_tokens(usage: _Usage, reasoning: int | None) -> int | None:
    """OpenAI counts reasoning among the completion tokens, xAI beside them: the total tells which."""
    if usage.completion_tokens is None or usage.prompt_tokens is None or not reasoning:
        return usage.completion_tokens
    apart = usage.total_tokens == usage.prompt_tokens + usage.completion_tokens + reasoning
    return usage.completion_tokens + reasoning if apart else usage.completion_tokens


def _tokens(logprobs: _Logprobs | None) -> tuple[Token, ...] | None:
    if logprobs is None or logprobs.content is None:
        return None
    return tuple(
        Token(t.token, t.logprob, tuple((a.token, a.logprob) for a in t.top_logprobs or ()))
        for t in logprobs.content
    )


def path(model: str) -> str:
    """Below a base URL that ends in the API's version, as in the official SDK."""
    return "/chat/completions"


def headers(key: str) -> dict[str, str]:
    """Servers that need no key get no header, rather than an empty one."""
    return {"Authorization": f"Bearer {key}"} if key else {}


OPENAI = Wire(
    name="openai",
    fields=FIELDS,
    encode=encode,
    decode=decode,
    path=path,
    headers=headers,
    twins={"max_tokens": ("max_tokens", "max_completion_tokens")},
)
