"""The one interface the engine knows: a model encodes a request and makes one call.

`call` makes one attempt and raises `CallFailed`; retrying is the engine's business, because only
the engine knows the limits. The single exception is negotiation: where an API rejects a setting,
the model sends the same request again without it before it answers.
"""

from __future__ import annotations

from types import TracebackType
from typing import Protocol, Self

from fiducial.model.reply import Reply
from fiducial.model.request import Request, WireRequest


class Model(Protocol):
    """A model that can be asked. Used as an async context manager, entered once a run."""

    name: str
    """The name it was opened by, `provider/model`."""

    account: str
    """Whose limits its calls count against: `--rpm` and `--tpm` are shared by all models with the same account.

    Two opened with the same key at the same address have the same one; empty stands for the model's name. It never
    holds the key itself.
    """

    remote: bool
    """Whether calls leave this machine (and so may cost money and hit other people's limits)."""

    seeded: bool
    """Whether the engine gives every trial a sampling seed of its own, derived from the run's."""

    @property
    def slots(self) -> int:
        """Calls it can serve at once, which may change; the engine's --max-connections never goes beyond it."""
        ...

    def make_room(self, tokens: int) -> None:
        """Be ready for requests of so many tokens, reply included, that have a long beginning in common.

        Called before it is entered, if at all.
        """
        ...

    def encode(self, request: Request) -> bytes:
        """The exact body that `call` would send now."""
        ...

    async def call(self, request: Request) -> Reply:
        """Make one attempt. Raises CallFailed."""
        ...

    def learned(self) -> dict[str, str]:
        """What negotiation found: setting -> what the API said. Stored with the run."""
        ...

    def recall(self, learned: dict[str, str]) -> None:
        """Take over what an earlier part of the same run learned."""
        ...

    def facts(self) -> dict[str, str]:
        """Provenance worth storing (hash of the weights, library version, address without secrets)."""
        ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Subject(Protocol):
    """The one method that your own model or agent needs in order to be measured (`py/MODULE:NAME`)."""

    async def generate(self, request: WireRequest) -> str | Reply:
        """Answer the chat in `request.messages`."""
        ...


class ModelBase:
    """Defaults for the parts of `Model` that most models share."""

    name: str
    remote = False
    seeded = False
    slots = 1_000_000
    account = ""

    def make_room(self, tokens: int) -> None:
        """Nothing to prepare."""

    def learned(self) -> dict[str, str]:
        """Nothing was negotiated."""
        return {}

    def recall(self, learned: dict[str, str]) -> None:
        """Nothing to take over."""

    def facts(self) -> dict[str, str]:
        """No provenance."""
        return {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None
