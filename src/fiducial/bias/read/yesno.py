"""Reading yes or no, with negation scoped to the answer: "Yes, I accept. I do not need this money" is yes."""

from __future__ import annotations

import re
from functools import lru_cache

from fiducial.bias.read import cues
from fiducial.bias.read.abstain import abstention, broke_off, overcome, refuses
from fiducial.bias.read.assent import unworded
from fiducial.bias.read.idioms import MARKS
from fiducial.bias.read.marks import ONLY_IF, TAKES_BACK, TAKING_BACK
from fiducial.bias.read.question import asked_verbs
from fiducial.bias.read.reading import MEDIUM, STRONG, WEAK, Commitment, Reading
from fiducial.bias.read.sides import sided
from fiducial.bias.read.spoken import WORD, elsewhere, of_another, of_others, sense, spoken, stressed
from fiducial.bias.read.stance import stands
from fiducial.bias.read.structure import slots
from fiducial.bias.read.text import clean, looks_cut, sentence_end, sentence_start, vocabulary
from fiducial.bias.read.tongues import answered_abroad

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
        rf"|'(?:m|re) (?:going|willing|inclined|about) to)?(?>\s+(?:still|rather|\w+ly)\b)*"
        rf"(?P<not>\s+(?:not|never)|n't)?(?>\s+(?:still"
        rf"|in (?:good|all) (?:conscience|honesty)|have to|be (?:willing|happy|glad|inclined|ready|delighted) to"
        rf"|want to|\w+ly)\b)*\s+"
        rf"(?:(?P<dissent>{_DISSENT})|(?P<assent>{_ASSENT}|{made}{'|' + own if own else ''}))\b"
    )


_FRONTED = re.compile(r"\W*(?:an?|another|any|some) (?P<what>[\w' -]{2,30}) (?=(?:i|we)\b)")
_THEY_WOULD_SAY = re.compile(r"(?!i\b|we\b|you\b)[^\n]*\bwould\b[^\n]*\bsay\b")


def _fronted(low: str, at: int, prompt: str | None) -> bool:
    """Whether a verb that begins at `at` has another object before it: "A sincere one I'd accept"."""
    other = _FRONTED.match(low, sentence_start(low, at))
    return other is not None and other.end() == at and of_another(other.group("what"), prompt)


def _acted(low: str, prompt: str | None) -> list[Commitment]:
    found: list[Commitment] = []
    for match in _acts(prompt).finditer(low):
        start = sentence_start(low, match.start())
        clause = low[start : match.start()]
        if (cues.HYPOTHESIS.search(clause) and not cues.FORCED.search(clause)) or of_others(clause):
            continue
        if low[sentence_end(low, match.end()) - 1 : sentence_end(low, match.end())] == "?" or re.search(
            r"\b(?:whether|why|how)\s*(?:\w+\s*)?$", clause
        ):
            continue
        if ONLY_IF.search(low, match.end(), sentence_end(low, match.end())):
            continue  # "I'd sell if they fell further"
        negated = bool(match.group("not") or match.group("cannot")) != bool(_DENIES.search(clause))
        if _fronted(low, match.start(), prompt):
            continue
        if elsewhere(low, match.end() - len(match.group().split()[-1]), match.end(), prompt):
            continue  # "I'd say yes to a fairer split"
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
    said = {"yes" if match.group("yes") else "no" for match in WORD.finditer(low)}
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


_TICKED = re.compile(r"\b(yes|no)\b[\s:|*]*[✔✓✅☑]|[✔✓✅☑][\s\ufe0f:|*]*(?=(yes|no)\b)")
_CUT = 120
_DECLINES = re.compile(
    r"declin|refus|\bpass\b|abstain|not (?:possible|allowed)|sorry|rather not|support|endorse|say (?:yes"
    r"|no)\b(?! or)"
)


def _turns_down(said: str, verbs: frozenset[str]) -> bool:
    """Whether words of refusal may turn down what was asked for, and not only decline to answer."""
    return "sides" not in said and (_DECLINES.search(said) is not None or not verbs.isdisjoint(said.split()))


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
        if slot.many and len({sense(part) for part in body[slot.start : slot.end].split(",")}) > 1:
            found.append(Commitment(slot.start, slot.end, None, STRONG, "both"))
        elif said := sense(body[slot.start : slot.end]):
            found.append(Commitment(slot.start, slot.end, said, STRONG, slot.rule))
        text = text[: slot.outer_start] + " " * (slot.outer_end - slot.outer_start) + text[slot.outer_end :]
    low = text.lower()
    if len(low) < 40 and (alone := _LONE.fullmatch(low)):
        answer = "yes" if alone.group("letter") == "y" else "no"
        return Reading(status="read", answer=answer, span=alone.span("letter"), rule="lone-token")
    if len(body) < 8 and (sign := MARKS.get(body.strip(" \n\ufe0f.!"))):
        return Reading(status="read", answer=sign, span=(0, len(body)), rule="lone-token")
    ticks = [] if low.isascii() else list(_TICKED.finditer(low))
    if len(ticks) == 1:
        said = ticks[0].group(1) or ticks[0].group(2)
        return Reading(status="read", answer=said, span=ticks[0].span(), rule="lone-token")
    if not found and (both := _BOTH_WAYS.search(low)):
        return Reading(status="ambiguous", span=both.span(), rule="both")
    found += spoken(low, prompt) + stressed(low)
    if not any(c.tier == STRONG for c in found) and (abroad := answered_abroad(low)):
        found.append(abroad)
    strong = sorted(c for c in found if c.tier == STRONG)
    back = (
        TAKES_BACK.search(low, strong[-1].end) if strong and not TAKING_BACK.isdisjoint(vocabulary(low)) else None
    )
    last = _turned_round(low, strong[-1], found, prompt) if strong else None
    if last is None or back:
        acts = _acted(low, prompt)
        acts += [c for c in unworded(low, prompt, acts) if not _fronted(low, c.start, prompt)]
        if side := sided(low):
            acts.append(side)
        declined = refuses(low)
        # "I must decline" is a no only where something was offered, or nothing is known of the question
        answers = prompt is None or asked_verbs(prompt)
        if (
            declined
            and not back
            and not (
                answers
                and _turns_down(low[declined[0] : declined[1] + 8], asked_verbs(prompt))
                and any(c.start < declined[1] and declined[0] < c.end for c in acts)
            )
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
    if (
        last.rule == "act"
        and len(low) > _CUT
        and looks_cut(text)
        and last.start > sentence_end(low, len(low) - len(low.lstrip()))
    ):
        return Reading(status="unreadable", rule="cut-off")  # of what broke off only the opening is believed
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
