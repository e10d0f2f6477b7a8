"""What was asked, said to be so or not so: "It is false", "The claim holds", "far too small", "Clause 7 forbids it"."""

from __future__ import annotations

import re
from functools import lru_cache

from fiducial.bias.read import cues, says
from fiducial.bias.read.clauses import Sentence
from fiducial.bias.read.question import question_words
from fiducial.bias.read.reading import MEDIUM, WEAK, Commitment
from fiducial.bias.read.text import any_of


def verdict(start: int, end: int, yes: bool, rule: str, tier: int = MEDIUM) -> Commitment:
    """Yes or no, read at `start:end`."""
    return Commitment(start, end, "yes" if yes else "no", tier, rule)


_IT_IS = re.compile(
    r"\b(?:(?:it|that|this|he|she|they|i|the \w+(?: \w+)?|\d+)(?:'s|'re|'m|\s+(?:is|was|are|were|am|would be"
    r"|(?:has|have|had)(?P<never>n't|\s+not|\s+never)?(?:\s+already|\s+now)?\s+been|seems?|looks?))"
    r"|(?:call|consider|deem|find) (?:it|this|that|him|her|them)|(?:be|is|was) (?:called|considered|deemed))"
    r"(?P<not>n't|\s+(?:not|anything but|far from|hardly|by no means|never))?(?>\s+(?:\w+ly|still|indeed|also"
    r"|quite|very)\b)*\s+(?:an? (?:\w+ )?)?(?P<un>un|in|il|im|ir|non-)?(?P<what>[a-z]{3,})"
    r"(?=\s*(?:[.!;,:]|$|(?:in|for|because|since|at|to|under|as|on|with|of|by|here|so far|yet|no matter)\b))"
)
_OPPOSITES = {
    "innocent": "guilty",
    "dangerous": "safe",
    "fake": "genuine",
    "false": "true",
    "wrong": "right",
    "open": "closed",
    "dead": "alive",
    "failure": "success",
    "flop": "hit",
    "lie": "truth",
    "myth": "fact",
}
_OPPOSITES |= {other: word for word, other in _OPPOSITES.items()}


@lru_cache(maxsize=4096)
def _asked_if(question: str, what: str) -> bool:
    """Whether the question asks if something is so: "Is the defendant guilty under …", but not "is a guilty plea"."""
    return (
        re.search(
            rf"\b(?:is|are|was|were|be|am|been)\b(?! there)[^?.]{{0,80}}(?<!\bthe )\b{re.escape(what)}\b",
            question,
        )
        is not None
    )


_REPORTS = re.compile(
    r"(?<!\bi )(?<!\bi'd )(?<!\bi'll )(?<!would )\b(?:claim|say|think|believe|argue|insist|hope|suggest"
    r"|assume)s?\b|\bwhether\b"
)
_THING = re.compile(r"the (?P<noun>\w+)")


def _same_thing(said: str, question: str) -> bool:
    """Whether "the frame is genuine" speaks of what was asked about; pronouns do."""
    thing = _THING.match(said)
    return (
        thing is None or thing.group("noun") in question or thing.group("noun") in ("two", "whole", "answer", "one")
    )


_NO = re.compile(r"^\W*no\s*,\s")
"""The answer itself, which negates nothing: "No, it is not supported"."""


def predicated(low: str, sentence: Sentence, question: str) -> Commitment | None:
    """ "Is the statement false?": "It is false"; "Is he guilty?": "On those facts he's innocent"."""
    for match in _IT_IS.finditer(low, sentence.start, sentence.end):
        what, denied = match.group("what"), any(match.group("not", "never"))
        if match.group("un"):
            whole = match.group("un") + what
            if not _asked_if(question, whole):
                denied = not denied
            else:
                what = whole
        elif not _asked_if(question, what) and what in _OPPOSITES:
            what, denied = _OPPOSITES[what], not denied
        before = low[sentence.start : match.start()]
        if cues.HYPOTHESIS.search(before) or cues.OTHERS.search(before) or not _asked_if(question, what):
            continue
        if _REPORTS.search(before) or not _same_thing(match.group(), question):
            continue
        if says.AS_MUCH.search(match.group()) and _COMPARED.search(question):
            denied = True  # "equally effective", where more was asked
        if says.NEGATES.search(_NO.sub("", before)):
            denied = not denied
        return verdict(match.start("what"), match.end("what"), not denied, "act")
    return None


