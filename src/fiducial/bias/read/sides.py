"""Yes or no by taking somebody's side: "My wife would say no. I'm on her side"."""

from __future__ import annotations

import re

from fiducial.bias.read.reading import MEDIUM, Commitment
from fiducial.bias.read.text import holds, parts

_SIDES = re.compile(
    r"\bi(?:'m| am|'d| would|'ll| will)?\s+(?:\w+ly\s+|always\s+|still\s+)?(?:(?:have to|must"
    r"|tend to)\s+)?(?:agree with|side with"
    r"|siding with|go(?:ing)? with|follow(?:ing)?|trust(?:ing)?|listen(?:ing)? to|with|on)\s+"
    r"(?P<who>(?:the |my |our )?[a-z]+)(?:'s side|\s+(?:here|on this|in this|there)|(?=\s*[.,;:!]|\s*$))"
    r"|\b(?P<right>(?:the |my |our )?[a-z]+) (?:is|are) right\b"
)
_SAID = re.compile(
    r"\b(?:is|are) (?:all )?(?:(?P<for>in favou?r|for it)|(?P<against>against|opposed))\b"
    r"|\b(?:says?|thinks?|believes?) (?:that )?(?:it|they|he|she|we) (?:(?P<will>(?:will|would|should|does|do|is"
    r"|can)(?!n't| not))"
    r"|(?P<wont>won't|can't|(?:will|would|should|does|do|is|can)(?:n't| not)))\b"
    r"|\b(?:says?|said|would say|votes?|voted|thinks?|answers?|answered)[\s:,]*(?:a )?[\"']?(?P<word>yes|no)\b"
)
_PARTS = parts("agree with|side|siding|with |on |right|follow|trust|listen")
_LONGEST = 600


def sided(low: str) -> Commitment | None:
    """The answer of the one person whom a short reply sides with, where it says what that person answers."""
    if len(low) > _LONGEST or not holds(low, _PARTS) or not _SAID.search(low):
        return None
    found: Commitment | None = None
    for match in _SIDES.finditer(low):
        who = (match.group("who") or match.group("right")).split()[-1]
        if match.start() and low[: match.start()].rstrip().endswith(("if", "not", "n't")):
            continue
        told = {
            said.group("word") or ("yes" if said.group("for") or said.group("will") else "no")
            for said in _SAID.finditer(low, 0, match.start())
            if re.search(rf"\b{re.escape(who)}\b[^.;!?,\n]*$", low[: said.start()])
        }
        if len(told) == 1:
            found = Commitment(match.start(), match.end(), told.pop(), MEDIUM, "agreement")
    return found
