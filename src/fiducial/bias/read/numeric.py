"""Reading the number a reply commits to: the last that it plainly gives, else the likeliest candidate."""

from __future__ import annotations

import math
import re

from fiducial.bias.read import around
from fiducial.bias.read.abstain import UNDECIDED, abstention, refuses
from fiducial.bias.read.amounts import amount, conditional
from fiducial.bias.read.candidates import Reader
from fiducial.bias.read.marks import TAKES_BACK, TAKING_BACK
from fiducial.bias.read.notation import Asked, asked
from fiducial.bias.read.numbers import COUNTED_WORDS, numbers, word_numbers
from fiducial.bias.read.reading import MEDIUM, STRONG, WEAK, Commitment, Reading
from fiducial.bias.read.structure import slots
from fiducial.bias.read.text import clean_numbers, holds, looks_cut, sentence_end, vocabulary

_SOON = 40  # how soon after a number such words take it back, whatever follows
_SUM = 40  # how long the end of a calculation may be
_SHORT = 60  # more than a sentence that only gives the answer
_PICK = 100  # how far after a range a pick out of it may stand
_ANSWER_LINE = re.compile(
    r"[ \t*]*(?i:final |my )?(?i:answer)[ \t*]*:[ \t*$€£~]*"
    r"([-−–]?(?:\d{1,3}(?:,\d{3})+|\d{1,15}))(\.\d{1,2}|\.\d{4,9})?"
    r"(?:[ \t]?(?:%|percent|km|metres|meters|kilometres|kilometers|miles|years|days|dollars|people))?[ \t*.]*"
)
_FAST = re.compile(
    r"\s*(?:\*\*)?([-−–]?(?:\d{1,15}|\d{1,3}(?:,\d{3}){1,5}))(\.\d{1,2}|\.\d{4,12})?(?:\*\*)?(\s?%)?\.?"
    r"\s*"
)


_SENTENCE = re.compile(
    r"\s*(?:[Tt]he|[Mm]y) (?:final |best |correct )?(?:answer|estimate|guess)"
    r"(?: to (?:this|the) (?:question|puzzle|problem))? is"
    r" (\d{1,15}(?:\.\d{1,2})?)[.!]?\s*"
)
"""A whole reply that says no more than the answer"""
_RANGE = re.compile(r"\s*\d{1,3}(?:,?\d{3})*[-–](\d{1,3}(?:,?\d{3})*)\s*")


def _plain(digits: str) -> float:
    return float(digits.replace(",", "").replace("−", "-").replace("–", "-"))


def _last_line(body: str) -> Reading | None:
    """The short way: a last line `Answer: 330 m` in plain notation, which nothing after it can overrule."""
    end = len(body.rstrip())
    match = _ANSWER_LINE.fullmatch(body, body.rfind("\n", 0, end) + 1, end)
    if match is None or "<" in body or "{" in body:
        return None
    start, stop = match.start(1), match.end(2) if match.group(2) else match.end(1)
    value = _plain(body[start:stop])
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
    if low.rstrip(around.ANNOUNCED)[-1:].isalpha() and around.ANNOUNCES.search(low[-80:]):
        return None  # "… about 7 layers. The answer is": what it was going to be is not there
    cut = looks_cut(text) and (len(text) > 60 or around.DANGLES.search(low) is not None)
    for tier in (MEDIUM, WEAK):
        these = [c for c in found if c.tier == tier]
        if cut:  # of a text that breaks off only whole sentences are believed
            these = [c for c in these if c.rule == "equation" or sentence_end(low, c.end) < len(low.rstrip())]
        if not these:
            continue
        last = these[-1]
        distinct = {c.answer for c in these}
        if cut and tier == MEDIUM and last.rule == "statement" and len(low) - last.end > 120:
            return None  # it went on to something else, and broke off there
        if len(distinct) == 1:
            if cut and last.rule == "equation" and (len(low[last.end :].split()) > 2 or around.DANGLES.search(low)):
                return None
            return last if tier == MEDIUM or (len(text) < 400 and not cut) else None
        if cut and len(text) > 120:
            return None
        if tier == MEDIUM or sentence_end(low, last.end) >= len(low.rstrip()):
            return last
    return None


