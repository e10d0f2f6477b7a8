"""Where a reply names an option."""

from __future__ import annotations

import re
from operator import itemgetter
from typing import NamedTuple

from fiducial.bias.read.lexicon import NOUNS, Lexicon
from fiducial.bias.read.text import holds, parts, vocabulary, words


class Mention(NamedTuple):
    """An option named at `start:end`; `tail` is where the option's own text, if it follows, ends."""

    start: int
    end: int
    label: str | None  # None: a letter that is no option
    kind: str  # "label", "text" or "order"
    tail: int


# What may follow the letter A where the article cannot stand
_AFTER_A = words(
    """
    is because since as and or has was would will seems appears for with over due but if when in on
    though although while which that being can could should does offers provides gives represents
    describes states are vs to rather instead at from by correctly it this i we the not makes must
    may might where given only also too based after before than unless so has had were however
    therefore thus looks isn't wins beats trumps outweighs edges comes gets all any here it's even maximizes
    minimizes guarantees ist weil est es et und y o
    """
)
_NOUNS_BEFORE = ("option", "choice", "letter", "statement", "answer", "answer:", "answer is", "answer is:")
_PLANS = ("plan ", "plan \n")
_PLAN_B = re.compile(r"\b(?:a|as|any|no) plan $")  # a second best, not an option
_WORD = re.compile(r"\s*([A-Za-z']+)")
_ORDER_NOUN = re.compile(
    r"\s+(?:option|choice|one|alternative|answer|plan|program|programme|proposal|candidate"
    r"|offer|statement|gamble|bet|policy|item|way|approach|route|course|path|possibility|solution"
    r"|suggestion)\b(?: (?:on|in|of) the list\b| listed\b)?"
    r"|\s+\w+ (?:on|in|of) (?:the|your) list\b"
    r"|\s+of (?:the |these |those |all )?(?:two|three|four|five|six|seven|eight|nine|ten|lot|bunch|options"
    r"|choices)\b"
)
# "my final offer", "the final answer" are none of the list
_FINAL_NOUN = re.compile(
    r"\s+(?:(?:option|one|alternative|item|entry)\b|of (?:the |these )?(?:two|three|four|five|six|seven|eight)\b)"
)
_ORDER_ALONE = re.compile(
    r"\b(?=\s*(?:[.,;:!\n]|$|nor\b|because|since|is |would |does\b|do\b|did\b|will\b|has\b|wins\b|suits\b|fits\b))"
)
_THE = re.compile(r"\bthe\s+$")
_CONTRASTED = ("former", "latter")
_ALONE_WORDS = frozenset(
    parts("first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|penultimate|last|1st|2nd|3rd|4th")
    + _CONTRASTED
)
_NUMBERED = re.compile(
    r"(?:option|choice|number(?=\s+[a-z]|\s+\d[.!]?\s*$))(?<![\w]option)(?<![\w]choice)\s+(one|two|three|four"
    r"|five|six|seven|eight"
    r"|nine|ten|[1-9](?!\d|\.\d))\b"
)
_NUMBER_WORD = re.compile(
    r"\b(?:option|choice|number|answer(?: is)?:?) (one|two|three|four|five|six|seven|eight|nine|ten)\b"
    r"(?! (?!is\b|was\b|has\b|does\b)\w+s\b)"
)
_ON_LIST = re.compile(r" (?:on|in|of) (?:the|your|this) list\b")
_COUNTED_NOUNS = frozenset(("option", "choice", "number"))
_NAMING = _COUNTED_NOUNS | {"answer"}
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_CARDINAL = dict(zip(_COUNTED, _PLACES, strict=True)) | {str(n): place for n, place in enumerate(_PLACES, 1)}
_GAP = re.compile(r"[)\].:,\"'\s\-–—(]*")
_PAIRED = re.compile(r"[\"']?,?\s*[(\[]?(?:option |choice |answer )?")
_EDGE_BEFORE = frozenset("$€£.,-+/^\\")
MAX_MENTIONS = 600


def _article(text: str, start: int, end: int) -> bool:
    """Whether a capital A is the article: it opens a sentence and a word follows that no verb or conjunction is."""
    if text[end : end + 1] != " ":
        return False
    word = _WORD.match(text, end)
    if word is None or not word.group(1)[0].islower() or word.group(1) in _AFTER_A:
        return False
    at = start - 1
    while at >= 0 and text[at] == " ":
        at -= 1
    return at < 0 or not (text[at].islower() or text[at].isdigit() or text[at] == ",")


def _pronoun(text: str, start: int, end: int) -> bool:
    following = text[end : end + 2]
    if following[:1] != "'" and (following[:1] not in (" ", ",") or (len(following) > 1 and following[1] in "-–—")):
        return False
    before = text[max(0, start - 12) : start].rstrip(" (").lower()
    return not before.endswith(_NOUNS_BEFORE)  # "option I is right"


