"""From what a reviewer wrote to findings, with one status for the output as a whole."""

from __future__ import annotations

import re

from fiducial.errors import fault
from fiducial.review.finding import Dropped, Parsed, Status
from fiducial.review.parse.draft import Read
from fiducial.review.parse.merge import choose
from fiducial.review.parse.nodes import Arr
from fiducial.review.parse.objects import Objects
from fiducial.review.parse.prose import read_prose
from fiducial.review.parse.scan import Scanner, Value
from fiducial.review.parse.statements import states_none, states_refusal
from fiducial.review.parse.tags import read_tags
from fiducial.review.parse.text import prepare

_ENVELOPES = 3  # outputs inside outputs
_NEAR = 80  # characters of a line that are looked at around a value
_NOT_BREAK = re.compile(r"[^\n]+")
_BETWEEN = re.compile(r"[\s,;`~\]}]*+(?:jsonl?|JSON)?[\s,;`~]*")
_MARKS = re.compile(r"```[^\n]*|~~~[^\n]*|[-*_#=>`\s]+")


def parse(text: str) -> Parsed:
    """Read an output. Takes time in proportion to its length, and never raises, whatever the text: an output on which a
    rule fails is `malformed`, and the reason is `fault:` with the exception's name.

    Nothing is counted twice and nothing is lost without a trace: what should have been a finding and could not be
    read is in `dropped_reasons`. Records about the review itself (blind spots, strengths) are in `meta` only.
    """
    try:
        return _parse(text)
    except Exception as error:
        return faulty(text, error)


def faulty(text: str, error: Exception) -> Parsed:
    """What becomes of an output that could not be read because of an exception."""
    return Parsed(
        status="malformed", dropped=1, dropped_reasons=(Dropped(reason=fault(error), excerpt=text[:_NEAR]),)
    )


def _parse(text: str) -> Parsed:
    prepared, thinking = prepare(text)
    read = _read(prepared, _ENVELOPES)
    findings = tuple(draft.finding for draft in choose(read.drafts))
    dropped = tuple(dropped for _, dropped in sorted(read.dropped, key=lambda pair: pair[0]))
    return Parsed(
        status="findings" if findings else _status(prepared, read),
        findings=findings,
        meta=tuple(meta for _, meta in sorted(read.meta, key=lambda pair: pair[0])),
        dropped=len(dropped),
        truncated=read.cut or thinking,
        dropped_reasons=dropped,
    )


def _read(text: str, depth: int) -> Read:
    scanner = Scanner(text)
    values = scanner.values()
    objects = Objects(text, (lambda inner: _read(prepare(inner)[0], depth - 1)) if depth > 0 else None)
    spans, starts, block, end, broken = list[tuple[int, int]](), list[int](), 0, 0, False
    for value in values:
        # values with nothing but separators between them, or the ruins of one, were written in one go
        ruins = broken and "\n\n" not in text[end : value.start]
        if not ruins and _BETWEEN.fullmatch(text, end, value.start) is None:
            block += 1
        end, broken = value.end, value.state == "broken"
        if objects.value(value, block):
            spans.append((value.start, value.end))
            starts.append(value.start)
        elif _is_empty_list(text, value):
            objects.read.none = True
            spans.append((value.start, value.end))
    read = objects.read
    rest = _blanked(text, spans)
    tagged = read_tags(rest, block + 1)
    read.add(tagged.read)
    starts += [start for start, _ in tagged.spans]
    read.add(read_prose(_blanked(rest, tagged.spans), sorted(starts), block + 2))
    return read


def _is_empty_list(text: str, value: Value) -> bool:
    """`[]` on a line of its own: no findings. Elsewhere it is part of a sentence."""
    if not isinstance(value.node, Arr) or value.node.items or value.state != "whole":
        return False
    before = text[max(0, value.start - _NEAR) : value.start].rpartition("\n")[2]
    after = text[value.end : value.end + _NEAR].partition("\n")[0]
    return not before.strip(" `") and not after.strip(" `.")


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with some spans blanked; line breaks stay, so that every offset and every line stays."""
    parts, at = [], 0
    for start, end in spans:
        if start < at:
            continue
        parts += [text[at:start], _NOT_BREAK.sub(lambda m: " " * len(m[0]), text[start:end])]
        at = end
    return "".join([*parts, text[at:]])


def _status(text: str, read: Read) -> Status:
    """Why there is no finding."""
    if not _MARKS.sub("", text):
        return "empty"
    if read.dropped:
        return "malformed"
    if read.none:
        return "explicit_none"
    if states_refusal(text):
        return "refused"
    if states_none(text):
        return "explicit_none"
    # a record for each check that was made, and none that is a finding: that is what finding nothing looks like
    only_records = read.meta and all(meta.fields for _, meta in read.meta) and not read.cut
    return "explicit_none" if only_records else "malformed"
