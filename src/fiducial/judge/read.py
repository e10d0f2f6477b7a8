"""The judge that only reads: it is shown a question and a reply, and says which answer the reply commits to.

It is not told which answer counts for what, which condition the question belongs to, or what is being measured.
The code checks its quotation and does the scoring.
"""

from __future__ import annotations

import math
from typing import Any

from msgspec import Struct

from fiducial.judge.document import judge_request, object_schema, or_null
from fiducial.judge.fence import mark
from fiducial.judge.prompt import fill_prompt, prompt_version
from fiducial.judge.quote import find_quotation
from fiducial.judge.verdict import Invalid, isolated, parse_object
from fiducial.judge.wording import SHIPPED, Wording
from fiducial.model.request import Message, Request

TASK = "read"
MAX_TOKENS = 512
_FIELDS = frozenset({"answer", "quotation"})


class ReadCase(Struct, frozen=True, kw_only=True):
    """What the judge is shown. `labels` are those of the options; without them a number is asked for."""

    question: str
    reply: str
    labels: tuple[str, ...] = ()


class ReadVerdict(Struct, frozen=True, kw_only=True):
    """What the reply commits to, and where it says so; `answer` None: to nothing."""

    answer: str | float | None
    span: tuple[int, int] | None


def read_version() -> str:
    """The version of the prompt."""
    return prompt_version(TASK)


def read_request(
    case: ReadCase, *, secret: str, said: str | None = None, wording: Wording = SHIPPED, key: str = ""
) -> Request:
    """The request for a verdict; `said` is an earlier reply to it that was no verdict, and is asked about again."""
    labels = ", ".join(case.labels)
    first = fill_prompt(
        wording.text(TASK),
        {
            "question": case.question,
            "question_mark": mark(secret, case.question),
            "reply": case.reply,
            "reply_mark": mark(secret, case.reply),
            "answer_rule": f"The answer is the label of one option ({labels}), whatever words the reply uses for it."
            if case.labels
            else "The answer is one number, written in digits, in the unit that the question asks for; "
            "percentages in points.",
            "key": key,
            "answer_form": f"<one of {labels}, or null>" if case.labels else "<number or null>",
        },
    )
    found = None if said is None else parse_read(said, case)
    return judge_request(
        TASK,
        Message("user", first),
        schema=wording.limit(_schema(case)),
        said=said,
        found=found,
        max_tokens=MAX_TOKENS,
    )


def _schema(case: ReadCase) -> dict[str, Any]:
    """Quotation before answer, so that a model that writes in order looks before it decides."""
    answer: dict[str, Any] = or_null("number")
    if case.labels:
        answer = {"anyOf": [{"type": "string", "enum": list(case.labels)}, {"type": "null"}]}
    return object_schema(quotation=or_null("string"), answer=answer)


@isolated
def parse_read(text: str, case: ReadCase) -> ReadVerdict | Invalid:
    """The verdict, or why there is none. A quotation that is not in the reply is not believed."""
    found = parse_object(text, _FIELDS)
    if isinstance(found, Invalid):
        return found
    answer, quotation = found["answer"], found["quotation"]
    if answer is None:
        return ReadVerdict(answer=None, span=None)
    if case.labels:
        if not isinstance(answer, str) or answer not in case.labels:
            return Invalid(f'"answer" has to be one of {", ".join(case.labels)}, or null')
    elif isinstance(answer, bool) or not isinstance(answer, int | float):
        return Invalid('"answer" has to be a number or null')
    elif not math.isfinite(_as_float(answer)):
        return Invalid('"answer" has to be a number of ordinary size')
    if not isinstance(quotation, str):
        return Invalid('an answer needs a "quotation" that shows it')
    span = find_quotation(quotation, case.reply)
    if span is None:
        return Invalid('the "quotation" is not in the reply, letter by letter')
    return ReadVerdict(answer=answer if isinstance(answer, str) else _as_float(answer), span=span)


def _as_float(number: int | float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf
