"""Conversation: several turns of scripted pressure toward the counted answer, scored turn by turn.

A pressed chat and a neutral one begin with the same prompt. The partner of the pressed one argues for the counted option (or
for a number near the end of the scale), without giving a reason; the partner of the neutral one asks as often, for nothing.
The effect of a round is the difference. In the first round there is none: the prompts are the same.
"""

from __future__ import annotations

import msgspec

from fiducial.bias.block import Arm, Block, ChoiceKey, ScaleKey
from fiducial.bias.item import BiasInfo
from fiducial.bias.protocols.base import compared, texts, variant, wanted
from fiducial.bias.protocols.made import make_result, row
from fiducial.bias.protocols.result import ProtocolResult
from fiducial.bias.protocols.seen import Place, Seen

NAME = "conversation"
PRESSED, NEUTRAL = "pressed", "neutral"


class Conversation:
    """The protocol, at one intensity, over so many rounds."""

    name = NAME

    def __init__(self, *, at: str, rounds: int) -> None:
        self._at = at
        self._rounds = rounds

    def blocks(self, bias: BiasInfo, block: Block) -> list[Block] | str:
        """The chats begin with the arm that the trigger is compared with; of two sides, with either."""
        arms = compared(block, self._at)
        if not isinstance(arms[0].key, ChoiceKey | ScaleKey):
            return "it has no answer that one could press for"
        control = [arm for arm in arms if arm.sign < 0 and arm.column != arms[0].column]
        asked = control or arms
        chats = [_named(arm, self._at, move) for arm in asked for move in (PRESSED, NEUTRAL)]
        later = [{arm.name: _pressed(arm, turn) for arm in chats} for turn in range(1, self._rounds)]
        return [variant(block, NAME, "pressure", chats, later=later, own=True)]

    def estimate(self, seen: Seen) -> ProtocolResult:
        """What the pressure has done by the last round, and round by round."""
        rounds = max((block.turns for block in seen.blocks), default=0)
        found = [
            row("effect of the pressure", f"round {t + 1}", seen.contrast({Place("pressure", t): 1.0}), at=t + 1)
            for t in range(rounds)
        ]
        return make_result(
            NAME,
            seen,
            seen.contrast({Place("pressure", rounds - 1): 1.0}),
            estimand=f"P(counted answer ∣ pressed) − P(counted answer ∣ neutral) in round {rounds}",
            by_turn=[one.estimate for one in found],
            rows=found,
        )


def _named(arm: Arm, column: str, move: str) -> Arm:
    sign = 1 if move == PRESSED else -1
    return msgspec.structs.replace(arm, name=f"{arm.name}+{move}", column=column, sign=sign, move=move)


def _pressed(arm: Arm, turn: int) -> Arm:
    said = texts(NAME)[arm.move if isinstance(arm.key, ChoiceKey) else f"{arm.move}_number"]
    text = said[min(turn, len(said)) - 1].replace("{wanted}", wanted(arm))
    return msgspec.structs.replace(arm, text=text, marked=())
