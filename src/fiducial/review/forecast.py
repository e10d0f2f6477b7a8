"""What a review run will take, before it begins. How many findings there will be is not known: it is assumed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fiducial.model.prices import money_words
from fiducial.review.reading import MUST_FIND
from fiducial.review.records import items_of
from fiducial.review.run import Prepared, ReviewOptions
from fiducial.run.collect import CHARACTERS_A_TOKEN

FINDINGS = 10  # of an output, for want of knowing
WRITTEN = 1200  # tokens of an output
VERDICT = 150  # tokens of a verdict
PROMPT = 900  # tokens of a judge's prompt without document and finding
CACHED = "all but the first on a document find it in the provider's cache, where there is one"


def forecast(prepared: Prepared, options: ReviewOptions, judges: Sequence[str]) -> Iterator[str]:
    """Lines for a person: calls and tokens of every judge, and what they and the reviewers cost where that is money."""
    source, trials = prepared.source, prepared.plan.trials
    tokens = {paper.id: len(paper.text) // CHARACTERS_A_TOKEN for paper in source.papers.values()}
    written = len(trials) * min(options.settings.max_tokens or WRITTEN, WRITTEN)
    if not source.recorded:
        given = sum(tokens[t.item] + len(source.reviewers[t.arm].prompt) // CHARACTERS_A_TOKEN for t in trials)
        yield from _money("reviewers", options.model, given, written)
    if not judges:
        return
    lists = prepared.scored_with[MUST_FIND]
    assert isinstance(lists, dict)
    asked = [FINDINGS + len(items_of(lists.get(t.item), t.arm)) for t in trials]
    given = sum(n * (tokens[t.item] + PROMPT) for n, t in zip(asked, trials, strict=True))
    calls = f"about {sum(asked):,} calls at {FINDINGS} findings an output"
    if len(judges) == 1:
        yield f"judge {judges[0]}: {calls}; {CACHED}"
    else:
        yield f"{len(judges)} judges: {calls} each, {len(judges) * sum(asked):,} in all; {CACHED}"
    for judge in judges:
        who = "judge" if len(judges) == 1 else f"judge {judge}"
        yield from _money(who, judge, given, sum(asked) * VERDICT)


def _money(who: str, model: str, given: int, written: int) -> Iterator[str]:
    """Nothing where it costs nothing."""
    if words := money_words(model, given, written):
        yield f"{who}: {words}"
