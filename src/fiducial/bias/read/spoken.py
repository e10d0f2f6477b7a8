"""Yes and no in so many words: where they stand, what comes before them, and whether they answer."""

from __future__ import annotations

import re

from fiducial.bias.read import cues
from fiducial.bias.read.marks import AT_FIRST
from fiducial.bias.read.reading import MEDIUM, STRONG, Commitment
from fiducial.bias.read.text import clean, sentence_end, sentence_start, vocabulary

_YES = r"yes|yeah|yep|yup|aye|affirmative|ja|oui|sí|sim|sì|да|はい|네|是的|是|对"
_NO = r"no|nope|nee|nej|nah|nay|nein|non|não|нет|いいえ|아니요|아니오|不是|否|不"
WORD = re.compile(rf"(?<![\w'-])(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?![\w'-])")
_STRESS = re.compile(
    r"(?:(?P<no>(?:absolutely|definitely|certainly|of course|surely|probably|most"
    r" likely|obviously|clearly|no way|never|not really|not at all|i think|i believe"
    r"|i guess|perhaps) not\b|no way\b|never again\b|never\b|not at all\b|not really\b|negative\b"
    r"|false\b|incorrect\b|i think not\b|hell no\b|i disagree\b|disagree\b"
    r"|i (?:do not|don't) (?:think|believe) (?:so|(?:i|we|you|they|he|she|it|that) (?:is|does|should|would"
    r"|will))\b|i doubt it\b|doubtful\b|(?:highly |very )?unlikely\b|hard no\b"
    r"|(?:i'd |i would )?(?:rather|prefer) not\b|no (?:bet|deal|dice)\b)"
    r"|(?P<yes>(?:absolutely|definitely|certainly|of course|sure|surely|indeed|agreed"
    r"|true|correct|without a doubt|by all means|i agree|agree|i do|i would|i will"
    r"|any ?time|sure thing|deal|done deal|sold|granted|i think so|i believe so|most likely|very likely"
    r"|in all likelihood)\b(?!\s+(?:not|n't|no\b)"
    r"|n't)))(?=\s*(?:[.,;!:\n–—-]"
    r"|$|,))"
)
_SENTENCES = re.compile(r"(?:^|(?<=[.!?:\n])|(?<=\n))[\s\"'(\-–—>•]*")
_GOES_ON = re.compile(
    r"\s+(?:i|it|we|he|she|they|this|that|because|since|as|the|you|there|but|and"
    r"|thank|thanks|for|from|in|given|if|unless|my|i'd|i'm|it's|sir|way)\b"
)
_LEFT = re.compile(
    r"(?:\b(?:answer|response|decision|choice|verdict|conclusion|recommendation|vote"
    r"|reply|antwort|réponse|respuesta)\b(?:\s+(?:to|for|the|this|that|question|here"
    r"|is|would|be|must|should|will|can|only|my|in|short|of|have|has|probably|therefore|then"
    r"|still))*\s*(?:\bis\b|'s\b|\bbe\b"
    r"|[:=\-–—])"
    r"|答案[是:]*"
    r"|\b(?:i'd|i would|i will|i'll|i|i'm|i must|i have to|let's|we|would|to|should)\s+(?:\w+\s+)?(?:s"
    r"ay|answer|vote|choose|pick|go with|going with|lean(?:ing)?(?: towards?)?|respond(?:"
    r" with)?|reply|conclude|select)"
    r"|\b(?:it's|it is|that's|that is|that would be|it would be|this is|it's going"
    r" to be)(?:\s+(?:a|an|my|definite|clear|firm|hard))*"
    r"|\b(?:so|therefore|thus|hence|overall|in short|in conclusion|ultimately|finally"
    r"|in summary|to conclude|all in all|on balance)[,:]?"
    r"|\b(?:actually|wait|on (?:second thoughts?|reflection)|come to think of it|thinking (?:again|it over"
    r"|about it)|then again"
    r"|hold on|having (?:thought|reread|read) [^.\n]{1,20}|correction|scratch that|rather|changed?"
    r" my (?:mind|answer)(?: to)?|hmm|no,? wait|sorry)[\s,.:;–—-]*(?:so|no|actually)?[,:]?"
    r"|\b(?:if (?:i|we) (?:had|have|must|'m forced|am forced)(?: (?:to )?(?:\w+ ?){1,4})?|if (?:forced|pressed"
    r"|pushed)(?:"
    r" to (?:\w+ ?){1,3})?|if you (?:ask|press|force|push) me|if you (?:insist|must know"
    r"|want my (?:\w+ ?){1,2}))[,:]?)"
    r"[\s:\"'(\[*,\-–—]*(?:(?:is|a|an|the|definite|clear|firm|resounding|my answer"
    r"|answer|with|would be|probably|definitely|simply|still|then|that)[\s:\"'(,]+)*$"
)
_PAIR = re.compile(rf"\s*(?:/|,?\s*\bor\b|,?\s*\band\b|-or-|&)\s*(?:answer\s*:\s*)?(?:{_YES}|{_NO})(?!\w)")
_PAIR_LEFT = re.compile(rf"(?:{_YES}|{_NO})['\"]?\s*(?:/|\bor\b|\band\b|&)\s*['\"]?$")
_HEDGED = re.compile(
    r"[\s\W]*(?:(?:probably|definitely|certainly|most likely|likely|absolutely|i think|i guess|i suppose|i'd say"
    r"|i believe|clearly|overall"
    r"|well|honestly|hmm|okay|ok|firmly|leaning|a firm|a clear|a cautious|a qualified|a tentative"
    r"|cautiously)[,:]?\s+)+[\"'(]*"
)
_NO_ANSWER = re.compile(
    r"\b(?:whether|or|nor|say|says|said|saying|answer|word|between|if|with|than|there|is|are|has|have|means?"
    r"|about|others|some|many)\b"
)
_SHUT = re.compile(r"[\"')*]*\s*(?:$|\n|[.!])")
_GRANTED = re.compile(
    r",\s+(?!i(?:'d|'ll| would| will)\b)[^.!?\n]{3,120}?,?\s(?:but|yet|though|however|still)\b"
    r"|,\s+(?!i\b)[^.!?\n]{3,120}[.!]\s+(?:but|yet|still|however)\b"
    r"|,\s+(?!i\b)[^.!?;\n]{3,80};[^.!?;\n]{0,40}(?:n't|\bnot)\b"
)
_IF_RIGHT = re.compile(
    r"[\"']?\s+(?:only )?(?:if|unless|were)\b(?! (?:i|we) (?:had to|have to|must)| you (?:ask|insist|press"
    r"|force)| any| forced"
    r"| pressed| pushed)"
)
_STRESSES = re.compile(
    r",\s+(?:really|even|truly|seriously|i know|i mean it|i'm serious|i reali[sz]e|i understand)\b"
)
_TURNED = re.compile(r"\b(?:but|mais|aber|pero|però|mas|donc|então|also),?\s+$|[^\x00-\x7f],\s*$")
"""Before a word that answers in the middle of a sentence: "mais oui", "…ですが、はい" """
_NOT_MIND = re.compile(r",? i (?:wouldn't|don't|won't|would not|do not) mind\b")
_WISHES = re.compile(
    r"\b(?:love|like|wanted|wish i could|tempted|nice|easy|easier|hoped|hoping|wanting) (?:to )?say[\s\"']*$"
)
_OWN = re.compile(r"\b(?:i|i'd|i'll|i'm|we|we'd|let's)\b|\bmy (?:gut|instinct|answer|view|verdict|own)\b")


