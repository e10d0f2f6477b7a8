"""Sentences that stand in place of findings: there are none, or there will be none."""

from __future__ import annotations

import re

from fiducial.review.parse.patterns import any_of

_THING = any_of(
    "issues?, findings?, problems?, concerns?, defects?, gaps?, flaws?, errors?, inconsistenc(?:y|ies), contradictions?",
    "risks?, ambiguit(?:y|ies), weaknesses, omissions?, violations?, improvements?, comments, remarks, observations",
    "blockers?, nits, changes (?:needed|required), objections, assumptions, edge cases, anything (?:wrong|to report)",
    "deficienc(?:y|ies), conflicts?, questions, constraints",
)
_QUALIFIER = any_of(
    "critical, major, significant, serious, blocking, important, high[ -]severity, substantive, material, severe, notable"
)
_KINDS = any_of(
    "new, additional, further, other, obvious, genuine, real, design, document, any, such, clear, specific, single",
    "outstanding, open, actionable, reportable, particular, apparent, noteworthy, meaningful, unstated, hidden, internal",
    "logical, relevant, minor, requirements?, or, and",
)
_FILL = rf"(?:(?:{_QUALIFIER}|{_KINDS}|,)[ ,]+){{0,5}}"
_THINGS = rf"{_FILL}{_THING}(?:,? (?:or|and|nor) {_FILL}{_THING})?"
_SEEN = any_of(
    "found, identified, detected, spotted, noted, observed, reported, present, discovered, uncovered, raised, noticed",
    "apparent, worth (?:reporting|raising|flagging|noting), to (?:report|flag|raise|note|address|list|declare)",
    "at this (?:time|point), remain(?:ing)?, exist, here, whatsoever, at all",
)
_OURS = (
    r"(?:in|with|within|for|during|on|from|about|regarding) (?:(?:this|the|my|your|its|our) )?(?:\w+ ){0,3}"
    + any_of(
        "document, design, plan, spec, specification, requirements?, review, proposal, text, draft, architecture, prd, rfc",
        "pass, section, sections, analysis, approach",
    )
)
_CANNOT = any_of(
    "did not, didn't, could not, couldn't, can not, cannot, can't, do not, don't, does not, doesn't, unable to, never",
    "have not, haven't, has not, hasn't",
)
_SEE = any_of(
    "find, identify, identified, see, detect, detected, spot, spotted, found, have, uncover, discover, contain, notice",
    "observe, reveal, show, exhibit",
)
_NEGATED = any_of(
    rf"(?:no|zero|0|without(?: any)?|not any|free (?:of|from)(?: any)?) {_THINGS}",
    rf"{_CANNOT} (?:\w+ )?{_SEE} {_THINGS}",
    "nothing (?:to (?:report|flag|add|note)|wrong|of concern|(?:is )?(?:missing|wrong)|found|significant to report)",
    "found nothing",
)
_AFTER = rf"(?: (?:(?:were|was|are|is|have been|has been|could be|can be) )?{_SEEN})?(?: {_OURS})?(?: {_SEEN})?"
_NONE = re.compile(rf"\b{_NEGATED}(?:{_AFTER}\W*(?:$|[,;:(—–]| - )| (?:that|which|worth|beyond|{_SEEN}|{_OURS})\b)")
_ONLY = re.compile(
    r"^(?:(?:overall|result|status|findings|review|verdict|conclusion|answer|issues)\W+)?"
    r"(?:(?:i|we|the review|the (?:document|design|plan|spec)|this (?:document|design|plan|spec)|there|it)"
    r"(?: (?:have|has|had|found|see|saw|identified|detected|are|were|is|was|contains|shows|reports?))* )?"
    rf"{_NEGATED}{_AFTER}$"
)
_WHOLE = frozenset(
    (
        "none", "none found", "none identified", "none detected", "n/a", "na", "nil", "null", "nothing", "nothing found",
        "lgtm", "looks good to me", "looks good", "no", "not applicable", "all good", "no findings", "[]", "none noted",
        "none to report", "not found", "zero", "clean", "pass",
    )
)  # fmt: skip
# "No issues in section 2" says nothing of section 3; "no critical issues, but" is about to go on.
_SCOPED = re.compile(
    rf"{_THING} (?:in|with|for|regarding) (?:section|sections|chapter|part|the (?:first|second)|§)"
)
_CONTRAST = re.compile(
    r"\b(?:but|however|except|although|though|other than|apart from|aside from|besides|nevertheless|yet)\b"
)
_UNLESS = re.compile(r"\b(?:if|when|where|once|unless|until|assuming|should) (?:there|you|no|we|i|one|it)\b")
_QUALIFIED = re.compile(rf"\b(?:no|any|zero|0) (?:\w+ )?{_QUALIFIER}\b")
_SENTENCE = re.compile(r"[.!?](?=\s)|\n+")
_SHORT = 700  # characters of prose that can be one statement with its reasons

