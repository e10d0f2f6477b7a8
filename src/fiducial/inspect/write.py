"""A run file as a log of Inspect's, which `inspect view` opens: one sample a reply, with its score and what it rests on.

The messages are those that were sent. What was never answered is a sample with an error and without a score.
"""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalMetric,
    EvalPlan,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.log._log import EvalScorer
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    StopReason,
)
from inspect_ai.scorer import Score

import fiducial
from fiducial.bias.block import STANDARD
from fiducial.bias.reading import RunReader as BiasReader
from fiducial.bias.run import look as look_at_bias
from fiducial.bias.source import ARMS
from fiducial.bias.source import stored_source as stored_bias
from fiducial.errors import UsageError
from fiducial.inspect.bias_scores import EXPORTED, TRIAL, Asked, bias_score, effect_numbers
from fiducial.inspect.metrics import by_reviewer, precision_numbers, recall_numbers
from fiducial.inspect.naming import full
from fiducial.inspect.outputs import OUTPUTS, plain
from fiducial.inspect.scores import PRECISION, RECALL, precision_score, recall_score
from fiducial.model.bridge import to_config, to_messages
from fiducial.model.request import Message, Role, Settings
from fiducial.model.spoken import spoken
from fiducial.review.judging import GENUINE, MATCH
from fiducial.review.reading import RunReader as ReviewReader
from fiducial.review.records import items_of
from fiducial.run.plan import Source
from fiducial.run.store import SUBJECT, Store, StoredReply, Text

ENDINGS = (".eval", ".json")
_STOPS: dict[str, StopReason] = {
    "truncated": "max_tokens",
    "refused": "content_filter",
    "filtered": "content_filter",
}
_ROLES: dict[str, Role] = {"system": "system", "assistant": "assistant", "model": "assistant"}

Numbers = Mapping[str, float | None]


def export_log(path: Path, target: Path, *, texts: bool = True) -> int:
    """Write the run at `path` as a log; the number of samples. Nothing half-written is left under that name.

    Without its texts there is no log, which is said.
    """
    if not texts:
        raise UsageError("--no-text: a log of Inspect's is its texts; share --format jsonl --no-text instead.")
    if target.suffix not in ENDINGS:
        raise UsageError(f"{target}: a log of Inspect's ends in {' or '.join(ENDINGS)}.")
    with Store(path) as store:
        instrument = (store.meta("settings") or {}).get("instrument")
        if instrument not in ("bias", "review"):
            raise UsageError(f"{path}: a run of `fiducial {instrument}` has no form as a log of Inspect's.")
        log = _bias_log(store) if instrument == "bias" else _review_log(store)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fiducial-") as folder:
        draft = Path(folder) / target.name
        write_eval_log(log, str(draft))
        draft.replace(target)
    return len(log.samples or ())


def _bias_log(store: Store) -> EvalLog:
    settings = store.meta("settings") or {}
    source, result = stored_bias(store), look_at_bias(store.path)
    reader = BiasReader(store, source)
    texts = {row.trial: row for row in store.texts()}
    samples = []
    for reply in store.replies(failed=True):
        trial, block = reply.trial, source.unit(reply.trial.item, reply.trial.turn)
        about: dict[str, Any] = {"item": trial.item, "arm": trial.arm, "turn": trial.turn}
        if block.protocol == STANDARD:
            seed, arms = int(settings.get("seed", 1)), tuple(settings.get("arms", ARMS))
            about = {TRIAL: plain(Asked.of(trial, block, seed=seed, arms=arms))}
        turn = f"/turn {trial.turn + 1}" if block.turns > 1 or trial.turn else ""
        row: Text | None = texts.get(trial.id)
        scores = {"bias_answer": bias_score(reader.scored(row), row.text)} if row is not None else {}
        name = f"{trial.item}/{trial.arm}/{trial.order + 1}/{trial.repetition + 1}{turn}"
        samples.append(_sample(store, source, reply, name, 1, about, scores))
    unread: Counter[str] = Counter(result.unread)
    found = effect_numbers(result.biases, result.position, unread, result.answered)
    return _log(store, "bias", samples, {"bias_answer": found})


def _review_log(store: Store) -> EvalLog:
    reader = ReviewReader(store)
    source, settings = reader.source, store.meta("settings") or {}
    seed = int(settings.get("seed", 1))
    asked = {judge.task: judge for judge in reader.judges}
    samples, encoded = [], {PRECISION: [], RECALL: []}  # type: ignore[var-annotated]
    for reply in store.replies(failed=True, by_item=True):
        trial, paper = reply.trial, source.papers[reply.trial.item]
        listed = reader.must_find.get(paper.id) or ()
        scores: dict[str, Score] = {}
        if reply.status != "failed":
            output = reader.output(reply)
            who = {task: _judged_by(reader, task, judge.prompt) for task, judge in asked.items()}
            if GENUINE in asked:
                scores[PRECISION] = precision_score(output, who[GENUINE])
            if MATCH in asked:
                scores[RECALL] = recall_score(output, items_of(listed, trial.arm), who[MATCH])
            for name, score in scores.items():
                encoded[name] += (score.metadata or {})[OUTPUTS]
        about = {
            "document": paper.text,
            "document_id": paper.id,
            "reviewer": trial.arm,
            "review_type": paper.review_type,
            "must_find": [plain(item) for item in listed],
        }
        name = f"{trial.item}/{trial.arm}"
        samples.append(_sample(store, source, reply, name, trial.repetition + 1, about, scores))
    found: dict[str, Numbers] = {}
    if GENUINE in asked:
        found[PRECISION] = by_reviewer(encoded[PRECISION], precision_numbers, seed)
    if MATCH in asked:
        found[RECALL] = by_reviewer(encoded[RECALL], recall_numbers, seed)
    return _log(store, "review", samples, found)


