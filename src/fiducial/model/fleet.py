"""One or several servers of the same model. Each call goes to one of them; repeating it is the engine's business."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self

from fiducial.errors import UsageError
from fiducial.model.balance import Balance
from fiducial.model.http import Answer, Http, check_base_url
from fiducial.model.reply import CallFailed, Reply


def listed_servers(text: str, source: str, secrets: Sequence[str] = ()) -> tuple[str, ...]:
    """The addresses in a variable's value, separated by commas or blanks. `source` is the variable's name."""
    urls = tuple(dict.fromkeys(check_base_url(url, source, secrets) for url in re.split(r"[,\s]+", text) if url))
    if not urls:
        raise UsageError(f"{source} holds no address")
    return urls


class Fleet:
    """Posts bodies to the server that is expected to answer first, and knows which one did."""

    def __init__(
        self,
        urls: Sequence[str],
        path: str,
        headers: Mapping[str, str],
        *,
        secrets: Sequence[str] = (),
        connections: int = 64,
        timeout: float = 120.0,
    ) -> None:
        self.urls = tuple(urls)
        self._timeout = timeout
        self._servers = {
            url: Http(url + path, headers, secrets=secrets, connections=connections, timeout=timeout)
            for url in self.urls
        }
        self._balance = Balance(self.urls)
        self._stack = AsyncExitStack()

    @property
    def several(self) -> bool:
        """Whether there is a choice."""
        return len(self.urls) > 1

    async def post(
        self, body: bytes, read: Callable[[Answer], Reply], home: bytes | None = None
    ) -> tuple[Reply, str]:
        """Post once; the reply, and the address of the server that gave it.

        A failure that another server may not have says so (`CallFailed.elsewhere`), and names the server.
        """
        if not self.several:
            return read(await self._servers[self.urls[0]].post(body)), self.urls[0]
        url = self._balance.choose(home)
        started = self._balance.started(url)
        began = time.monotonic()
        answered: bool | None = False
        try:
            reply = read(await self._servers[url].post(body))
            answered = True
        except CallFailed as failure:
            answered = None if failure.kind == "timeout" else not failure.retryable
            if failure.retryable:
                failure.elsewhere = self._balance.set_aside(url, failure.retry_after)
            failure.message = f"{url}: {failure.message}"
            failure.args = (failure.message,)
            raise
        except asyncio.CancelledError:
            answered = None
            if time.monotonic() - began > 0.95 * self._timeout:  # the engine's patience ends when ours does
                self._balance.set_aside(url)
            raise
        finally:
            self._balance.ended(url, started, answered=answered)
        return reply, url

    async def __aenter__(self) -> Self:
        for server in self._servers.values():
            await self._stack.enter_async_context(server)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()
