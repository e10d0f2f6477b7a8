"""Replies that do not answer: refusals, questions back, "it depends", cut-off texts."""

from __future__ import annotations

import re

from fiducial.bias.read.reading import Reading
from fiducial.bias.read.text import holds, looks_cut, parts, vocabulary, words

_ACT = (
    r"(?:choose|answer|pick|select|provide|give|make|help|assist|recommend|offer"
    r"|decide|say(?! (?:['\"]|that i\b|i\b))|determine|estimate|comply|support|rate|advise|take|engage"
    r"|participate|share|express|fulfil\w*|do (?:that|this|it)|respond|continue|discuss"
    r"|endorse|tell|predict|judge|evaluate|comment|speculate|guess|state"
    r"|form|hold|have|complete|process|accommodate|assess|definitively|accurately"
    r"|generate|access|be|disclose|offer|put (?:a|any)|name (?:a|any|one)|attach (?:a|any)|quantify|hazard|venture)"
)
_WILL_NOT = re.compile(
    r"(?:can't|cannot|can not|could not|couldn't|unable to|not able to|won't|will"
    r" not|declin(?:e|ing) to|refus(?:e|ing) to|not comfortable"
    r"|not (?:in a position|qualified|permitted|allowed|going) to|rather not|prefer"
    r" not to|(?<!they )(?<!you )(?<!he )(?<!she )(?:should not|shouldn't)|wouldn't be (?:appropriate|right"
    r"|ethical)"
    rf"|not (?:be )?appropriate (?:for me )?to)\s+(?:\w+\s+){{0,4}}?{_ACT}\b"
)
_DENYING = words(
    "t not cannot unable decline declines declining declined refuse refuses refusing refused"  # the t of "can't"
)
_NOT_WORDS = ("n't", "not", "unable", "declin", "refus")
_WHO = re.compile(
    r"\b(?:i|i'm|i'd|question|recommendation|decision|choice|answer|ai|model|assistant"
    r"|estimate|rating|must|respectfully)\b[^.\n]{0,40}$|^\W*$"
)
_RUN = re.compile(r"[^\W_]+")
# phrases of which a refusal has one -> the pattern that finds it. A text is first asked for the phrases' longest
# words: looking for each phrase in all of it costs more than the rest of the reading.
_REFUSALS = tuple(
    (
        frozenset(max(_RUN.findall(phrase), key=len) for phrase in phrases),
        phrases,
        re.compile(pattern),
    )
    for phrases, pattern in (
        (
            (" ai", "language model", "assistant", "artificial", "neutral", "impartial", "large language"),
            r"\bas an? (?:ai|artificial|large language|language model|neutral|impartial|assistant)\b"
            r"|\bi(?:'m| am) (?:just |only |simply )?an? (?:ai|artificial|large language"
            r"|language model)\b",
        ),
        (
            ("i do not", "i don't", "we do not", "we don't", "i lack", "we lack", "have no"),
            r"\b(?:i|we) (?:do not|don't|lack|have no)(?: have)?(?: any| a| enough| sufficient"
            r"| the)? ?(?:personal |own |strong |specific |further |enough |sufficient |political"
            r" |real )*(?:opinions?|preferences?|beliefs?|feelings?|views?|information|data"
            r"|context|access|ability|experiences?|stance|position|desires?|values?"
            r"|answer)\b|\bi (?:do not|don't) know\b|\bi (?:do not|don't) (?:want|wish|feel"
            r" comfortable|care) to\b|\bi have no idea\b",
        ),
        (
            ("sorry",),
            r"\bi(?:'m| am) (?:really |very |so |truly )?sorry\b[^.\n]{0,40}\b(?:can|unable"
            r"|not|won|but)\b",
        ),
        (
            ("sorry",),
            r"(?:^|[.!?\n]\s*)sorry,? (?:but )?(?:(?:i|we)(?: am|'m| are)? (?:can't|cannot|can not|not able"
            r"|unable|won't"
            r"|will not|don't have|do not have|couldn't|could not|have no|lack)\b"
            r"|(?:there (?:is|was|are) )?no (?:image|picture|photo|file|attachment|table|figure|document"
            r"|link)s?\b)",
        ),
        (
            parts("view|count|measure|inspect|observe|look|open|browse|hear|examine|see|counting|seeing|viewing"),
            r"\b(?:i|we)(?:'m| am| are)? (?:can't|cannot|can not|couldn't|unable to|not able to|have no way (?:to"
            r"|of))"
            r" (?:\w+ )?(?:view|count|measure|inspect|observe|look (?:at|inside|into)|open|browse|hear|examine"
            r"|counting|seeing|viewing|see (?:the|any|an|a|this|that|your) (?:attached )?(?:image|picture|photo"
            r"|jar|file"
            r"|attachment|table|figure|chart|document|link|video|page|text|essay|object|item)s?)\b",
        ),
        (
            ("decline", "refuse", "abstain", "i pass", "must pass", "to pass", "fully pass", "will pass"),
            r"\bi (?:must |have to |respectfully |will )?(?:decline|refuse|abstain|pass)\b(?!"
            r" (?:rate|the offer|option))",
        ),
        (
            parts(
                "impossible|not possible|appropriate|inappropriate|not feasible|difficult to|difficult for me|hard to|"
                "hard for me|challenging to|challenging for me"
            ),
            r"\b(?:it(?:'s| is)|would be) (?:not possible|impossible|not appropriate|inappropriate"
            r"|not feasible) (?:for me )?to\b|\bit(?:'s| is) (?:impossible|difficult|hard"
            r"|challenging) (?:for me )?to (?:say|determine|know|answer|choose|pick|give"
            r"|provide|definitively|recommend|rate|tell)\b",
        ),
        (
            parts(
                "there is no|there 's no|no single|no definitive|no objective|no proposal is|no clear|no comment"
            ),
            r"\bthere (?:is|'s) no (?:single|right|correct|definitive|objective|objectively"
            r"|universal\w*|one|clear|way|inherent\w*|best|valid|absolute)\b|\bno (?:single"
            r"|definitive|objective|proposal is|clear)\b|\bno comment\b",
        ),
        (
            parts(
                "not want|not wish|not feel|not care|rather not|prefer not|not able|not in a position|"
                "not comfortable"
            ),
            r"\bi (?:would not|will not) (?:want|wish|feel comfortable|care) to\b|\bi(?:'d"
            r"| would) (?:rather|prefer) not\b|\bnot (?:able|in a position|comfortable)\b[^.\n]{0,40}"
            r"\b(?:choos|answer|pick|select|recommend|advice|opinion|preference)\w*",
        ),
        (
            ("my place", "refrain", "prevent", "prevents", "comfortable", "feel right", "only you"),
            r"\bnot my place to\b|\brefrain from (?:answering|choosing|giving)\b|\bprevents? me from\b"
            r"|(?:\bnot|n't) (?:feel |be |feeling )?(?:comfortable|right) (?:choosing|answering|giving"
            r"|picking|recommending|making|saying)\b|\bdecision (?:that )?only you\b|\bonly you can (?:make"
            r"|decide)\b",
        ),
        (
            ("of me to", "for me to", "on my part"),
            r"\b(?:irresponsible|inappropriate|unethical|wrong|misleading|improper|unfair|dishonest)"
            r" (?:of me|for me|on my part) to\b",
        ),
        (
            ("up to you", "to you", "you to", "for yourself", "take sides", "something i", "for me to", "to say."),
            r"\b(?:leave (?:that|this|the|it) ?(?:\w+ )?(?:up )?to you|(?:for|up to) you to (?:decide|choose|judge"
            r"|say|make)"
            r"|(?:it's|is|that's) (?:entirely |really )?up to you|decide (?:that |this )?for yourself|(?:not"
            r"|n't) take sides"
            r"|(?:isn't|not) something i (?:can|do|will|could|would|am)|no way for me to|not for me to (?:say"
            r"|decide|judge|answer|choose)|^\W*(?:hard|difficult"
            r"|impossible) to say\b)",
        ),
        (
            ("need more", "without more", "without further", "without additional"),
            r"\b(?:need|require) (?:more|further|additional) (?:information|context|details?|data)\b[^.\n]{0,40}"
            r"\b(?:before|to (?:choose|decide|answer|say|give|make|pick|estimate))\b",
        ),
        (("against my",), r"\bagainst my (?:guidelines|programming|policy|policies)\b"),
        (
            ("consult",),
            r"\bconsult (?:a|an|with a|your) (?:\w+ )?(?:professional|doctor|advisor|lawyer"
            r"|expert)\b",
        ),
        (
            ("siento", "puedo", "peux", "désolé", "ich kann", "leid", "posso", "mi dispiace"),
            r"lo siento|no puedo|je ne peux pas|je suis désolé|désolé|ich kann (?:das|dies"
            r"|diese|leider|keine|nicht|dir|ihnen)|tut mir leid|não posso|mi dispiace|non"
            r" posso",
        ),
    )
)
_STEMS = frozenset[str]().union(*(stems for stems, _, _ in _REFUSALS))
_WITH = {stem: {at for at, (stems, _, _) in enumerate(_REFUSALS) if stem in stems} for stem in _STEMS}
_FAR = re.compile("抱歉|对不起|无法|我不能|不能提供|申し訳|できません|죄송|не могу|извините")
# a word that says "both" -> the pattern that finds it, as with refusals
_BOTHS = tuple(
    # a pattern that begins with a word is found sooner than one that looks back first
    (
        start,
        re.compile(
            rf"{start}(?<!\w{start}){rest}" if "|" not in start and "?" not in start else rf"(?<!\w){start}{rest}"
        ),
    )
    for start, rest in (
        (
            "both",
            r" (?:options?|choices?|are|of them|sequences?|programs?|plans?|answers?|seem|have|candidates?"
            r"|proposals?"
            r"|statements?|\(?(?:[a-j]|[1-9])\)? and \(?(?:[a-j]|[1-9]))\b",
        ),
        ("equally", r" (?:likely|good|valid|probable|attractive|promising|correct)\b"),
        ("either", r" (?:one|option|choice|of them|is|would|could)\b"),
        ("all ", r"(?:of them|options|of the above|are)\b"),
        ("(?:a|b|c|d) and ", r"(?:b|c|d) (?:are(?! not)|both)\b"),
        ("toss", r"-? ?up\b"),
        ("coin ", r"(?:flip|toss)\b"),
        ("dead heat", r"\b"),
        ("evenly ", r"(?:matched|split)\b"),
        ("(?:exactly|perfectly|precisely) ", r"(?:equal|even|the same|balanced)\b"),
        ("no (?:real |clear |strong )?preference", r"\b"),
        ("same to me", r"\b"),
        ("indifferent", r"\b"),
        ("torn between", r"\b"),
        ("(?:fifty-fifty|50[-/]50)", r"\b"),
        ("happy with either", r"\b"),
    )
)
_BOTH_FIRST = re.compile(r"\W*both\b")
_BOTH_GUARDS = {
    "(?:a|b|c|d) and ": " and ",
    "(?:exactly|perfectly|precisely) ": "ly ",
    "no (?:real |clear |strong )?preference": "preference",
    "(?:fifty-fifty|50[-/]50)": "50",
}


