"""`local/…` as a `Model`: weights fetched when it is opened, a llama.cpp server of its own, neutral sampling."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from types import TracebackType
from typing import Self

from msgspec import Struct

from fiducial.errors import FiducialError
from fiducial.model.base import ModelBase
from fiducial.model.local.catalogue import Weights, catalogue, find
from fiducial.model.local.fetch import Stored, cache_folder, ensure, is_here
from fiducial.model.local.server import Server, Serving, require_runtime, runtime_installed, usable_threads
from fiducial.model.local.template import Described, describe
from fiducial.model.remote import RemoteModel, openai_compatible
from fiducial.model.reply import CallFailed, Reply
from fiducial.model.request import Request

NEUTRAL = {
    "temperature": 1.0,
    "top_p": 1.0,
    "top_k": 0,
    "min_p": 0.0,
    "typical_p": 1.0,
    "repeat_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
    "dry_multiplier": 0.0,
    "xtc_probability": 0.0,
    "mirostat": 0,
}
"""Sent in every body, beneath what was asked for: the model's own distribution, uncut. Left out, llama.cpp
would fill in its own (temperature 0.8, top_k 40, top_p 0.95, min_p 0.05) or what the file recommends, and
the record would not show it."""

RESTARTS = 3  # of a server that crashed, in one run
_NOT_YET = "http://127.0.0.1:1/v1"  # an address to encode with: a body does not depend on it


class LocalStatus(Struct, frozen=True, kw_only=True):
    """A model of the catalogue, as `fiducial models` lists it."""

    name: str
    title: str
    licence: str
    good_for: str
    size: int  # bytes
    context: int | None
    fetched: bool  # whether the weights are in the cache
    runtime: bool  # whether llama.cpp is installed


def local_models() -> list[LocalStatus]:
    """The catalogue, with what is already on this machine."""
    runtime = runtime_installed()
    return [
        LocalStatus(
            name=f"local/{entry.name}",
            title=entry.title,
            licence=entry.licence,
            good_for=entry.good_for,
            size=entry.size or 0,
            context=entry.context,
            fetched=is_here(entry),
            runtime=runtime,
        )
        for entry in catalogue().values()
    ]


def open_local(
    model: str,
    *,
    timeout: float = 600.0,
    context: int = 4096,
    slots: int | None = None,
) -> LocalModel:
    """The model that `local/MODEL` names; nothing is fetched or started before it is entered.

    `context` is in tokens a slot, and is bounded by what the model was trained for. `slots` is the number
    of calls served at once (None: as the catalogue says). Raises UsageError.
    """
    require_runtime()
    return LocalModel(find(model), timeout=timeout, context=context, slots=slots)


class LocalModel(ModelBase):
    """A model in a llama.cpp server that lives as long as the `async with` block.

    A file of the user's own is named by its file name alone: no path of this machine reaches a run file.
    """

    seeded = True

    def __init__(self, weights: Weights, *, timeout: float, context: int, slots: int | None) -> None:
        self.name = f"local/{weights.name}"
        self.slots = slots or weights.slots
        self._weights = weights
        self._timeout = timeout
        self._context = min(context, weights.context or context)
        self._threads = usable_threads()
        self._wire = self._wire_to(_NOT_YET)
        self._server: Server | None = None
        self._stored: Stored | None = None
        self._described: Described | None = None
        self._restarts = 0
        self._starting = asyncio.Lock()

    def make_room(self, tokens: int) -> None:
        """Take a larger context, as far as the model was trained for one, and serve one call at a time.

        Every slot keeps a cache of its own, so several of them would each read the document that the calls have in
        common, and reading is what takes the time here (`python -m benchmarks.prefix`).
        """
        wanted = max(self._context, -(-tokens // 1024) * 1024)
        self._context = min(wanted, self._weights.context or wanted)
        self.slots = 1

    def encode(self, request: Request) -> bytes:
        """The exact body, also before the server runs."""
        return self._wire.encode(request)

    async def call(self, request: Request) -> Reply:
        """One attempt. A server that crashed is started again by the next call, a few times a run."""
        server, wire = await self._running()
        try:
            try:
                return await wire.call(request)
            except CallFailed as failure:
                if failure.kind != "connection" or not server.alive:
                    raise
                # llama.cpp closes a connection that was idle for some seconds; a call that was put on it at
                # that moment was never read, and goes out again on a new one.
                return await wire.call(request)
        except CallFailed as failure:
            if failure.kind not in ("connection", "malformed") or not await server.gone(within=1.0):
                raise
            raise CallFailed("connection", self._storable(server.account()), sent=failure.sent) from failure

    def learned(self) -> dict[str, str]:
        """What llama.cpp would not take."""
        return self._wire.learned()

    def recall(self, learned: dict[str, str]) -> None:
        """Take over what an earlier part of the run learned."""
        self._wire.recall(learned)

    def facts(self) -> dict[str, str]:
        """The weights and how they are run; complete once the model was entered."""
        facts = {
            "file": self._weights.file,
            "xllamacpp": version("xllamacpp"),
            "chat_template": self._weights.chat_template or "the file's own",
            "slots": str(self.slots),
            "threads": str(self._threads),
        }
        if self._stored is not None:
            facts["weights_sha256"] = self._stored.sha256
        if self._described is not None:
            facts["context"] = str(self._described.context)
            if self._described.system is not None:
                facts["template_system"] = self._described.system
            if self._described.unknown is not None:
                facts["template_unknown"] = self._described.unknown
        return facts

    async def __aenter__(self) -> Self:
        self._stored = await ensure(self._weights)
        await self._start(self._stored)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        server, self._server = self._server, None
        if server is not None:
            crashed = not server.alive
            await server.stop()
            if not crashed:
                server.discard_log()
        await self._wire.__aexit__(kind, error, trace)

    def _storable(self, text: str) -> str:
        """A failure's message is stored with the run, and paths of this machine are not for a run file."""
        if self._stored is not None:
            text = text.replace(str(self._stored.path), self._stored.path.name)
        return text.replace(str(cache_folder()), "$FIDUCIAL_CACHE")

    async def _running(self) -> tuple[Server, RemoteModel]:
        async with self._starting:
            if self._server is None or self._stored is None:
                raise RuntimeError("the model is used outside of its `async with` block")
            if not self._server.alive:
                if self._restarts >= RESTARTS:
                    account = self._storable(self._server.account())
                    raise CallFailed("crashed", f"crashed {RESTARTS + 1} times; {account}")
                self._restarts += 1
                try:
                    await self._start(self._stored)
                except FiducialError as error:
                    raise CallFailed(
                        "crashed", f"no restart after a crash: {self._storable(str(error))}"
                    ) from error
            return self._server, self._wire

    async def _start(self, stored: Stored) -> None:
        server = await Server.start(
            Serving(
                path=str(stored.path),
                name=self._weights.name,
                slots=self.slots,
                context=self._context,
                threads=self._threads,
                chat_template=self._weights.chat_template,
            )
        )
        try:
            self._described = await describe(server.address)
            wire = self._wire_to(f"{server.address}/v1")
            wire.recall(self._wire.learned())
            await self._wire.__aexit__(None, None, None)
            await wire.__aenter__()
        except BaseException:
            await server.stop()
            raise
        self._server, self._wire = server, wire

    def _wire_to(self, url: str) -> RemoteModel:
        return openai_compatible(self.name, url, self._weights.name, extra=NEUTRAL, timeout=self._timeout)
