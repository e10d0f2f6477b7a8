"""Reading the number a reply commits to: candidates ranked by what surrounds them."""

from __future__ import annotations

import re
from itertools import pairwise

from gnomon.bias.read import around, cues
from gnomon.bias.read.abstain import abstention, refuses
from gnomon.bias.read.notation import Asked, asked, settle, unit_after, within
from gnomon.bias.read.numbers import Number, numbers, word_numbers
from gnomon.bias.read.reading import MEDIUM, STRONG, WEAK, Commitment, Reading
from gnomon.bias.read.structure import slots
from gnomon.bias.read.text import clean_numbers, looks_cut, sentence_end, sentence_start, words

REACH = 130
_HEDGES = words(
    "approximately about around roughly approx. approx boxed nearly maybe perhaps probably minus negative"
)


class Reader:
    """The candidates of one reply."""

    def __init__(self, text: str, want: Asked) -> None:
        self.text = text
        self.low = text.lower()
        self.want = want
        self.found = numbers(text, metres=want.unit is not None and want.unit[0] == "length")
        self.items = self._list_numbers()
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
            if len(gap) > 14:
                continue
            if re.fullmatch(r"\s*and\s*[$€£~]?\s*", gap) and around.BETWEEN.search(
                self.low[max(0, one.start - 24) : one.start]
            ):
                ends[one.start] = ends[two.start] = one.start
            elif (
                around.RANGE_GAP.fullmatch(gap)
                and not around.EQUALS.match(self.low, two.end)
                and not re.search(r"=\s*$", self.low[max(0, one.start - 3) : one.start])
            ):
                spaced = gap.strip() in ("-", "–") and gap != gap.strip() and one.value > two.value
                if not spaced:
                    ends[one.start] = ends[two.start] = one.start
        return ends

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
        if value > 0 and around.NEGATIVE.search(self.low[max(0, number.start - 12) : number.start]):
            value = -value
        return value

    def counts(self, number: Number, left: str) -> bool:
        """Whether the number can be an answer at all: not a step, a list mark, an operand, a margin."""
        if number.start in self.items or around.MARGIN.search(left) or around.ASIDE.match(self.low, number.end):
            return False
        if around.OPERATOR.match(self.low, number.end) and number.start not in self.ranges:
            return False
        if around.EQUALS.match(self.low, number.end):
            return False
        if (
            not number.exact
            and number.over is None
            and around.STEP.search(left[-24:])
            and not around.NAMED.search(left)
        ):
            return False
        return not around.CONFIDENCE_LEFT.search(left[-60:])

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
        return bool(around.YEAR_LEFT.search(left[-30:]))

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
        if around.DENIED.search(left[-44:]):
            return None
        start = sentence_start(self.low, at)
        clause = self.low[start:at]
        asking = (
            self.low[sentence_end(self.low, number.end, 160) - 1 : sentence_end(self.low, number.end, 160)] == "?"
        )
        source = left
        if around.AFTER_EQUALS.search(left) or "\\approx" in left[-10:]:
            source = self._before_equation(at)
        if not asking:
            if around.CHANGE.search(left[-60:]):
                return self._make(number, STRONG, "change-of-mind")
            if (match := around.ANSWER_LEFT.search(source)) and not self._aside(match, source, clause):
                return self._make(
                    number,
                    STRONG,
                    "answer-line"
                    if around.SHORT.search(source[: match.start()].rsplit("\n", 1)[-1]) and ":" in match.group()
                    else "answer-is",
                )
            if (
                (match := around.OWN_LEFT.search(left))
                and not around.PARTIAL.search(match.group("object"))
                and not cues.vetoes(match.group())
                and not self._hypothesis(clause)
            ):
                return self._make(number, STRONG, "commitment")
            if cues.FORCED_LEFT.search(left):
                return self._make(number, STRONG, "commitment")
        if self._year(number, left):
            return None
        known = number.value in self.want.values and not number.over
        if (
            around.THUS.match(clause)
            and (around.VALUE_LEFT.search(source) or around.STATES.search(source))
            and not known
        ):
            return self._make(number, STRONG, "conclusion")
        if (
            known
            and not asking
            and len({n.value for n in self.found}) == 1
            and (around.VALUE_LEFT.search(left) or around.STATES.search(left))
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
        if around.VALUE_LEFT.search(left) or around.STATES.search(left) or around.ABOUT.search(left):
            return self._make(number, MEDIUM, "statement")
        return self._make(number, WEAK, "last-number")

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
        if around.NOT.search(match.group("link")):
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
        start = self.low.rfind("\n", 0, number.start) + 1
        stop = self.low.find("\n", number.end)
        stop = len(self.low) if stop < 0 else stop
        before = self.low[start : number.start].strip(" \t*_#>\"'([{$€£~≈=-–—:\\")
        if before and before not in _HEDGES:
            return None
        whole = stop - number.end < 110 and around.UNITISH.fullmatch(self.low, number.end, stop) is not None
        if whole and "=" not in self.low[start : number.start]:
            return "lone-token"
        if (
            not self.low[:start].strip()
            and not before
            and re.match(
                r"[\s*)%°]*(?:[.,;:!(–—-]|$|\n|because|is\b|since|out of|[a-z°]+[.,(])",
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
            alone = (
                self.low[: number.start].strip(" \"'(*\n") in ("", "about", "around", "roughly", "approximately")
                and shut
            )
            if alone or (shut and (around.ANSWER_LEFT.search(left) or around.OWN_LEFT.search(left))):
                found.append(Commitment(number.start, number.end, number.value, STRONG, "number-word"))
            elif self.want.values is not None and around.VALUE_LEFT.search(left) and number.value > 1:
                found.append(Commitment(number.start, number.end, number.value, MEDIUM, "number-word"))
        return found


_ANSWER_LINE = re.compile(
    r"[ \t*]*(?i:final |my )?(?i:answer)[ \t*]*:[ \t*$€£~]*"
    r"([-−]?(?:\d{1,3}(?:,\d{3})+|\d{1,15}))(\.\d{1,2}|\.\d{4,9})?"
    r"(?:[ \t]?(?:%|percent|km|metres|meters|kilometres|kilometers|miles|years|days|dollars|people))?[ \t*.]*"
)
_FAST = re.compile(
    r"\s*(?:\*\*)?([-−]?(?:\d{1,15}|\d{1,3}(?:,\d{3}){1,5}))(\.\d{1,2}|\.\d{4,12})?(?:\*\*)?(\s?%)?\.?"
    r"\s*"
)


def _last_line(body: str) -> Reading | None:
    """The short way: a last line `Answer: 330 m` in plain notation, which nothing after it can overrule."""
    end = len(body.rstrip())
    match = _ANSWER_LINE.fullmatch(body, body.rfind("\n", 0, end) + 1, end)
    if match is None or "<" in body or "{" in body:
        return None
    start, stop = match.start(1), match.end(2) if match.group(2) else match.end(1)
    value = float(body[start:stop].replace(",", "").replace("−", "-"))
    return Reading(status="read", answer=value, span=(start, stop), rule="answer-line")


def _value_of(value: str, want: Asked) -> Commitment | None:
    """The number a structured value holds."""
    reader = Reader(clean_numbers(value), want)
    usable = [n for n in reader.found if reader.counts(n, reader.low[: n.start])]
    if not usable:
        words = word_numbers(reader.low)
        return (
            Commitment(words[0].start, words[0].end, words[0].value, STRONG, "number-word")
            if len(words) == 1
            else None
        )
    if any(n.start in reader.ranges for n in usable):
        return Commitment(usable[0].start, usable[-1].end, None, STRONG, "range")
    best = usable[0]
    if len({n.value for n in usable}) > 1:
        ranked = [c for c in reader.commitments() if c.tier == STRONG]
        if ranked:
            return ranked[-1]
        best = usable[-1] if "=" in value else usable[0]
    answer = reader.value(best)
    return Commitment(best.start, best.end, answer, STRONG, "notation" if answer is None else "")


def _choose(found: list[Commitment], text: str, low: str) -> Commitment | None:
    """The candidate to believe where nothing strong was said."""
    cut = looks_cut(text) and (len(text) > 60 or around.DANGLES.search(low) is not None)
    for tier in (MEDIUM, WEAK):
        these = [c for c in found if c.tier == tier]
        if cut:  # of a text that breaks off only whole sentences are believed
            these = [c for c in these if c.rule == "equation" or sentence_end(low, c.end) < len(low.rstrip())]
        if not these:
            continue
        last = these[-1]
        distinct = {c.answer for c in these}
        if len(distinct) == 1:
            if cut and last.rule == "equation" and (len(low[last.end :].split()) > 2 or around.DANGLES.search(low)):
                return None
            return last if tier == MEDIUM or (len(text) < 400 and not cut) else None
        if cut and len(text) > 120:
            return None
        if tier == MEDIUM or sentence_end(low, last.end) >= len(low.rstrip()):
            return last
    return None


def read_numeric(body: str, prompt: str | None, unit: str | None, low: float | None, high: float | None) -> Reading:
    """Read the number that `body` commits to; percentages in points, never converted."""
    if (fast := _FAST.fullmatch(body)) and (prompt is None or "," not in body):
        value = float((fast.group(1) + (fast.group(2) or "")).replace(",", "").replace("−", "-"))
        return Reading(
            status="read",
            answer=value,
            span=fast.span(1) if not fast.group(2) else (fast.start(1), fast.end(2)),
            rule="lone-token",
        )
    if short := _last_line(body):
        return short
    want = asked(prompt, unit, low, high)
    text = clean_numbers(body)
    structured = slots(body)
    found: list[Commitment] = []
    for slot in structured:
        value_found = _value_of(body[slot.start : slot.end], want)
        if value_found is not None:
            found.append(
                value_found._replace(
                    start=slot.start + value_found.start,
                    end=slot.start + value_found.end,
                    rule=value_found.rule if value_found.answer is None else slot.rule,
                )
            )
        text = text[: slot.outer_start] + " " * (slot.outer_end - slot.outer_start) + text[slot.outer_end :]
    reader = Reader(text, want)
    found = sorted(found + reader.commitments(), key=lambda c: c.start)
    strong = [c for c in found if c.tier == STRONG]
    chosen = strong[-1] if strong else None
    if chosen is not None and chosen.rule == "range":
        # "300 to 350, so about 325": a range with a final pick takes the pick
        picks = [c for c in found if c.start > chosen.start and c.answer is not None]
        chosen = picks[-1] if picks else chosen
    if chosen is None:
        if refuses(reader.low) and not any(
            c.tier == MEDIUM and c.rule == "statement" and c.answer not in want.values for c in found
        ):
            return abstention(reader.low)
        chosen = _choose(found, text, reader.low)
    if chosen is None:
        if reader.ranges and len(reader.found) == 2 and not refuses(reader.low):
            return Reading(status="ambiguous", span=(reader.found[0].start, reader.found[1].end), rule="range")
        return abstention(reader.low)
    span = (chosen.start, chosen.end)
    if chosen.answer is None:
        return Reading(status="ambiguous", span=span, rule=chosen.rule)
    return Reading(status="read", answer=chosen.answer, span=span, rule=chosen.rule)
