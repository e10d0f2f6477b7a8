"""Lines that name a field: `- **Severity:** High`, `Severity: High | Confidence: 85`, `**Impact**` above a paragraph."""

from __future__ import annotations

import re

from msgspec import Struct

from fiducial.review.parse.kinds import heading_kind
from fiducial.review.parse.names import SHORT, field_of
from fiducial.review.parse.values import severity_word

# A label in bold or italics may end with any mark, or stand alone; a bare one needs its colon.
_STRONG = re.compile(
    r"(?P<sign>[^\w\s*_`\"'\[({<|#>]{1,4}\s*)?(?P<mark>\*{1,3}|_{1,3})(?P<label>[^*_:\n]{1,60}?|[A-Za-z]+(?:_[A-Za-z]+){1,4})"
    r"\s*(?P<in>:)?\s*(?P=mark)\s*(?P<out>[:：=]|[–—]\s|-\s|(?=\s*$))?\s*"
)
_BARE = re.compile(
    r"(?P<sign>[^\w\s*_`\"'\[({<|#>]{1,4}\s*)?(?P<label>[A-Za-z][A-Za-z0-9 _/&()'’-]{0,50}?)\s*[:：]\s*(?=\S|$)"
)
_DASHED = re.compile(r"(?P<label>[A-Za-z][A-Za-z ]{2,24}?)\s+[–—-]\s+(?=\S)")
_IN_CODE = re.compile(r"`([A-Za-z][\w -]{1,30}:[^`\n]{1,100})`\s*")
_IN_BOLD = re.compile(r"\*\*([A-Za-z][^*:\n]{1,40}):\s+([^*\n]{1,100})\*\*")
_INNER = re.compile(  # a second field on the line of a first one
    r"(?:\s*[|·•;,]\s*|\s+[–—-]\s+|\s{2,}|\s*\(\s*|\s+)"
    r"(?:(?P<mark>\*{1,2}|_{1,2})(?P<strong>[A-Za-z][\w /'’-]{0,30}?)\s*:?\s*(?P=mark)\s*:?"
    r"|(?<=[|·•;,(–—-] )(?P<bare>[A-Za-z][\w /'’-]{0,30}?)\s*:"
    r"|(?<=[(|])(?P<tight>[A-Za-z][\w /'’-]{0,30}?)\s*:)\s*"
)
_QUOTES = (('"', '"'), ("'", "'"), ("“", "”"))
_BLOCK = re.compile(r"[|>][+-]?\d?$")


class Label(Struct, frozen=True):
    """A label and the rest of its line. `field` is None for a label in bold that names nothing we know."""

    name: str
    field: str | None
    value: str
    strong: bool


def read_label(text: str) -> Label | None:
    """The label that a line opens with, if it does. Bare words before a colon count only if they name a field."""
    if text[:1] == "`":
        text = _IN_CODE.sub(r"\1 | ", text[:600]).rstrip(" |") + text[600:]
    elif (inside := _IN_BOLD.match(text)) and _is_field(inside[1], inside[2]):
        text = _IN_BOLD.sub(r"**\1:** \2", text[:600]) + text[600:]
    head = text[:200]
    if found := _STRONG.match(head):
        if not (found["in"] or found["out"] is not None):
            return None
        name = found["label"].strip()
        field = field_of(name)
        if found["in"] is None and not (found["out"] or "").strip() and field is None:
            return None  # a line in bold: a heading, not a label
        return Label(name, field, text[found.end() :].strip(), True)
    inner = whole_bold(text)
    bare = inner or text
    if found := _BARE.match(bare[:200]):
        field = field_of(found["label"])
        if field is not None and (field != "other" or inner):  # "Note:" is a way to go on, not a field
            return Label(found["label"].strip(), field, bare[found.end() :].strip(), inner is not None)
    if (found := _DASHED.match(head)) and (field := field_of(found["label"])) in SHORT:
        return Label(found["label"].strip(), field, text[found.end() :].strip(), False)
    return None


def _is_field(name: str, value: str) -> bool:
    """Whether bold words are a field with its value, and not a title that begins with its severity."""
    return field_of(name) is not None and (field_of(name) != "severity" or severity_word(value) is not None)


def whole_bold(text: str) -> str | None:
    """What a line in bold says, if all of it is in bold."""
    body = text.rstrip(" :")
    for mark in ("**", "__"):
        if len(body) > 4 and body.startswith(mark) and body.endswith(mark) and body.count(mark) == 2:
            return body[2:-2].strip(" *_") or None
    return None


def fields_of(label: Label) -> list[tuple[str, str]]:
    """The fields on a line: the label's own, and those behind it (`Severity: High | Confidence: 85%`)."""
    value = label.value
    if label.field not in SHORT:
        return [(label.name, unwrapped(value))]
    pairs, name, at = [], label.name, 0
    for found in _INNER.finditer(value[:600]):
        inner = found["strong"] or found["bare"] or found["tight"]
        if field_of(inner) is None:
            continue
        pairs.append((name, value[at : found.start()]))
        name, at = inner, found.end()
    pairs.append((name, value[at:]))
    return [(name, unwrapped(text.strip().rstrip("|,;·•)( ") if len(pairs) > 1 else text)) for name, text in pairs]


def unwrapped(value: str) -> str:
    """A value without the quotes, the emphasis or the block mark that YAML and Markdown put around it."""
    value = value.strip()
    if _BLOCK.match(value):
        return ""
    for opening, closing in _QUOTES:
        inner = value[1:-1]
        if (
            len(value) > 1
            and value[0] == opening
            and value[-1] == closing
            and opening not in inner
            and closing not in inner
        ):
            return inner
    for mark in ("**", "__", "*", "`"):
        if (
            len(value) > 2 * len(mark)
            and value.startswith(mark)
            and value.endswith(mark)
            and value.count(mark) == 2
        ):
            return value[len(mark) : -len(mark)]
    return value


def is_aside(label: Label) -> bool:
    """Whether a label opens something said of the review (`**Blind spot check:** …`)."""
    return label.field is None and heading_kind(label.name).kind in ("meta", "summary")
