"""A finding as a note in the margin: what is shown at once, what on a click, and how much of each there is room for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from markupsafe import escape
from msgspec import Struct

from fiducial.judge.document import Span
from fiducial.judge.genuine import GenuineVerdict
from fiducial.judge.match import MatchVerdict
from fiducial.judge.panel import said
from fiducial.judge.search import Hit
from fiducial.judge.verdict import Invalid
from fiducial.report.excerpt import Piece, excerpt
from fiducial.report.inert import clip, legible
from fiducial.report.numbers import counted, percent
from fiducial.report.review_words import RUNS, SIGNS, Kind, Sign, category, kind_of
from fiducial.review.finding import Finding
from fiducial.review.judging import genuine_arm
from fiducial.review.output import Judged, Output

TITLE = 160  # columns
LIMITS = (4_000, 2_000, 1_000, 700, 500, 350, 250, 120, 60)  # characters of one field: the first that fits the page
ROOM = 6_500_000  # bytes of all fields together, as they are written to the page
SHORT = 120


class Field(Struct, frozen=True):
    """One thing that a note says when it is opened."""

    name: str
    pieces: list[Piece]


class Note(Struct, frozen=True, kw_only=True):
    """A finding as the template sees it. `look` names its verdict and reviewer for the filters and the marks."""

    number: int
    kind: Kind
    sign: Sign
    title: str
    severity: str
    reviewer: str
    place: int  # of the reviewer
    run: int  # from 1
    look: str
    fields: list[Field]
    hits: list[list[Piece]]
    span: Span | None
    section: str | None
    case: str  # what the claim is known by, to judges and raters alike
    output: str  # id of the trial that wrote it
    first: int  # its place in that output, from 1


def fields_of(judged: Judged, output: Output) -> Iterator[tuple[str, str]]:
    """What is known of a finding, in the order in which one wants to read it: what it says, then the judge's word."""
    verdict, finding = judged.verdict, judged.finding
    yield "Issue", finding.issue or ""
    yield "Why it matters", finding.why_it_matters or ""
    yield "Suggestion", finding.suggestion or ""
    if isinstance(verdict, GenuineVerdict):
        if verdict.absent is not None:
            yield "Said to be absent", verdict.absent
        else:
            yield "Evidence", verdict.evidence or "none was quoted"
        yield "Judge’s reason", verdict.reason
        if verdict.verdict != "genuine" and verdict.category:
            yield "Category", category(verdict.category)
        yield "Judge’s confidence", percent(verdict.confidence)
    elif isinstance(verdict, Invalid):
        yield "Why there is no verdict", verdict.reason
    if judged.votes:
        yield (
            "Votes",
            "; ".join(f"{clip(model, 40)}: {said(vote).replace('_', ' ')}" for model, vote in judged.votes.items()),
        )
    yield "Section", finding.section or ""
    yield "Phase", finding.phase or ""
    if finding.confidence is not None:
        yield "Stated confidence", percent(finding.confidence)
    yield "Must-find", ", ".join(_matched(judged, output))
    if judged.duplicates:
        yield "Said again in this output", _titles(judged.duplicates)


def _matched(judged: Judged, output: Output) -> Iterator[str]:
    own = next(
        (k for k, one in enumerate(output.findings, 1) if one is judged), None
    )  # its place in the judge's list
    for item, match in output.matches.items():
        if isinstance(match, MatchVerdict) and match.finding == own and match.verdict != "not_found":
            yield f"{clip(item, 60)} ({RUNS[match.verdict][1]})"


def _titles(duplicates: Sequence[Finding]) -> str:
    told = "; ".join(clip(one.title, SHORT) for one in duplicates[:3])
    more = f"; and {len(duplicates) - 3} more" if len(duplicates) > 3 else ""
    return f"{counted(len(duplicates), 'time')}: {told}{more}"


def room(outputs: Iterable[Output], *, most: int = ROOM) -> int:
    """How many characters of a field can be shown so that all of them together do not outgrow the page."""
    texts = [text for output in outputs for judged in output.findings for _, text in fields_of(judged, output)]
    texts += [hit.excerpt for output in outputs for judged in output.findings for hit in _hits(judged)]
    for limit in LIMITS:
        total = 0
        for text in texts:
            total += len(escape(legible(text[:limit])).encode())
            if total > most:
                break
        else:
            return limit
    return LIMITS[-1]


def note(judged: Judged, output: Output, place: int, *, limit: int) -> Note:
    """The note of a finding; its number is given to it later, when all notes have their places."""
    kind = kind_of(judged)
    sign = SIGNS[kind]
    verdict = judged.verdict
    return Note(
        number=0,
        kind=kind,
        sign=sign,
        title=clip(judged.finding.title, TITLE) or "(no title)",
        severity=judged.finding.severity or "no severity",
        reviewer=clip(output.reviewer, 40),
        place=place,
        run=output.run + 1,
        look=f"{sign.letter}{place}",
        fields=[
            Field(name, excerpt(text, limit=limit)) for name, text in fields_of(judged, output) if text.strip()
        ],
        hits=[excerpt(hit.excerpt, limit=limit) for hit in _hits(judged)],
        span=verdict.span if isinstance(verdict, GenuineVerdict) else None,
        section=judged.finding.section,
        case=genuine_arm(judged.finding),
        output=output.trial,
        first=judged.number,
    )


def _hits(judged: Judged) -> tuple[Hit, ...]:
    return judged.verdict.hits if isinstance(judged.verdict, GenuineVerdict) else ()
