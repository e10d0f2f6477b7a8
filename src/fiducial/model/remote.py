"""Models behind HTTP: the table of providers, and the one class that reaches them all."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from fiducial.errors import UsageError
from fiducial.model.balance import home_of
from fiducial.model.base import ModelBase
from fiducial.model.fleet import Fleet, listed_servers
from fiducial.model.http import Answer, Rejected, is_loopback
from fiducial.model.negotiate import Negotiated
from fiducial.model.reply import CallFailed, Reply, configured_keys, redact, redact_failure, secret_keys
from fiducial.model.request import Request, WireRequest
from fiducial.model.wire import Terms, Wire
from fiducial.model.wire.anthropic import ANTHROPIC
from fiducial.model.wire.google import GOOGLE
from fiducial.model.wire.openai import OPENAI

NO_GRAMMAR = frozenset({"grammar"})  # a field of llama.cpp and its kin, which these APIs do not document


class Provider(Struct, frozen=True, kw_only=True):
    """A provider, as `fiducial models` shows it. In `openai-api`, SERVICE stands for a name of your own."""

    name: str
    description: str
    wire: Wire
    keys: tuple[str, ...]
    """Variables that may hold the key; the first that is set is used."""
    key_required: bool = True
    url: str
    """Variable that holds the base URL, or several with commas or blanks between them."""
    base_url: str | None
    """Used where that variable is not set; None means that it has to be."""
    alias: str | None = None
    start: Terms = Terms()

    @property
    def required(self) -> tuple[str, ...]:
        """The variables that have to be set, the alternatives joined by " or "."""
        key = (" or ".join(self.keys),) if self.key_required else ()
        return key if self.base_url else (*key, self.url)

    def missing(self, env: Mapping[str, str]) -> tuple[str, ...]:
        """The required variables that are not set."""
        return tuple(r for r in self.required if not any(env.get(n, "").strip() for n in r.split(" or ")))

    def for_service(self, service: str) -> Provider:
        """The entry with the variables of one service in place of SERVICE."""
        prefix = service.upper().replace("-", "_")
        keys = tuple(k.replace("SERVICE", prefix, 1) for k in self.keys)
        return replace(self, keys=keys, url=self.url.replace("SERVICE", prefix, 1))


PROVIDERS: tuple[Provider, ...] = (
    Provider(
        name="openai",
        description="OpenAI chat completions",
        wire=OPENAI,
        keys=("OPENAI_API_KEY",),
        url="OPENAI_BASE_URL",
        base_url="https://api.openai.com/v1",
        start=Terms(omit=NO_GRAMMAR, rename={"max_tokens": "max_completion_tokens"}),
    ),
    Provider(
        name="anthropic",
        description="Anthropic messages",
        wire=ANTHROPIC,
        keys=("ANTHROPIC_API_KEY",),
        url="ANTHROPIC_BASE_URL",
        base_url="https://api.anthropic.com",
    ),
    Provider(
        name="google",
        description="Google Gemini generateContent",
        wire=GOOGLE,
        keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        url="GOOGLE_BASE_URL",
        base_url="https://generativelanguage.googleapis.com",
    ),
    Provider(
        name="xai",
        alias="grok",
        description="xAI, in the format of OpenAI",
        wire=OPENAI,
        keys=("XAI_API_KEY",),
        url="XAI_BASE_URL",
        base_url="https://api.x.ai/v1",
        start=Terms(omit=NO_GRAMMAR),
    ),
    Provider(
        name="openai-api",
        description="any server that speaks OpenAI's format: openai-api/SERVICE/MODEL",
        wire=OPENAI,
        keys=("SERVICE_API_KEY",),
        key_required=False,
        url="SERVICE_BASE_URL",
        base_url=None,
    ),
)


class RemoteModel(ModelBase):
    """A model behind HTTP. `base_url` may list several servers, which then share the calls.

    `extra` are constant fields of every body, beneath those of the request. `slots` is the size of the
    connection pool, so that no call's timeout is spent on waiting for a connection. `secrets` are further keys
    that must not be stored or shown; the model's own is always among them.
    """

    def __init__(
        self,
        *,
        name: str,
        model: str,
        wire: Wire,
        base_url: str,
        key: str = "",
        secrets: Sequence[str] = (),
        start: Terms | None = None,
        extra: Mapping[str, Any] | None = None,
        connections: int = 64,
        timeout: float = 120.0,
    ) -> None:
        self.name = name
        self._secrets = secret_keys([key, *secrets])
        servers = listed_servers(base_url, f"the base URL of {name}", self._secrets)
        self.base_url = " ".join(sorted(servers))
        self.account = hashlib.sha256(f"{self.base_url}\0{key}".encode()).hexdigest()
        self.remote = not all(map(is_loopback, servers))
        self.slots = connections
        self._model = model
        self._wire = wire
        self._extra = dict(extra or {})
        self._negotiated = Negotiated(wire, start or Terms())
        self._fleet = Fleet(
            servers,
            wire.path(model),
            wire.headers(key),
            secrets=self._secrets,
            connections=connections,
            timeout=timeout,
        )
        self._json = msgspec.json.Encoder()

    def __repr__(self) -> str:
        return f"RemoteModel({self.name!r}, {self.base_url!r})"

    def encode(self, request: Request) -> bytes:
        """The body on the terms that hold now."""
        return self._body(request.wire(), self._negotiated.terms)

    def _body(self, request: WireRequest, terms: Terms) -> bytes:
        body = self._wire.encode(request, self._model, terms)
        try:
            return self._json.encode({**self._extra, **body} if self._extra else body)
        except UnicodeEncodeError:
            raise CallFailed(
                "bad_request", "a message has half a surrogate pair in it, which no JSON can carry"
            ) from None

    async def call(self, request: Request) -> Reply:
        """One attempt, and the re-sends that negotiation asks for. No key comes out of it."""
        try:
            return redact(await self._negotiate(request), self._secrets)
        except CallFailed as failure:
            redact_failure(failure, self._secrets)
            raise

    async def _negotiate(self, request: Request) -> Reply:
        asked = request.wire()
        home = home_of(request) if self._fleet.several else None
        for calls in itertools.count(1):
            terms = self._negotiated.terms
            body = self._body(asked, terms)
            try:
                reply, server = await self._fleet.post(body, self._read, home)
            except CallFailed as failure:
                if isinstance(failure, Rejected) and self._negotiated.settle(terms, asked.settings, failure.error):
                    continue
                failure.sent, failure.calls = body, calls
                raise
            if self._fleet.several:
                reply = replace(reply, reported=replace(reply.reported, server=server))
            return replace(reply, sent=body, not_sent=self._wire.unsent(asked.settings, terms), calls=calls)
        raise AssertionError("unreachable")

    def _read(self, answer: Answer) -> Reply:
        return self._wire.decode(answer.data, answer.headers)

    def learned(self) -> dict[str, str]:
        """See `Negotiated.learned`."""
        return self._negotiated.learned()

    def recall(self, learned: dict[str, str]) -> None:
        """See `Negotiated.recall`."""
        self._negotiated.recall(learned)

    def facts(self) -> dict[str, str]:
        """Address and format, and the constant fields of the bodies where there are any."""
        facts = {"base_url": self.base_url, "wire": self._wire.name}
        if self._extra:
            facts["extra"] = self._json.encode(self._extra).decode()
        return facts

    async def __aenter__(self) -> Self:
        await self._fleet.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._fleet.__aexit__(kind, error, trace)


def open_remote(
    provider: str, model: str, env: Mapping[str, str], *, connections: int = 64, timeout: float = 120.0
) -> RemoteModel:
    """The model that `provider/model` names, with key and address from `env`.

    For `openai-api` the model is "SERVICE/M". Raises UsageError that names the variable to set.
    """
    name = f"{provider}/{model}"
    entry = next((p for p in PROVIDERS if provider in (p.name, p.alias)), None)
    if entry is None:
        raise UsageError(f"{name}: there is no provider {provider!r}")
    if entry.name == "openai-api":
        service, _, model = model.partition("/")
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", service) or not model:
            raise UsageError(f"{name}: write openai-api/SERVICE/MODEL, as in openai-api/my-vllm/llama-3")
        entry = entry.for_service(service)
    if not model:
        raise UsageError(f"{name}: the name of the model is missing after {provider}/")
    missing = entry.missing(env)
    if missing:
        raise UsageError(f"{name} needs the variable {' and '.join(missing)} to be set")
    variable, key = next(((v, env[v].strip()) for v in entry.keys if env.get(v, "").strip()), ("", ""))
    if not (key.isascii() and key.isprintable()):
        raise UsageError(f"{variable} is no key: it has characters in it that no HTTP header can carry")
    given = env.get(entry.url, "").strip()
    secrets = configured_keys(env)
    return RemoteModel(
        name=name,
        model=model,
        wire=entry.wire,
        base_url=" ".join(listed_servers(given, entry.url, secrets)) if given else entry.base_url or "",
        key=key,
        secrets=secrets,
        start=entry.start,
        connections=connections,
        timeout=timeout,
    )


def openai_compatible(
    name: str,
    base_url: str,
    model: str,
    *,
    extra: Mapping[str, Any],
    timeout: float,
    connections: int = 64,
) -> RemoteModel:
    """A keyless server that speaks OpenAI's format, as a local model's is; `extra` goes into every body."""
    return RemoteModel(
        name=name,
        model=model,
        wire=OPENAI,
        base_url=base_url,
        extra=extra,
        connections=connections,
        timeout=timeout,
    )
