"""Which of two notations a number is in, what unit and range the prompt asks for, and what it already says."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from fiducial.bias.read.numbers import Number, numbers
from fiducial.bias.read.text import clean_numbers, words

_FOREIGN_WORDS = words(
    """
    ist sind und der das etwa rund wie viele est sont environ combien les une los cuántos cuánto
    aproximadamente unos sono gli quanti quanto het een ongeveer hoeveel são quantos cerca około jest ile
    nicht ich yo
    """
)
_ENGLISH = words("the is of and are to in that it for with about")
_FOREIGN_LETTER = re.compile("[äöüßéèêçñ]|[а-я]", re.I)
_LIMIT_ASKED = re.compile(r"\b(?:the (?:most|maximum|highest|lowest|minimum|least)|at most|at least)\b", re.I)
_WORD = re.compile(r"\w+")
_GROUPED = re.compile(r"[1-9]\d{0,2},\d{3}")
_COMMA_DECIMALS = re.compile(
    r"(?<![\d.,])(?:\d{1,3}(?:\.\d{3})+|\d+),\d{1,2}(?![\d,])|dezimalkomma|decimal comma|virgule décimale"
    r"|coma decimal|komma als dezimal|commas? (?:as|for) (?:the |a )?decimal",
    re.I,
)
_DOT_THOUSANDS = re.compile(
    r"(?<![\d.,])\d{1,3}(?:\.\d{3}){2,}(?!\d)|(?<![\d.,])[1-9]\d{0,2}\.000(?![\d,])"
    r"|tausenderpunkt|punkt als tausender|(?:point|dot|period)s? (?:as|for) (?:the |a )?thousand"
    r"|point pour les milliers",
    re.I,
)
_DOT_DECIMALS = re.compile(r"(?<![\d.,])\d+\.\d{1,2}(?![\d.])|decimal point|dezimalpunkt", re.I)
_SCALE = re.compile(
    r"(?<![\d.])(-?\d+(?:\.\d+)?)\s*(?:\([^)\n]{1,40}\)\s*)?(?:-|–|—|to|and|bis|through)\s*(\d+(?:\.\d"
    r"+)?)\s*(?:\([^)\n]{1,40}\))?(?![\d%]|\s*(?:%|percent|million|years?|days?|people))",
    re.I,
)
_SCALE_CUE = re.compile(
    r"\b(?:scale|rate|rating|score|number|between|from|range|points?)\b|\(\s*-?\d+\s*[-–—]\s*\d+\s*\)", re.I
)
_SHARE_ASKED = re.compile(
    r"%|\b(?:percent\w*|per cent|share|proportion|fraction|rate|probability|chances?|odds|likel\w+|confiden\w+"
    r"|risk|interest"
    r"|return|discount|growth|inflation|margin|forecast|turnout|prozent|anteil)\b",
    re.I,
)
_HAPPENED = re.compile(r"\b(?:year|when)\b[^?.\n]{0,80}?\b([a-z]{4,})\?", re.I)
_CHANGE_ASKED = re.compile(
    r"\bby how (?:many|much)\b|\bhow (?:many|much) (?:more|less|fewer|colder|warmer|higher|lower)\b|\bdifference\b",
    re.I,
)
_OUT_OF = re.compile(r"\bout of (\d{1,6})\b|\b(\d{1,2})[- ](?:star|point)s?\b", re.I)
_COUNTED = re.compile(r"\bhow many ((?:[a-z-]+ ?){1,5})")
_AFTER_COUNTED = words(
    """
    are is do does did was were will would have has had can could should there in on of per at live lives fit fits it they
    you i we out each the a an must might may
    """
)
_NOUNS = re.compile(r"[ -](?:[a-z]{2,} ?){1,3}")
_NO_NOUN = words(
    """
    is are was were in on at of to and or but so as for with by from if when while because since though although than the
    then that this which would will could should can may might has have had per each out about around roughly though
    million billion thousand percent points overall total seems seem sounds looks it they i we you he she not my all
    is's too now today maybe perhaps probably likely given after before over under more less fewer max tops least most
    """
)
_UNITS: tuple[tuple[str, str, str], ...] = (
    ("speed", "km/h", r"(?:km\s?/\s?h|kph|kmh|kilomet(?:re|er)s? (?:per|an) hour)\b"),
    ("speed", "mph", r"(?:mph|mi\s?/\s?h|miles? (?:per|an) hour)\b"),
    ("speed", "m/s", r"(?:m\s?/\s?s|met(?:re|er)s? (?:per|a) second)\b"),
    ("speed", "kn", r"(?:knots?|kn|kts?)\b"),
    ("length", "m", r"(?:metres?|meters?|m)\b(?!\s?/|\s+(?:per|a|an) )"),
    ("length", "km", r"(?:kilometres?|kilometers?|km)\b(?!\s?/|\s+(?:per|an) )"),
    ("length", "cm", r"(?:centimetres?|centimeters?|cm)\b"),
    ("length", "mm", r"(?:millimetres?|millimeters?|mm)\b"),
    ("length", "µm", r"(?:micrometres?|micrometers?|microns?|[µμ]m)\b"),
    ("length", "nm", r"(?:nanometres?|nanometers?|nm)\b"),
    ("length", "ft", r"(?:feet|foot|ft|')(?!\w)"),
    ("length", "mi", r"(?:miles?|mi)\b(?!\s?/|\s+(?:per|an) )"),
    ("length", "in", r"inch(?:es)?\b"),
    ("temperature", "c", r"(?:°\s?c|degrees? c(?:elsius)?|celsius|c)\b"),
    ("temperature", "f", r"(?:°\s?f|degrees? f(?:ahrenheit)?|fahrenheit|f)\b"),
    ("mass", "kg", r"(?:kilograms?|kg|kilos?)\b"),
    ("mass", "lb", r"(?:pounds?|lbs?)\b"),
    ("time", "year", r"(?:years?|yrs?)\b"),
    ("time", "month", r"months?\b"),
    ("time", "week", r"weeks?\b"),
    ("time", "day", r"days?\b"),
    ("time", "hour", r"(?:hours?|hrs?|h)\b"),
    ("time", "min", r"(?:minutes?|mins?)\b"),
    ("time", "s", r"(?:seconds?|secs?|s)\b"),
)
_UNIT = re.compile("|".join(f"({pattern})" for _, _, pattern in _UNITS), re.I)
_UNIT_GAP = re.compile(r"[\s)}\-]*")
_ASKED = tuple(
    (kind, name, re.compile(rf"\b(?:in|of|many|number of|how many)\s+(?:whole |full )?{pattern}", re.I))
    for kind, name, pattern in _UNITS
)
_YEAR_ASKED = re.compile(
    r"\b(?:what|which|the|in what|in which) year\b|\bwhen (?:was|did|were|is)\b|\bwelchem"
    r" jahr\b",
    re.I,
)


def _foreign(text: str) -> bool:
    """Whether the text has words or letters of a language in which a comma may be a decimal point."""
    if not text.isascii() and _FOREIGN_LETTER.search(text):
        return True
    return not _FOREIGN_WORDS.isdisjoint(_WORD.findall(text.lower()))


class Asked(NamedTuple):
    """What a prompt says of the number it asks for."""

    values: frozenset[float]
    low: float | None
    high: float | None
    unit: tuple[str, str] | None
    year: bool
    comma_decimals: bool
    dot_thousands: bool
    dot_decimals: bool
    foreign: bool
    settled: bool  # whether there was a prompt to say anything at all
    limit: bool  # whether the most or the least is asked for, so that "up to 9" is an answer
    out_of: frozenset[float]  # what a count is out of: of "how many of the 12 …", 12
    percent: bool  # whether a share may be asked for
    verbs: frozenset[str]  # the last words of a question for a year: of "when was it built", "built"
    change: bool  # whether a difference is asked for
    things: frozenset[str]  # what is counted, by the stems of its words: of "how many voters", "voter"


@lru_cache(maxsize=2048)
def asked(prompt: str | None, unit: str | None, low: float | None, high: float | None) -> Asked:
    """What the prompt and the declared unit and range settle."""
    text = clean_numbers((prompt or "")[-8_000:])
    found = frozenset(n.value for n in numbers(text))
    if low is None and high is None and prompt:
        for match in _SCALE.finditer(text):
            around = text[max(0, match.start() - 60) : match.end() + 20]
            first, last = float(match.group(1)), float(match.group(2))
            if (
                first < last
                and first in (0, 1, -5, -3, -10, -100)
                and last in (4, 5, 6, 7, 9, 10, 20, 100, 1000)
                and _SCALE_CUE.search(around)
            ):
                low, high = first, last
    wanted = None
    lowered = (unit or "").strip().lower()
    if lowered and (given := _UNIT.fullmatch(lowered)):
        wanted = _UNITS[(given.lastindex or 1) - 1][:2]
    if wanted is None and prompt:
        for kind, name, pattern in _ASKED:
            if pattern.search(text) and name not in ("in", "s", "c", "f", "m", "h"):
                wanted = (kind, name)
        if (wanted is None or wanted[0] == "length") and re.search(r"\bin met(?:er|re)s\b", text, re.I):
            wanted = ("length", "m")
        if re.search(r"celsius|°\s?c\b", text, re.I):
            wanted = ("temperature", "c")
        elif re.search(r"fahrenheit|°\s?f\b", text, re.I):
            wanted = ("temperature", "f")
    return Asked(
        found,
        low,
        high,
        wanted,
        bool(prompt and _YEAR_ASKED.search(prompt)) or lowered in ("year", "calendar year"),
        bool(_COMMA_DECIMALS.search(text)),
        bool(_DOT_THOUSANDS.search(text)),
        bool(_DOT_DECIMALS.search(text)),
        bool(prompt and _foreign(prompt)),
        bool(prompt),
        bool(prompt and _LIMIT_ASKED.search(prompt)),
        _out_of(text, found),
        not prompt or lowered in ("%", "percent") or _SHARE_ASKED.search(text) is not None,
        frozenset(m.group(1).lower() for m in _HAPPENED.finditer(text)),
        _CHANGE_ASKED.search(text) is not None,
        _things(text),
    )


def _out_of(text: str, found: frozenset[float]) -> frozenset[float]:
    """The numbers that a score or a count in the reply may be out of."""
    if "how many" in text.lower():
        return found
    told = {float(match.group(1) or match.group(2)) for match in _OUT_OF.finditer(text)}
    return frozenset(told | (found & {10.0, 100.0}))


def _things(text: str) -> frozenset[str]:
    """The stems of what is counted."""
    counted: list[str] = []
    for match in _COUNTED.finditer(text.lower()):
        counted = match.group(1).split()
    stop = next((at for at, word in enumerate(counted) if word in _AFTER_COUNTED), len(counted))
    return frozenset(word[:5].rstrip("s") for word in counted[:stop] if len(word) > 2)


def counted(low_text: str, number: Number, want: Asked) -> bool | None:
    """Whether a number stands with what is counted ("35 voters"); None where no noun follows it."""
    match = _NOUNS.match(low_text, number.end)
    following = [w for w in match.group().split() if w not in _NO_NOUN] if match else []
    if not following or (match and match.group().split()[0] in _NO_NOUN):
        return None
    return any(word[:5].rstrip("s") in want.things for word in following)


def unit_after(low_text: str, number: Number) -> tuple[str, str] | None:
    """The unit that follows a number, where it is one of those that can be mistaken for another."""
    gap = _UNIT_GAP.match(low_text, number.end)
    match = _UNIT.match(low_text, gap.end() if gap else number.end)
    return _UNITS[(match.lastindex or 1) - 1][:2] if match else None


def within(value: float, want: Asked) -> bool:
    """Whether the value lies in the declared range, where there is one."""
    return (want.low is None or value >= want.low) and (want.high is None or value <= want.high)


def _elsewhere(text: str, want: Asked) -> bool:
    """Whether the prompt or the reply is in a language that writes decimals with a comma."""
    if want.foreign or not want.settled:
        return want.foreign or _foreign(text[:600])
    return _foreign(text[:600]) and _ENGLISH.isdisjoint(_WORD.findall(text[:600].lower()))


def settle(number: Number, text: str, want: Asked) -> float | None:
    """The value of a number whose notation may have two readings; None where nothing decides."""
    if number.other is None:
        # 2,750 is two and three quarters in French
        open_ = not (want.dot_decimals or want.low is not None or want.high is not None)
        if open_ and _GROUPED.fullmatch(number.digits) and _elsewhere(text, want):
            return None
        return number.value
    sign = -1.0 if number.value < 0 else 1.0
    comma, other = "," in number.digits, sign * abs(number.other)
    if comma and (want.comma_decimals or want.dot_thousands):
        return number.value
    if not comma and want.dot_thousands:
        return other
    ranged = want.low is not None or want.high is not None
    if ranged and within(number.value, want) != within(other, want):
        return number.value if within(number.value, want) else other
    if comma or (number.money and not want.dot_decimals):
        return None  # no price has three decimals
    if want.dot_decimals or not (want.foreign or want.comma_decimals or _foreign(text[:600])):
        return number.value
    return None
