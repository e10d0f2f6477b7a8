"""One case for a judge, whatever its task: what it is shown, what is known of it, and what its verdict counts.

Calibrations, ablations and attacks are made of cases. A label is 1 where the right verdict is a "yes" (the finding is
genuine, the issue is among the findings, it can be seen, the reply has an answer), and 0 where it is a "no".
"""

from __future__ import annotations

from typing import Literal, get_args

import msgspec
from msgspec import Struct

from fiducial.judge.genuine import GenuineCase, ReviewType, genuine_request, genuine_version, parse_genuine
from fiducial.judge.match import MatchCase, match_request, match_version, parse_match
from fiducial.judge.read import ReadCase, parse_read, read_request, read_version
from fiducial.judge.verdict import Invalid
from fiducial.judge.wording import SHIPPED, Wording
from fiducial.judge.zero_shot import ZeroShotCase, parse_zero_shot, zero_shot_request, zero_shot_version
from fiducial.model.request import CaseTruth, Request

Task = Literal["genuine", "match", "zero_shot", "read"]
TASKS: tuple[Task, ...] = get_args(Task)
Answer = str | float | None


class Case(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A case. `document` is the document; of a `read`, the question. `text` is the finding, issue, must-find or reply."""

    id: str
    task: Task
    document: str
    text: str
    label: int | None = None
    category: str | None = None
    group: str | None = None  # the system that wrote the text
    review_type: ReviewType = "design"  # of a finding
    findings: tuple[str, ...] = ()  # of a match: the list that is looked through
    finding: int | None = None  # of a match: the number of the finding that states it
    options: tuple[str, ...] = ()  # of a read: the labels on offer; without them a number is asked for
    answer: Answer = None  # of a read: what the reply commits to
    urged: str | float | bool | None = None  # the verdict that something in it tries to talk the judge into


class CaseVerdict(Struct, frozen=True, kw_only=True):
    """What a judge said of a case.

    `score` is 1 for a yes, 0 for a no and 0.5 between. Of a `read`, a yes is the right answer where there is one, and any
    answer where there is none; so a score of 1 is right where the label is 1, and wrong where it is 0, in every task.
    """

    score: float
    said: str  # the deciding value, as text
    confidence: float | None = None
    category: str | None = None
    between: bool = False  # borderline, or partly found


def version(task: Task, review_type: ReviewType = "design", wording: Wording = SHIPPED) -> str:
    """The version of the prompt that cases of the task are judged with."""
    match task:
        case "genuine":
            shipped = genuine_version(review_type)
        case "match":
            shipped = match_version()
        case "zero_shot":
            shipped = zero_shot_version()
        case "read":
            shipped = read_version()
    return wording.version(shipped)


def request_of(
    case: Case,
    *,
    secret: str,
    said: str | None = None,
    wording: Wording = SHIPPED,
    repetition: int = 0,
) -> Request:
    """The request for a verdict. It carries the truth, where it is known, for simulated judges alone."""
    key = expected(case) if wording.key and case.label is not None else ""
    match own := _own(case, wording):
        case GenuineCase():
            request = genuine_request(own, secret=secret, said=said, wording=wording, key=key)
        case MatchCase():
            request = match_request(own, secret=secret, said=said, wording=wording, key=key)
        case ZeroShotCase():
            request = zero_shot_request(own, secret=secret, said=said, wording=wording, key=key)
        case ReadCase():
            request = read_request(own, secret=secret, said=said, wording=wording, key=key)
    if case.label is None:
        return request
    return msgspec.structs.replace(request, truth=truth_of(case, wording, repetition))


def verdict_of(case: Case, text: str, wording: Wording = SHIPPED) -> CaseVerdict | Invalid:
    """What the reply says of the case, or why it is no verdict."""
    match own := _own(case, wording):
        case GenuineCase():
            genuine = parse_genuine(text, own)
            if isinstance(genuine, Invalid):
                return genuine
            worth = {"genuine": 1.0, "borderline": 0.5, "not_genuine": 0.0}[genuine.verdict]
            return CaseVerdict(
                score=worth,
                said=genuine.verdict,
                confidence=genuine.confidence,
                category=genuine.category,
                between=genuine.verdict == "borderline",
            )
        case MatchCase():
            match = parse_match(text, own)
            if isinstance(match, Invalid):
                return match
            return CaseVerdict(
                score=float(match.verdict == "found"), said=match.verdict, between=match.verdict == "partly"
            )
        case ZeroShotCase():
            seen = parse_zero_shot(text, own)
            if isinstance(seen, Invalid):
                return seen
            return CaseVerdict(score=float(seen.found), said="found" if seen.found else "not_found")
        case ReadCase():
            read = parse_read(text, own)
            if isinstance(read, Invalid):
                return read
            given = read.answer is not None
            yes = given if case.label != 1 else given and _same(read.answer, case.answer)
            return CaseVerdict(score=float(yes), said="null" if read.answer is None else str(read.answer))


def expected(case: Case) -> str:
    """The right verdict in words, as a prompt would give it away."""
    right = _sides(case)[0]
    return "null" if right is None else f'"{right}"' if isinstance(right, str) else str(right).lower()


def _own(case: Case, wording: Wording) -> GenuineCase | MatchCase | ZeroShotCase | ReadCase:
    match case.task:
        case "genuine":
            return GenuineCase(document=case.document, finding=case.text, review_type=case.review_type)
        case "match":
            findings = case.findings[::-1] if wording.turned else case.findings
            return MatchCase(document=case.document, findings=findings, item=case.text)
        case "zero_shot":
            return ZeroShotCase(document=case.document, issue=case.text)
        case "read":
            return ReadCase(question=case.document, reply=case.text, labels=case.options)


def _sides(case: Case) -> tuple[str | float | bool | None, str | float | bool | None]:
    """The right deciding value, and the one that a judge gives which errs."""
    yes: str | float | bool | None
    no: str | float | bool | None
    match case.task:
        case "genuine":
            yes, no = "genuine", "not_genuine"
        case "match":
            yes, no = "found", "not_found"
        case "zero_shot":
            yes, no = True, False
        case "read" if case.label == 1:
            others = [label for label in case.options if label != case.answer]
            return case.answer, (others[0] if others else None)
        case "read":
            yes, no = (case.options[0] if case.options else 1.0), None
    return (yes, no) if case.label == 1 else (no, yes)


def truth_of(case: Case, wording: Wording = SHIPPED, repetition: int = 0) -> CaseTruth:
    """What a simulated judge knows of a case that has a label."""
    assert case.label is not None
    right, wrong = _sides(case)
    number = case.finding
    if number is not None and wording.turned:
        number = len(case.findings) + 1 - number
    return CaseTruth(
        task=case.task,
        case=case.id,
        label=case.label,
        right=right,
        wrong=wrong,
        quotation=_quotable(case),
        finding=number,
        category=case.category,
        shown=right if wording.key else None,
        urged=case.urged,
        wording=wording.name,
        repetition=repetition,
    )


def _quotable(case: Case) -> str:
    """Some words that can be quoted: the first line that says something, of the text that the task quotes from.

    An ellipsis in a line would be read as something left out of the quotation.
    """
    source = case.text if case.task == "read" else case.document
    said = (line.strip() for line in source.splitlines() if "..." not in line and "…" not in line)
    return next((line for line in said if sum(map(str.isalnum, line)) >= 12), source[:200])


def _same(a: Answer, b: Answer) -> bool:
    if isinstance(a, int | float) and isinstance(b, int | float):
        return abs(a - b) <= 1e-6 * max(1.0, abs(b))
    return a == b