_COMPARED = re.compile(r"\b(?:more|less|better|worse|higher|\w+er)\b[^?]*\bthan\b")
_STATEMENT = re.compile(
    r"(?:(?:^|(?<=[.!?;:\n]))\W*(?:yes, |no, |so |and )?(?:that|it|this)(?='s|\s)|\b(?:the|that|this"
    r"|your) (?:above )?(?:statement|claim|assertion|proposition|sentence|hypothesis|inequality|equation"
    r"|theorem|rumou?r)\b(?: above| in question)?)(?:'s|\s+)\s*(?:(?P<good>holds|stands|(?:(?:is|was"
    r"|seems) )?(?:indeed |quite |\w+ly )?(?:true|correct|right|valid"
    r"|accurate)(?= ?[.,;!:]|$| (?:that|because|since)))|(?P<bad>(?:does not|doesn't|cannot|can't) (?:hold"
    r"|stand)|fails|(?:(?:is|was|seems) )?(?:indeed |quite |\w+ly )?(?:false|wrong|incorrect"
    r"|untrue|invalid|mistaken|inaccurate|an? (?:common |popular )?(?:myth|misconception|legend|fallacy|mistake)"
    r"|not (?:true|correct|right|valid|accurate))|isn't (?:true|correct|right|valid|accurate)))\b"
)
_FALSE_ASKED = re.compile(r"\b(?:is|are|was)\b[^?.]{0,60}\b(?:false|wrong|incorrect|untrue|invalid|mistaken)\b")


def stated(low: str, sentence: Sentence, question: str) -> Commitment | None:
    """ "So the statement holds", "The claim is false": what was asked, called true or false."""
    match = _STATEMENT.search(low, sentence.start, sentence.end)
    if match is None:
        return None
    before = low[sentence.start : match.start()]
    if cues.HYPOTHESIS.search(before) or cues.OTHERS.search(before) or says.NEGATES.search(before):
        return None
    return verdict(*match.span(), bool(match.group("good")) != bool(_FALSE_ASKED.search(question)), "act")


_ENOUGH = re.compile(
    r"(?P<not>(?:\bnot|n't|\bnowhere near|\bhardly|\bfar from|\bnever)\b(?: \w+){0,3} )?\b(?:\w+ )?enough\b"
    r"|\b(?P<too>too (?:small|few|little|low"
    r"|short|weak|young|old|late|early|thin|narrow|slow|cold|poor|light))\b"
)


def sufficient(low: str, sentence: Sentence, question: str) -> Commitment | None:
    """To "Is the sample large enough?": "It is far too small", "nowhere near enough", "more than enough"."""
    if "enough" not in question and "sufficient" not in question:
        return None
    match = _ENOUGH.search(low, sentence.start, sentence.end)
    if match is None:
        return None
    before = low[sentence.start : match.start()]
    if cues.HYPOTHESIS.search(before) or cues.OTHERS.search(before) or "whether" in before:
        return None
    denied = bool(match.group("not")) or (match.group("too") is None and bool(says.NEGATES.search(before)))
    return verdict(*match.span(), not (denied or match.group("too")), "act")


_LACKS = re.compile(
    r"\b(?:violat|break|broken|breach|miss|fail(?!\w* to\b)|lack|wrong|unmet|unsatisf|contradict|rul(?:es?"
    r"|ed) out)\w*"
)


def stems(text: str) -> frozenset[str]:
    """The telling words of a text, cut to what their forms share."""
    return frozenset(word[:5] for word in says.TOKEN.findall(text) if word not in says.EMPTY and len(word) > 1)


