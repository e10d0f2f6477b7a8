"""Temporal, adaptive: answer, feedback, answer again. What does feedback change?

Every arm is asked twice; between the answers stands nothing (`again`), a neutral request to `reconsider`, the bias's
`name` with what it is, or the trigger is taken out of the second question (`remove`). What a feedback does is measured
against `again`, at equal first answers, in the arm that pulls and in the arm it is compared with.
"""

from __future__ import annotations

import msgspec

from fiducial.bias.block import CONTROL, Arm, Block
from fiducial.bias.item import BiasInfo
from fiducial.bias.protocols.base import compared, texts, variant
from fiducial.bias.protocols.made import make_result, row
from fiducial.bias.protocols.result import ProtocolResult
from fiducial.bias.protocols.seen import Place, Seen
from fiducial.bias.protocols.within import shift, transition, unfit

NAME = "temporal-adaptive"
AGAIN, REMOVE = "again", "remove"
FEEDBACKS = ("reconsider", "name", REMOVE)


class Adaptive:
    """The protocol, at one intensity."""

    name = NAME

    def __init__(self, *, at: str) -> None:
        self._at = at

    def blocks(self, bias: BiasInfo, block: Block) -> list[Block] | str:
        """One chat an arm and feedback. A trigger can be removed only from items that have a control."""
        arms = compared(block, self._at)
        if why := unfit(arms):
            return why
        moves = [move for move in (AGAIN, *FEEDBACKS) if move != REMOVE or CONTROL in block.arms]
        return [self._block(bias, block, arms, move) for move in moves]

    def _block(self, bias: BiasInfo, block: Block, arms: list[Arm], move: str) -> Block:
        said = (
            texts(NAME)[move].replace("{name}", bias.name.lower()).replace("{about}", _first_sentence(bias.about))
        )
        later = {}
        for arm in arms:
            asked = block.arms[CONTROL] if move == REMOVE else arm
            later[arm.name] = msgspec.structs.replace(
                arm, text=f"{said}\n\n{asked.text}", options=asked.options, marked=asked.marked, move=move
            )
        return variant(block, NAME, move, arms, later=[later])

    def estimate(self, seen: Seen) -> ProtocolResult:
        """Each feedback against `again`; the effect before and after; who changes the answer."""
        rows = []
        for move in (AGAIN, *FEEDBACKS):
            if not any(block.variant == move for block in seen.blocks):
                continue
            rows.append(row(f"after {move}", "first answer", seen.contrast({Place(move, 0): 1.0}), at=1))
            rows.append(row(f"after {move}", "second answer", seen.contrast({Place(move, 1): 1.0}), at=2))
            if move != AGAIN:
                rows.append(row("against asking again", move, shift(seen, move, AGAIN), scale=2.0))
        for move in (AGAIN, *FEEDBACKS):
            stays, turns = (transition(seen, move, biased_first=first) for first in (True, False))
            rows.append(row("counted answer the second time", f"{move}, after a counted one", stays, share=True))
            rows.append(row("counted answer the second time", f"{move}, after another", turns, share=True))
        second = seen.contrast({Place("name", 1): 1.0})
        return make_result(
            NAME,
            seen,
            shift(seen, "name", AGAIN),
            scale=2.0,
            estimand="change of the effect when the bias is named, against asking again, at equal first answers",
            by_turn=[seen.contrast({Place("name", 0): 1.0}).tested().estimate, second.tested().estimate],
            rows=rows,
        )


def _first_sentence(text: str) -> str:
    plain = " ".join(text.split())
    return plain.split(". ", 1)[0].rstrip(".") + "."