def _judged_by(reader: ReviewReader, task: str, prompt: str) -> dict[str, Any]:
    return {"judges": [judge.model for judge in reader.judges if judge.task == task], "prompt": prompt}


def _sample(
    store: Store,
    source: Source,
    reply: StoredReply,
    name: str,
    epoch: int,
    about: dict[str, Any],
    scores: dict[str, Score],
) -> EvalSample:
    sent = to_messages(tuple(_messages(store, source, reply)))
    failed = reply.status == "failed"
    said = ChatMessageAssistant(content=reply.text, source="generate")
    given, cached = reply.reported.input_tokens or 0, reply.reported.cached_tokens or 0
    written = reply.reported.output_tokens or 0
    usage = ModelUsage(
        input_tokens=given - cached,
        output_tokens=written,
        total_tokens=given + written,
        input_tokens_cache_read=cached or None,
        reasoning_tokens=reply.reported.reasoning_tokens,
    )
    answer = ModelOutput(
        model=reply.reported.model or reply.model,
        choices=[]
        if failed
        else [ChatCompletionChoice(message=said, stop_reason=_STOPS.get(reply.status, "stop"))],
        usage=None if failed else usage,
        time=reply.seconds,
    )
    why = f"{reply.failure}: {reply.message}"
    return EvalSample(
        id=name,
        epoch=epoch,
        input=sent,
        target="",
        messages=sent if failed else [*sent, said],
        output=answer,
        scores=scores or None,
        metadata=about,
        model_usage={} if failed else {reply.model: usage},
        error=EvalError(message=why, traceback=why, traceback_ansi=why) if failed else None,
        total_time=reply.seconds,
    )


def _messages(store: Store, source: Source, reply: StoredReply) -> Iterator[Message]:
    """As they were sent; where the body does not tell, as the source makes them."""
    found = spoken(store.body(reply.body)) if reply.body is not None else None
    if found is None:
        history, _ = store.history(reply.trial)
        yield from source.request(reply.trial, history).messages
        return
    for message in found:
        yield Message(_ROLES.get(message.role, "user"), message.text)


def _log(store: Store, task: str, samples: Sequence[EvalSample], found: Mapping[str, Numbers]) -> EvalLog:
    settings = store.meta("settings") or {}
    first, last = store.db.execute("SELECT min(started), max(started + seconds) FROM reply").fetchone()
    model = str(settings.get("model", "")).removeprefix("inspect/")
    subject = store.progressed(SUBJECT)
    usage: dict[str, ModelUsage] = {}
    for sample in samples:
        for name, used in sample.model_usage.items():
            usage[name] = usage.get(name, ModelUsage()) + used
    ids = list(dict.fromkeys(sample.id for sample in samples))
    return EvalLog(
        status="success" if subject.answered == subject.trials else "error",
        error=None
        if subject.answered == subject.trials
        else EvalError(
            message=f"{subject.trials - subject.answered} of {subject.trials} trials have no reply",
            traceback="",
            traceback_ansi="",
        ),
        eval=EvalSpec(
            created=_time(first),
            task=full(task),
            run_id=store.name,
            task_id=store.name,
            task_args={name: value for name, value in settings.items() if name != "instrument"},
            dataset=EvalDataset(
                name=str(settings.get("dataset", f"fiducial-{task}")), samples=len(ids), sample_ids=ids
            ),
            model=model,
            config=EvalConfig(epochs=max((sample.epoch for sample in samples), default=1)),
            packages={"fiducial-eval": fiducial.__version__},
            metadata={EXPORTED: settings.get("model"), "run": store.name, "plan": store.meta("plan_hash")},
            scorers=[EvalScorer(name=full(name)) for name in found],
        ),
        plan=EvalPlan(config=_config(settings)),
        results=EvalResults(
            total_samples=len(samples),
            completed_samples=sum(sample.error is None for sample in samples),
            scores=[_score(name, numbers, samples) for name, numbers in found.items()],
        ),
        stats=EvalStats(started_at=_time(first), completed_at=_time(last), model_usage=usage),
        samples=list(samples),
    )


def _config(settings: Mapping[str, Any]) -> GenerateConfig:
    """What was asked of the sampler."""
    asked = Settings(
        **{name: settings[name] for name in Settings.__struct_fields__ if settings.get(name) is not None}
    )
    return to_config(asked)


def _score(name: str, numbers: Numbers, samples: Sequence[EvalSample]) -> EvalScore:
    own = [sample.scores[name] for sample in samples if sample.scores and name in sample.scores]
    unscored = sum(_unscored(score.value) for score in own)
    return EvalScore(
        name=name,
        scorer=name,
        metrics={key: EvalMetric(name=key, value=value) for key, value in numbers.items() if value is not None},
        scored_samples=len(own) - unscored,
        unscored_samples=unscored,
    )


def _unscored(value: object) -> bool:
    inside = list(value.values()) if isinstance(value, dict) else [value]
    return any(isinstance(one, float) and math.isnan(one) for one in inside)


def _time(seconds: float | None) -> str:
    return datetime.fromtimestamp(seconds or 0.0, UTC).isoformat(timespec="seconds")