def _word_at(low: str, match: re.Match[str]) -> bool:
    """Whether "no" is an answer here and not a determiner ("no significant difference")."""
    if match.group("no") != "no":
        return True
    after = low[match.end() : match.end() + 1]
    if after not in (" ",):
        return True
    word = low[match.end() + 1 : match.end() + 2]
    return not word.isalpha() or _GOES_ON.match(low, match.end()) is not None


def sense(value: str) -> str | None:
    """Yes or no, from the words of a structured value."""
    low = clean(value).lower().strip(" \"'.!\n")
    if low in ("true", "y"):
        return "yes"
    if low in ("false", "n"):
        return "no"
    match = WORD.match(low)
    if match and not _PAIR.match(low, match.end()) and _word_at(low, match):
        return "yes" if match.group("yes") else "no"
    stress = _STRESS.match(low)
    if stress:
        return "yes" if stress.group("yes") else "no"
    return None


_READILY = re.compile(
    r"(?:\bnot|n't|\bnever|\bno)\s+(?:\w+\s+){0,3}?(?:hesitat\w*|think (?:twice|long|about|it over)|thinking|doubt\w*"
    r"|lightly|long|time|blink|ponder|deliberate|persuading|convincing|(?:a|one) (?:second|moment))\b"
)
"""A negation that hastens the answer: "I would not hesitate: yes"."""
_ROLE = re.compile(
    r"(?:\b(?:putting|put|placing|imagining|picturing) (?:myself|me|us|ourselves)?\b|\bput in\b|\bimagining\b"
    r"|\bif i (?:imagine|picture|put|place|think (?:of )?myself)\b"
    r"|\bin(?:to)? (?:the (?:place|shoes|position) of|(?:(?:an?|the|\w+) \w+(?:'s|s')|her|his|their|your)"
    r" (?:place|shoes|position))\b"
    r"|(?P<were>\bif i were\b|\bwere i\b))[^.?!:\n]{0,90}[:,]\s*"
    r"(?:though, |then |so )?(?:i(?:'d| would) (?:say|answer) )?[\"'(]*$"
)
_AN_AI = re.compile(
    r"\b(?:as an?|i'm (?:just |only )?an?|i am (?:just |only )?an?) (?:ai|artificial|(?:large )?language model)\b"
)
_SAID_BY = re.compile(
    r"[,.!]?[\"'][,.]?\s+(?:says|said|replied|replies|answers|answered|writes|wrote|shouts) (?!i\b|the \w+[.,]? but)"
)
_THEN_SHUT = re.compile(r"[\"')*]*\s*(?:$|[\n.,;!–—])")


