"""What is left where no option was plainly chosen: agreement, verdicts on each option, a sole mention."""

from __future__ import annotations

import re

from fiducial.bias.read import cues
from fiducial.bias.read.lexicon import Lexicon
from fiducial.bias.read.listing import list_items
from fiducial.bias.read.marks import DANGLES, DOUBT, I_TELL, TELLS
from fiducial.bias.read.mentions import Mention
from fiducial.bias.read.reading import MEDIUM, STRONG, WEAK, Commitment
from fiducial.bias.read.restate import last_figure
from fiducial.bias.read.text import looks_cut, sentence_end, sentence_start, vocabulary, words

_CLAUSE_ENDS = re.compile(r"[)\"']*\s*(?:[a-z]+\s*)?(?:[.,;!\n]|$)")
_SOLE_LABEL = re.compile(
    r"[)\]\"'.:]*\s*(?:is|are|describes?|represents?|fits?|matches|refers)\s+"
    r"(?!(?:an? |the )?(?:good|risky|cheap|wors[et]|wrong|\w+er\b)|(?:far |much |way |just |simply )?(?:too"
    r"|over\w+)\b)"
)
_IN_BRACKETS = re.compile(r"\w[\"']?\s*[(\[](option |choice |answer |letter )?$")
_BRACKET_ENDS = re.compile(r"[)\]][\"']?\s*(?:[.!]?\s*$|[.,;!\n])")
_TRUE_KEY = re.compile(r"[\"'](\w{1,12})[\"']\s*:\s*(?:true|True)\b")


def settle(found: list[Commitment], text: str, low: str) -> Commitment | None:
    """The one to believe where nothing strong was said: all agree, or the last concludes."""
    for tier in (MEDIUM, WEAK):
        these = [c for c in found if c.tier == tier]
        if not these:
            continue
        last = these[-1]
        rest = low[last.end :]
        if (
            len(rest) > 40
            and looks_cut(text)
            and re.search(r"\b(?:however|but|although|on the other hand|while)\b", rest)
        ):
            return None
        if len(rest) > 500 and looks_cut(text):
            return None
        if last.rule == "option-text" and len(rest.split()) > 3 and looks_cut(text):
            return None  # "3x = 18. Now we divide both sides by"
        if len({c.answer for c in these}) == 1:
            return last
        if last.rule == "conclusion" or ("\n" not in rest.strip() and len(rest) < 300):
            return last
        return None
    return None


_DEPENDS = re.compile(r"\W*(?:well,? |that |it |this |the answer )*(?:really |all )?depends\b")


def undecided(found: list[Commitment], low: str) -> tuple[int, int] | None:
    """The span of a reply that begins with "it depends" and then speaks for one option and for another."""
    medium = [c for c in found if c.tier == MEDIUM]
    if len({c.answer for c in medium}) < 2 or not _DEPENDS.match(low):
        return None
    if cues.CONCLUDES.match(low[sentence_start(low, medium[-1].start) : medium[-1].start]):
        return None
    return medium[0].start, medium[-1].end


_PRAISED = re.compile(
    r"(?:^|[.\n]\s*)(?:this|it|that)(?: option| answer| choice| statement)? is (?:indeed |clearly "
    r"|definitely )?(?:the )?(?:best|correct"
    r"|right)\b"
)
_BLAMED = re.compile(
    r"\b(?:bad|poor|not (?:a|the|recommended|valid|as|the best)|worse|risky|harmful|inappropriate)\b"
)


def verdicts(text: str, low: str, lex: Lexicon) -> Commitment | None:
    """A discussion of every option that calls exactly one correct, or all but one wrong."""
    items = list_items(text, lex) if len(lex.labels) > 2 and "\n" in text else []
    if len({label for label, _, _ in items}) < min(3, max(2, len(lex.labels) - 1)):
        return None
    verdict: dict[str, bool | None] = {}
    where: dict[str, tuple[int, int]] = {}
    praised: list[str] = []  # in so many words: "This is the best first step"
    plain: list[str] = []  # neither praised nor blamed
    for (label, start, end), following in zip(items, [*items[1:], None], strict=True):
        stop = following[1] if following else len(low)
        segment = low[end : min(stop, end + 300)].strip()
        wrong, right = cues.WRONG.search(segment), cues.RIGHT.search(segment)
        verdict[label] = False if wrong else (True if right else None)
        if right and " is " in segment and _PRAISED.search(segment):
            praised.append(label)
        elif not (wrong or _BLAMED.search(segment)):
            plain.append(label)
        where[label] = (start, start + len(lex.written(label)))
    if len(praised) == 1 and not plain and len(verdict) > 2:
        return Commitment(*where[praised[0]], praised[0], MEDIUM, "verdicts")
    right_ones = [label for label, v in verdict.items() if v]
    wrong_ones = [label for label, v in verdict.items() if v is False]
    if len(verdict) < max(2, len(lex.labels) - 1):
        return None
    if len(right_ones) == 1 and len(wrong_ones) >= len(lex.labels) - 2:
        return Commitment(*where[right_ones[0]], right_ones[0], MEDIUM, "verdicts")
    if not right_ones and len(wrong_ones) == len(lex.labels) - 1 and not looks_cut(text):
        rest = [label for label in lex.labels if label not in wrong_ones]
        if rest and rest[0] in where:
            return Commitment(*where[rest[0]], rest[0], MEDIUM, "elimination")
    return None


