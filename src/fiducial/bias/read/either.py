"""Replies that end between two options: "So it is either A or B, with nothing between them"."""

from __future__ import annotations

import re

from fiducial.bias.read.mentions import Mention
from fiducial.bias.read.text import sentence_end

_EITHER = re.compile(
    r"\b(?:it|that|this|answer|one|which|candidates?|choice)(?:'s| is| was| must be| has to be| could be| can be| may be"
    r"| might be| should be| are)(?: still| therefore| thus| really)? either\s+(?:the |option |an? )?[\"'(]*"
)
_OR = re.compile(r"[)\"']*,?\s+or\s+(?:the |option |an? )?[\"'(]*")


def left_open(low: str, mentions: list[Mention], start: int) -> tuple[int, int] | None:
    """The span of two options, from `start` on, of which one is said to be right and after which none is named."""
    for match in _EITHER.finditer(low, start):
        after = [m for m in mentions if m.end > match.start() and m.label]
        if len(after) != 2 or after[0].label == after[1].label or after[0].start > match.end():
            continue
        if _OR.fullmatch(low, after[0].tail, after[1].start) and low[sentence_end(low, after[1].tail) - 1] != "?":
            return after[0].start, after[1].end
    return None
