"""Numbers that only cite: footnote marks, pages, the lines of sources at the end of a reply."""

from __future__ import annotations

import re

from fiducial.bias.read.numbers import Number
from fiducial.bias.read.text import holds

_MARK = re.compile(r"\[\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\]")
_GIVES = re.compile(r"(?:^|[:=≈~]|\b(?i:is|be|say|answer|estimate|guess|about|around|at|of|with))[\s*$€£]*$")
"""What a number in brackets may be the answer after: "My estimate is [15]" """
_LINE = re.compile(
    r"^[ \t*>]*(?:\[\d{1,3}\]:?[ \t]+(?=[^\d\s])[^\n]+|(?i:sources?|references?|citations?|footnotes?"
    r"|bibliography|quelle)"
    r"\b[ \t*]*:[^\n]*)",
    re.M,
)
_CITED = re.compile(r"\((?:see |cf\. )?[A-Z][\w.&' -]{1,60},? (?:1[89]|20)\d\d[a-z]?(?:, (?:p|pp)\. ?[\d–-]+)?\)")
_LINE_PARTS = ("\n[", "ource", "eference", "itation", "ootnote", "ibliography", "uelle")
_YEARS = (" 19", " 20", " 18")


def without_sources(text: str, found: list[Number]) -> list[Number]:
    """The numbers that are not part of a citation; all of them where nothing else would be left."""
    spans: list[tuple[int, int]] = []
    if holds(text, _LINE_PARTS):
        spans += [match.span() for match in _LINE.finditer(text)]
    if "(" in text and holds(text, _YEARS):
        spans += [match.span() for match in _CITED.finditer(text)]
    if "[" in text:
        spans += [
            m.span() for m in _MARK.finditer(text) if not _GIVES.search(text, max(0, m.start() - 24), m.start())
        ]
    if not spans:
        return found
    left = [n for n in found if not any(start <= n.start < end for start, end in spans)]
    return left or found
