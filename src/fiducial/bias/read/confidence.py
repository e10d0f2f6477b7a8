"""Reading a stated confidence as a share, apart from the answer it belongs to."""

from __future__ import annotations

import re
from functools import lru_cache

from fiducial.bias.read import around
from fiducial.bias.read.abstain import abstention, refuses
from fiducial.bias.read.cues import FORCED
from fiducial.bias.read.numbers import Number, numbers, word_numbers
from fiducial.bias.read.reading import Reading
from fiducial.bias.read.structure import confidence_slots, slots
from fiducial.bias.read.text import clean_numbers, holds, sentence_end, sentence_start

_SCALES = (
    (100.0, re.compile(r"\b[01]\s*%?\s*(?:-|–|—|to|and)\s*100\b|\bpercent|%|out of 100\b|/100\b", re.I)),
    (10.0, re.compile(r"\b[01]\s*(?:-|–|—|to|and)\s*10\b|out of (?:10|ten)\b|/10\b", re.I)),
    (1.0, re.compile(r"\b0(?:\.0)?\s*(?:-|–|—|to|and)\s*1(?:\.0)?\b(?!\d)|as a (?:decimal|probability)", re.I)),
    (5.0, re.compile(r"\b[01]\s*(?:-|–|—|to|and)\s*5\b|out of 5\b|/5\b", re.I)),
    (7.0, re.compile(r"\b[01]\s*(?:-|–|—|to|and)\s*7\b|out of 7\b", re.I)),
)
_LEFT = re.compile(
    r"\b(?:confidence|certainty|(?:confident|certain|sure)(?!\s+that\b)|konfidenz|zuversicht|sicherheit"
    r"|confiance|confianza|置信度|信心)\b[^.\n\d]{0,40}?(?:\bis\b|\bof\b|\bat\b|\bas\b"
    r"|[:=(\-–—|])?[\s:=(*~\-–—\"]*(?:about|around|approximately|roughly|at|is|to"
    r" be|say)?[\s~*\"]*$"
)
_RIGHT = re.compile(
    r"[\s*)%\"]*(?:percent\s+|per cent\s+)?(?:\w+\s+)?(?:confident|certain|sure|confidence"
    r"|certainty)\b(?!\s+(?:interval|band|bound|limit))"
)
_INTERVAL = re.compile(r"[\s*%]*(?:confidence|credible)\s+(?:interval|band|bound|limit)|[\s*%]*ci\b")
_CHANCE_LEFT = re.compile(r"\b(?:probability|chance|likelihood|odds|estimate|answer)\b[^.\n\d]{0,60}$")
_LIST = re.compile(r"[\"'“]?([a-z][a-z ]{1,24}[a-z])[\"'”]?\s*(?:\(\s*(\d{1,3}(?:\.\d+)?)\s*(%?)[^)\n]{0,12}\))?")
_WORD_SCALE = re.compile(
    r"(?:confidence|confident|certain\w*|sure|scale|options?|one of|choose|answer"
    r" with|respond with|levels?|state)\b[^:\n]{0,60}[:(]\s*((?:[^\n.:?]|\.(?=\d)){6,240})",
    re.I,
)
_PUTS = re.compile(r"\b(?:put me|call it|make (?:it|that)|i'd|i would|i'll|i'm at|i am at|let's say)\b")
_PUT_LEFT = re.compile(
    r"(?:\bput me (?:down )?(?:for|at)|\bi(?:'d| would|'ll| will) (?:say|go (?:with|for)|put (?:it|that|this) at"
    r"|call it"
    r"|settle (?:on|for|at)|land (?:on|at))|\bcall it|\bmake (?:it|that)|\bi(?:'m| am) at|\blet's say)\s+"
    r"(?:about |around |roughly |a |maybe |only )*$"
)
_COUNTS = re.compile(
    r"\s+(?!percent|points?\b|out\b|is\b|was\b|as\b|this\b|perhaps\b|yes\b|unless\b)[a-z]{2,}(?<!s)s\b"
)
"""4 errors"""
_TOO = re.compile(
    r"\s*(?:would be|is|seems|feels|sounds|would feel|looks)\s+(?:\w+ )?(?:too|overly|over|under|a stretch)\b"
)
REACH = 110  # more than a number may be away from its word of confidence
_CUES = ("confiden", "sure", "certain", "sicherheit", "zuversicht", "konfidenz", "confian")
_FAR_CUES = (*_CUES, "置信", "信心")
_DIGIT = re.compile(r"[\d½¼¾⅓⅔]")
_EVEN = re.compile(r"\b(?:50\s?[/-]\s?50|fifty[- ]fifty)\b")
_FORMER = re.compile(r"\b(?:down|up) from\s+(?:about |around )?$")
_RANGE = re.compile(r"\s*%?\s*(?:-|–|—|to|and|or)\s*(?:an? |even )?\d")
_WOULD_BE = re.compile(
    r"(?:'d| would)(?: \w+)? (?:be|have been|rise|go|climb|jump|drop|fall|sink|become)\b[^.;\n\d]{0,24}$"
)
_NOT = re.compile(r"(?:\bnot|n't|\bnever|\bhardly|\bless than|\bfar from)(?: \w+)? $")
_UNDER = re.compile(r"\b(?:if|unless|had|were|with|without|given|provided|once|after)\b")


