"""Reviews made by hand: what the page and the tables of a review have to cope with."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from fiducial.judge.genuine import GenuineLabel, GenuineVerdict
from fiducial.judge.match import MatchVerdict
from fiducial.judge.search import search_absent
from fiducial.judge.verdict import Invalid
from fiducial.review.finding import Finding, Severity
from fiducial.review.output import WORTH, Judged, Output
from fiducial.review.result import (
    DocumentResult,
    Gate,
    ItemGate,
    ItemRecall,
    ListRecall,
    NoRecall,
    Precision,
    Range,
    Recall,
    Reliability,
    ReliabilityBin,
    ReviewerResult,
    ReviewResult,
    Share,
)
from fiducial.run.audit import Check

TEXT = """# Export service

Owner: the data team.

## 1. Limits

The service must answer within 200 ms at the 95th percentile. An export may take up to 5 minutes.
Exports larger than **2 GB** are refused.

- Retries: 3, then the job is parked.
- A parked job is looked at by `ops` within one working day.

| Queue | Owner |
|---|---|
| small | data team |
| large | data team and ops |

## 2. Retention

Exports are kept for 30 days. Audit logs are kept.

```
retention: 14d
```
"""

AUDIT = (
    Check("incomplete", "pass", "all 33 trials have a reply"),
    Check(
        "judge-uncalibrated",
        "warn",
        "no calibration of the judge is known: what its verdicts are worth is unknown.",
    ),
)


def finding(title: str = "Retention contradicts itself", **fields: object) -> Finding:
    filled: dict[str, object] = {
        "id": "F1",
        "severity": "Important",
        "confidence": 0.8,
        "section": "2. Retention",
        "issue": "Section 2 says 30 days and the configuration says 14.",
        "why_it_matters": "Somebody will delete what somebody else relies on.",
        "suggestion": "State one period.",
    }
    return Finding(title=title, **(filled | fields))  # type: ignore[arg-type]


def verdict(
    label: GenuineLabel = "genuine",
    evidence: str = "Exports are kept for 30 days",
    text: str = TEXT,
    **fields: object,
) -> GenuineVerdict:
    """A verdict on this evidence; `absent: …` is a claim of absence, an empty text is none."""
    absent = evidence.removeprefix("absent:").strip() if evidence.startswith("absent:") else None
    start = text.find(evidence) if evidence and absent is None else -1
    filled: dict[str, object] = {
        "reason": "The two periods differ.",
        "category": None if label == "genuine" else "not_there",
        "confidence": 0.9,
        "span": (start, start + len(evidence)) if start >= 0 else None,
        "absent": absent,
        "hits": search_absent(absent, text) if absent else (),
    }
    return GenuineVerdict(verdict=label, evidence=evidence, **(filled | fields))  # type: ignore[arg-type]


def judged(number: int = 1, found: Finding | None = None, said: GenuineVerdict | Invalid | None = None) -> Judged:
    return Judged(number=number, finding=found or finding(), verdict=said)


def output(*found: Judged, **fields: object) -> Output:
    filled: dict[str, object] = {
        "document": "export",
        "reviewer": "assumption-hunter",
        "run": 0,
        "status": "findings" if found else "explicit_none",
        "findings": found,
    }
    return Output(**(filled | fields))  # type: ignore[arg-type]


def several() -> list[Output]:
    """Two reviewers, three runs, every verdict there is, overlapping evidence, one output without a finding."""
    slow = "answer within 200 ms at the 95th percentile. An export may take up to 5 minutes"
    across = "up to 5 minutes.\nExports larger than **2 GB**"
    first = output(
        judged(1, said=verdict()),
        judged(
            2, finding("Audit logs have no period", severity="Critical"), verdict("genuine", "Audit logs are kept.")
        ),
        judged(
            3,
            finding("No encryption is named", section="Section 1"),
            verdict("borderline", "absent: a retention period for exports at rest"),
        ),
        matches={"MF-1": MatchVerdict(verdict="found", finding=1, quotation="30 days")},
    )
    second = output(
        judged(
            1,
            finding("Use Kafka", severity="Minor", confidence=0.6),
            verdict("not_genuine", "", category="implementation_detail"),
        ),
        judged(2, finding("Two owners", section="the queues"), verdict("borderline", "data team and ops")),
        run=1,
        matches={"MF-1": MatchVerdict(verdict="partly", finding=2, quotation="ops")},
    )
    other = output(
        judged(1, finding("200 ms against 5 minutes"), verdict("genuine", slow)),
        judged(2, finding("5 minutes is long"), verdict("not_genuine", across, category="invented_constraint")),
        judged(3, finding("Said in prose", section=None), Invalid("it was not one JSON object and nothing else")),
        judged(4, finding("Never judged", section="nowhere at all"), None),
        reviewer="scope-guardian",
        matches={"MF-1": Invalid("it was empty")},
    )
    silent = output(run=2, matches={"MF-1": MatchVerdict(verdict="not_found", finding=None)})
    return [first, second, silent, other]


def share(found: Sequence[Judged]) -> Share:
    said = [one.verdict.verdict for one in found if isinstance(one.verdict, GenuineVerdict)]
    return Share(
        value=sum(WORTH[one] for one in said) / len(said) if said else None,
        n=len(said),
        genuine=said.count("genuine"),
        borderline=said.count("borderline"),
        not_genuine=said.count("not_genuine"),
        invalid=len(found) - len(said),
    )


def precision(outputs: Sequence[Output], **fields: object) -> Precision:
    """The counts of these outputs, with an interval that is made up."""
    found = [one for out in outputs for one in out.findings]
    whole = share(found)
    value, n, borderline = whole.value, whole.n, whole.borderline
    reasons: dict[str, int] = {}
    for one in found:
        if (
            isinstance(one.verdict, GenuineVerdict)
            and one.verdict.category
            and one.verdict.verdict == "not_genuine"
        ):
            reasons[one.verdict.category] = reasons.get(one.verdict.category, 0) + 1
    zeros: dict[str, int] = {}
    for out in outputs:
        if not out.findings:
            zeros[out.status] = zeros.get(out.status, 0) + 1
    names: list[Severity] = ["Critical", "Important", "Minor"]
    filled: dict[str, object] = {
        "value": value,
        "low": None if value is None else max(0.0, value - 0.17),
        "high": None if value is None else min(1.0, value + 0.14),
        "n": n,
        "clusters": max(1, n // 2),
        "method": "bootstrap of clusters of findings",
        "genuine": whole.genuine,
        "borderline": borderline,
        "not_genuine": whole.not_genuine,
        "invalid": whole.invalid,
        "duplicates": sum(len(one.duplicates) for one in found),
        "borderline_out": None if value is None or n == borderline else whole.genuine / (n - borderline),
        "borderline_in": None if value is None else (whole.genuine + borderline) / n,
        "invalid_bounds": None if value is None else Range(value * 0.9, min(1.0, value * 1.08)),
        "per_output_mean": None if value is None else value * 0.8,
        "duplicate_rate": 0.05,
        "by_severity": {name: share([one for one in found if one.finding.severity == name]) for name in names},
        "by_category": reasons,
        "reliability": Reliability(
            bins=[
                ReliabilityBin(low=0.5, high=0.6, confidence=0.55, precision=0.4, n=4),
                ReliabilityBin(low=0.7, high=0.8, confidence=0.75, precision=0.62, n=9),
                ReliabilityBin(low=0.8, high=0.9, confidence=0.84, precision=0.66, n=15),
                ReliabilityBin(low=0.9, high=1.0, confidence=0.94, precision=0.71, n=7),
            ],
            error=0.18,
            n=35,
        ),
        "note": "for these documents only",
        "scored_zero": zeros,
    }
    return Precision(**(filled | fields))  # type: ignore[arg-type]


def item(
    id: str = "MF-1", by_run: Sequence[str] = ("found", "partly", "not_found"), **fields: object
) -> ItemRecall:
    runs = sum(one != "invalid" for one in by_run)
    hits = sum(one == "found" for one in by_run)
    gate: ItemGate = "not_enforced" if runs < 3 else "met" if hits / runs >= 0.8 else "inconclusive"
    filled: dict[str, object] = {
        "detected": hits,
        "runs": runs,
        "rate": hits / runs if runs else None,
        "low": 0.06 if runs else None,
        "high": 0.79 if runs else None,
        "min_recall": 0.8,
        "gate": gate,
        "document": "export",
        "title": "The retention period is stated twice, differently",
        "severity": "Critical",
        "partly": sum(one == "partly" for one in by_run),
        "invalid": sum(one == "invalid" for one in by_run),
        "found_at_all": hits > 0,
        "more_runs": 4 if gate == "inconclusive" else None,
        "by_run": list(by_run),
    }
    return ItemRecall(id=id, **(filled | fields))  # type: ignore[arg-type]


def recall(*items: ItemRecall) -> Recall:
    hits = sum(one.detected for one in items)
    return Recall(
        items=list(items),
        list=ListRecall(
            detected=hits,
            expected=sum(one.min_recall * one.runs for one in items),
            p=0.034,
            missed=[one.place for one in items if one.gate == "missed"],
            coverage=sum(one.found_at_all for one in items) / len(items) if items else None,
            mean=hits / sum(one.runs for one in items) if items else None,
            between_runs=0.12,
        ),
    )


def reviewer(name: str, outputs: Sequence[Output], **fields: object) -> ReviewerResult:
    documents = []
    for id in dict.fromkeys(one.document for one in outputs):
        own = [one for one in outputs if one.document == id]
        documents.append(
            DocumentResult(
                id=id,
                runs=len(own),
                outputs=_statuses(own),
                precision=share([one for out in own for one in out.findings]),
                findings=sum(len(one.findings) for one in own),
                detected=1,
                wanted=3,
            )
        )
    filled: dict[str, object] = {
        "runs": max((one.run + 1 for one in outputs), default=0),
        "outputs": _statuses(outputs),
        "precision": precision(outputs),
        "recall": recall(item(), item("MF-2", ("found", "found", "found"), title="Two owners for one queue")),
        "documents": documents,
    }
    return ReviewerResult(name=name, **(filled | fields))  # type: ignore[arg-type]


def _statuses(outputs: Sequence[Output]) -> dict[str, int]:
    return {s: sum(one.status == s for one in outputs) for s in dict.fromkeys(one.status for one in outputs)}


def review(outputs: Sequence[Output] | None = None, **fields: object) -> ReviewResult:
    """The result of these outputs; any field can be given instead."""
    outputs = several() if outputs is None else outputs
    names = list(dict.fromkeys(one.reviewer for one in outputs))
    filled: dict[str, object] = {
        "run": "2026-03-02-export",
        "complete": True,
        "reviewers": [reviewer(name, [one for one in outputs if one.reviewer == name]) for name in names],
        "gate": Gate(result="failed", why=["MF-9 is missed: 0 of 6 runs, upper bound 39 % below 80 %"]),
        "tokens": {
            "reviewer": {"input": 61_200, "output": 18_443, "cached": 0},
            "judge": {"input": 912_004, "output": 30_112, "cached": 780_330},
        },
        "audit": list(AUDIT),
        "model": "anthropic/claude-haiku-4-5",
        "judges": {"judge:genuine": "openai/gpt-5-mini", "judge:match": "openai/gpt-5-mini"},
        "prompts": {"genuine:design": "9b1c0d5e77aa41f2", "match": "0c5e77aa41f29b1c"},
        "dataset": "export-service",
        "documents": list(dict.fromkeys(one.document for one in outputs)),
        "calls": 41,
        "cost": {"reviewer": 0.1234, "judge": None},
        "settings": {"instrument": "review", "runs": 3, "temperature": 1.0, "seed": 7, "top_p": None,
                     "reviewer_hashes": {"assumption-hunter": "77aa41f29b1c0d5e"}},
        "trials": 33,
        "answered": 33,
        "seconds": 84.2,
        "provenance": {"fiducial": "0.1.0", "commit": "3f2a9c1d0b7e+", "packages": {"aiohttp": "3.11.2"}},
    }  # fmt: skip
    return ReviewResult(**(filled | fields))  # type: ignore[arg-type]


def unjudged(reason: str = "the dataset has no must_find.jsonl") -> ReviewResult:
    """No judge, no must-finds, outputs without findings."""
    outputs = [output(), output(run=1, status="empty")]
    bare = precision(outputs, reliability=None, by_severity={}, note=None, invalid_bounds=None)
    one = reviewer("assumption-hunter", outputs, precision=bare, recall=NoRecall(reason))
    return review(outputs, reviewers=[one], judges={}, gate=None, audit=[], cost={}, tokens={})


def many(
    documents: int, findings: int, texts: Mapping[str, str] | None = None
) -> tuple[list[Output], dict[str, str]]:
    """A large run: so many documents with so many findings each, over three runs of two reviewers."""
    rng = random.Random(11)
    told = dict(texts or {f"document-{k}": TEXT * 25 for k in range(documents)})
    labels: tuple[GenuineLabel, ...] = ("genuine", "borderline", "not_genuine")
    made = []
    for id, text in told.items():
        quotes = [line for line in text.splitlines() if len(line) > 25 and "|" not in line]
        for k in range(6):
            found = [
                judged(
                    n + 1,
                    finding(f"Finding {n} of run {k}, stated at some length", issue="Because. " * 120),
                    verdict(rng.choice(labels), rng.choice(quotes)[:60], text, reason="It is so. " * 30),
                )
                for n in range(findings // 6)
            ]  # fmt: skip
            made.append(output(*found, document=id, reviewer=("alpha", "beta")[k % 2], run=k // 2))
    return made, told
