r"""Answers given in a form that was agreed on: JSON, XML tags, `\boxed{}`, `####` lines."""

from __future__ import annotations

import re
from typing import NamedTuple


class Slot(NamedTuple):
    """A structured place for an answer.

    `text[start:end]` is its value; `text[outer_start:outer_end]` the whole construct, whose other
    words (a "reasoning" field) are not searched for commitments. `many` marks a list of values.
    """

    start: int
    end: int
    outer_start: int
    outer_end: int
    rule: str
    key: str
    many: bool = False


# the keys of an answer, the most telling first
_ANSWER_KEYS = """
    answer finalanswer correctanswer bestanswer myanswer answerchoice choice finalchoice mychoice
    selectedoption selectedanswer selected selection option correctoption answerletter letter
    decision finaldecision pick prediction estimate finalestimate bestestimate rating score value
    number result price amount verdict response output label recommendation final antwort reponse
    réponse respuesta 答案
"""
_RANK = {key: rank for rank, key in enumerate(_ANSWER_KEYS.split())}
CONFIDENCE_KEYS = frozenset(
    ("confidence", "confidencelevel", "confidencescore", "certainty", "probability", "confidencepercent")
)

_NO_ANSWER = CONFIDENCE_KEYS | frozenset(
    [
        "error",
        "errors",
        "refusal",
        "message",
        "reason",
        "reasoning",
        "note",
        "explanation",
        "comment",
        "warning",
        "status",
        "info",
        "detail",
        "details",
    ]
)

_KEY = re.compile(r"""(?:["']([^\W\d][\w \-]{0,24})["']|(?<=[{,\n])\s*([^\W\d]\w{0,23}))\s*:\s*""")
_VALUE = re.compile(r""""((?:[^"\\]|\\.)*)|'((?:[^'\\\n]|\\.)*)|\[([^\[\]]*)|([^\s,}\]{\["'][^,}\]\n]*)""")
_BRACES = re.compile(r'"(?:[^"\\]|\\.){0,4000}+"|[{}]')
_TAGS = re.compile(
    r"<\s*(answer|final[_ -]?answer|choice|option|selection|decision|estimate|result"
    r"|response|output|final|rating|value"
    r"|confidence|probability)\s*>([^<]{0,4000})(?:</|\Z)",
    re.I,
)
_BOXED = re.compile(r"boxed\s*\{")
_HASHES = re.compile(r"^[ \t]*####[ \t]*([^\n]{1,200})", re.M)
_CODE = re.compile(r"\b(?:return|print|console\.log)\b\s*\(?\s*[\"']([^\"'\n]{1,60})[\"']")
_SHORT_CODE = 240
_LONGEST_CUT = 40  # an answer may be cut off in its last word, but is no text that breaks off
_STEP = re.compile(r"[{}]")


def _fold(key: str) -> str:
    return key.lower().replace("_", "").replace(" ", "").replace("-", "")


def _object_end(text: str, start: int) -> int:
    closing = text.find("}", start)
    inside = text[start + 1 : closing]
    if closing >= 0 and "{" not in inside and '"' not in inside:
        return closing + 1
    depth = 0
    for match in _BRACES.finditer(text, start):
        found = match.group()
        if found == "{":
            depth += 1
        elif found == "}":
            depth -= 1
            if depth == 0:
                return match.end()
    return len(text)


def json_slots(text: str, keys: dict[str, int] | frozenset[str] = frozenset(_RANK)) -> list[Slot]:
    """One slot for each object that has an answer's key, the most telling key of each; broken JSON will do."""
    slots: list[Slot] = []
    opening = text.find("{")
    while opening >= 0:
        closing = _object_end(text, opening)
        if text.find(":", opening, closing) < 0:  # \\text{…}
            opening = text.find("{", closing)
            continue
        best: Slot | None = None
        rank = len(_RANK) + 1
        found = list(_KEY.finditer(text, opening, closing))
        for match in found:
            key = _fold(match.group(1) or match.group(2))
            only = len(found) == 1 and keys is not CONFIDENCE_KEYS and key not in _NO_ANSWER and match.group(1)
            if not (key in keys or only) or _RANK.get(key, len(_RANK)) >= rank:
                continue
            value = _VALUE.match(text, match.end(), closing)
            if value is None:
                continue
            group = value.lastindex or 4
            start, end = value.span(group)
            if only and key not in keys and end == len(text) and end - start > _LONGEST_CUT:
                continue  # what broke off in the first of several values
            rank = _RANK.get(key, len(_RANK))
            best = Slot(start, end, opening, closing, "json", key, group == 3)
        if best is not None:
            slots.append(best)
        if len(slots) > 64:
            break
        opening = text.find("{", closing)
    return slots


def _boxed_slots(text: str) -> list[Slot]:
    slots: list[Slot] = []
    for opening in _BOXED.finditer(text):
        depth, end = 1, min(len(text), opening.end() + 600)
        start = opening.start() - text.endswith("f", 0, opening.start())
        start -= text.endswith("\\", 0, start)
        for brace in _STEP.finditer(text, opening.end(), end):
            depth += 1 if brace.group() == "{" else -1
            if depth == 0:
                slots.append(Slot(opening.end(), brace.start(), start, brace.end(), "boxed", "boxed"))
                break
        else:
            if end == len(text):  # cut off inside the box
                slots.append(Slot(opening.end(), end, start, end, "boxed", "boxed"))
    return slots[-64:]


def slots(text: str) -> list[Slot]:
    """All structured answers, in order of appearance."""
    found: list[Slot] = []
    if "{" in text:
        if "boxed" in text:
            found += _boxed_slots(text)
        if ":" in text:
            found += json_slots(text)
    if "<" in text:
        for match in _TAGS.finditer(text):
            key = _fold(match.group(1))
            if key not in CONFIDENCE_KEYS:
                found.append(Slot(*match.span(2), *match.span(), "tag", key))
    if len(text) < _SHORT_CODE and ("return" in text or "print" in text):
        for match in _CODE.finditer(text):
            found.append(Slot(*match.span(1), *match.span(), "code", "code"))
    if "####" in text:
        for match in _HASHES.finditer(text):
            found.append(Slot(*match.span(1), *match.span(), "hashes", "hashes"))
    if len(found) > 1:
        found.sort()
    return found


def confidence_slots(text: str) -> list[Slot]:
    """Structured confidences, in order of appearance."""
    found: list[Slot] = []
    if "{" in text and ":" in text:
        found += json_slots(text, CONFIDENCE_KEYS)
    if "<" in text:
        for match in _TAGS.finditer(text):
            key = _fold(match.group(1))
            if key in CONFIDENCE_KEYS:
                found.append(Slot(*match.span(2), *match.span(), "tag", key))
    return found
