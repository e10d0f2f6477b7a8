"""Who may ask, and what an answer may do: the wall around the workbench.

The server listens on this machine alone. That does not keep out the other pages of the same browser, the other programs
of this machine that the browser visits, or a name that somebody points at 127.0.0.1. So:

- Every request has to come to a host name that nobody can guess (`Host`). Browsers send a cookie to every port of its
  host; this host is known to nobody else, so no other local server is sent ours.
- The address that is printed holds a launch token that works once. It is exchanged for a session cookie.
- A request that writes has to come from a page of ours (`Origin`, `Sec-Fetch-Site`) that was given the CSRF secret.

Bodies are read here, up to a limit, so that no handler can forget a check. This is the outermost layer: pages of errors
pass through it too.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
from collections.abc import Callable
from urllib.parse import parse_qsl, quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST = 1_000_000  # bytes of a form
FIELDS = 200
PATIENCE = 30.0  # seconds for a form to arrive
SAFE = frozenset({"GET", "HEAD"})
KEY = (
    "Open the newest address that `fiducial serve` printed in its terminal. Each address opens the workbench once."
)
OPENING = '<!doctype html><title>Fiducial</title><link rel="icon" href="data:,">Opening the workbench.'
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

log = logging.getLogger("fiducial.web")


class Secrets:
    """What a request has to know. All of it but `host` is new whenever the server starts.

    `announce` is told the address to open, and a fresh one each time an address has been used. `host` is a name that
    nobody else can guess; without one, it is drawn too.
    """

    def __init__(
        self, port: int, announce: Callable[[str], None] = lambda address: None, *, host: str | None = None
    ) -> None:
        self.host = f"{host or f'fiducial-{secrets.token_hex(8)}.localhost'}:{port}"
        self.cookie = f"fiducial-{port}"  # with `host`, several workbenches may share one
        self.session = secrets.token_urlsafe(32)
        self.csrf = secrets.token_urlsafe(32)
        self._announce = announce
        self.renew()

    def renew(self) -> None:
        """Make and announce a new launch token; the one before no longer works."""
        self._launch = secrets.token_urlsafe(32)
        self.address = f"http://{self.host}/?token={self._launch}"
        self._announce(self.address)

    def spend(self, token: str) -> bool:
        """Whether this is the launch token. It is replaced if it is."""
        if not _same(token, self._launch):
            return False
        self.renew()
        return True


class Guard:
    """The middleware around the whole application."""

    def __init__(self, app: ASGIApp, own: Secrets) -> None:
        self._app = app
        self._own = own

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer for the application where it may not be asked."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            raise RuntimeError(f"a connection of the type {scope['type']} is not served")
        nonce = secrets.token_urlsafe(16)
        scope.setdefault("state", {}).update({"nonce": nonce, "csrf": "", "form": {}})
        dressed = _Dressed(send, nonce)
        try:
            refused = await self._refusal(scope, receive)
            if refused is None:
                scope["state"]["csrf"] = self._own.csrf
                await self._app(scope, receive, dressed)
            else:
                await refused(scope, receive, dressed)
        except Exception:
            if dressed.begun:  # a page that says so, which the application has logged
                return
            log.exception("%s %r", scope["method"], scope["path"])
            await PlainTextResponse("Something broke. The terminal has the details.", 500)(scope, receive, dressed)

    async def _refusal(self, scope: Scope, receive: Receive) -> Response | None:
        headers = Headers(scope=scope)
        if scope["method"] not in {*SAFE, "POST"}:
            return PlainTextResponse("There is no such method here.", 405)
        if headers.get("host", "").lower() != self._own.host:
            return PlainTextResponse(KEY, 421)
        if scope["method"] == "GET" and (entered := self._entered(scope)) is not None:
            return entered
        if not _same(_cookie(headers, self._own.cookie), self._own.session):
            return PlainTextResponse(KEY, 403)
        return None if scope["method"] in SAFE else await self._forged(scope, headers, receive)

    def _entered(self, scope: Scope) -> Response | None:
        """Exchange a launch token for the session cookie."""
        try:
            query = parse_qsl(scope["query_string"].decode("latin-1"), max_num_fields=FIELDS)
        except ValueError:
            return PlainTextResponse("This address has too many fields.", 400)
        if not self._own.spend(dict(query).get("token", "")):
            return None
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        path = "/" + scope["path"].lstrip("/")  # two slashes would be another host
        # A redirect would count as part of the navigation that led here, and a browser that came from another page (a
        # terminal in the browser) would not send the new cookie along. What our own answer leads to is our own.
        place = quote(f"{path}?{rest}" if rest else path, safe="/%?=&+")
        answer = HTMLResponse(OPENING, headers={"refresh": f"0; url={place}"})
        answer.set_cookie(self._own.cookie, self._own.session, httponly=True, samesite="strict", path="/")
        return answer

    async def _forged(self, scope: Scope, headers: Headers, receive: Receive) -> Response | None:
        """A request that writes: refused unless it comes from a page of ours."""
        elsewhere = PlainTextResponse("This did not come from a page of the workbench.", 403)
        if headers.get("origin", "").lower() != f"http://{self._own.host}":
            return elsewhere
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return elsewhere
        try:
            async with asyncio.timeout(PATIENCE):
                body = await _body(receive, headers)
            if isinstance(body, Response):
                return body
            pairs = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=FIELDS, errors="strict")
        except TimeoutError:
            return PlainTextResponse("The form did not arrive in time.", 408, {"connection": "close"})
        except ValueError:
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
    pairs = (pair.strip().partition("=") for pair in headers.get("cookie", "").split(";"))
    return next((value for found, _, value in pairs if found == name), "")


def _same(a: str, b: str) -> bool:
    return hmac.compare_digest(a.encode("utf-8", "surrogatepass"), b.encode())


class _Dressed:
    """Sends an answer with the policy. `begun`: whether anything of it was sent."""

    def __init__(self, send: Send, nonce: str) -> None:
        self._send = send
        self._nonce = nonce
        self.begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            headers = MutableHeaders(scope=message)
            headers["content-security-policy"] = POLICY.format(nonce=self._nonce)
            headers["x-content-type-options"] = "nosniff"
            headers["x-frame-options"] = "DENY"
            # With `no-referrer`, browsers send a form of ours with the origin `null`, as they do for one from anywhere.
            headers["referrer-policy"] = "same-origin"
            headers["cross-origin-opener-policy"] = "same-origin"
            headers["cross-origin-resource-policy"] = "same-origin"
            headers.setdefault("cache-control", "no-store")
        await self._send(message)
