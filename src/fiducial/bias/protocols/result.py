"""The result of a protocol, in one shape for all of them."""

from __future__ import annotations

from msgspec import Struct

from fiducial.stats.estimate import Measured


class ProtocolRow(Struct, frozen=True, kw_only=True):
    """One estimate beside the main one. Rows of a `group` belong together in a table or a chart, in their order;
    `at` is where a row stands on the group's axis, where it has one (a round, a level)."""

    group: str
    name: str
    estimate: Measured
    p: float | None = None
    at: float | None = None


class ProtocolResult(Struct, frozen=True, kw_only=True):
    """`estimate` is the protocol's estimand over all items, `by_turn` the effect of each round where there are rounds.

    `estimand` says in a sentence what `estimate` is. `left_out` counts items that the protocol does not fit, by reason;
    `unread` counts replies without a score, by reason.
    """

    name: str
    estimate: Measured
    by_turn: list[Measured]
    estimand: str
    p: float | None
    by_bias: dict[str, Measured]
    rows: list[ProtocolRow]
    chats: int
    replies: int
    unread: dict[str, int]
    left_out: dict[str, int] = {}
