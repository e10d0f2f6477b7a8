"""What the audit adds for a review run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from fiducial.errors import FAULT
from fiducial.judge.asking import Judge
from fiducial.judge.audit import judge_is_subject
from fiducial.judge.trust import Trust, check_trust
from fiducial.judge.verdict import Invalid
from fiducial.review.output import Output
from fiducial.review.result import NoRecall, ReviewerResult
from fiducial.run.audit import Check, reader_faults

ENOUGH_RUNS = 3
INVALID_WARN = 0.05
KEPT_APART = "; they are kept apart, and the bounds show what they could change"
STRONGER = ". A stronger judge may help"
UNKNOWN = (
    "how often {model} calls something a yes that is a no, or the other way round, is not known: the figures are what this "
    "judge says they are, and nothing more. `fiducial judge calibrate` measures it."
)


def audit_review(
    outputs: Sequence[Output], reviewers: Sequence[ReviewerResult], *, changed: Mapping[str, Sequence[str]]
) -> Iterator[Check]:
    """Checks on the documents, the outputs and the lists."""
    yield from _documents(changed)
    yield from _outputs(outputs)
    yield from reader_faults(Counter(_faults(outputs)))
    runs = min((r.runs for r in reviewers), default=0)
    if reviewers and runs < ENOUGH_RUNS:
        yield Check(
            "few-runs",
            "warn",
            f"{runs} run{'s' if runs != 1 else ''} of a reviewer: how reliably it finds something is not known from fewer "
            f"than {ENOUGH_RUNS}, and no must-find is enforced. Use --runs {ENOUGH_RUNS} or more.",
        )
    for reviewer in reviewers:
        if isinstance(reviewer.recall, NoRecall):
            yield Check("few-items", "warn", f"{reviewer.name}: no recall ({reviewer.recall.reason})")
        for scorer, error in reviewer.errors.items():
            yield Check("scorer-failed", "fail", f"{reviewer.name}: {scorer} could not be computed ({error})")


def _documents(changed: Mapping[str, Sequence[str]]) -> Iterator[Check]:
    for document, lost in changed.items():
        which = (
            f"evidence that is no longer in it: {'; '.join(lost)}"
            if lost
            else "the evidence of all its must-finds is there"
        )
        yield Check(
            "document-changed",
            "fail",
            f"{document} has changed since it was frozen; {which}. Results do not belong to the frozen document. Put it "
            "back, or look through the list and freeze it anew with `fiducial review check DATASET --freeze`.",
        )
    if not changed:
        yield Check("document-changed", "pass", "no document has changed since it was frozen")


def _outputs(outputs: Sequence[Output]) -> Iterator[Check]:
    count = Counter(output.status for output in outputs)
    for code, n, what in (
        ("refused", count["refused"], "refuse the review"),
        ("unreadable", count["malformed"] + count["empty"], "are empty or hold nothing that could be parsed"),
    ):
        rest = "; each scores 0.0, and a gate fails on it. Look at it in the report" if n else ""
        yield Check(code, "warn" if n else "pass", f"{n} of {len(outputs)} outputs {what}{rest}")


def _faults(outputs: Sequence[Output]) -> Iterator[str]:
    """The exceptions that the parser raised on outputs, and on the verdicts of judges."""
    for output in outputs:
        if output.fault:
            yield output.fault.removeprefix(FAULT)
        for verdict, votes in output.decided():
            for said in votes.values() or (verdict,):
                if isinstance(said, Invalid) and said.reason.startswith(FAULT):
                    yield said.reason.removeprefix(FAULT)


def audit_judges(
    judges: Sequence[Judge],
    outputs: Sequence[Output],
    *,
    subject: str,
    weighed: Mapping[str, Mapping[str, int]],
    trust: Sequence[Trust] = (),
) -> Iterator[Check]:
    """Checks on the judges."""
    if not judges:
        return
    seats = list(dict.fromkeys(judge.model for judge in judges))
    decided = [both for output in outputs for both in output.decided()]
    verdicts = [verdict for verdict, _ in decided if verdict is not None]
    if len(seats) == 1:
        yield _invalid(verdicts, "got no verdict, or one whose quotation is not there, after asking twice")
    else:
        yield _invalid(verdicts, f"got no verdict of the panel: no majority of its {len(seats)} seats")
        for seat in seats:
            own = [vote for _, votes in decided if (vote := votes.get(seat)) is not None]
            told = f"got no verdict from {seat}, or one whose quotation is not there, after asking twice"
            yield _invalid(own, told, "; its seat counts all the same, so that the others have to agree")
    over = sum(found.get("over", 0) for found in weighed.values())
    largest = max((found.get("largest", 0) for found in weighed.values()), default=0)
    yield Check(
        "judge-tokens",
        "warn" if over else "pass",
        f"the longest judge prompt has about {largest:,} tokens"
        + (f"; {over} are over 150,000, where judges overlook things and calls are dear" if over else ""),
    )
    for seat in seats:
        for check in judge_is_subject(seat, subject, danger="it may find its own kind of finding convincing"):
            whose = f"{seat}, on the panel: " if len(seats) > 1 else ""
            yield Check(check.code, check.level, whose + check.message)
    if any(not isinstance(verdict, Invalid) for verdict in verdicts):
        yield from check_trust(trust, unknown=UNKNOWN)


def _invalid(verdicts: Sequence[object], told: str, then: str = KEPT_APART) -> Check:
    invalid = sum(isinstance(verdict, Invalid) for verdict in verdicts)
    share = invalid / len(verdicts) if verdicts else 0.0
    return Check(
        "judge-invalid",
        "fail" if share > 0.5 else "warn" if share > INVALID_WARN else "pass",
        f"{invalid} of {len(verdicts)} questions {told}{then + STRONGER if invalid else ''}",
    )
