"""Whether a reviewer is good enough, decided on its whole list of must-finds, its outputs and, if asked, its precision.

A gate never passes for want of a measurement: no list, too few runs, no verdict on an item, or no judged finding under
`--min-precision` are reasons to fail it, as is a bad figure.
"""

from __future__ import annotations

from collections.abc import Sequence

from fiducial.judge.applied import Applied
from fiducial.review.recall import FEWEST_RUNS, LEVEL
from fiducial.review.result import Gate, NoRecall, Precision, Recall, ReviewerResult
from fiducial.stats.estimate import Estimate, Measured, Withheld

RAW, CORRECTED = "precision", "corrected precision"

UNUSABLE = ("empty", "malformed", "refused")
"""Statuses of an output that fail a gate: such a run cannot be said to have reviewed anything."""


def decide(
    reviewers: Sequence[ReviewerResult], *, min_precision: float | None, strict: bool, must_finds: bool = True
) -> Gate:
    """`failed` with every reason as a sentence, or `passed` with none. Without `must_finds`, precision decides alone.

    Precision fails where it is shown to be too low (its upper bound is below); `strict`, where it is not shown to be
    high enough (its lower bound is below). Corrected precision decides where labels by people make one; `strict` takes
    no other.
    """
    why = [] if reviewers else ["There is no reviewer to decide on."]
    for reviewer in reviewers:
        why += [*_outputs(reviewer), *(_recall(reviewer) if must_finds else ())]
        if min_precision is not None:
            why += _precision(reviewer, min_precision, strict=strict)
    return Gate(result="failed" if why else "passed", why=why)


def _outputs(reviewer: ReviewerResult) -> list[str]:
    every = sum(reviewer.outputs.values())
    return [
        f"{reviewer.name}: {count} of {every} outputs {'is' if count == 1 else 'are'} {status}; a gate allows none."
        for status in UNUSABLE
        if (count := reviewer.outputs.get(status, 0))
    ]


def _recall(reviewer: ReviewerResult) -> list[str]:
    found = reviewer.recall
    if not isinstance(found, Recall):
        reason = found.reason if isinstance(found, NoRecall) else "it was not computed"
        reason = reviewer.errors.get("must_find_recall", reason)
        return [f"{reviewer.name}: there is no recall to decide on: {reason.rstrip('.')}."]
    why = []
    unknown = [item.id for item in found.items if not item.runs]
    if unknown:
        why.append(
            f"{reviewer.name}: no run has a verdict on {_named('must-find', unknown)}, so nothing is known of "
            f"{'it' if len(unknown) == 1 else 'them'}."
        )
    few = [item.id for item in found.items if item.runs and item.runs + item.invalid < FEWEST_RUNS]
    if few:
        why.append(
            f"{reviewer.name}: {_named('must-find', few)} {'was' if len(few) == 1 else 'were'} looked for in fewer than "
            f"{FEWEST_RUNS} runs, which cannot show that {'it is' if len(few) == 1 else 'they are'} found."
        )
    whole = found.list
    if whole.p is not None and whole.p < LEVEL:
        runs = sum(item.runs for item in found.items)
        why.append(
            f"{reviewer.name}: must-finds were found {whole.detected} times in {runs} looks, where {whole.expected:.1f} "
            f"are expected at their min_recall; so few have a probability of {_apart(whole.p, LEVEL)}, below {LEVEL}."
        )
    for item in found.items:
        if item.place in whole.missed:
            why.append(
                f"{reviewer.name}: must-find {item.id} of {item.document} was found in {item.detected} of {item.runs} "
                f"runs; for an item at its min_recall of {item.min_recall:g} that is too few (exact binomial, "
                f"Holm-adjusted over the list, below {LEVEL})."
            )
    return why


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


def _precision(reviewer: ReviewerResult, bound: float, *, strict: bool) -> list[str]:
    found = reviewer.precision
    if found.value is None or found.low is None or found.high is None:
        reason = reviewer.errors.get("reverse_judge_precision", "no finding was judged")
        return [f"{reviewer.name}: there is no precision to hold against {bound:g}: {reason.rstrip('.')}."]
    name, deciding = deciding_precision(found)
    mended = found.corrected
    if strict and name == RAW:
        why = "the judge's errors are not known" if mended is None else (mended.withheld or mended.words)
        return [f"{reviewer.name}: there is no corrected precision to decide on: {why.rstrip('.')}."]
    assert isinstance(deciding, Estimate)
    end, figure = ("lower", deciding.low) if strict else ("upper", deciding.high)
    if figure >= bound:
        return []
    return [
        f"{reviewer.name}: {name} is {deciding.value:.2f} and its {end} bound {_apart(figure, bound)}, "
        f"below the {bound:g} that was asked for."
    ]


def _named(word: str, ids: Sequence[str]) -> str:
    return f"{word} {ids[0]}" if len(ids) == 1 else f"{word}s {', '.join(ids)}"


def _apart(figure: float, bound: float) -> str:
    """With as many decimals as it takes to see that the figure is not the bound."""
    for digits in (2, 3, 4, 5):
        text = f"{figure:.{digits}f}"
        if float(text) != round(bound, digits) and float(text) > 0:
            return text
    return f"{figure:.2g}"
