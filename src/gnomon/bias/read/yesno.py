"""Reading yes or no, with negation scoped to the answer: "Yes, I accept. I do not need this money" is yes."""

from __future__ import annotations

import re
from functools import lru_cache

from gnomon.bias.read import cues
from gnomon.bias.read.abstain import abstention, broke_off, overcome, refuses
from gnomon.bias.read.assent import asked_verbs, unworded
from gnomon.bias.read.idioms import MARKS
from gnomon.bias.read.marks import AT_FIRST, ONLY_IF, TAKES_BACK, TAKING_BACK
from gnomon.bias.read.reading import MEDIUM, STRONG, WEAK, Commitment, Reading
from gnomon.bias.read.sides import sided
from gnomon.bias.read.stance import stands
from gnomon.bias.read.structure import slots
from gnomon.bias.read.text import clean, looks_cut, sentence_end, sentence_start, vocabulary
from gnomon.bias.read.tongues import answered_abroad

_YES = r"yes|yeah|yep|yup|aye|affirmative|ja|oui|sí|sim|sì|да|はい|네|是的|是|对"
_NO = r"no|nope|nah|nay|nein|non|não|нет|いいえ|아니요|아니오|不是|否|不"
_WORD = re.compile(rf"(?<![\w'-])(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?![\w'-])")
_STRESS = re.compile(
    r"(?:(?P<no>(?:absolutely|definitely|certainly|of course|surely|probably|most"
    r" likely|obviously|clearly|no way|never|not really|not at all|i think|i believe"
    r"|i guess|perhaps) not\b|no way\b|never\b|not at all\b|not really\b|negative\b"
    r"|false\b|incorrect\b|i think not\b|hell no\b|i disagree\b|disagree\b"
    r"|i (?:do not|don't) (?:think|believe) (?:so|(?:i|we|you|they|he|she|it|that) (?:is|does|should|would"
    r"|will))\b|i doubt it\b|doubtful\b|(?:highly |very )?unlikely\b|hard no\b"
    r"|(?:i'd |i would )?(?:rather|prefer) not\b|no (?:bet|deal|dice)\b)"
    r"|(?P<yes>(?:absolutely|definitely|certainly|of course|sure|surely|indeed|agreed"
    r"|true|correct|without a doubt|by all means|i agree|agree|i do|i would|i will"
    r"|deal|done deal|sold|granted|i think so|i believe so|most likely|very likely|in all likelihood)\b(?!\s+(?:not|n't|no\b)"
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
    r"|still))*\s*(?:\bis\b|\bbe\b"
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
_PAIR = re.compile(rf"\s*(?:/|,?\s*\bor\b|,?\s*\band\b|-or-|&)\s*(?:{_YES}|{_NO})(?!\w)")
_PAIR_LEFT = re.compile(rf"(?:{_YES}|{_NO})['\"]?\s*(?:/|\bor\b|\band\b|&)\s*['\"]?$")
_ASSENT = (
    r"accept|agree(?! with (?:my|his|her|him|them|critics|those|people|others|the (?:critics|others"
    r"|experts))\b)|do (?:it|that|so)(?! (?:differently|myself|another))|take (?:it|the|this|that)|approve|support"
    r"|buy it"
    r"|go ahead|go for it|proceed|say yes"
)
_DISSENT = (
    r"(?:decline|refuse)(?! to (?:answer|say|comment|respond|choose|give|provide|pick))|reject"
    r"|pass(?= on\b| this\b| up\b|\s*(?:[.,;!]|$))|turn (?:it|this|that|the offer|down|(?:the|my|his|her|your|our"
    r"|their) \w+ down|(?:him|her|them|you) down)|disagree|oppose|say no|opt out"
    r"|walk away|stop|quit"
    r"|halt|hold off|hold back|cancel|abandon|back out|steer clear|stay away|hold on to|save (?:the|my|your"
    r"|our) money"
    r"|refrain(?! from (?:answer|say|comment|respond|choos|giv|provid|mak))|skip|avoid|wait|leave it"
    r"|cut (?:its|our|my|your|their|the) losses|keep (?:the|my|our|your|its|their) money|postpone"
)
_DENIES = re.compile(r"\bno way\b|(?:n't|\bnot) (?:think|believe|say)\b|\bdoubt\b|\bnever\b")
_DECIDES = re.compile(
    r"\b(?:decision|answer|choice|verdict|conclusion)\s*(?::|is to|is)\s*(?:to )?"
    rf"(?:(?P<dissent>{_DISSENT})|(?P<assent>{_ASSENT}))\b"
)
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
_REFUSING = frozenset(("decline", "refuse", "reject", "quit", "stop", "cancel", "skip", "avoid", "oppose"))
_BOTH_WAYS = re.compile(
    r"\b(?:yes,? (?:if|when|unless|provided)\b[^.]{0,90}\bno\b|no,? (?:if|when"
    r"|unless)\b[^.]{0,90}\byes\b)[^.]{0,60}\b(?:if|when"
    r"|otherwise|unless)\b"
    r"|\bone hand,? (?:yes\b[^.]{0,80}\bother(?: hand)?,? no|no\b[^.]{0,80}\bother(?: hand)?,? yes)\b"
    r"|\ba yes\b[^.]{0,80}\band a no\b|\ba no\b[^.]{0,80}\band a yes\b"
    r"|\byes,? if\b[^.]{3,140}[.;]\s+no,? if\b|\bno,? if\b[^.]{3,140}[.;]\s+yes,? if\b"
    r"|\byes (?:to|on) [^.,]{1,40}, (?:but |and )?no (?:to|on) |\bno (?:to|on) [^.,]{1,40}, (?:but "
    r"|and )?yes (?:to|on) "
    r"|\b(?:yes,? if\b[^.]{0,120}\b(?:otherwise|else|if not),? no|no,? if\b[^.]{0,120}\b(?:otherwise|else"
    r"|if not),? yes)\b"
)
_EITHER = re.compile(r"\s*(?:,?\s*or|/|,?\s*nor|and)\s*(?:yes|no)\b")
_ANSWER_LINE = re.compile(r"[\s*#>]*(?:final |my )?answer[ \t*]*:[ \t*\"'(]*(yes|no)[\s.*!\"')]*", re.I)
_SHUT = re.compile(r"[\"')*]*\s*(?:$|\n|[.!])")
_LONE = re.compile(r"\W*(?:(?:final )?answer\W+)?(?P<letter>[yn])\W*")
_SUBJECT = r"(?:i|we|you|he|she|they|it|one|(?:the|this|your|my)\s+\w+)"


@lru_cache(maxsize=512)
def _acts(prompt: str | None) -> re.Pattern[str]:
    own = "|".join(sorted(map(re.escape, asked_verbs(prompt))))
    made = rf"(?:make|go (?:through|ahead) with) (?:the|that|this|a) (?:change|move|deal|leap{'|' + own if own else ''})"
    return re.compile(
        rf"\b{_SUBJECT}(?:'d|'ll|\s+(?P<cannot>can't|cannot|won't)|\s+(?:would|will|should|do|does|can|could|must"
        rf"|shall"
        rf"|am going to|am willing to|have decided to|choose to|am inclined to)"
        rf"|'(?:m|re) (?:going|willing|inclined|about) to)?(?P<pre>\s+(?:definitely"
        rf"|certainly|probably|personally|still|gladly|happily|respectfully|likely|rather|\w+ly))*"
        rf"(?P<not>\s+(?:not|never)|n't)?(?:\s+(?:definitely|probably|personally|still"
        rf"|have to|be (?:willing|happy|glad|inclined|ready|delighted) to|want to|\w+ly))*\s+"
        rf"(?:(?P<dissent>{_DISSENT})|(?P<assent>{_ASSENT}|{made}{'|' + own if own else ''}))\b"
    )


def _word_at(low: str, match: re.Match[str]) -> bool:
    """Whether "no" is an answer here and not a determiner ("no significant difference")."""
    if match.group("no") != "no":
        return True
    after = low[match.end() : match.end() + 1]
    if after not in (" ",):
        return True
    word = low[match.end() + 1 : match.end() + 2]
    return not word.isalpha() or _GOES_ON.match(low, match.end()) is not None


def _sense(value: str) -> str | None:
    """Yes or no, from the words of a structured value."""
    low = clean(value).lower().strip(" \"'.!\n")
    if low in ("true", "y"):
        return "yes"
    if low in ("false", "n"):
        return "no"
    match = _WORD.match(low)
    if match and not _PAIR.match(low, match.end()) and _word_at(low, match):
        return "yes" if match.group("yes") else "no"
    stress = _STRESS.match(low)
    if stress:
        return "yes" if stress.group("yes") else "no"
    return None


def _ends_reply(low: str, match: re.Match[str], before: str) -> bool:
    """Whether the reply closes with this word, at the end of a short clause: "… but at this price no."."""
    if low[match.end() :].strip(" .!*\"')\n"):
        return False
    bearing = cues.bearing(before)
    clause = bearing.rpartition(",")[2]
    if (bearing == before and "," not in before) or cues.HYPOTHESIS.search(bearing) or "otherwise" in clause:
        return False
    return len(clause.split()) < 6 and not (cues.vetoes(clause) or _NO_ANSWER.search(clause))


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
_THEY_WOULD_SAY = re.compile(r"(?!i\b|we\b|you\b)[^\n]*\bwould\b[^\n]*\bsay\b")
_WISHES = re.compile(
    r"\b(?:love|like|wanted|wish i could|tempted|nice|easy|easier|hoped|hoping|wanting) (?:to )?say[\s\"']*$"
)
_OWN = re.compile(r"\b(?:i|i'd|i'll|i'm|we|we'd|let's)\b|\bmy (?:gut|instinct|answer|view|verdict|own)\b")


def _of_others(clause: str) -> bool:
    """Whether others say it, or the subject did at first: "many would say yes", "I was going to say no"."""
    if not cues.OTHERS.search(clause):
        return False
    return not _OWN.search(clause) or AT_FIRST.search(clause) is not None


def _spoken(low: str, prompt: str | None) -> list[Commitment]:
    found: list[Commitment] = []
    mind = prompt is not None and " mind" in prompt
    lead = len(low) - len(low.lstrip(" \n\"'(*-–—>•."))
    for match in _WORD.finditer(low):
        if not _word_at(low, match) or _PAIR_LEFT.search(low[max(0, match.start() - 12) : match.start()]):
            continue
        answer = "yes" if match.group("yes") else "no"
        if answer == "no" and not mind and _NOT_MIND.match(low, match.end()):
            answer = "yes"  # "No, I wouldn't mind"
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
            and not _of_others(clause)
            and "whether" not in clause
            and not _WISHES.search(clause)
            and not (cues.HYPOTHESIS.search(clause) and not cues.FORCED.search(clause))
        ):
            tier, rule = STRONG, "answer-line" if ":" in cue.group() else "commitment"
        elif (
            before.rstrip(" \"'(*").endswith(":")
            and _SHUT.match(low, match.end())
            and not cues.vetoes(before)
            and not cues.HYPOTHESIS.search(before)
        ):
            tier, rule = STRONG, "commitment"
        elif match.start() <= lead and low[match.end() : match.end() + 1] != "?":
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


