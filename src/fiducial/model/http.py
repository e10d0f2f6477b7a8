"""One pooled HTTP client a model: posts JSON, reads JSON, and turns every bad day into a `CallFailed`.

What a server says in an error is its own text: it is cut, stripped of control characters, and anything
that is or looks like a key is taken out before it reaches an exception. Exceptions are raised outside
the handlers that caught aiohttp's, because aiohttp's carry the request's headers, and so the key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from io import BytesIO
from ipaddress import ip_address
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import msgspec
from yarl import URL

from fiducial import __version__
from fiducial.errors import UsageError
from fiducial.model.reply import MAX_ERROR, CallFailed, FailureKind, clean
from fiducial.model.wire import ErrorBody, read_error

MAX_REPLY = 16 * 2**20
MAX_PARTS = 1_000_000  # brackets in a large body: decoding as many objects takes about a second
_KEY_IN_URL = re.compile(
    r"/(?:(?:sk|xai|gsk|pk|rk|hf|r8|ghp|nvapi|pplx)[-_](?=[\w.-]*\d)[\w.-]{12,}|AIza[\w-]{20,})(?:/|$)"
)
_TOO_LONG_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"})
_TOO_LONG = re.compile(
    r"prompt is too long|maximum context length|context[ _]length|context (?:limit|window|size)"
    r"|token count.{0,80}exceeds|exceeds the maximum number of tokens",
    re.IGNORECASE,
)
_QUOTA_CODES = frozenset(
    {"insufficient_quota", "billing_error", "billing_hard_limit_reached", "billing_not_active"}
)
_QUOTA = re.compile(r"credit balance|(?:no|any|insufficient|out of) credits|spending limit", re.IGNORECASE)
_AUTH_CODES = frozenset({"api_key_invalid", "invalid_api_key", "authentication_error"})
_AUTH = re.compile(r"api key (?:not valid|expired)|(?:incorrect|invalid) api key", re.IGNORECASE)
_UNKNOWN_CODES = frozenset({"model_not_found", "model_not_found_error"})
_UNKNOWN = re.compile(r"model not found|model\b.{0,200}\bdoes not exist", re.IGNORECASE)
_ANSWERS = ("choices", "content", "candidates")  # what a body has that is a reply and no error


class Answer(NamedTuple):
    """A response that was JSON and no error."""

    data: Any
    headers: Mapping[str, str]


class Rejected(CallFailed):
    """A request that the API read and turned down. `error` says which field it complained of."""

    def __init__(self, message: str, error: ErrorBody, *, http_status: int, sent: bytes) -> None:
        super().__init__("bad_request", message, http_status=http_status, sent=sent)
        self.error = error


class Http:
    """Posts bodies to one URL. Entered once; the pool holds at most `connections` connections."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        *,
        secrets: Sequence[str] = (),
        connections: int = 64,
        timeout: float = 120.0,
    ) -> None:
        self._url = URL(url, encoded=True)
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": f"fiducial/{__version__}",
            **headers,
        }
        self._secrets = tuple(secrets)
        self._connections = connections
        self._timeout = timeout
        self._proxy = _proxy(self._url)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self._connections),
            headers=self._headers,
            timeout=aiohttp.ClientTimeout(total=self._timeout),
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def post(self, body: bytes) -> Answer:
        """Post `body` once. Raises CallFailed, and `Rejected` where the API named a fault in the request."""
        if self._session is None:
            raise RuntimeError("the model is used outside of its `async with` block")
        data = body if len(body) < 2**20 else BytesIO(body)  # aiohttp warns of large bodies given as bytes
        kind: FailureKind
        try:
            async with self._session.post(
                self._url, data=data, allow_redirects=False, proxy=self._proxy
            ) as response:
                status, headers = response.status, response.headers
                raw = await _read(response, body)
        except TimeoutError:
            kind, message = "timeout", f"no complete reply within {self._timeout:g} s"
        except (aiohttp.ClientError, OSError) as error:
            kind, message = "connection", f"{type(error).__name__}: {error}"
        else:
            return self._answer(status, headers, raw, body)
        raise CallFailed(kind, clean(message, self._secrets), sent=body)

    def _answer(self, status: int, headers: Mapping[str, str], raw: bytes, body: bytes) -> Answer:
        if 300 <= status < 400:
            # A key must not travel to a host that nobody chose.
            target = clean(headers.get("Location", ""), self._secrets).split("?")[0]
            raise CallFailed(
                "connection",
                f"the server redirects (HTTP {status}) to {target or 'nowhere'}; redirects are not followed: "
                "set the base URL to the final address",
                http_status=status,
                sent=body,
            )
        try:
            data = _decode(raw)
        except (ValueError, RecursionError):
            data = None
            if status < 300:
                raise CallFailed(
                    "malformed", f"{_looks(raw)} instead of JSON", http_status=status, sent=body
                ) from None
        # Some gateways say 200 and put the error in the body.
        hidden = isinstance(data, dict) and data.get("error") and not any(key in data for key in _ANSWERS)
        if status < 300 and not hidden:
            return Answer(data, headers)
        raise self._failure(status, headers, read_error(data), raw, body)

    def _failure(
        self, status: int, headers: Mapping[str, str], error: ErrorBody, raw: bytes, body: bytes
    ) -> CallFailed:
        written = error.status if status < 300 else status
        kind: FailureKind = classify(written, error)
        message = clean(error.message, self._secrets)
        if not message:
            message = f"{_phrase(status)}, with {_looks(raw)}"
        if kind == "bad_request" and written in (400, 422):
            error = msgspec.structs.replace(error, message=message)
            return Rejected(message, error, http_status=status, sent=body)
        delay = retry_after(headers)
        return CallFailed(
            kind,
            message,
            http_status=status,
            retry_after=error.retry_delay if delay is None else delay,
            sent=body,
        )


