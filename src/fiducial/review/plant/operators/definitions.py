"""A term whose entry is taken out of the glossary while the document still relies on it."""

from __future__ import annotations

import re
from typing import ClassVar

from msgspec import Struct

from fiducial.review.finding import Severity
from fiducial.review.plant.blocks import Block, Document, Span
from fiducial.review.plant.draw import Draw
from fiducial.review.plant.flaw import Candidate, Flaw
from fiducial.review.plant.ids import ID, in_history, short
from fiducial.review.plant.lines import removal
from fiducial.review.plant.markdown import read
from fiducial.review.plant.operators.base import Category, Operator, has, said, shown
from fiducial.review.plant.sentences import stems

_TERM = re.compile(r"(?:terms?|words?|abbreviations?|acronyms?|concepts?|expressions?|names?)", re.I)
_MEANING = re.compile(r"(?:meanings?|definitions?|descriptions?|explanations?|stands for|in full)", re.I)
_GLOSSARY = re.compile(r"\b(?:glossary|definitions?|terms|terminology|abbreviations|acronyms|vocabulary)\b", re.I)
_ENTRY = re.compile(
    r"\s*(?:\*\*|__)([^*_]{2,40})(?:\*\*|__)\s*(?::|–|—|-|means\b|is\b|are\b)|([^\s:][^:]{1,39}):\s"
)
_BINDING = re.compile(r"\b(?:must|shall|required|should|if|when|only|at most|at least|until|before|after)\b", re.I)
_SECTION = re.compile(r"\bsections?\s+\d|§", re.I)
_NUMBER = re.compile(r"(?<![\w.-])\d+(?:[.,]\d+)*(?![\w-])")
_VERB = r"\b(?:must|may|shall|should|will|can|is|are|has|have|was|were|does|do)\b"
# The share of a definition's words which, in one other place that uses the term, explain it there as well. A number
# in the definition has to be there too; then fewer words will do.
_REPEATED, _REPEATED_WITH_NUMBER = 0.6, 0.2
_FEWEST_USES = 2
_FEWEST_ENTRIES = 4


class Entry(Struct, frozen=True, eq=False):
    """A line of a glossary."""

    term: str
    meaning: str
    block: Block
    lines: Span


class UndefinedTerm(Operator):
    """A glossary that lacks a term which rules are built on."""

    name: ClassVar[str] = "undefined-term"
    category: ClassVar[Category] = "missing"
    severity: ClassVar[Severity] = "Important"
    says: ClassVar[str] = "a term that is used and not defined"

    def places(self, document: Document, draw: Draw) -> list[Candidate]:
        """Terms whose meaning cannot be guessed, that are used elsewhere and explained nowhere else."""
        entries = glossary(document)
        if len(entries) < _FEWEST_ENTRIES:
            return []
        found = []
        for entry in entries:
            span = removal(document, *entry.lines)
            if span is None or not _special(entry) or _explained(document, entry):
                continue
            uses = _uses(document, entry.term, entry.lines)
            if len(uses) >= _FEWEST_USES:
                found.append(self._removed(document, entry, span, uses))
        return found

    def _removed(self, document: Document, entry: Entry, span: Span, uses: list[tuple[Block, int]]) -> Candidate:
        telling = [use for use in uses if _BINDING.search(use[0].plain)] or uses
        quoted = shown(document, *telling[0])
        places = list(dict.fromkeys(short(document, block) for block, _ in telling))
        home = document.sections[entry.block.section].name
        return Candidate(
            start=span[0],
            end=span[1],
            new="",
            shown=tuple(dict.fromkeys(shown(document, block, at) for block, at in telling[:2])),
            subject=f"term {entry.term.lower()}",
            title=f"“{entry.term}” is used as a fixed term but not defined",
            issue=f"The text uses “{entry.term}” as a term with a fixed meaning ({', '.join(places[:3])}), for example "
            f"in “{said(document, quoted)}”, but {home}, where the terms are defined, has no entry for it and it is "
            f"explained nowhere else. Readers will apply the rules that use it differently.",
            facts={"term": entry.term},
            missing=f"a definition of “{entry.term}”",
        )

    def verify(self, text: str, flaw: Flaw) -> bool:
        """The term is used, there is a glossary, and it has no such entry."""
        document = read(text)
        term = flaw.facts["term"]
        entries = glossary(document)
        listed = any(entry.term.lower() == term.lower() for entry in entries)
        return has(text, flaw) and bool(entries) and not listed and bool(_uses(document, term, (-1, -1)))


