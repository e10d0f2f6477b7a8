"""What a heading, a key or a record's type announces: findings, a severity, or something said about the review."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from fiducial.review.finding import Severity
from fiducial.review.parse.patterns import any_of, words
from fiducial.review.parse.values import severity_word

Kind = Literal["meta", "summary", "severity", "findings", "plain"]

# Each is tried against a heading in lower case, without its markup, number and signs.
_REVIEW = r"(?:this|the|my|our) (?:review|analysis|assessment)"
_BLIND_SPOTS = any_of(
    r"^(?:[\w']+ ){0,3}blind[ -]?spots?(?: (?:check|analysis|assessment|notes?|review|statement|acknowledg\w+))?$",
    r"^(?:[\w']+ ){0,3}blind[ -]?spots?[ :/–—-]+(?:of|in|and|&|what) .*(?:review|missed|limitations?|analysis)",
    r"^(?:reviewer )?self[ -]?(?:check|review|critique|assessment)\b",
)
_STRENGTHS = any_of(
    r"^(?:[\w']+ ){0,2}strengths?$, ^(?:[\w']+ ){0,2}strengths? (?:of|in|and|observed|noted|identified)\b",
    r"^positives?\b, \bpositive (?:\w+ )?(?:observations?|findings?|aspects?|notes?|points?|feedback|highlights?)\b",
    r"\bwhat(?:'s| is| was)? (?:\w+ )?(?:works?|working|good|great|strong|done)\b, \b(?:works?|done|handled) well\b",
    r"^praise\b, ^pros$, ^good (?:points|aspects|practices|parts)\b, \bcommendations?\b",
    r"^(?:things?|what) (?:i|we) liked?\b",
)
_LIMITATIONS = any_of(
    rf"^limitations?$, \blimitations? (?:of|to|in|on) {_REVIEW}\b, \breview(?:er)?(?:'s)? (?:limitations?|caveats?)\b",
    r"^caveats?$, ^disclaimers?$, \bnot (?:reviewed|assessed|examined)\b, ^out of scope$, ^confidence notes?$",
    r"\b(?:i|we) (?:did|could) ?(?:not|n't) (?:review|assess|check|verify|evaluate)\b",
    rf"^assumptions (?:i|we) made\b, \bconfidence (?:in|of) {_REVIEW}\b",
)
_COVERAGE = any_of(
    r"^(?:[\w']+ )?coverage$, ^(?:[\w']+ )?coverage (?:notes?|check|summary|map|report|statement|analysis|matrix)$",
    r"^(?:areas|sections|aspects|documents?|items|files|checks|what i|what was) (?:\w+ )?"
    r"(?:reviewed|checked|covered|examined|performed|verified|analy[sz]ed)\b",
    r"^review(?:ed)? (?:scope|checklist|method\w*|metadata|process)\b, ^(?:verified|confirmed) (?:ok|correct|items)\b",
    r"^(?:areas|sections|items|aspects) (?:with no|without) (?:issues|findings|concerns|problems)\b",
    r"^no issues (?:found )?(?:in|with)\b",
)
_META = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("blind_spot_check", _BLIND_SPOTS),
        ("strengths", _STRENGTHS),
        ("limitations", _LIMITATIONS),
        ("coverage", _COVERAGE),
    )
)
_SUMMARY = re.compile(
    any_of(
        r"^(?:(?:executive|overall|final|brief|review|findings?|issues?|quick|short|high[ -]level|top[ -]level) )*"
        r"(?:summary|overview|conclusions?|verdict|assessment|evaluation|introduction|intro|synopsis|tl;?dr|recap|stats"
        r"|wrap[ -]?up|statistics|breakdown|totals?|counts?|metrics|tally)\b"
        # a summary that is itself said to be wrong is a finding's title
        r"(?!.*\b(?:missing|lacks?|lacking|unclear|undefined|omits?|contradicts?|does not|doesn't|is not|isn't|no)\b)",
        r"^(?:overall|final|closing|concluding|general|first) (?:thoughts|remarks|impressions?|comments?|words|notes?)\b",
        r"^(?:summary|overview|table|list) of (?:the |all |my )?(?:findings|issues|problems|concerns)\b",
        r"^(?:key )?(?:takeaways?|highlights)\b, ^(?:recommended |suggested |immediate )?next steps?\b",
        r"^(?:recommended |priority |priorit\w+ )?(?:action items?|actions?|priorities|order of (?:work|fixes))\b",
        r"^(?:(?:overall|general|final|key|top|summary of|priorit\w+|additional) )*(?:recommendations?|suggestions?)$",
        r"^(?:open |outstanding |clarifying |unresolved )?questions?(?: (?:for|to) (?:the )?\w+)?$",
        r"^(?:background|context|about|methodology|approach|method|scope|appendix|legend|glossary|references|notes?)$",
        r"^severity (?:definitions?|scale|legend|levels?|guide|key|distribution|summary|breakdown|counts?)\b",
        r"^(?:document|design|requirements?|plan|spec\w*) (?:summary|overview|under review)\b, ^reviewer(?:'s)? notes?$",
    )
)
_NOUNS = any_of(
    "findings, issues, problems, concerns, gaps, flaws, defects, risks, weaknesses, observations, inconsistencies",
    "ambiguities, contradictions, assumptions, vulnerabilities, critiques?, red flags, errors, omissions, shortcomings",
    "deficiencies, bugs, comments, feedback, results, questions and concerns, violations, conflicts, nits, nitpicks",
    "blockers, items, edge cases, areas (?:for|of) (?:improvement|concern), improvements needed, challenges, constraints",
    "failure modes, points",
)
_FINDINGS = re.compile(
    rf"^(?:[\w'/&-]+,? ){{0,5}}{_NOUNS}(?:,? (?:and|&|/|or) (?:[\w-]+ ){{0,3}}[\w-]+)?"
    r"(?: (?:found|identified|detected|spotted|noted|uncovered|list|table|below|in detail|by severity|by priority"
    r"|details?|(?:in|with|from|of|for|about) .{1,60}))?$"
)
_INTRODUCES = re.compile(
    rf"\b(?:{_NOUNS}|"
    + any_of(
        "finding, issue, problem, concern, gap, flaw, weakness, things? (?:that|which), wrong, missing, unclear, improve"
    )
    + r")\b"
)
_LOOKED_AT = re.compile(
    r"\b(?:looked (?:at|for|into)|checked|considered|examined|focus(?:ed|ing)? on|criteria|searched)\b"
)
_RANKS = any_of(
    "critical, crit, blockers?, blocking, high(?:est)?, severe, urgent, important, major, medium, moderate, significant",
    "serious, minor, low(?:est)?, nit(?:s|picks?)?, trivial, info(?:rmational)?, cosmetic, p[0-5], sev[0-4], must[ -]fix",
    "should[ -]fix, could[ -]fix, nice[ -]to[ -]haves?, show[ -]?stoppers?",
)
_RANKED = re.compile(
    rf"^(?:severity|priority|level|tier)?[ :–—-]*({_RANKS})"
    r"(?:[ -](?:severity|priority|level|impact|risk|importance|tier|and|or|/|&|critical|high|major|important|medium"
    rf"|moderate|minor|low|trivial|other|design|document|requirements?|{_NOUNS})s?)*"
    r"(?: ?[:–—-] ?(?:must|should|could|needs?|fix|to be|blocks?|requires?|address|nice|before).{0,60}"
    r"| ?\(.{0,60}\)| ?\[.{0,30}\])?$"
)

_TYPES_META = re.compile(
    any_of(
        "blindspot, ^meta, metadata, selfcheck, selfreview, ^strengths?, ^positive, ^praise, ^summary, summary$",
        "^stat(?:istic)?s$, ^header$, ^footer$, reviewinfo, ^conclusion, ^verdict, ^overall, ^introduction, noissues$",
        "^endof, ^checklist, ^preamble, ^done$, ^complete$, ^coverage(?:notes?|checks?|summary|report|map|statement)?$",
    )
)
_TYPES_LOOSE = re.compile(
    any_of(
        "^notes?$, ^info(?:rmation)?$, ^comments?$, ^context$, ^remarks?$, ^limitations?$, ^caveats?$, disclaimer"
    )
)
_TYPES_FINDING = re.compile(
    any_of(
        "finding, ^issue, issue$, problem, defect, flaw, concern, ^gap, gap$, weakness, inconsisten, ambigu",
        "contradiction, ^risk, assumption, omission, ^bug, vulnerab, observation, constraint, edgecase, violation",
    )
)
_TYPES_DATA = words("object string array integer number boolean null function text float int bool")


class Heading(Struct, frozen=True):
    """What a heading announces. `severity` is set for a severity's group, `name` for what is said of the review."""

    kind: Kind
    severity: Severity | None = None
    name: str = ""


