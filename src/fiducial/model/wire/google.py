"""Google Gemini generateContent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from fiducial.model.reply import CallFailed, Reply, Reported, Token, believable
from fiducial.model.request import WireRequest
from fiducial.model.wire import Terms, Wire, optional, part, request_id, shaped, status_of, written

FIELDS = {
    "temperature": ("temperature",),
    "top_p": ("topP",),
    "max_tokens": ("maxOutputTokens",),
    "seed": ("seed",),
    "stop": ("stopSequences",),
    "reasoning_effort": ("thinkingLevel", "thinkingConfig"),
    "logprobs": ("responseLogprobs", "logprobs"),
    "schema": ("responseJsonSchema", "responseMimeType", "responseSchema"),
}

_PLAIN = ("temperature", "top_p", "max_tokens", "seed", "stop")

FILTERS = frozenset(
    {
        "SAFETY",
        "RECITATION",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "IMAGE_SAFETY",
        "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_RECITATION",
    }
)
"""Finish reasons that mean that the provider withheld text. LANGUAGE and OTHER are not among them: the
API does not say that a filter was at work, so the reply is judged by its text."""


def encode(request: WireRequest, model: str, terms: Terms) -> dict[str, Any]:
    """The body of a generateContent call; the model is in the path. System messages are joined."""
    asked = request.settings
    body: dict[str, Any] = {
        "contents": [
            {"parts": [{"text": m.text}], "role": "model" if m.role == "assistant" else "user"}
            for m in request.messages
            if m.role != "system"
        ]
    }
    system = "\n\n".join(m.text for m in request.messages if m.role == "system")
    if system:
        body["systemInstruction"] = {"parts": [{"text": system}], "role": "user"}
    config: dict[str, Any] = {}
    for name in asked.names():
        if name in terms.omit:
            continue
        if name in _PLAIN:
            config[FIELDS[name][0]] = getattr(asked, name)
        elif name == "reasoning_effort" and asked.reasoning_effort:
            config["thinkingConfig"] = {"thinkingLevel": asked.reasoning_effort.upper()}
        elif name == "logprobs":
            config["responseLogprobs"] = True
            if asked.logprobs:
                config["logprobs"] = asked.logprobs
        elif name == "schema":
            config["responseMimeType"] = "application/json"
            config["responseJsonSchema"] = asked.schema
    if config:
        body["generationConfig"] = config
    return body


class _Part(Struct):
    text: str | None = None
    thought: bool | None = None


class _Content(Struct):
    parts: list[_Part] | None = None


class _Chosen(Struct, rename="camel"):
    token: str
    log_probability: float


class _Top(Struct):
    candidates: list[_Chosen] | None = None


class _Logprobs(Struct, rename="camel"):
    chosen_candidates: list[_Chosen] | None = None
    top_candidates: list[_Top] | None = None


class _Candidate(Struct, rename="camel"):
    content: _Content | None = None
    finish_reason: Any = None
    logprobs_result: Any = None


class _Generation(Struct, rename="camel"):
    candidates: list[_Candidate] | None = None
    prompt_feedback: Any = None
    usage_metadata: Any = None
    model_version: Any = None
    response_id: Any = None


def decode(data: Any, headers: Mapping[str, str]) -> Reply:
    """The first candidate. A blocked prompt has none, and is a filtered reply."""
    generation = shaped(data, _Generation)
    if generation.candidates is None and not generation.prompt_feedback and not generation.usage_metadata:
        # Empty lists are left out by this API, but a reply without all three is not one of its replies.
        raise CallFailed("malformed", "the reply has no candidates, no prompt feedback and no usage")
    usage = part(generation.usage_metadata)
    blocked = written(part(generation.prompt_feedback).get("blockReason"))
    candidate = generation.candidates[0] if generation.candidates else _Candidate()
    parts = (candidate.content or _Content()).parts or []
    text = "".join(p.text for p in parts if p.text and not p.thought)
    finished = written(candidate.finish_reason)
    counts = {name: believable(number) for name, number in usage.items()}
    thoughts = counts.get("thoughtsTokenCount")
    return Reply(
        text=text,
        status=status_of(
            text,
            filtered=bool(blocked) or finished in FILTERS,
            truncated=finished in ("MAX_TOKENS", "CONTINUATION"),
        ),
        reported=Reported(
            model=written(generation.model_version),
            id=written(generation.response_id),
            request_id=request_id(headers),
            finish_reason=finished or blocked,
            input_tokens=_sum(counts.get("promptTokenCount"), counts.get("toolUsePromptTokenCount")),
            output_tokens=_sum(counts.get("candidatesTokenCount"), thoughts),
            cached_tokens=counts.get("cachedContentTokenCount"),
            reasoning_tokens=thoughts,
        ),
        tokens=_tokens(optional(candidate.logprobs_result, _Logprobs)),
    )


def _sum(*counts: int | None) -> int | None:
    known = [c for c in counts if c is not None]
    return sum(known) if known else None


def _tokens(logprobs: _Logprobs | None) -> tuple[Token, ...] | None:
    if logprobs is None or logprobs.chosen_candidates is None:
        return None
    tops = logprobs.top_candidates or []
    return tuple(
        Token(
            c.token,
            c.log_probability,
            tuple((a.token, a.log_probability) for a in tops[i].candidates or ()) if i < len(tops) else (),
        )
        for i, c in enumerate(logprobs.chosen_candidates)
    )


def path(model: str) -> str:
    """The model is part of the path, so whatever is not plain in its name is escaped."""
    name = model if model.startswith(("models/", "tunedModels/")) else f"models/{model}"
    return f"/v1beta/{quote(name, safe='/')}:generateContent"


def headers(key: str) -> dict[str, str]:
    """The key goes in a header: in the URL it would end in logs."""
    return {"x-goog-api-key": key}


GOOGLE = Wire(name="google", fields=FIELDS, encode=encode, decode=decode, path=path, headers=headers)
