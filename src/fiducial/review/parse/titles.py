"""Titles of findings in prose: the number, the severity and the markup around the words."""

from __future__ import annotations

import re

from msgspec import Struct

from fiducial.review.parse.draft import one_line
from fiducial.review.parse.values import confidence_of, severity_word

_NOUN = (
    r"(?:finding|issue|problem|concern|risk|gap|observation|defect|flaw|weakness|assumption|critique|point|bug|comment|vulnerability"
    r"|ambiguity|contradiction|inconsistency|constraint|edge case|violation|challenge|item)"
)
_NUMBERED = re.compile(
    rf"(?i:(?:(?:critical|important|minor|major|high|medium|low|new|key)\s+)?{_NOUN}\s*(?:#|no\.?\s*|number\s*|id\s*)?)[\[(]?"
    r"([A-Za-z]{0,8}[-_.]?\d{1,4}(?:\.\d{1,3}){0,3}[a-z]?|(?<=[\s#(\[])(?:[A-Z]|[IVX]{1,5}))[\])]?(?:\s*(?:of|/)\s*\d{1,3})?"
    r"\s*(?:[:.)\]|–—-]+\s*|\(|\[|$)"
)
_NAMED = re.compile(rf"{_NOUN}\s*[:–—]\s+|{_NOUN}\s+-\s+", re.I)
_CODE = re.compile(
    r"[\[(]?#?([A-Z]{1,8}[-_]?\d{1,4}(?:\.\d{1,3})?|[A-Z]{1,8}(?:-[A-Z]{1,8}){0,2}-\d{1,5})[\])]?\s*(?:[:.)|–—]|-\s)\s*"
)
_BRACKETED = re.compile(r"\[([A-Za-z]{0,8}[-_]?\d{1,4})\]\s*")
_DIGITS = re.compile(
    r"\(?#?(\d{1,3}(?:\.\d{1,3}){1,3})(?:\\?[.):]+|\s*[–—-])?\s+(?=\S)|\(?#?(\d{1,3})(?:\\?[.):]+|\s*[–—-])\s+(?=\S)|#(\d{1,3})\s+(?=\S)"
)
_LEAD = re.compile(r"[\[(]([^\[\]()]{1,40})[\])]\s*[:|–—-]?\s*|([\w -]{2,24}?)\s*(?:[:|–—]|-(?=\s))\s*")
_SEVERITY_LABEL = re.compile(r"(?:severity|priority)\s*[:=]\s*(?=[A-Za-z]{2,14}\d?\s*[:|–—-])", re.I)
_TRAIL = re.compile(
    r"\s*(?:[\[(]([^\[\]()]{1,80})[\])]|[|–—:]\s*([^|–—:()\[\]]{1,40})|\s-\s([^|()\[\]-]{1,40}))\s*$"
)
_PIECES = re.compile(r"\s*[,;|/·•]\s*|\s+[–—-]\s+")
_CONFIDENT = re.compile(
    r"(?:confidence|certainty|conf)\b\W*(.*)|(.*?)\W*(?:confidence|confident|certainty)\b", re.I
)
_SIGN = re.compile(r"^[^\w\"'“‘(\[<`/.~$@&%+*-]+")
_STARS = re.compile(r"\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)")
_TITLE_LABEL = re.compile(r"title\s*[:–—]\s*", re.I)


class Title(Struct, frozen=True):
    """A title taken apart. `marked`: its form alone says finding. `numbered`: it has a number or a code."""

    words: str
    id: str | None = None
    severity: str | None = None
    confidence: str | None = None
    marked: bool = False
    numbered: bool = False


def plain(text: str) -> str:
    """The words without emphasis; code marks stay, since names in code are part of what is said."""
    return one_line(_STARS.sub("", text).replace("\\.", ".")) if "*" in text or "_" in text else one_line(text)


def read_title(text: str, *, number: str = "") -> Title:
    """Take a title apart. `number` is that of a list item, which is outside the text."""
    words = plain(text[:2000])
    found_id, severity, confidence = number or None, None, None
    marked = named = False
    for _ in range(4):  # "🔴 Finding 3: [High] F-3: words": in any order, each at most once or twice
        words, sign = _without_sign(words)
        severity = severity or sign
        if match := _NUMBERED.match(words):
            found_id, marked = match[1], True
            words = words[match.end() - (words[match.end() - 1 : match.end()] in ("(", "[")) :]
        elif match := _NAMED.match(words):
            marked = True
            words = words[match.end() :]
        elif (match := _CODE.match(words) or _BRACKETED.match(words)) and not severity_word(match[1]):
            found_id, named = match[1], True
            words = words[match.end() :]
        elif (match := _DIGITS.match(words)) and not named:
            found_id, named = match[1] or match[2] or match[3], True
            words = words[match.end() :]
        elif (match := _SEVERITY_LABEL.match(words)) and severity is None:
            words = words[match.end() :]
        elif (match := _LEAD.match(words)) and severity_word(match[1] or match[2]):
            severity = match[1] or match[2]
            words = words[match.end() :]
        elif match := _TITLE_LABEL.match(words):
            words = words[match.end() :]
        else:
            break
    words, severity, confidence = _trailing(words, severity)
    return Title(
        words.strip(" :–—-"), found_id, severity, confidence, marked, bool(number) or marked or found_id is not None
    )


def _without_sign(words: str) -> tuple[str, str | None]:
    found = _SIGN.match(words)
    if found is None or found.end() == len(words):
        return words, None
    return words[found.end() :], found[0] if severity_word(found[0]) else None


def _trailing(words: str, severity: str | None) -> tuple[str, str | None, str | None]:
    """Take off a severity and a confidence that stand behind the words: `Words (High, 85%)`, `Words — Critical`."""
    confidence = None
    for _ in range(3):
        found = _TRAIL.search(words[-140:])
        if found is None:
            break
        pieces = [piece for piece in _PIECES.split(found[1] or found[2] or found[3]) if piece.strip()]
        read = [_piece(piece) for piece in pieces]
        if not pieces or not all(read):
            break
        for what, value in filter(None, read):
            if what == "severity":
                severity = severity or value
            else:
                confidence = confidence or value
        words = words[: len(words) - len(found[0])]
    return words, severity, confidence


def _piece(text: str) -> tuple[str, str] | None:
    if severity_word(text):
        return "severity", text
    found = _CONFIDENT.fullmatch(text.strip())
    value = (found[1] or found[2]) if found else text if text.strip().endswith("%") else None
    return ("confidence", value) if value and confidence_of(value) is not None else None
