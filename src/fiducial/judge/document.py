"""What the tasks that read a document have in common: its place in the prompt, second askings, quotations.

The document comes first and what is asked about it last, in one message. Everything up to the first thing that belongs
to a single question is shared, to the byte, by all questions about the document: providers read it once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fiducial.judge.prompt import fill_prompt, prompt_text
from fiducial.judge.quote import find_quotation
from fiducial.judge.verdict import Invalid
from fiducial.model.request import Message, Request, Settings

MOST_PARTS = 4  # passages in one quotation: out of single words, any sentence could be put together
LEAST_IN_PART = 3  # letters and digits
MAX_TOKENS = 2048  # a verdict is short; the rest is for models that think before they write
Span = tuple[int, int]

_LEFT_OUT = re.compile(r"\[?(?:\.{3,}|…)\]?")
_AROUND = " \t\n\"'“”„«»‘’"


def document_first(template: str, shared: Mapping[str, str], own: Mapping[str, str]) -> Message:
    """The filled template. Its prefix ends before the line in which the first of the `own` values has its place.

    A prompt therefore says nothing of a single question above that line, not even the mark of its fence. Where the
    document comes after the question, there is little in front to share.
    """
    places = [at for name in own if (at := template.find(f"{{{name}}}")) >= 0]
    cut = template.rfind("\n", 0, min(places)) + 1
    head = fill_prompt(template[:cut], shared)
    return Message("user", head + fill_prompt(template[cut:], {**shared, **own}), prefix=len(head))


def judge_request(
    task: str,
    first: Message,
    *,
    schema: dict[str, Any] | None,
    said: str | None,
    found: object,
    max_tokens: int = MAX_TOKENS,
) -> Request:
    """The request for a verdict. `said` is an earlier reply that was none, `found` what was made of it."""
    messages = [first]
    if said is not None:
        reason = found.reason if isinstance(found, Invalid) else "it was not accepted"
        again = fill_prompt(prompt_text("again"), {"reason": reason, "task": task})
        messages += [Message("assistant", said or "(nothing)"), Message("user", again)]
    return Request(tuple(messages), Settings(temperature=0.0, max_tokens=max_tokens, schema=schema))


def object_schema(**fields: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object that has these fields, in this order, and no others.

    Bounds of numbers are left to the parser: a provider that knows no bounds rejects the whole schema.
    """
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def or_null(kind: str) -> dict[str, Any]:
    """The schema of a value that may be missing."""
    return {"anyOf": [{"type": kind}, {"type": "null"}]}


def says_nothing(text: str) -> bool:
    """Whether there is no letter and no digit in it."""
    return not any(c.isalnum() for c in text)


def place_of(quotation: str, text: str) -> Span | None:
    """Where the quotation stands in the text. Quotation marks that the judge put around it, or its parts, do not count.

    Not believed is what could be quoted from any text: more than `MOST_PARTS` passages with something left out between
    them, or passages of a letter or two.
    """
    parts = [part.strip(_AROUND) for part in _LEFT_OUT.split(quotation)]
    sizes = [size for part in parts if (size := sum(c.isalnum() for c in part))]
    if not 1 <= len(sizes) <= MOST_PARTS or min(sizes) < LEAST_IN_PART:
        return None
    return find_quotation(quotation, text) or find_quotation(" ... ".join(parts), text)


def mended(text: str) -> str:
    """The text with every half of a surrogate pair replaced: JSON can escape one, and no file can hold it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
