"""A first sentence that answers in the words of the question: "The term for … is C) Inflation"."""

from __future__ import annotations

import re

from gnomon.bias.read import cues
from gnomon.bias.read.clauses import masked
from gnomon.bias.read.lexicon import Lexicon
from gnomon.bias.read.marks import ODD_ASKED
from gnomon.bias.read.mentions import Mention
from gnomon.bias.read.reading import STRONG, Commitment
from gnomon.bias.read.restate import asked_words, telling
from gnomon.bias.read.text import sentence_end

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
    if first.start < _SHORTEST or not prompt or first.label is None or first.start > _LONGEST:
        return None
    if first.start in in_list or not _IS.search(low, max(0, first.start - 30), first.start):
        return None
    start = len(low) - len(low.lstrip())
    end = sentence_end(low, start, _LONGEST)
    if first.start >= end:
        # "… is:", and the option on the next line
        if not low[start:end].rstrip().endswith(":") or low[end : first.start].strip(_ENDS):
            return None
        end = sentence_end(low, first.tail, _LONGEST)
    inside = [m for m in mentions if m.start < end and m.label]
    final = inside[-1]
    if {m.label for m in inside} != {final.label} or low[final.tail : end].strip(_ENDS):
        return None
    if low[end - 1] == "?":
        return None
    said = masked(low, start, inside[0].start, mentions)
    if cues.OTHERS.search(said) or (cues.vetoes(said) and not ODD_ASKED.search(prompt)):
        return None
    asked = asked_words(prompt)
    if cues.HYPOTHESIS.search(said) and "if" not in asked:
        return None
    options = frozenset().union(*(telling(text) for text in lex.full.values()))
    asked = asked - options - {"if"}
    shared = len(telling(said) & asked)
    if shared < 2 or shared < 0.6 * len(asked):
        return None
    return Commitment(final.start, final.end, final.label, STRONG, "restates")
