"""What the scores of reviewers come to: Fiducial's estimates with their intervals, as metrics of Inspect's.

The metrics take the scores of all epochs, unreduced: a reducer keeps one number a sample, and three kinds of verdict
cannot be got back from it. `pooled` is a reducer that keeps them, for metrics of your own beside these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from inspect_ai.scorer import Metric, SampleScore, Score, ScoreReducer, Value, metric, score_reducer

from fiducial.inspect.naming import full, named
from fiducial.inspect.outputs import OUTPUTS, decode, looked_for
from fiducial.inspect.scores import MEASURE, RECALL
from fiducial.judge.match import MatchVerdict
from fiducial.review.output import Output
from fiducial.review.precision import precision as precision_of
from fiducial.review.precision import share
from fiducial.review.recall import recall as recall_of
from fiducial.review.records import MustFind
from fiducial.review.result import Recall
from fiducial.stats.estimate import Estimate
from fiducial.stats.resample import ratio_by_cluster

Numbers = dict[str, float | None]
Wanted = dict[str, tuple[MustFind, ...]]
SEED = 1  # of the bootstrap


@metric(name=named("precision"), scores="unreduced")
def precision() -> Metric:
    """Precision pooled over findings with its 95 % interval, by reviewer where there are several."""

    def compute(scores: list[SampleScore]) -> Value:
        return by_reviewer(_encoded(scores), precision_numbers)

    return compute


@metric(name=named("recall"), scores="unreduced")
def recall() -> Metric:
    """The share of looks in which a must-find was found, and each must-find's own rate, with 95 % intervals."""

    def compute(scores: list[SampleScore]) -> Value:
        return by_reviewer(_encoded(scores), recall_numbers)

    return compute


@score_reducer(name=full("pooled"))
def pooled() -> ScoreReducer:
    """One score for the epochs of a sample, from all their verdicts together, which stay in its metadata.

    Epochs that are unscored add nothing to the value; what is known of them is kept.
    """

    def reduce(scores: list[Score]) -> Score:
        known = [score for score in scores if score.metadata and OUTPUTS in score.metadata]
        encoded = [output for score in known for output in (score.metadata or {})[OUTPUTS]]
        if len(known) < len(scores) or not encoded:
            values = [v for score in scores if (v := score.as_float()) == v]
            return Score(value=sum(values) / len(values)) if values else scores[0]
        about = {**(known[0].metadata or {}), OUTPUTS: encoded}
        measure = about.get(MEASURE)
        value = _found_share(encoded) if measure == RECALL else _genuine_share(encoded)
        if value is None:
            return Score.unscored(reason=scores[0].reason, explanation=scores[0].explanation, metadata=about)
        return Score(value=value, explanation=f"{len(encoded)} outputs together", metadata=about)

    return reduce


def _encoded(scores: Iterable[SampleScore]) -> list[Mapping[str, Any]]:
    """The outputs behind the scores; one that this package did not make has none."""
    return [output for one in scores for output in (one.score.metadata or {}).get(OUTPUTS, ())]


def by_reviewer(encoded: Sequence[Mapping[str, Any]], compute: Callable[..., Numbers], seed: int = SEED) -> Numbers:
    """The numbers; those of several reviewers under their names. Without any output, that there is none."""
    names = list(dict.fromkeys(str(output["reviewer"]) for output in encoded))
    if not names:
        return {"outputs": 0.0}
    found: Numbers = {}
    for name in names:
        own = compute([output for output in encoded if output["reviewer"] == name], seed)
        found |= own if len(names) == 1 else {f"{name}: {key}": value for key, value in own.items()}
    return found


def precision_numbers(encoded: Sequence[Mapping[str, Any]], seed: int) -> Numbers:
    """Precision of one reviewer's encoded outputs."""
    outputs = list(map(decode, encoded))
    found = precision_of(outputs, seed=seed)
    return {
        "precision": found.value,
        "precision_low": found.low,
        "precision_high": found.high,
        "clusters": float(found.clusters),
        "genuine": float(found.genuine),
        "borderline": float(found.borderline),
        "not_genuine": float(found.not_genuine),
        "invalid": float(found.invalid),
        "per_output_mean": found.per_output_mean,
        "outputs": float(len(outputs)),
        "outputs_without_findings": float(sum(found.scored_zero.values())),
    }


def recall_numbers(encoded: Sequence[Mapping[str, Any]], seed: int) -> Numbers:
    """Recall of one reviewer's encoded outputs. Looks at one must-find belong together."""
    outputs = list(map(decode, encoded))
    wanted: Wanted = {}
    for one in encoded:
        wanted[one["document"]] = looked_for(one) or wanted.get(one["document"], ())
    found = recall_of(outputs, wanted)
    if not isinstance(found, Recall):
        return {"outputs": float(len(outputs))}
    whole = ratio_by_cluster(
        [item.detected for item in found.items],
        [item.runs for item in found.items],
        rng=np.random.default_rng(seed),
        unit="must-find",
    )
    measured = whole if isinstance(whole, Estimate) else None
    numbers: Numbers = {
        "recall": measured.value if measured else None,
        "recall_low": measured.low if measured else None,
        "recall_high": measured.high if measured else None,
        "must_finds": float(len(found.items)),
        "detected": float(found.list.detected),
        "expected": found.list.expected,
        "p_so_few": found.list.p,
        "coverage": found.list.coverage,
        "invalid": float(sum(item.invalid for item in found.items)),
        "outputs": float(len(outputs)),
    }
    for item in found.items:
        numbers |= {item.place: item.rate, f"{item.place}_low": item.low, f"{item.place}_high": item.high}
    return numbers


def _genuine_share(encoded: Sequence[Mapping[str, Any]]) -> float | None:
    """Of all findings; 0.0 where no output has any."""
    findings = [judged for output in map(decode, encoded) for judged in output.findings]
    return share(findings).value if findings else 0.0


def _found_share(encoded: Sequence[Mapping[str, Any]]) -> float | None:
    matches = [match for output in map(decode, encoded) for match in _verdicts(output)]
    return sum(match.verdict == "found" for match in matches) / len(matches) if matches else None


def _verdicts(output: Output) -> list[MatchVerdict]:
    return [match for match in output.matches.values() if isinstance(match, MatchVerdict)]