_LAST_LINE = re.compile(r"[ \t*_]*(?i:confidence)[ \t*_]*:[ \t*_]*(\d{1,3}(?:\.\d{1,2})?)( ?%)[*_.]{0,3}")
_FEW = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MANY = {"twenty": 20, "a hundred": 100, "hundred": 100}
_IN_TEN = re.compile(
    rf"(?<![\w.])(?P<top>\d{{1,3}}|{'|'.join(_FEW)}|ninety(?:-nine|-five)?)\s+(?:times?\s+|chances?\s+|cases?\s+)?"
    rf"(?:in|out of)\s+(?P<bottom>\d{{1,3}}|{'|'.join(_FEW[1:])}|{'|'.join(_MANY)})(?![\w.]\w)"
)
"""About nine in ten"""


def _figure(said: str) -> float:
    if said.isdigit():
        return float(said)
    return float(_MANY.get(said) or word_numbers(said)[0].value)


def _scale(prompt: str | None) -> float | None:
    if not prompt:
        return None
    for size, pattern in _SCALES:
        if pattern.search(prompt[-4_000:]):
            return size
    return None


def share(number: Number, scale: float | None) -> float | None:
    """The number as a share in 0..1; None where it cannot be one."""
    if number.percent:
        value = number.value / 100
    elif number.over:
        value = number.value / number.over
    elif number.value <= 1 and ("." in number.digits or scale in (None, 1.0)):
        value = number.value
    elif scale is not None:
        value = number.value / scale
    else:
        value = number.value / 100
    return value if 0 <= value <= 1 else None


@lru_cache(maxsize=512)
def _words(prompt: str) -> tuple[tuple[str, float], ...]:
    """A scale of words given in the prompt, lowest first; its stated numbers, else the middles of equal steps."""
    for match in _WORD_SCALE.finditer(prompt[-4_000:]):
        parts = [p.strip(" \"'“”") for p in re.split(r",\s*(?:or |and )?|/|;|\bor\b|\|", match.group(1).lower())]
        parts = [p for p in parts if p]
        if len(parts) < 3 or any(len(p.split()) > 6 for p in parts):
            continue
        found: list[tuple[str, float | None]] = []
        for part in parts:
            entry = _LIST.match(part)
            if entry is None:
                break
            stated = float(entry.group(2)) if entry.group(2) else None
            found.append((entry.group(1).strip(), stated))
        else:
            if all(v is not None for _, v in found):
                return tuple((w, (v or 0.0) / (100 if (v or 0) > 1 else 1)) for w, v in found)
            steps = [(n + 0.5) / len(found) for n in range(len(found))]
            falling = bool(
                re.match(
                    r"(?:very |extremely |completely |fully )?(?:high|certain|sure|confident|likely)", found[0][0]
                )
            )
            return tuple((w, s) for (w, _), s in zip(found, reversed(steps) if falling else steps, strict=True))
    return ()


