"""Numbers as people and models write them, each with its place and its value.

Works on text cleaned by `clean_numbers`. "3k" is 3000, "2.5 million" 2500000, "70%" is 70 (points),
"7.2 × 10^19" 7.2e19, "3/4" 0.75. A number whose notation has two readings (a decimal comma; 1.500)
carries the other one in `other`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from fiducial.bias.read.text import any_of, holds, vocabulary, words


class Number(NamedTuple):
    """A number at `start:end`. `over` is the denominator of "8/10" or "8 out of 10", where there is one."""

    start: int
    end: int
    value: float
    other: float | None = None
    percent: bool = False
    money: bool = False
    over: float | None = None
    digits: str = ""
    exact: bool = False  # grouped or scaled: not a year, not a list number


_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SCALE = any_of(
    words(
        """
        thousand million billion trillion quadrillion hundred dozen mio mln mn bn mrd lakh lakhs crore crores millionen
        milliarden millions billions thousands tausend
        """
    )
)
_TOKEN = re.compile(
    rf"""\\[dt]?frac\s*\{{\s*(?P<top>-?\d+(?:\.\d+)?)\s*\}}\s*\{{\s*(?P<bottom>\d+(?:\.\d+)?)\s*\}}
    |(?<![A-Za-z\u00c0-\u02af\u0370-\u04ff\d_.\\])(?<![A-Za-z]-)(?<!\d[,:/])
    (?P<sign>[-+](?=\s?[$€£¥₹]?\s?\.?\d))?
    (?P<cur>(?i:US|AU|CA|HK|NZ|[ACR])?[$€£¥₹]\s?|(?i:USD|EUR|GBP|INR|CHF)\s)?
    (?P<num>\d{{1,3}}(?:(?:,|\{{,\}}|['_’\ ]|\ \ )\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:[.,]\d+)*|\.\d+)
    (?:[eE](?P<exp>[-+]?\d{{1,4}})(?!\w))?
    (?:\s*(?:×|[xX*·]|\\(?i:times|cdot))\s*10\s*(?:(?:\^|\*\*)\s*[{{(]?\s*(?P<power>[-+]?\d{{1,4}})\s*[}})]?|(?P<super>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+)))?
    (?:\s?\^\s?[{{(]?(?P<up>[-+]?\d{{1,4}})[}})]?|(?P<upper>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+))?
    (?P<scale>[\s-]?(?i:{_SCALE})\b|\s?[万亿千]|\s?[kK](?![\w°])|[MBT](?!\w)|(?<=\d)[mbt](?!\w))?
    (?P<pct>\s?(?:%|(?i:percent|per\ cent|pct|percentage\ points?|prozent|por\ ciento)\b))?
    (?:\s?(?:/|\b(?i:out\ of)\b)\s?(?P<over>\d{{1,6}}(?:\.\d+)?)(?![\d/])(?!\s?[-+*/×=])(?:\s?%)?)?""",
    re.X,
)
_SCALE_WORDS = {
    12.0: "dozen",
    1e2: "hundred",
    1e3: "thousand thousands tausend 千 k",
    1e4: "万",
    1e5: "lakh lakhs",
    1e6: "million millions millionen mio mln mn m",
    1e7: "crore crores",
    1e8: "亿",
    1e9: "billion billions milliarden bn mrd b",
    1e12: "trillion t",
    1e15: "quadrillion",
}
_SCALES = {word: factor for factor, names in _SCALE_WORDS.items() for word in names.split(" ")}
_GROUPS = re.compile(r"\d{1,3}(?:(?:,|\{,\}|['_’ ]|  )\d{3})+(?:\.\d+)?")
_INDIAN = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?")
_DOTTED = re.compile(r"\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?|\d{1,3}(?:\.\d{3})+,\d+")
_VULGAR_VALUES = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3}
_VULGAR = re.compile(r"(?<![\w.,])(\d{1,6})?\s?([½¼¾⅓⅔])")
_MONEY_AFTER = re.compile(r"\s?(?:€|£|\$|EUR\b|euros?\b|dollars?\b|pounds?\b)")
_AFTER = re.compile(r"(?:st|nd|rd|th|D|d|K|s|pm|am|er|ème|º|ª)(?![a-z])|[:]\d\d|/\d|\.\d")


def plain(digits: str) -> tuple[float, float | None] | None:
    """The value of a run of digits and separators, and the other value it may have."""
    if digits.isdigit():
        return (float(digits), None) if len(digits) < 300 else None
    if digits.count(".") == 1 and digits.replace(".", "").isdigit():
        value = float(digits)
        head, tail = digits.split(".")
        # 1.500 is one and a half here and fifteen hundred elsewhere
        return value, (float(head + tail) if len(tail) == 3 and 0 < len(head) <= 3 and head[0] != "0" else None)
    if _GROUPS.fullmatch(digits) or _INDIAN.fullmatch(digits):
        return float(re.sub(r"[^\d.]", "", digits)), None
    if _DOTTED.fullmatch(digits):
        return float(digits.replace(".", "").replace(",", ".")), None
    if digits.count(",") == 1 and "." not in digits:
        head, tail = digits.split(",")
        if len(tail) <= 2 or head == "0":
            return float(f"{head}.{tail}"), float(head + tail)  # a decimal comma, or a slip
        return float(head + tail), None  # a misplaced separator: 291,7055
    if "," in digits and digits.count(".") == 1 and digits.rindex(",") < digits.index("."):
        return float(digits.replace(",", "")), None
    return None


def _scaled(scale: str, money: bool, metres: bool) -> float | None:
    """The factor of "million" or "k"; None where the letter belongs to something else."""
    word = scale.strip(" -\n\t")
    if len(word) == 1 and word in "mbtT" and not money:
        return None  # "5m" is five metres; "$5m" is five million
    if word == "M" and metres and not money:
        return None
    if word == "K" and scale != word:
        return None  # kelvin
    return _SCALES[word.lower()]


def _no_number(text: str, end: int) -> bool:
    """Whether what follows a number makes it an ordinal, a time, a date or a version."""
    following = _AFTER.match(text, end)
    return following is not None and (following.group()[0] not in "./" or text[end + 1 : end + 2].isdigit())


def _number(text: str, match: re.Match[str], metres: bool) -> Number | None:
    start, end = match.span()
    if match.lastgroup == "num":  # the common case: digits and nothing else
        digits = match.group("num")
        if digits.isdigit() and end - start == len(digits) < 300:
            return None if _no_number(text, end) else Number(start, end, float(digits), digits=digits)
    top, bottom, sign, cur, digits, exp, power, raised, up, upper, scale, pct, over = match.groups()
    if top:
        return Number(start, end, float(top) / float(bottom), digits=match.group()) if float(bottom) else None
    parsed = plain(digits)
    if parsed is None:
        return None
    value, other = parsed
    money = bool(cur)
    factor = 1.0
    if scale:
        found = _scaled(scale, money, metres)
        if found is None:
            end = match.start("scale")
        else:
            factor = found
    elif pct is None and over is None and _no_number(text, end):
        return None
    power = exp or power or (raised or "").translate(_SUPER)
    up = up or (upper or "").translate(_SUPER)
    try:
        if power:
            value = float(f"{value!r}e{int(power)}")  # exact, which the product with a power of ten is not
        if up:
            value = value ** int(up)
        value *= factor
    except (OverflowError, ZeroDivisionError, ValueError):
        return None
    if sign == "-":
        value = -value
    if not math.isfinite(value):
        return None
    exact = factor != 1.0 or bool(power or up) or not digits.replace(".", "").isdigit()
    whole = float(over) if over and match.end() == end else None
    if whole == value == 50:
        return None  # "50/50" is a saying
    if other is not None and (power or up or factor != 1.0):
        other = other * factor if "," in digits and not (power or up) else None
    money = money or _MONEY_AFTER.match(text, end) is not None
    return Number(start, end, value, other, bool(pct), money, whole or None, digits, exact)


_DIGIT = re.compile(r"\d")
_LEAD = 8  # more than what may stand before a number's first digit: a sign, "US$ ", a point
_LEADING = frozenset("$€£¥₹.+-")
_CODES = frozenset("$€£¥₹dDrRpPfF")  # what "US$ 5" and "EUR 5" have before the space


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """As `_TOKEN.finditer`, which would try every letter of the text, where only digits are worth a try."""
    if "frac" in text:
        yield from _TOKEN.finditer(text)
        return
    at = 0
    while digit := _DIGIT.search(text, at):
        start = digit.start()
        before = text[start - 1] if start else ""
        if before in _LEADING or (before.isspace() and text[start - 2 : start - 1] in _CODES):
            start = max(at, start - _LEAD)
        match = _TOKEN.search(text, start)
        if match is None:
            break
        yield match
        at = match.end()


def numbers(text: str, *, metres: bool = False) -> list[Number]:
    """All numbers of a cleaned text. `metres` says that lengths are asked for, so "330M" is no million."""
    found: list[Number] = []
    for match in _tokens(text):
        number = _number(text, match, metres)
        if number is None:
            continue
        whole = found[-1] if found and number.over else None
        if (
            whole
            and number.value < (number.over or 0)
            and whole.digits.isdigit()
            and text[whole.end : number.start] == " "
        ):
            part = number.value / (number.over or 1)  # "2 1/2"
            found[-1] = whole._replace(end=number.end, value=whole.value + part, exact=True)
            continue
        found.append(number)
    if not text.isascii() and holds(text, tuple(_VULGAR_VALUES)) and (vulgar := _VULGAR.search(text)):
        value = float(vulgar.group(1) or 0) + _VULGAR_VALUES[vulgar.group(2)]
        found = [n for n in found if n.start != vulgar.start()]
        found.append(Number(*vulgar.span(), value, digits=vulgar.group(), exact=True))
        found.sort()
    return found


_ONES = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
"""
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_UNITS = {word: n for n, word in enumerate(_ONES.split())} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_BIG = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}
COUNTED_WORDS = frozenset({*_UNITS, *_BIG, "half"})
"""Of which every number in words has one"""
_COUNTED = any_of(COUNTED_WORDS)
_COUNTS = re.compile(_COUNTED)  # found much sooner than the whole, which has to look back first
_WORD_NUMBER = re.compile(rf"(?<![\w-])(?:{_COUNTED}(?:[\s-]+(?:and\s+)?(?:a\s+)?(?={_COUNTED})|(?![\w-])))+")


def _in_words(low: str) -> Iterator[re.Match[str]]:
    at = 0
    while word := _COUNTS.search(low, at):
        match = _WORD_NUMBER.match(low, word.start())
        if match:
            yield match
        at = match.end() if match else word.start() + 1


_TWO = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten) and (?:three|four|five|six|seven|eight|nine"
    r"|ten) (?:hundred|thousand|million)"
)


def word_numbers(low: str) -> list[Number]:
    """Numbers in words: "twelve", "twenty-five", "two hundred thousand", "half a million"."""
    found: list[Number] = []
    if COUNTED_WORDS.isdisjoint(vocabulary(low)):
        return found
    for match in _in_words(low):
        if " and " in match.group() and not re.search("hundred|thousand|million|half", match.group()):
            continue  # "two and three" are two numbers
        if _TWO.search(match.group()):
            continue  # and so are "three and four hundred"
        value = _sum_of(re.findall(r"[a-z]+", match.group()))
        if value is not None:
            end = match.start() + len(match.group().rstrip(" -"))
            found.append(Number(match.start(), end, value, digits=match.group().strip(), exact=True))
    return found


def _sum_of(words: list[str]) -> float | None:
    """The value of a number's words; None for what only looks like one: "fifty-fifty"."""
    total, current, seen = 0.0, 0.0, False
    for word in words:
        if word in _UNITS:
            unit = _UNITS[word]
            if 10 < current < 20 <= unit:
                current *= 100  # "eighteen fifty-seven", a year
            elif current % 100 >= 20 and unit >= 20:
                return None
            current += unit
        elif word == "half":
            current += 0.5
        elif word in ("hundred", "dozen"):
            current = (current if seen else 1) * _BIG[word]
        elif word in _BIG:
            total += (current if seen else 1) * _BIG[word]
            current = 0.0
        else:
            continue
        seen = True
    return total + current
