"""What came back: a `Reply`, or a `CallFailed` that says whether trying again can help."""

from __future__ import annotations

from typing import Literal, get_args

from msgspec import Struct

Status = Literal["ok", "truncated", "empty", "refused", "filtered"]
"""`truncated`: the token limit cut the text. `empty`: a reply without text. `refused`: the provider
itself marked a refusal. `filtered`: a content filter of the provider withheld the text."""

FailureKind = Literal[
    "rate_limited",  # 429
    "overloaded",  # 408, 409, 425, 5xx
    "timeout",
    "connection",  # refused, reset, closed early
    "malformed",  # a reply that is not what the API promises (HTML, cut-off JSON)
    "bad_request",  # 400 and its kin: this request will never work
    "too_long",  # more tokens than the model takes
    "auth",  # key missing, wrong, revoked
    "unknown_model",
    "quota",  # no money left
    "crashed",  # the model's own code raised
]

RETRYABLE: frozenset[str] = frozenset({"rate_limited", "overloaded", "timeout", "connection", "malformed"})
FATAL: frozenset[str] = frozenset({"auth", "unknown_model", "quota"})
KINDS: tuple[str, ...] = get_args(FailureKind)


class Token(Struct, frozen=True, omit_defaults=True):
    """A token of the reply with its log probability, and the alternatives that were asked for."""

    text: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


class Reported(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the provider said of its own reply. None where it said nothing."""

    model: str | None = None
    id: str | None = None
    request_id: str | None = None
    finish_reason: str | None = None
    input_tokens: int | None = None  # all input tokens, the cached ones among them
    output_tokens: int | None = None  # all output tokens, the reasoning ones among them
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    fingerprint: str | None = None
    refusal: str | None = None
    server: str | None = None  # which of several answered, as far as we know: the one that it was sent to


class Reply(Struct, frozen=True, kw_only=True):
    """One reply, raw. `text` is exactly what the model wrote, never a stand-in for its absence."""

    text: str
    status: Status = "ok"
    sent: bytes = b""  # the exact request body
    reported: Reported = Reported()
    not_sent: tuple[str, ...] = ()  # settings that were asked for and that the API would not take
    tokens: tuple[Token, ...] | None = None


class CallFailed(Exception):
    """A call that gave no reply. `retry_after` is in seconds, where the server named it."""

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        http_status: int | None = None,
        retry_after: float | None = None,
        sent: bytes = b"",
    ) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind
        self.message = message
        self.http_status = http_status
        self.retry_after = retry_after
        self.sent = sent
        self.elsewhere = False
        """Whether another server or node can take the call at once: no reason to wait, or to slow down."""

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later."""
        return self.kind in RETRYABLE

    @property
    def fatal(self) -> bool:
        """Whether every other call of this model would fail the same way."""
        return self.kind in FATAL
