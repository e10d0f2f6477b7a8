"""Who may ask, and what an answer may do: the wall around the workbench.

The server listens on this machine alone. That does not keep out the other pages of the same browser, or a name that
somebody points at 127.0.0.1, so every request has to come to one of our own names (`Host`), with the secret that was
printed when the server started (a cookie that other sites cannot send), and a request that writes has to come from a page
of ours (`Origin`, `Sec-Fetch-Site`) that was given the second secret. Bodies are read here, up to a limit, so that no
handler can forget a check.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from msgspec import Struct
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST = 1_000_000  # bytes of a form
FIELDS = 200
SAFE = frozenset({"GET", "HEAD"})
KEY = "Open the address that `fiducial serve` printed: it holds the key to this workbench."
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'nonce-{nonce}'",
        "style-src-attr 'unsafe-inline'",  # places and sizes in charts; every text that goes into a page is escaped
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)


class Secrets(Struct, frozen=True):
    """What a request has to know. Both are new whenever the server starts."""

    token: str
    port: int

    @classmethod
    def new(cls, port: int) -> Secrets:
        """Fresh ones."""
        return cls(secrets.token_urlsafe(32), port)

    @property
    def csrf(self) -> str:
        """The second secret, which stands in our pages: nobody can compute one from the other without the token."""
        return hmac.new(self.token.encode(), b"csrf", hashlib.sha256).hexdigest()

    @property
    def cookie(self) -> str:
        """Cookies do not know ports, so their name does."""
        return f"fiducial-{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        """The names that we answer to."""
        return frozenset(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]"))


class Guard:
    """The middleware around the whole application."""

    def __init__(self, app: ASGIApp, *, own: Secrets) -> None:
        self._app = app
        self._own = own

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer for the application where it may not be asked."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            raise RuntimeError(f"a connection of the type {scope['type']} is not served")
        headers = Headers(scope=scope)
        nonce = secrets.token_urlsafe(16)
        scope.setdefault("state", {}).update({"nonce": nonce, "csrf": self._own.csrf, "form": {}})
        send = _dressed(send, nonce)
        refused = self._refusal(scope, headers)
        if refused is None and scope["method"] not in SAFE:
            body = await _body(receive, headers)
            refused = body if isinstance(body, Response) else self._forged(scope, headers, body)
        if refused is not None:
            await refused(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        if scope["method"] not in {*SAFE, "POST"}:
            return PlainTextResponse("There is no such method here.", 405)
        if headers.get("host", "").lower() not in self._own.hosts:
            return PlainTextResponse("This workbench answers to 127.0.0.1 and localhost alone.", 421)
        if _same(_cookie(headers, self._own.cookie), self._own.token):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), max_num_fields=FIELDS)
        given = dict(query).get("token", "")
        if scope["method"] in SAFE and _same(given, self._own.token):
            rest = urlencode([(name, value) for name, value in query if name != "token"])
            path = "/" + scope["path"].lstrip("/")  # two slashes would be another host
            answer = RedirectResponse(f"{path}?{rest}" if rest else path, 303)
            answer.set_cookie(self._own.cookie, self._own.token, httponly=True, samesite="strict", path="/")
            return answer
        return PlainTextResponse(KEY, 403)

    def _forged(self, scope: Scope, headers: Headers, body: bytes) -> Response | None:
        """A request that writes: refused unless it comes from a page of ours."""
        elsewhere = PlainTextResponse("This did not come from a page of the workbench.", 403)
        if headers.get("origin", "").lower() not in {f"http://{host}" for host in self._own.hosts}:
            return elsewhere
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return elsewhere
        try:
            pairs = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=FIELDS, errors="strict")
        except (UnicodeDecodeError, ValueError):
            return PlainTextResponse("This is no form.", 400)
        form = dict(pairs)
        given = headers.get("x-fiducial-csrf") or form.pop("csrf", "")
        if not _same(given, self._own.csrf):
            return elsewhere
        scope["state"]["form"] = form
        return None


async def _body(receive: Receive, headers: Headers) -> bytes | Response:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("application/x-www-form-urlencoded", ""):
        return PlainTextResponse("A form is expected.", 415)
    found = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return PlainTextResponse("The request ended early.", 400)
        found += message.get("body", b"")
        if len(found) > LARGEST:
            return PlainTextResponse("This is too long.", 413)
        if not message.get("more_body", False):
            return bytes(found)


def _cookie(headers: Headers, name: str) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return ""
    return found[name].value if name in found else ""


def _same(a: str, b: str) -> bool:
    return hmac.compare_digest(a.encode("utf-8", "surrogatepass"), b.encode())


def _dressed(send: Send, nonce: str) -> Send:
    """Every answer carries the policy, those that refuse too."""

    async def dressed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["content-security-policy"] = POLICY.format(nonce=nonce)
            headers["x-content-type-options"] = "nosniff"
            headers["x-frame-options"] = "DENY"
            # With `no-referrer`, browsers send a form of ours with the origin `null`, as they do for one from anywhere.
            headers["referrer-policy"] = "same-origin"
            headers["cross-origin-opener-policy"] = "same-origin"
            headers["cross-origin-resource-policy"] = "same-origin"
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return dressed
