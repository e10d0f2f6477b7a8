"""Is a finding genuine: is what it says is wrong with a document really wrong there?

The judge is not told who wrote the finding, how severe it is said to be, or what became of others. Its evidence is a
quotation, which the code looks up, or a claim that something is absent, for which the code searches.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

from msgspec import Struct

from fiducial.judge.document import (
    MOST_PARTS,
    Span,
    document_first,
    judge_request,
    mended,
    object_schema,
    or_null,
    place_of,
    says_nothing,
)
from fiducial.judge.fence import mark
from fiducial.judge.prompt import prompt_text, prompt_version
from fiducial.judge.search import Hit, search_absent
from fiducial.judge.verdict import Invalid, isolated, parse_object
from fiducial.judge.wording import SHIPPED, Wording
from fiducial.model.request import Request

TASK = "genuine"

ReviewType = Literal["requirements", "design", "plan"]
GenuineLabel = Literal["genuine", "not_genuine", "borderline"]
CATEGORIES = (
    "implementation_detail",
    "invented_constraint",
    "style",
    "hypothetical",
    "outside_context",
    "not_there",
    "not_specific",
    "other",
)
"""Why a finding is not genuine. Judges may name others: these are the ones that the prompts explain."""

_ALIASES = {
    "implementation": "implementation_detail",
    "implementation_details": "implementation_detail",
    "invented": "invented_constraint",
    "invented_constraints": "invented_constraint",
    "unstated_constraint": "invented_constraint",
    "stylistic": "style",
    "hypothetical_future": "hypothetical",
    "hypotheticals": "hypothetical",
    "context": "outside_context",
    "external_context": "outside_context",
    "out_of_context": "outside_context",
    "outside": "outside_context",
    "not_present": "not_there",
    "generic": "not_specific",
    "unspecific": "not_specific",
    "vague": "not_specific",
}
_NO_CATEGORY = frozenset({"", "none", "null", "n_a", "not_applicable"})
_FIELDS = frozenset({"evidence", "reason", "category", "verdict", "confidence"})
_SCHEMA = object_schema(
    evidence={"type": "string"},
    reason={"type": "string"},
    category=or_null("string"),
    verdict={"type": "string", "enum": list(get_args(GenuineLabel))},
    confidence={"type": "number"},
)
_ABSENT = re.compile(r"\A\W*absent\s*:(.*)\Z", re.IGNORECASE | re.DOTALL)


class GenuineCase(Struct, frozen=True, kw_only=True):
    """A document, and the text of one finding about it: what it claims, without severity and author."""

    document: str
    finding: str
    review_type: ReviewType


class GenuineVerdict(Struct, frozen=True, kw_only=True):
    """What the judge decided, and on what.

    `span` is where the evidence stands in the document; None where it is a claim of absence, or where a finding that
    is not genuine left nothing to quote. `hits` is what a search for the absent thing came upon: it is shown, and
    decides nothing.
    """

    verdict: GenuineLabel
    evidence: str
    reason: str
    category: str | None
    confidence: float
    span: Span | None = None
    absent: str | None = None  # what was looked for
    hits: tuple[Hit, ...] = ()


def genuine_version(review_type: ReviewType) -> str:
    """The version of the prompt for this type of review, its list of what is not genuine included."""
    return prompt_version(TASK, _criteria(review_type))


def genuine_request(
    case: GenuineCase, *, secret: str, said: str | None = None, wording: Wording = SHIPPED, key: str = ""
) -> Request:
    """The request for a verdict; `said` is an earlier reply to it that was no verdict, and is asked about again."""
    first = document_first(
        wording.text(TASK),
        {
            "not_genuine": prompt_text(_criteria(case.review_type)),
            "document": case.document,
            "document_mark": mark(secret, case.document),
        },
        {"finding": case.finding, "finding_mark": mark(secret, case.finding), "key": key},
    )
    found = None if said is None else parse_genuine(said, case)
    return judge_request(TASK, first, schema=wording.limit(_SCHEMA), said=said, found=found)


@isolated
def parse_genuine(text: str, case: GenuineCase) -> GenuineVerdict | Invalid:
    """The verdict, or why there is none. No verdict is believed whose quotation is not in the document."""
    fields = parse_object(text, _FIELDS)
    if isinstance(fields, Invalid):
        return fields
    evidence, reason, category = fields["evidence"], fields["reason"], fields["category"]
    verdict, confidence = fields["verdict"], fields["confidence"]
    if verdict not in get_args(GenuineLabel):
        return Invalid('"verdict" has to be "genuine", "not_genuine" or "borderline"')
    if not isinstance(evidence, str) or not isinstance(reason, str):
        return Invalid('"evidence" and "reason" have to be texts')
    if category is not None and not isinstance(category, str):
        return Invalid('"category" has to be a text or null')
    # NaN never gets here: the parser takes no such constant
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
        return Invalid('"confidence" has to be a number from 0 to 1')
    span = absent = None
    hits: tuple[Hit, ...] = ()
    if claim := _ABSENT.match(evidence):
        absent = mended(claim[1]).strip()
        if says_nothing(absent):
            return Invalid('"absent:" has to say what was looked for')
        hits = search_absent(absent, case.document)
    elif not says_nothing(evidence):
        span = place_of(evidence, case.document)
        if span is None:
            return Invalid(
                'the "evidence" is not in the document, letter by letter (a passage, or up to '
                f'{MOST_PARTS} with " ... " between them), and does not begin with "absent:"'
            )
    elif verdict == "genuine":
        return Invalid('the verdict "genuine" needs "evidence": a quotation, or "absent:" and what was looked for')
    return GenuineVerdict(
        verdict=verdict,
        evidence=mended(evidence).strip(),
        reason=mended(reason).strip(),
        category=None if category is None else _category(mended(category)),
        confidence=float(confidence),
        span=span,
        absent=absent,
        hits=hits,
    )


def _criteria(review_type: ReviewType) -> str:
    return f"not_genuine_{review_type}"


def _category(said: str) -> str | None:
    """A known category under its own name, whatever its spelling; another one as the judge wrote it."""
    name = re.sub(r"[\W_]+", "_", said.casefold()).strip("_")
    name = _ALIASES.get(name, name)
    if name in _NO_CATEGORY:
        return None
    return name if name in CATEGORIES else said.strip()
