"""Where a number stands on its line: alone, at its head, one of several lines like it, an aside in brackets."""

from __future__ import annotations

import re

from fiducial.bias.read import around, asides
from fiducial.bias.read.figures import Figures
from fiducial.bias.read.notation import unit_after
from fiducial.bias.read.numbers import Number
from fiducial.bias.read.text import words

_HEDGES = words(
    """
    approximately about around roughly approx. approx boxed nearly maybe perhaps probably minus negative solid good
    strong a some easily
    """
)


class Lined(Figures):
    """The numbers of one reply, told by their lines."""

    def line(self, number: Number) -> str | None:
        """Whether the number is all there is on its line, or opens the reply."""
        first, last = number.start, number.end
        if first in self.ranges:  # a range is read as a whole
            first = self.ranges[first]
            last = self.range_ends[first]
        start = self.low.rfind("\n", 0, first) + 1
        stop = self.low.find("\n", last)
        stop = len(self.low) if stop < 0 else stop
        before = self.low[start:first].strip(" \t*_#>\"'([{$€£~≈=-–—:\\")
        labelled = ":" in self.low[start:first] and (
            not self.low[stop:].strip() or around.BEST_LABEL.match(self.low, start, first) is not None
        )
        if before and before not in _HEDGES and not labelled:
            return None
        whole = stop - last < 110 and around.UNITISH.fullmatch(self.low, last, stop) is not None
        if whole and "=" not in self.low[start:first] and (not before or before in _HEDGES):
            return "lone-token" if not self._assumed(start) else None
        label = self.low[start:first]
        if (
            whole
            and labelled
            and len(label) < 90
            and around.LABELLED.fullmatch(label)
            and around.SUMMED.search(label)
        ):
            return "answer-line"
        if (
            not self.low[:start].strip()
            and not (len(self.found) > 1 and asides.ATTRIBUTED.match(self.low, number.end))
            and (not before or before in _HEDGES)
            and re.match(
                r"[\s*)%°]*(?:[.,;:!([–—-]|$|\n|because|is\b(?! (?:his|her|their|your|not|too)\b|\s*[$€£]?\d)"
                r"|since|out of|of (?:the |all )?[\d,]+[.)]?\s*$"
                r"|to be (?:exact|precise)|[a-z°]+(?<!ed)[.,(;])",
                self.low[number.end : number.end + 24],
            )
        ):
            return "first-line"
        return None

    def _assumed(self, line: int) -> bool:
        """Whether a line is one of a list of assumptions, sources or notes."""
        if not asides.BULLET.match(self.low, line):
            return False
        above = self.low[:line].rstrip()
        head = above
        while head and asides.BULLET.match(head, head.rfind("\n") + 1):
            head = head[: max(0, head.rfind("\n"))].rstrip()
        return asides.ASSUMES.search(head, head.rfind("\n") + 1) is not None

    def listed(self, number: Number) -> bool:
        """Whether the number is one of several on lines of their own: "Review 1: 9", "Review 2: 1"."""
        start = self.low.rfind("\n", 0, number.start) + 1
        if number.start - start > 90 or not around.LABELLED.fullmatch(self.low, start, number.start):
            return False
        above = self.low[: max(0, start - 1)].rstrip()
        below = self.low[number.end :].partition("\n")[2].lstrip()
        for line in (above[above.rfind("\n") + 1 :], below):
            label = around.LABELLED.match(line)
            if label is not None and line[label.end() :][:1].isdigit():
                return True
        return False

    def bracketed(self, number: Number) -> bool:
        """Whether the number is an aside in brackets to another on its line: "3,890 (2019: 4,100)"."""
        line = self.low.rfind("\n", 0, number.start) + 1
        opening = self.low.rfind("(", line, number.start)
        if opening < 0 or self.low.find(")", opening, number.start) >= 0:
            return False
        if self.want.unit is not None and unit_after(self.low, number) == self.want.unit:
            return False
        return any(line <= other.start < opening for other in self.found)

    def noted(self, number: Number) -> bool:
        """Whether the number only glosses the one that its line opens with: "116 (rounded: 120)"."""
        line = self.low.rfind("\n", 0, number.start) + 1
        opening = self.low.rfind("(", line, number.start)
        if opening < 0 or self.low.find(")", opening, number.start) >= 0:
            return False
        return any(
            not self.low[line : n.start].strip(" *~$€£") and n.end <= opening <= n.end + 12 for n in self.found
        )
