"""The reader: structured contract first, then language; the last commitment wins."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache

from fiducial.bias.read.abstain import abstention, refuses
from fiducial.bias.read.boxes import unboxed, without_struck
from fiducial.bias.read.confidence import read_confidence, stated
from fiducial.bias.read.echoes import repeats, unfilled
from fiducial.bias.read.lexicon import Lexicon, lexicon, options_in
from fiducial.bias.read.numeric import read_numeric
from fiducial.bias.read.options import read_option
from fiducial.bias.read.reading import Kind, Option, Reading
from fiducial.bias.read.returns import first_said
from fiducial.bias.read.structure import slots
from fiducial.bias.read.text import (
    clean,
    foreign_lists,
    own_turn,
    question_starts,
    without_markup,
    without_thinking,
)
from fiducial.bias.read.yesno import read_yesno
from fiducial.errors import fault

# The rules are not linear in the length of what they are given, so they see at most this much of a reply: all of it up to
# LONG characters, else its end and its beginning.
LONG = 8_000
TAIL = 6_000
HEAD = 2_000
ENDS = 12  # questions of the subject's own invention before which an answer is looked for
_HEAD_RULES = frozenset(("first-line", "lone-token", "answer-line"))
_PLAIN_RULES = frozenset(
    ("first-line", "lone-token", "answer-line", "answer-is", "commitment", "boxed", "json", "tag", "verdict")
)
"""What is believed before a form that was left empty"""
_Q_AND_A = re.compile(r"(?m)(?<=^)[ \t]*A:(?=[ \t]*\S)")
_SIGNS = re.compile(r"(?<!\W)\W{200,}")
_KEPT = 40  # characters at both ends of a long run without a word
_FORM = 8  # no shorter reply can be the form of an answer
_RETURNING = 30  # nor come back to its first one
_NUMBERED = re.compile(r"\b(?:which|choose|select|pick|best|most)\b", re.I)
_ONLY_NUMBER = re.compile(r"\bnumber\b|\(\s*1\s*[-–—]\s*\d", re.I)
_ANSWER_LINE = re.compile(
    r"^[ \t>*#]*(?:final\s+|my\s+|the\s+)?answer\s*(?:\*\*\s*)?[:：][ \t*]*(\S[^\n]*)", re.I | re.M
)


def _text(body: str) -> Reading:
    """Free text: the last structured answer or `Answer:` line, else all of it."""
    spans = [(s.start, s.end, s.rule) for s in slots(body) if body[s.start : s.end].strip()]
    spans += [(*m.span(1), "answer-line") for m in _ANSWER_LINE.finditer(body)]
    if spans:
        start, end, rule = max(spans)
    else:
        if refuses(clean(body).lower()):
            return abstention(clean(body).lower())
        start, end, rule = 0, len(body), "whole"
    value = body[start:end]
    start += len(value) - len(value.lstrip())
    value = value.strip().rstrip("*").rstrip()
    if not value:
        return Reading(status="empty", rule="empty")
    return Reading(status="read", answer=value, span=(start, start + len(value)), rule=rule)


@lru_cache(maxsize=1024)
def _numbered(prompt: str | None) -> tuple[Option, ...]:
    """The numbered list of a prompt that asks for the number of one of its lines."""
    if not prompt or "1" not in prompt or not _NUMBERED.search(prompt) or not _ONLY_NUMBER.search(prompt):
        return ()
    listed = options_in(prompt)
    return listed if listed and listed[0].label == "1" and re.search(r"^\s*1[.)]", prompt, re.M) else ()


def _read(
    body: str,
    kind: Kind,
    lex: Lexicon | None,
    prompt: str | None,
    unit: str | None,
    low: float | None,
    high: float | None,
) -> Reading:
    if len(body) > _RETURNING:
        for beginning in first_said(body):
            reading = _read_once(beginning, kind, lex, prompt, unit, low, high)
            if reading.status == "read":
                return reading
    return _read_once(body, kind, lex, prompt, unit, low, high)


def _read_once(
    body: str,
    kind: Kind,
    lex: Lexicon | None,
    prompt: str | None,
    unit: str | None,
    low: float | None,
    high: float | None,
) -> Reading:
    if lex is not None:
        body, several = unboxed(body)
        if several is not None:
            return Reading(status="ambiguous", span=several, rule="both")
        return read_option(body, lex, prompt)
    if kind == "numeric":
        if len(body) > 3 and (listed := _numbered(prompt)):
            reading = read_option(body, lexicon(listed, prompt), prompt)
            if isinstance(reading.answer, str):
                return Reading(status="read", answer=float(reading.answer), span=reading.span, rule=reading.rule)
            if reading.rule != "not-an-option":
                return reading
        return read_numeric(body, prompt, unit, low, high)
    if kind == "yesno":
        return read_yesno(unboxed(body)[0], prompt)
    if kind == "confidence":
        return read_confidence(body, prompt)
    return _text(body)


# A line of its own that states a confidence is no part of the answer beside it, and does not make it look cut off.
_CONFIDENCE_LINE = re.compile(
    r"^[ \t*_>-]*(?:my |stated )?confidence(?: level)?[ \t*_]*[:=][ \t*_]*[^\n]{1,24}$", re.I | re.M
)


def _ends(body: str, lex: Lexicon | None, prompt: str | None) -> list[int]:
    """Where the reply may have gone over to a question of its own invention."""
    ends = question_starts(body)
    if lex is not None and "\n" in body and ("?" in body or "nswer" in body):
        ends = sorted(ends + foreign_lists(body, lex.full.get(lex.labels[0], ""), prompt))
    return ends


def _read_long(body: str, ends: Sequence[int], rules: Callable[[str], Reading]) -> Reading:
    """The answer before an invented question near the beginning; else what the end plainly says; else the last line
    `Answer: …` wherever it stands; else what the end can be taken to say, or what the opening does."""
    for end in ends:
        reading = rules(body[:end])
        if reading.status == "read":
            return reading
    at = len(body) - TAIL
    reading = _moved(rules(body[at:]), at)
    if reading.status == "read" and reading.rule in _PLAIN_RULES:
        return reading
    for line in deque(_ANSWER_LINE.finditer(body), maxlen=1):
        said = _moved(rules(body[line.start() : line.end()][:HEAD]), line.start())
        if said.status == "read":
            return said
    if reading.status == "read":
        return reading
    opening = rules(body[:HEAD])
    return opening if opening.status == "read" and opening.rule in _HEAD_RULES else reading


def _middle_blanked(run: re.Match[str]) -> str:
    """Rules that begin with `\\W*` try every place of a long row of signs; the middle of it says nothing."""
    signs = run[0]
    return signs[:_KEPT] + " " * (len(signs) - 2 * _KEPT) + signs[-_KEPT:]


def _moved(reading: Reading, by: int) -> Reading:
    if not by or reading.span is None:
        return reading
    return Reading(
        status=reading.status,
        answer=reading.answer,
        confidence=reading.confidence,
        span=(reading.span[0] + by, reading.span[1] + by),
        rule=reading.rule,
    )


def read(
    response: str,
    kind: Kind,
    *,
    options: Sequence[Option] | None = None,
    prompt: str | None = None,
    unit: str | None = None,
    low: float | None = None,
    high: float | None = None,
) -> Reading:
    """Read the answer that a reply commits to, or say why there is none. Pure, and never raises: a reply on which a
    rule fails is `unreadable`, with the rule `fault:` and the exception's name.

    Thinking between tags is not read, nor what the subject wrote for an invented next turn or
    question. Of replies beyond 8,000 characters the end is read, the last line `Answer: …` wherever it is,
    and the opening if neither commits to anything.
    """
    try:
        reading = _read_reply(response, kind, options, prompt, unit, low, high)
        if not isinstance(reading.answer, str | None):
            float(reading.answer)  # a whole number may be too large for one
    except Exception as error:
        return Reading(status="unreadable", rule=fault(error))
    return reading


def _read_reply(
    response: str,
    kind: Kind,
    options: Sequence[Option] | None,
    prompt: str | None,
    unit: str | None,
    low: float | None,
    high: float | None,
) -> Reading:
    if not response or not response.strip():
        return Reading(status="empty", rule="empty")
    body, unclosed = without_thinking(response) if "<" in response else (response, False)
    if body is not response and not body.strip():
        return Reading(status="unreadable", rule="cut-off" if unclosed else "thinking-only")
    body = _SIGNS.sub(_middle_blanked, own_turn(body))
    if "<" in body or "~" in body:
        body = without_markup(without_struck(body))
    if "Q:" in body and "\nA:" in body:
        body = _Q_AND_A.sub(lambda mark: " " * len(mark.group()), body)
    whole = body
    if kind != "confidence" and "onfidence" in body:
        body = _CONFIDENCE_LINE.sub(lambda line: " " * len(line.group()), body)
    lex = lexicon(options, prompt) if kind == "option" else None
    tail = body[-LONG:]
    at = len(body) - len(tail)

    def rules(part: str) -> Reading:
        return _read(part, kind, lex, prompt, unit, low, high)

    form = unfilled(tail) if len(body) > _FORM else None
    if form is not None or (_FORM < len(body) <= LONG and repeats(body, prompt)):
        before = _moved(rules(tail[:form]), at) if form else None
        if before is not None and before.rule in _PLAIN_RULES:
            return before
        return Reading(status="unreadable", span=(at + (form or 0), len(body)), rule="placeholder")
    if len(body) > LONG:
        reading = _read_long(body, _ends(body[:HEAD], lex, prompt)[:ENDS], rules)
    else:
        # of a base model that goes on to invent questions, the first answered one is ours
        for end in (*_ends(body, lex, prompt)[:ENDS], len(body)):
            reading = rules(body[:end])
            if reading.status == "read":
                break
    if unclosed and reading.status == "unreadable":
        reading = Reading(status="unreadable", span=reading.span, rule="cut-off")
    if kind == "confidence":
        return reading
    found = stated(whole[-TAIL:])
    if found is None:
        return reading
    return Reading(
        status=reading.status, answer=reading.answer, confidence=found[0], span=reading.span, rule=reading.rule
    )
