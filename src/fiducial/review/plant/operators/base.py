"""What every operator has, and the quoting that they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

from fiducial.review.finding import Severity
from fiducial.review.plant.blocks import Block, Document, Span
from fiducial.review.plant.draw import Draw
from fiducial.review.plant.flaw import Candidate, Flaw
from fiducial.review.plant.sentences import folded, sentence_at

Category = Literal["contradiction", "arithmetic", "reference", "missing", "dependency", "ownership", "testability"]
_LONGEST_QUOTE = 260


class Operator(ABC):
    """One kind of flaw."""

    name: ClassVar[str]
    category: ClassVar[Category]
    severity: ClassVar[Severity]
    says: ClassVar[str]  # one line, for lists of operators

    @abstractmethod
    def places(self, document: Document, draw: Draw) -> list[Candidate]:
        """Every flaw of this kind that the document has material for, in order of the document."""

    @abstractmethod
    def verify(self, text: str, flaw: Flaw) -> bool:
        """Whether the text has this flaw: read from the text anew, without the recorded places."""


def shown(document: Document, block: Block, place: int) -> Span:
    """What to quote for a place of a block: its sentence, or its row."""
    if block.kind == "cell":
        return document.row_span(block)
    return block.span(*sentence_at(block, place))


def said(document: Document, span: Span, edit: tuple[int, int, str] | None = None) -> str:
    """A span of the file as a description quotes it: on one line, with the edit made, long ones cut."""
    start, end = span
    before, middle, after = document.text[start:end], "", ""
    if edit and start <= edit[0] and edit[1] <= end:
        before, middle, after = document.text[start : edit[0]], edit[2], document.text[edit[1] : end]
    whole = _tidy(before + middle + after)
    if len(whole) <= _LONGEST_QUOTE:
        return whole
    if not edit:
        return whole[:_LONGEST_QUOTE].rsplit(" ", 1)[0] + " …"
    left, right = _tidy(before + middle), _tidy(after)
    if len(left) > _LONGEST_QUOTE // 2:
        left = "… " + left[-_LONGEST_QUOTE // 2 :].partition(" ")[2]
    if len(right) > _LONGEST_QUOTE // 2:
        right = right[: _LONGEST_QUOTE // 2].rpartition(" ")[0] + " …"
    gap = "" if not after or not after[0].isspace() else " "
    return left + gap + right


def _tidy(text: str) -> str:
    text = folded(text)
    return text.strip("| ") if text.startswith("|") and text.endswith("|") else text


def capital(text: str) -> str:
    """With a capital to begin a sentence or a title."""
    return text[:1].upper() + text[1:]


def has(text: str, flaw: Flaw) -> bool:
    """Whether all that a flaw quotes stands in the text."""
    return all(quotation in text for quotation in flaw.evidence)


def inside(document: Document, block: Block, place: int, quotation: str) -> bool:
    """Whether a place of a block lies in an occurrence of a quotation."""
    at = block.at(place)
    return document.text.find(quotation, max(0, at - len(quotation) + 1), at + len(quotation)) >= 0