_WILL_NOT = any_of(
    "can't, cannot, can not, could not, couldn't, won't, will not, (?:am|'m|are|'re) unable to, (?:am|'m|are) not able to"
)
_REVIEW = any_of(
    r"assist, help, review, comply, provide, do, fulfil\w*, complete, continue, produce, engage, support, process, perform",
    "analy[sz]e, access, open, read, respond, answer, generate, participate, give, evaluate, assess, carry, write",
    "create, offer",
)
_MODEL = any_of("ai, artificial intelligence, large language model, language model, assistant")
_RULES = any_of("guidelines, policy, policies, programming, principles")
_REFUSAL = re.compile(
    any_of(
        r"\b(?:i|we)(?:'m| am|'re| are)? (?:(?:really|very|so|truly|deeply) )?(?:sorry|afraid)\b.{0,80}\b"
        r"(?:can't|cannot|can not|unable|won't|will not|not able|not comfortable|decline)\b",
        r"\b(?:i|we)(?: must| have to| will| am going to)?(?: respectfully| politely)? (?:decline|refuse)\b",
        rf"\b(?:i|we) ?{_WILL_NOT} (?:\w+ )?{_REVIEW}\b",
        r"\bi(?:'m| am) (?:unable|not able|not going|not permitted|not allowed|not comfortable)\b",
        rf"\bas an? {_MODEL}\b.{{0,80}}\b(?:can't|cannot|unable|not able|don't|do not|won't)\b",
        rf"\b(?:violates?|against) (?:my|our|the) (?:\w+ )?{_RULES}\b",
        rf"^(?:sorry|apologies|my apologies|unfortunately),? (?:but )?(?:i|we) ?{_WILL_NOT}\b",
    )
)
_NO_ANSWER = 1500  # characters: a refusal says little else


def _plain(text: str) -> str:
    return text.replace("’", "'").replace("`", "").replace("*", "").casefold()


def says_none(text: str) -> bool:
    """Whether a title or a value says that there is no finding, and nothing else.

    Strict, because "No errors are logged" is a finding.
    """
    plain = _plain(text[:300]).strip(" \t\n.!:-–—_\"'()#>✅✔✓🎉👍\ufe0f")
    return plain in _WHOLE or (len(text) <= 250 and _ONLY.match(plain) is not None)


def states_none(text: str) -> bool:
    """Whether prose without findings says, in its first or its last words, that nothing was found.

    A long text has to say so without a qualifier: "no critical issues" leaves room for others.
    """
    plain = _plain(text.strip())
    if says_none(plain):
        return True
    head, tail = plain[:_SHORT], plain[-_SHORT:]
    sentences = [s for part in dict.fromkeys((head, tail)) for s in _SENTENCE.split(part) if s.strip()]
    told = False
    for sentence in sentences:
        if not _NONE.search(sentence) or _SCOPED.search(sentence) or _UNLESS.search(sentence):
            continue
        if _CONTRAST.search(sentence) or (len(plain) > _SHORT and _QUALIFIED.search(sentence)):
            continue
        told = True
    return told and (len(plain) <= 4 * _SHORT)


def states_refusal(text: str) -> bool:
    """Whether prose without findings declines the review."""
    plain = " ".join(_plain(text[:_NO_ANSWER]).split())
    return len(text.strip()) <= 2 * _NO_ANSWER and _REFUSAL.search(plain[:600]) is not None
