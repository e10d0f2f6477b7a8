"""The numbers of a reply, told apart: marks of a list, ends of a range, years, margins, measures in another unit."""

from __future__ import annotations

import re
from itertools import pairwise

from fiducial.bias.read import around, asides, signs
from fiducial.bias.read.notation import Asked, settle, unit_after
from fiducial.bias.read.numbers import Number, numbers, word_numbers
from fiducial.bias.read.sources import without_sources
from fiducial.bias.read.text import holds

REACH = 130  # how far before a number the words that bear on it may stand


_EVENT = re.compile(r"[.,;:\n]|\band\b|\bbut\b")


def _yearlike(number: Number) -> bool:
    return len(number.digits) == 4 and number.digits.isdigit() and 1000 <= number.value <= 2100 and not number.exact


class Figures:
    """The numbers of one reply, and what kind of thing each is: a list's mark, an end of a range, a year, an answer."""

    def __init__(self, text: str, want: Asked) -> None:
        self.text = text
        self.low = text.lower()
        self.signs = signs.signs(self.low)
        self.want = want
        found = numbers(text, metres=want.unit is not None and want.unit[0] == "length")
        self.found = without_sources(text, found) if found else found
        self.items = self._list_numbers()
        self.range_ends: dict[int, int] = {}
        self.ranges = self._ranges()

    def _list_numbers(self) -> set[int]:
        """Starts of numbers that only count the lines of a list."""
        if not self.found:
            return set()
        marks = [(m.start(1), int(m.group(1))) for m in around.LIST.finditer(self.text)]
        if not marks:
            return set()
        values = {value for _, value in marks}
        return {
            at
            for at, value in marks
            if value + 1 in values or value - 1 in values or (len(self.text) - at > 400 and value == 1)
        }

    def _ranges(self) -> dict[int, int]:
        """Start of each number that is an end of a range -> start of the range."""
        ends: dict[int, int] = {}
        if len(self.found) < 2:
            return ends
        for one, two in pairwise(self.found):
            gap = self.low[one.end : two.start]
            before = self.low[max(0, one.start - 44) : one.start]
            root = around.ROOTS_GAP.fullmatch(gap) if "=" in gap else None
            if root and (own := around.ROOT_LEFT.search(before)) and own.group(1) == root.group(1):
                ends[one.start] = ends[two.start] = one.start
                self.range_ends[one.start] = two.end
                continue
            if len(gap) > 20 or (before.endswith("from ") and asides.MOVES_LEFT.search(before)):
                continue  # "it fell from 5 to −18" is no range
            revised = "to" in gap and holds(before, around.REVISES_PARTS)
            if revised and around.REVISES_LEFT.search(self.low[max(0, two.start - 130) : two.start]):
                continue  # "I'd bump it from 40 to 55"
            if len(gap) > 4 and (unit := around.UNIT_GAP.match(gap)):
                # "from 6,570 km to 6,730 km", "77.8 °C - 78.9 °C"
                gap = gap[unit.end() :] if self._spans(one, gap[unit.end() :]) else gap
            if re.fullmatch(r"\s*and\s*[$€£~]?\s*", gap) and around.BETWEEN.search(
                self.low[max(0, one.start - 24) : one.start]
            ):
                ends[one.start] = ends[two.start] = one.start
                self.range_ends[one.start] = two.end
            elif (
                around.RANGE_GAP.fullmatch(gap)
                and not around.EQUALS.match(self.low, two.end)
                and not re.search(r"=\s*$", self.low[max(0, one.start - 3) : one.start])
            ):
                spaced = gap.strip() in ("-", "–") and gap != gap.strip() and one.value > two.value
                if not spaced:
                    ends[one.start] = ends[two.start] = one.start
                    self.range_ends[one.start] = two.end
        return ends

    def _spans(self, one: Number, gap: str) -> bool:
        """Whether a number with a unit begins a range: it is told from "5 points to 7" by a dash or a "from"."""
        return gap.lstrip()[:1] in "-–—" or bool(
            around.BETWEEN.search(self.low[max(0, one.start - 24) : one.start])
        )

    def _aside_range(self, start: int) -> bool:
        """Whether a range only says how sure another number is: "15,500 (range 12,000–20,000)"."""
        line = self.low.rfind("\n", 0, start) + 1
        opening = max(self.low.rfind("(", line, start), self.low.rfind("[", line, start))
        if opening < 0 or self.low.find(")", opening, start) >= 0:
            return False
        return any(line <= n.start < opening and n.start not in self.ranges for n in self.found)

    def value(self, number: Number) -> float | None:
        """What the number stands for, a denominator that is the scale's end left aside."""
        if number.over is not None and self._two(number):
            return None
        value = self._said_again(number)
        if value is None:
            value = settle(number, self.text, self.want)
        if value is None:
            return None
        if number.over is not None:
            scale = (
                self.want.high
                if self.want.high is not None
                else (number.over if number.over in (10.0, 100.0) else None)
            )
            counted = number.over in self.want.out_of or around.STARS.match(self.low, number.end)
            if scale != number.over and not counted:
                value = value / number.over
        below = around.NEGATIVE.search(self.low[max(0, number.start - 12) : number.start])
        if value > 0 and (below or around.BELOW_ZERO.match(self.low, number.end)):
            value = -value
        return value

    def _two(self, number: Number) -> bool:
        """Whether "180 / 240" puts two numbers side by side, both of which the reply has found."""
        if " / " not in self.text[number.start : number.end]:
            return False
        return {number.value, number.over} <= {n.value for n in self.found if n.over is None}

    def _said_again(self, number: Number) -> float | None:
        """Which of two notations is meant, where the reply has the number in another as well: "48.000 (48 thousand)"."""
        if number.other is None:
            return None
        both = {number.value, -abs(number.other) if number.value < 0 else abs(number.other)}
        said = {n.value for n in self.found if n.other is None} | {n.value for n in word_numbers(self.low)}
        meant = both & said
        return meant.pop() if len(meant) == 1 else None

    def counts(self, number: Number, left: str) -> bool:
        """Whether the number can be an answer at all: not a step, a list mark, an operand, a margin."""
        tail = left.rstrip(" \n$€£")
        if number.start in self.items or asides.ASIDE.match(self.low, number.end):
            return False
        following = self.low[number.end : number.end + 1]
        if following == "-" and self._compound(number):
            return False
        if (
            number.percent
            and not self.want.percent
            and tail.endswith(asides.BY_ENDS)
            and asides.BY_LEFT.search(left)
        ):
            return False  # "it should rise by about 4 %"
        if not self.want.change and len(self.found) > 1 and asides.MORE_THAN.match(self.low, number.end):
            return False  # "96 more than her opponent"
        if self.want.change and asides.FROM_TO.search(left) and len(self.found) > 2:
            return False  # "It went down 7 degrees, from 21 to 14"
        if following == " " and asides.LISTS.match(self.low, number.end):
            return False
        if number.percent and asides.RELATIVE.match(self.low, number.end):
            return False
        if number.start in self.ranges and self._aside_range(self.ranges[number.start]):
            return False
        if tail.endswith(around.MARGIN_ENDS) and asides.MARGIN.search(left):
            return False
        if around.OPERATOR.match(self.low, number.end) and number.start not in self.ranges:
            return False
        if around.EQUALS.match(self.low, number.end):
            return False
        if (
            not number.exact
            and number.over is None
            and (tail.endswith(("#", "(")) or tail.rstrip(".").endswith(around.STEP_ENDS))
            and around.STEP.search(left[-24:])
            and not around.NAMED.search(left)
            and not (tail.endswith("(") and unit_after(self.low, number))
        ):
            return False
        return not (self.signs & signs.CONFIDENT and around.CONFIDENCE_LEFT.search(left[-60:]))

    def _compound(self, number: Number) -> bool:
        """Whether the number is part of a word ("the 42-line Bible"), and not of the unit asked for."""
        if not self.low[number.end + 1 : number.end + 3].isalpha():
            return False
        return self.want.unit is None or unit_after(self.low, number) != self.want.unit

    def beside_year(self, number: Number) -> bool:
        """Where a year is asked for: whether this is none, and another number is."""
        return not _yearlike(number) and any(map(_yearlike, self.found))

    def other_event(self, number: Number) -> bool:
        """Where a year is asked for: whether another year stands with the question's own words, and this does not."""
        years = [n for n in self.found if _yearlike(n)]
        if len(years) < 2 or not self.want.verbs:
            return False

        def asked(year: Number) -> bool:
            before = self.low[max(0, year.start - 60) : year.start]
            return bool(self.want.verbs & set(_EVENT.split(before)[-1].split()))

        return not asked(number) and any(map(asked, years))

    def is_year(self, number: Number, left: str) -> bool:
        """Whether the number is a date in passing, where none is asked for: "in 2011"."""
        if (
            self.want.year
            or number.exact
            or number.money
            or number.percent
            or not (1500 <= number.value <= 2100)
            or not number.digits.isdigit()
        ):
            return False
        return bool(around.YEAR_LEFT.search(left[-30:])) and not around.NOT_YEARS.search(left[-30:])

    def other_unit(self, number: Number) -> bool:
        """Whether the number has a unit of the kind asked for, but another one: weeks for days."""
        unit = unit_after(self.low, number) if self.want.unit else None
        return (
            unit is not None
            and self.want.unit is not None
            and unit[0] == self.want.unit[0]
            and unit != self.want.unit
        )

    def other_measure(self, number: Number) -> bool:
        """Whether the number is in another unit than the one asked for, which a neighbour is in."""
        want = self.want.unit
        if want is None or len(self.found) < 2:
            return False
        unit = unit_after(self.low, number)
        if unit is None or unit[0] != want[0] or unit == want:
            return False
        return any(unit_after(self.low, other) == want for other in self.found)