def _both(low: str) -> tuple[int, int] | None:
    """The span of the words that put two options forward as equals."""
    if match := _BOTH_FIRST.match(low):
        return match.span()
    for start, pattern in _BOTHS:
        if _BOTH_GUARDS.get(start, start) in low and (match := pattern.search(low)):
            return match.span()
    return None


UNDECIDED = re.compile(
    r"\b(?:no (?:reason|grounds|way|basis) (?:to|for|of) (?:\w+ ){0,2}?(?:prefer|trust|choos|pick|favou?r"
    r"|believ|decid|tell|know)\w*"
    r"(?: \w+){0,3}? ?(?:either|between|which|one over|over the other)"
    r"|(?:not|n't|cannot|impossible to|hard to) (?:tell|say|know|decide|determine|settle)(?: us| me)? (?:which"
    r"|between)"
    r"|nothing (?:says|tells|shows|indicates)(?: us| me)? which"
    r"|either (?:one )?(?:is|could be|may be|would be) (?:possible|plausible|right|correct|true|valid)"
    r"|both (?:\w+ )?(?:are|seem|look) (?:equally )?(?:possible|plausible|valid|credible|defensible|reliable"
    r"|trustworthy|sound)"
    r"|(?:trust|believe|like|credit) (?:them )?both (?:\w+ )?equally|equally (?:reliable|trustworthy|credible)"
    r"|(?:you|it|nobody|the \w+) (?:didn't|did not|don't|doesn't|does not) (?:say|specify|tell|mention|state) which"
    r"|leave it at (?:those|both|these)"
    r"|neither (?:one )?(?:is|seems) (?:more|better|any more) )"
)
"""What leaves several answers standing"""
_NEITHER = re.compile(r"\bneither\b|\bnone of (?:the|these|them|those)\b|\bnot either\b|\bno option\b")
_NEITHER_PARTS = ("neither", "none of", "not either", "no option")
_DEPENDS = re.compile(
    r"\b(?:it |that |this |answer |really |choice |decision )?depends\b|\bdepending"
    r" on\b|\bes kommt darauf an\b|\bdepende\b|\bça dépend\b"
)

