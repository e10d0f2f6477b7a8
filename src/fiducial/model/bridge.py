"""`inspect/ANY`: every provider of an installed Inspect AI as a model of Fiducial's.

Inspect owns the wire here. `Reply.sent` is therefore what was handed to Inspect (messages and settings,
as canonical JSON), **not** the body its provider put on the wire; what a provider leaves out on its own
is listed in `not_sent` only where that is known.

Retrying is the engine's: Inspect's retries are switched off, and those of the SDK clients beneath it
where the client says how. `lend` is the other way round: a model that Inspect itself opened, as in a scorer of a
task of its own, keeps Inspect's retries, limits and transcript.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import math
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import msgspec

from fiducial.errors import UsageError, install_hint
from fiducial.model.base import ModelBase
from fiducial.model.http import classify, retry_after
from fiducial.model.logprobs import NEVER_SENT
from fiducial.model.python import checked
from fiducial.model.reply import (
    CallFailed,
    FailureKind,
    Reply,
    Reported,
    Token,
    clean,
    configured_keys,
    redact_failure,
)
from fiducial.model.request import Message, Request, Settings
from fiducial.model.wire import ErrorBody, read_error, status_of

if TYPE_CHECKING:
    from inspect_ai.model import ChatCompletionChoice, GenerateConfig, ModelOutput
    from inspect_ai.model import ChatMessage as InspectMessage
    from inspect_ai.model import Model as InspectsModel

_encoder = msgspec.json.Encoder(order="deterministic")
_MARKUP = re.compile(r"\[/?[a-z ]*\]")


class InspectModel(ModelBase):
    """A model of Inspect AI's behind the engine's interface."""

    remote = True

    def __init__(
        self,
        name: str,
        model: InspectsModel,
        *,
        connections: int = 64,
        timeout: float = 120.0,
        lent: bool = False,
    ) -> None:
        self.name = name
        self.slots = connections
        self._model = model
        self._provider = name.removeprefix("inspect/").partition("/")[0]
        self.account = f"inspect/{self._provider}"
        self._secrets = configured_keys(os.environ)
        self._lent = lent
        self._fixed: dict[str, int] = {}
        if lent:
            return
        # A static limit also switches Inspect's own adaptive limiter off: there is one limiter, the engine's.
        self._fixed = {
            "max_retries": 0,
            "max_connections": connections,
            "attempt_timeout": max(1, math.ceil(timeout)),
        }
        client: Any = getattr(model.api, "client", None)
        if isinstance(getattr(client, "max_retries", None), int):
            client.max_retries = 0  # the SDKs of OpenAI and Anthropic: retries the engine would not see

    def encode(self, request: Request) -> bytes:
        """Canonical JSON of what is handed to Inspect; see the module's first lines."""
        config, _ = _config(request.settings)
        messages = [{"role": m.role, "content": m.text} for m in request.messages]
        body = {"model": self.name.removeprefix("inspect/"), "messages": messages, "config": config}
        try:
            return _encoder.encode(body)
        except UnicodeEncodeError:
            raise CallFailed("bad_request", "a message has half a surrogate pair in it") from None

    async def call(self, request: Request) -> Reply:
        """One call through Inspect."""
        sent = self.encode(request)
        config, not_sent = _config(request.settings)
        never = NEVER_SENT.get(self._provider, frozenset())
        not_sent += tuple(s for s in request.settings.names() if s in never)
        try:
            generate = self._model.generate(to_messages(request.messages), config=self._generate_config(config))
            # In a task, because Inspect keeps a transcript of every call in the context it runs in;
            # a task's context goes when the task is done. A model that is lent is asked for that transcript's sake.
            output = await (generate if self._lent else asyncio.create_task(generate))
        except Exception as error:
            if self._lent and _ends_sample(error):
                raise
            failure = _failure(error, sent)
            redact_failure(failure, self._secrets)
            raise failure from error
        try:
            return checked(read_output(output, sent, not_sent), sent, self.name, self._secrets)
        except CallFailed as failure:
            redact_failure(failure, self._secrets)
            raise

    def facts(self) -> dict[str, str]:
        """Which Inspect made the calls."""
        return {"inspect_ai": importlib.metadata.version("inspect_ai"), "provider": self._provider}

    async def __aenter__(self) -> Self:
        await self._model.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._model.__aexit__(kind, error, trace)

    def _generate_config(self, config: dict[str, Any]) -> GenerateConfig:
        from inspect_ai.model import GenerateConfig  # noqa: PLC0415  (takes two seconds; only if used)

        return GenerateConfig.model_validate({**config, **self._fixed})