def glossary(document: Document) -> list[Entry]:
    """The entries of tables headed "Term | Meaning" and the like, and of lists in a section of definitions."""
    found: list[Entry] = []
    for table in document.tables:
        header = table.header
        if len(header) == 2 and _TERM.fullmatch(header[0]) and _MEANING.fullmatch(header[1]):
            for row in table.body:
                term = " ".join(row[0].plain.split())
                found.append(Entry(term, row[1].plain, row[0], (row[0].first_line, row[0].first_line + 1)))
    for block in document.blocks:
        if block.kind == "item" and block.item and _GLOSSARY.search(document.sections[block.section].title):
            entry = _ENTRY.match(block.flow)
            if entry:
                term = " ".join((entry[1] or entry[2]).split()).rstrip(".:")
                found.append(Entry(term, block.plain[entry.end() :], block, block.item))
    return found


def _special(entry: Entry) -> bool:
    """Whether the everyday sense of the words would not do: a compound, or a meaning with a number in it."""
    words = entry.term.replace("-", " ").split()
    if not re.fullmatch(r"[^\W\d_]{2,}(?:[ -][^\W\d_]{2,})*", entry.term) or len(words) > 4:
        return False
    if _SECTION.search(entry.meaning):
        return False  # that section explains it
    return len(words) > 1 or bool(_NUMBER.search(ID.sub("", entry.meaning))) or entry.term.isupper()


def _pattern(term: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, term.split()))
    return re.compile(rf"(?<![\w-]){words}(?:s|es)?(?![\w-])", re.I)


def _uses(document: Document, term: str, but: Span) -> list[tuple[Block, int]]:
    """Where a term is used, outside these lines, headings and past changes: one place a block."""
    pattern = _pattern(term)
    found = []
    for block in document.blocks:
        if block.kind == "heading" or but[0] <= block.first_line < but[1] or in_history(document, block):
            continue
        use = pattern.search(block.plain)
        if use and not (block.kind == "cell" and (block.row == 0 or use.span() == (0, len(block.plain)))):
            found.append((block, use.start()))
    return found


def _explained(document: Document, entry: Entry) -> bool:
    """Whether other places say what the term means, or the code does."""
    words = r"\s+".join(map(re.escape, entry.term.split()))
    told = re.compile(
        rf"(?<![\w-]){words}s?\s*(?:\((?![A-Z]{{1,8}}[-_]?\d|section)"  # "cut-off (40 s after …"
        rf"|(?:is|are|means?|denotes?|consists? of|stands for)\s+(?:an?|the|any|one|all)\b"
        rf"|,\s+(?:that is|i\.e\.|meaning)\b"
        rf"|,\s+(?:the|an?)\s(?:(?!{_VERB})[^,.;]){{1,90}}[,.;])"  # "the hold window, the 120 s after …,"
        rf"|\(\s*(?:the |an? )?{words}s?\s*\)|[“\"]{words}[”\"]",
        re.I,
    )
    coded = re.compile(rf"(?<!\w){'[ _-]'.join(map(re.escape, entry.term.split()))}s?\W{{0,3}}\s*[=:]", re.I)
    if any(coded.search(kept) for kept in document.kept):
        return True
    pattern = _pattern(entry.term)
    meaning = stems(entry.meaning) - stems(entry.term)
    numbers = set(_NUMBER.findall(ID.sub("", entry.meaning)))
    for block in document.blocks:
        if entry.lines[0] <= block.first_line < entry.lines[1]:
            continue
        if block.kind == "heading" and pattern.search(block.plain):
            return True
        row = " ".join(cell.plain for cell in document.row_of(block)) if block.kind == "cell" else block.plain
        if block.kind == "heading" or not pattern.search(row):
            continue
        if told.search(block.plain) or (block.kind == "cell" and pattern.fullmatch(block.plain.strip())):
            return True  # a row of its own in another table says more of it
        share = len(meaning & stems(row)) / max(1, len(meaning))
        if numbers <= set(_NUMBER.findall(row)) and share >= (_REPEATED_WITH_NUMBER if numbers else _REPEATED):
            return True
    return False
