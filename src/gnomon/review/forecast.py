"""What a review run will take, before it begins. How many findings there will be is not known: it is assumed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gnomon.model.prices import Price, price_of
from gnomon.model.reply import Reported
from gnomon.review.reading import MUST_FIND
from gnomon.review.records import items_of
from gnomon.review.run import Prepared, ReviewOptions
from gnomon.run.collect import CHARACTERS_A_TOKEN

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
        yield from _money("reviewers", options.model, price_of(options.model), given, written)
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
        yield from _money(who, judge, price_of(judge), given, sum(asked) * VERDICT)


def _money(who: str, model: str, price: Price | None, given: int, written: int) -> Iterator[str]:
    """Nothing where it costs nothing."""
    if price is not None and price.output == 0:
        return
    line = f"{who}: about {given / 1000:,.0f}k tokens in and {written / 1000:,.0f}k out"
    if price is None:
        yield f"{line}, no price known for {model}"
    else:
        cost = price.cost(Reported(input_tokens=given, output_tokens=written))
        yield f"{line}, at most about {cost:.2f} USD at the prices of {price.as_of}"