def to_config(settings: Settings) -> GenerateConfig:
    """The settings as Inspect has them, without those it has no words for."""
    from inspect_ai.model import GenerateConfig  # noqa: PLC0415

    return GenerateConfig.model_validate(_config(settings)[0])


@contextmanager
def needing_inspect(what: str) -> Iterator[None]:
    """Where Inspect AI is not installed, what is imported within says how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "inspect_ai":
            raise
        raise UsageError(f"{what} needs Inspect AI, which is not installed: {install_hint('inspect')}") from error


def open_inspect(model: str, *, connections: int = 64, timeout: float = 120.0) -> InspectModel:
    """The model that Inspect calls `model` (`provider/name`), with keys from where Inspect looks for them."""
    with needing_inspect(f"inspect/{model}"):
        from inspect_ai.model import get_model  # noqa: PLC0415
    try:
        # Not memoized: a memoized model would be shared with, and closed for, whoever else asks for it.
        found = get_model(model, memoize=False)
    except Exception as error:
        reason = clean(_MARKUP.sub("", str(error)))
        raise UsageError(f"inspect/{model}: Inspect AI cannot open it: {reason or type(error).__name__}") from error
    return InspectModel(f"inspect/{model}", found, connections=connections, timeout=timeout)


def lend(model: InspectsModel) -> InspectModel:
    """A model that Inspect opened and goes on to own, to be asked once at a time through `call`; it is not entered."""
    return InspectModel(f"inspect/{model}", model, lent=True)


def _ends_sample(error: Exception) -> bool:
    """Whether it is Inspect's way of ending a sample that has used up its tokens, its time or its money."""
    from inspect_ai.util import LimitExceededError  # noqa: PLC0415

    return isinstance(error, LimitExceededError)


def to_messages(messages: tuple[Message, ...]) -> list[InspectMessage]:
    """The messages as Inspect has them."""
    from inspect_ai.model import (  # noqa: PLC0415
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageUser,
    )

    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    return [kinds[message.role](content=message.text) for message in messages]


def _config(settings: Settings) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Settings in Inspect's words, and the names of those it has no words for."""
    config: dict[str, Any] = {
        name: value
        for name in ("temperature", "top_p", "max_tokens", "seed", "reasoning_effort")
        if (value := getattr(settings, name)) is not None
    }
    not_sent: tuple[str, ...] = ()
    if settings.stop:
        config["stop_seqs"] = list(settings.stop)
    if settings.logprobs is not None:
        config["logprobs"] = True
        if settings.logprobs:
            config["top_logprobs"] = settings.logprobs
    if settings.schema is not None:
        if _fits_inspect(settings.schema):
            config["response_schema"] = {"name": "reply", "json_schema": settings.schema}
        else:
            not_sent += ("schema",)
    if settings.grammar is not None:
        not_sent += ("grammar",)
    return config, not_sent


def _fits_inspect(schema: dict[str, Any]) -> bool:
    """Whether Inspect's own type for schemas keeps every keyword. It drops unknown ones without a word."""
    from inspect_ai.util import JSONSchema  # noqa: PLC0415
    from pydantic import ValidationError  # noqa: PLC0415  (comes with Inspect)

    try:
        return JSONSchema.model_validate(schema).model_dump(exclude_none=True) == schema
    except ValidationError:
        return False


