"""The numbers of a reply as candidates for its answer, each ranked by what surrounds it."""

from __future__ import annotations

import re
from functools import cached_property

from fiducial.bias.read import around, asides, cues, signs
from fiducial.bias.read.abstain import refuses
from fiducial.bias.read.figures import REACH
from fiducial.bias.read.lined import Lined
from fiducial.bias.read.notation import counted, unit_after, within
from fiducial.bias.read.numbers import Number
from fiducial.bias.read.reading import MEDIUM, STRONG, WEAK, Commitment
from fiducial.bias.read.spelt import spelt
from fiducial.bias.read.text import holds, sentence_end, sentence_start

_OPENS = 40  # a number in words that stands so early opens the reply
_DIGIT = re.compile(r"\d")


class Reader(Lined):
    """The candidates of one reply."""

    def tier(self, number: Number) -> Commitment | None:
        """How strongly the reply commits to this number."""
        at = number.start
        left = self.low[max(0, at - REACH) : at]
        if not self.counts(number, left) or self.low[number.end :].strip() == ",":
            return None  # "= 13,": cut off before its thousands
        line = self.line(number)
        if line is not None and self.other_measure(number):
            return None  # "2,000 miles, or 3,200 km"
        if line is not None:
            return self._make(number, STRONG, line)
        if self.want.year and (self.beside_year(number) or self.other_event(number)):
            return None
        start = sentence_start(self.low, at)
        clause = self.low[start:at]
        bare = left.rstrip(" $€£~")
        if bare.endswith(around.CAPS_ENDS) and self._capped(number, start, left):
            return None
        if (
            bare.endswith(around.REVISED_ENDS)
            and holds(left, around.REVISES_PARTS)
            and around.REVISES_LEFT.search(left)
            and not self._hypothesis(clause)
        ):
            return self._make(number, STRONG, "change-of-mind")
        if self.signs & signs.DENIED and holds(left, around.DENIED_PARTS):
            limit = around.LIMIT_LEFT.search(left[-90:])
            if (limit and not _DIGIT.search(limit.group())) or (
                self.want.limit and around.LIMITS.search(left[-44:])
            ):
                return self._make(number, STRONG, "commitment")
            if around.DENIED.search(left[-44:]) and not (
                number is self.found[-1] and self._concluded(number, left)
            ):
                return None
        if self._set_aside(number, clause) or self._beside(number, start):
            return None
        end = sentence_end(self.low, number.end, 160)
        asking = self.low[end - 1 : end] == "?"
        source = left
        ends = around.ends_in(left)
        if around.AFTER_EQUALS.search(left) or "\\approx" in left[-10:]:
            source = self._before_equation(at)
            ends = around.ends_in(source)
        if not asking:
            if self.signs & signs.CHANGE and holds(left, around.CHANGE_PARTS) and around.CHANGE.search(left[-60:]):
                return self._make(number, STRONG, "change-of-mind")
            if (
                ends & around.LINKED
                and self.signs & signs.ANSWER
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
                self.signs & signs.WHO
                and self.signs & signs.OWN_VERB
                and around.owns(left)
                and (match := around.OWN_LEFT.search(left))
                and not around.PARTIAL.search(match.group("object"))
                and not cues.vetoes(match.group())
                and not around.EARLIER.search(match.group())
                and not around.THAN_DO.search(match.group())
                and not self._hypothesis(clause)
            ):
                return self._make(number, STRONG, "commitment")
            if (
                bare.endswith(around.ORDERS_ENDS)
                and around.ORDERS_LEFT.search(left)
                and not (self.want.things and counted(self.low, number, self.want) is False)
            ):
                return self._make(number, STRONG, "commitment")
            if self._concluded(number, left) and not (
                self.other_measure(number) or self.noted(number) or self._of_other(number)
            ):
                # in the middle of a calculation it is only a step
                final = number is self.found[-1] or self._best(left)
                return self._make(number, STRONG if final else MEDIUM, "conclusion")
            if self.signs & signs.FORCES and cues.forced(left):
                return self._make(number, STRONG, "commitment")
            if self._owned(number, clause):
                return self._make(number, STRONG, "commitment")
        if self.is_year(number, left):
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
        if asking or known or (self.signs & signs.SUPPOSED and self._under(clause)):
            return None
        if not within(number.value, self.want) and not (number.percent and within(number.value / 100, self.want)):
            return None
        unit = unit_after(self.low, number) if self.want.unit else None
        want = self.want.unit
        if (
            want is not None
            and unit != want
            and (unit is not None or number.money or number.percent)
            and ((unit is not None and unit[0] == want[0]) or want in self._units)
        ):
            return None  # feet where metres were asked for; metres beside the speed that was
        if want is None and self.want.things and len(self.found) > 1 and self._measures(number):
            return None
        if source is not left:
            return self._make(number, MEDIUM, "equation")
        about = left.rstrip(" \n$€£\"'(").endswith(around.ABOUT_ENDS) and around.ABOUT.search(left)
        if about or self._states(left, ends):
            return self._make(number, MEDIUM, "statement")
        if self.listed(number) or self._of_other(number) or self.bracketed(number):
            return None
        return self._make(number, WEAK, "last-number")

    @cached_property
    def _units(self) -> set[tuple[str, str] | None]:
        return {unit_after(self.low, other) for other in self.found}

    def _beside(self, number: Number, start: int) -> bool:
        """Whether a sentence only compares, or is a note in brackets of its own, after a number that was given."""
        if asides.ONLY_COMPARES.match(self.low, start):
            return True
        if number is self.found[0] and not asides.NUMBERED.search(self.low, 0, start):
            return False
        if asides.COMPARES.match(self.low, start) or asides.NOT_ASKED.match(self.low, number.end):
            return True
        opening = self.low.rfind("(", max(0, number.start - 200), number.start)
        if opening < 0 or self.low.find(")", opening, number.start) >= 0:
            return False
        before = self.low[:opening].rstrip(" *_")
        return before[-1:] in (".", "!", "\n") and asides.NUMBERED.search(before) is not None

    def _measures(self, number: Number) -> bool:
        """Whether the number is no count, where one is asked for: "15 m long", "15,000 euros" beside "600 tickets"."""
        return unit_after(self.low, number) is not None or (number.money and self._of_other(number))

    def _capped(self, number: Number, start: int, left: str) -> bool:
        """Whether the number only limits another of its sentence: "225, and not over 240"."""
        if self.want.limit or not any(start <= other.start < number.start for other in self.found):
            return False
        return around.CAPS_LEFT.search(left[-40:]) is not None

    def _owned(self, number: Number, clause: str) -> bool:
        """Whether what follows the number makes it the reply's own: "3.1 % is my forecast too"."""
        called = (
            self.signs & signs.CALLED
            and around.CALLS_LEFT.search(clause[-30:])
            and around.CALLED_RIGHT.match(self.low, number.end)
        )
        if not (called or (self.signs & signs.OWNED and around.OWNED_RIGHT.match(self.low, number.end))):
            return False
        if called or around.EXACT.match(self.low, number.end):
            clause = cues.bearing(clause.rpartition(",")[2])
        return not (cues.vetoes(clause) or self._hypothesis(clause) or around.PART.search(clause))

    def _of_other(self, number: Number) -> bool:
        """Whether another number is in the unit, or of the things, asked for, and this one is not."""
        if len(self.found) < 2:
            return False
        if number.percent and not self.want.percent:
            return any(not other.percent for other in self.found if other is not number)
        if self.want.unit is not None:
            if unit_after(self.low, number) == self.want.unit:
                return False
            left = self.low[max(0, number.start - 12) : number.start]
            if counted(self.low, number, self.want) is not False and not around.MEASURED_LEFT.search(left):
                return False
            return any(unit_after(self.low, other) == self.want.unit for other in self.found)
        if not self.want.things or counted(self.low, number, self.want) is not False:
            return False
        return any(counted(self.low, other, self.want) for other in self.found)

    def _set_aside(self, number: Number, clause: str) -> bool:
        """Whether the clause before a number withholds it, only grants it, or is a line of code."""
        if "though" in clause and asides.CONCEDED.search(clause) and not asides.STANDS.match(self.low, number.end):
            return True
        if "i " in clause and asides.SAID_BEFORE.search(clause):
            return True
        if "could" in clause and asides.COULD_SAY.search(clause):
            return True
        if holds(clause, around.WITHHELD_PARTS):
            part = clause
            for match in around.PART.finditer(clause):
                part = clause[match.end() :]
            if "whether" in part or refuses(part):
                return True  # "I won't say whether it is more than 840"
        line = self.low.rfind("\n", 0, number.start) + 1
        if not holds(self.low[line : number.start], around.CODE_PARTS):
            return False
        code = around.CODE.match(self.low, line)
        return code is not None and code.end() >= number.end

    def wavers(self, chosen: Commitment) -> bool:
        """Whether the number is one of several that may be: "Could be 350. Could just as well be 800"."""

        def may_be(at: int) -> bool:
            return around.MAYBE_LEFT.search(self.low[max(0, at - 60) : at]) is not None

        if not may_be(chosen.start):
            return False
        return any(may_be(n.start) and abs(n.value) != abs(float(chosen.answer or 0)) for n in self.found[-40:])

    def _concluded(self, number: Number, left: str) -> bool:
        """ "Best guess 15,500", "so 36.", "which rounds to 48", and a number that is a sentence of its own at the end."""
        if self._best(left):
            return True
        window = left[-60:]
        if self.signs & signs.THUS and holds(window, around.THUS_PARTS) and around.THUS_LEFT.search(window):
            closed = around.CLAUSE_END.match(self.low, number.end)
            dangles = closed is not None and closed.end() == len(self.low) and around.DANGLES.search(self.low)
            return bool(closed) and not dangles and not asides.PRECISION.match(self.low, number.end)
        if self.signs & signs.UNDER and around.UNDER_LEFT.search(window):
            return False  # "If not, $5."
        rest = self.low[number.end :]
        if len(rest) > 40 or not around.UNITISH.fullmatch(rest.rstrip(" .!\n*)\"'")):
            return False
        if around.SENTENCE_BEGUN.search(window) is None or around.BOUNDS.search(window) or self.listed(number):
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
        if left.endswith(" to ") and asides.MOVES_TO.search(left[-80:]):
            return True  # "it should rise by 4 %, to 5,200"
        return bool(ends & around.LINKED and around.VALUE_LEFT.search(left))

    def _under(self, clause: str) -> bool:
        """Whether a number is told under a condition: "If you tell me that it holds 2 litres"."""
        return holds(clause, around.IF_PARTS) and around.IF_LEFT.search(clause) is not None

    def _hypothesis(self, clause: str) -> bool:
        if len(self.found) > 1 and asides.OTHERWISE.match(clause):
            return True  # "40. With better weather I'd say 60."
        if not self.signs & signs.HYPOTHESIS:
            return False
        return cues.HYPOTHESIS.search(clause) is not None and not cues.FORCED.search(clause)

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
        if not any(c.tier >= MEDIUM for c in found):
            found += spelt(self)
        elif around.WORD_FIRST.match(self.low):
            found += [c for c in spelt(self) if c.tier == STRONG and c.start < _OPENS]
        return sorted(found)
