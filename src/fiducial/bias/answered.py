"""What an earlier reply of a chat answered, as the turns after it need it."""

from __future__ import annotations

from fiducial.bias.block import Arm, Block, CertaintyKey, ChoiceKey, Prompt
from fiducial.bias.read import Option, Reading, read
from fiducial.bias.score import score

NO_ANSWER = frozenset({"refused", "filtered", "empty"})


def read_reply(text: str, status: str, block: Block, arm: Arm, prompt: Prompt) -> Reading:
    """The reading of one reply. A provider's own refusal or an empty reply needs no reader."""
    if status in NO_ANSWER and not text.strip():
        return Reading(status="empty" if status == "empty" else "refused", rule=f"provider-{status}")
    if isinstance(arm.key, ChoiceKey | CertaintyKey):
        options = tuple(Option(c.label, c.text) for c in prompt.choices)
        return read(text, "option", options=options, prompt=prompt.text)
    return read(text, "numeric", prompt=prompt.text, unit=block.unit, low=arm.key.low, high=arm.key.high)


def answered(text: str, block: Block, arm: Arm, prompt: Prompt) -> str | float | None:
    """The role that was chosen or the number that was given, by rules alone; None where there is none."""
    found = score(read_reply(text, "ok", block, arm, prompt), arm, prompt, unit=block.unit, text=text)
    if found.slot is not None:
        return prompt.choices[found.slot].role
    return found.number
