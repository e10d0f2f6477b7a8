"""Chain: decisions that depend on the subject's own earlier answers. What does the first trigger do to the last one?

Only the first decision has a trigger. What the next ones begin with is what became of the decision before, as the subject
itself made it. The estimand is the total effect of the first trigger on the last decision, whatever lies between.
"""

from __future__ import annotations

import msgspec

from fiducial.bias.block import Arm, Block, Step
from fiducial.bias.item import BiasInfo
from fiducial.bias.protocols.base import compared, variant
from fiducial.bias.protocols.made import make_result, row
from fiducial.bias.protocols.result import ProtocolResult
from fiducial.bias.protocols.seen import Place, Seen

NAME = "chain"


class Chain:
    """The protocol, at one intensity."""

    name = NAME

    def __init__(self, *, at: str) -> None:
        self._at = at

    def blocks(self, bias: BiasInfo, block: Block) -> list[Block] | str:
        """One chat an arm, a turn a decision."""
        if not block.chain:
            return "nothing in the item follows from its answer"
        arms = compared(block, self._at)
        later = [{arm.name: _decision(arm, step) for arm in arms} for step in block.chain]
        return [variant(block, NAME, NAME, arms, later=later)]

    def estimate(self, seen: Seen) -> ProtocolResult:
        """The total effect on the last decision of each chain, and the effect decision by decision."""
        longest = max((block.turns for block in seen.blocks), default=0)
        by_turn = [
            row("decision", str(t + 1), seen.contrast({Place(NAME, t): 1.0}), at=t + 1) for t in range(longest)
        ]
        last = {
            (block.bias, block.item): seen.effects[(block.bias, block.item), Place(NAME, block.turns - 1)]
            for block in seen.blocks
            if ((block.bias, block.item), Place(NAME, block.turns - 1)) in seen.effects
        }
        return make_result(
            NAME,
            seen,
            seen.over(last),
            estimand="total effect of the first trigger on the last decision",
            by_turn=[one.estimate for one in by_turn],
            rows=by_turn,
        )


def _decision(arm: Arm, step: Step) -> Arm:
    return msgspec.structs.replace(
        arm, text=step.text, options=step.options, marked=(), move=NAME, follows=step.follows
    )
