"""Reading the number a reply commits to: candidates ranked by what surrounds them."""

from __future__ import annotations

import re

from gnomon.bias.read import cues
from gnomon.bias.read.abstain import abstention, refuses
from gnomon.bias.read.notation import Asked, asked, settle, unit_after, within
from gnomon.bias.read.numbers import Number, numbers, word_numbers
from gnomon.bias.read.reading import MEDIUM, STRONG, WEAK, Commitment, Reading
from gnomon.bias.read.structure import slots
from gnomon.bias.read.text import clean_numbers, looks_cut, sentence_end, sentence_start

REACH = 130
_APPROX = (
    r"(?:approximately|approx\.?|about|around|roughly|nearly|close to|some|almost|circa|ca\.?|an estimated|estimated at|maybe|perhaps|probably|likely|just|only|at|a|an|the|is|be|of|to|exactly|precisely"
    r"|over|under|slightly|more|less|than|proposal|option|number|ungefähr|etwa|rund|environ|unos|aproximadamente|minus|negative|still|simply|now|therefore|thus|then|solid|score|rating|it|by|with|for|as|that|equal|equals|final)"
)
_FILL = rf"(?:[\s:=≈~≅→>\"'(\[{{,$€£<_\-–—]|\*|\\approx|\\boxed|\b{_APPROX}(?![a-z]))*"
_FINAL = (
    r"(?:answers?|ans|estimates?|guess|rating|result|verdict|recommendation|solution|prediction|forecast|valuation|antwort|réponse|respuesta|risposta|resposta|答案|ответ|schätzung)"
)
_LINK = (
    r"(?:\s+(?:to|for|of|in|the|this|that|your|question|problem|product|company|company's|my|here|would|will|should|must|has|on|a|scale|based|given|be|can|terms|\w+'s|financial|performance"
    r"|average|annual|height|population|number|overall|best|total|temperature|price|percentage|chicago|london|tower|eiffel|meters|degrees|celsius|from|is|final|i|it|all|information|reviews|countries|africa|surface|earth|water|item)\b){0,10}"
)
_LOOSE = r"(?:\s+(?!not\b|n't|no\b|isn't|than\b)[a-z][a-z'’-]*){0,8}"
_COPULA = r"(?:\b(?:is|are|was|be|would be|remains|becomes|comes to|equals|ist|est|es|lautet|at|stands at)\b|'s\b|是|为|[:=≈~→>]|[-–—](?=\s)|\\approx)"
ANSWER_LEFT = re.compile(rf"(?P<noun>(?:\b|(?<=[^\x00-\x7f])){_FINAL})(?P<link>{_LINK})\s*[)\"']?\s*,?\s*{_COPULA}(?P<fill>{_FILL})$")
_SUM = r"(?:total|value|price|number|figure|sum|average|mean|amount|probability|chance|likelihood|percentage|height|population|temperature|cost|score|length|distance|weight|age|count|difference|profit|share|proportion|remainder|quantity|speed|time|rate|area|volume|balance|change|median|year|it|this|that|there)"
VALUE_LEFT = re.compile(rf"\b(?P<noun>{_SUM})\b(?P<link>{_LOOSE})\s*[)\"']?\s*,?\s*{_COPULA}(?P<fill>{_FILL})$")
OWN_LEFT = re.compile(
    rf"\b(?:i|we|i'd|i'll|we'd|my|let's|me|ich|je)\b[\s,]*(?:\w+[\s,]+){{0,4}}?(?:estimate|guess|say|rate|pay|offer|bid|go with|going with|choose|pick|put|assign|give|expect|predict|set|value|believe|think|settle on|answer|recommend|suggest|sell|ask|accept|conclude|score|select|propose|vote|schätze|dirais)"
    rf"(?P<object>(?:\s+(?:it|this|that|the|them|him|her|you|around|a|an|my|your|company|product|for|at|is|of|as|with|be|to|no more than|up to|there are|there|are|proposal|rating|score|price|value|[a-z]+'?s?)){{0,6}})(?P<fill>{_FILL})$"
)
THUS = re.compile(r"^[\s\-•>]*(?:therefore|thus|so|hence|in conclusion|overall|consequently|ultimately|in summary|finally|rounded|rounding|in total|altogether|final|as a result)\b")
_STATES = re.compile(rf"\b(?:is|are|was|were|has|have|had|costs?|weighs?|measures?|equals?|makes?|gets?|stands|leaves?|gives?|need|needs|earns?|pays?|spends?|total(?:s|ing)?|rounds? (?:up |down )?to|rounded to|comes to|left|be)\b{_FILL}$")
_ABOUT = re.compile(r"(?:\b(?:approximately|about|around|roughly|nearly|close to|almost|circa|ca\.?|estimated at)\s*|[~≈]\s*|\\approx\s*)[$€£\s\"'(]*$")
_STEP = re.compile(
    r"\b(?:step|review|option|study|table|figure|chapter|section|example|day|question|version|suspect|case|part|phase|item|point|reason|method|round|level|type|week|no|nr|number|equation|eq|note|line|page|proposal|group|stage|task|factor|scenario|problem|q|grade|world war|apollo|top|article)s?\.?\s*[#(]?$|#$"
)
_YEAR_LEFT = re.compile(r"\b(?:in|since|as of|by|of|until|from|around|year|the|census|during|after|before|late|early|mid|january|february|march|april|may|june|july|august|september|october|november|december|for|and|to|published|©)\s*[,(]?\s*\d{0,2},?\s*$|\(\s*$")
_ASIDE = re.compile(r"[\s*)]*(?:%|percent)?\s*(?:confidence|confident|certain|sure|ci\b|credible)|[\s*)]*(?:th|st|nd) percentile")
_CONFIDENCE_LEFT = re.compile(r"\b(?:confidence|certainty|confident|sure)\b[\w\s]{0,20}[:=(]?\s*(?:is|of|at|level|score|about|around|approximately|[:=(~\s])*$")
_OPERATOR = re.compile(r"[\s)}\]]*(?:[+*/×÷^]|\\times|\\div|\\cdot|[-–](?=\s)|x(?=\s?\d))\s*[(\[{$]*\s*(?:\d|\\frac|\()")
_EQUALS = re.compile(r"[\s)}\]%]*(?:[a-z]+\s)?\s*(?:=|≈)\s*[$€£(\\]*\s*-?[\d.(\\]")
_RANGE_GAP = re.compile(r"\s*(?:[-–—]|\bto\b|\bbis\b|\bà\b|\bthrough\b)\s*[$€£~]?\s*")
_BETWEEN = re.compile(r"\b(?:between|from)\s*(?:about |around |approximately |roughly )?[$€£~]?\s*$")
_MARGIN = re.compile(r"(?:±|\+/-|\\pm|plus or minus|give or take)\s*[$€£]?\s*$")
_CHANGE = re.compile(r"\b(?:wait|actually|correction|on second thoughts?|scratch that|make that|rather|no|oops|revis\w+ (?:my \w+ )?to|chang\w+ (?:my \w+ )?to|updat\w+ (?:my \w+ )?to)\b[\s,.:;!–—-]*(?:it's|it is|i'd say|i'd go with|let's say|make it|more like|about|around)?[\s,]*[~$€£]?\s*$")
_LIST = re.compile(r"^[ \t]*(?:[-•>*]\s*)?(\d{1,3})[.)](?=\s+\S)", re.M)
_UNITISH = re.compile(r"[\s)}\]\"'*.%°²³]*(?:[a-zµ°/$€£]+\.?[\s\"')*.]*){0,3}(?:\([^()\n]{0,80}\)[\s.]*)?")
_NEGATIVE = re.compile(r"\b(?:minus|negative)\s+[$€£]?\s*$")
_DENIED = re.compile(r"(?:\bnot|n't|\bnever|\brather than|\binstead of|\bnor|\bless than|\bmore than|\bgreater than|\bhigher than|\blower than|\bat least|\bat most|\bup to|\bclaim(?:ed|s)?(?: of)?|\bguess(?:ed)? of|\bsuggest(?:ed|ion)(?: of)?|\banchor(?: of)?)\s+(?:the\s+|be\s+|by\s+|exactly\s+|about\s+)*[$€£~]?\s*$")


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
        marks = [(m.start(1), int(m.group(1))) for m in _LIST.finditer(self.text)]
        values = {value for _, value in marks}
        return {at for at, value in marks if value + 1 in values or value - 1 in values or len(self.text) - at > 400 and value == 1}

    def _ranges(self) -> dict[int, int]:
        """Start of each number that is an end of a range -> start of the range."""
        ends: dict[int, int] = {}
        for one, two in zip(self.found, self.found[1:], strict=False):
            gap = self.low[one.end : two.start]
            if len(gap) > 14:
                continue
            if re.fullmatch(r"\s*and\s*[$€£~]?\s*", gap) and _BETWEEN.search(self.low[max(0, one.start - 24) : one.start]):
                ends[one.start] = ends[two.start] = one.start
            elif _RANGE_GAP.fullmatch(gap) and not _EQUALS.match(self.low, two.end) and not re.search(r"=\s*$", self.low[max(0, one.start - 3) : one.start]):
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
            scale = self.want.high if self.want.high is not None else (number.over if number.over in (10.0, 100.0) else None)
            if scale != number.over and not (number.over in (10.0, 100.0) and number.over in self.want.values):
                value = value / number.over
        if value > 0 and _NEGATIVE.search(self.low[max(0, number.start - 12) : number.start]):
            value = -value
        return value

    def counts(self, number: Number, left: str) -> bool:
        """Whether the number can be an answer at all: not a step, a list mark, an operand, a margin."""
        if number.start in self.items or _MARGIN.search(left) or _ASIDE.match(self.low, number.end):
            return False
        if _OPERATOR.match(self.low, number.end) and number.start not in self.ranges:
            return False
        if _EQUALS.match(self.low, number.end):
            return False
        if not number.exact and number.over is None and _STEP.search(left) and not re.search(r"\b(?:answer|final|number)[^.\n]{0,20}$", left):
            return False
        return not _CONFIDENCE_LEFT.search(left)

    def _year(self, number: Number, left: str) -> bool:
        if self.want.year or number.exact or number.money or number.percent or not (1500 <= number.value <= 2100) or not number.digits.isdigit():
            return False
        return bool(_YEAR_LEFT.search(left))

    def tier(self, number: Number) -> Commitment | None:
        """How strongly the reply commits to this number."""
        at = number.start
        left = self.low[max(0, at - REACH) : at]
        if not self.counts(number, left):
            return None
        line = self._line(number)
        if line is not None:
            return self._make(number, STRONG, line)
        if _DENIED.search(left):
            return None
        start = sentence_start(self.low, at)
        clause = self.low[start:at]
        asking = self.low[sentence_end(self.low, number.end, 160) - 1 : sentence_end(self.low, number.end, 160)] == "?"
        source = left
        if re.search(r"[=≈]\s*[$€£(\\]*\s*$", left) or "\\approx" in left[-10:]:
            source = self._before_equation(at)
        if not asking:
            if _CHANGE.search(left):
                return self._make(number, STRONG, "change-of-mind")
            if (match := ANSWER_LEFT.search(source)) and not self._aside(match, source, clause):
                return self._make(number, STRONG, "answer-line" if re.search(r"^[^\n]{0,24}$", source[: match.start()].rsplit("\n", 1)[-1]) and ":" in match.group() else "answer-is")
            if (match := OWN_LEFT.search(left)) and not cues.VETO.search(match.group()) and not self._hypothesis(clause):
                return self._make(number, STRONG, "commitment")
            if cues.FORCED_LEFT.search(left):
                return self._make(number, STRONG, "commitment")
        if self._year(number, left):
            return None
        known = number.value in self.want.values and not number.over
        if THUS.match(clause) and (VALUE_LEFT.search(source) or _STATES.search(source)) and not known:
            return self._make(number, STRONG, "conclusion")
        if asking or known:
            return None
        if not within(number.value, self.want):
            return None
        unit = unit_after(self.low, number) if self.want.unit else None
        if unit is not None and self.want.unit is not None and unit[0] == self.want.unit[0] and unit != self.want.unit:
            return None  # feet where metres were asked for
        if source is not left:
            return self._make(number, MEDIUM, "equation")
        if VALUE_LEFT.search(left) or _STATES.search(left) or _ABOUT.search(left):
            return self._make(number, MEDIUM, "statement")
        return self._make(number, WEAK, "last-number")

    def _hypothesis(self, clause: str) -> bool:
        return bool(cues.HYPOTHESIS.search(clause)) and not cues.FORCED.search(clause)

    def _aside(self, match: re.Match[str], source: str, clause: str) -> bool:
        before = source[: match.start()].rsplit("\n", 1)[-1][-40:]
        if re.search(r"\b(?:tourist'?s?|textbook'?s?|article'?s?|suggested|initial|incorrect|wrong|previous|your|their|someone'?s?|given|first|stated|original|low|high|lower|upper|review \d)\s+$", before):
            return True
        if re.search(r"\bnot\b|n't\b", match.group("link")):
            return True
        return bool(re.search(r"\b(?:not|n't)\s+(?:think|believe|say)\b", clause)) or self._hypothesis(clause) and "would" in match.group()

    def _before_equation(self, at: int) -> str:
        """The text before the expression that ends in "=" at `at`."""
        line = self.low.rfind("\n", max(0, at - 200), at) + 1
        line = max(line, at - 200, 0)
        head = re.match(r"[^\d=\\(\[$]*", self.low[line:at])
        return self.low[max(0, line - 60) : line + (head.end() if head else 0)]

    def _line(self, number: Number) -> str | None:
        """Whether the number is all there is on its line, or opens the reply."""
        start = self.low.rfind("\n", 0, number.start) + 1
        stop = self.low.find("\n", number.end)
        stop = len(self.low) if stop < 0 else stop
        before = self.low[start : number.start].strip(" \t*_#>\"'([{$€£~≈=-–—:\\")
        if before not in ("", "approximately", "about", "around", "roughly", "approx.", "approx", "boxed", "nearly", "minus", "negative"):
            return None
        whole = _UNITISH.fullmatch(self.low, number.end, stop) is not None
        if whole and "=" not in self.low[start : number.start]:
            return "lone-token"
        if not self.low[:start].strip() and not before and re.match(r"[\s*)%°]*(?:[.,;:!(–—-]|$|\n|because|is\b|since|out of|[a-z°]+[.,(])", self.low[number.end : number.end + 24]):
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
            alone = not self.low[: number.start].strip(" \"'(*\n") and shut
            if alone or (shut and (ANSWER_LEFT.search(left) or OWN_LEFT.search(left))):
                found.append(Commitment(number.start, number.end, number.value, STRONG, "number-word"))
            elif self.want.values is not None and VALUE_LEFT.search(left) and number.value > 1:
                found.append(Commitment(number.start, number.end, number.value, MEDIUM, "number-word"))
        return found


