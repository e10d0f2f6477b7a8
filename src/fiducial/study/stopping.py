"""Does a stopping rule keep its promises? Subjects whose bias is known are measured under it many times.

Runs are made in memory, from decisions alone: subjects do not put them into words and no reader reads them, which
`calibrate` tests. Of a mixed subject, each bias is answered by another subject.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor

import msgspec
from msgspec import Struct

from fiducial.bias.estimates import estimate_biases
from fiducial.bias.load import packaged_battery
from fiducial.bias.read import Reading
from fiducial.bias.reading import Scored, Tally
from fiducial.bias.result import Effect
from fiducial.bias.score import Score, score
from fiducial.bias.source import ARMS, BiasSource, battery_source
from fiducial.bias.stopping.pool import Pool, make_pool
from fiducial.bias.stopping.result import Stopping
from fiducial.bias.stopping.rule import Decided, next_round
from fiducial.bias.stopping.sight import Asked, look
from fiducial.bias.stopping.until import REPETITIONS, Until, outcome
from fiducial.model.sim.spec import Spec, parse_spec
from fiducial.model.sim.subject import SimModel
from fiducial.run.plan import Trial, trial_seed
from fiducial.stats.estimate import Withheld

MIXED = ("planted:effect=.3,spread=.15", "rational", "coin")
"""Subjects that take turns over the biases: items that differ, hardly any noise, hardly anything but noise."""
LUMPED = ("planted:effect=.3,spread=.15", "planted:effect=.4,lumpy=1", "coin")
"""The same with items that show all or nothing, whose widest interval no number of replies narrows: a small fixed plan comes
to the same width, so the rule saves little on the widest interval and brings the others down all the same."""
MOST = 12  # repetitions of a fixed plan that are tried


class Run(Struct, frozen=True, kw_only=True):
    """One run under the rule. `covered` and `error` are by bias; biases without an interval are not in them."""

    stopping: Stopping
    covered: dict[str, bool]
    error: dict[str, float]  # value − truth


class Rivals(Struct, frozen=True, kw_only=True):
    """Calls of fixed plans whose widest interval is no wider than that of the rule; None where none was found.

    `fixed` asks every item at every intensity in every order, as `--tier core --trials N` does. `lean` asks every item at
    one intensity, in orders that take turns: the leanest plan that treats all biases alike.
    """

    widest: float
    calls: int
    fixed: int | None
    lean: int | None


class Subject:
    """Answers as one simulated subject, or as several that take turns over the biases."""

    def __init__(self, kinds: Sequence[str], biases: Iterable[str], seed: int) -> None:
        specs = [parse_spec(f"{kind},seed={seed}" if kind.startswith("planted") else kind) for kind in kinds]
        self.spec: dict[str, Spec] = {bias: specs[k % len(specs)] for k, bias in enumerate(biases)}
        self._models = {spec.text: SimModel(spec) for spec in specs}
        self._seed = seed

    def score(self, source: BiasSource, trial: Trial) -> Score:
        """What it decides in a trial, scored."""
        block, arm = source.arm(trial)
        request = source.request(trial)
        settings = msgspec.structs.replace(request.settings, seed=trial_seed(self._seed, trial.id))
        decided = self._models[self.spec[block.bias].text].decide(
            msgspec.structs.replace(request, settings=settings)
        )
        answer = decided.choice.label if decided.choice is not None else decided.number
        reading = Reading(status="read", answer=answer, confidence=decided.confidence, rule="decided")
        return score(reading, arm, source.prompt(trial.item, trial.arm, trial.order))


def _source(seed: int, biases: Sequence[str]) -> BiasSource:
    chosen = [bias for bias in packaged_battery().select(tuple(biases)) if biases or bias.tier == "core"]
    return battery_source(chosen, seed=seed)


def run_until(
    kinds: Sequence[str],
    *,
    width: float,
    seed: int,
    biases: Sequence[str] = (),
    arms: Sequence[str] = ARMS,
    repetitions: int = REPETITIONS,
) -> Run:
    """One run of the core under the rule (or of the biases given)."""
    source = _source(seed, biases)
    pool = make_pool(source, arms=arms, repetitions=repetitions)
    subject = Subject(kinds, source.biases, seed)
    decided, scores = asked_until(pool, lambda trial: subject.score(source, trial).value, width=width)
    covered, error = {}, {}
    for bias in pool.items:
        seen = look(pool, decided.asked, scores, bias)
        if not isinstance(seen.estimate, Withheld):
            truth = subject.spec[bias].effect
            covered[bias] = seen.estimate.low <= truth <= seen.estimate.high
            error[bias] = seen.estimate.value - truth
    return Run(stopping=outcome(pool, scores, decided, Until(width)), covered=covered, error=error)


def asked_until(
    pool: Pool, answer: Callable[[Trial], float | None], *, width: float
) -> tuple[Decided, dict[str, float]]:
    """The rule to its end, with `answer` for the subject."""
    decided, scores = Decided(), dict[str, float]()
    while True:
        decided, trials = next_round(pool, scores, decided, width=width)
        if not trials:
            return decided, scores
        for trial in trials:
            value = answer(trial)
            scores[trial.id] = float("nan") if value is None else value


def rivals(kinds: Sequence[str], *, width: float, seed: int) -> Rivals:
    """The rule, and the smallest fixed plans that do as well on the same questions and the same subject."""
    source = _source(seed, ())
    pool = make_pool(source, arms=ARMS, repetitions=MOST)
    subject = Subject(kinds, source.biases, seed)
    found = run_until(kinds, width=width, seed=seed).stopping
    widest = found.saving.widest or 0.0
    return Rivals(
        widest=widest,
        calls=found.saving.calls,
        fixed=_fixed(source, subject, widest),
        lean=_lean(pool, subject, widest),
    )


def _fixed(source: BiasSource, subject: Subject, widest: float) -> int | None:
    counted, calls = Tally(source), 0
    by_round: dict[int, list[Trial]] = {}
    for trial in source.trials(repetitions=MOST):
        by_round.setdefault(trial.repetition, []).append(trial)
    for trials in by_round.values():
        for trial in trials:
            block, arm = source.arm(trial)
            reading = Reading(status="read", rule="decided")
            counted.add(Scored(0, block, arm, trial.order, reading, subject.score(source, trial)))
        calls += len(trials)
        effects = [bias.effect for bias in estimate_biases(source, counted).biases]
        if all(isinstance(e, Effect) and e.high - e.low <= widest for e in effects):
            return calls
    return None


def _lean(pool: Pool, subject: Subject, widest: float) -> int | None:
    scores: dict[str, float] = {}
    asked: dict[str, Asked] = {}
    for step in range(2 * MOST):
        for items in pool.items.values():
            for item in items:
                if step < pool.most(item):
                    asked[item.block.id] = Asked(step + 1)
                    for trial in item.trials(step, item.first):
                        value = subject.score(pool.source, trial).value
                        scores[trial.id] = float("nan") if value is None else value
        widths = [look(pool, asked, scores, bias, widen=1.0).width for bias in pool.items]
        if all(width is not None and width <= widest for width in widths):
            return len(scores)
    return None


def many(
    work: Callable[[int], Run | Rivals], seeds: Sequence[int], *, workers: int | None = None
) -> Iterator[Run | Rivals]:
    """`work` for every seed, over all cores unless told otherwise, in the order of the seeds."""
    n = workers or os.cpu_count() or 1
    if n == 1:
        yield from map(work, seeds)
        return
    with ProcessPoolExecutor(max_workers=n) as pool:
        yield from pool.map(work, seeds)


def tally_reasons(runs: Iterable[Run]) -> Mapping[str, int]:
    """How often biases ended for which reason."""
    found: dict[str, int] = {}
    for run in runs:
        for stop in run.stopping.biases.values():
            found[stop.reason or "going"] = found.get(stop.reason or "going", 0) + 1
    return found
