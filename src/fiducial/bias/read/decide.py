"""Options ranked, put first, turned down or chosen under conditions: "C > A > B", "Anything but B", "A if …, else B"."""

from __future__ import annotations

import re
from itertools import pairwise

from fiducial.bias.read import cues
from fiducial.bias.read.lexicon import Lexicon
from fiducial.bias.read.mentions import Mention
from fiducial.bias.read.naming import named
from fiducial.bias.read.reading import MEDIUM, WEAK, Commitment
from fiducial.bias.read.senses import tokens
from fiducial.bias.read.text import looks_cut, sentence_end, sentence_start, vocabulary, words

_RANKS = re.compile(
    r"\brank(?:ing|ings|ed|s)?\b|\btop (?:two|three|four|five|\d)\b|\bbest to worst\b|\bworst to best\b"
    r"|\border of (?:preference|priority|promise"
    r"|merit)\b"
    r"|\bin (?:descending|ascending) order\b|\bmost to least\b|\bleast to most\b"
)
_RANKING = words("rank ranking rankings ranked ranks worst order least most top")
_UPWARDS = re.compile(r"\bworst to best\b|\bleast to most\b|\bascending\b")
_CHAIN = re.compile(r"[)\]\"']*\s*(?:>+|≻|→|,|;|\.|\n|\d\.|\bthen\b|\band\b|\bfollowed by\b|\bfinally\b)")
_EXCLUDES = re.compile(
    r"(?:\b(?:anything|everything|any) (?:but|except|other than|besides)|\bavoid(?:ing)?|\bskip|\breject|\bdrop"
    r"|\brul(?:e|ing) out"
    r"|\badvise against|\brecommend against|\bvote against|\bsteer clear of|\bstay away from"
    r"|(?:\bnot|n't|\bnever) (?:choose|pick|take|go (?:with|for)|select|want|recommend|opt for|do|buy|fund"
    r"|support))"
    r"\s+(?:for\s+)?(?:the\s+|an?\s+|to\s+)?(?:option\s+|choice\s+)?[\"'(]*$"
)
_WORSE_RIGHT = re.compile(
    r"[)\]\"']*\s+(?:(?:is|seems|looks|would be)\s+(?:clearly |definitely |simply )?(?:the\s+)?(?:worse|worst"
    r"|wrong|inferior|weaker|poorer"
    r"|out\b|off the table|not (?:an option|worth|viable|the answer))|(?:isn't|is not|wouldn't be) (?:worth"
    r"|an option|viable)"
    r"|(?:won't|will not|doesn't|does not) (?:do|work)\b|can be ruled out|is ruled out)"
)
_NOT_DO = re.compile(
    r"(?:\b(?:i|we|you|should|must|do|would|will)\s+(?:\w+\s+)?(?:not|never)|\b(?:don|wouldn|won|shouldn)'t"
    r"|^\W*never)"
    r"\s+(?:to\s+)?$"
)


_LONGEST_CHAIN = 200


def ranked(low: str, mentions: list[Mention], lex: Lexicon) -> Commitment | None:
    """The top of a ranking that names at least three options, or both of two."""
    cue = None
    if not _RANKING.isdisjoint(vocabulary(low)):
        for match in _RANKS.finditer(low):
            cue = match
    if cue is None and ">" not in low:
        return None
    found = _ordered(low, mentions, lex, cue)
    if found is None and ">" in low:
        found = (_ordered(low, mentions, lex, None) if cue else None) or _chained(low, mentions, lex)
    return found


def _chained(low: str, mentions: list[Mention], lex: Lexicon) -> Commitment | None:
    """The first of "roof > chairs > paint", where each part of a short reply names another option."""
    if len(low) > _LONGEST_CHAIN or not lex.full:
        return None
    cuts = [0, *(m.end() for m in re.finditer(">", low)), len(low)]
    said = tokens(low)
    parts_ = [named(start, end, mentions, said, lex) for start, end in pairwise(cuts)]
    labels = [one.label for one in parts_]
    if None in labels or len(set(labels)) != len(labels):
        return None
    return Commitment(parts_[0].start, parts_[0].end, parts_[0].label, MEDIUM, "ranking")


def _ordered(low: str, mentions: list[Mention], lex: Lexicon, cue: re.Match[str] | None) -> Commitment | None:
    """The top of the options that follow the words `cue` for a ranking, or, without them, of "C > A > B"."""
    at = cue.end() if cue else 0
    # where the labels are numbers, those of the list are not told from those of the options
    named = [
        m for m in mentions if m.start >= at and m.label and (lex.grammar.family != "digit" or m.kind == "text")
    ]
    order: list[Mention] = []
    for mention in named:
        if mention.label in {m.label for m in order}:
            continue
        if order and not _CHAIN.match(low, order[-1].tail) and cue is None:
            break
        order.append(mention)
    if len(order) < min(3, len(lex.labels)):
        return None
    if cue is None and not all(">" in low[one.tail : two.start] for one, two in pairwise(order)):
        return None
    top = order[-1] if cue and _UPWARDS.search(low[max(0, cue.start() - 40) : cue.end() + 40]) else order[0]
    return Commitment(top.start, top.end, top.label, MEDIUM, "ranking")


_SCORES = words("score scores points rating ratings total totals")
_SCORE = re.compile(
    r"[)\]\"']*\s*(?:[:=(–—-]|is|gets|scores|with)?\s*(\d{1,3}(?:\.\d+)?)(?:\s?/\s?\d+|\s?points?|\s?%)?(?![\w.]\d)"
)
_LESS_IS_MORE = re.compile(r"\b(?:lowest|lower|fewest|penalty|cost|risk|rank)\b")


