"""A review in which every text that can come from outside is an attack."""

from __future__ import annotations

from fiducial.judge.applied import Applied
from fiducial.judge.genuine import GenuineVerdict
from fiducial.judge.match import MatchVerdict
from fiducial.judge.search import Hit
from fiducial.judge.verdict import Invalid
from fiducial.review.finding import Finding, Meta
from fiducial.review.output import Judged, Output
from fiducial.review.result import (
    DocumentResult,
    Gate,
    ItemRecall,
    ListRecall,
    NoRecall,
    Recall,
    ReviewerResult,
    ReviewResult,
    Share,
)
from fiducial.run.audit import Check
from tests.report.hostile import HOSTILE, hostile_trust
from tests.report.review_support import precision

DOCUMENT = f"""# {HOSTILE}

{HOSTILE} is said here. **bold {HOSTILE}** and `code {HOSTILE}`

- {HOSTILE}

| a | {HOSTILE.replace("|", "")} |
|---|---|
| {HOSTILE} | <script>alert(4)</script> |

<script>alert(5)</script>

[{HOSTILE}](javascript:alert(6)) ![x](x)

```html
{HOSTILE}
```
"""


def hostile_outputs() -> list[Output]:
    """Findings whose every field is an attack, with evidence that begins and ends in the middle of one."""
    bad = Finding(
        id=HOSTILE,
        title=HOSTILE,
        severity=None,
        confidence=float("nan"),
        phase=HOSTILE,
        section=HOSTILE,
        issue=HOSTILE,
        why_it_matters=HOSTILE,
        suggestion=HOSTILE,
    )
    long = Finding(title="<b>" * 350_000, issue="&" * 1_000_000, section="#" * 1_000_000)

    def said(span: tuple[int, int] | None) -> GenuineVerdict:
        return GenuineVerdict(
            verdict="not_genuine",
            evidence=HOSTILE,
            reason=HOSTILE,
            category=HOSTILE,
            confidence=0.5,
            span=span,
            absent=None if span else HOSTILE,
            hits=(Hit(span=(0, 9), excerpt=HOSTILE, words=(HOSTILE,), share=1.0),),
        )

    places = [(0, 20), (3, 90), (10, len(DOCUMENT)), (-5, 10**9), (60, 60), None]
    found = [Judged(number=k, finding=bad, duplicates=(bad,) * 5, verdict=said(p)) for k, p in enumerate(places, 1)]
    found += [
        Judged(number=7, finding=bad, verdict=Invalid(HOSTILE)),
        Judged(number=8, finding=long, verdict=said((5, 30))),
        Judged(number=9, finding=Finding(title=""), verdict=None),
    ]
    return [
        Output(
            document=HOSTILE,
            reviewer=HOSTILE,
            run=0,
            status="findings",
            findings=tuple(found),
            meta=(Meta(type=HOSTILE, title=HOSTILE, text=HOSTILE),),
            matches={HOSTILE: MatchVerdict(verdict="found", finding=1, quotation=HOSTILE)},
            text=HOSTILE,
        ),
        Output(document=HOSTILE, reviewer=HOSTILE + "2", run=1, status="refused", text=HOSTILE),
        Output(document=HOSTILE + "unknown", reviewer=HOSTILE, run=0, status="findings", findings=(found[0],)),
    ]


def hostile_review() -> ReviewResult:
    """The result of these."""
    outputs = hostile_outputs()
    counts = Share(value=0.5, n=2, genuine=1, borderline=0, not_genuine=1, invalid=0)
    shown = precision(
        outputs,
        method=HOSTILE,
        note=HOSTILE,
        by_severity={HOSTILE: counts},
        by_category={HOSTILE: 3},
        corrected=Applied(
            basis="labels", words=HOSTILE, value=0.4, low=0.1, high=0.8, method=HOSTILE, calibration=HOSTILE
        ),
        scored_zero={HOSTILE: 1},
    )
    item = ItemRecall(
        id=HOSTILE, detected=1, runs=2, rate=0.5, low=0.1, high=0.9, min_recall=0.8, gate="inconclusive",
        document=HOSTILE, title=HOSTILE, severity=HOSTILE, partly=1, invalid=1, found_at_all=True, more_runs=3,
        by_run=[HOSTILE, "found"],
    )  # fmt: skip
    document = DocumentResult(
        id=HOSTILE, runs=1, outputs={HOSTILE: 1}, precision=counts, findings=9, detected=None, wanted=None
    )
    gone = Applied(basis="planted", words=HOSTILE, withheld=HOSTILE, calibration=HOSTILE)
    missed = ListRecall(detected=1, expected=1.6, p=None, missed=[HOSTILE], corrected=gone)
    one = ReviewerResult(
        name=HOSTILE,
        runs=1,
        outputs={HOSTILE: 3},
        precision=shown,
        recall=Recall(items=[item], list=missed),
        documents=[document],
        errors={HOSTILE: HOSTILE},
    )
    two = ReviewerResult(
        name=HOSTILE + "2", runs=0, outputs={}, precision=precision([]), recall=NoRecall(HOSTILE), documents=[]
    )
    return ReviewResult(
        run=HOSTILE,
        complete=False,
        reviewers=[one, two],
        gate=Gate(result="refused", why=[HOSTILE] * 60),
        tokens={HOSTILE: {"input": 10, HOSTILE: 3}, "odd": {HOSTILE: HOSTILE}, "whole": HOSTILE},
        audit=[Check(HOSTILE, "fail", HOSTILE), Check("judge-is-subject", "warn", HOSTILE)],
        model=HOSTILE,
        judges={HOSTILE: HOSTILE},
        prompts={HOSTILE: HOSTILE},
        dataset=HOSTILE,
        documents=[HOSTILE],
        calls=3,
        cost={HOSTILE: None, "judge": 0.0},
        settings={HOSTILE: HOSTILE, "document_hashes": {HOSTILE: HOSTILE}},
        trials=3,
        answered=2,
        seconds=0.0,
        provenance={HOSTILE: {HOSTILE: HOSTILE}},
        waiting=2,
        trust=[
            hostile_trust("genuine"),
            hostile_trust("match"),
            hostile_trust(HOSTILE),
            hostile_trust("read", None),
        ],
    )
