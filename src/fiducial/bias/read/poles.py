"""Two options of which one is the refusal of the other: "Accept the offer" and "Reject the offer".

They answer a question of yes and no, so that "I'd turn it down" names the second.
"""

from __future__ import annotations

import re
from functools import lru_cache

from fiducial.bias.read.lexicon import Lexicon
from fiducial.bias.read.mentions import Mention
from fiducial.bias.read.question import asked_verbs
from fiducial.bias.read.reading import WEAK, Commitment
from fiducial.bias.read.text import words
from fiducial.bias.read.yesno import read_yesno

_NOT = re.compile(r"(?:do not|don't|not(?: to)?|never)\s+(?=\w)")
_REFUSES = words("reject refuse decline")
_PLAIN = re.compile(
    r"\b(?:turn|declin|reject|refus|walk away|pass\b|(?:stay|steer) |take|accept|agree|go (?:ahead|for)|sign"
    r"|say (?:yes|no)"
    r"|better|best|well|wise)"
)
_LONGEST = 400


@lru_cache(maxsize=4096)
def _poles(full: tuple[tuple[str, str], ...]) -> tuple[str, str, str] | None:
    """The label of the act, that of its refusal, and a question that asks for the act."""
    if len(full) != 2:
        return None
    for (act, done), (other, undone) in (full, full[::-1]):
        verb, _, thing = done.partition(" ")
        denied = _NOT.match(undone)
        refused = undone.split(" ", 1)
        if (denied and undone[denied.end() :].startswith(verb)) or (
            refused[0] in _REFUSES and verb not in _REFUSES and refused[1:] == ([thing] if thing else [])
        ):
            # of "accept the settlement" also "settle"
            nouns = [word[:-4] for word in thing.split() if word.endswith("ment") and len(word) > 7]
            return act, other, " ".join(f"Should you {verb}?" for verb in (done, *nouns))
    return None


def refused_or_done(body: str, mentions: list[Mention], lex: Lexicon) -> Commitment | None:
    """The act or its refusal, told by other words after the last that name an option."""
    poles = _poles(tuple(lex.full.items()))
    if poles is None:
        return None
    start = 0
    if mentions:
        start = body.find("\n", mentions[-1].tail) + 1
        if not start:
            return None
    if len(body.strip()) - start > _LONGEST or not body[start:].strip():
        return None
    reading = read_yesno(body[start:], poles[2])
    if reading.rule != "act" or reading.span is None or reading.answer is None:
        return None
    said = body[start + reading.span[0] : start + reading.span[1]].lower()
    if not _PLAIN.search(said) and not any(verb[:5] in said for verb in asked_verbs(poles[2])):
        return None  # "that's a bad deal", "wait" say less
    label = poles[0] if reading.answer == "yes" else poles[1]
    return Commitment(start + reading.span[0], start + reading.span[1], label, WEAK, "act")
