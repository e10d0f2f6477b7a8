"""One reply, read and scored by rules; and what it answered, as the turns of a chat after it need it."""

from __future__ import annotations

from collections.abc import Callable

from fiducial.bias.block import Arm, Block, CertaintyKey, ChoiceKey, Prompt
from fiducial.bias.read import Option, Reading, read
from fiducial.bias.score import Score, score
from fiducial.errors import fault

NO_ANSWER = frozenset({"refused", "filtered", "empty"})


def read_reply(text: str, status: str, block: Block, arm: Arm, prompt: Prompt) -> Reading:
    """The reading of one reply. A provider's own refusal or an empty reply needs no reader."""
    if status in NO_ANSWER and not text.strip():
        return Reading(status="empty" if status == "empty" else "refused", rule=f"provider-{status}")
    if isinstance(arm.key, ChoiceKey | CertaintyKey):
        options = tuple(Option(c.label, c.text) for c in prompt.choices)
        return read(text, "option", options=options, prompt=prompt.text)
    return read(text, "numeric", prompt=prompt.text, unit=block.unit, low=arm.key.low, high=arm.key.high)


def read_and_score(text: str, status: str, block: Block, arm: Arm, prompt: Prompt) -> tuple[Reading, Score]:
    """Read one reply by rules alone and compare it with the arm's key."""

    def made() -> tuple[Reading, Score]:
        reading = read_reply(text, status, block, arm, prompt)
        return reading, score(reading, arm, prompt, unit=block.unit, text=text)

    return or_fault(made)


def or_fault(made: Callable[[], tuple[Reading, Score]]) -> tuple[Reading, Score]:
    """What `made` gives; where it raises, an unreadable reply, so that one reply does not end the scoring of a run."""
    try:
        return made()
    except Exception as error:
        return Reading(status="unreadable", rule=fault(error)), Score(None, "unreadable")


def answered(text: str, block: Block, arm: Arm, prompt: Prompt) -> str | float | None:
    """The role that was chosen or the number that was given, by rules alone; None where there is none."""
    _, found = read_and_score(text, "ok", block, arm, prompt)
    if found.slot is not None:
        return prompt.choices[found.slot].role
    return found.number
