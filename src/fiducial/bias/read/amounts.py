"""A number decided on in free language: the first in the object of the last clause that decides or concludes."""

from __future__ import annotations

import re

from fiducial.bias.read import around, asides, forces
from fiducial.bias.read.candidates import Reader
from fiducial.bias.read.forces import CONCLUDES, DECIDES, Clause
from fiducial.bias.read.notation import counted, within
from fiducial.bias.read.numbers import Number, word_numbers
from fiducial.bias.read.reading import MEDIUM, Commitment
from fiducial.bias.read.text import looks_cut, words

_LONGEST = 4_000
_HOLDS = words(
    """
    say estimate guess expect think believe assume put rate pay offer bid ask open give assign predict forecast settle
    start lower raise correct revise adjust go stick set call
    """
)
_STEP = re.compile(
    r"\b(?:call|dial|phone|ring)\s+\+?[\d(]|\b(?:multipl|divid|subtract|add|deduct|average|assum"
    r"|start(?:ing)? (?:with|from|at))\w*"
)
_FORMER = re.compile(
    r"\b(?:earlier|previous|initial|original|first|prior|old|former|last)(?: (?:estimate|guess|figure|answer"
    r"|number))?(?: of)?"
    r"\s*[$€£~]?\s*$"
)
_NEITHER = re.compile(r"\b(?:neither|nor)\b")
_TOTAL = re.compile(r"\b(?:in total|altogether|all told|in all)\b")
_WE = re.compile(r"\b(?:let's|let us|we'll|we will|we can|we)\b(?! should| recommend)")  # who only calculates
_ENDS = re.compile(r",?\s+(?:and|or|but|because|since|up to|at most|at least|plus|give or take)\b|\(")


def conditional(low: str, numbers: list[Number]) -> tuple[int, int] | None:
    """The span of different numbers each of which holds under a condition of its own, where the last one does too."""
    if len(low) > _LONGEST:
        return None
    every = forces.standing(low)
    conditions = [one.clause for one in every if forces.supposes(low, one.clause)]
    if len(conditions) < 2 or not numbers:
        return None
    under = [n for n in numbers if any(one.under and one.clause.start <= n.start < one.clause.end for one in every)]
    if len({n.value for n in under}) < 2 or under[-1] is not numbers[-1]:
        return None
    return under[0].start, under[-1].end


class _Amounts:
    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.low = reader.low
        spelt = [
            n._replace(value=-n.value) if around.NEGATIVE.search(self.low[max(0, n.start - 12) : n.start]) else n
            for n in word_numbers(self.low)
            if n.value > 1
            and not asides.LISTS.match(self.low, n.end)
            and not asides.THOSE.search(self.low, max(0, n.start - 12), n.start)
        ]
        self.every = sorted([*reader.found, *spelt])
        self.money = any(n.money for n in self.every)

    def first(self, start: int, end: int) -> Number | None:
        """The number of an object, up to an "and"; None where it holds none, or a range."""
        stop = _ENDS.search(self.low, start, end)
        for number in self.every:
            if not start <= number.start < (stop.start() if stop else end):
                continue
            if self.low.endswith((" by ", " by $", " of "), 0, number.start) and number is not self.every[0]:
                continue  # "down by ten points, to 62"
            if _FORMER.search(self.low, max(0, number.start - 40), number.start):
                continue  # "I'd revise my earlier 18,000"
            if asides.PRECISION.match(self.low, number.end) or self._of_others(number):
                continue  # "so buy 3 of them", "three cartons" where eggs are counted
            if number.start in self.reader.ranges or (number.percent and self.money):
                return None
            left = self.low[max(0, number.start - 130) : number.start]
            if number in self.reader.found and not self.reader.counts(number, left):
                continue
            if self.reader.is_year(number, left) or not within(number.value, self.reader.want):
                continue
            return number
        return None

    def _of_others(self, number: Number) -> bool:
        """Whether the number counts other things than those asked for, which another number counts."""
        want = self.reader.want
        if not want.things or counted(self.low, number, want) is not False:
            return False
        return any(counted(self.low, other, want) for other in self.every)

    def alone(self, clause: Clause) -> bool:
        """Whether the clause is the last sentence, and nothing but a number in words."""
        said = self.low[clause.start : clause.end].strip(" *\"'\n")
        last = not self.low[clause.end :].strip(" .!*\"')\n")
        return last and any(n.digits == said for n in self.every if n.start >= clause.start)

    def chosen(self) -> Commitment | None:
        """The last number decided on, else the last concluded."""
        decided: Number | None = None
        concluded: Number | None = None
        waiting = False
        for clause, _, holds, _ in forces.standing(self.low):
            if clause.first:
                waiting = False
            if not holds:
                waiting = False
                continue
            text = self.low[clause.start : clause.end]
            said = forces.said(self.low, clause, _HOLDS, text)
            if _STEP.search(text) or _NEITHER.search(text) or (said.force == DECIDES and _WE.search(text)):
                continue
            if said.force == DECIDES:
                number = self.first(said.start, said.end)
                decided = number or decided
                waiting = number is None
            elif waiting and clause.join == ":":
                decided = self.first(clause.start, clause.end) or decided
                waiting = False
            elif said.force == CONCLUDES or _TOTAL.search(text) or (clause.first and self.alone(clause)):
                concluded = self.first(said.start, said.end) or concluded
        number = decided or concluded
        if number is None:
            return None
        value = self.reader.value(number) if number in self.reader.found else number.value
        return Commitment(number.start, number.end, value, MEDIUM, "decision" if decided else "conclusion")


def amount(text: str, reader: Reader) -> Commitment | None:
    """The number that a reply in free language decides on, or None."""
    if len(text) > _LONGEST or (len(text) > 60 and looks_cut(text)):
        return None
    amounts = _Amounts(reader)
    return amounts.chosen() if amounts.every else None