def heading_kind(text: str) -> Heading:
    """What a heading announces, from its words alone."""
    return _heading_kind(text[:200])


@lru_cache(maxsize=1024)
def _heading_kind(text: str) -> Heading:
    plain = plain_words(text)
    if not plain or len(plain) > 120:
        return Heading("plain")
    for name, pattern in _META:
        if pattern.search(plain):
            return Heading("meta", name=name)
    if _SUMMARY.search(plain):
        return Heading("summary", name="summary")
    if found := _RANKED.match(plain):
        severity = severity_word(found[1])
        return Heading("severity", severity) if severity else Heading("plain")
    if severity := severity_word(text):
        return Heading("severity", severity)
    return Heading("findings" if _FINDINGS.match(plain) else "plain")


def announces_findings(text: str) -> bool:
    """Whether a line that ends with a colon introduces findings (`Here is what I found wrong:`)."""
    plain = plain_words(text)
    told = looked_at(text) or any(pattern.search(plain) for _, pattern in _META)
    return bool(_INTRODUCES.search(plain)) and not told


def looked_at(text: str) -> bool:
    """Whether a line introduces what was read or checked, rather than what was found."""
    return _LOOKED_AT.search(plain_words(text)) is not None


_MARKUP = re.compile(r"[*_`#~]+")
_EDGE = re.compile(r"^[^\w(\[]+|[\s:.\-–—]+$")
_COUNT = re.compile(r"\s*[(\[]\s*(?:\d+|n/?a|none)(?:\s+\w+){0,2}\s*[)\]]$|\s*[:–—-]\s*\d+$")


def plain_words(text: str) -> str:
    """A heading in lower case without markup, leading signs, count and final colon."""
    plain = _EDGE.sub("", _MARKUP.sub("", text[:300]).replace("’", "'").strip().casefold())
    return _EDGE.sub("", _COUNT.sub("", plain)).strip()


def type_kind(value: str) -> Literal["meta", "loose", "finding", "data", "other"]:
    """What a record's `type` says: of the review, a note, a finding, the type of a JSON schema, or a category."""
    plain = re.sub(r"[\W_]+", "", value[:80]).casefold()
    if _TYPES_META.search(plain):
        return "meta"
    if _TYPES_LOOSE.search(plain):
        return "loose"
    if _TYPES_FINDING.search(plain):
        return "finding"
    return "data" if plain in _TYPES_DATA else "other"