def _stressed(low: str) -> list[Commitment]:
    found: list[Commitment] = []
    for boundary in _SENTENCES.finditer(low):
        match = _STRESS.match(low, boundary.end())
        if match and not (match.group("yes") and low[: boundary.start()].strip() and _grants(low, match.end())):
            answer = "yes" if match.group("yes") else "no"
            first = not low[: boundary.start()].strip()
            found.append(Commitment(match.start(), match.end(), answer, STRONG if first else MEDIUM, "stress"))
    return found


def _acted(low: str, prompt: str | None) -> list[Commitment]:
    found: list[Commitment] = []
    for match in _acts(prompt).finditer(low):
        start = sentence_start(low, match.start())
        clause = low[start : match.start()]
        if (cues.HYPOTHESIS.search(clause) and not cues.FORCED.search(clause)) or _of_others(clause):
            continue
        if low[sentence_end(low, match.end()) - 1 : sentence_end(low, match.end())] == "?" or re.search(
            r"\b(?:whether|why|how)\s*(?:\w+\s*)?$", clause
        ):
            continue
        if ONLY_IF.search(low, match.end(), sentence_end(low, match.end())):
            continue  # "I'd sell if they fell further"
        negated = bool(match.group("not") or match.group("cannot")) != bool(_DENIES.search(clause))
        if _EITHER.match(low, match.end()) or _THEY_WOULD_SAY.match(match.group()):
            continue  # "I won't say yes or no"
        verbs = asked_verbs(prompt)
        dissent = match.group("dissent") or ""
        asked = dissent in verbs or (dissent.startswith("cut ") and "sell" in verbs)  # "should she quit?"
        reversed_ = not asked and match.group("assent") not in verbs and not verbs.isdisjoint(_REFUSING)
        positive = (bool(match.group("assent")) or asked) != (negated != reversed_)
        found.append(Commitment(match.start(), match.end(), "yes" if positive else "no", MEDIUM, "act"))
    for match in _DECIDES.finditer(low):
        answer = "yes" if match.group("assent") else "no"
        found.append(Commitment(match.start(), match.end(), answer, MEDIUM, "act"))
    return sorted(found)


