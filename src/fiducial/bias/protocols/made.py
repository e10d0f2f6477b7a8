"""Putting a protocol's result together."""

from __future__ import annotations

from collections.abc import Sequence

from fiducial.bias.protocols.result import ProtocolResult, ProtocolRow
from fiducial.bias.protocols.seen import Contrast, Seen
from fiducial.stats.estimate import Measured


def make_result(
    name: str,
    seen: Seen,
    main: Contrast,
    *,
    estimand: str,
    scale: float = 1.0,
    by_turn: Sequence[Measured] = (),
    rows: Sequence[ProtocolRow] = (),
) -> ProtocolResult:
    """The result whose estimate is the mean of `main` over items; `scale` is the most that one item can have."""
    tested = main.tested(scale=scale)
    biases = dict.fromkeys(bias for bias, _ in main.items)
    return ProtocolResult(
        name=name,
        estimate=tested.estimate,
        by_turn=list(by_turn),
        estimand=estimand,
        p=tested.p,
        by_bias={bias: main.of_bias(bias).tested(scale=scale).estimate for bias in biases},
        rows=list(rows),
        chats=len(seen.chats),
        replies=len(seen.answers),
        unread=dict(seen.unread),
    )


def row(
    group: str, name: str, found: Contrast, *, scale: float = 1.0, at: float | None = None, share: bool = False
) -> ProtocolRow:
    """A row whose estimate is the mean of `found` over items; `share`: of values that lie in [0, 1], which nobody would
    test against 0."""
    tested = found.as_share() if share else found.tested(scale=scale)
    return ProtocolRow(group=group, name=name, estimate=tested.estimate, p=None if share else tested.p, at=at)