_FAST = re.compile(r"\s*(?:\*\*)?([-−]?(?:\d{1,15}|\d{1,3}(?:,\d{3}){1,5}))(\.\d{1,2}|\.\d{4,12})?(?:\*\*)?(\s?%)?\.?\s*")


def _value_of(value: str, want: Asked) -> Commitment | None:
    """The number a structured value holds."""
    reader = Reader(clean_numbers(value), want)
    usable = [n for n in reader.found if reader.counts(n, reader.low[: n.start])]
    if not usable:
        words = word_numbers(reader.low)
        return Commitment(words[0].start, words[0].end, words[0].value, STRONG, "number-word") if len(words) == 1 else None
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
    cut = looks_cut(text)
    for tier in (MEDIUM, WEAK):
        these = [c for c in found if c.tier == tier]
        if not these:
            continue
        last = these[-1]
        distinct = {c.answer for c in these}
        if len(distinct) == 1:
            if cut and last.rule == "equation" and len(text) > 200:
                return None
            return last if tier == MEDIUM or len(text) < 400 and not cut else None
        if cut and len(text) > 120:
            return None
        if tier == MEDIUM or sentence_end(low, last.end) >= len(low.rstrip()):
            return last
    return None


def read_numeric(body: str, prompt: str | None, unit: str | None, low: float | None, high: float | None) -> Reading:
    """Read the number that `body` commits to; percentages in points, never converted."""
    if (fast := _FAST.fullmatch(body)) and (prompt is None or "," not in body):
        value = float((fast.group(1) + (fast.group(2) or "")).replace(",", "").replace("−", "-"))
        return Reading(status="read", answer=value, span=fast.span(1) if not fast.group(2) else (fast.start(1), fast.end(2)), rule="lone-token")
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
    if chosen is None:
        if refuses(reader.low) and not any(c.tier == MEDIUM and c.rule == "statement" for c in found):
            return abstention(reader.low)
        chosen = _choose(found, text, reader.low)
    if chosen is None:
        return abstention(reader.low)
    span = (chosen.start, chosen.end)
    if chosen.answer is None:
        return Reading(status="ambiguous", span=span, rule=chosen.rule)
    return Reading(status="read", answer=chosen.answer, span=span, rule=chosen.rule)
