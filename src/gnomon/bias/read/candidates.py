"""The numbers of a reply as candidates for its answer, each ranked by what surrounds it."""

from __future__ import annotations

import re
from itertools import pairwise

from gnomon.bias.read import around, cues
from gnomon.bias.read.notation import Asked, settle, unit_after, within
from gnomon.bias.read.numbers import Number, numbers, word_numbers
from gnomon.bias.read.reading import MEDIUM, STRONG, WEAK, Commitment
from gnomon.bias.read.text import holds, sentence_end, sentence_start, words

REACH = 130
_HEDGES = words(
    """
    approximately about around roughly approx. approx boxed nearly maybe perhaps probably minus negative solid good
    strong a
    """
)


def _yearlike(number: Number) -> bool:
    return len(number.digits) == 4 and number.digits.isdigit() and 1000 <= number.value <= 2100 and not number.exact


class Reader:
    """The candidates of one reply."""

    def __init__(self, text: str, want: Asked) -> None:
        self.text = text
        self.low = text.lower()
        self.want = want
        self.found = numbers(text, metres=want.unit is not None and want.unit[0] == "length")
        self.items = self._list_numbers()
        self.range_ends: dict[int, int] = {}
        self.ranges = self._ranges()

    def _list_numbers(self) -> set[int]:
        """Starts of numbers that only count the lines of a list."""
        marks = [(m.start(1), int(m.group(1))) for m in around.LIST.finditer(self.text)]
        values = {value for _, value in marks}
        return {
            at
            for at, value in marks
            if value + 1 in values or value - 1 in values or (len(self.text) - at > 400 and value == 1)
        }

    def _ranges(self) -> dict[int, int]:
        """Start of each number that is an end of a range -> start of the range."""
        ends: dict[int, int] = {}
        for one, two in pairwise(self.found):
            gap = self.low[one.end : two.start]
            if len(gap) > 20 or around.MOVES_LEFT.search(self.low[max(0, one.start - 44) : one.start]):
                continue  # "it fell from 5 to −18" is no range
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
        value = settle(number, self.text, self.want)
        if value is None:
            return None
        if number.over is not None:
            scale = (
                self.want.high
                if self.want.high is not None
                else (number.over if number.over in (10.0, 100.0) else None)
            )
            if scale != number.over and not (number.over in (10.0, 100.0) and number.over in self.want.values):
                value = value / number.over
        below = around.NEGATIVE.search(self.low[max(0, number.start - 12) : number.start])
        if value > 0 and (below or around.BELOW_ZERO.match(self.low, number.end)):
            value = -value
        return value

    def counts(self, number: Number, left: str) -> bool:
        """Whether the number can be an answer at all: not a step, a list mark, an operand, a margin."""
        tail = left.rstrip(" \n$€£")
        if number.start in self.items or around.ASIDE.match(self.low, number.end):
            return False
        following = self.low[number.end : number.end + 1]
        if following == "-" and self._compound(number):
            return False
        if following == " " and around.LISTS.match(self.low, number.end):
            return False
        if number.percent and around.RELATIVE.match(self.low, number.end):
            return False
        if number.start in self.ranges and self._aside_range(self.ranges[number.start]):
            return False
        if tail.endswith(around.MARGIN_ENDS) and around.MARGIN.search(left):
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
        return not (holds(left, around.CONFIDENCE_PARTS) and around.CONFIDENCE_LEFT.search(left[-60:]))

    def _compound(self, number: Number) -> bool:
        """Whether the number is part of a word ("the 42-line Bible"), and not of the unit asked for."""
        if not self.low[number.end + 1 : number.end + 3].isalpha():
            return False
        return self.want.unit is None or unit_after(self.low, number) != self.want.unit

    def _beside_year(self, number: Number) -> bool:
        """Where a year is asked for: whether this is none, and another number is."""
        return not _yearlike(number) and any(map(_yearlike, self.found))

    def _year(self, number: Number, left: str) -> bool:
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

    def tier(self, number: Number) -> Commitment | None:
        """How strongly the reply commits to this number."""
        at = number.start
        left = self.low[max(0, at - REACH) : at]
        if not self.counts(number, left):
            return None
        line = self._line(number)
        if line is not None and self._other_measure(number):
            return None  # "2,000 miles, or 3,200 km"
        if line is not None:
            return self._make(number, STRONG, line)
        if self.want.year and self._beside_year(number):
            return None
        if holds(left, around.DENIED_PARTS):
            if around.LIMIT_LEFT.search(left[-90:]) or (self.want.limit and around.LIMITS.search(left[-44:])):
                return self._make(number, STRONG, "commitment")
            if around.DENIED.search(left[-44:]) and not (
                number is self.found[-1] and self._concluded(number, left)
            ):
                return None
        start = sentence_start(self.low, at)
        clause = self.low[start:at]
        end = sentence_end(self.low, number.end, 160)
        asking = self.low[end - 1 : end] == "?"
        source = left
        ends = around.ends_in(left)
        if around.AFTER_EQUALS.search(left) or "\\approx" in left[-10:]:
            source = self._before_equation(at)
            ends = around.ends_in(source)
        if not asking:
            if holds(left, around.CHANGE_PARTS) and around.CHANGE.search(left[-60:]):
                return self._make(number, STRONG, "change-of-mind")
            if (
                ends & around.LINKED
                and holds(source, around.ANSWER_PARTS)
                and (match := around.ANSWER_LEFT.search(source))
                and not self._aside(match, source, clause)
            ):
                return self._make(
                    number,
                    STRONG,
                    "answer-line"
                    if around.SHORT.search(source[: match.start()].rsplit("\n", 1)[-1]) and ":" in match.group()
                    else "answer-is",
                )
            if (
                holds(left, around.OWN_WHO)
                and holds(left, around.OWN_PARTS)
                and (match := around.OWN_LEFT.search(left))
                and not around.PARTIAL.search(match.group("object"))
                and not cues.vetoes(match.group())
                and not around.EARLIER.search(match.group())
                and not self._hypothesis(clause)
            ):
                return self._make(number, STRONG, "commitment")
            if self._concluded(number, left) and not self._other_measure(number):
                # in the middle of a calculation it is only a step
                final = number is self.found[-1] or self._best(left)
                return self._make(number, STRONG if final else MEDIUM, "conclusion")
            if cues.forced(left):
                return self._make(number, STRONG, "commitment")
        if self._year(number, left):
            return None
        known = number.value in self.want.values and not number.over
        if around.THUS.match(clause) and not known and self._states(source, ends):
            return self._make(number, STRONG, "conclusion")
        if (
            known
            and not asking
            and len({n.value for n in self.found}) == 1
            and self._states(left, around.ends_in(left))
            and not cues.OTHERS.search(clause)
        ):
            return self._make(number, MEDIUM, "statement")
        if asking or known:
            return None
        if not within(number.value, self.want):
            return None
        unit = unit_after(self.low, number) if self.want.unit else None
        if (
            unit is not None
            and self.want.unit is not None
            and unit[0] == self.want.unit[0]
            and unit != self.want.unit
        ):
            return None  # feet where metres were asked for
        if source is not left:
            return self._make(number, MEDIUM, "equation")
        about = left.rstrip(" \n$€£\"'(").endswith(around.ABOUT_ENDS) and around.ABOUT.search(left)
        if about or self._states(left, ends):
            return self._make(number, MEDIUM, "statement")
        return None if self._listed(number) else self._make(number, WEAK, "last-number")

    def _listed(self, number: Number) -> bool:
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

    def _concluded(self, number: Number, left: str) -> bool:
        """ "Best guess 15,500", "so 36.", "which rounds to 48", and a number that is a sentence of its own at the end."""
        if self._best(left):
            return True
        window = left[-60:]
        if holds(window, around.THUS_PARTS) and around.THUS_LEFT.search(window):
            closed = around.CLAUSE_END.match(self.low, number.end)
            dangles = closed is not None and closed.end() == len(self.low) and around.DANGLES.search(self.low)
            return bool(closed) and not dangles and not around.PRECISION.match(self.low, number.end)
        rest = self.low[number.end :]
        if len(rest) > 40 or not around.UNITISH.fullmatch(rest.rstrip(" .!\n*)\"'")):
            return False
        if around.SENTENCE_BEGUN.search(window) is None or around.BOUNDS.search(window) or self._listed(number):
            return False
        return window.rfind("(") <= window.rfind(")")  # "(First try: 1,100.)"

    def _best(self, left: str) -> bool:
        """ "My best guess …", without a verb."""
        return (
            left.rstrip(" \n:$€£~\"'(").endswith(around.BEST_ENDS)
            and around.BEST_LEFT.search(left[-50:]) is not None
        )

    def _states(self, left: str, ends: int) -> bool:
        """Whether the words before a number state it: "the total is …", "that leaves …"."""
        if ends & around.STATED and around.STATES.search(left):
            return True
        return bool(ends & around.LINKED and around.VALUE_LEFT.search(left))

    def _other_unit(self, number: Number) -> bool:
        """Whether the number has a unit of the kind asked for, but another one: weeks for days."""
        unit = unit_after(self.low, number) if self.want.unit else None
        return (
            unit is not None
            and self.want.unit is not None
            and unit[0] == self.want.unit[0]
            and unit != self.want.unit
        )

    def _other_measure(self, number: Number) -> bool:
        """Whether the number is in another unit than the one asked for, which a neighbour is in."""
        want = self.want.unit
        if want is None or len(self.found) < 2:
            return False
        unit = unit_after(self.low, number)
        if unit is None or unit[0] != want[0] or unit == want:
            return False
        return any(unit_after(self.low, other) == want for other in self.found)

    def _hypothesis(self, clause: str) -> bool:
        return bool(cues.HYPOTHESIS.search(clause)) and not cues.FORCED.search(clause)

    def _aside(self, match: re.Match[str], source: str, clause: str) -> bool:
        before = source[: match.start()].rsplit("\n", 1)[-1][-40:]
        if around.OF_OTHERS.search(before):
            return True
        if (
            match.group("noun").startswith(("guess", "estimate", "answer"))
            and "'" in before
            and around.OWNED.search(before)
        ):
            return True  # "the tourist's guess"
        if around.NOT.search(match.group("link")) or "be it" in match.group():
            return True
        return bool(around.NOT_THINK.search(clause)) or (self._hypothesis(clause) and "would" in match.group())

    def _before_equation(self, at: int) -> str:
        """The text before the expression that ends in "=" at `at`."""
        line = self.low.rfind("\n", max(0, at - 200), at) + 1
        line = max(line, at - 200, 0)
        head = around.EXPRESSION.match(self.low[line:at])
        return self.low[max(0, line - 60) : line + (head.end() if head else 0)]

    def _line(self, number: Number) -> str | None:
        """Whether the number is all there is on its line, or opens the reply."""
        first, last = number.start, number.end
        if first in self.ranges:  # a range is read as a whole
            first = self.ranges[first]
            last = self.range_ends[first]
        start = self.low.rfind("\n", 0, first) + 1
        stop = self.low.find("\n", last)
        stop = len(self.low) if stop < 0 else stop
        before = self.low[start:first].strip(" \t*_#>\"'([{$€£~≈=-–—:\\")
        labelled = ":" in self.low[start:first] and not self.low[stop:].strip()
        if before and before not in _HEDGES and not labelled:
            return None
        whole = stop - last < 110 and around.UNITISH.fullmatch(self.low, last, stop) is not None
        if whole and "=" not in self.low[start:first] and (not before or before in _HEDGES):
            return "lone-token"
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
            and (not before or before in _HEDGES)
            and re.match(
                r"[\s*)%°]*(?:[.,;:!(–—-]|$|\n|because|is\b|since|out of|[a-z°]+[.,(;])",
                self.low[number.end : number.end + 24],
            )
        ):
            return "first-line"
        return None

    def _make(self, number: Number, tier: int, rule: str) -> Commitment:
        if number.start in self.ranges:
            return Commitment(number.start, number.end, None, tier, "range")
        value = self.value(number)
        return Commitment(number.start, number.end, value, tier, rule if value is not None else "notation")

    def commitments(self) -> list[Commitment]:
        """Candidates in order, from the last strong one on."""
        found: list[Commitment] = []
        for number in reversed(self.found[-400:]):
            candidate = self.tier(number)
            if candidate is None:
                continue
            found.append(candidate)
            if candidate.tier == STRONG:
                break
        if not found and not self.found:
            return self._in_words()
        if not any(c.tier >= MEDIUM for c in found):
            found += self._in_words()
        return sorted(found)

    def _in_words(self) -> list[Commitment]:
        found = []
        for number in word_numbers(self.low):
            left = self.low[max(0, number.start - REACH) : number.start]
            shut = re.match(r"\s*(?:[.,;!\n(]|$|[a-z°%]+[.!]?\s*$)", self.low[number.end : number.end + 30])
            opening = self.low[: number.start].strip(" \"'(*\n").removesuffix(" a")
            if self._other_unit(number):
                continue
            alone = (
                opening in ("", "a", "about", "around", "roughly", "approximately", "minus", "negative", "some")
                and shut
            )
            given = around.ANSWER_LEFT.search(left) or around.OWN_LEFT.search(left) or around.ABOUT.search(left)
            value = -number.value if around.NEGATIVE.search(left[-12:]) else number.value
            if alone or (shut and given):
                found.append(Commitment(number.start, number.end, value, STRONG, "number-word"))
            elif self.want.values is not None and around.VALUE_LEFT.search(left) and number.value > 1:
                found.append(Commitment(number.start, number.end, number.value, MEDIUM, "number-word"))
        return found
