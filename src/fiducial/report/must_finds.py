"""What had to be found in a document: where it stands in the text, and who found it in which run.

A planted flaw is told apart from one that people put on the list: it comes with what was changed, and by which operator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from fiducial.judge.document import Span, place_of
from fiducial.judge.match import MatchVerdict
from fiducial.report.excerpt import Piece, excerpt
from fiducial.report.inert import clip
from fiducial.report.review_marks import Mark
from fiducial.report.review_notes import Note
from fiducial.report.review_words import RUNS
from fiducial.review.output import Output
from fiducial.review.plant.flaw import Flaw
from fiducial.review.records import MustFind, items_of

LONG = 4_000  # characters of a text
NAME = 60
WAITING = ("·", "not judged")


class Cell(Struct, frozen=True, kw_only=True):
    """One reviewer in one run: the sign, what it means, and the note of the finding that was taken for it."""

    run: int  # from 1
    state: str
    sign: str
    words: str
    note: int | None = None
    title: str = ""


class Row(Struct, frozen=True, kw_only=True):
    """A reviewer that is asked for the item. `found` counts runs, `runs` those with a verdict."""

    reviewer: str
    cells: dict[int, Cell]  # by run, from 1
    found: int
    runs: int


class Planted(Struct, frozen=True, kw_only=True):
    """How a flaw came into the document."""

    operator: str
    category: str
    line: int
    original: list[Piece]
    changed: list[Piece]
    missing: str


class Wanted(Struct, frozen=True, kw_only=True):
    """A must-find as the template sees it. `spans` are the places of its evidence; `lost` counts quotations without one."""

    number: int  # from 1
    label: str
    id: str
    title: str
    severity: str
    owner: str
    min_recall: float
    issue: list[Piece]
    evidence: list[list[Piece]]
    spans: list[Span]
    lost: int
    tested: str
    planted: Planted | None
    rows: list[Row]

    @property
    def found(self) -> int:
        """In how many outputs."""
        return sum(row.found for row in self.rows)

    @property
    def runs(self) -> int:
        """Of how many."""
        return sum(row.runs for row in self.rows)


def must_find_marks(items: Sequence[MustFind], text: str) -> list[Mark]:
    """The evidence of all of them in a text, to be marked there; the numbers are those of the list."""
    made = []
    for number, item in enumerate(items, 1):
        look = "pl" if item.planted else "mf"
        for k, span in enumerate(evidence_of(item, text)):
            target = f"in-text-{number}" if k == 0 else ""
            made.append(Mark(span=span, number=number, look=look, label=f"M{number}", id=target))
    return made


def evidence_of(item: MustFind, text: str) -> list[Span]:
    """Where its quotations stand; of a planted flaw without one, what was changed."""
    found = [span for said in item.evidence if (span := place_of(said, text))]
    flaw = item.planted
    if not found and flaw and flaw.changed and text[flaw.place.start : flaw.place.end] == flaw.changed:
        found = [(flaw.place.start, flaw.place.end)]
    return found


def must_find_view(
    items: Sequence[MustFind], text: str, outputs: Sequence[Output], notes: Sequence[Note], reviewers: Sequence[str]
) -> list[Wanted]:
    """The list of one document. `outputs` are all of that document's, `notes` all of its notes, shown or not."""
    numbers = {(one.output, one.first): one.number for one in notes}
    return [_wanted(k, item, text, outputs, numbers, reviewers) for k, item in enumerate(items, 1)]


def _wanted(
    number: int,
    item: MustFind,
    text: str,
    outputs: Sequence[Output],
    numbers: Mapping[tuple[str, int], int],
    reviewers: Sequence[str],
) -> Wanted:
    spans = evidence_of(item, text)
    quoted = [said for said in item.evidence if place_of(said, text)]
    return Wanted(
        number=number,
        label=f"M{number}",
        id=clip(item.id, NAME),
        title=clip(item.title, 160),
        severity=item.severity or "no severity",
        owner=clip(item.reviewer or "", NAME),
        min_recall=item.min_recall,
        issue=excerpt(item.issue, limit=LONG),
        evidence=[excerpt(said, limit=LONG) for said in item.evidence],
        spans=spans,
        lost=len(item.evidence) - len(quoted),
        tested=_tested(item),
        planted=_planted(item.planted),
        rows=[
            _row(name, item.id, [one for one in outputs if one.reviewer == name], numbers)
            for name in reviewers
            if items_of([item], name)
        ],
    )


def _row(name: str, item: str, outputs: Sequence[Output], numbers: Mapping[tuple[str, int], int]) -> Row:
    cells = {output.run + 1: _cell(item, output, numbers) for output in sorted(outputs, key=lambda one: one.run)}
    states = [cell.state for cell in cells.values()]
    return Row(
        reviewer=clip(name, NAME),
        cells=cells,
        found=states.count("found"),
        runs=sum(state in ("found", "partly", "not_found") for state in states),
    )


def _cell(item: str, output: Output, numbers: Mapping[tuple[str, int], int]) -> Cell:
    match = output.matches.get(item)
    state = match.verdict if isinstance(match, MatchVerdict) else "waiting" if match is None else "invalid"
    sign, words = RUNS.get(state, WAITING)
    if not isinstance(match, MatchVerdict) or match.verdict == "not_found" or match.finding is None:
        return Cell(run=output.run + 1, state=state, sign=sign, words=words)
    taken = output.findings[match.finding - 1] if 0 < match.finding <= len(output.findings) else None
    return Cell(
        run=output.run + 1,
        state=state,
        sign=sign,
        words=words,
        note=None if taken is None else numbers.get((output.trial, taken.number)),
        title="" if taken is None else clip(taken.finding.title, 120),
    )


def _planted(flaw: Flaw | None) -> Planted | None:
    if flaw is None:
        return None
    return Planted(
        operator=clip(flaw.operator.replace("_", " "), NAME),
        category=clip(flaw.category.replace("_", " "), NAME),
        line=flaw.place.line,
        original=excerpt(flaw.original, limit=LONG),
        changed=excerpt(flaw.changed, limit=LONG),
        missing=clip(flaw.missing or "", 400),
    )


def _tested(item: MustFind) -> str:
    """What the zero-shot test said, in words."""
    tested = item.zero_shot
    if tested is None:
        return "" if item.planted else "not tested whether the document alone shows it"
    found = "found it" if tested.found else "did not find it"
    return f"{clip(tested.model, NAME) or 'a model'} {found} in the document alone"


def runs_of(wanted: Sequence[Wanted]) -> Iterator[int]:
    """The columns of the grid: every run of any reviewer."""
    yield from sorted({run for one in wanted for row in one.rows for run in row.cells})
