"""A reading compared with its arm's key: a score in [0, 1], or the reason there is none.

Options: 1 where the option whose role counts was chosen, else 0. Numbers: the place of the answer between the
two ends of the arm's scale, answers beyond an end counting as that end.
"""

from __future__ import annotations

from msgspec import Struct

from gnomon.bias.block import Arm, ChoiceKey, Prompt
from gnomon.bias.read import Reading


class Score(Struct, frozen=True):
    """`slot` is the place of the chosen option, from 0; `moved` says that a number was brought to an end."""

    value: float | None
    reason: str | None = None
    slot: int | None = None
    moved: bool = False


def score(reading: Reading, arm: Arm, prompt: Prompt) -> Score:
    """Never a guess: what was not read has no score, and says why."""
    if reading.status != "read" or reading.answer is None:
        return Score(None, reading.status)
    if isinstance(arm.key, ChoiceKey):
        for slot, choice in enumerate(prompt.choices):
            if choice.label == reading.answer:
                return Score(float(choice.role == arm.key.biased), slot=slot)
        return Score(None, "unreadable")
    if isinstance(reading.answer, str):
        return Score(None, "unreadable")
    key = arm.key
    if not key.low <= reading.answer <= key.high:
        return Score(None, "out of range")
    place = (reading.answer - key.away) / (key.toward - key.away)
    return Score(min(1.0, max(0.0, place)), moved=not 0.0 <= place <= 1.0)
