"""A reading compared with its arm's key: a score, or the reason there is none.

Options: 1 where the option whose role counts was chosen, else 0. Numbers: the place of the answer between the two
ends of the arm's scale, answers beyond an end counting as that end. Prices: the price. Calibration questions: the
stated confidence minus 1 where the answer was right, minus 0 where it was wrong.
"""

from __future__ import annotations

from msgspec import Struct

from fiducial.bias.block import Arm, CertaintyKey, ChoiceKey, PriceKey, Prompt
from fiducial.bias.read import Reading

OUT_OF_RANGE = "out of range"


class Score(Struct, frozen=True):
    """`slot` is the place of the chosen option, from 0; `moved` says that a number was brought to an end.

    `number` is a numeric answer in the arm's own unit; `right` is whether a calibration answer was. Where probabilities
    were read, `first` is that of the first place, and `mass` the share of it all that lay on the options.
    """

    value: float | None
    reason: str | None = None
    slot: int | None = None
    number: float | None = None
    moved: bool = False
    right: bool | None = None
    first: float | None = None
    mass: float | None = None


def score(reading: Reading, arm: Arm, prompt: Prompt, *, unit: str = "", text: str = "") -> Score:
    """Never a guess: what was not read has no score, and says why."""
    if reading.status != "read" or reading.answer is None:
        return Score(None, reading.status if reading.status != "read" else "unreadable")
    key = arm.key
    if isinstance(key, ChoiceKey | CertaintyKey):
        slot = next((k for k, c in enumerate(prompt.choices) if c.label == reading.answer), None)
        if slot is None:
            return Score(None, "unreadable")
        role = prompt.choices[slot].role
        if isinstance(key, ChoiceKey):
            return Score(float(role == key.biased), slot=slot)
        if reading.confidence is None:
            return Score(None, "no confidence", slot=slot, right=role == key.right)
        return Score(reading.confidence - (role == key.right), slot=slot, right=role == key.right)
    if isinstance(reading.answer, str):
        return Score(None, "unreadable")
    value = as_points(reading, text) if unit.startswith("percent") else float(reading.answer)
    if not key.low <= value <= key.high:
        return Score(None, OUT_OF_RANGE)
    if isinstance(key, PriceKey):
        return Score(value, number=value)
    place = (value - key.away) / (key.toward - key.away)
    return Score(min(1.0, max(0.0, place)), number=value, moved=not 0.0 <= place <= 1.0)


def as_points(reading: Reading, text: str) -> float:
    """A probability in percentage points: `70 %`, `70` and `.7` are the same answer.

    A number strictly between 0 and 1 without a percent sign is taken for a share.
    """
    assert reading.answer is not None and not isinstance(reading.answer, str)
    value = float(reading.answer)
    start, stop = reading.span or (0, 0)
    said = text[start : stop + 12].lower()
    return value * 100 if 0 < value < 1 and "%" not in said and "percent" not in said else value
