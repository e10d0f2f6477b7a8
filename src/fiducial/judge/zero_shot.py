"""Can an issue be seen in a document by somebody who has nothing but the document?

An issue that is found, with a quotation that is there, is visible and can be asked of a reviewer. That it was not found
says little by itself: how much depends on how often this judge overlooks what is there.
"""

from __future__ import annotations

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

TASK = "zero_shot"

_FIELDS = frozenset({"found", "quotation", "reason"})
_SCHEMA = object_schema(quotation=or_null("string"), reason={"type": "string"}, found={"type": "boolean"})


class ZeroShotCase(Struct, frozen=True, kw_only=True):
    """A document as it is frozen, and the issue that is looked for in it."""

    document: str
    issue: str


class ZeroShotVerdict(Struct, frozen=True, kw_only=True):
    """Whether the issue can be seen, and where: a verdict that it can always has a `span`."""

    found: bool
    quotation: str | None
    reason: str
    span: Span | None = None


def zero_shot_version() -> str:
    """The version of the prompt."""
    return prompt_version(TASK)


def zero_shot_request(
    case: ZeroShotCase, *, secret: str, said: str | None = None, wording: Wording = SHIPPED, key: str = ""
) -> Request:
    """The request for a verdict; `said` is an earlier reply to it that was no verdict, and is asked about again."""
    first = document_first(
        wording.text(TASK),
        {"document": case.document, "document_mark": mark(secret, case.document)},
        {"issue": case.issue, "issue_mark": mark(secret, case.issue), "key": key},
    )
    found = None if said is None else parse_zero_shot(said, case)
    return judge_request(TASK, first, schema=wording.limit(_SCHEMA), said=said, found=found)


@isolated
def parse_zero_shot(text: str, case: ZeroShotCase) -> ZeroShotVerdict | Invalid:
    """The verdict, or why there is none. A quotation that is not in the document is not believed, whatever follows."""
    fields = parse_object(text, _FIELDS)
    if isinstance(fields, Invalid):
        return fields
    found, quotation, reason = fields["found"], fields["quotation"], fields["reason"]
    if not isinstance(found, bool):
        return Invalid('"found" has to be true or false')
    if not isinstance(reason, str):
        return Invalid('"reason" has to be a text')
    if quotation is not None and not isinstance(quotation, str):
        return Invalid('"quotation" has to be a text or null')
    reason = mended(reason).strip()
    if quotation is None or says_nothing(quotation):
        if found:
            return Invalid('an issue that is found needs a "quotation" from the document that shows it')
        return ZeroShotVerdict(found=False, quotation=None, reason=reason)
    span = place_of(quotation, case.document)
    if span is None:
        return Invalid(
            'the "quotation" is not in the document, letter by letter (a passage, or up to '
            f'{MOST_PARTS} with " ... " between them)'
        )
    return ZeroShotVerdict(found=found, quotation=mended(quotation).strip(), reason=reason, span=span)