_DEPENDS_PARTS = ("depend", "es kommt", "ça dépend")


def _denials(low: str) -> list[int]:
    """Where `_WILL_NOT` may match, which is slow to search for: each word of denial, and the word before it."""
    found = set()
    for word in _NOT_WORDS:
        at = low.find(word)
        while at >= 0:
            start = at
            while start and (low[start - 1].isalpha() or low[start - 1] == "'"):
                start -= 1
            found.add(start)
            before = start - 1
            while before > 0 and (low[before - 1].isalpha() or low[before - 1] == "'"):
                before -= 1
            found.add(max(0, before))
            at = low.find(word, at + 1)
    return sorted(found)


def refuses(low: str) -> tuple[int, int] | None:
    """The span of the words that decline to answer."""
    told = vocabulary(low)
    for at in _denials(low) if not _DENYING.isdisjoint(told) else ():
        match = _WILL_NOT.match(low, at, at + 200)
        if match and _WHO.search(low[max(0, match.start() - 60) : match.start()]):
            return match.span()
    said = _STEMS & told
    for at in sorted(set().union(*(_WITH[stem] for stem in said))) if said else ():
        _, phrases, pattern = _REFUSALS[at]
        if holds(low, phrases) and (found := pattern.search(low)):
            return found.span()
    if not low.isascii() and (found := _FAR.search(low)):
        return found.span()
    return None


