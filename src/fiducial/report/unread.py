"""What could not be read, by bias and by arm, refusals apart from the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from fiducial.bias.result import ArmCount, BiasResult, RunResult
from fiducial.report.inert import clip
from fiducial.report.numbers import NONE, count, counted, share
from fiducial.report.plot import Line
from fiducial.report.words import arm_name, arm_order

REFUSED = "refused"
AT_ONCE = 12  # arms in sight; more are folded away


class Lost(Struct, frozen=True):
    """Replies of one bias, or of one of its arms."""

    replies: int
    refused: int
    other: dict[str, int]  # by reason

    @property
    def unread(self) -> int:
        """All that could not be read."""
        return self.refused + sum(self.other.values())


class BiasRow(Struct, frozen=True):
    """A bias with unread replies. `least` and `most` are the shares of its arms, `where` the arm with the most."""

    name: str
    bias: BiasResult
    lost: Lost
    least: str
    most: str
    where: str


class ArmRow(Struct, frozen=True):
    """An arm with unread replies, or all arms of a bias that was not read at all."""

    name: str
    arm: str
    lost: Lost


class Unread(Struct, frozen=True):
    """`clean` and `clean_arms` count the biases and arms in which every reply was read."""

    biases: list[BiasRow]
    arms: list[ArmRow]
    clean: int
    clean_arms: int

    @property
    def folded(self) -> bool:
        """Whether the arms are too many to show at once."""
        return len(self.arms) > AT_ONCE


def unread(result: RunResult, lines: Sequence[tuple[str, Line]]) -> Unread:
    """The biases in the order of the page."""
    by_id = {bias.id: bias for bias in result.biases}
    mine = [(line.name, by_id[i]) for i, line in lines if i in by_id]
    lossy = [(name, bias) for name, bias in mine if any(a.read < a.replies for a in bias.arms.values())]
    return Unread(
        biases=[_bias_row(name, bias) for name, bias in lossy],
        arms=[row for name, bias in lossy for row in _arm_rows(name, bias)],
        clean=len(mine) - len(lossy),
        clean_arms=sum(arm.read == arm.replies for _, bias in mine for arm in bias.arms.values()),
    )


def _bias_row(name: str, bias: BiasResult) -> BiasRow:
    arms = sorted(bias.arms.items(), key=lambda one: (_lost_share(one[1]), one[0]))
    (_, least), (where, most) = arms[0], arms[-1]
    return BiasRow(
        name=name,
        bias=bias,
        lost=_lost(bias.arms.values()),
        least=share(least.replies - least.read, least.replies),
        most=share(most.replies - most.read, most.replies),
        where=arm_name(where),
    )


def _arm_rows(name: str, bias: BiasResult) -> list[ArmRow]:
    arms = list(bias.arms.values())
    if len(arms) > 1 and not any(arm.read for arm in arms):
        return [ArmRow(name, f"all {counted(len(arms), 'arm')}", _lost(arms))]
    return [
        ArmRow(name, arm_name(arm), _lost([bias.arms[arm]]))
        for arm in sorted(bias.arms, key=arm_order)
        if bias.arms[arm].read < bias.arms[arm].replies
    ]


def _lost_share(arm: ArmCount) -> float:
    return (arm.replies - arm.read) / arm.replies if arm.replies else 0.0


def _lost(arms: Iterable[ArmCount]) -> Lost:
    """Counts over some arms; replies without a reason are counted too."""
    replies = missing = 0
    reasons: Counter[str] = Counter()
    for arm in arms:
        replies += arm.replies
        missing += arm.replies - arm.read
        reasons.update(arm.unread)
    refused = reasons.pop(REFUSED, 0)
    other = {why: n for why, n in reasons.items() if n}
    if (left := missing - refused - sum(other.values())) > 0:
        other["unknown"] = left
    return Lost(replies, refused, other)


def reasons(unread: Mapping[str, int]) -> str:
    """Counts by reason, in a line."""
    return ", ".join(f"{clip(why, 40)} {count(n)}" for why, n in unread.items() if n) or NONE
