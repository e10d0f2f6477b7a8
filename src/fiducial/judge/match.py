"""Is an issue among the findings of one output, and which of them states it?

The judge sees the document and the whole numbered list, which are the same for every issue that is looked for, and
then one issue. An output without findings has nothing to be matched, and is not worth a call.
"""

from __future__ import annotations

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
from fiducial.judge.prompt import prompt_version
from fiducial.judge.verdict import Invalid, isolated, parse_object
from fiducial.judge.wording import SHIPPED, Wording
from fiducial.model.request import Request

TASK = "match"

MatchLabel = Literal["found", "partly", "not_found"]
_FIELDS = frozenset({"finding", "quotation", "verdict"})
_SCHEMA = object_schema(
    finding=or_null("integer"),
    quotation=or_null("string"),
    verdict={"type": "string", "enum": list(get_args(MatchLabel))},
)


class MatchCase(Struct, frozen=True, kw_only=True):
    """A document, the findings of one output about it, and the issue that is looked for among them."""

    document: str
    findings: tuple[str, ...]
    item: str


class MatchVerdict(Struct, frozen=True, kw_only=True):
    """Which finding states the issue, from 1, and the quotation that shows it.

    The quotation stands in the finding (`finding_span`), in the document (`span`), or in both.
    """

    verdict: MatchLabel
    finding: int | None
    quotation: str | None = None
    span: Span | None = None
    finding_span: Span | None = None


def match_version() -> str:
    """The version of the prompt."""
    return prompt_version(TASK)


def match_request(
    case: MatchCase, *, secret: str, said: str | None = None, wording: Wording = SHIPPED, key: str = ""
) -> Request:
    """The request for a verdict; `said` is an earlier reply to it that was no verdict, and is asked about again.

    Every finding has a fence of its own. In one fence around the list, a finding could number lines of its own and
    pass for two.
    """
    listed = "\n\n".join(
        wording.around(f"finding {number}", text, secret=secret) for number, text in enumerate(case.findings, 1)
    )
    first = document_first(
        wording.text(TASK),
        {
            "document": case.document,
            "document_mark": mark(secret, case.document),
            "findings": listed or "(The list is empty.)",
        },
        {"item": case.item, "item_mark": mark(secret, case.item), "key": key},
    )
    found = None if said is None else parse_match(said, case)
    return judge_request(TASK, first, schema=wording.limit(_SCHEMA), said=said, found=found)


@isolated
def parse_match(text: str, case: MatchCase) -> MatchVerdict | Invalid:
    """The verdict, or why there is none. A quotation that is in neither finding nor document is not believed."""
    fields = parse_object(text, _FIELDS)
    if isinstance(fields, Invalid):
        return fields
    number, quotation, verdict = fields["finding"], fields["quotation"], fields["verdict"]
    if verdict not in get_args(MatchLabel):
        return Invalid('"verdict" has to be "found", "partly" or "not_found"')
    if quotation is not None and not isinstance(quotation, str):
        return Invalid('"quotation" has to be a text or null')
    if quotation is not None and says_nothing(quotation):
        quotation = None
    if number is None:
        if verdict != "not_found":
            return Invalid(f'the verdict "{verdict}" needs the number of a "finding"')
    elif verdict == "not_found":
        return Invalid('with the verdict "not_found", "finding" has to be null')
    elif isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(case.findings):
        return Invalid(f'"finding" has to be null or a whole number, from 1 to {len(case.findings)}')
    elif quotation is None:
        return Invalid(f'the verdict "{verdict}" needs a "quotation" that shows it')
    if quotation is None:
        return MatchVerdict(verdict=verdict, finding=None)
    within = None if number is None else place_of(quotation, case.findings[number - 1])
    span = place_of(quotation, case.document)
    if within is None and span is None:
        return Invalid(
            'the "quotation" is neither in that finding nor in the document, letter by letter (a passage, or up to '
            f'{MOST_PARTS} with " ... " between them)'
        )
    return MatchVerdict(
        verdict=verdict, finding=number, quotation=mended(quotation).strip(), span=span, finding_span=within
    )
