"""Meta: the subject is shown its own answer and asked to check it. Both corrections and over-corrections count.

`check` asks for a check, `again` shows the same answer and only asks for it once more. What checking does is the
difference between the two at equal first answers.
"""

from __future__ import annotations

import msgspec

from fiducial.bias.block import Arm, Block
from fiducial.bias.item import BiasInfo
from fiducial.bias.protocols.base import compared, texts, variant
from fiducial.bias.protocols.made import make_result, row
from fiducial.bias.protocols.result import ProtocolResult
from fiducial.bias.protocols.seen import Contrast, Place, Seen
from fiducial.bias.protocols.within import shift, transition, unfit

NAME = "meta"
CHECK, AGAIN = "check", "again"


class Meta:
    """The protocol, at one intensity."""

    name = NAME

    def __init__(self, *, at: str) -> None:
        self._at = at

    def blocks(self, bias: BiasInfo, block: Block) -> list[Block] | str:
        """Two chats an arm."""
        arms = compared(block, self._at)
        if why := unfit(arms):
            return why
        return [self._block(block, arms, move) for move in (CHECK, AGAIN)]

    def _block(self, block: Block, arms: list[Arm], move: str) -> Block:
        later = {
            arm.name: msgspec.structs.replace(
                arm, text=texts(NAME)[move], marked=(), move=move, follows=_shown(arm)
            )
            for arm in arms
        }
        return variant(block, NAME, move, arms, later=[later])

    def estimate(self, seen: Seen) -> ProtocolResult:
        """The change of the effect by checking; how often a counted answer is given up, and another one for it."""
        rows = []
        for move in (CHECK, AGAIN):
            rows.append(row(f"after {move}", "first answer", seen.contrast({Place(move, 0): 1.0}), at=1))
            rows.append(row(f"after {move}", "second answer", seen.contrast({Place(move, 1): 1.0}), at=2))
        for move in (CHECK, AGAIN):
            kept = transition(seen, move, biased_first=True)
            rows.append(row("corrected: counted answer given up", move, _rest(kept), share=True))
            taken = transition(seen, move, biased_first=False)
            rows.append(row("over-corrected: counted answer taken up", move, taken, share=True))
        return make_result(
            NAME,
            seen,
            shift(seen, CHECK, AGAIN),
            scale=2.0,
            estimand="change of the effect by checking one's own answer, against repeating it, at equal first answers",
            by_turn=[seen.contrast({Place(CHECK, turn): 1.0}).tested().estimate for turn in (0, 1)],
            rows=rows,
        )


def _shown(arm: Arm) -> dict[str, str]:
    """The subject's own answer in its own words; where it could not be read, that there was one."""
    said = {role: texts(NAME)["chosen"].replace("{option}", text) for role, text in arm.options}
    return {**said, "number": texts(NAME)["number"], "": texts(NAME)["unread"]}


def _rest(shares: Contrast) -> Contrast:
    return Contrast(1 - shares.values, shares.items, shares.clusters)