_DEPENDS = re.compile(r"\W*(?:well,? |that |it |this |the answer )*(?:really )?depends\b")
_CONTRAST = re.compile(
    r"\b(?:but|however|though|although|still|that said|nevertheless|if i|yet|generally|typically)\b"
)


def _all_the_same(candidate: Commitment, refusal: tuple[int, int], low: str) -> bool:
    """Whether a number is stated in spite of a refusal: before it, or after a "but"."""
    if candidate.tier != MEDIUM or candidate.rule != "statement":
        return False
    return candidate.end <= refusal[0] or _CONTRAST.search(low, refusal[0], candidate.start) is not None


_FOLLOWS = re.compile(r"\b(?:so|thus|therefore|hence|which means|meaning|that means)\b[^\d]{0,80}$")
_POINTS_ASKED = re.compile(r"%|\bper ?cent", re.I)


def _in_points(chosen: Commitment, reader: Reader, prompt: str | None) -> Commitment:
    """What was asked for in percent, and follows from a share: "= −0.25, so it changed by -25%"."""
    points = [n for n in reader.found if n.percent]
    if not points or any(n.start == chosen.start for n in points) or not prompt or not _POINTS_ASKED.search(prompt):
        return chosen
    number = points[-1]
    same = isinstance(chosen.answer, float) and math.isclose(number.value, 100 * chosen.answer, rel_tol=1e-6)
    if same or (len(points) == 1 and _FOLLOWS.search(reader.low, chosen.end, number.start)):
        return Commitment(number.start, number.end, number.value, chosen.tier, "statement")
    return chosen


_REVISES = re.compile(
    r"\bi(?:'d| would|'ll| will) (?:\w+ )?(?:raise|lower|cut|adjust|correct|revise|bump|change|increase"
    r"|reduce|go (?:up|down|even|a bit"
    r"|higher|lower))\b"
)
_SELF = re.compile(r"\bi(?:'d| would|'ll| will)\b")


def _revised(low: str, chosen: Commitment) -> bool:
    """Whether a decision may follow that overrules a number: one that opened the reply, or was then raised or lowered."""
    return chosen.rule in ("first-line", "commitment") and bool(
        (_SELF if chosen.rule == "first-line" else _REVISES).search(low, chosen.end)
    )


def _settled(chosen: Commitment, reader: Reader) -> bool:
    """Whether no number stands after one that is stated, so that nothing later can be decided on."""
    if chosen.tier != MEDIUM or (reader.found and reader.found[-1].start > chosen.start):
        return False
    return COUNTED_WORDS.isdisjoint(vocabulary(reader.low)) or not word_numbers(reader.low[chosen.start + 1 :])


def _short(body: str, prompt: str | None) -> Reading | None:
    """The short ways: a number alone, in a last line or sentence of its own, or a range alone."""
    if (fast := _FAST.fullmatch(body)) and (prompt is None or "," not in body):
        value = _plain(fast.group(1) + (fast.group(2) or ""))
        return Reading(
            status="read",
            answer=value,
            span=fast.span(1) if not fast.group(2) else (fast.start(1), fast.end(2)),
            rule="lone-token",
        )
    if line := _last_line(body):
        return line
    if len(body) < _SHORT and (said := _SENTENCE.fullmatch(body)):
        return Reading(status="read", answer=float(said.group(1)), span=said.span(1), rule="answer-is")
    if len(body) < 40 and (lone := _RANGE.fullmatch(body)):
        return Reading(status="ambiguous", span=lone.span(1), rule="range")
    return None


