"""Servers that send anything at all: every trial still ends with a reply or with a reason, and no key is stored."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fiducial.model.remote import open_remote
from fiducial.run.budget import Budget
from fiducial.run.engine import collect
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from fiducial.run.store import Store, prepare
from tests.model.calls import KEY
from tests.model.servers import anthropic_reply, google_reply, openai_reply
from tests.run.support import Questions, plan_of

TRIALS, SEED = 100, 1
NEVER = b"\0wait"  # the rest never comes

VALUES: list[Any] = [
    None, True, -1, 0, 1.5, 10**18, 10**400, 1e308, float("nan"), float("-inf"), "", "12", "\ud800", "a\0b", "\x1b[31m",
    KEY, f"the key is {KEY}", "é" * 5_000, [], {}, [1], [[]], {"a": {}}, "stop", "error", "length", "SAFETY",
]  # fmt: skip

FIELDS = [
    b"x-request-id: \xff\xfe\x80",
    b"x-request-id: " + KEY.encode(),
    b"request-id: " + b"r" * 4_000,
    b"Retry-After: 1e300",
    b"Retry-After: Thu, 31 Dec 2099 23:59:59 GMT",
    b"Retry-After: Wed, 99999999999999999999 Oct 2015 07:28:00 GMT",
    b"retry-after-ms: -1",
    b"Content-Type: text/html; charset=\xff",
    b"Set-Cookie: a=b",
    b"Location: http://user:" + KEY.encode() + b"@[::1/\xff",
    b"no colon at all",
    b": no name",
    b"X: " + b"y" * 20_000,
]

# 401, 402, 403 and 404 stop a run on purpose, so they are not among them.
STATUSES = [b"200 OK"] * 12 + [
    b"100 Continue", b"101 Switching", b"103 Early Hints", b"201 Created", b"204 No Content", b"206 Partial", b"301 Moved",
    b"304 Not Modified", b"307 Away", b"400 Bad", b"408 Late", b"418 Teapot", b"422 No", b"429 Slow", b"500 Oops", b"503",
    b"599 \xff", b"999 What", b"000 Zero", b"abc",
]  # fmt: skip


def bent(value: Any, chance: random.Random) -> Any:
    """The value with some of what is in it replaced by something else."""
    if chance.random() < 0.04:
        return chance.choice(VALUES)
    if isinstance(value, dict):
        return {k: bent(v, chance) for k, v in value.items() if chance.random() > 0.02}
    return [bent(v, chance) for v in value] if isinstance(value, list) else value


def body_of(reply: dict[str, Any], chance: random.Random) -> bytes:
    error = {
        "error": {"message": f"no {KEY}", "code": chance.choice(VALUES), "details": [{"retryDelay": "1e300s"}]}
    }
    raw = json.dumps(bent(chance.choice([reply, reply, reply, error]), chance)).encode()
    match chance.randrange(12):
        case 0:
            return raw[: chance.randrange(len(raw))]
        case 1:
            return b"{" * 3_000 + raw
        case 2:
            return b'{"choices": 1, "content": 2, "candidates": 3, ' + raw[1:]  # keys that come twice
        case 3:
            return chance.randbytes(200)
        case 4:
            return raw.replace(b": 1", b": 1" + b"0" * 5_000)
        case 5:
            return b'{"a": ' * 2_000 + b"1" + b"}" * 2_000
        case _:
            return raw


def response(reply: dict[str, Any], chance: random.Random) -> bytes:
    """One whole answer as it goes over the wire, odd in one or two respects."""
    odd = chance.sample(["body", "body", "fields", "status", "encoding", "framing"], chance.choice([1, 1, 2]))
    body = body_of(reply, chance) if "body" in odd else json.dumps(reply).encode()
    fields = chance.sample(FIELDS, chance.choice([1, 3])) if "fields" in odd else []
    status = chance.choice(STATUSES) if "status" in odd else b"200 OK"
    if "encoding" in odd:
        said, body = chance.choice(
            [
                (b"gzip", body),
                (b"gzip", gzip.compress(body)),
                (b"br", body[:50]),
                (b"deflate", gzip.compress(body)[:50]),
            ]
        )
        fields.append(b"Content-Encoding: " + said)
    length, end = b"Content-Length: %d" % len(body), b""
    if "framing" in odd:
        match chance.randrange(8):
            case 0:
                length = b"Content-Length: %d" % (len(body) + 10)
            case 1:
                length = b"Content-Length: %d" % (len(body) // 2)
            case 2:
                length = chance.choice(
                    [b"Content-Length: -5", b"Content-Length: lots", b"Content-Length: 9" + b"9" * 20]
                )
            case 3:
                length, body = b"Transfer-Encoding: chunked", b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
            case 4:
                length = b"Transfer-Encoding: chunked"
            case 5:
                end, body = NEVER, body[:20]
            case 6:
                bomb = gzip.compress(b" " * 2**25, 1)
                length, fields, body = b"Content-Length: %d" % len(bomb), [b"Content-Encoding: gzip"], bomb
            case 7:
                return chance.choice([b"", b"\r\n", b"HTTP/9.9 200 OK\r\n\r\n", chance.randbytes(100)])
    return b"\r\n".join([b"HTTP/1.1 " + status, length, *fields, b"", body]) + end


@pytest.mark.parametrize(
    ("provider", "reply"),
    [("openai", openai_reply), ("anthropic", anthropic_reply), ("google", google_reply)],
)
def test_whatever_a_server_sends_the_run_ends_with_a_reply_or_a_reason_for_every_trial(
    tmp_path: Path, provider: str, reply: Callable[..., dict[str, Any]]
) -> None:
    tries: Counter[bytes] = Counter()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        asked = await reader.readexactly(int(head.lower().partition(b"content-length:")[2].split()[0]))
        tries[asked] += 1  # the answers hang on what is asked and how often, not on the order of the calls
        raw = response(reply(f"my key is {KEY}"), random.Random(f"{SEED} {asked!r} {tries[asked]}"))
        writer.write(raw.removesuffix(NEVER))
        if raw.endswith(NEVER):
            await reader.read()  # until the client has lost patience
        writer.close()

    async def main() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        env = {f"{provider.upper()}_API_KEY": KEY, f"{provider.upper()}_BASE_URL": url}
        limits = Limits(
            max_connections=16, attempts=2, timeout=0.3, backoff=0.001, backoff_cap=0.002, max_wait=0.001,
            give_up_after=10**6,
        )  # fmt: skip
        async with server:
            done = await collect(
                path, Questions(), open_remote(provider, "m", env, connections=16, timeout=0.3),
                limits=limits, budget=Budget(), progress=Silent(), seed=1,
            )  # fmt: skip
        assert done.stopped is None and done.done + done.failed == TRIALS
        assert done.done > TRIALS / 4 and done.failed > TRIALS / 10  # both kinds of answers were among them

    path = tmp_path / "run.db"
    prepare(path, plan_of(TRIALS), {"settings": {}})
    asyncio.run(main())
    with Store(path) as store:
        rows = list(store.replies(failed=True))
    assert {r.trial.item for r in rows} == {str(i) for i in range(TRIALS)}
    assert all(r.failure and r.message for r in rows if r.status == "failed")
    assert "crashed" not in {r.failure for r in rows}  # our own code was not surprised by anything
    assert not any(KEY.encode() in file.read_bytes() for file in tmp_path.iterdir())