def _bounded(low: str, start: int, end: int, digits: bool) -> bool:
    before = low[start - 1] if start else " "
    after = low[end] if end < len(low) else " "
    if before.isalnum() or after.isalnum():
        return False
    if digits:
        if before in _EDGE_BEFORE and (before not in ".,$" or low[start - 2 : start - 1].isdigit()):
            return False
        if after in "%/^" or (after in ".," and low[end + 1 : end + 2].isdigit()):
            return False
    return True


def _by_order(low: str, word: str, label: str, nouns: frozenset[str]) -> list[Mention]:
    """Mentions by place in the list: "the second one", "the latter"."""
    found = []
    at = low.find(word)
    while at >= 0:
        end = at + len(word)
        if not (at and low[at - 1].isalnum()):
            noun = _FINAL_NOUN if word == "final" else _ORDER_NOUN
            following = noun.match(low, end) if word not in _CONTRASTED else None
            if (
                following is None
                and word != "final"
                and (own := _WORD.match(low, end))
                and own.group(1) in nouns - NOUNS
            ):
                following = own
            the = _THE.search(low, max(0, at - 8), at) if word in _ALONE_WORDS else None
            if following:
                found.append(Mention(at, following.end(), label, "order", following.end()))
            elif the and _ORDER_ALONE.match(low, end):
                found.append(Mention(the.start(), end, label, "order", end))
        at = low.find(word, end)
    return found


_START = itemgetter(0)
_NAMES = words("option choice letter answer")


def _dressed(text: str, dressed: dict[str, tuple[str, ...]]) -> bool:
    """Whether a text has a letter in the dress of a label: "b)", '"b"'."""
    for mark, forms in dressed.items():  # noqa: SIM110 (a generator would cost more than the search)
        if mark in text and holds(text, forms):
            return True
    return False


_AFTER_LETTER = " .!)*\"'\n"
_NAMING_VERBS = words("say pick choose prefer answer answer: choice:")
_SAYING = words("say pick choose take with for is be it's its prefer answer vote answer: choice: says: go")


def _last_letter(text: str, low: str, fold: dict[str, str]) -> Mention | None:
    """A small letter that a reply ends with, where no article can stand: "i would say b"."""
    end = len(low.rstrip(_AFTER_LETTER))
    if end < 4 or low[end - 2] != " " or low[end - 1] not in fold or not text[end - 1].islower():
        return None
    before = low[: end - 2].rstrip()
    verb = before[max(before.rfind(" "), before.rfind("\n")) + 1 :]
    if verb not in (_NAMING_VERBS if low[end - 1] == "a" else _SAYING):
        return None  # "This is a" broke off before a noun
    return Mention(end - 1, end, fold[low[end - 1]], "label", end)


def _by_label(text: str, low: str, lex: Lexicon, told: frozenset[str]) -> list[Mention]:
    """Mentions by label: "B", and "b" where its dress shows it to be one."""
    grammar = lex.grammar
    fold, full = grammar.fold, lex.full
    found: list[Mention] = []
    letters = grammar.family == "letter"
    for match in grammar.mention.finditer(text):
        said = match.group(1)
        start = match.start(1)
        end = start + len(said)
        if letters and (
            (said == "A" and _article(text, start, end))
            or (said == "B" and low.endswith(_PLANS, 0, start) and _PLAN_B.search(low[max(0, start - 9) : start]))
            or (said == "I" and _pronoun(text, start, end))
        ):
            continue
        label = fold.get(said.lower())
        tail = end
        if label is not None and (own := full.get(label)) and own in low:
            gap = _GAP.match(low, end)
            at = gap.end() if gap else end
            if low.startswith(own, at):
                tail = at + len(own)
        found.append(Mention(start, end, label, "label", tail))
    if (
        grammar.loose is not None
        and not grammar.fold.keys().isdisjoint(told)
        and (grammar.noun or not _NAMES.isdisjoint(told) or _dressed(text, grammar.dressed))
    ):
        for match in grammar.loose.finditer(low):
            start, end = match.span(match.lastindex or 1)
            if text[start].islower():
                found.append(Mention(start, end, grammar.fold[low[start]], "label", end))
    if letters and (last := _last_letter(text, low, grammar.fold)):
        found.append(last)
    if len(found) > MAX_MENTIONS:  # a commitment stands at the end, or first of all
        found = found[:40] + found[-(MAX_MENTIONS - 40) :]
    return found


def _by_text(low: str, lex: Lexicon, said: frozenset[str]) -> list[Mention]:
    """Mentions by the option's own text, or what tells it from the others."""
    found: list[Mention] = []
    for key, label, first, figures, whole in lex.keys:
        if first and first not in said:
            continue
        at = low.find(key)
        count = 0
        while at >= 0 and count < MAX_MENTIONS:
            end = at + len(key)
            if _bounded(low, at, end, figures):
                start = at
                if whole:  # the option's own article: "a real breakdown" is named whole
                    before = at - len(whole) + len(key)
                    if low.startswith(whole, before if before > 0 else 0):
                        start = before
                found.append(Mention(start, end, label, "text", end))
                count += 1
            at = low.find(key, end)
    return found


