"""A model that stays open over several collections, so that what it has in its cache is still there for the next."""

from __future__ import annotations

from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self

from fiducial.model.base import Model
from fiducial.model.reply import Reply
from fiducial.model.request import Request


class HeldModel:
    """Stands for the model: entering it the first time opens the model, and the stack closes it."""

    def __init__(self, model: Model, stack: AsyncExitStack) -> None:
        self._model, self._stack, self._open = model, stack, False
        self.name, self.remote, self.seeded = model.name, model.remote, model.seeded
        self.account = model.account

    @property
    def slots(self) -> int:
        """As the model has now."""
        return self._model.slots

    def make_room(self, tokens: int) -> None:
        """As the model does."""
        self._model.make_room(tokens)

    def encode(self, request: Request) -> bytes:
        """As the model does."""
        return self._model.encode(request)

    async def call(self, request: Request) -> Reply:
        """As the model does."""
        return await self._model.call(request)

    def learned(self) -> dict[str, str]:
        """As the model does."""
        return self._model.learned()

    def recall(self, learned: dict[str, str]) -> None:
        """As the model does."""
        self._model.recall(learned)

    def facts(self) -> dict[str, str]:
        """As the model does."""
        return self._model.facts()

    async def __aenter__(self) -> Self:
        if not self._open:
            await self._stack.enter_async_context(self._model)
            self._open = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None
