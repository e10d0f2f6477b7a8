"""What inside a paragraph or a table cell is not prose: code, links, HTML.

Two views of a text, both of its own length, so that a place in one is the same place in the other:
`plain`, for reading, has code, targets and tags blanked out and marks of emphasis turned into spaces;
`locked` are the spans that no edit may touch, which is all of that and the text of links too.
"""

from __future__ import annotations

import re

BLANK = "\ufffc"  # stands for what is not prose; it is neither a letter nor a space

_PLAIN = re.compile(r"[^`<\[*_~@:\\]*")  # nothing in it can be markup
_TICKS = re.compile(r"`+")
_TAG = re.compile(r"<(?:[A-Za-z/!?][^<>]*)>")
_ADDRESS = re.compile(
    r"\b(?:https?|ftp|mailto|file):(?:[^\s<>|()]|\([^\s<>|()]*\))+(?<![.,;:!?])|\b[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}"
)
_LABEL = re.compile(r"\[\^[^\][]{1,100}\]|(?<=\])\[[^\][]{0,200}\]")
_PARENTHESIS = re.compile(r"\\.|[()]")
_EMPHASIS = re.compile(r"\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|~~")

Span = tuple[int, int]


def scan(text: str) -> tuple[str, tuple[Span, ...]]:
    """The text as prose, and the spans that must stay as they are, in order and without overlap."""
    if _PLAIN.fullmatch(text):
        return text, ()
    blanked = _code(text)
    hidden = _hide(text, blanked)
    for pattern in (_TAG, _ADDRESS, _LABEL):
        blanked += [found.span() for found in pattern.finditer(hidden)]
        hidden = _hide(text, blanked)
    targets, links = _links(hidden)
    plain = _hide(text, blanked + targets)
    plain = _EMPHASIS.sub(lambda found: " " * len(found[0]), plain)
    return plain, _merged([*blanked, *targets, *links])


def _code(text: str) -> list[Span]:
    """Code spans: a run of backticks up to the next run of the same length."""
    runs = [run.span() for run in _TICKS.finditer(text)]
    following: dict[int, int] = {}
    closer = [-1] * len(runs)
    for k in range(len(runs) - 1, -1, -1):
        length = runs[k][1] - runs[k][0]
        closer[k] = following.get(length, -1)
        following[length] = k
    spans: list[Span] = []
    k = 0
    while k < len(runs):
        start, end = runs[k]
        escaped = start > 0 and text[start - 1] == "\\"
        if closer[k] >= 0 and not escaped:
            spans.append((start, runs[closer[k]][1]))
            k = closer[k]
        elif end - start > 0 and closer[k] < 0:
            spans.append((start, end))  # an unmatched run is literal, and no place for an edit
        k += 1
    return spans


def _links(text: str) -> tuple[list[Span], list[Span]]:
    """Targets `](…)` with their brackets, and whole links from their opening bracket on."""
    targets: list[Span] = []
    links: list[Span] = []
    opened: list[int] = []
    closing = _closing(text)
    k = 0
    while k < len(text):
        char = text[k]
        if char == "\\":
            k += 2
            continue
        if char == "[":
            opened.append(k)
        elif char == "]":
            start = opened.pop() if opened else -1
            end = closing.get(k + 1, -1) + 1
            if start >= 0 and end > 0:
                targets.append((k + 1, end))
                links.append((start, end))
                k = end
                continue
        k += 1
    return targets, links


def _closing(text: str) -> dict[int, int]:
    """For each opening parenthesis the place of the one that closes it."""
    closing: dict[int, int] = {}
    opened: list[int] = []
    for found in _PARENTHESIS.finditer(text):
        if found[0] == "(":
            opened.append(found.start())
        elif found[0] == ")" and opened:
            closing[opened.pop()] = found.start()
    return closing


def _hide(text: str, spans: list[Span]) -> str:
    parts: list[str] = []
    at = 0
    for start, end in _merged(spans):
        parts += [text[at:start], BLANK * (end - start)]
        at = end
    return "".join([*parts, text[at:]])


def _merged(spans: list[Span]) -> tuple[Span, ...]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