def _cues(low: str) -> list[int]:
    """Where words of confidence stand that have a number near them, the last first."""
    found = []
    for word in _CUES if low.isascii() else _FAR_CUES:
        at = low.find(word)
        while at >= 0:
            inside = at > 0 and low[at - 1].isalnum()  # "ensure", "uncertain"
            if (
                not inside
                and not low.startswith("confidence interval", at)
                and _DIGIT.search(low, max(0, at - 60), at + 100)
            ):
                found.append(at)
            at = low.find(word, at + 1)
    return sorted(found, reverse=True)


def _supposed(low: str, number: Number) -> bool:
    """Whether the number belongs to another case: "It would be a 10/10 if I had checked"."""
    if not _WOULD_BE.search(low[max(0, number.start - 60) : number.start]):
        return False
    sentence = low[sentence_start(low, number.start) : sentence_end(low, number.end)]
    return _UNDER.search(sentence) is not None and not FORCED.search(sentence)


def stated(text: str, scale: float | None = None) -> tuple[float, tuple[int, int]] | None:
    """The last confidence that the text states in so many words, with its span."""
    for slot in reversed(confidence_slots(text)) if "{" in text or "<" in text else ():
        for number in numbers(clean_numbers(text[slot.start : slot.end])):
            value = share(number, scale)
            if value is not None:
                return value, (slot.start + number.start, slot.start + number.end)
    said = text.lower()
    if not holds(said, _CUES if said.isascii() else _FAR_CUES):
        return None
    end = len(text.rstrip())
    if "%" in text[end - 3 : end] and (line := _LAST_LINE.fullmatch(text, text.rfind("\n", 0, end) + 1, end)):
        value = float(line.group(1)) / 100  # the short way: nothing comes after it
        if value <= 1:
            return value, (line.start(1), line.end(2))
    cues = _cues(said) if _DIGIT.search(text) else []
    if not cues:
        return None
    cleaned = clean_numbers(text)
    low = cleaned.lower()
    searched = len(low)
    for cue in cues:
        if cue > searched:
            continue
        searched = max(0, low.rfind(" ", 0, max(0, cue - REACH)))
        for near in reversed(numbers(cleaned[searched : cue + REACH])):
            number = near._replace(start=near.start + searched, end=near.end + searched)
            if _INTERVAL.match(low, number.end) or _RANGE.match(low, number.end) or _supposed(low, number):
                continue
            if _LEFT.search(low[max(0, number.start - 70) : number.start]) or _RIGHT.match(low, number.end):
                value = share(number, scale)
                if value is not None:
                    return value, (number.start, number.end)
    return None


def _put_down(cleaned: str, low: str, scale: float | None) -> Reading | None:
    """The share that a reply ends with and takes as its own: "I can't say 100%. Put me down for 80%"."""
    if not _PUTS.search(low):
        return None
    for number in numbers(cleaned)[-1:]:
        if not _PUT_LEFT.search(low[max(0, number.start - 60) : number.start]) or _RANGE.match(low, number.end):
            continue
        value = share(number, scale)
        if value is not None and (number.percent or number.over or scale) and not _TOO.match(low, number.end):
            span = (number.start, number.end)
            return Reading(status="read", answer=value, confidence=value, span=span, rule="stated")
    return None


