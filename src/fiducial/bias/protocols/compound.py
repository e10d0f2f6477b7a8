"""Compound: two triggers in one item, 2 × 2 with each alone. Do they add up?

The first trigger is the item's own. The second is a sentence that says what others answered; without it stands a sentence
that says that others were asked. The interaction is estimated: the effect of the first with the second minus without it.
"""

from __future__ import annotations

import msgspec

from fiducial.bias.block import Arm, Block, ChoiceKey, ScaleKey
from fiducial.bias.item import BiasInfo
from fiducial.bias.protocols.base import compared, texts, variant, wanted
from fiducial.bias.protocols.made import make_result, row
from fiducial.bias.protocols.result import ProtocolResult
from fiducial.bias.protocols.seen import Contrast, Place, Seen

NAME = "compound"
ON, OFF = "second", "alone"
SECONDS = ("majority", "expert", "asker")


class Compound:
    """The protocol, at one intensity, with one kind of second trigger."""

    name = NAME

    def __init__(self, *, at: str, second: str = SECONDS[0]) -> None:
        self._at = at
        self._second = second

    def blocks(self, bias: BiasInfo, block: Block) -> list[Block] | str:
        """Both arms, with and without the second trigger."""
        arms = compared(block, self._at)
        if len(arms) < 2 or not isinstance(arms[0].key, ChoiceKey | ScaleKey):
            return "it has no answer that a second trigger could pull to"
        return [self._block(block, arms, name) for name in (OFF, ON)]

    def _block(self, block: Block, arms: list[Arm], name: str) -> Block:
        made = []
        for arm in arms:
            kind = self._second if isinstance(arm.key, ChoiceKey) else f"{self._second}_number"
            said = texts(NAME)[kind][name].replace("{wanted}", wanted(arm))
            marked = (*arm.marked, said)
            made.append(msgspec.structs.replace(arm, text=f"{arm.text}\n\n{said}", marked=marked))
        return variant(block, NAME, name, made, levels={"second": float(name == ON)})

    def estimate(self, seen: Seen) -> ProtocolResult:
        """The interaction; the first trigger alone, the second alone, both."""
        alone, second = Place(OFF), Place(ON)
        lone = self._second_alone(seen)
        rows = [
            row("effects", "first trigger alone", seen.contrast({alone: 1.0})),
            row("effects", f"second trigger alone ({self._second})", lone),
            row("effects", "first trigger beside the second", seen.contrast({second: 1.0})),
        ]
        return make_result(
            NAME,
            seen,
            seen.contrast({second: 1.0, alone: -1.0}),
            scale=2.0,
            estimand=f"interaction: effect of the trigger with a second one ({self._second}) − without it",
            rows=rows,
        )

    def _second_alone(self, seen: Seen) -> Contrast:
        """What the second trigger does without the first: in the control; in pairs of sides, over both."""
        found = {}
        for block in seen.blocks:
            if block.variant != ON:
                continue
            item = block.bias, block.item
            sides = {arm.column for arm in block.arms.values()}
            signs = (1, -1) if len(sides) == 1 else (-1,)
            cells = [(seen.means.get((item, Place(ON), s)), seen.means.get((item, Place(OFF), s))) for s in signs]
            known = [(on, off) for on, off in cells if on is not None and off is not None]
            if len(known) == len(signs):
                found[item] = sum(on - off for on, off in known) / len(known)
        return seen.over(found)
