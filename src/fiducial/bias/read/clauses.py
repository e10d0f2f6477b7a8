"""Sentences and their main clauses: what a reply itself holds, apart from what it grants or gives as a reason."""

from __future__ import annotations

import re
from typing import NamedTuple

from fiducial.bias.read.mentions import Mention
from fiducial.bias.read.text import sentence_end

_LEADING = re.compile(
    r"\s*(?:and |but |so |yet )?(?:although|though|even though|even if|while|whereas|since|because|as(?! of\b)"
    r"|given|despite"
    r"|in spite of|considering|after|before|when|with|between|of|among|compared)\b[^,;\n]{0,160},\s*"
)
_TRAILING = re.compile(
    r",?(?<!\s)\s+\b(?:because|since|while|whereas|although|though|even though|rather than|instead of|unlike"
    r"|so that|given"
    r"|despite|as (?:it|this|that|they|we|i|he|she)|compared (?:to|with)|followed by|ahead of|over|than)\b"
    r"|;|,\s*(?:which|who|where|but|as|according to|not|and (?:not|the|it|that|this|i|we))\b|\s[–—-]\s|:\s"
)

_QUOTED = re.compile(r'"[^"\n]{1,120}"')


class Sentence(NamedTuple):
    """A sentence at `start:end` of a text in lower case."""

    start: int
    end: int

    def main(self, low: str) -> tuple[int, int]:
        """The span of its main clause."""
        return main_clause(low, self.start, self.end)

    def asks(self, low: str) -> bool:
        """Whether it is a question."""
        return low[max(self.start, self.end - 8) : self.end].rstrip("\"')* \n").endswith("?")

    def names(self, mentions: list[Mention]) -> bool:
        """Whether an option is named in it."""
        return any(self.start <= m.start < self.end for m in mentions)


def sentences(low: str, start: int = 0) -> list[Sentence]:
    """The sentences of a text from `start` on; a line break ends one."""
    found: list[Sentence] = []
    length = len(low)
    while start < length:
        end = sentence_end(low, start, length)
        if end - start > 1 and not low[start:end].isspace():
            found.append(Sentence(start, end))
        start = end
    return found


def main_clause(low: str, start: int, end: int) -> tuple[int, int]:
    """The span of what a sentence or clause holds, without a leading "although …," and a trailing "because …"."""
    lead = _LEADING.match(low, start, end)
    start = lead.end() if lead else start
    # the first words cannot be cut off: "As for me, …"
    trail = _TRAILING.search(low, min(end, start + 3), end)
    return start, trail.start() if trail else end


def masked(low: str, start: int, end: int, mentions: list[Mention]) -> str:
    """A stretch of text in which the options' own words and quoted ones, which may hold a "not", are blanked."""
    text = low[start:end]
    for mention in mentions:
        if mention.kind == "text" and start <= mention.start < end:
            at, stop = mention.start - start, min(mention.end, end) - start
            text = text[:at] + "x" * (stop - at) + text[stop:]
    return _QUOTED.sub(lambda quoted: "x" * len(quoted.group()), text) if '"' in text else text
