"""What a judge's errors do to the figures it gave, in words. Raw and corrected always stand side by side.

Reasons come from outside and stand in these sentences as they are: whoever shows a sentence makes it inert.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from fiducial.bias.audit import misread_at_most
from fiducial.bias.result import JudgeCount
from fiducial.judge.applied import PLANTED, Applied
from fiducial.judge.calibration import Rate
from fiducial.judge.trust import Trust
from fiducial.report.judge_card_words import ends, rate_of
from fiducial.report.numbers import NONE, count, counted, percent
from fiducial.review.result import Precision, Recall, ReviewerResult
from fiducial.stats.estimate import Estimate
from fiducial.stats.proportion import wilson

NOT_MEASURED = "nobody has measured its errors"
NO_SHARE = "no correction was made"
FIGURES = {"genuine": "Precision", "match": "Recall"}
HOW = {
    "own labels": "by the labels that people gave",
    "labels": "with its errors taken out",
    "planted": "if it errs on these as on planted ones",
}


class Figure(Struct, frozen=True, kw_only=True):
    """A reviewer's figure as the judge has it, and corrected. `place` is the reviewer's in the result."""

    reviewer: ReviewerResult
    place: int
    raw: Estimate | None
    applied: Applied | None


def precision_told(found: Precision, *, why: str = NO_SHARE) -> str:
    """The judge's figure, and what becomes of it without the judge's errors. `why` is why nothing does."""
    if found.value is None:
        return "No finding was judged."
    raw = f"The judge accepts {percent(found.value)}"
    return f"{raw}; {_told(found.corrected, '{} of these findings are genuine', why)}"


def recall_told(found: Recall, *, why: str = NO_SHARE) -> str:
    """The same of all must-finds together."""
    raw = looks(found)
    if raw is None:
        return "No must-find was looked for."
    hits = sum(item.detected for item in found.items)
    said = f"The judge finds the must-find in {count(hits)} of {counted(raw.n, 'look')} ({percent(raw.value)})"
    return f"{said}; {_told(found.list.corrected, 'it was there in {} of them', why)}"


def looks(found: Recall) -> Estimate | None:
    """The share of all looks for a must-find in which the judge found it."""
    runs = sum(item.runs for item in found.items)
    return wilson(sum(item.detected for item in found.items), runs) if runs else None


def share_of(applied: Applied | None) -> Estimate | None:
    """The corrected figure, if there is one."""
    if applied is None:
        return None
    return rate_of(
        Rate(value=applied.value, low=applied.low, high=applied.high, n=applied.n, method=applied.method)
    )


def corrected(applied: Applied | None) -> str:
    """The corrected figure with its interval; of a range its ends only, for no point of it can be quoted alone."""
    e = share_of(applied)
    if applied is None or e is None:
        return NONE
    return ends(e) if applied.decides else f"{percent(e.low)} to {percent(e.high)}"


def remark(applied: Applied | None) -> str:
    """What has to be said with the corrected figure in a table."""
    if applied is None:
        return ""
    if share_of(applied) is None:
        return "not corrected"
    return "" if applied.decides else "a range"


def _told(applied: Applied | None, what: str, why: str) -> str:
    if applied is None:
        return f"not corrected: {why}."
    e = share_of(applied)
    if e is None:
        return f"not corrected: {(applied.withheld or NO_SHARE).rstrip('.')}."
    return f"{HOW[applied.basis]}, {what.format(corrected(applied))}."


def afterwards(applied: Applied | None) -> str:
    """What a figure is without the judge's errors, as a sentence that follows the figure; the card says the rest."""
    if applied is None:
        return ""
    e = share_of(applied)
    if e is None:
        return f"It is not corrected: {(applied.withheld or NO_SHARE).partition(': ')[0].rstrip('.')}."
    how = HOW[applied.basis].replace("its errors", "the judge’s errors").replace("if it errs", "if the judge errs")
    return f"{how[0].upper()}{how[1:]}, it is {corrected(applied)}."


def basis(applied: Applied | None) -> str:
    """What the correction rests on; empty where there is none."""
    if applied is None or share_of(applied) is None:
        return ""
    said = applied.words.removeprefix(f"{PLANTED}: ")
    labels = "" if applied.basis == "own labels" else f" ({counted(applied.n, 'label')})"
    return f"{said[:1].upper()}{said[1:]}{labels}."


def figures(reviewers: Sequence[ReviewerResult], task: str) -> Iterator[Figure]:
    """The figures that a judge of the task gave."""
    for place, one in enumerate(reviewers):
        if task == "genuine":
            p = one.precision
            raw = rate_of(Rate(value=p.value, low=p.low, high=p.high, n=p.n, method=p.method))
            yield Figure(reviewer=one, place=place, raw=raw, applied=p.corrected)
        elif task == "match" and isinstance(one.recall, Recall):
            yield Figure(reviewer=one, place=place, raw=looks(one.recall), applied=one.recall.list.corrected)


def uncorrected(found: Sequence[Figure], trust: Trust) -> str:
    """Why none of the figures is corrected, where there is one reason for all; else empty."""
    if any(share_of(one.applied) is not None for one in found):
        return ""
    reasons = {(one.applied.withheld or NO_SHARE) if one.applied else _nothing(trust) for one in found}
    what = FIGURES.get(trust.task, "It")
    return f"{what} stands as the judge has it: {reasons.pop().rstrip('.')}." if len(reasons) == 1 else ""


def _nothing(trust: Trust) -> str:
    return NOT_MEASURED if trust.calibration is None else NO_SHARE


def told_of(one: ReviewerResult, trust: Trust) -> str:
    """What the judge's errors make of the reviewer's figure, in a sentence; empty where the judge gave none."""
    why = _nothing(trust)
    if trust.task == "genuine":
        return precision_told(one.precision, why=why)
    if trust.task == "match" and isinstance(one.recall, Recall):
        return recall_told(one.recall, why=why)
    return ""


def touched(judge: JudgeCount, trust: Trust) -> str:
    """How much of a bias run rests on the judge's readings, and how much of that may be wrong."""
    rest = "rests" if judge.decided == 1 else "rest"
    own = (
        f"{points(judge.share)} of all scored replies ({count(judge.decided)}) {rest} on its word, the others not."
    )
    most = misread_at_most(judge)
    if most is None:
        return f"{own} How many of these it read wrongly is not known."
    then = " (by the rates of then)" if trust.state == "expired" else ""
    return f"{own} With both kinds of errors at their upper limits, at most {points(most)} are misread{then}."


def points(share: float) -> str:
    """A share with a decimal; what is not nothing is never printed as nothing."""
    if 0 < share < 0.0005:
        return "<0.1 %"
    return f"{100 * share:.1f} %"