def read_numeric(body: str, prompt: str | None, unit: str | None, low: float | None, high: float | None) -> Reading:
    """Read the number that `body` commits to; percentages in points, never converted."""
    if plain := _short(body, prompt):
        return plain
    want = asked(prompt, unit, low, high)
    text = clean_numbers(body)
    structured = slots(body)
    found: list[Commitment] = []
    for slot in structured:
        value_found = _value_of(body[slot.start : slot.end], want)
        if (
            slot.many
            and value_found is not None
            and len({n.value for n in numbers(body[slot.start : slot.end])}) > 1
        ):
            value_found = value_found._replace(answer=None, rule="several")
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
    refusal: tuple[int, int] | None = None
    if chosen is not None and chosen.rule == "range":
        # "300 to 350, so about 325": a range with a final pick takes the pick
        picks = [
            c
            for c in found
            if c.start > chosen.start
            and c.answer is not None
            and (c.tier == STRONG or (c.tier == MEDIUM and "\n" not in text[chosen.end : c.start]))
            and c.start - chosen.end < _PICK
        ]
        chosen = picks[-1] if picks else chosen
    if (
        chosen is not None
        and not TAKING_BACK.isdisjoint(vocabulary(reader.low))
        and (back := TAKES_BACK.search(reader.low, chosen.end))
    ):
        # "Answer: 36. Wait, there is the way back. It should be 72."
        later = [c for c in found if c.start > back.start() and c.answer is not None and c.tier > WEAK]
        if not later and back.start() - chosen.end < _SOON:
            return Reading(status="unreadable", span=back.span(), rule="taken-back")
        chosen = later[-1] if later else chosen
    if chosen is not None and _revised(reader.low, chosen):
        # "120 guests, and a few to spare. I'd order 130."
        own = amount(text, reader)
        chosen = own if own and own.rule == "decision" and own.start > chosen.start else chosen
    ends = reader.found and around.SUM_CUT.fullmatch(reader.low, reader.found[-1].end)
    if (ends and (chosen is None or chosen.start == reader.found[-1].start)) or (
        chosen is None and around.SUM_LAST.search(reader.low, max(0, len(reader.low) - _SUM))
    ):
        return Reading(status="unreadable", rule="cut-off")  # "so in total we need 21.6 ×"
    if chosen is None:
        refusal = refuses(reader.low)
        if refusal and not any(
            _all_the_same(c, refusal, reader.low) and c.answer not in want.values for c in found
        ):
            return Reading(status="refused", span=refusal, rule="refusal")
        if "if " in reader.low and (two := conditional(reader.low, reader.found)):
            return Reading(status="ambiguous", span=two, rule="several")
        chosen = _choose(found, text, reader.low)
        free = None if chosen and _settled(chosen, reader) else amount(text, reader)
        if free and (chosen is None or free.start > chosen.start or chosen.tier == WEAK):
            chosen = free
        if chosen is not None and _DEPENDS.match(reader.low) and len({n.value for n in reader.found}) > 1:
            chosen = None  # "It depends: 12 days with two workers, 7 with four"
    if chosen is None:
        if reader.ranges and len(reader.found) == 2 and not refusal:
            return Reading(status="ambiguous", span=(reader.found[0].start, reader.found[1].end), rule="range")
        return abstention(reader.low, refusal=refusal is not None)
    if chosen.rule == "equation":
        chosen = _in_points(chosen, reader, prompt)
    span = (chosen.start, chosen.end)
    if chosen.answer is None:
        return Reading(status="ambiguous", span=span, rule=chosen.rule)
    if (
        chosen.tier < STRONG
        and len({n.value for n in reader.found}) > 1
        and UNDECIDED.search(reader.low, chosen.end)
    ):
        return Reading(status="ambiguous", span=span, rule="several")
    if holds(reader.low, around.MAYBE_PARTS) and reader.wavers(chosen):
        return Reading(status="ambiguous", span=span, rule="several")
    return Reading(status="read", answer=chosen.answer, span=span, rule=chosen.rule)
