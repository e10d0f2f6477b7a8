"""What a field is called: the many spellings of the nine fields of a finding, and of everything around them."""

from __future__ import annotations

import re
from functools import lru_cache

from fiducial.review.parse.patterns import words

_NOT_LETTER = re.compile(r"[\W_]+")
_ASIDE = re.compile(r"\([^()]{0,60}\)|\[[^\[\]]{0,60}\]")
_EITHER = re.compile(r"\s*(?:/|&|\||,|\band\b|\bor\b)\s*", re.I)

# The first spelling that is there wins; a name may stand under one field only.
_SPELLINGS = {
    "id": "id findingid issueid number num no index key uid identifier recordid",
    "type": "type kind recordtype entrytype",
    "title": "title name finding headline heading findingtitle issuetitle findingname issuename problemtitle risktitle"
    " shortdescription subject shorttitle findingsummary issuesummary summary",
    "severity": "severity priority impactlevel severitylevel criticality sev risklevel prioritylevel level urgency"
    " severityrating severityscore issueseverity findingseverity",
    "confidence": "confidence certainty confidencescore confidencelevel conf confidencerating confidencepercent"
    " confidencepercentage confidencevalue score",
    "phase": "phase sdlcphase lifecyclephase phaseoforigin originphase primaryphase phaseprimary failurephase"
    " designphase stage phaseclassification",
    "section": "section location where sectionref documentsection sectionreference affectedsection affectedsections"
    " sections locations loc clause ref reference references file line lines linenumber linenumbers linerange page"
    " paragraph documentreference locationindocument documentlocation affectedarea sectionname relevantsection",
    "issue": "issue description problem detail details issuedescription problemdescription findingdescription"
    " problemstatement desc concern gap flaw defect weakness observation theissue theproblem whatswrong whatiswrong"
    " issuedetail issuedetails findingdetail findingdetails contradiction inconsistency ambiguity longdescription"
    " fulldescription issues problems",
    "why_it_matters": "whyitmatters whythismatters why whymatters impact rationale consequence consequences importance"
    " significance implication implications reason justification businessimpact potentialimpact effect sowhat"
    " whyitsaproblem whyitisaproblem whythisisaproblem riskimpact impactdescription",
    "suggestion": "suggestion recommendation suggestions recommendations recommendedaction recommendedfix suggestedfix"
    " proposedfix fix resolution remediation mitigation action proposal solution proposedchange suggestedchange"
    " improvement howtofix remedy nextstep correctiveaction proposedsolution suggestedresolution suggestedimprovement"
    " actionitem recommendedchange proposedresolution suggestedaction suggestedsolution recommendedresolution"
    " recommendedsolution possiblefix potentialfix actionrequired requiredaction howtoresolve howtoaddress",
    # what says the issue where nothing is called one
    "other": "explanation analysis statement risk message comment text body content evidence discussion notes note"
    " reasoning assumption hiddenassumption unstatedassumption question missing scenario failuremode context quote"
    " quotation excerpt example background observedbehavior expectation",
}
_FIELD = {name: field for field, names in _SPELLINGS.items() for name in names.split()}
_RANK = {name: rank for names in _SPELLINGS.values() for rank, name in enumerate(names.split())}

SHORT = frozenset(("id", "type", "severity", "confidence", "phase", "section"))
"""Fields whose value is a word or two: a paragraph below them belongs to the finding, not to the field."""

SUBSTANCE = frozenset(("issue", "why_it_matters", "suggestion", "severity", "confidence"))
"""Fields that make a record a finding rather than any record with a title."""

# Keys whose list holds findings; those that only ever wrap, and those that may.
HOLDERS = words(
    "findings issues problems concerns defects flaws gaps risks items observations results result review reviews"
    " records reviewfindings allfindings keyfindings issuesfound problemsfound criticalfindings weaknesses"
    " inconsistencies ambiguities vulnerabilities assumptions comments feedback finding data output response payload"
    " entries report analysis"
)
CERTAIN_HOLDERS = HOLDERS - words(
    "items results result review reviews records data output response payload entries report analysis comments"
    " feedback finding"
)
TEXT_HOLDERS = words(
    "text content result output response message completion answer review value data findings issues report analysis"
    " markdown body error refusal"
)


def squeeze(name: str) -> str:
    """A name without case, spaces or punctuation: `Why it matters`, `why_it_matters` and `whyItMatters` are one."""
    return _NOT_LETTER.sub("", name).casefold()


def field_of(name: str) -> str | None:
    """The field that a key, a column or a label means, if any.

    Asides are passed over (`Confidence (0-100)`), and of alternatives the first is taken (`Issue / Problem`).
    """
    return _field_of(name) if len(name) <= 80 else None


@lru_cache(maxsize=4096)
def _field_of(name: str) -> str | None:
    if name.strip() == "#":
        return "id"
    plain = squeeze(name)
    if plain in _FIELD:
        return _FIELD[plain]
    bare = _ASIDE.sub(" ", name)
    if squeeze(bare) in _FIELD:
        return _FIELD[squeeze(bare)]
    parts = [squeeze(part) for part in _EITHER.split(bare)]
    return _FIELD[parts[0]] if all(part in _FIELD for part in parts) else None


def rank_of(name: str) -> int:
    """How telling a spelling is within its field; lower is better."""
    return _RANK.get(squeeze(name), 99)