_TICK = re.compile(
    r"(?<![\w'])\(?([A-Z]|\d{1,2})[).?]?\s*[:=–—-]?\s*(?:(✓|✔|✅|yes\b|true\b|correct\b|right\b)|(✗|✘|❌|✖|no\b"
    r"|false\b|incorrect\b|wrong\b))",
    re.I,
)


_ROW = re.compile(
    r"^[ \t\-•*]*\(?([A-Z])[).:]?\s[^\n]*?(?<![\w'])(?:(✓|✔|✅|(?i:yes|fits|works|best|correct|right|true))|(✗|✘"
    r"|❌|✖|(?i:no|wrong"
    r"|false|too \w+(?: \w+)?)))[ \t.!|]*$",
    re.M,
)
"""A line that opens with a label and ends in a mark, as in a table"""
_TICKS = words("yes true correct right fits works best")


def ticked(text: str, low: str, lex: Lexicon) -> Commitment | None:
    """ "A: no. B: yes. C: no.": every option with a mark of its own, and one of them a yes."""
    if low.isascii() and _TICKS.isdisjoint(vocabulary(low)):
        return None
    marks: dict[str, tuple[bool, re.Match[str]]] = {}
    for match in _TICK.finditer(text):
        label = lex.grammar.fold.get(match.group(1).lower())
        if label is None or label in marks or lex.grammar.family == "word":
            continue
        marks[label] = (match.group(2) is not None, match)
    for match in _ROW.finditer(text):
        label = lex.grammar.fold.get(match.group(1).lower())
        if label is not None and label not in marks and lex.grammar.family == "letter":
            marks[label] = (match.group(2) is not None, match)
    right = [match for good, match in marks.values() if good]
    if len(marks) < max(2, len(lex.labels) - 1) or len(right) != 1:
        return None
    return Commitment(*right[0].span(1), lex.grammar.fold[right[0].group(1).lower()], MEDIUM, "verdicts")


def sole(text: str, low: str, mentions: list[Mention]) -> Commitment | None:
    """A short, whole reply that names one option alone: its own words at the end of a clause, or "option B is …"."""
    if len(text) > 250 or (looks_cut(text) and (len(text) > 60 or DANGLES.search(low))):
        return None
    if len({m.label for m in mentions}) != 1 or mentions[-1].label is None:
        return None
    last = mentions[-1]
    start, end = sentence_start(low, last.start), sentence_end(low, last.tail)
    sentence = low[start:end]
    bracket = _IN_BRACKETS.search(low[max(start, last.start - 12) : last.start]) if last.kind == "label" else None
    aside = bracket and (bracket.group(1) or any(m.kind == "text" and m.start >= start for m in mentions))
    fits = (_BRACKET_ENDS if aside else _SOLE_LABEL if last.kind == "label" else _CLAUSE_ENDS).match(low, last.tail)
    if not fits or sentence.rstrip().endswith("?") or cues.vetoes(sentence):
        return None
    if cues.reported(sentence) or cues.OTHERS.search(sentence):
        return None
    if TELLS.search(sentence.replace("being said", "").replace("that said", "")) and not I_TELL.search(sentence):
        return None  # "Everyone says B"
    if cues.HYPOTHESIS.search(sentence) or not last_figure(low, last):
        return None
    if cues.NEGATED_LEFT.search(low[start : last.start][-60:]) or cues.WRONG.search(sentence):
        return None
    if DOUBT.search(low[max(start, last.start - 90) : last.start]):
        return None  # "I'm not sure they should accept"
    if last.kind == "label" and not aside and low[:start].strip():
        return None
    return Commitment(last.start, last.end, last.label, WEAK, "sole-option")


def true_key(body: str, lex: Lexicon) -> Commitment | None:
    """`{"A": false, "B": true}`: the one label that is true."""
    found = [m for m in _TRUE_KEY.finditer(body) if m.group(1).lower() in lex.grammar.fold]
    if len(found) != 1:
        return None
    return Commitment(*found[0].span(1), lex.grammar.fold[found[0].group(1).lower()], STRONG, "json")