def _in_a_role(low: str, before: str, end: int) -> bool:
    """Whether a word answers in the place of somebody: "Putting myself in her shoes: yes"; "if I were …" of an AI."""
    if not _THEN_SHUT.match(low, end) or not (role := _ROLE.search(before)):
        return False
    return not role.group("were") or _AN_AI.search(low, 0, end) is not None


_TO_ANOTHER = re.compile(
    r" to (?:an?|any|some|one|anything|something|half|more|less|other|another)\b(?P<what>(?: (?!that\b|which\b|who\b|any\b"
    r"|if\b|but\b|and\b)[\w'-]+){0,4})"
)
_FOR_ANOTHER = re.compile(
    r"\W*(?:for|at|with) (?P<what>(?:[$€£]?\d[\d,.]*|(?:an?|another|twice|double|half|more|less)\b)[^.,;\n]{0,30}?),? i(?:'d"
    r"| would) (?:say|answer)\s$"
)
_ARTICLES = frozenset(("a", "an", "the"))


def elsewhere(low: str, start: int, end: int, prompt: str | None) -> bool:
    """Whether a yes or no is about something else than was asked: "I'd say yes to a fairer split", "For 900 I'd say …"."""
    if not low.endswith(("say ", "answer "), max(0, start - 8), start) or prompt is None:
        return False
    match = _TO_ANOTHER.match(low, end) or _FOR_ANOTHER.match(low[sentence_start(low, start) : start])
    return match is not None and of_another(match.group("what"), prompt)


def of_another(what: str, prompt: str | None) -> bool:
    """Whether the words name something that was not asked about."""
    said = vocabulary(what) - _ARTICLES
    return not said or prompt is None or not said <= vocabulary(prompt.lower())


_URGED = re.compile(
    r"(?<!gut )(?<!instinct )(?<!conscience )(?<!heart )(?<!head )(?<!reason )(?<!experience )(?<!everything )"
    r"\b(?:would |will |might |may |could )?(?:\w+ly )?(?:tell|advise|urge|want|like"
    r"|prefer|ask|beg|expect|push|encourage|implore)"
    r"(?:s|d|ed)? (?:me|us) to\b"
)
"""My lawyer would tell me to … say yes"""


def _ends_reply(low: str, match: re.Match[str], before: str) -> bool:
    """Whether the reply closes with this word, at the end of a short clause: "… but at this price no."."""
    if low[match.end() :].strip(" .!*\"')\n"):
        return False
    bearing = cues.bearing(before)
    clause = bearing.rpartition(",")[2]
    if (bearing == before and "," not in before) or cues.HYPOTHESIS.search(bearing) or "otherwise" in clause:
        return False
    return len(clause.split()) < 6 and not (cues.vetoes(clause) or _NO_ANSWER.search(clause))