def read_confidence(body: str, prompt: str | None) -> Reading:
    """Read the confidence that `body` gives, in 0..1; words count only on a scale of words that the prompt gave."""
    scale = _scale(prompt)
    if found := stated(body, scale):
        return Reading(status="read", answer=found[0], confidence=found[0], span=found[1], rule="stated")
    cleaned = clean_numbers(body)
    low = cleaned.lower()
    for slot in reversed(slots(body)):
        for number in numbers(cleaned[slot.start : slot.end]):
            value = share(number, scale)
            if value is not None:
                return Reading(
                    status="read",
                    answer=value,
                    confidence=value,
                    span=(slot.start + number.start, slot.start + number.end),
                    rule=slot.rule,
                )
    if own := _put_down(cleaned, low, scale):
        return own
    if refusal := refuses(low):
        return Reading(status="refused", span=refusal, rule="refusal")
    if around.ANNOUNCES.search(low[-80:]):
        return Reading(status="unreadable", rule="cut-off")
    # the last one counts: "I'd have said 9 out of 10. Now I'd say 7 out of 10."
    every = list(_IN_TEN.finditer(low)) if "%" not in low else []
    if every:
        part = every[-1]
        top, bottom = (_figure(part.group(name)) for name in ("top", "bottom"))
        if 0 <= top <= bottom:
            return Reading(
                status="read", answer=top / bottom, confidence=top / bottom, span=part.span(), rule="number-word"
            )
    if even := _EVEN.search(low):
        return Reading(status="read", answer=0.5, confidence=0.5, span=even.span(), rule="number-word")
    all_numbers = [
        n
        for n in numbers(cleaned)
        if not _INTERVAL.match(low, n.end) and not _FORMER.search(low[max(0, n.start - 24) : n.start])
    ]
    all_numbers = [n for n in all_numbers if not _supposed(low, n)] or all_numbers
    usable = [
        n
        for n in all_numbers
        if share(n, scale) is not None
        and not _TOO.match(low, n.end)
        and (n.percent or n.over or not _COUNTS.match(low, n.end))
    ]
    if len(all_numbers) == 2 and _RANGE.match(low, all_numbers[0].end):
        return Reading(status="ambiguous", span=(all_numbers[0].start, all_numbers[1].end), rule="range")
    chosen: Number | None = None
    if len(all_numbers) == 3 and usable and _RANGE.match(low, all_numbers[0].end):
        usable = all_numbers = [n for n in usable if n is all_numbers[-1]]  # "60-70%, say 65%"
    if len({n.value for n in usable}) == 1 and len(all_numbers) == len(usable):
        chosen = usable[-1]
    elif usable:
        cued = [
            n for n in usable if n.percent or n.over or _CHANCE_LEFT.search(low[max(0, n.start - 70) : n.start])
        ]
        lone = [n for n in usable if not low[: n.start].strip(" *\"'(~\n") or not low[n.end :].strip(" *\"').%\n")]
        if len({n.value for n in lone}) == 1:
            chosen = lone[-1]
        elif cued and (len({n.value for n in cued}) == 1):
            chosen = cued[-1]
        elif cued:
            return Reading(status="ambiguous", span=(cued[-1].start, cued[-1].end), rule="several")
    if chosen is not None:
        answer = share(chosen, scale)
        return Reading(
            status="read", answer=answer, confidence=answer, span=(chosen.start, chosen.end), rule="lone-token"
        )
    if not all_numbers:
        if prompt and (words := _words(prompt)):
            hits = [
                (low.rfind(word), word, value)
                for word, value in sorted(words, key=lambda w: -len(w[0]))
                if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", low)
            ]
            hits = [
                h
                for h in hits
                if not any(h[1] != o[1] and h[1] in o[1] and o[0] <= h[0] <= o[0] + len(o[1]) for o in hits)
            ]
            if len(hits) == 1 and not _NOT.search(low[: hits[0][0]]):
                at, word, value = hits[0]
                return Reading(
                    status="read", answer=value, confidence=value, span=(at, at + len(word)), rule="word-scale"
                )
            if len(hits) > 1:
                return Reading(status="ambiguous", rule="several")
        for number in word_numbers(low):
            if re.match(r"\s*(?:percent|per cent)", low[number.end : number.end + 12]) and number.value <= 100:
                return Reading(
                    status="read",
                    answer=number.value / 100,
                    confidence=number.value / 100,
                    span=(number.start, number.end),
                    rule="number-word",
                )
    return abstention(low)
