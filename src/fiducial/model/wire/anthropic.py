"""Anthropic messages.

Version 2023-06-01 of the API is asked for on purpose: version 2026-10-21 takes no temperature and no
top_p from anybody, while this one takes them wherever the model does and says so where it does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from fiducial.model.reply import Reply, Reported, believable
from fiducial.model.request import WireRequest
from fiducial.model.wire import Terms, Wire, part, request_id, shaped, status_of, written

VERSION = "2023-06-01"

DEFAULT_MAX_TOKENS = 4096
"""Sent where no limit was asked for, because this API will not take a request without one."""

MAX_CACHE_MARKS = 4  # the API refuses a fifth

FIELDS = {
    "temperature": ("temperature",),
    "top_p": ("top_p",),
    "max_tokens": ("max_tokens",),
    "stop": ("stop_sequences",),
    "reasoning_effort": ("output_config.effort", "effort", "output_config"),
    "schema": ("output_config.format", "output_format", "json_schema", "output_config"),
}

_PLAIN = {"temperature": "temperature", "top_p": "top_p", "stop": "stop_sequences"}


def encode(request: WireRequest, model: str, terms: Terms) -> dict[str, Any]:
    """The body of a message. System messages, wherever they stand, are joined into the system field."""
    asked = request.settings
    marks = MAX_CACHE_MARKS
    limit = DEFAULT_MAX_TOKENS if asked.max_tokens is None else asked.max_tokens
    body: dict[str, Any] = {"model": model, "max_tokens": limit}
    system, prefix = _system(request)
    if system:
        body["system"] = _content(system, prefix)
        marks -= isinstance(body["system"], list)
    messages = []
    for message in request.messages:
        if message.role == "system":
            continue
        content = _content(message.text, message.prefix if marks else 0)
        marks -= isinstance(content, list)
        messages.append({"role": message.role, "content": content})
    body["messages"] = messages
    output: dict[str, Any] = {}
    for name in asked.names():
        if name in terms.omit:
            continue
        if name in _PLAIN:
            body[_PLAIN[name]] = getattr(asked, name)
        elif name == "reasoning_effort":
            output["effort"] = asked.reasoning_effort
        elif name == "schema":
            output["format"] = {"type": "json_schema", "schema": asked.schema}
    if output:
        body["output_config"] = output
    return body


def _system(request: WireRequest) -> tuple[str, int]:
    """The joined system text, and how much of it is shared: up to the last prefix that is marked."""
    text, prefix = "", 0
    for message in request.messages:
        if message.role != "system":
            continue
        text += "\n\n" if text else ""
        if message.prefix > 0:
            prefix = len(text) + message.prefix
        text += message.text
    return text, prefix


def _content(text: str, prefix: int) -> str | list[dict[str, Any]]:
    """Text with a cache mark after its shared prefix. The API takes no block without visible text."""
    head, rest = text[: max(prefix, 0)], text[max(prefix, 0) :]
    if not head.strip():
        return text
    mark = {"type": "ephemeral"}
    if not rest.strip():
        return [{"type": "text", "text": text, "cache_control": mark}]
    return [{"type": "text", "text": head, "cache_control": mark}, {"type": "text", "text": rest}]


class _Block(Struct):
    type: str
    text: str | None = None


class _Message(Struct):
    content: list[_Block]
    id: Any = None
    model: Any = None
    stop_reason: Any = None
    stop_details: Any = None
    usage: Any = None


def decode(data: Any, headers: Mapping[str, str]) -> Reply:
    """The text blocks, joined; thinking blocks are not the reply's text."""
    message = shaped(data, _Message)
    text = "".join(b.text for b in message.content if b.type == "text" and b.text)
    usage, why, stopped = part(message.usage), part(message.stop_details), written(message.stop_reason)
    refused = stopped == "refusal"
    return Reply(
        text=text,
        status=status_of(
            text,
            refused=refused,
            truncated=stopped in ("max_tokens", "model_context_window_exceeded"),
        ),
        reported=Reported(
            model=written(message.model),
            id=written(message.id),
            request_id=request_id(headers),
            finish_reason=stopped,
            input_tokens=_input_tokens(usage),
            output_tokens=believable(usage.get("output_tokens")),
            cached_tokens=believable(usage.get("cache_read_input_tokens")),
            reasoning_tokens=believable(part(usage.get("output_tokens_details")).get("thinking_tokens")),
            refusal=(written(why.get("explanation")) or written(why.get("category"))) if refused else None,
        ),
    )


def _input_tokens(usage: dict[str, Any]) -> int | None:
    """All of them: this API counts what it read from its cache, and wrote to it, apart."""
    fresh = believable(usage.get("input_tokens"))
    if fresh is None:
        return None
    return fresh + sum(believable(usage.get(f"cache_{did}_input_tokens")) or 0 for did in ("creation", "read"))


def path(model: str) -> str:
    """Below a base URL without a version, as in the official SDK."""
    return "/v1/messages"


def headers(key: str) -> dict[str, str]:
    """Key and version."""
    return {"x-api-key": key, "anthropic-version": VERSION}


ANTHROPIC = Wire(
    name="anthropic",
    fields=FIELDS,
    encode=encode,
    decode=decode,
    path=path,
    headers=headers,
    required=frozenset({"max_tokens"}),
)
