"""Hand-made review runs: outputs from what was found and what the judge said, and the result that goes with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fiducial.judge.genuine import GenuineVerdict
from fiducial.judge.match import MatchVerdict
from fiducial.judge.verdict import Invalid
from fiducial.review.finding import Finding
from fiducial.review.output import Judged, Output
from fiducial.review.result import ItemRecall, ListRecall, NoRecall, Precision, Recall, ReviewerResult, ReviewResult

NAME = "prober"
LABELS: dict[str, Any] = {"+": "genuine", "-": "not_genuine", "~": "borderline"}
JUDGES = {"judge:genuine:0a1b2c3d4e5f": "openai/judge", "judge:match:0f1e2d3c4b5a": "openai/judge"}
PROMPTS = {"genuine:design": "1111", "match": "2222"}


def judged(number: int, text: str) -> Judged:
    """`+ a title`: genuine; `-`: not genuine; `~`: borderline; `?`: no verdict."""
    sign, _, title = text.partition(" ")
    verdict: GenuineVerdict | Invalid = Invalid("it was empty")
    if sign in LABELS:
        verdict = GenuineVerdict(verdict=LABELS[sign], evidence="", reason="", category=None, confidence=0.9)
    return Judged(number=number, finding=Finding(title=title), verdict=verdict)


def output(
    document: str = "d",
    run: int = 0,
    findings: Sequence[str] = (),
    found: Mapping[str, bool | None] | None = None,
    reviewer: str = NAME,
) -> Output:
    """One output. `found`: by must-find; None where the judge gave no verdict."""
    matches: dict[str, MatchVerdict | Invalid | None] = {
        item: Invalid("it was empty")
        if seen is None
        else MatchVerdict(verdict="found" if seen else "not_found", finding=1 if seen else None)
        for item, seen in (found or {}).items()
    }
    return Output(
        document=document,
        reviewer=reviewer,
        run=run,
        status="findings" if findings else "explicit_none",
        findings=tuple(judged(n, text) for n, text in enumerate(findings, 1)),
        matches=matches,
    )


def result(outputs: Sequence[Output], run: str = "a", **changed: Any) -> ReviewResult:
    """The result of a run with these outputs, as far as a comparison looks at it."""
    documents = list(dict.fromkeys(o.document for o in outputs))
    settings = {
        "instrument": "review",
        "dataset": "made",
        "runs": 3,
        "reviewer_hashes": {o.reviewer: "same" for o in outputs},
        "document_hashes": {name: f"sha256:{name}" for name in documents},
        **changed.pop("settings", {}),
    }
    given: dict[str, Any] = {
        "run": run,
        "complete": True,
        "reviewers": [reviewer(name, outputs) for name in dict.fromkeys(o.reviewer for o in outputs)],
        "gate": None,
        "tokens": {},
        "audit": [],
        "model": "openai/m",
        "judges": JUDGES,
        "prompts": PROMPTS,
        "dataset": "made",
        "documents": documents,
        "calls": 0,
        "cost": {},
        "settings": settings,
        "trials": 10,
        "answered": 10,
        "seconds": 1.0,
        "provenance": {},
    }
    return ReviewResult(**{**given, **changed})


def reviewer(name: str, outputs: Sequence[Output]) -> ReviewerResult:
    """A reviewer of whom only name and must-finds matter here."""
    items = dict.fromkeys((o.document, item) for o in outputs if o.reviewer == name for item in o.matches)
    recall = Recall(
        items=[
            ItemRecall(
                id=item,
                detected=0,
                runs=0,
                rate=None,
                low=None,
                high=None,
                min_recall=0.8,
                gate="not_enforced",
                document=document,
                title=f"title of {item}",
                severity="Critical",
                partly=0,
                invalid=0,
                found_at_all=False,
            )
            for document, item in items
        ],
        list=ListRecall(detected=0, expected=0.0, p=None),
    )
    return ReviewerResult(
        name=name,
        runs=3,
        outputs={},
        precision=Precision.unknown(),
        recall=recall if items else NoRecall("the dataset has no must-finds"),
        documents=[],
    )
