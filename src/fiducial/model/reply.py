"""What came back: a `Reply`, or a `CallFailed` that says whether trying again can help.

Servers and foreign code may put anything into either. `redact` takes configured keys out where a model's call ends;
`storable` makes a reply fit for the run file where it enters the collector; `clean` makes an error message fit to show.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import astuple, replace

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

MAX_TEXT = 16 * 2**20  # characters of a reply's text that are kept
FIELD_LENGTH = 200  # characters of an id, a name or a finish reason
MESSAGE_LENGTH = 500  # characters of an error message
MAX_ERROR = 64 * 2**10  # how much of an error is looked at
MAX_COUNT = 10**9  # tokens: no single call uses more, so a larger number is a mistake or worse

_PLACEHOLDERS = frozenset(
    {"sk-no-key-required", "no-key-required", "not-needed", "lm-studio", "placeholder", "dummy-key", "token-abc123"}
)
_KEY_LIKE = re.compile(
    r"\b(?:sk|xai|gsk|pk|rk)[-_][\w*.-]{6,}|\bAIza[\w*-]{6,}|\bBearer\s+[^\s\"',;]+|(?<=://)[^/\s@]+@",
    re.IGNORECASE,
)


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
    calls: int = 1  # requests that were sent for it: more than one where a rejected setting was left out


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
        self.calls = 1
        """Requests that were sent, as in `Reply`."""
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


def storable(reply: Reply) -> Reply:
    """The reply with everything in it fit for the run file. Raises TypeError where it is no reply at all.

    Texts become valid Unicode and are cut to a length, and reported ones lose NUL characters. What a provider reported and
    cannot be right (a name that is a list, -1 tokens, a probability that is not a number) becomes None: not known.
    """
    if not isinstance(reply, Reply) or not isinstance(reply.text, str) or not isinstance(reply.reported, Reported):
        raise TypeError(f"the model returned {type(reply).__name__}, which is not a Reply with a text")
    reported, tokens = reply.reported, reply.tokens
    wrong: dict[str, Any] = {}
    for (name, most), value in zip(_LENGTHS, astuple(reported), strict=True):
        if value is None:
            continue
        fit = fit_text(value, most) if most else believable(value)
        if fit is not value:
            wrong[name] = fit
    if wrong:
        reported = replace(reported, **wrong)
    if tokens is not None and not all(map(_storable_token, tokens)):
        sound = all(math.isfinite(p) for t in tokens for p in (t.logprob, *(p for _, p in t.top)))
        tokens = tuple(map(_mended_token, tokens)) if sound else None
    text = fit_text(reply.text, MAX_TEXT, raw=True)
    if text is reply.text and reported is reply.reported and tokens is reply.tokens:
        return reply
    return replace(reply, text=text, reported=reported, tokens=tokens)


def storable_failure(failure: CallFailed) -> CallFailed:
    """The same for a failure, which foreign code may have raised. It is changed in place."""
    status, wait = failure.http_status, failure.retry_after
    failure.kind = failure.kind if failure.kind in KINDS else "crashed"
    failure.message = fit_text(str(failure.message), 4 * MESSAGE_LENGTH) or ""
    failure.http_status = status if type(status) is int and 100 <= status < 1000 else None
    failure.retry_after = wait if isinstance(wait, int | float) and 0 <= wait < math.inf else None
    failure.sent = failure.sent if isinstance(failure.sent, bytes) else b""
    return failure


_LENGTHS = tuple(
    (name, {"refusal": 10_000, "server": 2_000}.get(name, 0 if name.endswith("_tokens") else FIELD_LENGTH))
    for name in Reported.__struct_fields__
)
"""How long each reported field may be; 0 for a number of tokens."""


def fit_text(text: object, most: int, *, raw: bool = False) -> str | None:
    """At most so many characters of a text in valid Unicode, without NUL unless `raw`; None for other types."""
    if not isinstance(text, str):
        return None
    if len(text) > most:
        text = text[:most]
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:  # half of a surrogate pair
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\0", "\ufffd") if "\0" in text and not raw else text


def believable(count: object) -> int | None:
    """A number of tokens as reported, or None where it cannot be one."""
    return count if type(count) is int and 0 <= count <= MAX_COUNT else None


def _storable_token(token: Token) -> bool:
    return all(
        fit_text(text, FIELD_LENGTH) is text and math.isfinite(logprob)
        for text, logprob in ((token.text, token.logprob), *token.top)
    )


def _mended_token(token: Token) -> Token:
    top = tuple((fit_text(text, FIELD_LENGTH) or "", logprob) for text, logprob in token.top)
    return Token(fit_text(token.text, FIELD_LENGTH) or "", token.logprob, top)


def secret_keys(values: Iterable[str]) -> tuple[str, ...]:
    """Those of the configured keys that are secret, the longest first.

    A server that wants any key at all is given `EMPTY`, `ollama` or the like. Such words occur in honest text, so
    neither they nor anything under 8 characters is taken out of it.
    """
    found = {value.strip() for value in values}
    return tuple(
        sorted((v for v in found if len(v) >= 8 and v.lower() not in _PLACEHOLDERS), key=len, reverse=True)
    )


def configured_keys(env: Mapping[str, str]) -> tuple[str, ...]:
    """The secret keys in variables named `…_API_KEY`."""
    return secret_keys(value for name, value in env.items() if name.endswith("_API_KEY"))


def redact_text(text: str, secrets: Sequence[str]) -> str:
    """The text with `[key]` in place of every secret."""
    for secret in secrets:
        if secret in text:
            text = text.replace(secret, "[key]")
    return text


def redact_body(body: bytes, secrets: Sequence[str]) -> bytes:
    """The same for a request body, in which JSON may have escaped a character of the key."""
    for secret in secrets:
        for spelled in _spellings(secret):
            if spelled in body:
                body = body.replace(spelled, b"[key]")
    return body


@cache
def _spellings(secret: str) -> frozenset[bytes]:
    return frozenset((secret.encode(), msgspec.json.encode(secret)[1:-1]))


def redact(reply: Reply, secrets: Sequence[str]) -> Reply:
    """The reply with `[key]` in place of every secret: in its text, in what was reported and in what was sent."""
    reported, tokens = reply.reported, reply.tokens or ()
    said = [value for value in astuple(reported) if type(value) is str]
    spelled = ["".join([t.text for t in tokens]), *(text for t in tokens for text, _ in t.top)] if tokens else []
    everything = "\n".join([reply.text, *said, *spelled])
    sent = redact_body(reply.sent, secrets)
    if sent is reply.sent and not any(secret in everything for secret in secrets):
        return reply
    fields = zip(reported.__struct_fields__, astuple(reported), strict=True)
    return replace(
        reply,
        text=redact_text(reply.text, secrets),
        sent=sent,
        reported=replace(reported, **{n: redact_text(v, secrets) for n, v in fields if type(v) is str}),
        tokens=None if any(secret in text for secret in secrets for text in spelled) else reply.tokens,
    )


def redact_failure(failure: CallFailed, secrets: Sequence[str]) -> None:
    """Take secrets out of a failure, and whatever else makes its message unfit to show."""
    failure.message = clean(failure.message, secrets)
    failure.args = (failure.message,)
    failure.sent = redact_body(failure.sent, secrets)


def clean(text: str, secrets: Sequence[str] = ()) -> str:
    """A server's words, fit to be shown: one line of printable text, no keys, at most 500 characters."""
    text = text[:MAX_ERROR]
    for _ in range(2):  # again afterwards, for a key that control characters had split
        text = redact_text(text, secrets)[: 10 * MESSAGE_LENGTH]
        text = "".join(c if c == " " or unicodedata.category(c)[0] not in "CZ" else " " * c.isspace() for c in text)
    return _KEY_LIKE.sub("[key]", text).strip()[:MESSAGE_LENGTH]
