"""OpenAI chat completions, and the many servers that speak the same format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from fiducial.model.reply import CallFailed, Reply, Reported, Token, believable
from fiducial.model.request import WireRequest
from fiducial.model.wire import Terms, Wire, optional, part, request_id, shaped, status_of, written

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
    refusal: Any = None


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
    finish_reason: Any = None
    logprobs: Any = None


class _Completion(Struct):
    """Only the text has to be right: what a server reports beside it must not cost a reply that was paid for."""

    choices: list[_Choice]
    id: Any = None
    model: Any = None
    system_fingerprint: Any = None
    usage: Any = None


def decode(data: Any, headers: Mapping[str, str]) -> Reply:
    """The first choice. No choice at all is an empty reply, not a failure: the call was made and paid."""
    completion = shaped(data, _Completion)
    choice = completion.choices[0] if completion.choices else _Choice(message=_Message())
    if choice.finish_reason == "error":  # OpenRouter: the provider behind it broke off
        raise CallFailed("malformed", "the server broke the reply off with an error")
    text, refusal = _content(choice.message)
    usage = part(completion.usage)
    given, completed = believable(usage.get("prompt_tokens")), believable(usage.get("completion_tokens"))
    reasoning = believable(part(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    return Reply(
        text=text,
        status=status_of(
            text,
            refused=bool(refusal),
            filtered=choice.finish_reason == "content_filter",
            truncated=choice.finish_reason == "length",
        ),
        reported=Reported(
            model=written(completion.model),
            id=written(completion.id),
            request_id=request_id(headers),
            finish_reason=written(choice.finish_reason),
            input_tokens=given,
            output_tokens=_output_tokens(given, completed, reasoning, usage.get("total_tokens")),
            cached_tokens=believable(part(usage.get("prompt_tokens_details")).get("cached_tokens")),
            reasoning_tokens=reasoning,
            fingerprint=written(completion.system_fingerprint),
            refusal=refusal,
        ),
        tokens=_tokens(optional(choice.logprobs, _Logprobs)),
    )


def _content(message: _Message) -> tuple[str, str | None]:
    """Text and refusal. Parts of another kind (thinking, images) are not the reply's text."""
    stated = written(message.refusal) or None
    if not isinstance(message.content, list):
        return message.content or "", stated
    parts = [_Part(text=p) if isinstance(p, str) else p for p in message.content]
    text = "".join(p.text for p in parts if p.type == "text" and p.text)
    refusal = "".join(p.refusal for p in parts if p.type == "refusal" and p.refusal)
    return text, stated or refusal or None


def _output_tokens(given: int | None, completed: int | None, reasoning: int | None, total: Any) -> int | None:
    """OpenAI counts reasoning among the completion tokens, xAI beside them: the total tells which."""
    if completed is None or given is None or not reasoning:
        return completed
    return completed + reasoning if total == given + completed + reasoning else completed


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
