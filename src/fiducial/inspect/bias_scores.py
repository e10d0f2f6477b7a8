"""Replies of the bias battery inside Inspect: read by Fiducial's reader, compared with their arm's key, estimated.

A sample's metadata names its trial, never its key: the key is made again from the battery and the seed. The value of a
score is a mapping with the one entry `score`, NaN where the reply was not read. So Inspect leaves it out of any mean, and
the metric still gets to see it: how many replies an arm lost decides whether an effect may be believed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import TaskState
from msgspec import Struct

from fiducial.bias.audit import audit_bias
from fiducial.bias.block import Block, make_block
from fiducial.bias.estimates import estimate_biases, position_preference
from fiducial.bias.own import with_own
from fiducial.bias.read import READER_VERSION, Reading
from fiducial.bias.reading import Scored, Tally, score_reply
from fiducial.bias.result import BiasResult, Effect
from fiducial.bias.score import Score as Compared
from fiducial.bias.source import BiasSource
from fiducial.errors import UsageError
from fiducial.inspect.naming import named
from fiducial.model.bridge import read_output
from fiducial.model.reply import CallFailed
from fiducial.run.plan import Trial
from fiducial.stats.estimate import Estimate, Measured

SCORE = "score"
TRIAL = "trial"
EXPORTED = "fiducial_model"  # in the metadata of a log that was made from a run: what the model is called there
_REASONS = {"refused": "refusal", "empty": "no_response"}
_LEVELS = {"warn": 1.0, "fail": 2.0}


class Asked(Struct, frozen=True, kw_only=True):
    """What a sample's metadata says of its trial. `battery` are the places of people's own items."""

    bias: str
    item: str
    item_hash: str
    arm: str
    order: int
    repetition: int
    seed: int
    arms: tuple[str, ...]
    battery: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, trial: Trial, block: Block, *, seed: int, arms: tuple[str, ...], battery: tuple[str, ...] = ()
    ) -> Asked:
        """What is said of a trial of this block."""
        return cls(
            bias=block.bias,
            item=block.item,
            item_hash=trial.item_hash,
            arm=trial.arm,
            order=trial.order,
            repetition=trial.repetition,
            seed=seed,
            arms=arms,
            battery=battery,
        )

    @property
    def block(self) -> Block:
        """The block as it was asked. A UsageError says that the battery has another item of that name now."""
        found = _block(self.battery, self.seed, self.bias, self.item)
        if found is None or found.hash != self.item_hash or self.arm not in found.arms:
            raise UsageError(
                f"{self.bias}/{self.item}: the battery has another version of this item than the one that was asked "
                f"({self.item_hash}); score it with the version of Fiducial that asked it"
            )
        return found


def asked(metadata: Mapping[str, Any] | None) -> Asked:
    """The trial of a sample. A UsageError says what a sample has to have."""
    try:
        return msgspec.convert((metadata or {}).get(TRIAL), Asked)
    except msgspec.ValidationError as error:
        raise UsageError(
            f'not a sample of fiducial/bias: its metadata has no "{TRIAL}" that says what was asked ({error})'
        ) from error


@lru_cache(maxsize=4096)
def _block(battery: tuple[str, ...], seed: int, bias: str, item: str) -> Block | None:
    owner = with_own([Path(place) for place in battery]).biases.get(bias)
    spec = next((one for one in owner.items if one.id == item), None) if owner else None
    return make_block(owner, spec, seed=seed) if owner and spec else None


def bias_score(scored: Scored, text: str) -> Score:
    """A reading as a score of Inspect's."""
    found, reading = scored.score, scored.reading
    about: dict[str, Any] = {
        "reading": {"status": reading.status, "confidence": reading.confidence, "rule": reading.rule},
        "compared": msgspec.to_builtins(found),
        "reader": READER_VERSION,
    }
    answer = None if reading.answer is None else str(reading.answer)
    if found.value is None:
        why = found.reason or "unreadable"
        return Score(
            value={SCORE: float("nan")},
            answer=answer,
            reason=_REASONS.get(why, "invalid_response_format"),
            explanation=f"not scored: {why}",
            metadata=about,
        )
    start, stop = reading.span or (0, 0)
    return Score(
        value={SCORE: found.value},
        answer=answer,
        explanation=f"read {answer!r} ({reading.rule}) from {text[start:stop][:200]!r}",
        metadata=about,
    )