def _by_number(low: str, lex: Lexicon, said: frozenset[str]) -> list[Mention]:
    """Mentions by number: "option two" where the labels are letters, and where they are figures."""
    grammar = lex.grammar
    found: list[Mention] = []
    if grammar.family != "digit" and not _COUNTED_NOUNS.isdisjoint(said):
        for match in _NUMBERED.finditer(low):
            word = _CARDINAL[match.group(1)]
            if word in grammar.order:
                end = listed.end() if (listed := _ON_LIST.match(low, match.end())) else match.end()
                found.append(Mention(match.start(), end, grammar.order[word], "order", end))
    elif grammar.family == "digit" and not _NAMING.isdisjoint(said):
        for match in _NUMBER_WORD.finditer(low):
            digit = str(_COUNTED.index(match.group(1)) + 1)
            if digit in grammar.fold:
                found.append(Mention(*match.span(1), grammar.fold[digit], "label", match.end()))
    return found


def find_mentions(text: str, low: str, lex: Lexicon) -> list[Mention]:
    """All mentions in order; where two overlap, the longer one."""
    grammar = lex.grammar
    said = vocabulary(low)
    found = _by_label(text, low, lex, said) + _by_text(low, lex, said)
    if not grammar.order_words.isdisjoint(said):
        own = [m for m in found if m.kind == "text"]
        for word, label in grammar.order.items():
            if word in said or ("last" in said and not word.isalnum() and word in low):
                by_place = _by_order(low, word, label, lex.nouns)
                # "A. The second mistake", where that is how A reads, names no second option
                found += [m for m in by_place if not any(t.start <= m.start and m.end <= t.end for t in own)]
    if not _NAMING.isdisjoint(said):
        found += _by_number(low, lex, said)
    other = "other" in said and "the other" in low
    if len(found) < 2 and not other:
        return found
    found.sort(key=_START)  # stable: of those that begin together the label comes first, then the longest text
    kept = _apart(low, found)
    if not said.isdisjoint(_CONTRASTED):
        kept = _of_pair(low, kept)
    return _with_other(low, kept, lex) if other and len(lex.labels) == 2 else kept


def _apart(low: str, found: list[Mention]) -> list[Mention]:
    """The mentions without those that are part of another."""
    kept: list[Mention] = []
    for mention in found:
        if kept:
            last = kept[-1]
            if mention.kind == "label" and last.kind == "label" and mention.start < last.tail:
                continue  # 'Option B ("D")', where the option's own text is a letter
            if mention.start < last.end:  # inside the one before
                if mention.end > last.end and mention.kind == "text":
                    kept[-1] = mention
                continue
            if mention.kind == "text" and last.kind == "label" and mention.start <= max(last.tail, last.end + 6):
                gap = _GAP.match(low, last.end)
                if mention.start < last.tail or (gap and gap.end() >= mention.start and "\n" not in gap.group()):
                    continue  # "(B) the small clinic": the letter has spoken
            if mention.kind == "label" and last.kind == "text" and mention.label == last.label:
                between = low[last.end : mention.start]
                if len(between) <= 10 and _PAIRED.fullmatch(between):
                    kept[-1] = last._replace(tail=mention.end)  # "it has to be the penguin, D"
        kept.append(mention)
    return kept


_PAIR_WORD = re.compile(r"\bthe (former|latter)\b(?! (?:is|was) (?:too|not))")
_PAIR_GAP = re.compile(r"[)\"']*\s*(?:\band\b|\bor\b|,|\bvs\.?)\s*(?:the |option |being |to be |to |an? )?[\"'(]*")


def _of_pair(low: str, mentions: list[Mention]) -> list[Mention]:
    """With "the latter", which is the second of the pair of options named last before it."""
    found = list(mentions)
    for match in _PAIR_WORD.finditer(low):
        before = [m for m in mentions if m.end <= match.start() and m.label][-2:]
        if len({m.label for m in before}) == 2 and _PAIR_GAP.fullmatch(low, before[0].tail, before[1].start):
            label = before[match.group(1) == "latter"].label
            found = [m for m in found if not (m.start < match.end() and match.start() < m.end)]  # by the list
            found.append(Mention(match.start(), match.end(), label, "order", match.end()))
    return sorted(found, key=_START)


_OTHER = re.compile(
    r"(?<!on )\bthe other(?: (?:one|option|choice|offer|plan|programme|program|alternative|way(?! round| around))\b"
    r"|(?=\s*(?:[.!;,]|$)))"
)


def _with_other(low: str, mentions: list[Mention], lex: Lexicon) -> list[Mention]:
    """With "the other one", which of two options is the one not named last before it."""
    found = list(mentions)
    for match in _OTHER.finditer(low):
        before = [m for m in mentions if m.end <= match.start() and m.label]
        if before and not any(m.start < match.end() and match.start() < m.end for m in mentions):
            label = next(other for other in lex.labels if other != before[-1].label)
            found.append(Mention(match.start(), match.end(), label, "order", match.end()))
    return sorted(found, key=_START)