async def _read(response: aiohttp.ClientResponse, body: bytes) -> bytes:
    """The body. Of an error only the beginning is read: nothing that a person should see comes after it."""
    error = response.status >= 300
    chunks, size = [], 0
    async for chunk in response.content.iter_any():
        chunks.append(chunk)
        size += len(chunk)
        if error and size >= MAX_ERROR:
            break
        if size > MAX_REPLY:
            too_large = f"the reply is larger than {MAX_REPLY // 2**20} MB"
            raise CallFailed("malformed", too_large, http_status=response.status, sent=body)
    raw = chunks[0] if len(chunks) == 1 else b"".join(chunks)
    if error:
        return raw[:MAX_ERROR]
    if size > 2**20 and raw.count(b"[") + raw.count(b"{") > MAX_PARTS:
        raise CallFailed(
            "malformed", "the reply has more than a million parts", http_status=response.status, sent=body
        )
    return raw


def _decode(raw: bytes) -> Any:
    """The JSON in a body. Raises ValueError or RecursionError.

    What only Python's own decoder takes (half a surrogate pair in a token, NaN for a probability) is read by it: a
    reply that was paid for is worth a second try.
    """
    try:
        return msgspec.json.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return json.loads(raw.decode("utf-8", "replace"))


def _phrase(status: int) -> str:
    try:
        return f"HTTP {status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"HTTP {status}"


def _looks(raw: bytes) -> str:
    """What a body is that is not JSON, without quoting it."""
    start = raw[:200].lstrip()
    if not start:
        return "an empty body"
    if start.startswith(b"<"):
        return "an HTML page"
    return "a cut-off or broken body" if start[:1] in b'{["' else "a body"


def classify(status: int | None, error: ErrorBody) -> FailureKind:
    """The kind of failure: by the error's codes, then by the status, then by the words.

    Words decide only where a status leaves the matter open. In particular a 429 that speaks of quota
    and billing is a rate limit unless a code says otherwise: Google words its limits a minute so.
    """
    for codes, kind in _BY_CODE:
        if error.codes & codes:
            return kind
    if status is None:
        return "malformed"
    if status in (400, 403, 413, 422, 500):
        for pattern, kind in _BY_WORDS:
            if pattern.search(error.message):
                return kind
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return "overloaded" if status >= 500 else "bad_request"


_BY_CODE: tuple[tuple[frozenset[str], FailureKind], ...] = (
    (_TOO_LONG_CODES, "too_long"),
    (_QUOTA_CODES, "quota"),
    (_AUTH_CODES, "auth"),
    (_UNKNOWN_CODES, "unknown_model"),
)
_BY_WORDS: tuple[tuple[re.Pattern[str], FailureKind], ...] = (
    (_TOO_LONG, "too_long"),
    (_QUOTA, "quota"),
    (_AUTH, "auth"),
    (_UNKNOWN, "unknown_model"),
)
_BY_STATUS: dict[int, FailureKind] = {
    401: "auth",
    402: "quota",
    403: "auth",
    404: "unknown_model",
    408: "overloaded",
    409: "overloaded",
    425: "overloaded",
    429: "rate_limited",
}


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, as the server asks: `retry-after-ms`, or `Retry-After` in seconds or as a date."""
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / scale
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def check_base_url(url: str, source: str, secrets: Sequence[str] = ()) -> str:
    """The URL without a trailing slash, or a UsageError that names `source`, the variable it came from.

    The address is stored and shown, so it must not hold a secret; for the same reason no message quotes it.
    """
    url = url.strip()
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise UsageError(f"{source} is not an http or https address; write it as https://HOST/PATH")
    if parts.username is not None or parts.password is not None:
        raise UsageError(f"{source} has a user name or password in it; keys go in a variable of their own")
    if parts.query or parts.fragment:
        raise UsageError(f"{source} has a query or a fragment in it; give the address alone")
    plain = unquote(url)
    if _KEY_IN_URL.search(plain) or any(secret in plain for secret in secrets):
        raise UsageError(f"{source} has what looks like a key in it; keys go in a variable of their own")
    return url.rstrip("/")


def is_loopback(url: str) -> bool:
    """Whether calls to this URL stay on this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _proxy(url: URL) -> str | None:
    """The proxy of the environment or the system, looked up once: aiohttp would do it for every call."""
    if is_loopback(str(url)) or proxy_bypass(url.host or ""):
        return None
    proxy = getproxies().get(url.scheme)
    if not proxy:
        return None
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    if not proxy.startswith(("http://", "https://")):
        raise UsageError(f"{url.scheme}_proxy is not an http proxy, the only kind that works here")
    return proxy