@metric(name=named("bias_effects"), scores="unreduced")
def bias_effects() -> Metric:
    """Every bias's effect with interval, q and flag; how much was not read; which checks of the audit warn.

    `audit_CODE` is 1 where the check warns and 2 where it fails. An effect that is withheld is left out.
    """

    def compute(scores: list[SampleScore]) -> Value:
        return _numbers([(one.sample_metadata, one.score) for one in scores])

    return compute


@scorer(metrics=[bias_effects()], name=named("bias_answer"))
def bias_answer() -> Scorer:
    """The answer that a reply to an item of the battery commits to, compared with its arm's key. Asks no model."""

    async def score(state: TaskState, target: Target) -> Score:
        try:
            trial = asked(state.metadata)
            reply = read_output(state.output)
            return bias_score(score_text(trial, reply.text, reply.status, run=state.epoch - 1), reply.text)
        except (UsageError, CallFailed) as error:
            return Score.unscored(reason="scoring_failed", explanation=str(error))

    return score


def score_text(trial: Asked, text: str, status: str, *, run: int = 0) -> Scored:
    """Read and compare one reply. `run` is the epoch, from 0."""
    block = trial.block
    source = source_of((trial,))
    prompt = source.prompt(block.id, trial.arm, trial.order)
    return score_reply(
        0, text, status, block, block.arms[trial.arm], prompt, trial.order, repetition=trial.repetition + run
    )


def source_of(trials: Iterable[Asked], **options: Any) -> BiasSource:
    """The blocks of these trials."""
    blocks: dict[str, Block] = {}
    infos = {}
    for trial in trials:
        block = trial.block  # says so where the battery has no such item
        if trial.bias not in infos:
            infos[trial.bias] = with_own([Path(place) for place in trial.battery]).biases[trial.bias].info()
        blocks[block.id] = block
    return BiasSource(infos.values(), blocks.values(), **options)


def _numbers(scores: Sequence[tuple[Mapping[str, Any] | None, Score]]) -> dict[str, float | None]:
    rows = []
    for metadata, score in scores:
        about = score.metadata or {}
        if "compared" in about:  # what was not even read against its key is unscored, and not here
            compared = msgspec.convert(about["compared"], Compared)
            reading = msgspec.convert(about["reading"], Reading)
            rows.append((asked(metadata), reading, compared))
    if not rows:
        return {"replies": 0.0}
    source = source_of(trial for trial, _, _ in rows)
    counted = Tally(source)
    for trial, reading, compared in rows:
        block = trial.block
        counted.add(Scored(0, block, block.arms[trial.arm], trial.order, reading, compared))
    arms = tuple(dict.fromkeys(arm for trial, _, _ in rows for arm in trial.arms))
    biases = estimate_biases(source, counted, arms=arms).biases
    position = position_preference(counted)
    unread: Counter[str] = Counter(c.reason or "unreadable" for _, _, c in rows if c.value is None)
    return effect_numbers(biases, position, unread, len(rows))


def effect_numbers(
    biases: Sequence[BiasResult], position: Measured, unread: Counter[str], replies: int
) -> dict[str, float | None]:
    """Results as numbers with names. What is withheld is left out and counted."""
    numbers: dict[str, float | None] = {"replies": float(replies), "unread": float(unread.total())}
    for bias in biases:
        if isinstance(bias.effect, Effect):
            effect = bias.effect
            numbers |= {
                bias.id: effect.value,
                f"{bias.id}_low": effect.low,
                f"{bias.id}_high": effect.high,
                f"{bias.id}_q": effect.q,
                f"{bias.id}_flagged": float(bias.flagged),
            }
    if isinstance(position, Estimate):
        numbers |= {"position": position.value, "position_low": position.low, "position_high": position.high}
    numbers["withheld"] = float(sum(not isinstance(bias.effect, Effect) for bias in biases))
    for check in audit_bias(biases, position, unread, replies):
        if check.level in _LEVELS:
            numbers[f"audit_{check.code}"] = _LEVELS[check.level]
    return numbers
