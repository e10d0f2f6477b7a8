"""A log of `fiducial/bias` as a run file: the plan is the trials that are in the log, the replies are its outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import msgspec
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ChatMessage, ChatMessageAssistant

from fiducial.bias.source import BiasSource
from fiducial.errors import UsageError
from fiducial.inspect.bias_scores import EXPORTED, Asked, asked, source_of
from fiducial.model.bridge import read_output
from fiducial.model.prices import price_of
from fiducial.model.reply import CallFailed
from fiducial.model.request import Settings
from fiducial.run.naming import run_path
from fiducial.run.plan import Trial, make_plan, make_trial
from fiducial.run.provenance import provenance
from fiducial.run.store import Store, prepare
from fiducial.run.writer import Record, Writer

Samples = dict[Trial, EvalSample]


def write_run(log: EvalLog, path: Path, out: Path | None) -> tuple[Path, int, dict[str, int]]:
    """The run file, how many replies are in it, and how many trials have none, by reason."""
    trials = [asked(sample.metadata) for sample in log.samples or ()]
    if len({trial.seed for trial in trials}) > 1:
        raise UsageError(f"{path}: its samples come from several seeds; a run has one.")
    config = log.plan.config.merge(log.eval.model_generate_config)
    settings = Settings(
        temperature=config.temperature, top_p=config.top_p, max_tokens=config.max_tokens, seed=config.seed
    )
    system = _system(log, path)
    source = source_of(trials, settings=settings, system=system)
    samples = _by_trial(log.samples or [], trials, path)
    _same_prompts(samples, source, path)
    about_log = log.eval.metadata or {}
    exported = about_log.get(EXPORTED) or about_log.get("gnomon_model")  # the key of the first edition
    model = str(exported or f"inspect/{log.eval.model}")
    plan = make_plan(samples, source, seed=trials[0].seed)
    about: dict[str, object] = {
        "instrument": "bias",
        "model": model,
        "tier": str(log.eval.task_args.get("tier", "quick")),
        "biases": list(source.biases),
        "arms": list(dict.fromkeys(arm for trial in trials for arm in trial.arms)),
        "trials": max(trial.repetition for trial in samples) + 1,
        "seed": trials[0].seed,
        **msgspec.to_builtins(settings),
        "system": system,
    }
    target = out or run_path("bias", model, str(about["tier"]), settings=about, plan=plan)
    if target.exists():
        raise UsageError(f"{target}: exists already; choose another --out, or delete it.")
    came_from = {"log": path.name, "eval": log.eval.eval_id, "packages": log.eval.packages}
    meta = {
        "settings": about,
        "provenance": {**provenance(), "imported": came_from},
        "left_out": {},
        **source.meta(),
    }
    prepare(target, plan, meta)
    try:
        lost = _write(target, samples, model, settings)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return target, len(samples) - lost.total(), dict(lost)


def _by_trial(samples: Sequence[EvalSample], trials: Sequence[Asked], path: Path) -> Samples:
    """Epochs are further repetitions."""
    repetitions = max(trial.repetition for trial in trials) + 1
    found: Samples = {}
    for sample, said in zip(samples, trials, strict=True):
        block = said.block
        trial = make_trial(
            block.id,
            block.hash,
            said.arm,
            order=said.order,
            repetition=said.repetition + repetitions * (sample.epoch - 1),
        )
        if trial in found:
            raise UsageError(
                f"{path}, sample {sample.id}, epoch {sample.epoch}: the same trial is in the log twice."
            )
        found[trial] = sample
    return found


def _system(log: EvalLog, path: Path) -> str | None:
    said = {next((m.text for m in s.messages if m.role == "system"), None) for s in log.samples or () if s.messages}
    if len(said) > 1:
        raise UsageError(f"{path}: some samples had another system message than others; a run has one, or none.")
    return next(iter(said), None)


def _same_prompts(samples: Samples, source: BiasSource, path: Path) -> None:
    """A solver may have changed what is asked; such a reply is none to the battery's prompt."""
    for trial, sample in samples.items():
        wanted = [(m.role, m.text) for m in source.request(trial).messages]
        sent = [(m.role, m.text) for m in _sent(sample)]
        if sent and sent != wanted:
            raise UsageError(
                f"{path}, sample {sample.id}: it was not asked with the prompt of its trial (a solver changed it), so its "
                "reply does not belong to the battery."
            )


def _sent(sample: EvalSample) -> list[ChatMessage]:
    """The messages before the output."""
    messages = list(sample.messages)
    return messages[:-1] if messages and isinstance(messages[-1], ChatMessageAssistant) else messages


def _write(target: Path, samples: Samples, model: str, settings: Settings) -> Counter[str]:
    lost: Counter[str] = Counter()
    errors: list[BaseException] = []
    with Store(target) as store:
        places = {row["id"]: row["seq"] for row in store.db.execute("SELECT id, seq FROM trial")}
    with Writer(target) as writer:
        writer.start(lambda group, error: errors.append(error) if error is not None else None)
        for trial, sample in samples.items():
            record = _record(places[trial.id], sample, model, settings)
            if record.status == "failed":
                lost[record.failure or "failed"] += 1
            writer.put(record)
        writer.finish()
    if errors:
        raise errors[0]
    return lost


def _record(place: int, sample: EvalSample, model: str, settings: Settings) -> Record:
    started = _seconds(sample.started_at)
    if sample.error is not None:
        return Record(
            trial=place,
            model=model,
            status="failed",
            asked=settings,
            failure="crashed",
            message=sample.error.message,
            started=started,
        )
    try:
        reply = read_output(sample.output)
    except CallFailed as failed:
        return Record(
            trial=place,
            model=model,
            status="failed",
            asked=settings,
            failure=failed.kind,
            message=failed.message,
            started=started,
        )
    messages = [{"role": m.role, "content": m.text} for m in _sent(sample)]
    price = price_of(model)
    return Record(
        trial=place,
        model=model,
        status=reply.status,
        text=reply.text,
        body=msgspec.json.encode({"model": model.removeprefix("inspect/"), "messages": messages}),
        asked=settings,
        reported=reply.reported,
        tokens=reply.tokens,
        started=started,
        seconds=sample.output.time or 0.0,
        cost=price.cost(reply.reported) if price else None,
    )


def _seconds(said: object) -> float:
    return datetime.fromisoformat(str(said)).timestamp() if said else 0.0
