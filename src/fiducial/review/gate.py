"""Whether a reviewer is good enough, decided on its whole list of must-finds, its outputs and, if asked, its precision.

A gate never passes for want of a measurement: no list, no verdict on an item, or no judged finding under
`--min-precision` are reasons to fail it, as is a bad figure. Where there are too few data to tell, it is inconclusive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import hypot
from typing import Literal

from fiducial.judge.applied import Applied
from fiducial.judge.trust import Trust
from fiducial.review.recall import LEVEL, POWER
from fiducial.review.result import Gate, NoRecall, Precision, Recall, ReviewerResult
from fiducial.stats.estimate import Estimate, Measured, Withheld

RAW, CORRECTED = "precision", "corrected precision"

UNUSABLE = ("empty", "malformed", "refused", "missing")
"""Statuses of an output that fail a gate: such a run cannot be said to have reviewed anything."""

RULE = (
    "Must-finds fail the gate if so few detections would have a probability below .05 with every item at its min_recall, "
    "or if one item is missed at the level adjusted for the list; they are inconclusive if that test would not reject, "
    "with 80 % power, a list found at half its minimum. Precision passes if the lower end of its 95 % interval is at or "
    "above --min-precision, fails if the upper end is below it, and is inconclusive between. An output that is empty, "
    "malformed, refused or missing fails. The worst part decides; inconclusive exits with 0, with --gate strict with 1."
)

State = Literal["passed", "noted", "inconclusive", "failed"]
Part = tuple[State, str]
"""A part of the decision, with the sentence that says why. `noted` changes nothing."""


def decide(
    reviewers: Sequence[ReviewerResult], *, min_precision: float | None, strict: bool, must_finds: bool = True
) -> Gate:
    """The worst of the parts, with a sentence for each that did not pass. Without `must_finds`, precision decides alone.

    Corrected precision decides where labels by people make one; `strict` takes no other. See `RULE`.
    """
    parts: list[Part] = [] if reviewers else [("failed", "There is no reviewer to decide on.")]
    for reviewer in reviewers:
        parts += [*_outputs(reviewer), *(_recall(reviewer) if must_finds else ())]
        if min_precision is not None:
            parts.append(precision_part(reviewer, min_precision, strict=strict))
    states = {state for state, _ in parts}
    return Gate(
        result="failed" if "failed" in states else "inconclusive" if "inconclusive" in states else "passed",
        why=[why for state, why in parts if state != "passed"],
    )


def at_chance(trusts: Sequence[Trust]) -> list[str]:
    """The judges that their calibration does not tell from a coin: a gate decided by one of them would mean nothing."""
    return [
        f"{trust.model} ({trust.task}): its calibration {found.name} does not show that it judges better than chance: "
        f"sensitivity + specificity − 1 is {better:.2f}, and its lower bound {low:.2f} is not above 0. Use another judge"
        for trust in trusts
        if (found := trust.calibration) is not None and trust.state != "expired"
        for better, low in _above_chance(found.sensitivity.measured, found.specificity.measured)
        if low <= 0
    ]


def _above_chance(sensitivity: Measured, specificity: Measured) -> Iterator[tuple[float, float]]:
    """Youden's index with its lower bound, from the two intervals (as Newcombe does for a difference)."""
    if isinstance(sensitivity, Estimate) and isinstance(specificity, Estimate):
        better = sensitivity.value + specificity.value - 1
        yield better, better - hypot(sensitivity.value - sensitivity.low, specificity.value - specificity.low)


def _outputs(reviewer: ReviewerResult) -> Iterator[Part]:
    every = sum(reviewer.outputs.values())
    for status in UNUSABLE:
        if count := reviewer.outputs.get(status, 0):
            yield (
                "failed",
                f"{reviewer.name}: {count} of {every} outputs {'is' if count == 1 else 'are'} {status}; a gate allows none.",
            )