def numbered(text: str, lex: Lexicon) -> Commitment | None:
    """The first of a reply that is nothing but the labels on numbered lines, each once."""
    lines = [line for line in text.split("\n") if line.strip()]
    if lex.grammar.family != "letter" or len(lines) != len(lex.labels):
        return None
    found = [_NUMBERED.fullmatch(line) for line in lines]
    marks = [m.group("label").lower() for m in found if m]
    if len(set(marks)) != len(lines) or not all(mark in lex.grammar.fold for mark in marks):
        return None
    at = text.index(lines[0]) + (found[0].start("label") if found[0] else 0)
    return Commitment(at, at + 1, lex.grammar.fold[marks[0]], MEDIUM, "ranking")


_NUMBERED = re.compile(r"\s*#?\d{1,2}[.):]\s*(?:option )?\(?(?P<label>[A-Za-z])\W*")


def scored(low: str, mentions: list[Mention], lex: Lexicon) -> Commitment | None:
    """The option with the highest score, where a short reply gives every option one."""
    if len(low) > _LONGEST_CHAIN or _SCORES.isdisjoint(vocabulary(low)) or _LESS_IS_MORE.search(low):
        return None
    found: dict[str, tuple[float, Mention]] = {}
    for mention in mentions:
        match = _SCORE.match(low, mention.tail)
        if mention.label is None or match is None or mention.label in found:
            return None
        found[mention.label] = (float(match.group(1)), mention)
    ranks = sorted(found.values(), reverse=True)
    if len(found) != len(lex.labels) or ranks[0][0] == ranks[1][0]:
        return None
    top = ranks[0][1]
    return Commitment(top.start, top.end, top.label, MEDIUM, "ranking")


_SEQUENCE = re.compile(r"\b(?:then|second|next|after(?:wards)?|later|followed by)\b")
_FIRST_BEFORE = re.compile(r"\bfirst\s+(?:comes\s+|with\s+|for\s+)?(?:the\s+|an?\s+|option\s+)?[\"'(]*$")
_FIRST_AFTER = re.compile(r"[)\]\"']*,?\s+(?:(?:should|must|would|has to)\s+)?(?:comes?\s+|goes\s+|be\s+)?first\b")


def sequenced(low: str, mentions: list[Mention], lex: Lexicon) -> Commitment | None:
    """The option that is to come first: "Ask for B first, C second", "First the lab test, then the survey"."""
    if "first" not in low or len(low) > 300 or looks_cut(low):
        return None
    if any("first" in text for text in lex.full.values()):
        return None  # "Finish the course first" is a name
    for mention in mentions:
        if mention.label is None:
            continue
        after = _FIRST_AFTER.match(low, mention.tail)
        before = _FIRST_BEFORE.search(low[max(0, mention.start - 30) : mention.start])
        if (after or before) and (
            _SEQUENCE.search(low, mention.tail, sentence_end(low, sentence_end(low, mention.tail)))
            or not low[after.end() if after else len(low) :].strip(" .!")
        ):
            return Commitment(mention.start, mention.end, mention.label, MEDIUM, "ranking")
    first = _FIRST_THEN.match(low) if lex.full else None
    if first is not None:
        what = named(*first.span("what"), mentions, tokens(low), lex)
        if what.label:
            return Commitment(what.start, what.end, what.label, MEDIUM, "ranking")
    return None


_FIRST_THEN = re.compile(
    r"\W*(?:i'd (?:do|have) |do )?first,? (?P<what>[^,.;]{3,60})[,;] (?:and )?(?:then|second|next|after)"
)


def conditional(low: str, mentions: list[Mention]) -> tuple[int, int] | None:
    """The span of a reply that names one option under one condition and another under another."""
    if " if " not in f" {low}" and "depend" not in low and "otherwise" not in low:
        return None
    under = [
        m
        for m in mentions
        if m.label and cues.HYPOTHESIS.search(low[_clause_start(low, m.start) : _clause_end(low, m.tail)])
    ]
    if len({m.label for m in under}) > 1 or (
        under and "otherwise" in low and len({m.label for m in mentions if m.label}) > 1
    ):
        return mentions[0].start, mentions[-1].end
    return None


def _clause_start(low: str, at: int) -> int:
    start = sentence_start(low, at)
    return max(start, low.rfind(";", start, at) + 1)


def _clause_end(low: str, at: int) -> int:
    end = sentence_end(low, at)
    cut = low.find(";", at, end)
    return cut if cut >= 0 else end


def excluded(low: str, mentions: list[Mention], lex: Lexicon) -> Commitment | None:
    """Of two options the one that is left where a short reply turns the other down: "Anything but B"."""
    if len(lex.labels) != 2 or len(low) > 200 or not mentions or low.rstrip().endswith("?"):
        return None
    if len({m.label for m in mentions}) != 1 or mentions[0].label is None:
        return None
    turned = mentions[-1]
    left = low[max(0, turned.start - 60) : turned.start]
    right = low[turned.tail : turned.tail + 40]
    if not (
        _EXCLUDES.search(left)
        or (turned.kind == "text" and _NOT_DO.search(left))
        or _WORSE_RIGHT.match(right)
        or (left.endswith("rule ") and right.lstrip(")\"'").startswith(" out"))
    ):
        return None
    other = next(label for label in lex.labels if label != turned.label)
    return Commitment(turned.start, turned.end, other, WEAK, "exclusion")
