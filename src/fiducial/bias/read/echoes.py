"""Replies that only repeat the instruction: the form of an answer without one, or the prompt's own last words."""

from __future__ import annotations

import re

_BLANK = (
    r"(?:your |the |insert |a |one )*(?:final )?(?:answer|number|letter|option|choice|value|label|amount"
    r"|estimate|integer"
    r"|figure)(?: (?:here|letter|label|number|only|of [a-z ]{3,20}))?"
)
_FORM = re.compile(
    r"[ \t>*#\"'`]*(?:the |my |final )*answer[ \t*]*[:：][ \t*\"'`]*"
    rf"(?:<\s*(?:{_BLANK}|n|x)\s*>|[\[{{(]\s*{_BLANK}\s*[\]}})]|[<\[(]yes(?:/| or )no[>\])]|_{{2,}}|…|\.{{3}})"
    r"[\s*.\"'`]*",
    re.I,
)
_ORDERS = re.compile(
    r"\W*(?:please |now |then )?(?:answer(?!\s*[:：])|respond|reply|finish|end|give|choose|pick|return|state)\b",
    re.I,
)
_ANSWERING = re.compile(r"\b(?:answer|letter|reply|respond)\b", re.I)
_SHORTEST = 9
_SHORTEST_ORDER = 16
_ENDS = frozenset(">]})_….*\"'`")


def unfilled(body: str) -> int | None:
    """Where the last line begins, if it is the form of an answer that was never filled in: `Answer: <number>`."""
    end = len(body.rstrip())
    if end < _SHORTEST or body[end - 1] not in _ENDS:
        return None
    start = body.rfind("\n", 0, end) + 1
    return start if _FORM.fullmatch(body, start, end) else None


def repeats(body: str, prompt: str | None) -> bool:
    """Whether a reply is nothing but a part of the prompt that says how to answer."""
    if not prompt or not _ORDERS.match(body):
        return False
    said = body.strip()
    return len(said) > _SHORTEST_ORDER and said in prompt and _ANSWERING.search(said) is not None