_TURNS = re.compile(
    r"(?:^|[.!?;,]\s+|\n)(?:but|however|on the other hand|yet|conversely|that said|although|though)\b"
)


def broke_off(text: str, low: str, at: int, other: str) -> bool:
    """Whether a text breaks off after it turned, behind `at`, to speak for the other answer."""
    turn = _TURNS.search(low, at) if len(low) > 60 and looks_cut(text) else None
    return turn is not None and re.search(rf"\b{other}\b", low[turn.end() :]) is not None


_ANYWAY = re.compile(
    r"\b(?:but|however|still|that (?:being )?said|nevertheless|nonetheless|if i|yet|playing along|hypothetically"
    r"|for the sake of)\b"
)


def overcome(low: str, refusal: tuple[int, int], at: int) -> bool:
    """Whether a decision at `at` stands in spite of a refusal: after it and a "but", and nothing is refused again."""
    return at > refusal[1] and _ANYWAY.search(low, refusal[1], at) is not None and refuses(low[at:]) is None


def abstention(low: str, *, refusal: bool = True) -> Reading:
    """The status of a reply that commits to nothing. `low` is cleaned and in lower case.

    `refusal` False says that a refusal was looked for already.
    """
    body = low.strip()
    if not any(c.isalnum() for c in body):
        return Reading(status="unreadable" if body else "empty", rule="no-words" if body else "empty")
    if refusal and (span := refuses(low)):
        return Reading(status="refused", span=span, rule="refusal")
    if not looks_cut(low) and (span := _both(low)):
        return Reading(status="ambiguous", span=span, rule="both")
    if body.endswith("?"):
        return Reading(status="unreadable", rule="question")
    if len(body) > 24 and looks_cut(low):
        return Reading(status="unreadable", rule="cut-off")
    if holds(low, _NEITHER_PARTS) and (match := _NEITHER.search(low)):
        return Reading(status="unreadable", span=match.span(), rule="neither")
    if holds(low, _DEPENDS_PARTS) and (match := _DEPENDS.search(low)):
        return Reading(status="unreadable", span=match.span(), rule="depends")
    return Reading(status="unreadable", rule="no-commitment")
