"""Replies that come back to what they said first: "B. Hmm, A. No, my first answer was right"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiducial.bias.read.text import holds, parts

_LAST = 260  # how far from the end such words may stand
_PARTS = parts("first |original |initial ")
_FIRST = (
    r"(?:my|the) (?:very )?(?:first|original|initial) (?:answer|choice|pick|instinct|guess|thought|estimate|figure"
    r"|number|response|verdict|decision|hunch|view|reaction|reading|impression)"
)
_RETURNS = re.compile(
    rf"\b{_FIRST}\b(?! (?:was|is) (?:not|wrong|\w+n't))[^.;!?\n]{{0,30}}\b(?:right|correct|stands|holds|fine|sound"
    r"|after all)\b"
    rf"|\b(?:stick(?:ing)? (?:with|to)|(?:going |go |went |come |am |i'm )?back to|return(?:ing)? to"
    rf"|revert(?:ing)? to"
    rf"|keep(?:ing)?|stay(?:ing)? with|stand(?:ing)? by|confirm(?:ing)?) {_FIRST}\b"
)
_ENDS = re.compile(
    r"(?: (?:after all|was right|is right|here|then|now))*\s*(?:[.!;\n(]|$|,? (?:because|since|after|and))"
)
_INITIALLY = re.compile(rf"\b(?:initially|originally|at first)\b|\b{_FIRST}\b")
"""What says itself which answer came first"""
_SENTENCE = re.compile(r"[.!?…]+(?=\s|$)|\n")


def first_said(body: str) -> Iterator[str]:
    """The beginnings of a reply that comes back to its first answer, sentence by sentence; none of any other."""
    if not holds(body[-_LAST:], _PARTS):
        return
    low = body.lower()
    back = None
    for match in _RETURNS.finditer(low, max(0, len(low) - _LAST)):
        back = match
    if back is None or not _ENDS.match(low, back.end()) or _INITIALLY.search(low, 0, back.start()):
        return
    for stop in _SENTENCE.finditer(low, 0, back.start()):
        yield body[: stop.end()]