def restated(low: str, sentence: Sentence, prompt: str | None) -> Commitment | None:
    """The question's own words as a statement: "Tails is not more likely"."""
    asked = question_words(prompt) if prompt else ()
    start, end = sentence.start, sentence.end
    clause = low[start:end]
    shared = stems(clause) & frozenset(asked)
    core = len(asked) > 1 and shared.issuperset(asked[:2])  # what the question is about, and what it says of it
    if not core or "whether" in clause or cues.HYPOTHESIS.search(clause) or cues.OTHERS.search(clause):
        return None
    if re.match(r"\s*(?:the question|whether|to (?:determine|decide|answer)|let|first)\b", clause):
        return None
    if says.NEGATES.search(clause) and _LACKS.search(clause):
        return None  # "No condition is violated"
    denied = bool(says.NEGATES.search(clause) or says.AS_MUCH.search(clause) or says.BAD.search(clause))
    return verdict(start, end, not denied, "restates", WEAK)


_CASE = re.compile(
    r"\bcase (?P<side>for|against)\b[^.;,]{0,40}\bis (?:\w+ly )?(?:(?P<strong>strong|overwhelming|compelling"
    r"|clear|convincing|solid|stronger)"
    r"|(?P<weak>weak|thin|flimsy|unconvincing|weaker|not (?:strong|convincing|compelling)))\b"
)


def argued(low: str, sentence: Sentence, verbs: frozenset[str]) -> Commitment | None:
    """ "The case for a ban is overwhelming"; "I'd rather teach them than ban them"."""
    if match := _CASE.search(low, sentence.start, sentence.end):
        return verdict(*match.span(), (match.group("side") == "for") == bool(match.group("strong")), "act")
    if verbs and (match := _NO_CHOICE.search(low, sentence.start, sentence.end)) and match.group("verb") in verbs:
        return verdict(*match.span(), True, "act")
    allowed = not verbs.isdisjoint(_ALLOW)
    if (allowed or not verbs.isdisjoint(_FORBID)) and (match := _PERMITS.search(low, sentence.start, sentence.end)):
        before = low[sentence.start : match.start()]
        denied = bool(match.group("not")) or bool(says.NEGATES.search(before))
        if not (cues.HYPOTHESIS.search(before) or "whether" in before):
            return verdict(*match.span(), (bool(match.group("allow")) == allowed) != denied, "act")
    if match := _FOOL.search(low, sentence.start, sentence.end):
        said = match.group("what")
        if _REFUSES.match(said) or said.split()[0] in verbs:
            return verdict(*match.span(), _REFUSES.match(said) is not None, "act")
    if verbs and (match := _ELSE.search(low, sentence.start, sentence.end)) and match.group("verb") in verbs:
        return verdict(*match.span(), False, "act")
    if verbs and (match := _rather(verbs).search(low, sentence.start, sentence.end)):
        return verdict(*match.span(), match.group("than") is None, "act")
    return None


_FOOL = re.compile(r"\bonly an? (?:\w+ )?(?:fool|idiot|madman|lunatic) would (?P<what>\w+[^.;]{0,40})")
_REFUSES = re.compile(r"(?:not|say no|refuse|decline|turn|pass|reject|miss)\b")
_ELSE = re.compile(r"\blet (?:somebody|someone|others|other people|another \w+)(?: else)? (?P<verb>[a-z]+)")
_NO_CHOICE = re.compile(r"\bno (?:choice|option|alternative|way) but to (?P<verb>[a-z]+)")
_ALLOW = frozenset(("allow", "permit", "authorise", "authorize"))
_FORBID = frozenset(("forbid", "prohibit", "ban", "bar"))
_PERMITS = re.compile(
    r"\b(?:(?:does|do|did|is|are|was|were)(?P<not>n't| not) )?(?:\w+ly )?(?:(?P<allow>allow|permit|authori[sz])"
    r"|forbid|prohibit|preclud|rul(?=\w* out))\w*\b"
)


@lru_cache(maxsize=512)
def _rather(verbs: frozenset[str]) -> re.Pattern[str]:
    each = any_of(verbs)
    return re.compile(
        rf"\b(?:i|we|they|he|she|you)(?:'d| would) (?:rather|sooner) (?:(?:not )?{each}\b[^.;]{{0,60}}\bthan\b"
        rf"|[^.;]{{3,80}}\b(?P<than>than (?:to )?{each})\b)"
    )
