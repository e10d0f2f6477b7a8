"""A duty that reads as a permission: a must that became a may."""

from __future__ import annotations

import re
from typing import ClassVar

from fiducial.review.finding import Severity
from fiducial.review.plant.blocks import Block, Document
from fiducial.review.plant.draw import Draw
from fiducial.review.plant.flaw import Candidate, Flaw
from fiducial.review.plant.ids import names, where
from fiducial.review.plant.markdown import read
from fiducial.review.plant.operators.base import Category, Operator, capital, has, said, shown
from fiducial.review.plant.pairs import tested, words
from fiducial.review.plant.sentences import sentence_at, sentences, stems

_DUTY = re.compile(
    r"\b(must|shall|MUST|SHALL)\s+(?!not\b|never\b|NOT\b|only\b|still\b|neither\b|no\b|have\b|be able\b)(\w+)"
)
_BOUNDED = re.compile(
    r"\b(?:at most|no more|not more|no less|only|never|no|none|nobody|nothing|not|neither|exactly|up to|if|unless)\b",
    re.I,
)
_CHECKED = re.compile(r"\b(?:accept\w*|verif\w*|tests?|testing|criteria|validation|checks?|quality gates?)\b", re.I)
_CLAUSE = re.compile(r"[,;:.]\s")
_COVERED = 2.4  # of `Words.weight`
_WEAK = {"must": "may", "shall": "may", "MUST": "MAY", "SHALL": "MAY"}


class WeakenedDuty(Operator):
    """A requirement that reads as a permission, while the acceptance of the work depends on it."""

    name: ClassVar[str] = "weakened-duty"
    category: ClassVar[Category] = "contradiction"
    severity: ClassVar[Severity] = "Important"
    says: ClassVar[str] = "“must” weakened to “may” in what is tested as a duty"

    def places(self, document: Document, draw: Draw) -> list[Candidate]:
        """The first duty of each requirement that a criterion tests; bounds and prohibitions keep their sense."""
        known = names(document)
        found = []
        for name, checks in _tested(document).items():
            for block in known.bodies.get(name, []):
                duty = _duty(block)
                check = _covering(document, block, duty, checks) if duty else None
                if duty and check:
                    found.append(self._weakened(document, block, duty, name, check))
                    break
        return sorted(found, key=lambda candidate: candidate.start)

    def _weakened(
        self, document: Document, block: Block, duty: re.Match[str], name: str, check: Block
    ) -> Candidate:
        start, end = block.span(*duty.span(1))
        new = _WEAK[duty[1]]
        quoted = shown(document, block, duty.start())
        test = document.row_span(check) if check.kind == "cell" else check.whole
        tester = known if (known := names(document).owner.get(id(check))) else "the test"
        return Candidate(
            start=start,
            end=end,
            new=new,
            shown=(quoted, test),
            subject=f"id {name}",
            title=f"{name} is optional as written, but {tester} tests it as a duty",
            issue=f"{capital(where(document, block))} says “{said(document, quoted, (start, end, new))}”: with “{new}” "
            f"this is a permission that nobody is obliged to follow, yet {tester} makes it a condition of acceptance "
            f"(“{said(document, test)}”). Whether it is required is contradictory.",
            facts={"name": name, "tester": tester, "words": f"{new} {duty[2]}"},
        )

    def verify(self, text: str, flaw: Flaw) -> bool:
        """The quoted requirement is a permission, and a criterion still tests it."""
        if not has(text, flaw):
            return False
        document = read(text)
        if flaw.facts["name"] not in _tested(document):
            return False
        place = document.text.find(flaw.evidence[0])
        bodies = names(document).bodies.get(flaw.facts["name"], [])
        inside = any(block.whole[0] <= place < block.whole[1] for block in bodies)
        return inside and flaw.facts["words"] in " ".join(flaw.evidence[0].split())


def _duty(block: Block) -> re.Match[str] | None:
    for start, end in sentences(block):
        duty = _DUTY.search(block.plain, start, end)
        if duty is None or not block.free(*duty.span(1)):
            continue
        stop = _CLAUSE.search(block.plain, duty.end(), end)
        bounds = _BOUNDED.search(block.plain, start, duty.start()) or _BOUNDED.search(
            block.plain, duty.end(), stop.start() if stop else end
        )
        if not bounds:
            return duty
    return None


def _covering(document: Document, block: Block, duty: re.Match[str], checks: list[Block]) -> Block | None:
    """The criterion that speaks of what this sentence of the requirement demands, and not of another one."""
    start, end = sentence_at(block, duty.start())
    demanded = stems(block.plain[start:end])
    for check in checks:
        row = document.row_of(check) if check.kind == "cell" else (check,)
        if words(document).weight(demanded & stems(" ".join(cell.plain for cell in row))) >= _COVERED:
            return check
    return None


def _tested(document: Document) -> dict[str, list[Block]]:
    """For each id the criteria, in sections about acceptance or tests, that say they are for it."""
    found: dict[str, list[Block]] = {}
    owner = names(document).owner
    for block in document.blocks:
        first = block.column == 0 and block.row > 0 if block.kind == "cell" else block.kind in ("item", "paragraph")
        if not first or id(block) not in owner:
            continue
        if any(_CHECKED.search(section.title) for section in document.path(block.section)):
            for name in tested(document, block):
                found.setdefault(name, []).append(block)
    return found
