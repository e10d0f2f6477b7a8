"""The option that is left, or that says what the reply says of all: elimination, "none of these", "equally likely"."""

from __future__ import annotations

import re
from functools import lru_cache

from fiducial.bias.read import cues
from fiducial.bias.read.lexicon import Lexicon
from fiducial.bias.read.mentions import Mention
from fiducial.bias.read.naming import telling as own_words
from fiducial.bias.read.naming import weights
from fiducial.bias.read.reading import MEDIUM, Commitment
from fiducial.bias.read.senses import tokens
from fiducial.bias.read.text import sentence_end, sentence_start, vocabulary, words

_ONE_LEFT = re.compile(
    r"\b(?:leaves?|leaving)(?: (?:us|me|you))?(?: with)? (?:only |just |exactly |but )?(?:one|a single"
    r"|the (?:one|last|only|remaining))"
    r"\b(?: (?:\w+ ){0,2}(?:option|choice|candidate|one|answer|possibility|alternative))?"
    r"|\bonly one (?:\w+ ){0,2}?(?:is left|remains|left|remaining|survives)\b"
    r"|\bthe (?:only )?(?:one|option|choice) (?:that(?:'s| is) )?(?:left|remaining)(?: over| standing)?\b"
    r"|\b(?:by|process of) elimination\b|\bguess (?:what|which)[^.]{0,12}\b(?:leaves|left)\b"
    r"|\bthe remaining (?:one|option|choice)\b"
)
_LEFT = words("leave leaves leaving left remains remaining remain survives elimination")
_TIE = re.compile(
    r"\bequally\b|\bthe same\b|\bno difference\b|\bas likely\b|\bidentical\b|\bequal\b|\ba tie\b|\bjust as\b"
    r"|^both\b"
)
_SAYS_TIE = re.compile(
    r"\bequally (?:likely|probable|good|large|big|strong)\b|\b(?:just )?as (?:likely|probable) as\b"
    r"|\b(?:both|they|two|all)\b[^.;\n]{0,50}\b(?:the same|identical|equal)\b|\bthe (?:very "
    r"|exact )?same (?:chance|probability"
    r"|odds|likelihood|size|value|risk)\b|\b(?:makes?|is|there's) no difference\b"
    r"|\bneither\b[^.;\n]{0,40}\b(?:edge|advantage|likelier|more likely|more probable|bigger|larger|better)\b"
    r"|\bno (?:more|less) likely\b|\bequal (?:chances?|probabilit\w+|odds)\b"
)
_NONE = re.compile(r"\b(?:none|neither)\b|\bnothing (?:of|listed)")
_SAYS_NONE = re.compile(
    r"\bnone of (?:the|these|them|those|it|my|your)\b|\bneither (?:of|one|option|is|seems|fits|works|explains"
    r"|a\b|\w+ nor)"
    r"|\bno option\b|\bnot (?:one|any) of (?:the|these|them)\b|\bnone (?:fits?|works?|applies|apply|is|are)\b"
)


@lru_cache(maxsize=4096)
def _saying(full: tuple[tuple[str, str], ...]) -> tuple[str | None, str | None]:
    """The label of the one option that calls the others equal, and of the one that turns them all down."""

    def one(pattern: re.Pattern[str]) -> str | None:
        found = [label for label, text in full if pattern.search(text)]
        return found[0] if len(found) == 1 and len(full) > 2 else None

    return one(_TIE), one(_NONE)


def of_all(low: str, mentions: list[Mention], found: list[Commitment], lex: Lexicon) -> Commitment | None:
    """The option "equally likely" or "none of these", where that is what the reply says."""
    both = _saying(tuple(lex.full.items()))
    if both == (None, None):
        return None
    for text in lex.full.values():
        if len(text) > 8 and text in low:
            low = low.replace(text, "x" * len(text))  # more than a copy of an option
    for label, pattern in zip(both, (_SAYS_TIE, _SAYS_NONE), strict=True):
        if label is None or any(c.answer != label for c in found):
            continue
        last: re.Match[str] | None = None
        for match in pattern.finditer(low):
            if not any(m.start < match.end() and match.start() < max(m.end, m.tail) for m in mentions):
                last = match
        if last is None:
            continue
        before = re.split(r"[,:;]", cues.bearing(low[sentence_start(low, last.start()) : last.start()]))[-1]
        asks = low[: sentence_end(low, last.end())].endswith("?")
        if not (asks or cues.vetoes(before) or cues.OTHERS.search(before) or cues.HYPOTHESIS.search(before)):
            return Commitment(last.start(), last.end(), label, MEDIUM, "restates")
    return None


_TURNED = re.compile(
    r"(?:n't|\bnot|\bnever) (?:pick|choose|take|go (?:with|for)|recommend|want|buy|consider|select) (?:the "
    r"|option )?[\"'(]*$"
    r"|\brul(?:e|es|ed|ing) out[^.;]{0,30}:\s*[\"'(]*$|\b(?:not|nor|neither|eliminat\w+|rul(?:e|es|ed|ing) out"
    r"|exclud\w+|discard\w*)\s+(?:the |option )?[\"'(]*$"
)
_ALSO = re.compile(r"[)\"']*\s*(?:,|,? ?\b(?:and|or|nor)\b)\s*(?:the |option )?[\"'(]*")
_SHORT = 260


def turned_down(low: str, mentions: list[Mention], lex: Lexicon) -> Commitment | None:
    """The one option that a short reply does not turn down, where it names all others to do so: "Not A, not C"."""
    if len(low) > _SHORT or len(lex.labels) < 3 or len({m.label for m in mentions}) != len(lex.labels) - 1:
        return None
    before: Mention | None = None
    for mention in mentions:
        listed = before is not None and _ALSO.fullmatch(low, before.tail, mention.start) is not None
        if mention.label is None or not (listed or _TURNED.search(low, max(0, mention.start - 44), mention.start)):
            return None
        before = mention
    left = next(label for label in lex.labels if label not in {m.label for m in mentions})
    return Commitment(mentions[0].start, mentions[-1].end, left, MEDIUM, "elimination")


def remaining(low: str, mentions: list[Mention], lex: Lexicon) -> Commitment | None:
    """The one option of which nothing is said in a reply that speaks of all others and says that one is left."""
    if len(lex.labels) < 3 or _LEFT.isdisjoint(vocabulary(low)) or not lex.full:
        return None
    last: re.Match[str] | None = None
    for match in _ONE_LEFT.finditer(low):
        last = match
    if last is None:
        return None
    spoken = {m.label for m in mentions if m.end <= last.start() and m.label}
    telling = own_words(lex)
    for token in tokens(low, 0, last.start()):
        if token.fold in telling:
            owners = weights(lex).get(token.fold, {})
            if len(owners) == 1:
                spoken |= owners.keys()
    left = [label for label in lex.labels if label not in spoken]
    return Commitment(*last.span(), left[0], MEDIUM, "elimination") if len(left) == 1 else None
