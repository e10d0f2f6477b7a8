"""A threshold that is watched, and nothing follows when it is passed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from fiducial.review.finding import Severity
from fiducial.review.plant.blocks import Block, Document, Span, Table
from fiducial.review.plant.draw import Draw
from fiducial.review.plant.flaw import Candidate, Flaw
from fiducial.review.plant.ids import ID, in_history, names, short, where
from fiducial.review.plant.markdown import read
from fiducial.review.plant.operators.base import Category, Operator, capital, has, said, shown
from fiducial.review.plant.pairs import tested
from fiducial.review.plant.relations import column
from fiducial.review.plant.sentences import sentences

_CONDITION = re.compile(r"\s*(?:\(?[A-Z]{1,8}[-_]?\d{1,5}\)?:?\s+)?(?:If|When|Whenever|Once|Should)\b")
_LIMIT = re.compile(
    r"\b(?:more|less|fewer|longer|later|higher|lower) than|\b(?:over|under|above|below|exceed\w*|at least|at most|reach\w*"
    r"|falls?|drops?|rises?|fails?|within|after|no )\b|[<>≤≥]",
    re.I,
)
_BINDING = re.compile(r"\b(?:must|shall|should|will|has to|have to)\b")
_NUMBER = re.compile(
    r"\d|\b(?:half|two|three|four|five|six|seven|eight|nine|ten|first|second|third|fourth|fifth|tenth)\b", re.I
)
_WATCHED = re.compile(r"(?:thresholds?|triggers?|conditions?|limits?|alarms?|alerts?|warning signs?)", re.I)
_ACTION = re.compile(
    r"(?:actions?|responses?|reactions?|mitigations?|countermeasures?|what (?:to do|happens)|then)", re.I
)
_NOTHING = (
    "the threshold counts as exceeded",
    "this is regarded as a breach of the threshold",
    "the limit is considered to be passed",
)
_DASH = "–"


class ThresholdWithoutAction(Operator):
    """An "if" without its "then": the condition stands, the duty is gone."""

    name: ClassVar[str] = "threshold-without-action"
    category: ClassVar[Category] = "missing"
    severity: ClassVar[Severity] = "Important"
    says: ClassVar[str] = "a threshold with no action when it is passed"

    def places(self, document: Document, draw: Draw) -> list[Candidate]:
        """Sentences "If … N …, somebody must …" that end their block, and rows with a limit and an action."""
        found = [
            candidate
            for block in document.blocks
            if block.kind in ("item", "paragraph") and (candidate := self._sentence(document, draw, block))
        ]
        return sorted([*found, *self._rows(document)], key=lambda candidate: candidate.start)

    def _sentence(self, document: Document, draw: Draw, block: Block) -> Candidate | None:
        clause = _then(block)
        name = names(document).owner.get(id(block))
        if clause is None or in_history(document, block) or (name and _relied_on(document, name)):
            return None
        a, b = clause
        if not block.free(a, b):
            return None
        new = draw.pick(_NOTHING, self.name, block.at(a))
        start, end = block.span(a, b)
        quoted = shown(document, block, a)
        place = where(document, block)
        return Candidate(
            start=start,
            end=end,
            new=new,
            shown=(quoted,),
            subject=f"threshold {start}",
            title=f"{capital(short(document, block))} sets a threshold without an action",
            issue=f"{capital(place)} names a condition and a limit but not what has to be done, by whom or "
            f"by when once it is met: “{said(document, quoted, (start, end, new))}”.",
            facts={"kind": "sentence", "words": new},
            missing="the action, its owner and its deadline",
        )

    def _rows(self, document: Document) -> list[Candidate]:
        found = []
        for table, limit, action in _tables(document):
            cells = [row[action] for row in table.body]
            if any(not any(char.isalpha() for char in cell.plain) for cell in cells):
                continue  # the table itself uses an empty cell or a dash to say "nothing"
            for row in table.body:
                cell, name = row[action], " ".join(row[0].plain.split())
                if cell.locked or row[limit].locked or action == 0 or in_history(document, cell):
                    continue
                if names(document).owner.get(id(cell)) and _relied_on(document, name):
                    continue
                found.append(self._emptied(document, cell, row[limit], name, table.header[action]))
        return found

    def _emptied(self, document: Document, cell: Block, limit: Block, name: str, header: str) -> Candidate:
        start, end = cell.whole
        row = document.row_span(cell)
        return Candidate(
            start=start,
            end=end,
            new=_DASH,
            shown=(row,),
            subject=f"threshold {row[0]}",
            title=f"{name}: no {header.lower()} for “{' '.join(limit.plain.split())}”",
            issue=f"In {document.sections[cell.section].name}, {name} says when something has to be done "
            f"(“{' '.join(limit.plain.split())}”) but not what: nothing is given under “{header}” in “"
            f"{said(document, row, (start, end, _DASH))}”, as there is in every other row.",
            facts={"kind": "row", "words": " ".join(limit.plain.split())},
            missing=f"an entry under “{header}”",
        )

    def verify(self, text: str, flaw: Flaw) -> bool:
        """A condition is followed by words that oblige nobody; or a row with this limit has no action."""
        if not has(text, flaw):
            return False
        document = read(text)
        words = flaw.facts["words"]
        if flaw.facts["kind"] == "sentence":
            return any(
                _CONDITION.match(block.plain, start) and block.plain[start:end].endswith(f", {words}.")
                for block in document.blocks
                if words in block.plain
                for start, end in sentences(block)
            )
        return any(
            " ".join(row[limit].plain.split()) == words and not any(char.isalpha() for char in row[action].plain)
            for table, limit, action in _tables(document)
            for row in table.body
        )


def _then(block: Block) -> Span | None:
    """In the last sentence of a block, "if" with a limit: the span of what follows from it, full stop excluded."""
    spans = sentences(block)
    if not spans:
        return None
    start, end = spans[-1]
    sentence = block.plain[start:end]
    if not _CONDITION.match(sentence) or not sentence.endswith("."):
        return None
    binding = _BINDING.search(sentence)
    comma = sentence.rfind(", ", 0, binding.start()) if binding else -1
    condition = ID.sub("", sentence[:comma]) if comma > 0 else ""
    if not _LIMIT.search(condition) or not _NUMBER.search(condition) or ";" in condition:
        return None
    return start + comma + 2, end - 1


def _tables(document: Document) -> Iterator[tuple[Table, int, int]]:
    """Tables with a column of limits and one of actions."""
    for table in document.tables:
        limit, action = column(table, _WATCHED), column(table, _ACTION)
        if limit >= 0 and action >= 0 and len(table.body) >= 2:
            yield table, limit, action


def _relied_on(document: Document, name: str) -> bool:
    """Whether other places name this threshold, other than to test it, and so may say what follows from it."""
    return any(
        names(document).owner.get(id(use.block)) != name
        and not in_history(document, use.block)
        and name not in tested(document, use.block)
        for use in names(document).uses.get(name, [])
    )