def _undecided(low: str) -> Reading:
    """The abstention of a reply that commits to neither; yes under one condition and no under another is both."""
    said = {"yes" if match.group("yes") else "no" for match in _WORD.finditer(low)}
    if len(said) == 2 and (cues.HYPOTHESIS.search(low) or "otherwise" in low) and not refuses(low):
        return Reading(status="ambiguous", rule="both")
    return abstention(low)


def _last_line(body: str) -> Reading | None:
    """The short way: a last line `Answer: yes`, which nothing after it can overrule."""
    end = len(body.rstrip())
    match = _ANSWER_LINE.fullmatch(body, body.rfind("\n", 0, end) + 1, end)
    if match is None or "<" in body or "{" in body:
        return None
    return Reading(status="read", answer=match.group(1).lower(), span=match.span(1), rule="answer-line")


_NO_I_WOULD_NOT = re.compile(
    r"[,.]?\s+(?:(?:i|we) (?:wouldn't|won't|don't|would not|will not|do not|can't|cannot)|i would(?! not)"
    r"|i will(?! not)|i'd (?:do|take)"
    r"|das würde ich|das mache ich|je ne|j'|no lo|lo haría|non lo|lo farei)\b"
)


_BUT = re.compile(r"\W*(?:but|however|still|yet|that said|unfortunately|sadly|nevertheless)\b")


