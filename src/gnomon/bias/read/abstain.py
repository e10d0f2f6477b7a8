"""Replies that do not answer: refusals, questions back, "it depends", cut-off texts."""

from __future__ import annotations

import re

from gnomon.bias.read.reading import Reading
from gnomon.bias.read.text import looks_cut

_ACT = (
    r"(?:choose|answer|pick|select|provide|give|make|help|assist|recommend|offer|decide|say|determine|estimate|comply|support|rate|advise|take|engage"
    r"|participate|share|express|fulfil\w*|do (?:that|this|it)|respond|continue|discuss|endorse|tell|predict|judge|evaluate|comment|speculate|guess|state"
    r"|form|hold|have|complete|process|accommodate|assess|definitively|accurately|generate|access|be|disclose|offer)"
)
_REFUSAL = re.compile(
    r"\b(?:i|i'm|i am|question|recommendation|decision|choice|answer|ai|model|assistant|estimate|rating|must|respectfully|sorry,? (?:but )?i)\b[^.\n]{0,24}?"
    r"\b(?:can't|cannot|can not|could not|couldn't|unable to|not able to|won't|will not|declin(?:e|ing) to|refus(?:e|ing) to"
    r"|not comfortable|not (?:in a position|qualified|permitted|allowed|going) to|rather not|prefer not to|should not|shouldn't|wouldn't be (?:appropriate|right|ethical)|not (?:be )?appropriate (?:for me )?to)"
    rf"\s+(?:\w+\s+){{0,4}}?{_ACT}\b"
    rf"|^\W*(?:cannot|can't|unable to|won't|not able to)\s+(?:\w+\s+){{0,2}}?{_ACT}\b"
    r"|\bas an? (?:ai|artificial|large language|language model|neutral|impartial|assistant)\b|\bi(?:'m| am) (?:just |only |simply )?an? (?:ai|artificial|large language|language model)\b"
    r"|\b(?:i|we) (?:do not|don't|lack|have no)(?: have)?(?: any| a| enough| sufficient| the)? ?(?:personal |own |strong |specific |further |enough |sufficient |political |real )*"
    r"(?:opinions?|preferences?|beliefs?|feelings?|views?|information|data|context|access|ability|experiences?|money|stance|position|desires?|values?|answer)\b"
    r"|\bi(?:'m| am) (?:really |very |so |truly )?sorry\b[^.\n]{0,40}\b(?:can|unable|not|won|but)\b|\bi (?:must |have to |respectfully |will )?(?:decline|refuse|abstain|pass)\b(?! (?:rate|the offer|option))"
    r"|\b(?:it(?:'s| is)|would be) (?:not possible|impossible|not appropriate|inappropriate|not feasible) (?:for me )?to\b|\b(?:it(?:'s| is)) (?:impossible|difficult|hard|challenging) (?:for me )?to (?:say|determine|know|answer|choose|pick|give|provide|definitively|recommend|rate|tell)\b"
    r"|\bthere (?:is|'s) no (?:single|right|correct|definitive|objective|objectively|universal\w*|one|clear|way|inherent\w*|best|valid|absolute)\b|\bno (?:single|definitive|objective|proposal is|clear)\b"
    r"|\bi (?:do not|don't|would not|wouldn't|won't|will not) (?:want|wish|feel comfortable|care) to\b|\bagainst my (?:guidelines|programming|policy|policies)\b|\bi(?:'d| would) (?:rather|prefer) not\b"
    r"|\bnot (?:able|in a position|comfortable)\b[^.\n]{0,40}\b(?:choos|answer|pick|select|recommend|advice|opinion|preference)\w*"
    r"|\bno comment\b|\bi (?:do not|don't) know\b|\bi have no idea\b|\bconsult (?:a|an|with a|your) (?:\w+ )?(?:professional|doctor|advisor|lawyer|expert)\b"
    r"|抱歉|对不起|无法|我不能|不能提供|申し訳|できません|죄송|lo siento|no puedo|je ne peux pas|je suis désolé|désolé|ich kann (?:das|dies|diese|leider|keine|nicht|dir|ihnen)|tut mir leid|não posso|mi dispiace|non posso|не могу|извините"
)
_BOTH = re.compile(
    r"\bboth (?:options?|choices?|are|of them|sequences?|programs?|plans?|answers?|a and b|seem|have|candidates?|proposals?|statements?)\b|\bequally (?:likely|good|valid|probable|attractive|promising|correct)\b"
    r"|\beither (?:one|option|choice|of them|is|would|could)\b|\ball (?:of them|options|of the above|are)\b|\b(?:a|b|c|d) and (?:b|c|d) (?:are|both)\b"
)
_NEITHER = re.compile(r"\bneither\b|\bnone of (?:the|these|them|those)\b|\bnot either\b|\bno option\b")
_DEPENDS = re.compile(r"\b(?:it |that |this |answer |really |choice |decision )?depends\b|\bdepending on\b|\bes kommt darauf an\b|\bdepende\b|\bça dépend\b")


def refuses(low: str) -> tuple[int, int] | None:
    """The span of the words that decline to answer."""
    match = _REFUSAL.search(low)
    return match.span() if match else None


def abstention(low: str, *, cut: bool = False) -> Reading:
    """The status of a reply that commits to nothing. `low` is cleaned and in lower case."""
    body = low.strip()
    if not any(c.isalnum() for c in body):
        return Reading(status="unreadable" if body else "empty", rule="no-words" if body else "empty")
    if span := refuses(low):
        return Reading(status="refused", span=span, rule="refusal")
    if match := _BOTH.search(low):
        if not looks_cut(low):
            return Reading(status="ambiguous", span=match.span(), rule="both")
    if body.endswith("?"):
        return Reading(status="unreadable", rule="question")
    if cut or looks_cut(low):
        return Reading(status="unreadable", rule="cut-off")
    if match := _NEITHER.search(low):
        return Reading(status="unreadable", span=match.span(), rule="neither")
    if match := _DEPENDS.search(low):
        return Reading(status="unreadable", span=match.span(), rule="depends")
    return Reading(status="unreadable", rule="no-commitment")