def _recall(reviewer: ReviewerResult) -> Iterator[Part]:
    found = reviewer.recall
    if not isinstance(found, Recall):
        reason = found.reason if isinstance(found, NoRecall) else "it was not computed"
        reason = reviewer.errors.get("must_find_recall", reason)
        yield "failed", f"{reviewer.name}: there is no recall to decide on: {reason.rstrip('.')}."
        return
    several = len({item.document for item in found.items}) > 1
    unknown = [item.place if several else item.id for item in found.items if not item.runs]
    if unknown:
        yield (
            "failed",
            f"{reviewer.name}: no run has a verdict on {_named('must-find', unknown)}, so nothing is known of "
            f"{'it' if len(unknown) == 1 else 'them'}.",
        )
    whole = found.list
    runs = sum(item.runs for item in found.items)
    if whole.p is not None and whole.p < LEVEL:
        judge = ", allowing for the judge's errors" if whole.allows_for_judge else ""
        yield (
            "failed",
            f"{reviewer.name}: must-finds were found {whole.detected} times in {runs} looks, where {whole.expected:.1f} "
            f"are expected at their min_recall{judge}; so few have a probability of {_apart(whole.p, LEVEL)}, "
            f"below {LEVEL}.",
        )
    elif whole.power is not None and whole.power < POWER:
        yield (
            "inconclusive",
            f"{reviewer.name}: {runs} looks at must-finds are too few to decide: a reviewer that finds them half as often "
            f"as their min_recall asks would fail with a probability of {whole.power:.2f} only, where {POWER:g} is needed. "
            "More runs or more must-finds decide it.",
        )
    for item in found.items:
        if item.place in whole.missed:
            yield (
                "failed",
                f"{reviewer.name}: must-find {item.id} of {item.document} was found in {item.detected} of {item.runs} "
                f"runs; for an item at its min_recall of {item.min_recall:g} that is too few (beta-binomial test, "
                f"Holm-adjusted over the list, below {LEVEL}).",
            )
    never = [
        item.place if several else item.id
        for item in found.items
        if item.runs and not item.detected and item.min_recall > 0 and item.place not in whole.missed
    ]
    if never:
        yield (
            "noted",
            f"{reviewer.name}: {_named('must-find', never)} {'was' if len(never) == 1 else 'were'} never found.",
        )


def deciding_precision(found: Precision) -> tuple[str, Measured]:
    """The precision that decisions are made on, and what it is called: the corrected one where labels by people make one,
    else as the judge has it."""
    mended = found.corrected
    if mended is not None and mended.decides and mended.value is not None:
        return CORRECTED, _estimate(mended)
    if found.value is None:
        return RAW, Withheld("no finding was judged")
    return RAW, _estimate(found)


def _estimate(found: Precision | Applied) -> Estimate:
    assert found.value is not None and found.low is not None and found.high is not None
    return Estimate(value=found.value, low=found.low, high=found.high, n=found.n, method=found.method)


def precision_part(reviewer: ReviewerResult, bound: float, *, strict: bool) -> Part:
    """What precision contributes to the gate."""
    found = reviewer.precision
    if found.value is None or found.low is None or found.high is None:
        reason = reviewer.errors.get("reverse_judge_precision", "no finding was judged")
        return "failed", f"{reviewer.name}: there is no precision to hold against {bound:g}: {reason.rstrip('.')}."
    name, deciding = deciding_precision(found)
    mended = found.corrected
    if strict and name == RAW:
        why = "the judge's errors are not known" if mended is None else (mended.withheld or mended.words)
        return "inconclusive", f"{reviewer.name}: there is no corrected precision to decide on: {why.rstrip('.')}."
    assert isinstance(deciding, Estimate)
    said = f"{reviewer.name}: {name} is {deciding.value:.2f}"
    if deciding.high < bound:
        high = _apart(deciding.high, bound)
        return "failed", f"{said} and its upper bound {high}, below the {bound:g} that was asked for."
    if deciding.low < bound:
        return (
            "inconclusive",
            f"{said} [{_apart(deciding.low, bound)}, {deciding.high:.2f}]: the interval holds the {bound:g} that was asked "
            "for, so it is not shown to be reached, nor to be missed. More documents narrow the interval.",
        )
    return "passed", f"{said} and its lower bound {deciding.low:.2f}, not below the {bound:g} that was asked for."


def _named(word: str, ids: Sequence[str]) -> str:
    return f"{word} {ids[0]}" if len(ids) == 1 else f"{word}s {', '.join(ids)}"


def _apart(figure: float, bound: float) -> str:
    """With as many decimals as it takes to see that the figure is not the bound."""
    for digits in (2, 3, 4, 5):
        text = f"{figure:.{digits}f}"
        if float(text) != round(bound, digits) and float(text) > 0:
            return text
    return f"{figure:.2g}"
