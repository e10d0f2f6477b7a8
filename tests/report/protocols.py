"""Protocols and long lists of biases, made by hand."""

from __future__ import annotations

import msgspec

from fiducial.bias.protocols.result import ProtocolResult, ProtocolRow
from fiducial.bias.result import BiasResult, RunResult
from fiducial.stats.estimate import Measured, Withheld
from tests.report.made import bias, estimate

FAMILIES = ("anchoring", "framing", "memory", "social")


def row(group: str, name: str, value: float, half: float = 0.1, at: float | None = None) -> ProtocolRow:
    return ProtocolRow(group=group, name=name, estimate=estimate(value, half, 12), p=0.03, at=at)


def protocol(
    name: str = "temporal-persistent",
    found: Measured | None = None,
    rows: list[ProtocolRow] | None = None,
    **changes: object,
) -> ProtocolResult:
    made = ProtocolResult(
        name=name,
        estimate=found or estimate(0.2, 0.1, 12),
        by_turn=[],
        estimand="mean effect of rounds 2 to 4",
        p=0.004,
        by_bias={"anchoring_effect": estimate(0.4, 0.1, 6), "loss_aversion": Withheld("too few")},
        rows=persistence() if rows is None else rows,
        chats=96,
        replies=384,
        unread={},
        left_out={"it has a single arm": 5},
    )
    return msgspec.structs.replace(made, **changes)


def persistence(shift: float = 0.0) -> list[ProtocolRow]:
    """Two lines on one axis, and a group without one."""
    lines = [
        row(group, f"round {k}", 0.1 * k + shift, at=k)
        for group in ("trigger in round 1 alone", "trigger in every round")
        for k in (1, 2, 3, 4)
    ]
    return [*lines, row("change", "accumulation", 0.3), row("change", "fading", -0.02)]


def answers(*feedbacks: str) -> list[ProtocolRow]:
    """First and second answers after each feedback."""
    return [
        row(f"after {one}", f"{which} answer", 0.3, at=k)
        for one in feedbacks
        for k, which in ((1, "first"), (2, "second"))
    ]


def with_protocols(made: RunResult, shift: float = 0.0) -> RunResult:
    """The run with a protocol of each shape."""
    return msgspec.structs.replace(
        made,
        settings={**made.settings, "at": "strong"},
        protocols=[
            protocol(rows=persistence(shift)),
            protocol("temporal-adaptive", estimate(-0.2, 0.1), answers("again", "reconsider", "name", "remove")),
            protocol(
                "robustness", estimate(0.2, 0.1), [row("wording", "plain", 0.3), row("wording", "lines", 0.2)]
            ),
            protocol("chain", Withheld("there are 0 items"), [], by_bias={}, chats=0, replies=0),
        ],
    )


def many() -> list[BiasResult]:
    """Thirty-two biases of four families, one core bias in each of the first two."""
    made = []
    for k in range(32):
        one = bias(f"bias_{k}", 0.05 + 0.01 * k, 0.1, q=0.01 if k % 3 else 0.4, items=4)
        tier = "core" if k in {0, 1} else "extended"
        made.append(msgspec.structs.replace(one, name=f"Bias {k}", family=FAMILIES[k % 4], tier=tier))
    return made
