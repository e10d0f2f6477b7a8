"""A first sentence that answers in the words of the question: "The term for … is C) Inflation"."""

from __future__ import annotations

import re

from fiducial.bias.read import cues
from fiducial.bias.read.clauses import masked
from fiducial.bias.read.lexicon import Lexicon
from fiducial.bias.read.marks import ODD_ASKED
from fiducial.bias.read.mentions import Mention
from fiducial.bias.read.reading import STRONG, Commitment
from fiducial.bias.read.restate import asked_words, telling, told_by
from fiducial.bias.read.text import sentence_end

_LONGEST = 400
_SHORTEST = 12  # too few letters for two telling words and a verb
_IS = re.compile(
    r"(?:\b(?:is|are|was|were|be|called|named|known as)|:)[\s:\"'(]*(?:(?:likely|probably|therefore|thus"
    r"|most likely|option|to|the"
    r"|an?|that|when|because)[\s:\"'(]+)*$"
)
_ENDS = " \t\n.,;:!\"'()[]*"


def led(
    low: str, mentions: list[Mention], in_list: set[int], lex: Lexicon, prompt: str | None
) -> Commitment | None:
    """The option that the first sentence ends with, where it has most of the question's telling words."""
    first = mentions[0]
    at = first.start
    if at < _SHORTEST or not prompt or first.label is None or at > _LONGEST:
        return None
    if at in in_list or not _IS.search(low, at - 30 if at > 30 else 0, at):
        return None
    asked = asked_words(prompt)
    conditional = "if" in asked
    asked = asked - told_by(tuple(lex.full.values())) - {"if"}
    start = len(low) - len(low.lstrip())
    said = masked(low, start, at, mentions)
    shared = len(telling(said) & asked)
    if shared < 2 or shared < 0.6 * len(asked):
        return None
    end = sentence_end(low, start, _LONGEST)
    if at >= end:
        # "… is:", and the option on the next line
        if not low[start:end].rstrip().endswith(":") or low[end:at].strip(_ENDS):
            return None
        end = sentence_end(low, first.tail, _LONGEST)
    inside = [m for m in mentions if m.start < end and m.label]
    final = inside[-1]
    if {m.label for m in inside} != {final.label} or low[final.tail : end].strip(_ENDS) or low[end - 1] == "?":
        return None
    if cues.OTHERS.search(said) or (cues.vetoes(said) and not ODD_ASKED.search(prompt)):
        return None
    if cues.HYPOTHESIS.search(said) and not conditional:
        return None
    return Commitment(final.start, final.end, final.label, STRONG, "restates")
