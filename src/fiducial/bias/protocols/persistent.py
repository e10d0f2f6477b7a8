"""Temporal, persistent: a chat of several rounds. Does the effect of a trigger stay, and does it grow?

Two variants side by side, because they ask different things. `once`: the trigger stands in round 1 alone, later rounds
only ask again. `every`: each round repeats the whole item with its trigger. Each chat has a control chat with the same
turns, and the effect of a round is their difference. Earlier replies are kept whole.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from fiducial.bias.block import Arm, Block
from fiducial.bias.item import BiasInfo
from fiducial.bias.protocols.base import compared, texts, variant
from fiducial.bias.protocols.made import make_result, row
from fiducial.bias.protocols.result import ProtocolResult
from fiducial.bias.protocols.seen import Place, Seen
from fiducial.stats.estimate import Measured

NAME = "temporal-persistent"
ONCE, EVERY = "once", "every"


class Persistent:
    """The protocol, at one intensity, over so many rounds."""

    name = NAME

    def __init__(self, *, at: str, rounds: int = 4) -> None:
        self._at = at
        self._rounds = rounds

    def blocks(self, bias: BiasInfo, block: Block) -> list[Block] | str:
        """Two chats an arm. Where the trigger stands in the options, every round repeats it: only `every` is asked."""
        arms = compared(block, self._at)
        if len(arms) < 2:
            return "it has a single arm: there is no trigger that could last"
        made = [self._chats(block, arms, EVERY)]
        if not in_options(arms):
            made.append(self._chats(block, arms, ONCE))
        return made

    def _chats(self, block: Block, arms: Sequence[Arm], name: str) -> Block:
        later = [{arm.name: self._round(arm, turn, name) for arm in arms} for turn in range(1, self._rounds)]
        first = [msgspec.structs.replace(arm, move=name) for arm in arms]
        return variant(block, NAME, name, first, later=later)

    def _round(self, arm: Arm, turn: int, name: str) -> Arm:
        openings = texts(NAME)["rounds"]
        opening = openings[min(turn, len(openings)) - 1]
        text = opening if name == ONCE else f"{opening}\n\n{arm.text}"
        marked = () if name == ONCE else arm.marked
        return msgspec.structs.replace(arm, text=text, marked=marked, move=name)

    def estimate(self, seen: Seen) -> ProtocolResult:
        """What is left of the effect when the trigger is not repeated, and what repeating it adds."""
        rounds = max((block.turns for block in seen.blocks), default=0)
        rows = []
        by_turn: list[Measured] = []
        for name, group in ((ONCE, "trigger in round 1 alone"), (EVERY, "trigger in every round")):
            found = [
                row(group, f"round {t + 1}", seen.contrast({Place(name, t): 1.0}), at=t + 1) for t in range(rounds)
            ]
            rows += found
            if name == ONCE:
                by_turn = [one.estimate for one in found]
        grown = seen.contrast({Place(EVERY, rounds - 1): 1.0, Place(EVERY, 0): -1.0})
        faded = seen.contrast({Place(ONCE, 0): 1.0, Place(ONCE, rounds - 1): -1.0})
        rows.append(row("change", f"accumulation: round {rounds} − round 1, trigger repeated", grown, scale=2.0))
        rows.append(row("change", f"fading: round 1 − round {rounds}, trigger not repeated", faded, scale=2.0))
        stays = seen.contrast({Place(ONCE, t): 1 / (rounds - 1) for t in range(1, rounds)})
        return make_result(
            NAME,
            seen,
            stays,
            estimand=f"persistence: mean effect of rounds 2 to {rounds}, the trigger in round 1 alone",
            by_turn=by_turn,
            rows=rows,
        )


def in_options(arms: Sequence[Arm]) -> bool:
    """Whether the arms differ in their options."""
    return len({arm.options for arm in arms}) > 1
