"""Something that the document rules out and asks for at the same time."""

from __future__ import annotations

import re
from collections import Counter
from typing import ClassVar

from fiducial.review.finding import Severity
from fiducial.review.plant.blocks import Block, Document
from fiducial.review.plant.draw import Draw
from fiducial.review.plant.flaw import Candidate, Flaw
from fiducial.review.plant.ids import in_history, names, short, where
from fiducial.review.plant.lines import marker
from fiducial.review.plant.markdown import read
from fiducial.review.plant.operators.base import Category, Operator, capital, has, said
from fiducial.review.plant.sentences import folded

_OUT = re.compile(
    r"\b(?:out of scope|not in scope|outside (?:the )?scope|non-?goals?|exclusions?|excluded|not included)\b", re.I
)
_IN = re.compile(r"^(?:in scope|scope|inclusions?|included|goals?|what is (?:in scope|included))$", re.I)
_INTRODUCES_IN = re.compile(r"\bin scope\b[^.]{0,40}:$", re.I)
_BINDING = re.compile(r"\b(the|The) ([a-z]+(?: [a-z]+)?) (must|shall)\b")
_PHRASE = re.compile(r"([^\W\d_][^\W\d_' -]*(?:[ '-][^\W\d_]+){0,5})(?=[,.;]|$| \()")
_WEAK_START = re.compile(r"(?:any|other|no|not|all|this|these|anything|everything|changes|new)\b", re.I)


class ScopeContradiction(Operator):
    """An exclusion that a requirement asks for, or a thing listed as in scope and out of it."""

    name: ClassVar[str] = "scope-contradiction"
    category: ClassVar[Category] = "contradiction"
    severity: ClassVar[Severity] = "Critical"
    says: ClassVar[str] = "something that is out of scope and required"

    def places(self, document: Document, draw: Draw) -> list[Candidate]:
        """Each exclusion with a requirement to add it to, and each inclusion with a list of exclusions to add it to."""
        inside, outside = _lists(document)
        found = [*self._required(document, draw, outside), *self._listed_twice(document, draw, inside, outside)]
        return sorted(found, key=lambda candidate: candidate.start)

    def _required(self, document: Document, draw: Draw, outside: list[Block]) -> list[Candidate]:
        excluded = set(map(id, outside))
        homes = [block for block in _requirements(document) if id(block) not in excluded]
        subject = _subject(document)
        found = []
        for item in outside:
            phrase = _excluded(item)
            if phrase is None or not homes:
                continue
            home = draw.pick(homes, self.name, item.at(0))
            plain = home.plain.rstrip()
            at = home.at(len(plain) - 1) + 1
            new = f" The {subject} must also cover {phrase}."
            span = home.span(0, len(plain))
            found.append(
                Candidate(
                    start=at,
                    end=at,
                    new=new,
                    shown=(span, item.whole),
                    subject=f"scope {phrase.lower()}",
                    title=f"{short(document, home)} requires {phrase}, ruled out by the scope",
                    issue=f"{capital(where(document, home))} demands “{new.strip()}”, but "
                    f"{document.sections[item.section].name} rules that out: “{said(document, item.whole)}”. "
                    f"The same thing is required and excluded.",
                    facts={"kind": "required", "phrase": phrase, "words": new.strip()},
                )
            )
        return found

    def _listed_twice(
        self, document: Document, draw: Draw, inside: list[Block], outside: list[Block]
    ) -> list[Candidate]:
        after = [block for block in outside if marker(document, block) and _childless(block)]
        found = []
        for item in inside:
            phrase = folded(item.flow).rstrip(".;,")
            if not after or item.locked or len(phrase) > 120 or not _childless(item) or phrase.endswith(":"):
                continue
            before = draw.pick(after, self.name, item.at(0))
            prefix = marker(document, before) or "- "
            ending = before.flow.rstrip()[-1:] if before.flow.rstrip()[-1:] in ".;," else ""
            small = before.flow[:1].islower()
            words = (phrase[0].lower() if small else phrase[0].upper()) + phrase[1:] + ending
            line = before.first_line
            at = document.line_start(line)
            new = f"{prefix}{words}{document.newline(line)}"
            home = document.sections[before.section].name
            found.append(
                Candidate(
                    start=at,
                    end=at,
                    new=new,
                    shown=((at, at), item.whole),
                    subject=f"scope {phrase.lower()}",
                    title=f"“{phrase}” is both in scope and out of scope",
                    issue=f"{capital(home)} lists “{words}” among what is out of scope, while "
                    f"{document.sections[item.section].name} lists it as in scope (“{said(document, item.whole)}”).",
                    facts={"kind": "listed twice", "phrase": phrase},
                )
            )
        return found

    def verify(self, text: str, flaw: Flaw) -> bool:
        """The phrase is in the list of exclusions, and in a duty or the list of inclusions as well."""
        if not has(text, flaw):
            return False
        document = read(text)
        inside, outside = _lists(document)
        phrase = flaw.facts["phrase"].lower()
        excluded = any(phrase in folded(block.flow).lower() for block in outside)
        if flaw.facts["kind"] == "required":
            demanded = (block for block in document.blocks if flaw.facts["words"] in block.plain)
            return excluded and any(block not in outside for block in demanded)
        return excluded and any(phrase == folded(block.flow).rstrip(".;,").lower() for block in inside)


def _lists(document: Document) -> tuple[list[Block], list[Block]]:
    """List items that say what is in scope, and what is not: by the section's title or the sentence before them."""
    inside: list[Block] = []
    outside: list[Block] = []
    lead = ""
    for block in document.blocks:
        if block.kind == "heading":
            lead = ""
        elif block.kind == "paragraph":
            lead = block.plain.rstrip()
        elif block.kind == "item":
            title = document.sections[block.section].title
            led_out = lead.endswith(":") and _OUT.search(lead[-60:])
            if led_out or (not lead.endswith(":") and _OUT.search(title)):
                outside.append(block)
            elif _INTRODUCES_IN.search(lead) or (not lead.endswith(":") and _IN.match(title)):
                inside.append(block)
    return inside, outside


def _requirements(document: Document) -> list[Block]:
    """Single-paragraph statements with an id that oblige somebody and end with a full stop."""
    return [
        block
        for blocks in names(document).bodies.values()
        for block in blocks[-1:]
        if re.search(r"\b(?:must|shall)\b", block.plain, re.I)
        and not re.match(r"\W*\S+\s+(?:If|When)\b", block.plain)
        and block.plain.rstrip().endswith(".")
        and (block.item is None or block.item[1] == block.last_line)
        and block.free(len(block.plain.rstrip()), len(block.plain.rstrip()))
        and not in_history(document, block)
    ]


def _subject(document: Document) -> str:
    """What the duties of the document are most often laid on."""
    counts = Counter(m[2] for block in document.blocks for m in _BINDING.finditer(block.plain))
    likely = [
        word for word in counts if word in ("service", "system", "product", "application", "solution", "platform")
    ]
    if likely:
        return max(likely, key=lambda word: (counts[word], word))
    return "project"


def _excluded(item: Block) -> str | None:
    """The first thing that an exclusion names, if it is a plain phrase."""
    plain = item.plain.strip()
    phrase = _PHRASE.match(plain)
    if phrase is None or item.locked or _WEAK_START.match(plain) or len(phrase[1].split()) > 6:
        return None
    words = phrase[1]
    return words if words[:2].isupper() else words[0].lower() + words[1:]


def _childless(block: Block) -> bool:
    return block.item is not None and block.item[1] == block.last_line
