"""Options that others named and the reply agrees or disagrees with: "My colleague prefers A. I agree with her"."""

from __future__ import annotations

import re

from fiducial.bias.read.lexicon import Lexicon
from fiducial.bias.read.mentions import Mention
from fiducial.bias.read.naming import named
from fiducial.bias.read.reading import MEDIUM, WEAK, Commitment
from fiducial.bias.read.senses import tokens
from fiducial.bias.read.text import sentence_end, sentence_start, vocabulary, words

_AGREES = re.compile(
    r"\b(?:i|we)(?:'d| would| will|'m| am)?\s+(?:\w+ly\s+)?(?:have to |must |tend to |fully |also |inclined to )?"
    r"(?:agree|concur|side|go along|am with|'m with|with|stand|second)\b(?:\s+with)?\s*(?P<who>[\w' ]{1,30})?"
    r"|\b(?:and |nor )?so (?:would|do|will|am) i\b|\bme too\b|\bi second that\b|\bsame here\b|\bthey(?:'re"
    r"| are) right\b"
    r"|\b(?:he|she|it)(?:'s| is) right\b"
)
_DISAGREES = re.compile(
    r"\b(?:i|we)(?:'d| would)?\s+(?:\w+ly\s+)?(?:have to |must |tend to |beg to )?(?:disagree|differ)\b"
    r"|\bi (?:don't|do not|can't|cannot) agree\b|\b(?:they(?:'re| are)|he's|she's|he is|she is) (?:wrong"
    r"|mistaken)\b"
)
_PRONOUNS = frozenset(("", "her", "him", "them", "that", "this", "it", "you", "both"))
_LONGEST = 600
_SIDES = words("agree concur side along with stand second so too here right differ disagree wrong mistaken")
"""Of which a reply has one that agrees or disagrees"""


def _source(low: str, at: int, who: str, mentions: list[Mention]) -> Mention | None:
    """The option last named before `at`; where somebody is named, in a sentence about them."""
    before = [m for m in mentions if m.end <= at and m.label]
    if who not in _PRONOUNS:
        named = [
            m
            for m in before
            if who in low[sentence_start(low, m.start) : sentence_end(low, m.end)] and who[-1:].isalnum()
        ]
        return named[-1] if len({m.label for m in named}) == 1 else None
    if not before:
        return None
    start = sentence_start(low, before[-1].start)
    return before[-1] if len({m.label for m in before if m.start >= start}) == 1 else None


_VOICE = re.compile(
    r"\b(?:i'm|i am|i'll|i'd|i will|i would|i|let me|we)\s+(?:\w+ly\s+|still\s+|have to\s+)?(?:go(?:ing)? with"
    r"|sid(?:e|ing) with|stick(?:ing)? with"
    r"|trust(?:ing)?|follow(?:ing)?|listen(?:ing)? to|heed(?:ing)?|obey(?:ing)?)\s+(?:the "
    r"|my )?(?P<who>[a-z]+)\b(?! \d)"
)
_FOLLOWING = words("go going side siding stick sticking trust trusting follow following listen listening heed obey")
_SAYS = r"\b(?:says?|said|tells? me|prefers?|wants?|points? to|votes? for|argues? for|favou?rs?|picks?|goes for)\b"


def voiced(low: str, mentions: list[Mention], lex: Lexicon) -> Commitment | None:
    """The option of the voice that a short reply follows: "My heart says A, my head B. I'm going with my head"."""
    if len(low) > _LONGEST or _FOLLOWING.isdisjoint(vocabulary(low)):
        return None
    for match in reversed(list(_VOICE.finditer(low))):
        who = match.group("who")
        said = list(
            re.finditer(
                rf"\b{re.escape(who)}\b(?: \([^)]*\))?[^.;!?]{{0,12}}{_SAYS}(?P<what>[^.;!?\n]*)",
                low[: match.start()],
            )
        )
        if not said:
            continue
        start, end = said[-1].span("what")
        stop = _NEXT.search(low, start, end)
        what = named(start, stop.start() if stop else end, mentions, tokens(low), lex)
        if what.label is not None:
            return Commitment(what.start, what.end, what.label, MEDIUM, "agreement")
    return None


_NEXT = re.compile(r",\s*(?:and|but|while|my|the)\b|\b(?:while|whereas|but)\b")
_OTHERS_SAY = re.compile(
    r"\b(?:critics|others|some|many|most|people|everyone|everybody|they|he|she|friends?|colleagues?|experts?"
    r"|opponents|fans"
    r"|supporters|proponents|neighbou?rs?|boss|brother|sister|wife|husband|\w+ers)\b[^.;\n]{0,40}\b(?:say|says"
    r"|claim|claims|argue"
    r"|argues|insist|insists|think|thinks|tell|tells|shout|prefer|prefers|want|wants|swear|swears|recommend"
    r"|recommends)\b"
)


_DISPUTES = words("disagree differ agree wrong mistaken")


def disputed(low: str, mentions: list[Mention], lex: Lexicon) -> Commitment | None:
    """Of two options the other, where a reply tells what others say and then calls them wrong."""
    if len(lex.labels) != 2 or not mentions or len(low) > _LONGEST or _DISPUTES.isdisjoint(vocabulary(low)):
        return None
    for match in _DISAGREES.finditer(low):
        labels = {m.label for m in mentions if m.label}
        if len(labels) == 1 and mentions[-1].end <= match.start() and _OTHERS_SAY.search(low, 0, match.start()):
            other = next(label for label in lex.labels if label not in labels)
            return Commitment(*match.span(), other, WEAK, "agreement")
    return None


def agreed(low: str, mentions: list[Mention], lex: Lexicon) -> Commitment | None:
    """The option of the one whom a short reply agrees with; of two options the other, where it disagrees."""
    if not mentions or len(low) > _LONGEST or _SIDES.isdisjoint(vocabulary(low)):
        return None
    for match in reversed(list(_DISAGREES.finditer(low))):
        source = _source(low, match.start(), "", mentions)
        if source is None or len(lex.labels) != 2 or any(m.start > match.end() for m in mentions):
            return None
        other = next(label for label in lex.labels if label != source.label)
        return Commitment(match.start(), match.end(), other, WEAK, "agreement")
    for match in reversed(list(_AGREES.finditer(low))):
        who = re.sub(r"^(?:the|my|our|with)\s+", "", (match.group("who") or "").strip())
        source = _source(low, match.start(), who, mentions)
        if source is not None and not any(m.start > match.end() for m in mentions):
            return Commitment(source.start, source.end, source.label, MEDIUM, "agreement")
    return None