def of_others(clause: str) -> bool:
    """Whether others say it, or the subject did at first: "many would say yes", "I was going to say no"."""
    if _URGED.search(clause):
        return True
    if not cues.OTHERS.search(clause):
        return False
    return not _OWN.search(clause) or AT_FIRST.search(clause) is not None


def spoken(low: str, prompt: str | None) -> list[Commitment]:
    """Every yes and no of the text that may answer, in order."""
    found: list[Commitment] = []
    mind = prompt is not None and " mind" in prompt
    lead = len(low) - len(low.lstrip(" \n\"'(*-–—>•."))
    for match in WORD.finditer(low):
        if not _word_at(low, match) or _PAIR_LEFT.search(low[max(0, match.start() - 12) : match.start()]):
            continue
        answer = "yes" if match.group("yes") else "no"
        if answer == "no" and not mind and _NOT_MIND.match(low, match.end()):
            answer = "yes"  # "No, I wouldn't mind"
        if elsewhere(low, *match.span(), prompt):
            continue
        if match.start() > lead and (_IF_RIGHT.match(low, match.end()) or _STRESSES.match(low, match.end())):
            continue  # "I'd say no if I had children", "I'd vote no. Yes, even now."
        left = low[max(0, match.start() - 90) : match.start()]
        start = sentence_start(low, match.start())
        before = low[start : match.start()]
        opens = not before.strip(" \"'(*-–—>•:") or _HEDGED.fullmatch(before) is not None
        cue = _LEFT.search(left)
        tier, rule = 0, ""
        clause = cues.bearing(before)  # from a "but" or a "so" on
        if (
            cue
            and not cues.vetoes(clause)
            and not of_others(clause)
            and "whether" not in clause
            and not _WISHES.search(clause)
            and not (cues.HYPOTHESIS.search(clause) and not cues.FORCED.search(clause))
        ):
            tier, rule = STRONG, "answer-line" if ":" in cue.group() else "commitment"
        elif (
            before.rstrip(" \"'(*").endswith(":")
            and _SHUT.match(low, match.end())
            and not cues.vetoes(_READILY.sub(" ", before))
            and not cues.HYPOTHESIS.search(before)
        ) or _in_a_role(low, before, match.end()):
            tier, rule = STRONG, "commitment"
        elif (
            match.start() <= lead
            and low[match.end() : match.end() + 1] != "?"
            and not _SAID_BY.match(low, match.end())
        ):
            tier, rule = STRONG, "first-line"
        elif (opens or _TURNED.search(left)) and not _grants(low, match.end()):
            end = low.find("\n", match.end())
            rest = low[match.end() : end if end >= 0 else len(low)].strip(" .!*\"')")
            line = low.rfind("\n", 0, match.start()) + 1
            alone = not rest and not low[line : match.start()].strip(" \"'(*-–—>•:.")
            last = not low[sentence_end(low, match.end()) :].strip() and len(rest.split()) < 4
            tier, rule = (STRONG, "lone-token") if alone or last else (MEDIUM, "sentence")
        if not tier and _ends_reply(low, match, before):
            tier, rule = STRONG, "lone-token"
        if tier:
            if _PAIR.match(low, match.end()):
                found.append(Commitment(match.start(), match.end(), None, tier, "both"))
            elif low[sentence_end(low, match.end(), 60) - 1 : sentence_end(low, match.end(), 60)] != "?" or (
                tier == STRONG and rule == "first-line"
            ):
                found.append(Commitment(match.start(), match.end(), answer, tier, rule))
    return found


def _grants(low: str, at: int) -> bool:
    """Whether a yes that ends at `at` only grants something: "I'd pass. Yes, repairs are dear, but …"."""
    return _GRANTED.match(low, at) is not None


def stressed(low: str) -> list[Commitment]:
    """Words that answer as yes and no do: \"Certainly.\", \"Not at all.\"."""
    found: list[Commitment] = []
    for boundary in _SENTENCES.finditer(low):
        match = _STRESS.match(low, boundary.end())
        if match and not (match.group("yes") and low[: boundary.start()].strip() and _grants(low, match.end())):
            answer = "yes" if match.group("yes") else "no"
            first = not low[: boundary.start()].strip()
            found.append(Commitment(match.start(), match.end(), answer, STRONG if first else MEDIUM, "stress"))
    return found
