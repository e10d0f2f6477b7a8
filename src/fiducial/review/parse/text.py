"""The output before anything is read from it: line ends made equal, wrappings and thinking taken off."""

from __future__ import annotations

import re

from fiducial.review.parse.quoted import unescape
from fiducial.review.parse.values import whole

_TAG = r"(?:think|thinking|thought|thoughts|reasoning|scratchpad)"
_OPEN = re.compile(rf"\s*<{_TAG}>", re.I)
_ANYWHERE = re.compile(rf"<{_TAG}>", re.I)
_CLOSE = re.compile(rf"</{_TAG}>", re.I)
_BREAKS = re.compile("\r\n?|[\u0085\u2028\u2029\x0b\x0c]")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*+"')
# Byte order marks turn up in the middle where files were joined; NULs where UTF-16 was read as something else.
_NOISE = str.maketrans("", "", "\x00\ufeff\u200b\u2060")


def prepare(text: str) -> tuple[str, bool]:
    """The text to read, and whether the output ended inside its own thinking (nothing after that was written)."""
    text = _BREAKS.sub("\n", whole(text)).translate(_NOISE)
    text, thinking = _after_thinking(text)
    return _unquoted(text), thinking


def _after_thinking(text: str) -> tuple[str, bool]:
    """What follows the reasoning that a model wrote first; drafts of findings in there are not findings.

    Tags further down are left alone: they are part of what is said about the document. A closing tag without an
    opening one counts when only reasoning can stand before it, because some templates open the tag in the prompt.
    """
    opened = _OPEN.match(text)
    closed = _CLOSE.search(text, opened.end() if opened else 0)
    if opened is None:
        first = _ANYWHERE.search(text)
        template = closed is not None and (first is None or first.start() >= closed.start())
        return (text[closed.end() :], False) if closed is not None and template else (text, False)
    return (text[closed.end() :], False) if closed else ("", True)


def _unquoted(text: str) -> str:
    r"""The text of an output that was stored as one JSON string, or with its quotes escaped (`{\"title\": …`)."""
    body = text.strip()
    if body[:1] == '"' and _STRING.fullmatch(body):
        return unescape(body[1:-1])
    if '{\\"' in text and '{"' not in text:
        return unescape(text)
    return text
