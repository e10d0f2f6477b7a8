"""Which passage of a document a claim is about, as far as the claim itself says so.

What it quotes comes first, then the section it names, then an identifier such as R-12. No judge's evidence is used: a
person who labels must not be led to the place that decided somebody else's verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from fiducial.judge.document import Span, place_of
from fiducial.report.review_blocks import blocks
from fiducial.review.finding import fold

MOST_QUOTED = 20  # quotations of one claim that are looked up
LEAST_QUOTED = 4  # letters and digits of one
LONGEST, LONGEST_NAME = 20_000, 300  # characters of a claim, and of a section's name, that are looked at
LEAST_NAMED = 4  # letters of a section's name that may be part of a longer one

_QUOTED = re.compile(
    r"“([^”\n]{1,2000})”|„([^“”\n]{1,2000})[“”]|«([^»\n]{1,2000})»|\"([^\"\n]{1,2000})\"|`([^`\n]{1,2000})`"
    r"|‘([^’\n]{1,2000})’(?!\w)|(?<!\w)'([^'\n]{1,2000})'(?!\w)"
)
_PLACE_WORD = re.compile(
    r"\A\W*(?:(?:sub)?sections?|sec|sect|chapters?|clauses?|part|heading)\b[\s.:]*", re.IGNORECASE
)
_NUMBER = re.compile(r"\A\W*(\d+(?:\.\d+)*)(?![\d%])")
_PARTS = re.compile(r"\s*(?:[>/→›;|,]|\s+and\s+|\s+[-–—]\s+)\s*")
_IDENTIFIER = re.compile(r"\b[A-Z][A-Za-z]{0,11}[-_]?\d+(?:\.\d+)*\b")


class Passage(Struct, frozen=True, kw_only=True):
    """Where to begin reading, what to mark, and in a few words why there."""

    at: int = 0
    marks: tuple[Span, ...] = ()
    why: str = "the beginning: the finding names no place that is found"


class _Section(Struct, frozen=True):
    span: Span  # from its heading to the next one of its level or above
    title: str  # folded, as names are compared
    bare: str  # without its number
    number: str
    said: str  # as it reads


def passage(document: str, claim: str, section: str | None = None) -> Passage:
    """The passage that a claim is about; the beginning, where it gives no clue."""
    claim, section = claim[:LONGEST], (section or "")[:LONGEST_NAME]
    named = _named(document, section)
    quoted = list(_quotations(document, claim, named))
    if quoted:
        # The longest is the least likely to stand somewhere by chance.
        best = max(quoted, key=lambda span: span[1] - span[0])
        return Passage(at=best[0], marks=tuple(sorted(quoted)), why="what the finding quotes")
    if named:
        return Passage(at=named[0], why="the section that the finding names")
    for said in dict.fromkeys(_IDENTIFIER.findall(f"{section}\n{claim}")):
        if span := _line_of(document, said):
            return Passage(at=span[0], marks=(span,), why=f"where {said} stands")
    return Passage()


def _quotations(document: str, claim: str, inside: Span | None) -> Iterator[Span]:
    """Where the quotations of a claim stand: in the section that it names, if they do, or else anywhere."""
    said = [next(filter(None, groups)) for groups in _QUOTED.findall(claim)]
    for words in list(dict.fromkeys(said))[:MOST_QUOTED]:
        if sum(map(str.isalnum, words)) < LEAST_QUOTED:
            continue
        if inside and (found := place_of(words, document[slice(*inside)])):
            yield inside[0] + found[0], inside[0] + found[1]
        elif found := place_of(words, document):
            yield found


def _named(document: str, section: str) -> Span | None:
    """The section of that name. Of the parts of a name, the last is the most exact; the same words come before like ones."""
    sections = _sections(document)
    whole = _PLACE_WORD.sub("", section)
    names = [whole, *(_PLACE_WORD.sub("", part) for part in reversed(_PARTS.split(whole)))]
    for look in (_by_title, _by_number, _by_part):
        for name in names:
            if found := look(name, sections):
                return found.span
    return None


def _by_title(name: str, sections: Sequence[_Section]) -> _Section | None:
    """The same words, with or without the number in front."""
    wanted = {fold(name), _bare(name)} - {""}
    return next((s for s in sections if s.title in wanted or s.bare in wanted), None)


def _by_number(name: str, sections: Sequence[_Section]) -> _Section | None:
    found = _NUMBER.match(name)
    return next((s for s in sections if found and s.number == found[1]), None)


def _by_part(name: str, sections: Sequence[_Section]) -> _Section | None:
    """One name inside the other, as whole words."""
    wanted = fold(name)
    if len(wanted) < LEAST_NAMED:
        return None
    for section in sections:
        long_enough = len(section.bare) >= LEAST_NAMED
        if f" {wanted} " in f" {section.bare} " or (long_enough and f" {section.bare} " in f" {wanted} "):
            return section
    return None


def _bare(title: str) -> str:
    return fold(_NUMBER.sub("", title))


@lru_cache(maxsize=16)
def _sections(document: str) -> tuple[_Section, ...]:
    headings = [block for block in blocks(document) if block.kind == "heading"]
    found = []
    for k, heading in enumerate(headings):
        ends = (other.span[0] for other in headings[k + 1 :] if other.level <= heading.level)
        said = " ".join(document[slice(*line)] for line in heading.lines).strip().rstrip("#").strip()
        title = _PLACE_WORD.sub("", said)
        number = _NUMBER.match(title)
        span = (heading.span[0], next(ends, len(document)))
        found.append(_Section(span, fold(title), _bare(title), number[1] if number else "", said))
    return tuple(found)


def heading_at(document: str, at: int) -> str:
    """The heading that the place stands under, as it reads; nothing before the first."""
    return next((section.said for section in reversed(_sections(document)) if section.span[0] <= at), "")


def _line_of(document: str, identifier: str) -> Span | None:
    """Where the identifier stands: rather where a line begins with it, which is where it is defined."""
    word = rf"(?<![\w-]){re.escape(identifier)}(?![\w-])"
    found = re.search(rf"^[^\w\n]*(?:{word})", document, re.MULTILINE) or re.search(word, document)
    return (found.end() - len(identifier), found.end()) if found else None