def _turned_round(low: str, first: Commitment, found: list[Commitment], prompt: str | None) -> Commitment:
    """The other word, where a reply that opened with one ends with it: "Yes, it's cheap. But … No, I wouldn't"."""
    if first.rule != "first-line":
        return first
    for later in found:
        if (
            later.tier == MEDIUM
            and later.start > first.end
            and later.answer not in (None, first.answer)
            and _NO_I_WOULD_NOT.match(low, later.end)
            and not low[sentence_end(low, later.end) :].strip()
        ):
            return later
    if "but" in low or "however" in low:
        verbs = asked_verbs(prompt)
        for act in _acted(low, prompt):  # "Yes, it's lovely. But I wouldn't buy it."
            opposed = (
                act.start > first.end
                and act.answer != first.answer
                and _BUT.match(low, sentence_start(low, act.start))
            )
            if opposed and not verbs.isdisjoint(low[act.start : act.end].split()):
                return act
    return first


def read_yesno(body: str, prompt: str | None) -> Reading:
    """Read whether `body` says yes or no."""
    if short := _last_line(body):
        return short
    text = clean(body)
    found: list[Commitment] = []
    for slot in slots(body):
        if slot.many and len({_sense(part) for part in body[slot.start : slot.end].split(",")}) > 1:
            found.append(Commitment(slot.start, slot.end, None, STRONG, "both"))
        elif sense := _sense(body[slot.start : slot.end]):
            found.append(Commitment(slot.start, slot.end, sense, STRONG, slot.rule))
        text = text[: slot.outer_start] + " " * (slot.outer_end - slot.outer_start) + text[slot.outer_end :]
    low = text.lower()
    if len(low) < 40 and (alone := _LONE.fullmatch(low)):
        answer = "yes" if alone.group("letter") == "y" else "no"
        return Reading(status="read", answer=answer, span=alone.span("letter"), rule="lone-token")
    if len(body) < 8 and (sign := MARKS.get(body.strip(" \n\ufe0f.!"))):
        return Reading(status="read", answer=sign, span=(0, len(body)), rule="lone-token")
    if not found and (both := _BOTH_WAYS.search(low)):
        return Reading(status="ambiguous", span=both.span(), rule="both")
    found += _spoken(low, prompt) + _stressed(low)
    if not any(c.tier == STRONG for c in found) and (abroad := answered_abroad(low)):
        found.append(abroad)
    strong = sorted(c for c in found if c.tier == STRONG)
    back = (
        TAKES_BACK.search(low, strong[-1].end) if strong and not TAKING_BACK.isdisjoint(vocabulary(low)) else None
    )
    last = _turned_round(low, strong[-1], found, prompt) if strong else None
    if last is None or back:
        acts = _acted(low, prompt)
        acts += unworded(low, prompt, acts)
        if side := sided(low):
            acts.append(side)
        declined = refuses(low)
        # "I must decline" is a no only where something was offered, or nothing is known of the question
        answers = prompt is None or asked_verbs(prompt)
        if (
            declined
            and not back
            and not (answers and any(c.start < declined[1] and declined[0] < c.end for c in acts))
            and not (acts and overcome(low, declined, acts[-1].start))
        ):
            return abstention(low)
        medium = sorted([c for c in found if c.tier == MEDIUM] + [c for c in acts if c.tier == MEDIUM])
        medium = medium or [c for c in acts if c.tier == WEAK and not looks_cut(text)]
        if not medium and not looks_cut(text) and (stance := stands(low, prompt)):
            medium = [stance]
        if back:
            medium = [c for c in medium if c.start > back.start()]
        if medium:
            last = medium[-1]
    if last is None:
        return _undecided(low)
    span = (last.start, last.end)
    if last.rule == "act" and ONLY_IF.search(low, last.end - 1, sentence_end(low, last.end - 1)):
        return Reading(status="unreadable", span=span, rule="depends")
    other = "no" if last.answer == "yes" else "yes"
    if last.rule in ("commitment", "sentence", "act") and broke_off(text, low, last.end, other):
        return Reading(status="unreadable", rule="cut-off")
    if last.answer is None:
        if refusal := refuses(low):  # "I cannot say yes or no"
            return Reading(status="refused", span=refusal, rule="refusal")
        return Reading(status="ambiguous", span=span, rule="both")
    return Reading(status="read", answer=last.answer, span=span, rule=last.rule)