def read_output(output: ModelOutput, sent: bytes = b"", not_sent: tuple[str, ...] = ()) -> Reply:
    """The reply in an output of Inspect's, of this call or out of a log. Raises CallFailed where there is none."""
    if output.empty:
        raise CallFailed("malformed", "Inspect returned an output without choices", sent=sent)
    choice = output.choices[0]
    text, refusal = _said(choice)
    # Inspect turns some errors of a provider into outputs whose "text" is the error message. A reply
    # that a model wrote comes with usage or an id.
    if (
        output.usage is None
        and output.response_id is None
        and choice.stop_reason in ("model_length", "content_filter")
    ):
        if choice.stop_reason == "model_length":
            raise CallFailed("too_long", clean(output.error or text), sent=sent)
        text, refusal = "", clean(output.error or text or refusal or "")
    filtered = choice.stop_reason == "content_filter"
    details = choice.stop_details
    refused = bool(refusal) or (filtered and details is not None and details.type == "refusal")
    usage = output.usage
    read = usage.input_tokens_cache_read if usage else None
    written = usage.input_tokens_cache_write if usage else None
    return Reply(
        text=text,
        status=status_of(
            text,
            refused=refused,
            filtered=filtered,
            truncated=choice.stop_reason in ("max_tokens", "model_length"),
        ),
        reported=Reported(
            model=output.model or None,
            id=output.response_id,
            finish_reason=choice.stop_reason,
            input_tokens=usage.input_tokens + (read or 0) + (written or 0) if usage else None,
            output_tokens=usage.output_tokens if usage else None,
            cached_tokens=read,
            reasoning_tokens=usage.reasoning_tokens if usage else None,
            refusal=refusal or (details.explanation if refused and details else None),
        ),
        not_sent=not_sent,
        tokens=_tokens(choice),
    )


def _said(choice: ChatCompletionChoice) -> tuple[str, str | None]:
    """Text and refusal; parts that a provider marked as a refusal are not the reply's text."""
    content = choice.message.content
    if isinstance(content, str):
        return content, None
    text = "".join(part.text for part in content if part.type == "text" and not part.refusal)
    refusal = "".join(part.text for part in content if part.type == "text" and part.refusal)
    return text, refusal or None


def _tokens(choice: ChatCompletionChoice) -> tuple[Token, ...] | None:
    if choice.logprobs is None:
        return None
    return tuple(
        Token(t.token, t.logprob, tuple((o.token, o.logprob) for o in t.top_logprobs or ()))
        for t in choice.logprobs.content
    )


def _failure(error: Exception, sent: bytes) -> CallFailed:
    """Sort an exception that came through Inspect: by the HTTP status it or its cause carries, else by type."""
    chain = list(_chain(error))
    deepest = chain[-1]
    message = clean(
        getattr(error, "provider_message", None) or _MARKUP.sub("", str(deepest)) or type(deepest).__name__
    )
    for cause in chain:
        status = next((s for a in ("status_code", "code") if _is_status(s := getattr(cause, a, None))), None)
        if status is not None:
            # The SDKs keep the decoded body, where a code may say more than the status.
            bodies = [getattr(c, "body", None) or getattr(c, "details", None) for c in chain]
            body = next((read_error(b) for b in bodies if isinstance(b, dict)), ErrorBody(message=message))
            responses: list[Any] = [getattr(c, "response", None) for c in chain]
            headers: Mapping[str, str] = next((r.headers for r in responses if hasattr(r, "headers")), {})
            kind = classify(status, body)
            return CallFailed(kind, message, http_status=status, retry_after=retry_after(headers), sent=sent)
    return CallFailed(_kind_by_type(chain), f"{type(deepest).__name__}: {message}", sent=sent)


def _is_status(value: object) -> bool:
    return isinstance(value, int) and 400 <= value < 600


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An exception and its stated causes, outermost first."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        # A task group of Inspect's wraps what one of its tasks raised.
        current = current.exceptions[0] if isinstance(current, BaseExceptionGroup) else current.__cause__


def _kind_by_type(chain: list[BaseException]) -> FailureKind:
    """By the names of the classes too: the SDKs' exceptions are their own, and not all SDKs are installed."""
    names = {base.__name__ for error in chain for base in type(error).__mro__}
    if any("Timeout" in name for name in names):
        return "timeout"
    if names & {"ConnectionError", "APIConnectionError", "TransportError", "ClientConnectionError", "gaierror"}:
        return "connection"
    if "PrerequisiteError" in names:  # a key, or a provider's package, is missing
        return "auth"
    if "ValidationError" in names:  # a setting that Inspect's own types refuse
        return "bad_request"
    return "crashed"
